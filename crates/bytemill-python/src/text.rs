//! Arguments that are text: `str` without a copy, `bytes` after a check.

use std::fmt::Display;

use bytemill::specials::{Choice, Policy, Specials};
use bytemill::text::CodeUnits;
use bytemill::text::Span;
use bytemill::{Error, Result};
use pyo3::exceptions::{PyTypeError, PyUnicodeDecodeError, PyUnicodeEncodeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::calling::Items;
use crate::characters::Characters;
use crate::error::{Raise, exception};
use crate::picked::PickedSpecials;

/// A text that is kept alive while the core reads it.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
}

impl<'py> Text<'py> {
    pub(crate) fn new(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Text::Str(text.clone()));
        }
        match value.cast::<PyBytes>() {
            Ok(bytes) => Ok(Text::Bytes(bytes.clone())),
            Err(_) => Err(PyTypeError::new_err(format!(
                "a text is str or bytes, not {}",
                value.get_type().name()?.to_string_lossy()
            ))),
        }
    }

    pub(crate) fn as_str(&self) -> PyResult<&str> {
        self.named_as_str("the text")
    }

    /// The same with a name for errors.
    pub(crate) fn named_as_str(&self, name: impl Display) -> PyResult<&str> {
        match self {
            Text::Str(text) => text.to_str().map_err(|error| match surrogate(text.py(), &error) {
                Some(at) => exception(text.py(), Error::Surrogate { what: name.to_string(), at }),
                None => error,
            }),
            Text::Bytes(bytes) => utf8(bytes.as_bytes()).map_err(|error| error.of(name)).raise(bytes.py()),
        }
    }
}

/// Many texts, as the core takes them: where they are, in the width that the interpreter has given them.
pub(crate) fn with_texts<T>(texts: &Bound<PyAny>, work: impl FnOnce(&[CodeUnits]) -> PyResult<T>) -> PyResult<T> {
    let py = texts.py();
    // All at once, and whatever happens to where they came from.
    // SAFETY: it takes any object, and gives a new reference or an error.
    let kept =
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PySequence_Tuple(texts.as_ptr()))?.cast_into::<PyTuple>()? };
    let characters = Characters::of_interpreter(py);
    let mut lent = Vec::with_capacity(kept.len());
    // Those that the interpreter has to be asked for, with their numbers: it would keep the UTF-8 of each with the text.
    let mut others = Vec::new();
    for (number, text) in kept.iter_borrowed().enumerate() {
        let units = characters.and_then(|characters| characters.read(text.cast::<PyString>().ok()?));
        if units.is_none() {
            let text = Text::new(&text).map_err(|error| of_one(py, error, format_args!("texts[{number}]")))?;
            others.push((number, text));
        }
        lent.push(units.unwrap_or(CodeUnits::Utf8("")));
    }
    for (number, text) in &others {
        lent[*number] = text.named_as_str(format_args!("texts[{number}]"))?.into();
    }
    work(&lent)
}

/// That something of this name, one of several, is no text.
pub(crate) fn of_one(py: Python, error: PyErr, name: impl Display) -> PyErr {
    match error.is_instance_of::<PyTypeError>(py) {
        true => PyTypeError::new_err(format!("{name}: {}", error.value(py))),
        false => error,
    }
}

/// Where a `str` has a character that no UTF-8 has, if that is what the error is about.
fn surrogate(py: Python, error: &PyErr) -> Option<usize> {
    let is_encoding = error.is_instance_of::<PyUnicodeEncodeError>(py);
    is_encoding.then(|| error.value(py).getattr("start").ok()?.extract().ok()).flatten()
}

pub(crate) fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        Error::NotUtf8 { what: "the text".into(), offset: offset as u64, byte: bytes.get(offset).copied().unwrap_or(0) }
    })
}

/// Bytes as a `str`, what is not UTF-8 in them as U+FFFD. The interpreter checks what it is given, so that nobody else has to.
pub(crate) fn shown<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match PyString::from_bytes(py, bytes) {
        Err(error) if error.is_instance_of::<PyUnicodeDecodeError>(py) => {
            PyString::from_bytes(py, String::from_utf8_lossy(bytes).as_bytes())
        }
        made => made,
    }
}

/// The `specials=` argument.
pub(crate) fn choice(specials: &Specials, argument: Option<&Bound<PyAny>>) -> PyResult<Choice> {
    let Some(argument) = argument.filter(|argument| !argument.is_none()) else {
        return Ok(specials.default_choice());
    };
    let py = argument.py();
    if let Ok(name) = argument.cast::<PyString>() {
        let policy = match name.to_str()? {
            "all" => Policy::All,
            "none" => Policy::None,
            "refuse" => Policy::Refuse,
            other => {
                let message = format!(
                    "specials is \"all\", \"none\", \"refuse\" or a set of special tokens, not {other:?}; for one token write {{{other:?}}}"
                );
                let known = ["all", "none", "refuse"].map(String::from).into();
                return Err(Error::UnknownName { message, name: other.into(), known }).raise(py);
            }
        };
        return Ok(Choice::Policy(policy));
    }
    if let Ok(picked) = argument.cast::<PickedSpecials>() {
        return picked.get().choice(py, specials);
    }
    let wanted = Items::of(argument)?.map(|item| item?.extract()).collect::<PyResult<Vec<String>>>()?;
    specials.only(wanted.iter().map(String::as_str)).raise(py)
}

/// Byte offsets of a text as character offsets, by a count that goes along with them: cheap where each is near the one before.
pub(crate) struct CharOffsets<'a> {
    /// None where bytes and characters are the same.
    text: Option<&'a [u8]>,
    bytes: usize,
    /// The latest byte that was asked for, and the number of characters before the one that it is of.
    at: usize,
    characters: usize,
}

impl<'a> CharOffsets<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let counted = (!text.is_ascii()).then_some(text.as_bytes());
        CharOffsets { text: counted, bytes: text.len(), at: 0, characters: 0 }
    }

    pub(crate) fn of(&mut self, span: Span) -> (usize, usize) {
        if span.end <= self.bytes {
            return (self.before(span.start), self.before(span.end));
        }
        // A place past the end (`PieceSpan::Beyond`), as the library gives it.
        if span.start >= self.bytes {
            return (span.start, span.end);
        }
        let start = self.before(span.start);
        (start, start + 2)
    }

    fn before(&mut self, at: usize) -> usize {
        let Some(text) = self.text else { return at };
        // The end of the text counts as the start of a character.
        let starts = |from: usize, to: usize| {
            let inside = text[from + 1..text.len().min(to + 1)].iter().filter(|&&byte| byte as i8 >= -64);
            inside.count() + usize::from(to == text.len())
        };
        if self.at < at {
            self.characters += starts(self.at, at);
        } else if at < self.at {
            self.characters -= starts(at, self.at);
        }
        self.at = at;
        self.characters
    }
}
