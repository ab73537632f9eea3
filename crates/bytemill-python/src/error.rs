//! The one place where errors become exceptions.

use std::io::ErrorKind;
use std::path::Path;

use bytemill::Error;
use pyo3::exceptions::{
    PyFileNotFoundError, PyIsADirectoryError, PyKeyboardInterrupt, PyMemoryError, PyNotADirectoryError, PyOSError,
    PyPermissionError, PyRuntimeError,
};
use pyo3::prelude::*;

/// Files beside a missing one that are looked at: comparing names takes some time.
const MOST_BESIDE: usize = 10_000;

/// Results of the core, on their way to Python.
pub(crate) trait Raise<T> {
    fn raise(self, py: Python) -> PyResult<T>;
}

impl<T> Raise<T> for bytemill::Result<T> {
    fn raise(self, py: Python) -> PyResult<T> {
        self.map_err(|error| exception(py, error))
    }
}

pub(crate) fn exception(py: Python, error: Error) -> PyErr {
    let name = match &error {
        Error::Io { path, source } => {
            return match source.raw_os_error() {
                // OSError picks its subclass by the number: FileNotFoundError and its like.
                Some(code) => {
                    let meant = if source.kind() == ErrorKind::NotFound { meant_path(py, path) } else { String::new() };
                    PyOSError::new_err((code, strerror(source) + &meant, path.display().to_string()))
                }
                // What we refuse ourselves has no number, but a kind.
                None => match source.kind() {
                    ErrorKind::NotFound => PyFileNotFoundError::new_err(error.to_string()),
                    ErrorKind::IsADirectory => PyIsADirectoryError::new_err(error.to_string()),
                    ErrorKind::NotADirectory => PyNotADirectoryError::new_err(error.to_string()),
                    ErrorKind::PermissionDenied => PyPermissionError::new_err(error.to_string()),
                    _ => PyOSError::new_err(error.to_string()),
                },
            };
        }
        Error::Stopped => return PyKeyboardInterrupt::new_err(()),
        Error::Memory => return PyMemoryError::new_err(error.to_string()),
        Error::Internal(_) => return PyRuntimeError::new_err(error.to_string()),
        Error::Format { .. } | Error::Inexpressible { .. } => "FormatError",
        Error::SpecialInText { .. } | Error::SymbolInText { .. } => "SpecialTokenError",
        Error::NotUtf8 { .. } | Error::Surrogate { .. } => "TextError",
        Error::UnknownPiece { .. } => "UnknownTokenError",
        Error::UnknownId { .. } => "UnknownIdError",
        Error::Spec(_) => "SpecError",
        Error::UnknownName { message, name, known } => {
            return named(py, "SpecError", format!("{message}{}", did_you_mean(py, name, known)));
        }
        Error::Grammar(_) => "GrammarError",
    };
    let raised = named(py, name, error.to_string());
    if let Error::SpecialInText { token, .. } | Error::SymbolInText { token, .. } = &error {
        // It is there even if it cannot be set: the message has it, too.
        let _ = raised.value(py).setattr("token", token);
    }
    raised
}

/// The end of a message about a name, where one that there is was probably meant. The package has the rule for it.
fn did_you_mean(py: Python, name: &str, known: &[String]) -> String {
    let suggest = || py.import("bytemill._arguments.names")?.getattr("did_you_mean")?.call1((name, known))?.extract();
    suggest().unwrap_or_default()
}

/// The end of a message about a path that is not there, where a file beside it was probably meant.
fn meant_path(py: Python, path: &Path) -> String {
    let (Some(name), Some(folder)) = (path.file_name(), path.parent()) else { return String::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let beside = folder.read_dir().into_iter().flatten().flatten().take(MOST_BESIDE);
    let names: Vec<String> = beside.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    did_you_mean(py, &name.to_string_lossy(), &names)
}

/// An exception of `bytemill.errors`.
pub(crate) fn named(py: Python, name: &str, message: String) -> PyErr {
    let raise = || py.import("bytemill.errors")?.getattr(name)?.call1((message,));
    match raise() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The system's words, without the number that Rust adds and Python shows anyway.
fn strerror(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(at) => text[..at].to_string(),
        None => text,
    }
}
