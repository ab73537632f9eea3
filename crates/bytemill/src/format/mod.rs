//! Formats: `read(bytes) → Definition`, `write(Definition) → bytes`. One file a format; none knows another.

mod binary;
mod huggingface;
mod json;
mod native;
mod self_test;
mod sniff;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

pub use sniff::{Format, sniff};

use crate::data::write_atomically;
use crate::error::{Error, Result};
use crate::storage::Source;
use crate::tokenizer::Tokenizer;

/// Reads a file, or finds the tokenizer in a folder.
pub fn load(path: &Path, format: Option<Format>) -> Result<Tokenizer> {
    let path = &tokenizer_in(path)?;
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    let length = file.metadata().map_err(|error| Error::io(path, error))?.len();
    if length == 0 {
        // An empty file cannot be mapped.
        return Err(Error::format(path.display().to_string(), "the file is empty"));
    }
    // SAFETY: the map is read-only. A file changed in place while it is mapped would change under us; our own `save` never does that (it
    // renames a new file over the old one), and docs/formats.md asks others not to.
    let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io(path, error))?;
    parse(Source::Map(Arc::new(map)), format).map_err(|error| named(error, path))
}

/// Reads a tokenizer that is in memory.
pub fn load_bytes(bytes: &[u8], format: Option<Format>) -> Result<Tokenizer> {
    parse(Source::Bytes(bytes), format)
}

fn parse(source: Source, format: Option<Format>) -> Result<Tokenizer> {
    if let Some(inflated) = sniff::inflate(source.bytes())? {
        return parse(Source::Bytes(&inflated), format);
    }
    match format.map_or_else(|| sniff(source.bytes()), Ok)? {
        Format::Mill => binary::read(&source),
        Format::MillJson => native::read(source.bytes()),
        Format::HuggingFace => Tokenizer::new(huggingface::read(source.bytes())?),
    }
}

/// The bytes of a tokenizer in a format.
pub fn write(tokenizer: &Tokenizer, format: Format) -> Result<Vec<u8>> {
    match format {
        Format::Mill => binary::write(tokenizer),
        Format::MillJson => native::write(tokenizer),
        Format::HuggingFace => huggingface::write(tokenizer.definition()),
    }
}

/// Writes a file, whole or not at all; without a format, the one that the file name says.
pub fn save(tokenizer: &Tokenizer, path: &Path, format: Option<Format>) -> Result<()> {
    let format = format.map_or_else(|| Format::of_name(path), Ok)?;
    write_atomically(path, &write(tokenizer, format)?)
}

/// The file to read: the path itself, or what a folder holds under one of the usual names.
pub fn tokenizer_in(path: &Path) -> Result<PathBuf> {
    const USUAL: [&str; 3] = ["tokenizer.mill", "tokenizer.mill.json", "tokenizer.json"];
    if !path.is_dir() {
        return Ok(path.to_path_buf());
    }
    USUAL.iter().map(|name| path.join(name)).find(|file| file.is_file()).ok_or_else(|| {
        Error::format(
            path.display().to_string(),
            format!("the folder has none of {}; name the file itself", USUAL.join(", ")),
        )
    })
}

/// Errors inside a file say which file.
fn named(error: Error, path: &Path) -> Error {
    match error {
        Error::Format { at, reason } => Error::format(format!("{}: {at}", path.display()), reason),
        Error::Spec(reason) => Error::format(path.display().to_string(), reason),
        other => other,
    }
}
