//! A model's input, for one text or many.

use bytemill::encode::input::InputText;
use bytemill::machine::{guarded, thread_count};
use bytemill::postprocess::{Slot, TextFrame};
use bytemill::{Error, TokenId};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::batch::refuse_one_text;
use super::{DETACH_BYTES, Tokenizer};
use crate::encoding::Encoding;
use crate::error::Raise;
use crate::input::{Given, Lent};
use crate::keywords::{InputOptions, Keywords};
use crate::watch::{Failure, Watcher};

/// Ids with their types, the type of a text, and ids with their types.
type TypedFrame = (Vec<(TokenId, u32)>, u32, Vec<(TokenId, u32)>);

impl Tokenizer {
    fn one_input(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        pair: Option<&Bound<PyAny>>,
        options: &InputOptions,
    ) -> PyResult<Encoding> {
        let given = |text| Given::new(text, options.pretokenized);
        let pair = pair.filter(|pair| !pair.is_none()).map(given).transpose()?;
        let text = given(text)?;
        let lent = (text.lend("the text")?, pair.as_ref().map(|pair| pair.lend("the pair")).transpose()?);
        let (text, pair) = (lent.0.source(), lent.1.as_ref().map(Lent::source));
        let request = options.request();
        let run = || {
            guarded(|| {
                let mut encoding =
                    self.tokenizer.pool().with(|scratch| self.tokenizer.input(text, pair, &request, 0, scratch))?;
                if let Some(padding) = request.padding {
                    padding.apply(std::slice::from_mut(&mut encoding))?;
                }
                Ok(encoding)
            })
        };
        let bytes = text.len() + pair.map_or(0, |pair| pair.len());
        let encoding = if bytes < DETACH_BYTES { run() } else { py.detach(run) }.raise(py)?;
        Encoding::new(py, &self.tokenizer, encoding, (text, pair), options.unit)
    }
}

#[pymethods]
impl Tokenizer {
    /// A model's input: the text, or the pair, in its template. The keywords are those of `inputs`.
    #[pyo3(signature = (text, pair=None, **keywords))]
    fn __call__(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        pair: Option<&Bound<PyAny>>,
        keywords: Option<&Bound<PyDict>>,
    ) -> PyResult<Encoding> {
        let options = InputOptions::new(Keywords::new(py, "Tokenizer.__call__", keywords), &self.tokenizer)?;
        self.one_input(py, text, pair, &options)
    }

    /// The ids that the template puts before and after a single text, each with its type, and between them the type of the text. None if
    /// the template does not have the text exactly once.
    fn _frame(&self) -> Option<TypedFrame> {
        let added = |slots: &[Slot]| slots.iter().flat_map(Slot::added).collect();
        let TextFrame { before, type_id, after } = self.tokenizer.template().frame()?;
        Some((added(before), type_id, added(after)))
    }

    /// The inputs of many texts, or pairs, on all cores.
    #[pyo3(
        signature = (texts, pairs=None, *, threads=None, **keywords),
        text_signature = "($self, texts, pairs=None, *, add_special_tokens=True, offsets=None, truncation=None, padding=None, \
                          overflow=False, pretokenized=False, specials=None, dropout=None, alpha=None, nbest_size=None, seed=0, \
                          threads=None)"
    )]
    fn inputs(
        &self,
        py: Python,
        texts: &Bound<PyAny>,
        pairs: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        keywords: Option<&Bound<PyDict>>,
    ) -> PyResult<Vec<Py<Encoding>>> {
        refuse_one_text(texts)?;
        let options = InputOptions::new(Keywords::new(py, "Tokenizer.inputs", keywords), &self.tokenizer)?;
        let pairs = pairs.filter(|pairs| !pairs.is_none());
        let texts = Given::all(texts, "texts", options.pretokenized)?;
        let pairs = pairs.map(|pairs| Given::all_or_none(pairs, "pairs", options.pretokenized)).transpose()?;
        if let Some(pairs) = pairs.as_ref().filter(|pairs| pairs.len() != texts.len()) {
            let message = format!("there are {} texts and {} to pair them with", texts.len(), pairs.len());
            return Err(Error::Spec(message)).raise(py);
        }
        let lent = Given::lend_all(&texts, "texts")?;
        let lent_pairs = pairs.as_deref().map(|pairs| Given::lend_all_or_none(pairs, "pairs")).transpose()?;
        let pair = |i: usize| lent_pairs.as_ref().and_then(|pairs| pairs[i].as_ref().map(Lent::source));
        let sources: Vec<(InputText, Option<InputText>)> =
            lent.iter().enumerate().map(|(i, text)| (text.source(), pair(i))).collect();
        let request = options.request();
        let threads = thread_count(threads);
        let failure = Failure::default();
        let mut watcher = Watcher::new(None, "encoding", "texts", None, &failure);
        let encode = || self.tokenizer.inputs(&sources, &request, threads, &mut || watcher.check(0));
        let encodings = failure.run(py, encode)?.into_iter().zip(&sources);
        let made = encodings.map(|(encoding, &sources)| {
            Py::new(py, Encoding::new(py, &self.tokenizer, encoding, sources, options.unit)?)
        });
        made.collect()
    }
}
