//! Source code: its pieces, its language, the words of its identifiers.

use bytemill::code;
use pyo3::prelude::*;

#[pyfunction]
pub fn split_identifier(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    code::split_identifier(name, |span| parts.push(&name[span.range()]));
    parts
}
