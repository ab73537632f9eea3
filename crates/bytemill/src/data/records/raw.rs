//! Records as they lie in a file, and the documents in them: what any thread can do once the bytes are there.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use memchr::memchr_iter;
use simdutf8::compat::from_utf8;

use super::super::delimited::{column_of, columns_of};
use super::super::jsonl::{NoText, string_field, string_or_field, with_surrogates_replaced};
use super::super::kept::{KeptColumns, kept_fields, kept_values};
use super::super::source::{BadRows, SourceOptions};
use crate::error::Error;
use crate::text::nearest::did_you_mean;

/// What a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordForm {
    Lines,
    /// What stands between two of these.
    Separated(Vec<u8>),
    JsonLines,
    Json,
    /// By this byte; which columns there are, once it is known.
    Delimited(u8, Option<Arc<RowColumns>>),
}

/// The columns of a table whose first line names them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RowColumns {
    pub names: Vec<String>,
    /// The number of that with the documents, and of those to keep.
    text: usize,
    keep: Vec<usize>,
}

impl RowColumns {
    pub(super) fn new(names: Vec<String>, options: &SourceOptions) -> Result<Self, String> {
        let number = |wanted: &str, way_out: &str| {
            let listed = || names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
            let missing = || {
                let meant = did_you_mean(wanted, names.iter().map(String::as_str));
                format!("no column {wanted:?} among those that the first line names: {}; {way_out}{meant}", listed())
            };
            names.iter().position(|name| name == wanted).ok_or_else(missing)
        };
        let text = number(&options.field, "name the one that holds the text with field=")?;
        let keep = match options.keep.as_ref().map(|keep| &keep.columns) {
            Some(KeptColumns::Records { columns, .. }) => {
                let numbers = columns.iter().map(|column| number(&column.name, "leave it out of keep_columns="));
                numbers.collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        Ok(RowColumns { names, text, keep })
    }
}

/// The document in a record, or why there is none.
pub(in super::super) type FoundRecord = Result<FoundDocument, Error>;

#[derive(Default)]
pub(in super::super) struct FoundDocument {
    /// Empty in place of what is no text.
    pub text: String,
    /// What is kept beside it.
    pub kept: Option<String>,
}

/// The file that records are of, and what they are.
#[derive(Clone)]
pub(super) struct RecordSource {
    pub path: Arc<Path>,
    pub form: RecordForm,
}

/// Some records of a file, each of them whole.
pub(in super::super) struct RawRecords {
    pub(super) source: RecordSource,
    pub(super) bytes: Vec<u8>,
    /// Where each record ends in `bytes`, and where it starts in the decompressed file. None where records are lines,
    /// whose ends are found when they are looked at.
    pub(super) ends: Option<Vec<(usize, u64)>>,
    /// The number of the first record, from 1.
    pub(super) first: u64,
    /// Where `bytes` starts in the decompressed file.
    pub(super) offset: u64,
}

struct RawRecord<'r> {
    bytes: &'r [u8],
    number: u64,
    /// Where it starts in the decompressed file.
    offset: u64,
}

impl RawRecords {
    /// The documents in them, each with the number of its record. Where a record may be blank, such a record is none.
    pub(in super::super) fn documents(&self, options: &SourceOptions) -> impl Iterator<Item = (u64, FoundRecord)> {
        let blank_is_text = matches!(self.source.form, RecordForm::Lines | RecordForm::Separated(_));
        self.records()
            .filter(move |record| blank_is_text || !record.bytes.iter().all(u8::is_ascii_whitespace))
            .map(|record| (record.number, self.source.document(&record, options)))
    }

    /// The records themselves.
    pub(in super::super) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.records().map(|record| record.bytes)
    }

    /// What a record is called in messages: `line`, as in `line 3`.
    pub(in super::super) fn unit(&self) -> &'static str {
        self.source.unit()
    }

    pub(in super::super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The memory of the records, for others.
    pub(in super::super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn records(&self) -> Box<dyn Iterator<Item = RawRecord<'_>> + '_> {
        let mut start = 0;
        let record = move |(number, (end, offset)): (u64, (usize, u64))| {
            let bytes = &self.bytes[start..end];
            start = end;
            RawRecord { bytes, number, offset }
        };
        let numbers = self.first..;
        match &self.ends {
            Some(ends) => Box::new(numbers.zip(ends.iter().copied()).map(record)),
            None => {
                let last = self.bytes.last().is_some_and(|&byte| byte != b'\n').then_some(self.bytes.len());
                let ends = memchr_iter(b'\n', &self.bytes).map(|at| at + 1).chain(last);
                let starts = std::iter::once(0).chain(ends.clone());
                let offset = self.offset;
                Box::new(numbers.zip(ends.zip(starts.map(move |start| offset + start as u64))).map(record))
            }
        }
    }
}

impl RecordSource {
    pub(super) fn unit(&self) -> &'static str {
        match self.form {
            RecordForm::Lines | RecordForm::JsonLines => "line",
            RecordForm::Json => "record",
            RecordForm::Separated(_) => "document",
            RecordForm::Delimited(..) => "row",
        }
    }

    pub(super) fn error(&self, number: u64, reason: String) -> Error {
        Error::format(format!("{}, {} {number}", self.path.display(), self.unit()), reason)
    }

    fn document(&self, record: &RawRecord, options: &SourceOptions) -> FoundRecord {
        let replace = options.bad_rows == BadRows::Replace;
        let text = if replace {
            // Neither a line end nor a bracket is part of an invalid sequence: a record is repaired alone as it would
            // be in its file.
            String::from_utf8_lossy(record.bytes)
        } else {
            match from_utf8(record.bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(e) => {
                    return Err(Error::NotUtf8 {
                        what: self.path.display().to_string(),
                        offset: record.offset + e.valid_up_to() as u64,
                        byte: record.bytes.get(e.valid_up_to()).copied().unwrap_or(0),
                    });
                }
            }
        };
        let is_json = matches!(self.form, RecordForm::JsonLines | RecordForm::Json);
        let text = if replace && is_json { Cow::Owned(with_surrogates_replaced(text)) } else { text };
        let found = match self.parsed(&text, &options.field) {
            Err(NoText { has_value: true, .. }) if replace => Ok(String::new()),
            found => found.map_err(|NoText { reason, .. }| reason),
        };
        let with_kept = |document| Ok(FoundDocument { text: document, kept: self.kept(&text, options)? });
        found.and_then(with_kept).map_err(|reason| self.error(record.number, reason))
    }

    /// What is kept of a record.
    fn kept(&self, record: &str, options: &SourceOptions) -> Result<Option<String>, String> {
        let Some(keep) = &options.keep else { return Ok(None) };
        let replace = options.bad_rows == BadRows::Replace;
        match &self.form {
            RecordForm::Delimited(delimiter, Some(columns)) => {
                let mut values = columns_of(record, *delimiter);
                let kept = columns.keep.iter().map(|&number| values.get_mut(number).map(std::mem::take));
                kept_values(kept, keep, replace).map(Some)
            }
            _ => kept_fields(record, keep, &options.field, replace).map(Some),
        }
    }

    fn parsed(&self, text: &str, field: &str) -> Result<String, NoText> {
        match &self.form {
            RecordForm::Lines => {
                let line = text.strip_suffix('\n').unwrap_or(text);
                Ok(line.strip_suffix('\r').unwrap_or(line).to_string())
            }
            RecordForm::Separated(_) => Ok(text.to_string()),
            RecordForm::Delimited(delimiter, columns) => {
                let column = columns.as_ref().map_or(0, |columns| columns.text);
                column_of(text, *delimiter, column).map_err(NoText::from)
            }
            // serde_json would count the end of the file as column 0 of another line.
            RecordForm::JsonLines => string_field(text.trim_end_matches(['\r', '\n']), field),
            RecordForm::Json => string_or_field(text, field).map_err(|NoText { reason, has_value }| NoText {
                reason: format!("{reason}; to read the file as plain text, pass input_format=\"text\""),
                has_value,
            }),
        }
    }
}
