//! Tables that the core does not read itself, such as Parquet files: their text comes from whoever knows them.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::input_format::InputFormat;
use crate::error::{Error, Result};

/// Opens tables.
pub trait ForeignTables: Send + Sync + fmt::Debug {
    /// The texts in one column of a table.
    fn open(&self, path: &Path, format: InputFormat, column: &str) -> Result<Box<dyn TableRows>>;
}

/// The texts of a table, some rows after the others.
pub trait TableRows: Send + Sync {
    /// The next rows; none after the last. What takes long and needs no order is left to who opens them.
    fn next_rows(&mut self) -> Result<Option<Box<dyn RowChunk>>>;

    /// About as many bytes of the file on disk as were read.
    fn bytes_read(&self) -> u64;
}

/// Some rows of a table, which any thread can open.
pub trait RowChunk: Send {
    /// How many rows they are.
    fn rows(&self) -> usize;

    /// About as many bytes of text as they hold.
    fn bytes(&self) -> usize;

    /// Their texts, in the order of the rows.
    fn open(self: Box<Self>) -> Result<Vec<TableRow>>;
}

pub enum TableRow {
    Text(String),
    /// Why there is no text.
    Bad(String),
}

/// The checksum of a file; None for what is not a regular file.
pub(super) fn checksum_of(path: &Path) -> Result<Option<u128>> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
    let mut checksum = Xxh3::new();
    let mut block = vec![0; 1 << 18];
    loop {
        match file.read(&mut block).map_err(|e| Error::io(path, e))? {
            0 => return Ok(Some(checksum.digest128())),
            count => checksum.update(&block[..count]),
        }
    }
}
