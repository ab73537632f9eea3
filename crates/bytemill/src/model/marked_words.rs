//! Words of SentencePiece: a text is cut before every mark of a space, and a word is a token or unknown. Unknown words side by side are one
//! token, or the bytes of all.

use std::sync::Arc;

use super::PieceSpan;
use super::byte_tokens::ByteTokens;
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
    /// Where they stand in for what is unknown.
    fallback: Option<ByteTokens>,
}

impl MarkedWords {
    pub fn new(vocab: Arc<Vocab>, outline: &Outline) -> Self {
        let fallback = ByteTokens::of(&vocab, &outline.symbols);
        let controls = outline.added.iter().map(|token| token.id).collect();
        MarkedWords { unk: outline.unk, controls, fallback, vocab }
    }

    /// Appends the ids of a text; `place` is told the place of each.
    pub fn segment(&self, text: &str, ids: &mut Vec<TokenId>, mut place: impl FnMut(PieceSpan)) {
        let mut give = |id: Option<TokenId>, span: Span| {
            ids.extend(id);
            place(PieceSpan::Inside(span));
        };
        // Where unknown words begin that no token was given for yet.
        let mut unknown = None;
        let mut start = 0;
        let marks = text.match_indices(MARK).map(|(at, _)| at);
        for end in marks.chain([text.len()]).filter(|&end| end > 0) {
            let word = &text[start..end];
            match (self.known(word), &self.fallback) {
                (Some(id), _) => {
                    unknown.take().into_iter().for_each(|from| give(self.unk, Span::new(from, start)));
                    give(Some(id), Span::new(start, end));
                }
                (None, None) => unknown = unknown.or(Some(start)),
                (None, Some(tokens)) => tokens.each(word.as_bytes(), Span::new(start, end), self.unk, &mut give),
            }
            start = end;
        }
        unknown.into_iter().for_each(|from| give(self.unk, Span::new(from, text.len())));
    }

    fn known(&self, word: &str) -> Option<TokenId> {
        self.vocab.id(word.as_bytes()).filter(|id| Some(*id) != self.unk && !self.controls.contains(id))
    }
}
