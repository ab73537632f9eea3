//! Grammars from wheels: `bytemill._grammars` finds them, and the core has their tables from then on.

use std::ffi::CStr;

use bytemill::code::{Grammar, Language, WheelGrammar};
use bytemill::{Error, Result};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::calling::call;

/// What a capsule says of itself if a `TSLanguage` is in it.
const CAPSULE: &CStr = c"tree_sitter.Language";

/// The core calls this with no lock held: the interpreter may have to be waited for, and the import runs code of others.
pub(crate) fn from_wheel(language: Language, made_with: Option<&str>) -> Result<WheelGrammar> {
    Python::attach(|py| {
        let found = find(py, language, made_with);
        found.map_err(|error| match error.is_instance_of::<PyKeyboardInterrupt>(py) {
            true => Error::Stopped,
            false => Error::Grammar(error.value(py).to_string()),
        })
    })
}

fn find(py: Python, language: Language, made_with: Option<&str>) -> PyResult<WheelGrammar> {
    let finder = py.import("bytemill._grammars")?.getattr("of_wheel")?;
    let (capsule, version): (Bound<PyCapsule>, String) = call(&finder, (language.name(), made_with))?.extract()?;
    let tables = capsule.pointer_checked(Some(CAPSULE))?;
    // Never given back, so that what it points to stays.
    std::mem::forget(capsule.unbind());
    // SAFETY: a capsule of this name holds the tables of a grammar. They are constants of the wheel's library, which no interpreter unloads.
    let grammar = unsafe { Grammar::from_raw(tables) };
    Ok(WheelGrammar { grammar, version })
}
