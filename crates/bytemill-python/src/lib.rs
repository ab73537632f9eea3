//! The binding: thin. Converts arguments, releases the interpreter where it pays, turns errors into exceptions.

mod arrays;
mod arrow;
mod calling;
mod characters;
mod code;
mod counts;
mod encoding;
mod error;
mod files;
mod grammars;
mod ids;
mod input;
mod integers;
mod keywords;
mod layout;
mod operations;
mod output;
mod parity;
mod picked;
mod pickled;
mod reading;
mod row_groups;
mod rows;
mod session;
mod staged;
mod tables;
mod text;
mod tokenizer;
mod train;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use bytemill::format::{self, Format, Given, Splitting};
use bytemill::machine::{Engine, WithReserve, guarded, keep_reserve, thread_count};
use bytemill::normalize::Normalizer;
use bytemill::pretokenize::runs::Borders;
use bytemill::pretokenize::{PreTokenizer, Splitter};
use bytemill::text::Pattern;
use bytemill::{Error, TokenId};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::from_str;

use error::Raise;
use keywords::Keywords;
use text::{CharOffsets, utf8};

/// With it, most calls for which there is not enough memory end with a MemoryError instead of the process.
#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve;

/// A built tokenizer on its way from the core into a `Tokenizer`.
#[pyclass(frozen, module = "bytemill._core")]
pub struct Handle(pub Arc<bytemill::Tokenizer>);

// Safe without the interpreter's lock: importing it leaves the lock off where it is off.
#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::code::{
        code_names, code_pieces, detect_language, keywords, language_name, node_names, source_files, split_identifier,
        syntax_nodes, wheel_version,
    };
    #[pymodule_export]
    use super::{
        Handle, arrow::IdLists, backtracking_steps, charsmap, charsmap_rules, counts::Counts, counts::count_pieces,
        encoding::DecodeStream, encoding::Encoding, features, files::format_of_name, files::list_files,
        files::may_be_of, files::write_file, from_bytes, ids::copied_ids, normalize, of_ranks, parity::learn_parity,
        picked::PickedSpecials, pickled::unpickled_encoding, read, reading::Documents, rows::id_lists, scan_rate,
        session::IdChunks, session::Session, sniff, split, staged::StagedModel, staged::own_normalizer,
        staged::own_pretokenizer, staged::stage_added, staged::stage_decode, staged::stage_normalize,
        staged::stage_split, tokenizer::EncodedParts, tokenizer::Tokenizer, train::count_for_training, train::made_by,
        train::train,
    };
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// With the first array, the crate of numpy asks in Python which version is there, and an interrupt in the middle of that would be a
    /// panic. Asked here, it is an exception.
    #[pymodule_init]
    fn init(module: &Bound<PyModule>) -> PyResult<()> {
        bytemill::code::set_grammar_source(super::grammars::from_wheel);
        super::keep_reserve();
        numpy::get_array_module(module.py()).map(drop)
    }
}

/// Reads a tokenizer from a file or folder.
#[pyfunction]
#[pyo3(
    signature = (path, **keywords),
    text_signature = "(path, *, format=None, splitting=None, special_tokens=None, normalizer=None, byte_level=None, unk_token=None, \
                      encoding=None)"
)]
fn read(py: Python, path: PathBuf, keywords: Option<&Bound<PyDict>>) -> PyResult<Handle> {
    let keywords = Keywords::new(py, "load", keywords);
    let text = |name: &str| Ok::<_, PyErr>(keywords.take::<Option<String>>(name)?.flatten());
    let invalid = |error: serde_json::Error| Error::Spec(error.to_string());
    let given = Given {
        format: text("format")?.as_deref().map(Format::named).transpose().raise(py)?,
        splitting: text("splitting")?.as_deref().map(Splitting::from_json).transpose().map_err(invalid).raise(py)?,
        special_tokens: keywords.take::<Option<Vec<(String, TokenId)>>>("special_tokens")?.flatten(),
        normalizer: text("normalizer")?.as_deref().map(from_str).transpose().map_err(invalid).raise(py)?,
        byte_level: keywords.take::<Option<bool>>("byte_level")?.flatten(),
        unk_token: text("unk_token")?,
        encoding: text("encoding")?,
    };
    keywords.finish()?;
    let tokenizer = py.detach(|| guarded(|| format::load(&path, &given))).raise(py)?;
    Ok(Handle(Arc::new(tokenizer)))
}

/// The instructions that the inner loops run on, all that they could run on, and the number of threads that work takes unless told
/// otherwise.
#[pyfunction]
fn features() -> (&'static str, Vec<&'static str>, usize) {
    (Engine::best().name(), Engine::available().into_iter().map(Engine::name).collect(), thread_count(None))
}

#[pyfunction]
fn from_bytes(py: Python, data: &[u8]) -> PyResult<Handle> {
    Ok(Handle(Arc::new(guarded(|| format::load_bytes(data, &Given::default())).raise(py)?)))
}

/// A tokenizer of ranks: of tokens, each with its id, of which the lowest are merged first.
#[pyfunction]
fn of_ranks(
    py: Python,
    ranks: &Bound<PyDict>,
    splitting: &str,
    special_tokens: Vec<(String, TokenId)>,
) -> PyResult<Handle> {
    let splitting = Splitting::from_json(splitting).map_err(|error| Error::Spec(error.to_string())).raise(py)?;
    // The integer of a rank may have code of its own, and other threads their own: what they change is not what is read.
    let items = ranks.copy()?.into_iter().map(|(token, rank)| Ok((token.cast_into::<PyBytes>()?, rank.extract()?)));
    let items = items.collect::<PyResult<Vec<(Bound<PyBytes>, TokenId)>>>()?;
    let ranks: Vec<(&[u8], TokenId)> = items.iter().map(|(token, rank)| (token.as_bytes(), *rank)).collect();
    let build = || guarded(|| format::of_ranks(ranks, &splitting, special_tokens));
    Ok(Handle(Arc::new(py.detach(build).raise(py)?)))
}

/// The name of a file's format.
#[pyfunction]
fn sniff(py: Python, path: PathBuf) -> PyResult<&'static str> {
    let path = format::tokenizer_in(&path).raise(py)?;
    let bytes = std::fs::read(&path).map_err(|error| Error::io(&path, error)).raise(py)?;
    Ok(format::sniff(&bytes).raise(py)?.name())
}

/// The map of characters of a normalization of SentencePiece.
#[pyfunction]
fn charsmap<'py>(py: Python<'py>, normalization: &str) -> PyResult<Bound<'py, PyBytes>> {
    let map = py.detach(|| guarded(|| bytemill::train::charsmap(normalization))).raise(py)?;
    Ok(PyBytes::new(py, &map))
}

/// What a map of characters replaces, and by what.
#[pyfunction]
fn charsmap_rules(py: Python, charsmap: &[u8]) -> PyResult<Vec<(String, String)>> {
    py.detach(|| guarded(|| bytemill::train::charsmap_rules(charsmap))).raise(py)
}

#[pyfunction]
fn normalize(py: Python, normalizer: &str, text: &str) -> PyResult<String> {
    let normalizer: Normalizer = from_str(normalizer).map_err(|error| Error::Spec(error.to_string())).raise(py)?;
    Ok(normalizer.normalize(text, false).text().to_string())
}

#[pyfunction]
fn split(py: Python, pretokenizer: &str, text: &str) -> PyResult<Vec<(String, (usize, usize))>> {
    let pieces = || {
        let definition: PreTokenizer = from_str(pretokenizer).map_err(|error| Error::Spec(error.to_string()))?;
        let mut offsets = CharOffsets::new(text);
        let pieces = Splitter::new(&definition)?.pieces(text).into_iter();
        Ok(pieces.map(|(piece, span)| (piece, offsets.of(span))).collect())
    };
    pieces().raise(py)
}

/// The steps of a backtracking engine that looks for a regular expression: for lint.
#[pyfunction]
#[pyo3(name = "_backtracking_steps")]
fn backtracking_steps(py: Python, pattern: String, text: &str, limit: usize) -> PyResult<usize> {
    py.detach(|| guarded(|| Pattern::Regex(pattern).backtracking_steps(text, limit))).raise(py)
}

/// Gigabytes per second of the boundary scan of BERT's word splitter, alone, over a text: for the benchmarks.
#[pyfunction]
#[pyo3(name = "_scan_rate")]
fn scan_rate(py: Python, text: &[u8]) -> PyResult<f64> {
    let text = utf8(text).raise(py)?;
    let splitter = Splitter::new(&PreTokenizer::Bert).raise(py)?;
    let Splitter::Runs(runs) = splitter else {
        return Err(Error::Internal("the word splitter is not a run splitter".into())).raise(py);
    };
    py.detach(|| {
        let mut borders = Borders::default();
        let started = std::time::Instant::now();
        std::hint::black_box(runs.count(text, &mut borders));
        Ok(text.len() as f64 / 1e9 / started.elapsed().as_secs_f64().max(1e-9))
    })
}
