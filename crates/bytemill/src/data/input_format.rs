//! How the bytes of a file become documents: as one of the options says, or as the name and the content of the file tell.

use std::io::Read;
use std::path::Path;

use super::decompress::{DecompressedFile, has_extension, without_compression};
use super::json_values::{ValueScanner, is_space};
use super::jsonl::string_field;
use crate::error::{Error, Result};

/// How much of a `.json` file is looked at to tell records from a single object.
const SNIFF_BYTES: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFormat {
    /// The whole file is one document.
    Text,
    /// Each line is a document, without its line end.
    Lines,
    /// Each line is a JSON object, one field of which is the document.
    JsonLines,
    /// A JSON array, or JSON values one after another: each an object with the field, or a string.
    Json,
    /// Records of comma-separated values; the first one names the columns, one of which holds the documents.
    Csv,
    /// The same with tabs.
    Tsv,
    /// A column of a Parquet file, which somebody else reads.
    Parquet,
    /// A column of a file or stream of Arrow's, which somebody else reads.
    Arrow,
}

impl InputFormat {
    pub const ALL: [InputFormat; 8] = [
        InputFormat::Text,
        InputFormat::Lines,
        InputFormat::JsonLines,
        InputFormat::Json,
        InputFormat::Csv,
        InputFormat::Tsv,
        InputFormat::Parquet,
        InputFormat::Arrow,
    ];

    pub fn name(self) -> &'static str {
        match self {
            InputFormat::Text => "text",
            InputFormat::Lines => "lines",
            InputFormat::JsonLines => "jsonl",
            InputFormat::Json => "json",
            InputFormat::Csv => "csv",
            InputFormat::Tsv => "tsv",
            InputFormat::Parquet => "parquet",
            InputFormat::Arrow => "arrow",
        }
    }

    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            Error::Spec(format!("unknown input_format {name:?} (known: {known})"))
        })
    }

    /// What the name of a file promises.
    pub fn of_name(path: &Path) -> Self {
        let inner = without_compression(path);
        let has = |extensions: &[&str]| extensions.iter().any(|extension| has_extension(&inner, extension));
        // These have a compression of their own inside.
        let is_plain = inner == path;
        match () {
            _ if has(&["jsonl", "ndjson"]) => InputFormat::JsonLines,
            _ if has(&["json"]) => InputFormat::Json,
            _ if has(&["csv"]) => InputFormat::Csv,
            _ if has(&["tsv"]) => InputFormat::Tsv,
            _ if is_plain && has(&["parquet"]) => InputFormat::Parquet,
            _ if is_plain && has(&["arrow", "feather"]) => InputFormat::Arrow,
            _ => InputFormat::Text,
        }
    }

    /// Whether it is a table that the core does not read itself.
    pub fn is_foreign(self) -> bool {
        matches!(self, InputFormat::Parquet | InputFormat::Arrow)
    }

    /// What a file holds, where nobody said it. A `.json` that is a single object without the field, such as the
    /// settings of a project, is a text like any other.
    pub(super) fn of_file(path: &Path, field: &str) -> Result<Self> {
        let named = Self::of_name(path);
        if named != InputFormat::Json || !path.is_file() {
            return Ok(named);
        }
        let mut file = DecompressedFile::open(path)?;
        let mut head = Vec::new();
        match file.by_ref().take(SNIFF_BYTES).read_to_end(&mut head) {
            Ok(_) if holds_records(&head, field) => Ok(InputFormat::Json),
            Ok(_) => Ok(InputFormat::Text),
            Err(e) => Err(file.explain(e)),
        }
    }
}

/// Whether a JSON file that begins like this holds records: an array, several values, or one object with the field.
fn holds_records(head: &[u8], field: &str) -> bool {
    let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
    match head.first() {
        Some(b'[') => true,
        Some(b'{') => {
            let mut scanner = ValueScanner::default();
            match head.iter().position(|&byte| scanner.ends_at(byte)) {
                // Longer than what was looked at: not settings that somebody wrote.
                None => true,
                Some(last) if !head[last + 1..].iter().all(|&byte| is_space(byte)) => true,
                Some(last) => std::str::from_utf8(&head[..=last]).is_ok_and(|one| string_field(one, field).is_ok()),
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_told_from_settings() {
        for records in [
            "[]",
            " [{\"a\": 1}]",
            "{\"a\": 1}\n{\"a\": 2}",
            "\u{feff}{\"text\": \"x\"}\n",
            "{\"a\": \"}\"} {}",
            "{\"never\": \"closed",
        ] {
            assert!(holds_records(records.as_bytes(), "text"), "{records}");
        }
        for text in ["", "{\"a\": {\"text\": \"x\"}}\n", "{\"a\": \"\\\"}{\"}", "// a comment\n{}", "\"x\"", "12"] {
            assert!(!holds_records(text.as_bytes(), "text"), "{text}");
        }
    }

    #[test]
    fn names_say_the_format() {
        for format in InputFormat::ALL {
            assert_eq!(InputFormat::named(format.name()).unwrap(), format);
        }
        assert_eq!(InputFormat::of_name(Path::new("a.JSONL.gz")), InputFormat::JsonLines);
        assert_eq!(InputFormat::of_name(Path::new("a.json.zst")), InputFormat::Json);
        assert_eq!(InputFormat::of_name(Path::new("json")), InputFormat::Text);
        assert_eq!(InputFormat::of_name(Path::new("a.csv.xz")), InputFormat::Csv);
        assert_eq!(InputFormat::of_name(Path::new("a.tsv.bz2")), InputFormat::Tsv);
        assert_eq!(InputFormat::of_name(Path::new("a.parquet")), InputFormat::Parquet);
        assert_eq!(
            InputFormat::named("xml").unwrap_err().to_string(),
            "unknown input_format \"xml\" (known: text, lines, jsonl, json, csv, tsv, parquet, arrow)"
        );
    }
}
