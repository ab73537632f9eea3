//! Tokens of SentencePiece with what each of them stands for: in the normalized text, which says how unknown text is written, and in the
//! original. Texts of tokens, and where each token has its part of it.

use super::call::Call;
use super::scratch::Scratch;
use super::segmentations::{Draw, Segmentations};
use super::sink::{Detailed, TokenPlace};
use super::tokenizer::Tokenizer;
use crate::decode::{Decoder, PieceText, SentencePieces};
use crate::error::{Error, Result};
use crate::machine::memory::ask;
use crate::normalize::Normalized;
use crate::specials::Choice;
use crate::text::span::Span;
use crate::vocab::TokenId;

/// The tokens of a text, or one of its segmentations.
#[derive(Debug, Default)]
pub struct PlacedRow {
    pub ids: Vec<TokenId>,
    /// In the normalized text.
    pub normalized: Vec<Span>,
    pub original: Vec<Span>,
    /// The score of a segmentation.
    pub score: f64,
}

/// The pieces of a row that are unknown, by their numbers, and how each is written.
pub type UnknownPieces = Vec<(usize, String)>;

/// Tokens as a text: its bytes, and where the part of each token ends.
#[derive(Debug, Default)]
pub struct PlacedText {
    pub text: Vec<u8>,
    pub ends: Vec<usize>,
}

impl Tokenizer {
    /// A text as the model sees it, with the way back to the original.
    pub fn normalized<'t>(&self, text: &'t str) -> Result<Normalized<'t>> {
        // The text, where each of its bytes comes from, and room to grow.
        ask(text.len().saturating_mul(12))?;
        Ok(match self.pipeline().normalizer() {
            Some(normalizer) => normalizer.normalize(text, true),
            None => Normalized::new(text, true),
        })
    }

    pub fn encode_placed<'c>(&self, text: &str, call: impl Into<Call<'c>>, scratch: &mut Scratch) -> Result<PlacedRow> {
        self.pieces_as_text()?;
        let call = call.into();
        let (mut inside, mut outside) = (Detailed::<false>::default(), Detailed::<true>::default());
        self.encode(text, call, scratch, &mut inside)?;
        self.encode(text, call, scratch, &mut outside)?;
        let spans = |places: &[TokenPlace]| places.iter().map(|place| place.span).collect();
        let (normalized, original) = (spans(&inside.places), spans(&outside.places));
        Ok(PlacedRow { ids: inside.ids, normalized, original, score: 0.0 })
    }

    /// The ids of a text, and how each piece that is unknown is written in the normalized text, by its number.
    pub fn encode_unknown<'c>(
        &self,
        text: &str,
        call: impl Into<Call<'c>>,
        scratch: &mut Scratch,
    ) -> Result<(Vec<TokenId>, UnknownPieces)> {
        self.pieces_as_text()?;
        let mut found = Detailed::<false>::default();
        self.encode(text, call, scratch, &mut found)?;
        let unk = self.definition().outline.unk;
        let normalized = self.pipeline().normalizer().map(|normalizer| normalizer.normalize(text, false));
        let normalized = normalized.as_ref().map_or(text, |normalized| normalized.text());
        let tokens = found.ids.iter().zip(&found.places).enumerate();
        let unknown = tokens.filter(|&(_, (&id, _))| Some(id) == unk);
        let written = |place: &TokenPlace| normalized.get(place.span.range()).unwrap_or_default().to_string();
        let unknown = unknown.map(|(number, (_, place))| (number, written(place))).collect();
        Ok((found.ids, unknown))
    }

    /// Several of the segmentations of a text.
    pub fn draw_placed(
        &self,
        text: &str,
        choice: &Choice,
        draw: Draw,
        scratch: &mut Scratch,
    ) -> Result<Vec<PlacedRow>> {
        self.pieces_as_text()?;
        let all: Segmentations = self.segmentations(text, choice, scratch)?;
        all.placed(draw, &self.normalized(text)?)
    }

    /// How the tokens of SentencePiece become text. Others have no pieces that a text could be cut into.
    fn pieces_as_text(&self) -> Result<&SentencePieces> {
        let outline = &self.definition().outline;
        match &outline.decoder {
            Decoder::SentencePiece(how) if outline.sentencepiece.is_some() => Ok(how),
            _ => Err(Error::Spec(
                "pieces with their places are of SentencePiece models; call the tokenizer instead".into(),
            )),
        }
    }

    pub fn decode_placed(&self, ids: &[TokenId]) -> Result<PlacedText> {
        let how = self.pieces_as_text()?;
        let token = |&id: &TokenId| match self.specials().by_id(id) {
            Some(_) => Ok(PieceText::Hidden),
            None => self.definition().vocab.token(id).map(PieceText::Token).ok_or_else(|| self.unknown_id(id.into())),
        };
        let (text, ends) = how.placed(ids.iter().map(token).collect::<Result<Vec<_>>>()?);
        Ok(PlacedText { text, ends })
    }

    /// The same of pieces as they are written. What is no piece stands for itself.
    pub fn decode_pieces(&self, pieces: &[&[u8]]) -> Result<PlacedText> {
        let how = self.pieces_as_text()?;
        let (text, ends) = how.placed(pieces.iter().map(|&piece| match self.definition().vocab.id(piece) {
            Some(id) if self.specials().has_id(id) => PieceText::Hidden,
            Some(_) => PieceText::Token(piece),
            None => PieceText::Verbatim(piece),
        }));
        Ok(PlacedText { text, ends })
    }
}
