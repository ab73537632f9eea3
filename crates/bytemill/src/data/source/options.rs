//! How files are read, and what becomes of rows that hold no text.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::foreign::ForeignTables;
use super::super::input_format::InputFormat;
use super::super::kept::Keep;
use crate::error::{Error, Result};

#[derive(Clone, Debug)]
pub struct SourceOptions {
    /// How files become documents; without it their names say so, and of `.json` their content.
    pub format: Option<InputFormat>,
    /// The field of a JSON record, or the column of a table, that holds the document.
    pub field: String,
    /// What stands between two documents of a text file; without it, the file is one.
    pub separator: Option<String>,
    pub bad_rows: BadRows,
    /// Other columns whose values go along with the documents.
    pub keep: Option<Arc<Keep>>,
    /// Reads the tables that the core does not know.
    pub foreign: Option<Arc<dyn ForeignTables>>,
    /// About as much of a text file as is in one block.
    pub block_bytes: usize,
}

impl Default for SourceOptions {
    fn default() -> Self {
        SourceOptions {
            format: None,
            field: "text".into(),
            separator: None,
            bad_rows: BadRows::Stop,
            keep: None,
            foreign: None,
            block_bytes: 1 << 18,
        }
    }
}

impl SourceOptions {
    pub(in super::super) fn format_of(&self, path: &Path) -> Result<InputFormat> {
        match self.format {
            Some(format) => Ok(format),
            None => InputFormat::of_file(path, &self.field),
        }
    }
}

/// What happens to a document that is not there or is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRows {
    /// It is an error, which names file and row.
    Stop,
    /// Invalid UTF-8 and lone surrogate escapes become U+FFFD; a value that is no text, an empty document.
    Replace,
    /// It is left out and counted.
    Skip,
}

impl BadRows {
    const ALL: [(&'static str, BadRows); 3] =
        [("strict", BadRows::Stop), ("replace", BadRows::Replace), ("skip", BadRows::Skip)];

    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        let unknown = || Error::Spec(format!("errors is \"strict\", \"replace\" or \"skip\", not {name:?}"));
        found.map(|(_, policy)| policy).ok_or_else(unknown)
    }
}

/// Documents that were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedRows {
    pub count: u64,
    /// Why, and where, of the first ones.
    pub first: Vec<String>,
}

impl SkippedRows {
    /// As many as somebody reads.
    const SHOWN: usize = 20;

    pub(super) fn push(&mut self, error: &Error) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push(error.to_string());
        }
    }

    pub(super) fn add(&mut self, others: &SkippedRows) {
        self.count += others.count;
        let room = Self::SHOWN.saturating_sub(self.first.len());
        self.first.extend(others.first.iter().take(room).cloned());
    }
}
