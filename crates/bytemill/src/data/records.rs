//! Files of many documents: lines, texts between separators, JSON lines, the values of a JSON file, or a column of a table.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use memchr::memmem;
use serde::{Deserialize, Serialize};
use simdutf8::compat::from_utf8;

use super::decompress::DecompressedFile;
use super::delimited::{RowScanner, column_of, names_of};
use super::input_format::InputFormat;
use super::json_values::{ValueScanner, is_space};
use super::jsonl::{NoText, string_field, string_or_field, with_surrogates_replaced};
use super::signature::refuse_binary;
use super::source::{BadRows, SourceOptions};
use crate::error::{Error, Result};

const BUFFER_BYTES: usize = 256 * 1024;

const BOM: &[u8] = "\u{feff}".as_bytes();

type Reason = std::result::Result<String, NoText>;

/// What a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RecordForm {
    Lines,
    /// What stands between two of these.
    Separated(Vec<u8>),
    JsonLines,
    Json,
    /// By this byte; the number of the column with the documents, once it is known.
    Delimited(u8, Option<usize>),
}

/// A record that is no document, and why.
pub(super) enum FoundRecord {
    Text(String),
    /// In place of what is no text.
    Nothing,
    Bad(Error),
}

pub(super) struct Records {
    file: BufReader<DecompressedFile>,
    form: RecordForm,
    /// The bytes of the latest line, with its line end, or of the latest value.
    record: Vec<u8>,
    /// The number of `record`, from 1.
    number: u64,
    /// Where `record` starts in the decompressed file, in bytes.
    offset: u64,
    /// Where the next byte to read is in the decompressed file.
    position: u64,
    array: Array,
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
            form,
            record: Vec::new(),
            number: 0,
            offset: 0,
            position: 0,
            array: Array::Unknown,
        };
        records.begin(&options.field)?;
        Ok(records)
    }

    /// What comes before the first record.
    fn begin(&mut self, field: &str) -> Result<()> {
        let path = self.path().to_path_buf();
        refuse_binary(self.peek()?, &path)?;
        if self.peek()?.starts_with(BOM) {
            self.skip(BOM.len());
        }
        if let RecordForm::Delimited(delimiter, _) = self.form
            && self.read_record()?
        {
            let names = names_of(&self.record, delimiter);
            let Some(column) = names.iter().position(|name| name == field) else {
                let listed = names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
                return Err(self.error(format!(
                    "no column {field:?} among those that the first line names: {listed}; name the one that holds the text \
                     with field="
                )));
            };
            self.form = RecordForm::Delimited(delimiter, Some(column));
        }
        Ok(())
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
                return Err(Error::format(self.path().display().to_string(), "this file is shorter than it was"));
            }
            self.skip(there.min((position - self.position) as usize));
        }
        (self.number, self.array) = (number, array);
        Ok(())
    }

    /// What the latest record is called in messages: `line 3`, `record 3`.
    pub(super) fn place(&self) -> (&'static str, u64) {
        let unit = match self.form {
            RecordForm::Lines | RecordForm::JsonLines => "line",
            RecordForm::Json => "record",
            RecordForm::Separated(_) => "document",
            RecordForm::Delimited(..) => "row",
        };
        (unit, self.number)
    }

    pub(super) fn next_document(&mut self, options: &SourceOptions) -> Result<Option<FoundRecord>> {
        while self.read_record()? {
            let is_blank = self.record.iter().all(u8::is_ascii_whitespace);
            if !is_blank || matches!(self.form, RecordForm::Lines | RecordForm::Separated(_)) {
                return Ok(Some(self.document(&options.field, options.bad_rows)));
            }
        }
        Ok(None)
    }

    fn path(&self) -> &Path {
        self.file.get_ref().path()
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
        match &self.form {
            RecordForm::Json => return self.read_value(),
            RecordForm::Separated(separator) => {
                let separator = separator.clone();
                return self.read_until_separator(&separator);
            }
            RecordForm::Delimited(delimiter, _) => {
                let scanner = RowScanner::new(*delimiter);
                return self.read_row(scanner);
            }
            RecordForm::Lines | RecordForm::JsonLines => {}
        }
        self.offset = self.position;
        let count = match self.file.read_until(b'\n', &mut self.record) {
            Ok(count) => count,
            Err(e) => return Err(self.file.get_ref().explain(e)),
        };
        self.position += count as u64;
        Ok(count > 0)
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

    /// Reads the next value of a JSON file: one of its array, or one after another.
    fn read_value(&mut self) -> Result<bool> {
        loop {
            let Some(first) = self.next_visible()? else {
                return match self.array {
                    Array::Start | Array::AfterValue => Err(self.not_json("the array has no end")),
                    _ => Ok(false),
                };
            };
            match (self.array, first) {
                (Array::Ended, _) => return Err(self.not_json("something follows the end of the array")),
                (Array::Unknown, b'[') => self.array = Array::Start,
                (Array::Unknown, _) => {
                    self.array = Array::None;
                    continue;
                }
                (Array::Start | Array::AfterValue, b']') => self.array = Array::Ended,
                (Array::AfterValue, b',') => {
                    self.skip(1);
                    if matches!(self.next_visible()?, None | Some(b']' | b',')) {
                        return Err(self.not_json("a value is missing after a comma"));
                    }
                    return self.take_value();
                }
                (Array::AfterValue, _) => return Err(self.not_json("expected a comma or the end of the array")),
                (Array::Start | Array::None, _) => return self.take_value(),
            }
            self.skip(1);
        }
    }

    /// The next byte that is not white space, which stays the next one.
    fn next_visible(&mut self) -> Result<Option<u8>> {
        loop {
            let buffer = self.peek()?;
            let spaces = buffer.iter().take_while(|&&byte| is_space(byte)).count();
            let found = buffer.get(spaces).copied();
            let at_end = buffer.is_empty();
            self.skip(spaces);
            if found.is_some() || at_end {
                return Ok(found);
            }
        }
    }

    fn take_value(&mut self) -> Result<bool> {
        self.offset = self.position;
        if self.array != Array::None {
            self.array = Array::AfterValue;
        }
        let mut scanner = ValueScanner::default();
        loop {
            let is_first = self.record.is_empty();
            self.peek()?;
            let buffer = self.file.buffer();
            let Some(&next) = buffer.first() else {
                return Ok(true); // parsing the value says what is missing
            };
            let is_bare = is_first && !matches!(next, b'{' | b'[' | b'"');
            let end = match is_bare {
                true => buffer.iter().position(|&byte| is_space(byte) || matches!(byte, b',' | b']' | b'}')),
                false => buffer.iter().position(|&byte| scanner.ends_at(byte)).map(|last| last + 1),
            };
            // What is bare is no document, so that its end beyond the buffer does not matter.
            let taken = if is_bare { end.unwrap_or(buffer.len()).max(1) } else { end.unwrap_or(buffer.len()) };
            self.record.extend_from_slice(&buffer[..taken]);
            self.skip(taken);
            if end.is_some() || is_bare {
                return Ok(true);
            }
        }
    }

    fn document(&self, field: &str, bad_rows: BadRows) -> FoundRecord {
        let replace = bad_rows == BadRows::Replace;
        let text = if replace {
            // Neither a line end nor a bracket is part of an invalid sequence: a record is repaired alone as it would
            // be in its file.
            String::from_utf8_lossy(&self.record)
        } else {
            match from_utf8(&self.record) {
                Ok(text) => Cow::Borrowed(text),
                Err(e) => {
                    return FoundRecord::Bad(Error::NotUtf8 {
                        what: self.path().display().to_string(),
                        offset: self.offset + e.valid_up_to() as u64,
                        byte: self.record.get(e.valid_up_to()).copied().unwrap_or(0),
                    });
                }
            }
        };
        match self.parsed(text, field, replace) {
            Ok(text) => FoundRecord::Text(text),
            Err(NoText { has_value: true, .. }) if replace => FoundRecord::Nothing,
            Err(NoText { reason, .. }) => FoundRecord::Bad(self.error(reason)),
        }
    }

    fn parsed(&self, text: Cow<str>, field: &str, replace: bool) -> Reason {
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

    fn not_json(&self, reason: &str) -> Error {
        self.error(format!("not JSON: {reason}"))
    }

    fn error(&self, reason: String) -> Error {
        let (unit, number) = self.place();
        Error::format(format!("{}, {unit} {number}", self.path().display()), reason)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8], format: InputFormat, replace: bool) -> (Vec<String>, Option<String>) {
        let bad_rows = if replace { BadRows::Replace } else { BadRows::Stop };
        read_with(bytes, format, SourceOptions { bad_rows, ..SourceOptions::default() })
    }

    /// The documents of a file with these bytes, then its error if it has one, without the folder's path.
    pub(crate) fn read_with(
        bytes: &[u8],
        format: InputFormat,
        options: SourceOptions,
    ) -> (Vec<String>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, bytes).unwrap();
        let mut documents = Vec::new();
        let failed = |error: Error| error.to_string().replace(&format!("{}/", folder.path().display()), "");
        let mut records = match Records::open(&path, format, &options) {
            Ok(records) => records,
            Err(error) => return (documents, Some(failed(error))),
        };
        loop {
            match records.next_document(&options) {
                Ok(Some(FoundRecord::Text(document))) => documents.push(document),
                Ok(Some(FoundRecord::Nothing)) => documents.push(String::new()),
                Ok(Some(FoundRecord::Bad(error))) | Err(error) => return (documents, Some(failed(error))),
                Ok(None) => return (documents, None),
            }
        }
    }

    fn texts<const N: usize>(texts: [&str; N]) -> (Vec<String>, Option<String>) {
        (texts.map(String::from).to_vec(), None)
    }

    #[test]
    fn lines_lose_their_line_ends_alone() {
        let lines = |bytes: &[u8]| read(bytes, InputFormat::Lines, false);
        assert_eq!(lines(b""), texts([]));
        assert_eq!(lines(b"\n"), texts([""]));
        assert_eq!(lines("\u{feff} a \r\n\nb\r\r\nc".as_bytes()), texts([" a ", "", "b\r", "c"]));
        let (documents, error) = lines(b"ab\nc\xff\n");
        assert_eq!(documents, ["ab"]);
        assert!(error.unwrap().starts_with("byte 4 of a is 0xff,"));
        assert_eq!(read(b"c\xff\n", InputFormat::Lines, true), texts(["c\u{fffd}"]));
    }

    fn separated(text: &str, separator: &str) -> (Vec<String>, Option<String>) {
        let options = SourceOptions { separator: Some(separator.into()), ..SourceOptions::default() };
        read_with(text.as_bytes(), InputFormat::Text, options)
    }

    #[test]
    fn separators_stand_between_documents() {
        assert_eq!(separated("a<e>b\n<e>\n", "<e>"), texts(["a", "b\n"]));
        assert_eq!(separated("<e><e>c", "<e>"), texts(["", "", "c"]));
        assert_eq!(separated("a<<e>e>", "<e>"), texts(["a<", "e>"]));
        assert_eq!(separated("", "<e>"), texts([]));
        assert_eq!(separated("a\n\n\nb", "\n\n"), texts(["a", "\nb"]));
    }

    #[test]
    fn a_column_of_a_table() {
        let csv = |text: &str| read(text.as_bytes(), InputFormat::Csv, false);
        assert_eq!(csv("id,text\r\n1,a\r\n2,\"b\n\"\"c\"\"\"\n\n3,\"\""), texts(["a", "b\n\"c\"", ""]));
        assert_eq!(csv(""), texts([]));
        let (found, error) = csv("id,text\n1,a\n2\n");
        assert_eq!(found, ["a"]);
        assert_eq!(error.unwrap(), "a, row 3: this row has 1 values, too few for column 2");
        let error = csv("id,body\n1,a\n").1.unwrap();
        assert!(
            error.starts_with("a, row 1: no column \"text\" among those that the first line names: \"id\", \"body\"")
        );
        assert_eq!(read(b"x\ttext\n,\ta,b\n", InputFormat::Tsv, false), texts(["a,b"]));
    }

    #[test]
    fn values_that_are_no_text_become_empty_documents_on_request() {
        let lines = b"{\"text\": null}\n{\"text\": \"a\"}\n{\"text\": 1}\n{}\n";
        let (found, error) = read(lines, InputFormat::JsonLines, true);
        assert_eq!(found, ["", "a", ""]);
        assert!(error.unwrap().starts_with("a, line 4: no field"));
    }

    #[test]
    fn json_is_an_array_or_values_in_a_row() {
        let json = |text: &str| read(text.as_bytes(), InputFormat::Json, false);
        for file in [
            "[{\"text\": \"a\\n\"}, \"b]\",\n{\"text\":\"c\", \"x\": [1, {}]}]\n",
            "{\"text\": \"a\\n\"}{\"text\": \"b]\"}\n\n{\n \"text\": \"c\"\n}",
            "\u{feff}\"a\\n\" \"b]\" \"c\"",
        ] {
            assert_eq!(json(file), texts(["a\n", "b]", "c"]), "{file}");
        }
        for empty in ["", " \n", "[]", " [ ] "] {
            assert_eq!(json(empty), texts([]), "{empty}");
        }
    }

    #[test]
    fn what_is_wrong_with_json_is_told_with_its_record() {
        let reason = |text: &str| read(text.as_bytes(), InputFormat::Json, false).1.unwrap();
        let as_text = "; to read the file as plain text, pass input_format=\"text\"";
        assert_eq!(reason("[\"a\" \"b\"]"), "a, record 2: not JSON: expected a comma or the end of the array");
        assert_eq!(reason("[\"a\", ]"), "a, record 2: not JSON: a value is missing after a comma");
        assert_eq!(reason("[\"a\""), "a, record 2: not JSON: the array has no end");
        assert_eq!(reason("[] []"), "a, record 1: not JSON: something follows the end of the array");
        assert_eq!(
            reason("[\"a\", 12]"),
            format!("a, record 2: expected a string or an object with the field \"text\", found a number{as_text}")
        );
        assert_eq!(
            reason("{\"data\": []} {}"),
            format!(
                "a, record 1: no field \"text\" in this object, which has \"data\"; \
                 name the one that holds the text with field={as_text}"
            )
        );
        assert!(reason("{\"text\": \"x\"").starts_with("a, record 1: not JSON: EOF while parsing an object"));
        assert!(reason("]").starts_with("a, record 1: not JSON: "));
    }

    proptest! {
        #[test]
        fn json_of_any_strings_comes_back(strings in prop::collection::vec(".{0,20}", 0..8), in_array: bool) {
            let values: Vec<String> = strings.iter().map(|text| serde_json::to_string(text).unwrap()).collect();
            let file = if in_array { format!("[{}]", values.join(",")) } else { values.join("\n") };
            prop_assert_eq!(read(file.as_bytes(), InputFormat::Json, false), (strings, None));
        }
    }
}
