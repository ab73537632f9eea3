//! The rule of tiktoken: any two neighbours whose bytes together are a token merge, that with the lowest rank first.
//!
//! A token can be split into two tokens in many ways, five on average, and a trainer made it in one. Where every token, merged by what makes
//! the tokens before it, comes down to two symbols, these two are the only ones that are ever merged to it, in any text
//! (docs/algorithms/bpe.md has the proof). Then one pair for each token is all there is to know: a fifth of the memory, and a list of
//! merges as other formats have it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::heap::Heap;
use super::merge;
use crate::definition::{Definition, Merging, Symbols};
use crate::error::Result;
use crate::specials::AddedToken;
use crate::vocab::merges::{Growing, Merges, MergesView};
use crate::vocab::{TokenId, Vocab};

/// Every two tokens that merge, with the id of what they make for a rank.
pub(crate) fn of_concatenations(vocab: &Vocab) -> Result<Merges> {
    match as_trained(vocab)? {
        Some(merges) => Ok(merges),
        None => all(vocab),
    }
}

/// One pair for each token, unless one does not come down to two.
fn as_trained(vocab: &Vocab) -> Result<Option<Merges>> {
    let mut merges = Growing::with_room(vocab.len(), vocab.len(), (0..vocab.len() as TokenId).collect())?;
    let mut bytes = Bytes::new(vocab);
    for (id, token) in vocab.tokens().filter(|(_, token)| token.len() > 1) {
        let &[left, right] = bytes.merge(merges.view(), token) else { return Ok(None) };
        merges.add(left, right, id);
    }
    Ok(Some(merges.finish()))
}

/// Every way to split every token.
pub(super) fn all(vocab: &Vocab) -> Result<Merges> {
    let view = vocab.view();
    let mut pairs = Vec::new();
    for (id, token) in vocab.tokens() {
        let splits = (1..token.len()).map(|at| token.split_at(at));
        pairs.extend(splits.filter_map(|(left, right)| Some((view.id(left)?, view.id(right)?, id))));
    }
    Merges::new(&pairs, (0..vocab.len() as TokenId).collect())
}

/// The tokens for which the rule of tiktoken gives what this tokenizer's merges give, if it does.
pub(crate) fn ranked(definition: &Definition) -> Result<Option<Cow<'_, Vocab>>> {
    let Definition { outline, vocab, merges, .. } = definition;
    match (outline.merging, merges) {
        (Merging::Concatenations, _) => Ok(Some(Cow::Borrowed(vocab))),
        (Merging::Pairs, Some(merges)) if outline.symbols == Symbols::default() => {
            let vocab = without_specials(definition)?;
            let has_all_bytes = (0..=255u8).all(|byte| vocab.id(&[byte]).is_some());
            let as_trained = as_trained(&vocab)?.filter(|_| has_all_bytes);
            Ok(as_trained.filter(|as_trained| as_trained.pairs() == merges.pairs()).map(|_| vocab))
        }
        (Merging::Pairs | Merging::Scores, _) => Ok(None),
    }
}

/// Other formats have special tokens among the others as well. Where pieces are not looked up, none becomes one.
fn without_specials(definition: &Definition) -> Result<Cow<'_, Vocab>> {
    let Definition { outline, vocab, .. } = definition;
    let is_here = |special: &&AddedToken| vocab.token(special.id) == Some(special.content.as_bytes());
    let specials: HashSet<TokenId> = outline.added.iter().filter(is_here).map(|special| special.id).collect();
    if specials.is_empty() || outline.whole_pieces {
        return Ok(Cow::Borrowed(vocab));
    }
    let kept = (0..vocab.len() as TokenId).map(|id| vocab.token(id).filter(|_| !specials.contains(&id)));
    Vocab::new(kept).map(Cow::Owned)
}

/// Whether merging the bytes of every token gives it, so that it makes no difference whether a piece that is a token is looked up.
pub(crate) fn make_every_token(vocab: &Vocab, merges: &Merges) -> bool {
    let mut bytes = Bytes::new(vocab);
    vocab.tokens().all(|(id, token)| token.is_empty() || *bytes.merge(merges.view(), token) == [id])
}

/// Merges tokens from their bytes.
struct Bytes {
    ids: [Option<TokenId>; 256],
    symbols: Vec<TokenId>,
    heap: Heap,
}

impl Bytes {
    fn new(vocab: &Vocab) -> Self {
        let ids = std::array::from_fn(|byte| vocab.id(&[byte as u8]));
        Bytes { ids, symbols: Vec::new(), heap: Heap::default() }
    }

    /// What a token becomes; nothing if one of its bytes is no token.
    fn merge(&mut self, merges: MergesView, token: &[u8]) -> &[TokenId] {
        self.symbols.clear();
        self.symbols.extend(token.iter().filter_map(|&byte| self.ids[usize::from(byte)]));
        if self.symbols.len() < token.len() {
            return &[];
        }
        merge(merges, &mut self.symbols, &mut self.heap);
        &self.symbols
    }
}
