//! Byte-pair encoding: a piece starts as its bytes, and the pair of the lowest rank becomes one token, leftmost first, until no pair has a
//! rank. `naive` says it in a dozen lines; `linear` and `heap` do it for short and long pieces; `table` remembers.

mod heap;
mod linear;
pub mod merges;
#[cfg(test)]
mod naive;
mod table;

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::span::Span;
use crate::vocab::{TokenId, Vocab};

use heap::Heap;
use merges::{Merges, View};
use table::{Hashed, Memo, Words};

/// A model over bytes: every byte is a token, so that every text has ids.
#[derive(Debug)]
pub struct Bpe {
    vocab: Arc<Vocab>,
    merges: Arc<Merges>,
    bytes: [TokenId; 256],
    /// A piece that is a token is that token, even where the merges would not make it.
    whole_pieces: bool,
    words: Words,
}

/// What a worker keeps for this model.
#[derive(Debug, Default)]
pub struct BpeScratch {
    memo: Memo,
    heap: Heap,
    symbols: Vec<TokenId>,
}

impl BpeScratch {
    pub fn clear(&mut self) {
        self.memo.clear();
    }
}

impl Bpe {
    pub fn new(vocab: Arc<Vocab>, merges: Arc<Merges>, whole_pieces: bool) -> Result<Self> {
        let mut bytes = [0; 256];
        for (byte, id) in (0..=255u8).zip(&mut bytes) {
            match vocab.id(&[byte]) {
                Some(known) => *id = known,
                // These are in no UTF-8, and some vocabularies do without them.
                None if matches!(byte, 0xC0 | 0xC1 | 0xF5..) => {}
                None => {
                    return Err(Error::Spec(format!(
                        "the vocabulary has no token for the byte 0x{byte:02x}, as byte-level BPE needs"
                    )));
                }
            }
        }
        let mut bpe = Bpe { vocab, merges, bytes, whole_pieces, words: Words::new(0, std::iter::empty()) };
        bpe.words = bpe.words();
        Ok(bpe)
    }

    /// Every short token's own text, valued by running the algorithm on it: what merges cannot reach is not a token of it.
    fn words(&self) -> Words {
        let mut scratch = BpeScratch::default();
        let mut answer = |token: &[u8]| {
            let mut ids = Vec::new();
            self.compute(token, &mut scratch, &mut ids);
            ids
        };
        let short = || {
            let tokens = self.vocab.tokens().map(|(_, token)| token);
            tokens.filter(|token| (1..=table::MOST_BYTES).contains(&token.len()))
        };
        Words::new(short().count(), short().map(|token| (token, answer(token))))
    }

    /// Appends the ids of pieces of a text.
    ///
    /// In groups: first every key is hashed and its place in the memo asked for, then every one is looked up; by then the memory has
    /// answered.
    #[inline]
    pub fn segment(&self, text: &[u8], pieces: &[Span], scratch: &mut BpeScratch, ids: &mut Vec<TokenId>) {
        const GROUP: usize = 16;
        for group in pieces.chunks(GROUP) {
            let mut keys = [None; GROUP];
            for (key, span) in keys.iter_mut().zip(group) {
                *key = table::key(text, span.start, span.end - span.start);
                if let Some(key) = key {
                    scratch.memo.prefetch(*key);
                }
            }
            for (key, span) in keys.iter().zip(group) {
                match key.as_ref().map(|key| (key, scratch.memo.get(key))) {
                    // Nearly every piece is one token or two.
                    Some((_, Some(&[one]))) => ids.push(one),
                    Some((_, Some(&[one, two]))) => ids.extend([one, two]),
                    Some((_, Some(known))) => ids.extend_from_slice(known),
                    Some((key, None)) => self.segment_new(*key, &text[span.range()], scratch, ids),
                    None => self.compute(&text[span.range()], scratch, ids),
                }
            }
        }
    }

    #[cold]
    fn segment_new(&self, key: Hashed, piece: &[u8], scratch: &mut BpeScratch, ids: &mut Vec<TokenId>) {
        let from = ids.len();
        match self.words.get(&key) {
            Some(known) => ids.extend_from_slice(known),
            None => self.compute(piece, scratch, ids),
        }
        scratch.memo.insert(&key, &ids[from..]);
    }

    /// The algorithm, without remembering.
    fn compute(&self, piece: &[u8], scratch: &mut BpeScratch, ids: &mut Vec<TokenId>) {
        if self.whole_pieces
            && let Some(id) = self.vocab.id(piece)
        {
            return ids.push(id);
        }
        let merges: View = self.merges.view();
        if piece.len() <= linear::MOST {
            let mut symbols = [0; linear::MOST];
            for (symbol, &byte) in symbols.iter_mut().zip(piece) {
                *symbol = self.bytes[usize::from(byte)];
            }
            let left = linear::merge(merges, &mut symbols, piece.len());
            ids.extend_from_slice(&symbols[..left]);
        } else {
            let BpeScratch { heap, symbols, .. } = scratch;
            symbols.clear();
            symbols.extend(piece.iter().map(|&byte| self.bytes[usize::from(byte)]));
            heap.merge(merges, symbols);
            ids.extend_from_slice(symbols);
        }
    }

    pub fn token_width(&self, id: TokenId) -> usize {
        self.vocab.token(id).map_or(0, <[u8]>::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All bytes, then random merges of what is there already.
    fn model(choices: &[(u16, u16)], whole_pieces: bool) -> Bpe {
        let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        let mut pairs = Vec::new();
        // The bytes that the texts below consist of, and what they merge into.
        let mut usable: Vec<TokenId> = vec![97, 98, 99];
        for &(left, right) in choices {
            let (left, right) = (usable[left as usize % usable.len()], usable[right as usize % usable.len()]);
            let made = [&tokens[left as usize][..], &tokens[right as usize][..]].concat();
            if !tokens.contains(&made) {
                usable.push(tokens.len() as TokenId);
                tokens.push(made);
            }
            pairs.push((left, right));
        }
        let vocab = Vocab::new(tokens.iter().map(Some)).unwrap();
        let merges = Merges::of_pairs(&vocab, &pairs).unwrap();
        Bpe::new(vocab.into(), merges.into(), whole_pieces).unwrap()
    }

    proptest! {
        #[test]
        fn every_way_gives_what_the_naive_one_gives(
            choices in proptest::collection::vec(any::<(u16, u16)>(), 0..30),
            text in "[abc]{0,80}",
            whole_pieces in any::<bool>(),
        ) {
            let bpe = model(&choices, whole_pieces);
            let mut expected: Vec<TokenId> = text.bytes().map(|byte| bpe.bytes[usize::from(byte)]).collect();
            naive::merge(bpe.merges.view(), &mut expected);
            if let Some(id) = bpe.vocab.id(text.as_bytes()).filter(|_| whole_pieces) {
                expected = vec![id];
            }
            let mut scratch = BpeScratch::default();
            for _ in 0..2 {
                let mut ids = Vec::new();
                bpe.segment(text.as_bytes(), &[Span::new(0, text.len())], &mut scratch, &mut ids);
                prop_assert_eq!(&ids, &expected);
            }
            let mut symbols: Vec<TokenId> = text.bytes().map(|byte| bpe.bytes[usize::from(byte)]).collect();
            if !whole_pieces {
                Heap::default().merge(bpe.merges.view(), &mut symbols);
                prop_assert_eq!(&symbols, &expected);
            }
        }
    }
}
