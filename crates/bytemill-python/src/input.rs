//! What a model's input is made from: texts or words, truncation, padding.

use std::fmt::Display;

use bytemill::Role;
use bytemill::encode::input::InputText;
use bytemill::notation;
use bytemill::postprocess::{Padding, Side, Strategy, Truncation};
use bytemill::{Error, Tokenizer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

use crate::calling::Items;
use crate::error::Raise;
use crate::text::{Text, of_one};

/// A text, or words that somebody has split already.
pub(crate) enum Given<'py> {
    Text(Text<'py>),
    Words(Vec<Text<'py>>),
}

/// The core's view of it.
pub(crate) enum Lent<'a> {
    Text(&'a str),
    Words(Vec<&'a str>),
}

impl<'py> Given<'py> {
    pub(crate) fn new(value: &Bound<'py, PyAny>, pretokenized: bool) -> PyResult<Self> {
        let is_text = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
        match pretokenized {
            true if is_text => {
                Err(PyTypeError::new_err("with pretokenized=True a text is a list of words, not one text"))
            }
            true => Ok(Given::Words(Items::of(value)?.map(|word| Text::new(&word?)).collect::<PyResult<_>>()?)),
            false if is_text => Ok(Given::Text(Text::new(value)?)),
            false => Err(PyTypeError::new_err(format!(
                "a text is str or bytes, not {}; words that are split already need pretokenized=True, and many texts inputs()",
                value.get_type().name()?.to_string_lossy()
            ))),
        }
    }

    /// Those of an argument of this name.
    pub(crate) fn all(values: &Bound<'py, PyAny>, name: &str, pretokenized: bool) -> PyResult<Vec<Self>> {
        let py = values.py();
        let each = |(number, value): (usize, PyResult<_>)| {
            Self::new(&value?, pretokenized).map_err(|error| of_one(py, error, format_args!("{name}[{number}]")))
        };
        Items::of(values)?.enumerate().map(each).collect()
    }

    /// The same where None stands for a text without one.
    pub(crate) fn all_or_none(
        values: &Bound<'py, PyAny>,
        name: &str,
        pretokenized: bool,
    ) -> PyResult<Vec<Option<Self>>> {
        let py = values.py();
        let each = |(number, value): (usize, PyResult<Bound<'py, PyAny>>)| {
            let value = value?;
            let given = (!value.is_none()).then(|| Self::new(&value, pretokenized)).transpose();
            given.map_err(|error| of_one(py, error, format_args!("{name}[{number}]")))
        };
        Items::of(values)?.enumerate().map(each).collect()
    }

    pub(crate) fn lend_all_or_none<'a>(all: &'a [Option<Self>], name: &str) -> PyResult<Vec<Option<Lent<'a>>>> {
        let lend = |(number, given): (usize, &'a Option<Self>)| {
            given.as_ref().map(|given| given.lend(format_args!("{name}[{number}]"))).transpose()
        };
        all.iter().enumerate().map(lend).collect()
    }

    pub(crate) fn lend_all<'a>(all: &'a [Self], name: &str) -> PyResult<Vec<Lent<'a>>> {
        all.iter().enumerate().map(|(number, given)| given.lend(format_args!("{name}[{number}]"))).collect()
    }

    /// Errors call it by the name.
    pub(crate) fn lend(&self, name: impl Display + Copy) -> PyResult<Lent<'_>> {
        Ok(match self {
            Given::Text(text) => Lent::Text(text.named_as_str(name)?),
            Given::Words(words) => {
                Lent::Words(words.iter().map(|word| word.named_as_str(name)).collect::<PyResult<_>>()?)
            }
        })
    }
}

impl Lent<'_> {
    pub(crate) fn source(&self) -> InputText<'_> {
        match self {
            Lent::Text(text) => InputText::Text(text),
            Lent::Words(words) => InputText::Words(words),
        }
    }
}

/// The `truncation=` argument: None for what the tokenizer says itself, False, a length, or a `Truncation`.
pub(crate) fn truncation(argument: Option<&Bound<PyAny>>, tokenizer: &Tokenizer) -> PyResult<Option<Truncation>> {
    let default = tokenizer.definition().outline.truncation;
    let Some(argument) = argument.filter(|argument| !argument.is_none()) else { return Ok(default) };
    if let Ok(flag) = argument.cast::<PyBool>() {
        return match (flag.is_true(), default) {
            (false, _) => Ok(None),
            (true, Some(default)) => Ok(Some(default)),
            (true, None) => {
                Err(Error::Spec("the tokenizer has no length to truncate to; pass one".into())).raise(argument.py())
            }
        };
    }
    if let Ok(max_length) = argument.extract::<usize>() {
        let base = Truncation { max_length, strategy: Strategy::LongestFirst, stride: 0, side: Side::Right };
        return Ok(Some(base));
    }
    let wrong = || wrong("truncation", "a bytemill.Truncation", argument);
    let text = |name: &str| argument.getattr(name).and_then(|value| value.extract::<String>());
    let number = |name: &str| argument.getattr(name).and_then(|value| value.extract::<usize>());
    let strategy = match text("strategy").map_err(|_| wrong())?.as_str() {
        "longest_first" => Strategy::LongestFirst,
        "only_first" => Strategy::OnlyFirst,
        "only_second" => Strategy::OnlySecond,
        _ => return Err(wrong()),
    };
    let (max_length, stride) = (number("max_length").map_err(|_| wrong())?, number("stride").map_err(|_| wrong())?);
    Ok(Some(Truncation { max_length, strategy, stride, side: side(argument).map_err(|_| wrong())? }))
}

/// The `padding=` argument: None for what the tokenizer says itself, False, a length, "longest", or a `Padding`.
pub(crate) fn padding(argument: Option<&Bound<PyAny>>, tokenizer: &Tokenizer) -> PyResult<Option<Padding>> {
    let default = tokenizer.definition().outline.padding.clone();
    let Some(argument) = argument.filter(|argument| !argument.is_none()) else { return Ok(default) };
    let py = argument.py();
    if argument.cast::<PyBool>().is_ok_and(|flag| !flag.is_true()) {
        return Ok(None);
    }
    let plain = |length| {
        let (token, id) = pad_token(tokenizer)?;
        Ok(Padding { length, multiple_of: None, side: Side::Right, id, type_id: 0, token })
    };
    if argument.cast::<PyBool>().is_ok() {
        return Ok(Some(default.map_or_else(|| plain(None), Ok).raise(py)?));
    }
    if let Ok(length) = argument.extract::<usize>() {
        let padding = default.map_or_else(|| plain(None), Ok).raise(py)?;
        return Ok(Some(Padding { length: Some(length), multiple_of: None, ..padding }));
    }
    if let Ok(name) = argument.cast::<PyString>() {
        let padding = default.map_or_else(|| plain(None), Ok).raise(py)?;
        return match name.to_str()? {
            "longest" => Ok(Some(Padding { length: None, multiple_of: None, ..padding })),
            _ => Err(wrong("padding", "\"longest\", a bytemill.Padding", argument)),
        };
    }
    let wrong = || wrong("padding", "\"longest\", a bytemill.Padding", argument);
    let number =
        |name: &str| argument.getattr(name).and_then(|value| value.extract::<Option<usize>>()).map_err(|_| wrong());
    let given =
        |name: &str| argument.getattr(name).and_then(|value| value.extract::<Option<u32>>()).map_err(|_| wrong());
    let token = argument.getattr("token").and_then(|value| value.extract::<Option<String>>()).map_err(|_| wrong())?;
    let (token, id) = match (token, given("id")?) {
        (Some(token), Some(id)) => (token, id),
        (Some(token), None) => match tokenizer.id(token.as_bytes()) {
            Some(id) => (token, id),
            None => {
                let message = format!("the vocabulary has no token {token:?} to pad with");
                let known = tokenizer.definition().outline.added.iter().map(|added| added.content.clone()).collect();
                return Err(Error::UnknownName { message, name: token, known }).raise(py);
            }
        },
        (None, Some(id)) => (notation::shown(tokenizer.token(id).unwrap_or_default()).into_owned(), id),
        (None, None) => match &default {
            Some(default) => (default.token.clone(), default.id),
            None => pad_token(tokenizer).raise(py)?,
        },
    };
    Ok(Some(Padding {
        length: number("length")?,
        multiple_of: number("multiple_of")?,
        side: side(argument).map_err(|_| wrong())?,
        id,
        type_id: given("type_id")?.unwrap_or(0),
        token,
    }))
}

fn side(argument: &Bound<PyAny>) -> PyResult<Side> {
    match argument.getattr("side")?.extract::<String>()?.as_str() {
        "left" => Ok(Side::Left),
        "right" => Ok(Side::Right),
        other => Err(PyTypeError::new_err(format!("side is \"left\" or \"right\", not {other:?}"))),
    }
}

fn wrong(name: &str, kinds: &str, argument: &Bound<PyAny>) -> PyErr {
    let shown = argument.repr().map_or_else(|_| "this".into(), |shown| shown.to_string());
    PyTypeError::new_err(format!("{name} is None, True, False, a whole number, {kinds}, not {shown}"))
}

/// The token for padding.
fn pad_token(tokenizer: &Tokenizer) -> bytemill::Result<(String, u32)> {
    let found = tokenizer.role(Role::Pad);
    let shown = |id| notation::shown(tokenizer.token(id).unwrap_or_default()).into_owned();
    found.map(|id| (shown(id), id)).ok_or_else(|| {
        Error::Spec(
            "the tokenizer has no pad token; pass padding=bytemill.Padding(token=...) with the token to pad with"
                .into(),
        )
    })
}
