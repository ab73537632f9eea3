//! Numbering: special tokens at the ids that the user has chosen. A training gives ids in its own order; afterwards the chosen tokens move
//! to their places, and all others keep their order on the ids that are left.

use std::collections::{BTreeMap, HashSet};

use super::Trained;
use crate::definition::{Definition, Merging, Outline};
use crate::error::{Error, Result};
use crate::model::bpe::concatenations::of_concatenations;
use crate::postprocess::Slot;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

/// The chosen ids: unlike one another, and without a gap to the rest of the vocabulary.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbering {
    chosen: Vec<(String, TokenId)>,
    /// How many of them lie after the ids that `vocab_size` counts; None where there is no such number.
    beyond: Option<usize>,
}

impl Numbering {
    pub(super) fn new(chosen: Vec<(String, TokenId)>, vocab_size: Option<usize>) -> Result<Self> {
        let mut by_id: BTreeMap<TokenId, &str> = BTreeMap::new();
        for (token, id) in &chosen {
            if let Some(other) = by_id.insert(*id, token) {
                return Err(Error::Spec(format!(
                    "special_tokens gives the id {id} to both {other:?} and {token:?}; give each token an id of its own"
                )));
            }
        }
        let Some(size) = vocab_size else { return Ok(Numbering { chosen, beyond: None }) };
        let beyond: Vec<(&TokenId, &&str)> = by_id.iter().filter(|&(&id, _)| id as usize >= size).collect();
        let gap = beyond.iter().zip(size..).find(|&(&(&id, _), expected)| id as usize != expected);
        if let Some(((id, token), expected)) = gap {
            let after = match beyond.len() {
                1 => format!("{size}, right after them"),
                count => format!("{size} to {}, right after them", size + count - 1),
            };
            return Err(Error::Spec(format!(
                "special_tokens gives {token:?} the id {id}, and the id {expected} before it would belong to no token; with \
                 vocab_size={size} the ids can be 0 to {}, which vocab_size counts, or {after}",
                size.saturating_sub(1)
            )));
        }
        let beyond = Some(beyond.len());
        Ok(Numbering { chosen, beyond })
    }

    /// The size to train to, so that `vocab_size` counts what it should.
    pub(super) fn size(&self, vocab_size: Option<usize>) -> Option<usize> {
        vocab_size.map(|size| size + self.beyond.unwrap_or_default())
    }

    pub(super) fn apply(&self, trained: &mut Trained) -> Result<()> {
        if self.chosen.is_empty() {
            return Ok(());
        }
        let new = self.ids(&trained.definition)?;
        trained.definition = renumbered(&trained.definition, &new)?;
        for merge in &mut trained.merges {
            [&mut merge.left, &mut merge.right, &mut merge.made].into_iter().for_each(|id| *id = new[*id as usize]);
        }
        Ok(())
    }

    /// The same of what has no merges.
    pub(super) fn applied(&self, definition: Definition) -> Result<Definition> {
        match self.chosen.is_empty() {
            true => Ok(definition),
            false => renumbered(&definition, &self.ids(&definition)?),
        }
    }

    /// The new id of every old one.
    fn ids(&self, definition: &Definition) -> Result<Vec<TokenId>> {
        let size = definition.size();
        let outline = &definition.outline;
        let mut new: Vec<Option<TokenId>> = vec![None; size];
        for (token, id) in &self.chosen {
            let added = outline.added.iter().find(|added| added.content == *token).map(|added| added.id);
            let unk = outline.unk.filter(|&unk| definition.token(unk) == Some(token.as_bytes()));
            let old = added.or(unk).ok_or_else(|| Error::Internal(format!("{token:?} is no special token")))?;
            // Where `vocab_size` has promised the id, the text was too small, and ids before it belong to no token. Every id of
            // SentencePiece has one.
            if *id as usize >= size && (self.beyond.is_none() || definition.scores.is_some()) {
                return Err(Error::Spec(format!(
                    "special_tokens gives {token:?} the id {id}, and the vocabulary has only the ids 0 to {}; choose one of these, or \
                     train on more text",
                    size.saturating_sub(1)
                )));
            }
            new[old as usize] = Some(*id);
        }
        let taken: HashSet<TokenId> = self.chosen.iter().map(|&(_, id)| id).collect();
        let mut free = (0..).filter(|id| !taken.contains(id));
        Ok(new.into_iter().map(|id| id.or_else(|| free.next()).unwrap_or_default()).collect())
    }
}

/// The tokenizer in which each id is the one that `new` has for it.
fn renumbered(definition: &Definition, new: &[TokenId]) -> Result<Definition> {
    let mut outline = definition.outline.clone();
    outline.renumber(|id| new.get(id as usize).copied().unwrap_or(id));
    let places = || definition.vocab.tokens().map(|(id, token)| (new[id as usize] as usize, id, token));
    let length = places().map(|(place, ..)| place + 1).max().unwrap_or(0);
    let mut tokens: Vec<Option<&[u8]>> = vec![None; length];
    places().for_each(|(place, _, token)| tokens[place] = Some(token));
    let vocab = Vocab::new(tokens)?;
    let scores = definition.scores.as_ref().map(|scores| {
        let mut moved = vec![0.0; length];
        places().for_each(|(place, id, _)| moved[place] = scores[id as usize]);
        moved.into()
    });
    let merges = match (&definition.merges, outline.merging) {
        (None, _) => None,
        (Some(_), Merging::Concatenations) => Some(of_concatenations(&vocab)?),
        (Some(merges), _) => {
            let pairs = merges.pairs().into_iter().map(|(left, right)| (new[left as usize], new[right as usize]));
            Some(Merges::of_pairs(&vocab, &pairs.collect::<Vec<_>>(), outline.symbols.prefix.as_bytes())?)
        }
    };
    Ok(Definition { outline, vocab: vocab.into(), merges: merges.map(Into::into), scores })
}

impl Outline {
    /// Gives every token that it speaks of another id.
    pub fn renumber(&mut self, new: impl Fn(TokenId) -> TokenId) {
        let move_id = |id: &mut TokenId| *id = new(*id);
        self.added.iter_mut().for_each(|token| move_id(&mut token.id));
        for slot in self.template.iter_mut().flat_map(|template| template.single.iter_mut().chain(&mut template.pair)) {
            if let Slot::Special { ids, .. } = slot {
                ids.iter_mut().for_each(move_id);
            }
        }
        self.unk.iter_mut().for_each(move_id);
        self.padding.iter_mut().for_each(|padding| move_id(&mut padding.id));
        self.roles.iter_mut().for_each(|roles| roles.renumber(&new));
        if let Some(pieces) = &mut self.sentencepiece {
            for ids in [&mut pieces.user_defined, &mut pieces.unused, &mut pieces.reserved] {
                ids.iter_mut().for_each(move_id);
            }
            // Looked up by halves.
            pieces.reserved.sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(chosen: &[(&str, TokenId)], vocab_size: Option<usize>) -> String {
        let chosen = chosen.iter().map(|&(token, id)| (token.to_string(), id)).collect();
        Numbering::new(chosen, vocab_size).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn gaps_and_clashes_are_refused() {
        assert_eq!(refused(&[("<a>", 0), ("<b>", 299), ("<c>", 300), ("<d>", 301)], Some(300)), "");
        assert_eq!(refused(&[("<a>", 1 << 20)], None), "");
        assert!(refused(&[("<a>", 7), ("<b>", 7)], Some(300)).contains("the id 7 to both \"<a>\" and \"<b>\""));
        let gap = refused(&[("<a>", 100257)], Some(300));
        assert!(gap.contains("\"<a>\" the id 100257, and the id 300 before it"), "{gap}");
        assert!(gap.contains("0 to 299, which vocab_size counts, or 300, right after them"), "{gap}");
        let gap = refused(&[("<a>", 302), ("<b>", 300)], Some(300));
        assert!(gap.contains("\"<a>\" the id 302, and the id 301 before it"), "{gap}");
        assert!(gap.contains("or 300 to 301, right after them"), "{gap}");
    }
}
