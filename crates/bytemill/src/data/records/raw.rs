//! Records as they lie in a file, and the documents in them: what any thread can do once the bytes are there.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use memchr::memchr_iter;
use simdutf8::compat::from_utf8;

use super::super::delimited::column_of;
use super::super::jsonl::{NoText, string_field, string_or_field, with_surrogates_replaced};
use super::super::source::{BadRows, SourceOptions};
use crate::error::Error;

/// What a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordForm {
    Lines,
    /// What stands between two of these.
    Separated(Vec<u8>),
    JsonLines,
    Json,
    /// By this byte; the number of the column with the documents, once it is known.
    Delimited(u8, Option<usize>),
}

/// A record that is no document, and why.
pub(in super::super) enum FoundRecord {
    Text(String),
    /// In place of what is no text.
    Nothing,
    Bad(Error),
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
    /// whose ends are found by whoever looks at them.
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
                    return FoundRecord::Bad(Error::NotUtf8 {
                        what: self.path.display().to_string(),
                        offset: record.offset + e.valid_up_to() as u64,
                        byte: record.bytes.get(e.valid_up_to()).copied().unwrap_or(0),
                    });
                }
            }
        };
        match self.parsed(text, &options.field, replace) {
            Ok(text) => FoundRecord::Text(text),
            Err(NoText { has_value: true, .. }) if replace => FoundRecord::Nothing,
            Err(NoText { reason, .. }) => FoundRecord::Bad(self.error(record.number, reason)),
        }
    }

    fn parsed(&self, text: Cow<str>, field: &str, replace: bool) -> Result<String, NoText> {
        match &self.form {
            RecordForm::Lines => {
                let line = text.strip_suffix('\n').unwrap_or(&text);
                return Ok(line.strip_suffix('\r').unwrap_or(line).to_string());
            }
            RecordForm::Separated(_) => return Ok(text.into_owned()),
            RecordForm::Delimited(delimiter, column) => {
                let found = column_of(&text, *delimiter, column.unwrap_or_default());
                return found.map_err(NoText::from);
            }
            RecordForm::JsonLines | RecordForm::Json => {}
        }
        let text = if replace { Cow::Owned(with_surrogates_replaced(text)) } else { text };
        match self.form {
            // serde_json would count the end of the file as column 0 of another line.
            RecordForm::JsonLines => string_field(text.trim_end_matches(['\r', '\n']), field),
            _ => string_or_field(&text, field).map_err(|NoText { reason, has_value }| NoText {
                reason: format!("{reason}; to read the file as plain text, pass input_format=\"text\""),
                has_value,
            }),
        }
    }
}
