//! Files of many documents: lines, texts between separators, JSON lines, the values of a JSON file, or a column of a table.
//! What has to happen in order is here: finding where records end. `raw.rs` has what any thread can do with them.

mod raw;
#[cfg(test)]
pub(super) mod tests;
mod values;

use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use memchr::{memchr_iter, memmem, memrchr};
use serde::{Deserialize, Serialize};

use super::decompress::DecompressedFile;
use super::delimited::{RowScanner, names_of};
use super::input_format::InputFormat;
use super::signature::refuse_binary;
use super::source::SourceOptions;
use crate::error::{Error, Result};

pub(super) use raw::{FoundDocument, FoundRecord, RawRecords};
use raw::{RecordForm, RecordSource, RowColumns};

const BUFFER_BYTES: usize = 256 * 1024;

const BOM: &[u8] = "\u{feff}".as_bytes();

pub(super) struct Records {
    file: BufReader<DecompressedFile>,
    source: RecordSource,
    /// About as much as is handed out at once.
    at_once: usize,
    /// The bytes of the latest record, if it is no line.
    record: Vec<u8>,
    /// The number of the latest record, from 1.
    number: u64,
    /// Where `record` starts in the decompressed file, in bytes.
    offset: u64,
    /// Where the next byte to read is in the decompressed file.
    position: u64,
    array: Array,
    /// The error that follows the records already handed out.
    failed: Option<Error>,
}

/// Where we are in the array that a JSON file may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Array {
    /// Nothing was read yet.
    #[default]
    Unknown,
    /// The file holds values without an array around them.
    None,
    /// The next byte may be the end of the array.
    Start,
    /// A value was read: a comma or the end follows.
    AfterValue,
    Ended,
}

impl Records {
    pub(super) fn open(path: &Path, format: InputFormat, options: &SourceOptions) -> Result<Self> {
        let form = match (format, &options.separator) {
            (InputFormat::Text, Some(separator)) => RecordForm::Separated(separator.clone().into_bytes()),
            (InputFormat::JsonLines, _) => RecordForm::JsonLines,
            (InputFormat::Json, _) => RecordForm::Json,
            (InputFormat::Csv, _) => RecordForm::Delimited(b',', None),
            (InputFormat::Tsv, _) => RecordForm::Delimited(b'\t', None),
            _ => RecordForm::Lines,
        };
        let mut records = Records {
            file: BufReader::with_capacity(BUFFER_BYTES, DecompressedFile::open(path)?),
            source: RecordSource { path: path.into(), form },
            // What comes through a pipe is handed out as soon as it is there.
            at_once: if path.is_file() { options.block_bytes } else { 1 },
            record: Vec::new(),
            number: 0,
            offset: 0,
            position: 0,
            array: Array::Unknown,
            failed: None,
        };
        records.begin(options)?;
        Ok(records)
    }

    /// What comes before the first record.
    fn begin(&mut self, options: &SourceOptions) -> Result<()> {
        let path = self.source.path.clone();
        refuse_binary(self.peek()?, &path)?;
        if self.peek()?.starts_with(BOM) {
            self.skip(BOM.len());
        }
        if let RecordForm::Delimited(delimiter, _) = self.source.form
            && self.read_record()?
        {
            let columns = RowColumns::new(names_of(&self.record, delimiter), options);
            let columns = columns.map_err(|reason| self.error(reason))?;
            self.source.form = RecordForm::Delimited(delimiter, Some(Arc::new(columns)));
        }
        Ok(())
    }

    /// The names of the columns, where a first line has them.
    pub(super) fn column_names(&self) -> Option<Vec<String>> {
        match &self.source.form {
            RecordForm::Delimited(_, Some(columns)) => Some(columns.names.clone()),
            _ => None,
        }
    }

    /// On disk, for what was taken of the decompressed bytes: as large a part as that is of what was decompressed.
    pub(super) fn bytes_read(&self) -> u64 {
        let (taken, ahead) = (u128::from(self.position), self.file.buffer().len() as u128);
        let read = self.file.get_ref().bytes_read();
        (u128::from(read) * taken / (taken + ahead).max(1)) as u64
    }

    pub(super) fn checksum(&self) -> u128 {
        self.file.get_ref().checksum()
    }

    /// The state that reading needs to continue after the latest record.
    pub(super) fn position(&self) -> (u64, u64, Array) {
        (self.position, self.number, self.array)
    }

    /// Goes on where another reader of the same file was.
    pub(super) fn go_on(&mut self, (position, number, array): (u64, u64, Array)) -> Result<()> {
        while self.position < position {
            let there = self.peek()?.len();
            if there == 0 {
                let path = self.source.path.display().to_string();
                return Err(Error::format(path, "this file is shorter than it was"));
            }
            self.skip(there.min((position - self.position) as usize));
        }
        (self.number, self.array) = (number, array);
        Ok(())
    }

    /// The next records, in the memory of `spare`; none at the end of the file.
    pub(super) fn next_records(&mut self, spare: Vec<u8>) -> Result<Option<RawRecords>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let (first, offset) = (self.number + 1, self.position);
        let mut bytes = spare;
        bytes.clear();
        let ends = match self.source.form {
            RecordForm::Lines | RecordForm::JsonLines => {
                self.read_lines(&mut bytes)?;
                (!bytes.is_empty()).then_some(None)
            }
            _ => {
                let ends = self.read_others(&mut bytes)?;
                (!ends.is_empty()).then_some(Some(ends))
            }
        };
        Ok(ends.map(|ends| RawRecords { source: self.source.clone(), bytes, ends, first, offset }))
    }

    /// Whole lines, at least one if there are any.
    fn read_lines(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        loop {
            let at_once = self.at_once;
            let there = self.peek()?;
            let enough = bytes.len() + there.len() >= at_once;
            let end = memrchr(b'\n', there).filter(|_| enough).map(|at| at + 1);
            let taken = end.unwrap_or(there.len());
            bytes.extend_from_slice(&there[..taken]);
            self.skip(taken);
            if end.is_some() || taken == 0 {
                break;
            }
        }
        let unended = bytes.last().is_some_and(|&byte| byte != b'\n');
        self.number += memchr_iter(b'\n', bytes).count() as u64 + u64::from(unended);
        Ok(())
    }

    /// Records that are no lines: where each ends in `bytes`, and where it starts in the file.
    fn read_others(&mut self, bytes: &mut Vec<u8>) -> Result<Vec<(usize, u64)>> {
        let mut ends = Vec::new();
        while ends.is_empty() || bytes.len() < self.at_once {
            match self.read_record() {
                Ok(true) => {
                    bytes.extend_from_slice(&self.record);
                    ends.push((bytes.len(), self.offset));
                }
                Ok(false) => break,
                Err(error) if ends.is_empty() => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(ends)
    }

    /// The next bytes of the file; none at its end.
    fn peek(&mut self) -> Result<&[u8]> {
        loop {
            match self.file.fill_buf() {
                Ok(_) => break,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.file.get_ref().explain(e)),
            }
        }
        Ok(self.file.buffer())
    }

    fn skip(&mut self, bytes: usize) {
        self.file.consume(bytes);
        self.position += bytes as u64;
    }

    fn read_record(&mut self) -> Result<bool> {
        self.record.clear();
        self.number += 1;
        match &self.source.form {
            RecordForm::Separated(separator) => {
                let separator = separator.clone();
                self.read_until_separator(&separator)
            }
            RecordForm::Delimited(delimiter, _) => {
                let scanner = RowScanner::new(*delimiter);
                self.read_row(scanner)
            }
            _ => self.read_value(),
        }
    }

    /// Reads the next text and the separator after it, which is not part of the record.
    fn read_until_separator(&mut self, separator: &[u8]) -> Result<bool> {
        self.offset = self.position;
        let Some(&last) = separator.last() else {
            return Err(Error::Spec("the separator between documents is empty".into()));
        };
        let finder = memmem::Finder::new(separator);
        // A separator may end in what was read before: then it is found by its last byte.
        let mut searched = 0;
        loop {
            let count = self.file.read_until(last, &mut self.record);
            let count = count.map_err(|e| self.file.get_ref().explain(e))?;
            self.position += count as u64;
            if let Some(found) = finder.find(&self.record[searched..]) {
                self.record.truncate(searched + found);
                return Ok(true);
            }
            searched = self.record.len().saturating_sub(separator.len() - 1);
            if count == 0 {
                // What follows the last separator is a document, unless it is only the end of the last line.
                return Ok(!self.record.iter().all(u8::is_ascii_whitespace));
            }
        }
    }

    /// Reads the next record of a table, whose values may have line ends in quotes.
    fn read_row(&mut self, mut scanner: RowScanner) -> Result<bool> {
        self.offset = self.position;
        loop {
            self.peek()?;
            let buffer = self.file.buffer();
            if buffer.is_empty() {
                return Ok(!self.record.is_empty());
            }
            let end = scanner.end_in(buffer);
            let taken = end.unwrap_or(buffer.len());
            self.record.extend_from_slice(&buffer[..taken]);
            self.skip(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn error(&self, reason: String) -> Error {
        self.source.error(self.number, reason)
    }
}
