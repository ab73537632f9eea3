//! Words of SentencePiece: a text is cut before every mark of a space, and a word is a token or unknown. Unknown words side by side are one
//! token, or the bytes of all.

use std::sync::Arc;

use super::PieceSpan;
use crate::definition::Outline;
use crate::normalize::MARK;
use crate::text::span::Span;
use crate::vocab::{TokenId, Vocab};

#[derive(Debug)]
pub struct MarkedWords {
    vocab: Arc<Vocab>,
    unk: Option<TokenId>,
    /// Control symbols, which no text becomes.
    controls: Vec<TokenId>,
    /// The tokens `<0x00>` to `<0xFF>`, where they stand in for what is unknown.
    fallback: Option<Box<[Option<TokenId>; 256]>>,
}

impl MarkedWords {
    pub fn new(vocab: Arc<Vocab>, outline: &Outline) -> Self {
        let byte_token = |byte: usize| vocab.id(format!("<0x{byte:02X}>").as_bytes());
        let fallback = outline.symbols.byte_fallback.then(|| Box::new(std::array::from_fn(byte_token)));
        let controls = outline.added.iter().map(|token| token.id).collect();
        MarkedWords { unk: outline.unk, controls, fallback, vocab }
    }

    /// Appends the ids of a text; `place` is told the place of each.
    pub fn segment(&self, text: &str, ids: &mut Vec<TokenId>, mut place: impl FnMut(PieceSpan)) {
        let mut give = |id: Option<TokenId>, start: usize, end: usize| {
            ids.extend(id);
            place(PieceSpan::Inside(Span::new(start, end)));
        };
        // Where unknown words begin that no token was given for yet.
        let mut unknown = None;
        let mut start = 0;
        let marks = text.match_indices(MARK).map(|(at, _)| at);
        for end in marks.chain([text.len()]).filter(|&end| end > 0) {
            let word = &text[start..end];
            match (self.known(word), &self.fallback) {
                (Some(id), _) => {
                    unknown.take().into_iter().for_each(|from| give(self.unk, from, start));
                    give(Some(id), start, end);
                }
                (None, None) => unknown = unknown.or(Some(start)),
                (None, Some(tokens)) => {
                    for (left, byte) in (0..word.len()).rev().zip(word.bytes()) {
                        // The last stands for the word, the others for nothing.
                        give(tokens[usize::from(byte)].or(self.unk), start, if left == 0 { end } else { start });
                    }
                }
            }
            start = end;
        }
        unknown.into_iter().for_each(|from| give(self.unk, from, text.len()));
    }

    fn known(&self, word: &str) -> Option<TokenId> {
        self.vocab.id(word.as_bytes()).filter(|id| Some(*id) != self.unk && !self.controls.contains(id))
    }
}
