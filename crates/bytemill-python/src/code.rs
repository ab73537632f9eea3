//! Source code: its pieces, its language, the words of its identifiers, its ids.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use bytemill::code::{self, CodePiece, CodeScratch, Kind, Language};
use bytemill::encode::source_code::CodeEncoding;
use bytemill::machine::guarded;
use bytemill::{Error, Result};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::error::Raise;

/// The bytes of a source, which need not be UTF-8.
pub(crate) fn with_source<T>(source: &Bound<PyAny>, work: impl FnOnce(&[u8]) -> PyResult<T>) -> PyResult<T> {
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return work(bytes.as_bytes());
    }
    match source.cast::<PyString>() {
        Ok(text) => work(crate::text::Text::Str(text.clone()).as_str()?.as_bytes()),
        Err(_) => Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "a source is str or bytes, not {}",
            source.get_type().name()?.to_string_lossy()
        ))),
    }
}

/// The language of a name, with its grammar at hand.
pub(crate) fn language_named(name: Option<&str>) -> Result<Option<Language>> {
    let Some(name) = name else { return Ok(None) };
    let language = Language::named(name).ok_or_else(|| {
        let known: Vec<&str> = Language::ALL.iter().chain(Language::OF_WHEELS).map(|known| known.name()).collect();
        Error::Spec(format!("there is no language {name:?} here (known: {})", known.join(", ")))
    })?;
    code::bring(language, None)?;
    Ok(Some(language))
}

#[pyfunction]
pub(crate) fn split_identifier(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    code::split_identifier(name, |span| parts.push(&name[span.range()]));
    parts
}

#[pyfunction]
pub(crate) fn detect_language(source: &[u8], name: Option<PathBuf>) -> Option<&'static str> {
    code::detect(name.as_deref(), source).map(Language::name)
}

#[pyfunction]
pub(crate) fn source_files(py: Python, paths: Vec<PathBuf>, language: Option<&str>) -> PyResult<Vec<PathBuf>> {
    let language = language.and_then(Language::named);
    py.detach(|| guarded(|| code::files(&paths, language))).raise(py)
}

#[pyfunction]
pub(crate) fn keywords(py: Python, language: &str) -> PyResult<Vec<String>> {
    let language = language_named(Some(language)).raise(py)?;
    Ok(language.map(code::keywords).unwrap_or_default())
}

/// The name of a language that a user calls by any of its names, or None.
#[pyfunction]
pub(crate) fn language_name(name: &str) -> Option<&'static str> {
    Language::told_by(name).map(Language::name)
}

/// The languages whose grammars are linked, those whose grammars are of wheels, and the kinds of pieces in the order of their numbers.
#[pyfunction]
pub(crate) fn code_names() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    let names = |languages: &[Language]| languages.iter().map(|language| language.name()).collect();
    (names(Language::ALL), names(Language::OF_WHEELS), Kind::ALL.iter().map(|kind| kind.name()).collect())
}

/// The version of the wheel that the grammar of a language is of, which is brought if it is not there yet; None if it is linked.
#[pyfunction]
pub(crate) fn wheel_version(py: Python, language: &str) -> PyResult<Option<&'static str>> {
    let language = language_named(Some(language)).raise(py)?;
    language.map_or(Ok(None), |language| code::bring(language, None)).raise(py)
}

/// The names of the nodes of a language, by their numbers.
#[pyfunction]
pub(crate) fn node_names(py: Python, language: &str) -> PyResult<Vec<String>> {
    let language = language_named(Some(language)).raise(py)?;
    Ok(language.map(code::node_names).unwrap_or_default())
}

thread_local! {
    /// What the next source is parsed with: asking the system for its memory anew would take a tenth of the time.
    static SCRATCH: RefCell<CodeScratch> = RefCell::default();
}

/// The pieces of a source as arrays; the language as it was detected if none is given.
#[pyfunction]
pub(crate) fn code_pieces<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    language: Option<&str>,
    detect: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let language = language_named(language).raise(py)?;
    with_source(source, |source| {
        let split = || {
            let language = language.or_else(|| detect.then(|| code::detect(None, source)).flatten());
            // Taken, so that whatever happens nobody finds it in use.
            let mut scratch = SCRATCH.take();
            let pieces = scratch.split(source, language);
            let places = Places::of(source, pieces.iter().map(|piece| piece.span.start));
            let ends: Vec<i64> = pieces.iter().map(|piece| piece.span.end as i64).collect();
            let nodes = Described::of(pieces, 0..pieces.len());
            scratch.forget_if_large();
            SCRATCH.set(scratch);
            Ok((language, ends, nodes, places))
        };
        let (language, ends, nodes, places) = py.detach(|| guarded(split)).raise(py)?;
        let arrays = PyDict::new(py);
        arrays.set_item("language", language.map(Language::name))?;
        arrays.set_item("ends", ends.into_pyarray(py))?;
        nodes.put(py, &arrays)?;
        places.put(py, &arrays)?;
        Ok(arrays)
    })
}

/// The nodes of a source: start, end, depth, kind, and whether others are in it; by tree-sitter's own steps for tests that compare.
#[pyfunction]
pub(crate) fn syntax_nodes<'py>(
    py: Python<'py>,
    source: &[u8],
    language: &str,
    stock: bool,
) -> PyResult<Option<Bound<'py, PyArray2<u32>>>> {
    let language = language_named(Some(language)).raise(py)?;
    let row = |node: &code::Node| [node.start, node.end, node.depth, node.kind.into(), node.has_children.into()];
    let parse = || {
        let mut scratch = SCRATCH.take();
        let nodes = language.and_then(|language| scratch.nodes(source, language, stock));
        let flat = nodes.map(|nodes| nodes.iter().flat_map(row).collect::<Vec<u32>>());
        SCRATCH.set(scratch);
        Ok(flat)
    };
    let flat = py.detach(|| guarded(parse)).raise(py)?;
    let rows = |flat: Vec<u32>| {
        let count = flat.len() / 5;
        flat.into_pyarray(py).reshape([count, 5])
    };
    flat.map(rows).transpose()
}

/// Ids with what they are of the syntax, as arrays.
pub(crate) fn encoded<'py>(py: Python<'py>, source: &[u8], found: CodeEncoding) -> PyResult<Bound<'py, PyDict>> {
    let arrays = PyDict::new(py);
    arrays.set_item("language", found.language.map(Language::name))?;
    arrays.set_item("ids", found.ids.into_pyarray(py))?;
    arrays.set_item("starts", array(py, found.spans.iter().map(|span| span.start as i64)))?;
    arrays.set_item("ends", array(py, found.spans.iter().map(|span| span.end as i64)))?;
    Places::of(source, found.spans.iter().map(|span| span.start)).put(py, &arrays)?;
    Described::of(&found.pieces, found.piece_of.iter().copied()).put(py, &arrays)?;
    Ok(arrays)
}

/// What each of some pieces is of the syntax.
struct Described {
    kinds: Vec<u8>,
    nodes: Vec<u16>,
    depths: Vec<u16>,
}

impl Described {
    fn of(pieces: &[CodePiece], chosen: impl Iterator<Item = usize> + Clone) -> Self {
        Described {
            kinds: chosen.clone().map(|i| pieces[i].kind as u8).collect(),
            nodes: chosen.clone().map(|i| pieces[i].node).collect(),
            depths: chosen.map(|i| pieces[i].depth).collect(),
        }
    }

    fn put(self, py: Python, arrays: &Bound<PyDict>) -> PyResult<()> {
        arrays.set_item("kinds", self.kinds.into_pyarray(py))?;
        arrays.set_item("nodes", self.nodes.into_pyarray(py))?;
        arrays.set_item("depths", self.depths.into_pyarray(py))
    }
}

fn array<'py, T: numpy::Element>(py: Python<'py>, values: impl Iterator<Item = T>) -> Bound<'py, PyArray1<T>> {
    values.collect::<Vec<T>>().into_pyarray(py)
}

/// The line of each place, from 1, and its column in bytes, from 0.
struct Places {
    lines: Vec<i64>,
    columns: Vec<i64>,
}

impl Places {
    /// `starts` never go back.
    fn of(source: &[u8], starts: impl Iterator<Item = usize>) -> Self {
        let (mut at, mut line, mut line_start) = (0, 1, 0);
        let count = starts.size_hint().0;
        let mut places = Places { lines: Vec::with_capacity(count), columns: Vec::with_capacity(count) };
        for start in starts {
            while at < start {
                let ends = match source[at] {
                    b'\n' => true,
                    b'\r' => source.get(at + 1) != Some(&b'\n'),
                    _ => false,
                };
                at += 1;
                if ends {
                    line += 1;
                    line_start = at;
                }
            }
            places.lines.push(line);
            places.columns.push((start - line_start) as i64);
        }
        places
    }

    fn put(self, py: Python, arrays: &Bound<PyDict>) -> PyResult<()> {
        arrays.set_item("lines", self.lines.into_pyarray(py))?;
        arrays.set_item("columns", self.columns.into_pyarray(py))
    }
}

/// A tokenizer's work on a source.
pub(crate) fn encode<'py>(
    py: Python<'py>,
    tokenizer: &Arc<bytemill::Tokenizer>,
    source: &Bound<'py, PyAny>,
    language: Option<&str>,
    specials: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let language = language_named(language).raise(py)?;
    let choice = crate::text::choice(tokenizer.specials(), specials)?;
    with_source(source, |source| {
        let work =
            || guarded(|| tokenizer.pool().with(|scratch| tokenizer.encode_code(source, language, &choice, scratch)));
        encoded(py, source, py.detach(work).raise(py)?)
    })
}
