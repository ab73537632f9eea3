//! A choice of special tokens that is made once, for many calls.

use std::sync::Arc;

use bytemill::Error;
use bytemill::specials::{Choice, Selection, Specials};
use pyo3::prelude::*;

use crate::error::Raise;

/// Which special tokens a call matches and which it refuses; from `Tokenizer.pick_specials`.
#[pyclass(frozen, module = "bytemill._core")]
pub(crate) struct PickedSpecials {
    pub tokenizer: Arc<bytemill::Tokenizer>,
    pub selection: Arc<Selection>,
}

impl PickedSpecials {
    /// For a call of the tokenizer that these specials are of.
    pub(crate) fn choice(&self, py: Python, specials: &Specials) -> PyResult<Choice> {
        match std::ptr::eq(self.tokenizer.specials(), specials) {
            true => Ok(Choice::Picked(self.selection.clone())),
            false => Err(Error::Spec("these special tokens were picked by another tokenizer".into())).raise(py),
        }
    }
}
