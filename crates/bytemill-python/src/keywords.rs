//! Keyword arguments that several methods share, each group read into one struct.
//!
//! Such a function takes `**keywords` and says in its `text_signature` what they are.

use std::cell::RefCell;

use bytemill::Tokenizer;
use bytemill::encode::input::Request;
use bytemill::encode::sampling::{Asked, Sampling};
use bytemill::postprocess::{Padding, Truncation};
use bytemill::specials::Choice;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::encoding::Unit;
use crate::error::Raise;
use crate::input;
use crate::text::choice;

/// The keyword arguments of one call. Those that were read are taken out.
pub(crate) struct Keywords<'py> {
    pub py: Python<'py>,
    function: &'static str,
    /// A list, not the dictionary: a call passes two or three of a dozen, and to make and hash the names of the others took a quarter of
    /// the call of a short text.
    given: RefCell<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
}

impl<'py> Keywords<'py> {
    pub(crate) fn new(py: Python<'py>, function: &'static str, given: Option<&Bound<'py, PyDict>>) -> Self {
        let given = given.map(|given| given.iter().collect()).unwrap_or_default();
        Keywords { py, function, given: RefCell::new(given) }
    }

    /// The value of a keyword that has no default.
    pub(crate) fn needed<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<T> {
        let missing = || PyTypeError::new_err(format!("{}() needs the keyword argument '{name}'", self.function));
        self.take(name)?.ok_or_else(missing)
    }

    /// The value of a keyword that was passed; errors name it as the interpreter does.
    pub(crate) fn take<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let value = {
            let mut given = self.given.borrow_mut();
            let is_it = |given: &Bound<PyString>| given.to_str().is_ok_and(|given| given == name);
            let at = given.iter().position(|(given, _)| given.cast().is_ok_and(is_it));
            at.map(|at| given.swap_remove(at).1)
        };
        let Some(value) = value else { return Ok(None) };
        value.extract::<T>().map(Some).map_err(Into::<PyErr>::into).map_err(|error| {
            match error.is_instance_of::<PyTypeError>(self.py) {
                true => PyTypeError::new_err(format!("argument '{name}': {}", error.value(self.py))),
                false => error,
            }
        })
    }

    /// Refuses what nobody has read.
    pub(crate) fn finish(self) -> PyResult<()> {
        match self.given.into_inner().first() {
            None => Ok(()),
            Some((name, _)) => {
                let function = self.function;
                Err(PyTypeError::new_err(format!("{function}() got an unexpected keyword argument '{name}'")))
            }
        }
    }

    /// `dropout`, `alpha`, `nbest_size` and `seed`, as they were passed.
    pub(crate) fn asked(&self) -> PyResult<Asked> {
        Ok(Asked {
            dropout: self.take::<Option<f64>>("dropout")?.flatten(),
            alpha: self.take::<Option<f64>>("alpha")?.flatten(),
            nbest_size: self.take::<Option<i64>>("nbest_size")?.flatten(),
            seed: self.take("seed")?.unwrap_or(0),
        })
    }

    /// The same as what the tokenizer makes of them.
    pub(crate) fn sampling(&self, tokenizer: &Tokenizer) -> PyResult<Option<Sampling>> {
        tokenizer.sampling(self.asked()?).raise(self.py)
    }
}

/// What a model's input is to be, beside its texts.
pub(crate) struct InputOptions {
    pub unit: Option<Unit>,
    pub pretokenized: bool,
    add_special_tokens: bool,
    truncation: Option<Truncation>,
    padding: Option<Padding>,
    overflow: bool,
    choice: Choice,
    sampling: Option<Sampling>,
}

impl InputOptions {
    pub(crate) fn new(keywords: Keywords, tokenizer: &Tokenizer) -> PyResult<Self> {
        let any = |name: &str| keywords.take::<Bound<PyAny>>(name);
        let flag = |name: &str, default: bool| Ok::<_, PyErr>(keywords.take(name)?.unwrap_or(default));
        let options = InputOptions {
            unit: any("offsets")?.as_ref().map(Unit::of_argument).transpose()?.flatten(),
            pretokenized: flag("pretokenized", false)?,
            add_special_tokens: flag("add_special_tokens", true)?,
            truncation: input::truncation(any("truncation")?.as_ref(), tokenizer)?,
            padding: input::padding(any("padding")?.as_ref(), tokenizer)?,
            overflow: flag("overflow", false)?,
            choice: choice(tokenizer.specials(), any("specials")?.as_ref())?,
            sampling: keywords.sampling(tokenizer)?,
        };
        keywords.finish().map(|()| options)
    }

    pub(crate) fn request(&self) -> Request<'_> {
        Request {
            add_special_tokens: self.add_special_tokens,
            spans: self.unit.is_some(),
            choice: &self.choice,
            sampling: self.sampling,
            truncation: self.truncation.as_ref(),
            overflow: self.overflow,
            padding: self.padding.as_ref(),
        }
    }
}
