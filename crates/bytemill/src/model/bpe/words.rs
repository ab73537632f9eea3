//! Known words: what short tokens become as pieces, in a table that new pieces are looked up in before they are merged.

use super::derivations::Derivations;
use super::spaced::spaced;
use super::{Bpe, MergeWork};
use crate::definition::Outline;
use crate::model::memo::KnownWords;
use crate::normalize::Normalizer;
use crate::text::short_key as key;
use crate::vocab::TokenId;

/// Merging a piece takes as long as making the words of two tokens. The table is made when a quarter as many pieces were new as there are tokens:
/// a program with few texts never needs it, and one with many loses little by waiting.
const TOKENS_FOR_A_NEW_PIECE: usize = 4;

/// Tokens whose places in the memory are asked for at a time.
const TOGETHER: usize = 32;

impl Bpe {
    /// What a worker that met this many new pieces looks them up in: it is made once they are many, and empty until then.
    #[inline]
    pub(super) fn words_after(&self, new_pieces: usize) -> &KnownWords {
        match self.words.get() {
            None if new_pieces >= self.vocab.len() / TOKENS_FOR_A_NEW_PIECE => {
                self.words.get_or_init(|| self.make_words(Vec::new()))
            }
            made => made.unwrap_or(&self.no_words),
        }
    }

    /// The same, without making it.
    pub(super) fn words(&self) -> &KnownWords {
        self.words.get().unwrap_or(&self.no_words)
    }

    /// Every short token's own text, valued by running the algorithm on it: what merges cannot reach is not a token of it. With it, texts of
    /// tokens with marks as they stand in a text.
    pub(super) fn make_words(&self, with_spaces: Vec<(TokenId, Vec<u8>)>) -> KnownWords {
        // Parts of a piece are no tokens for being one, where whole pieces are.
        if self.whole_pieces && self.cuts.is_some() {
            return KnownWords::with_room(0);
        }
        let mut words = KnownWords::with_room(self.short_tokens().count() + with_spaces.len());
        let (mut work, mut ids) = (MergeWork::default(), Vec::new());
        let arena = self.vocab.view().arena;
        let derivations = self.derivations();
        let whole = self.whole_pieces && self.units.is_none();
        let is_self = |id| {
            whole || self.merges.is_self(id) || derivations.as_ref().is_some_and(|derivations| derivations.has(id))
        };
        let (mut short, mut group) = (self.short_tokens(), Vec::with_capacity(TOGETHER));
        loop {
            // Each has its place far from the others; asked for together, they come in the time of one.
            group.extend(short.by_ref().take(TOGETHER).map(|(id, text)| {
                let hashed = key::key(arena, text.start, text.len());
                words.prefetch_place(&hashed);
                (hashed, id, text)
            }));
            if group.is_empty() {
                break;
            }
            for (hashed, id, text) in group.drain(..) {
                ids.clear();
                match is_self(id) {
                    true => ids.push(id),
                    false => self.compute(&arena[text], &mut work, &mut ids),
                }
                words.add(&hashed, &ids);
            }
        }
        for (id, text) in with_spaces {
            let token = self.vocab.token(id).unwrap_or_default();
            ids.clear();
            match words.get(token) {
                Some(known) => known.append_wide(&mut ids),
                None => self.compute(token, &mut work, &mut ids),
            }
            words.add(&key::key(&text, 0, text.len()), &ids);
        }
        words
    }

    /// How tokens are made, where no file has said of which merging their bytes gives them.
    fn derivations(&self) -> Option<Derivations> {
        let from_bytes = self.units.is_none() && !self.whole_pieces;
        (from_bytes && self.is_list && !self.merges.know_selves()).then(|| Derivations::new(&self.vocab, &self.merges))
    }

    /// The tokens with marks, as they stand in a text, if the stages leave that as it is.
    pub(super) fn short_spaced_tokens(&self, outline: &Outline) -> impl Iterator<Item = (TokenId, Vec<u8>)> {
        let keeps = |text: &str| match &outline.normalizer {
            Some(Normalizer::SentencePiece(stages)) => stages.keeps(text),
            _ => true,
        };
        let tokens = self.spaced.iter().flat_map(|_| self.vocab.tokens());
        let texts = tokens.filter_map(|(id, token)| Some((id, spaced(token)?)));
        let short = texts.filter(move |(_, text)| text.len() <= key::MOST_BYTES && keeps(text));
        short.map(|(id, text)| (id, text.into_bytes()))
    }
}
