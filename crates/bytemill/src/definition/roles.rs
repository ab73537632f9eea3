//! Roles: which token pads, begins a text, ends it, and so on. A file may say it; else the template and the usual names tell.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::definition::Outline;
use crate::postprocess::{Slot, Template};
use crate::vocab::TokenId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Pad,
    Unk,
    Bos,
    Eos,
    Cls,
    Sep,
    Mask,
}

impl Role {
    pub const ALL: [Role; 7] = [Role::Pad, Role::Unk, Role::Bos, Role::Eos, Role::Cls, Role::Sep, Role::Mask];

    pub fn name(self) -> &'static str {
        match self {
            Role::Pad => "pad",
            Role::Unk => "unk",
            Role::Bos => "bos",
            Role::Eos => "eos",
            Role::Cls => "cls",
            Role::Sep => "sep",
            Role::Mask => "mask",
        }
    }

    /// What tokens of this role are called by those who publish tokenizers.
    pub fn usual_names(self) -> &'static [&'static str] {
        match self {
            Role::Pad => &["<PAD>", "[PAD]", "<pad>", "<|pad|>", "<|padding|>", "<｜▁pad▁｜>"],
            Role::Unk => &["<UNK>", "[UNK]", "<unk>", "<|unk|>"],
            Role::Bos => &[
                "<BOS>",
                "[BOS]",
                "<bos>",
                "<s>",
                "<|bos|>",
                "<|begin_of_text|>",
                "<|startoftext|>",
                "<｜begin▁of▁sentence｜>",
            ],
            Role::Eos => &[
                "<EOS>",
                "[EOS]",
                "<eos>",
                "</s>",
                "<|eos|>",
                "<|end_of_text|>",
                "<|endoftext|>",
                "<｜end▁of▁sentence｜>",
            ],
            Role::Cls => &["<CLS>", "[CLS]", "<cls>", "<|cls|>"],
            Role::Sep => &["<SEP>", "[SEP]", "<sep>", "<|sep|>"],
            Role::Mask => &["<MASK>", "[MASK]", "<mask>", "<|mask|>"],
        }
    }

    fn of_name(token: &str) -> Option<Role> {
        Self::ALL.into_iter().find(|role| role.usual_names().contains(&token))
    }
}

/// The id of the token that has each role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Roles(BTreeMap<Role, TokenId>);

impl Roles {
    /// Those of an outline: as it says itself, or as they are inferred.
    pub fn of(outline: &Outline) -> Self {
        outline.roles.clone().unwrap_or_else(|| Self::inferred(outline))
    }

    /// What a file tells without naming roles. The model has its unknown token and the file its padding; what stands before or after a text
    /// has a usual name or is what begins or ends it; and the rest goes by the usual names.
    pub fn inferred(outline: &Outline) -> Self {
        let mut roles = Roles::default();
        for role in Role::ALL {
            let named = role.usual_names().iter().find_map(|&name| outline.added.iter().find(|t| t.content == name));
            roles.set(role, named.map(|token| token.id));
        }
        outline.template.iter().for_each(|template| roles.add_template(template));
        let padding = outline.padding.as_ref().map(|padding| padding.id);
        [(Role::Unk, outline.unk), (Role::Pad, padding)].into_iter().for_each(|(role, id)| roles.set_some(role, id));
        roles
    }

    fn add_template(&mut self, template: &Template) {
        let tokens = |slots: &[Slot]| -> Vec<(String, TokenId)> {
            let token = |slot: &Slot| match slot {
                Slot::Special { token, ids, .. } if ids.len() == 1 => Some((token.clone(), ids[0])),
                _ => None,
            };
            slots.iter().filter_map(token).collect()
        };
        let is_text = |slot: &Slot| matches!(slot, Slot::Text { .. });
        let at = template.single.iter().position(is_text).unwrap_or_default();
        let (before, after) = (tokens(&template.single[..at]), tokens(&template.single[at..]));
        let unnamed = |token: Option<&(String, TokenId)>| {
            token.filter(|(name, _)| Role::of_name(name).is_none()).map(|&(_, id)| id)
        };
        if let ([class], [separator]) = (before.as_slice(), after.as_slice()) {
            // The form of BERT: the first token is there once, the second after each text.
            let ends =
                template.pair.iter().filter(|slot| matches!(slot, Slot::Special { ids, .. } if ids == &[class.1]));
            if ends.count() == 1 && class != separator {
                self.set(Role::Cls, Some(class.1));
                self.set(Role::Sep, Some(separator.1));
                return;
            }
        }
        self.set_some(Role::Bos, unnamed(before.first()));
        self.set_some(Role::Eos, unnamed(after.last()));
    }

    pub fn get(&self, role: Role) -> Option<TokenId> {
        self.0.get(&role).copied()
    }

    pub fn set(&mut self, role: Role, id: Option<TokenId>) {
        match id {
            Some(id) => self.0.insert(role, id),
            None => self.0.remove(&role),
        };
    }

    fn set_some(&mut self, role: Role, id: Option<TokenId>) {
        if id.is_some() {
            self.set(role, id);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Role, TokenId)> {
        self.0.iter().map(|(&role, &id)| (role, id))
    }

    /// The same tokens under other ids.
    pub fn renumber(&mut self, new: impl Fn(TokenId) -> TokenId) {
        self.0.values_mut().for_each(|id| *id = new(*id));
    }
}

impl Outline {
    /// Says which tokens have which roles, beyond what is inferred. None takes a role away.
    pub fn set_roles(&mut self, known: impl IntoIterator<Item = (Role, Option<TokenId>)>) {
        let mut roles = Roles::of(self);
        known.into_iter().for_each(|(role, id)| roles.set(role, id));
        // What would be inferred again is not stored.
        self.roles = (roles != Roles::inferred(self)).then_some(roles);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Symbols;
    use crate::specials::AddedToken;

    fn outline(names: &[&str], template: Option<Template>) -> Outline {
        let added = (0..).zip(names).map(|(id, name)| AddedToken::special(id, *name)).collect();
        Outline { added, template, ..Outline::bpe(Symbols::default()) }
    }

    fn listed(outline: &Outline) -> Vec<(&'static str, TokenId)> {
        Roles::of(outline).iter().map(|(role, id)| (role.name(), id)).collect()
    }

    #[test]
    fn names_and_templates_tell_roles() {
        let token = |name: &str, id| (name.to_string(), id);
        assert_eq!(listed(&outline(&["<|endoftext|>"], None)), [("eos", 0)]);
        let bert = Template::bert(token("[CLS]", 0), token("[SEP]", 1));
        assert_eq!(listed(&outline(&["[CLS]", "[SEP]"], Some(bert))), [("cls", 0), ("sep", 1)]);
        let roberta = Template::bert(token("<s>", 0), token("</s>", 1));
        let expected = [("bos", 0), ("eos", 1), ("cls", 0), ("sep", 1)];
        assert_eq!(listed(&outline(&["<s>", "</s>"], Some(roberta))), expected);
        let around = Template::around(Some(token("<a>", 0)), Some(token("<b>", 1)));
        assert_eq!(listed(&outline(&["<a>", "<b>"], Some(around))), [("bos", 0), ("eos", 1)]);
        // XLNet has them both after the text.
        let both = vec![Slot::Text { second: false, type_id: 0 }, Slot::special("<sep>".into(), 0, 0)];
        let xlnet = Template { single: [both, vec![Slot::special("<cls>".into(), 1, 2)]].concat(), pair: Vec::new() };
        assert_eq!(listed(&outline(&["<sep>", "<cls>"], Some(xlnet))), [("cls", 1), ("sep", 0)]);
    }

    #[test]
    fn only_what_is_not_inferred_is_stored() {
        let mut outline = outline(&["<s>", "<end>"], None);
        outline.set_roles([(Role::Bos, Some(0))]);
        assert_eq!(outline.roles, None);
        outline.set_roles([(Role::Eos, Some(1)), (Role::Bos, None)]);
        assert_eq!(listed(&outline), [("eos", 1)]);
        let stored = serde_json::to_string(&outline.roles).unwrap();
        assert_eq!(stored, r#"{"eos":1}"#);
    }
}
