//! Pieces of SentencePiece models: their types and scores, tokens with their places, texts of pieces.

use std::sync::Arc;

use bytemill::encode::call::Call;
use bytemill::encode::placed::{PlacedRow, PlacedText, UnknownPieces};
use bytemill::encode::segmentations::Draw;
use bytemill::machine::{guarded, room_for};
use bytemill::text::Span;
use bytemill::{Error, TokenId, format};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use super::Tokenizer;
use crate::Handle;
use crate::error::Raise;
use crate::ids::with_ids;
use crate::keywords::Keywords;
use crate::text::{Text, choice};

pub(super) type PiecePlaces = Vec<(usize, usize)>;

/// Ids, their places in the normalized text and in the original, in bytes, and the score.
type PieceRow = (Vec<TokenId>, PiecePlaces, PiecePlaces, f64);

fn row(PlacedRow { ids, normalized, original, score }: PlacedRow) -> PieceRow {
    let places = |spans: Vec<Span>| spans.into_iter().map(|span| (span.start, span.end)).collect();
    (ids, places(normalized), places(original), score)
}

fn placed(py: Python, PlacedText { text, ends }: PlacedText) -> (Bound<PyBytes>, Vec<usize>) {
    (PyBytes::new(py, &text), ends)
}

#[pymethods]
impl Tokenizer {
    /// The normalized text, and for each of its bytes the position in the original text where its source begins. One more position
    /// stands for the end.
    fn _normalized<'py>(&self, py: Python<'py>, text: &Bound<PyAny>) -> PyResult<(Bound<'py, PyString>, Vec<usize>)> {
        let text = Text::new(text)?;
        let text = text.as_str()?;
        let normalized = py.detach(|| guarded(|| self.tokenizer.normalized(text))).raise(py)?;
        let length = normalized.text().len();
        let end = if length == 0 { 0 } else { normalized.original(Span::new(0, length)).end };
        let mut places = room_for(length + 1).raise(py)?;
        places.extend((0..length).map(|at| normalized.origin(at)).chain([end]));
        Ok((PyString::new(py, normalized.text()), places))
    }

    #[pyo3(
        signature = (text, **keywords),
        text_signature = "($self, text, *, dropout=None, alpha=None, nbest_size=None, seed=0)"
    )]
    fn _encode_placed(&self, py: Python, text: &Bound<PyAny>, keywords: Option<&Bound<PyDict>>) -> PyResult<PieceRow> {
        let keywords = Keywords::new(py, "Tokenizer._encode_placed", keywords);
        let sampling = keywords.sampling(&self.tokenizer)?.map(|sampling| (sampling, 0));
        keywords.finish()?;
        let found = self.on_text(py, text, None, |text, choice, scratch| {
            self.tokenizer.encode_placed(text, Call { sampling, ..Call::from(choice) }, scratch)
        })?;
        Ok(row(found))
    }

    /// The ids of a text, and how each piece that is unknown is written, by its number.
    #[pyo3(
        signature = (text, **keywords),
        text_signature = "($self, text, *, dropout=None, alpha=None, nbest_size=None, seed=0)"
    )]
    fn _encode_unknown(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        keywords: Option<&Bound<PyDict>>,
    ) -> PyResult<(Vec<TokenId>, UnknownPieces)> {
        let keywords = Keywords::new(py, "Tokenizer._encode_unknown", keywords);
        let sampling = keywords.sampling(&self.tokenizer)?.map(|sampling| (sampling, 0));
        keywords.finish()?;
        self.on_text(py, text, None, |text, choice, scratch| {
            self.tokenizer.encode_unknown(text, Call { sampling, ..Call::from(choice) }, scratch)
        })
    }

    /// The best segmentations, or with `alpha` random ones.
    fn _draw_placed(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        n: usize,
        sampling: Option<(f64, u64, bool, bool)>,
    ) -> PyResult<Vec<PieceRow>> {
        let draw = match sampling {
            None => Draw::Best { n },
            Some((alpha, seed, true, _)) => Draw::Sample { n, alpha, seed },
            Some((alpha, seed, false, best)) => Draw::Distinct { n, alpha, seed, best },
        };
        let choice = choice(self.tokenizer.specials(), None)?;
        let text = Text::new(text)?;
        let text = text.as_str()?;
        let draw = || self.tokenizer.pool().with(|scratch| self.tokenizer.draw_placed(text, &choice, draw, scratch));
        let rows = py.detach(|| guarded(draw)).raise(py)?;
        Ok(rows.into_iter().map(row).collect())
    }

    fn _decode_placed<'py>(&self, py: Python<'py>, ids: &Bound<PyAny>) -> PyResult<(Bound<'py, PyBytes>, Vec<usize>)> {
        with_ids(ids, |ids| Ok(placed(py, guarded(|| self.tokenizer.decode_placed(&ids)).raise(py)?)))
    }

    fn _decode_pieces<'py>(
        &self,
        py: Python<'py>,
        pieces: &Bound<'py, PyList>,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<usize>)> {
        let kept = pieces.iter().map(|piece| Ok(piece.cast_into::<PyBytes>()?)).collect::<PyResult<Vec<_>>>()?;
        let pieces: Vec<&[u8]> = kept.iter().map(|piece| piece.as_bytes()).collect();
        Ok(placed(py, guarded(|| self.tokenizer.decode_pieces(&pieces)).raise(py)?))
    }

    /// The same model, in which a text is left alone by normalization.
    fn _keeping(&self, py: Python, text: &str) -> PyResult<Handle> {
        let kept = || bytemill::Tokenizer::new(self.tokenizer.definition().keeping(text)?);
        Ok(Handle(Arc::new(guarded(kept).raise(py)?)))
    }

    /// The type of each piece, and its score.
    fn _types_and_scores(&self, py: Python) -> PyResult<Vec<(i32, f64)>> {
        let known = format::types_and_scores(&self.tokenizer);
        known.ok_or_else(|| Error::Spec("only the pieces of SentencePiece models have types".into())).raise(py)
    }
}
