//! What can be done to an `Encoding`: each operation gives a new one, apart from the tokenizer.

use bytemill::format::stages;
use bytemill::postprocess::{Encoding as CoreEncoding, InputPlace, InputToken, Padding, Side, Template};
use bytemill::{Error, TokenId};
use pyo3::prelude::*;

use crate::encoding::Encoding;
use crate::error::Raise;

fn side(py: Python, name: &str) -> PyResult<Side> {
    match name {
        "left" => Ok(Side::Left),
        "right" => Ok(Side::Right),
        other => Err(Error::Spec(format!("side is \"left\" or \"right\", not {other:?}"))).raise(py),
    }
}

#[pymethods]
impl Encoding {
    /// The same apart from its tokenizer, with tokens as tokenizer.json writes them. `bare`: nobody has said of which text they are.
    #[pyo3(signature = (bare=false))]
    fn _written(&self, py: Python, bare: bool) -> PyResult<Encoding> {
        let mut encoding = self.named(true);
        if bare {
            encoding.sequences = Some(Vec::new());
        }
        Encoding::loose(py, encoding, self.has_offsets())
    }

    /// The first `length` ids, or the last ones with `side="left"`; the others in `overflowing`.
    #[pyo3(signature = (length, *, stride=0, side="right"))]
    fn truncated(&self, py: Python, length: usize, stride: usize, side: &str) -> PyResult<Encoding> {
        let side = self::side(py, side)?;
        let truncated = self.named(false).truncated(length, stride, side).raise(py)?;
        Encoding::loose(py, truncated, self.has_offsets())
    }

    /// At least `length` ids, with others at the end, or at the start with `side="left"`.
    #[pyo3(signature = (length, *, id=0, token="[PAD]", type_id=0, side="right"))]
    #[expect(clippy::too_many_arguments, reason = "the keywords of a Python method")]
    fn padded(
        &self,
        py: Python,
        length: usize,
        id: TokenId,
        token: &str,
        type_id: u32,
        side: &str,
    ) -> PyResult<Encoding> {
        let (side, token) = (self::side(py, side)?, token.to_string());
        let mut encoding = self.named(false);
        let padding = Padding { length: Some(length), multiple_of: None, side, id, type_id, token };
        padding.pad(&mut encoding, length).raise(py)?;
        Encoding::loose(py, encoding, self.has_offsets())
    }

    /// Encodings one after the other. With `growing_offsets`, offsets go on where those of the one before end.
    #[staticmethod]
    #[pyo3(signature = (encodings, *, growing_offsets=true))]
    fn merged(py: Python, encodings: Vec<Py<Encoding>>, growing_offsets: bool) -> PyResult<Encoding> {
        let has_offsets = encodings.iter().all(|encoding| encoding.get().has_offsets());
        let parts = encodings.iter().map(|encoding| encoding.get().named(false));
        Encoding::loose(py, CoreEncoding::joined(parts, growing_offsets), has_offsets)
    }

    /// The same with all ids being of the text of this number.
    fn with_sequence_id(&self, py: Python, id: u32) -> PyResult<Encoding> {
        Encoding::loose(py, self.named(false).of_sequence(id), self.has_offsets())
    }

    /// An encoding, or a pair, in the template of a post-processor.
    #[staticmethod]
    fn _processed(
        py: Python,
        processor: Option<&str>,
        texts: Vec<Py<Encoding>>,
        add_special_tokens: bool,
        truncation: Option<&str>,
    ) -> PyResult<Encoding> {
        let read = |json: &str| serde_json::from_str(json).map_err(|error| Error::Spec(error.to_string())).raise(py);
        let (template, trim) = match processor {
            Some(json) => stages::post_processor(&read(json)?).raise(py)?,
            None => (None, None),
        };
        let has_offsets = texts.iter().all(|text| text.get().has_offsets());
        let mut texts: Vec<CoreEncoding> = texts.iter().map(|text| text.get().named(false)).collect();
        if let Some(json) = truncation {
            let truncation = stages::truncation(&read(json)?).raise(py)?;
            texts = CoreEncoding::all_truncated(texts, &truncation).raise(py)?;
        }
        if let Some(trim) = trim {
            texts.iter_mut().for_each(|text| text.trim(trim));
        }
        let template = template.unwrap_or_else(Template::bare);
        let processed = CoreEncoding::in_template(&texts, template.slots(texts.len() > 1), add_special_tokens);
        Encoding::loose(py, processed, has_offsets)
    }

    /// An encoding of tokens that somebody else has made: id, token, from, to, and number of the word.
    #[staticmethod]
    fn _of_tokens(py: Python, tokens: Vec<(TokenId, String, u32, u32, u32)>, type_id: u32) -> PyResult<Encoding> {
        let mut encoding = CoreEncoding { sequences: Some(Vec::new()), ..CoreEncoding::default() };
        let mut names = Vec::with_capacity(tokens.len());
        for (id, token, start, end, piece) in tokens {
            let place = InputPlace { start, end, piece, second: false };
            encoding.tokens.push(InputToken { id, type_id, place: Some(place) });
            names.push(token);
        }
        encoding.names = Some(names);
        Encoding::loose(py, encoding, true)
    }
}
