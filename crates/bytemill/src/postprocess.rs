//! Postprocess: the template that a model wants around its input.

use serde::{Deserialize, Serialize};

use crate::vocab::TokenId;

/// What surrounds one text, and what surrounds a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    pub single: Vec<Slot>,
    pub pair: Vec<Slot>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Slot {
    /// A special token, which may stand for several ids, each shown under a name.
    Special { token: String, ids: Vec<TokenId>, names: Vec<String>, type_id: u32 },
    /// The text, or the second text of a pair.
    Text { second: bool, type_id: u32 },
}

impl Slot {
    /// A token that is one id, shown as itself.
    pub fn special(token: String, id: TokenId, type_id: u32) -> Self {
        Slot::Special { ids: vec![id], names: vec![token.clone()], token, type_id }
    }
}

impl Template {
    /// No special tokens: the texts one after the other.
    pub fn bare() -> Self {
        Template {
            single: vec![Slot::Text { second: false, type_id: 0 }],
            pair: vec![Slot::Text { second: false, type_id: 0 }, Slot::Text { second: true, type_id: 1 }],
        }
    }

    /// A token before every text and a token behind it, each where it is wanted.
    pub fn around(bos: Option<(String, TokenId)>, eos: Option<(String, TokenId)>) -> Self {
        let slots = |second: bool| {
            let type_id = u32::from(second);
            let special = |inserted: &Option<(String, TokenId)>| {
                let (token, id) = inserted.clone()?;
                Some(Slot::special(token, id, type_id))
            };
            let text = Some(Slot::Text { second, type_id });
            [special(&bos), text, special(&eos)].into_iter().flatten().collect::<Vec<_>>()
        };
        Template { single: slots(false), pair: [slots(false), slots(true)].concat() }
    }

    pub fn slots(&self, pair: bool) -> &[Slot] {
        if pair { &self.pair } else { &self.single }
    }
}
