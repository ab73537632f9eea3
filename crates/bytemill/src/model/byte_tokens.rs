//! ByteTokens: `<0x00>` to `<0xFF>`, which stand in for text that is no token. Two libraries have such tokens. `tokenizers` takes them where
//! it has one for every byte of the text; SentencePiece takes byte by byte.

use crate::definition::Symbols;
use crate::text::span::Span;
use crate::vocab::{TokenId, Vocab};

#[derive(Debug)]
pub(crate) struct ByteTokens(Box<[Option<TokenId>; 256]>);

impl ByteTokens {
    /// Those of a vocabulary, where they are to stand in.
    pub(crate) fn of(vocab: &Vocab, symbols: &Symbols) -> Option<Self> {
        let token = |byte: usize| vocab.id(format!("<0x{byte:02X}>").as_bytes());
        symbols.byte_fallback.then(|| ByteTokens(Box::new(std::array::from_fn(token))))
    }

    /// Those that there are, by their bytes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, TokenId)> {
        (0..=255).zip(self.0.iter()).filter_map(|(byte, id)| Some((byte, (*id)?)))
    }

    /// The tokens of all bytes, if each has one.
    pub(crate) fn complete(&self) -> Option<Box<[TokenId; 256]>> {
        let is_complete = self.0.iter().all(Option::is_some);
        is_complete.then(|| Box::new(self.0.map(Option::unwrap_or_default)))
    }

    /// The rule of `tokenizers`: the tokens of all bytes of a text, or none.
    #[inline]
    pub(crate) fn all<'a>(&'a self, text: &'a [u8]) -> Option<impl ExactSizeIterator<Item = TokenId> + 'a> {
        let token = |&byte: &u8| self.0[usize::from(byte)];
        text.iter()
            .all(|byte| token(byte).is_some())
            .then(|| text.iter().map(move |byte| token(byte).unwrap_or_default()))
    }

    /// The rule of SentencePiece: each byte has its token, or is unknown. The last one stands for the text, the others for nothing.
    #[inline]
    pub(crate) fn each(
        &self,
        text: &[u8],
        place: Span,
        unk: Option<TokenId>,
        mut give: impl FnMut(Option<TokenId>, Span),
    ) {
        let Span { start, end } = place;
        for (left, &byte) in (0..text.len()).rev().zip(text) {
            give(self.0[usize::from(byte)].or(unk), Span::new(start, if left == 0 { end } else { start }));
        }
    }
}
