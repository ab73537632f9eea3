//! Files of many documents: lines, JSON lines, or the values of a JSON file.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use simdutf8::compat::from_utf8;

use super::decompress::DecompressedFile;
use super::input_format::InputFormat;
use super::json_values::{ValueScanner, is_space};
use super::jsonl::{string_field, string_or_field, with_surrogates_replaced};
use super::signature::refuse_binary;
use crate::error::{Error, Result};

const BUFFER_BYTES: usize = 256 * 1024;

const BOM: &[u8] = "\u{feff}".as_bytes();

type Reason = std::result::Result<String, String>;

pub(super) struct Records {
    file: BufReader<DecompressedFile>,
    format: InputFormat,
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Array {
    /// Nothing was read yet.
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
    pub(super) fn open(path: &Path, format: InputFormat) -> Result<Self> {
        Ok(Records {
            file: BufReader::with_capacity(BUFFER_BYTES, DecompressedFile::open(path)?),
            format,
            record: Vec::new(),
            number: 0,
            offset: 0,
            position: 0,
            array: Array::Unknown,
        })
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.file.get_ref().bytes_read()
    }

    /// What the latest record is called in messages: `line 3`, `record 3`.
    pub(super) fn place(&self) -> (&'static str, u64) {
        (if self.format == InputFormat::Json { "record" } else { "line" }, self.number)
    }

    pub(super) fn next_document(&mut self, field: &str, replace_invalid: bool) -> Result<Option<String>> {
        if self.number == 0 {
            let path = self.path().to_path_buf();
            refuse_binary(self.peek()?, &path)?;
            if self.peek()?.starts_with(BOM) {
                self.skip(BOM.len());
            }
        }
        while self.read_record()? {
            let is_blank = self.record.iter().all(u8::is_ascii_whitespace);
            if self.format == InputFormat::Lines || !is_blank {
                return self.document(field, replace_invalid).map(Some);
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
        if self.format == InputFormat::Json {
            return self.read_value();
        }
        self.offset = self.position;
        let count = match self.file.read_until(b'\n', &mut self.record) {
            Ok(count) => count,
            Err(e) => return Err(self.file.get_ref().explain(e)),
        };
        self.position += count as u64;
        Ok(count > 0)
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

    fn document(&self, field: &str, replace_invalid: bool) -> Result<String> {
        let text = if replace_invalid {
            // Neither a line end nor a bracket is part of an invalid sequence: a record is repaired alone as it would
            // be in its file.
            String::from_utf8_lossy(&self.record)
        } else {
            Cow::Borrowed(from_utf8(&self.record).map_err(|e| Error::NotUtf8 {
                what: self.path().display().to_string(),
                offset: self.offset + e.valid_up_to() as u64,
                byte: self.record.get(e.valid_up_to()).copied().unwrap_or(0),
            })?)
        };
        self.parsed(text, field, replace_invalid).map_err(|reason| self.error(reason))
    }

    fn parsed(&self, text: Cow<str>, field: &str, replace_invalid: bool) -> Reason {
        if self.format == InputFormat::Lines {
            let line = text.strip_suffix('\n').unwrap_or(&text);
            return Ok(line.strip_suffix('\r').unwrap_or(line).to_string());
        }
        let text = if replace_invalid { Cow::Owned(with_surrogates_replaced(text)) } else { text };
        match self.format {
            // serde_json would count the end of the file as column 0 of another line.
            InputFormat::JsonLines => string_field(text.trim_end_matches(['\r', '\n']), field),
            _ => string_or_field(&text, field)
                .map_err(|reason| format!("{reason}; to read the file as plain text, pass input_format=\"text\"")),
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The documents of a file with these bytes, then its error if it has one, without the folder's path.
    fn read(bytes: &[u8], format: InputFormat, replace_invalid: bool) -> (Vec<String>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, bytes).unwrap();
        let mut records = Records::open(&path, format).unwrap();
        let mut documents = Vec::new();
        loop {
            match records.next_document("text", replace_invalid) {
                Ok(Some(document)) => documents.push(document),
                Ok(None) => return (documents, None),
                Err(e) => {
                    let folder = format!("{}/", folder.path().display());
                    return (documents, Some(e.to_string().replace(&folder, "")));
                }
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
