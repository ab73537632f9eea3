//! Decoding ids.

use bytemill::TokenId;
use bytemill::decode::clean_up;
use bytemill::machine::{copied, guarded};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::Tokenizer;
use crate::calling::Items;
use crate::encoding::DecodeStream;
use crate::error::Raise;
use crate::ids::with_ids;
use crate::text::shown;

/// As many ids are decoded without the lock.
const DETACH_IDS: usize = 16 << 10;

impl Tokenizer {
    fn decoded(&self, py: Python, ids: &Bound<PyAny>, skip_special_tokens: bool) -> PyResult<Vec<u8>> {
        with_ids(ids, |ids| {
            let run = |ids: &[TokenId]| guarded(|| self.tokenizer.decode(ids, skip_special_tokens));
            if ids.len() < DETACH_IDS {
                return run(&ids).raise(py);
            }
            // Copied, since others may write to an array meanwhile.
            let ids = copied(&ids).raise(py)?;
            py.detach(|| run(&ids)).raise(py)
        })
    }
}

#[pymethods]
impl Tokenizer {
    /// The text of ids; bytes that are not UTF-8 become U+FFFD.
    #[pyo3(signature = (ids, *, skip_special_tokens=false, clean_up=false))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
        clean_up: bool,
    ) -> PyResult<Bound<'py, PyString>> {
        let bytes = self.decoded(py, ids, skip_special_tokens)?;
        match clean_up {
            true => shown(py, self::clean_up(&String::from_utf8_lossy(&bytes)).as_bytes()),
            false => shown(py, &bytes),
        }
    }

    /// The bytes of ids.
    #[pyo3(signature = (ids, *, skip_special_tokens=false))]
    fn decode_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<PyAny>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.decoded(py, ids, skip_special_tokens)?;
        PyBytes::new_with(py, bytes.len(), |place| {
            place.copy_from_slice(&bytes);
            Ok(())
        })
    }

    /// The text of the ids that are there; others are left out, as `tokenizers` does.
    fn _decode_known<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<TokenId>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyString>> {
        let known = |id: &TokenId| self.tokenizer.token(*id).is_some();
        let run = || {
            let ids: Vec<TokenId> = ids.into_iter().filter(known).collect();
            guarded(|| self.tokenizer.decode(&ids, skip_special_tokens))
        };
        shown(py, &run().raise(py)?)
    }

    /// The texts of many rows of ids.
    #[pyo3(signature = (rows, *, skip_special_tokens=false, clean_up=false))]
    fn decode_batch<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
        clean_up: bool,
    ) -> PyResult<Vec<Bound<'py, PyString>>> {
        Items::of(rows)?.map(|row| self.decode(py, &row?, skip_special_tokens, clean_up)).collect()
    }

    /// A decoder for ids that come one by one, after a prefix whose text is there already.
    #[pyo3(
        signature = (*, prefix=None, skip_special_tokens=false, graphemes=false),
        text_signature = "($self, *, prefix=(), skip_special_tokens=False, graphemes=False)"
    )]
    fn stream(
        &self,
        prefix: Option<&Bound<PyAny>>,
        skip_special_tokens: bool,
        graphemes: bool,
    ) -> PyResult<DecodeStream> {
        let (tokenizer, stream) = (self.tokenizer.clone(), self.tokenizer.stream());
        let mut decoding = DecodeStream { tokenizer, stream, skip_special_tokens };
        for id in prefix.map(Items::of).transpose()?.into_iter().flatten() {
            decoding.push(&id?)?;
        }
        if graphemes {
            // From here on: what the prefix ends with is out already.
            decoding.stream = decoding.stream.by_graphemes();
        }
        Ok(decoding)
    }
}
