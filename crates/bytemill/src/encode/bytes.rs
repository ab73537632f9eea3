//! Any bytes → ids, by the rule of `tiktoken`: what is UTF-8 before the first byte that is not is split and encoded as text. Its last piece
//! and all that follows are merged as one piece, since nobody can say where that would be split.

use super::call::Call;
use super::scratch::Scratch;
use super::sink::Detailed;
use super::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::bpe::Bpe;
use crate::specials::{Choice, Policy};
use crate::vocab::TokenId;

pub(super) const NO_SPECIALS: Choice = Choice::Policy(Policy::None);

impl Tokenizer {
    pub fn encode_bytes(&self, bytes: &[u8], scratch: &mut Scratch) -> Result<Vec<TokenId>> {
        let Some(chunk) = bytes.utf8_chunks().next().filter(|chunk| !chunk.invalid().is_empty()) else {
            let mut ids = Vec::new();
            let text = std::str::from_utf8(bytes).map_err(|error| Error::Internal(error.to_string()))?;
            self.encode(text, &NO_SPECIALS, scratch, &mut ids)?;
            return Ok(ids);
        };
        let valid = chunk.valid();
        let not_text =
            || Error::NotUtf8 { what: "the text".into(), offset: valid.len() as u64, byte: bytes[valid.len()] };
        let model = self.byte_model().ok_or_else(not_text)?;
        self.refuse_unknown_byte(model, bytes)?;
        let Settled { mut ids, open } = self.settled(valid, (&NO_SPECIALS).into(), scratch)?;
        let rest = [&open[..], &bytes[valid.len()..]].concat();
        model.segment_bytes(&rest, &mut scratch.model.bpe, &mut ids);
        Ok(ids)
    }

    /// The ids of bytes that are one piece, however a text would be split.
    pub fn encode_piece(&self, bytes: &[u8], scratch: &mut Scratch) -> Result<Vec<TokenId>> {
        let mut ids = Vec::new();
        let model = self.byte_model().ok_or_else(|| {
            Error::Spec("only byte-pair encoding of bytes takes a piece of any bytes; encode the text instead".into())
        })?;
        self.refuse_unknown_byte(model, bytes)?;
        scratch.belong_to(self);
        model.segment_bytes(bytes, &mut scratch.model.bpe, &mut ids);
        Ok(ids)
    }

    /// The model, if pieces may be any bytes.
    pub(super) fn byte_model(&self) -> Option<&Bpe> {
        match self.model() {
            Model::Bpe(model) if self.definition().outline.normalizer.is_none() && model.takes_bytes() => Some(model),
            _ => None,
        }
    }

    fn refuse_unknown_byte(&self, model: &Bpe, bytes: &[u8]) -> Result<()> {
        match model.unknown_byte(bytes) {
            None => Ok(()),
            Some(at) => Err(Error::NotUtf8 { what: "the text".into(), offset: at as u64, byte: bytes[at] }),
        }
    }

    /// Encodes a text that goes on, so that its last piece may become another.
    pub(super) fn settled(&self, text: &str, call: Call, scratch: &mut Scratch) -> Result<Settled> {
        let mut found = Detailed::<false>::default();
        self.encode(text, call, scratch, &mut found)?;
        let Detailed { mut ids, places, surfaces, .. } = found;
        let is_special = surfaces.last().is_some_and(|(number, _)| number + 1 == ids.len());
        let last = places.last().map(|place| place.piece).filter(|_| !is_special);
        let mut kept = ids.len() - places.iter().rev().take_while(|place| Some(place.piece) == last).count();
        // A line break may yet be joined by more white space (`\s*[\r\n]+`), and so become a part of the last piece.
        if kept < ids.len() && self.is_blank(ids[kept]) {
            kept -= ids[..kept].iter().rev().take_while(|&&id| self.is_blank(id)).count();
        }
        let token = |&id: &TokenId| self.definition().vocab.token(id).unwrap_or_default();
        let open = ids.split_off(kept).iter().flat_map(token).copied().collect();
        Ok(Settled { ids, open })
    }

    fn is_blank(&self, id: TokenId) -> bool {
        let token = self.definition().vocab.token(id);
        token.is_some_and(|token| token.iter().all(|byte| matches!(byte, b' ' | b'\n' | b'\t')))
    }
}

/// The ids of a text up to its last piece, and the bytes of that.
pub(super) struct Settled {
    pub ids: Vec<TokenId>,
    pub open: Vec<u8>,
}
