//! Tables that the core does not read itself, such as Parquet files: their text comes from a caller that can read them.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::input_format::InputFormat;
use super::kept::{Keep, KeptRows};
use crate::error::{Error, Result};

/// Opens tables.
pub trait ForeignTables: Send + Sync + fmt::Debug {
    /// The texts in one column of a table, and the values of other columns.
    fn open(&self, path: &Path, format: InputFormat, wanted: WantedColumns) -> Result<Box<dyn TableRows>>;

    /// What a table says of these columns, or of all but that of the text.
    fn schema(&self, path: &Path, format: InputFormat, columns: Option<&[String]>, text: &str) -> Result<TableSchema>;
}

/// Which columns of a table are read.
#[derive(Clone, Copy)]
pub struct WantedColumns<'w> {
    pub text: &'w str,
    /// Those to keep, and whether a value that cannot be kept is null.
    pub keep: Option<&'w Keep>,
    pub replace: bool,
}

/// Columns of a table, as its reader knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSchema {
    /// Each with the name of its type.
    pub columns: Vec<(String, String)>,
    /// All that has to be known to write them.
    pub bytes: Vec<u8>,
}

/// The texts of a table, some rows after the others.
pub trait TableRows: Send + Sync {
    /// The next rows; none after the last. What takes long and needs no order is left to the worker that opens them.
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

    /// Their texts, in the order of the rows, and what is kept of each.
    fn open(self: Box<Self>) -> Result<OpenedRows>;
}

pub struct OpenedRows {
    pub texts: Vec<TableRow>,
    /// For as many rows, if there are columns to keep.
    pub kept: KeptRows,
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
