//! Columns that are kept: values of a record beside its text, which the output has beside the ids.
//!
//! Before the work begins, [`Keep`] is made of what was asked for: which columns, and of which types. While it goes on, the
//! values of each document lie in [`KeptRows`], and then in one work file, where a document knows their place.

mod fields;
mod sample;
#[cfg(test)]
mod tests;

use bytemuck::{Pod, Zeroable};

use super::foreign::TableSchema;
use crate::error::{Error, Result};

pub(super) use fields::{kept_fields, kept_values};
pub(super) use sample::refuse_text;

/// The type of a column whose values come from JSON or from a table of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptType {
    Bool,
    Int64,
    Float64,
    String,
    /// Any value of JSON; in a table, its text.
    Json,
}

impl KeptType {
    const ALL: [KeptType; 5] = [KeptType::Bool, KeptType::Int64, KeptType::Float64, KeptType::String, KeptType::Json];

    pub fn name(self) -> &'static str {
        match self {
            KeptType::Bool => "bool",
            KeptType::Int64 => "int64",
            KeptType::Float64 => "float64",
            KeptType::String => "string",
            KeptType::Json => "json",
        }
    }

    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            Error::Spec(format!("unknown type {name:?} of a kept column (known: {known})"))
        })
    }
}

/// The columns that are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeepRequest {
    /// Names, each with its type if that was given.
    pub columns: Vec<(String, Option<KeptType>)>,
    /// Every column but that of the text, in place of `columns`.
    pub all: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptColumn {
    pub name: String,
    pub kind: KeptType,
}

/// The columns to keep, and how their values are noted until they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    pub columns: KeptColumns,
    /// Whether the output is lines of JSON, in place of a table.
    pub for_lines: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptColumns {
    /// Columns of records. Their values are noted as members of a JSON object, without the brackets around them.
    Records {
        columns: Vec<KeptColumn>,
        /// Whether a record with a column that is not listed is refused: all columns were asked for.
        all: bool,
    },
    /// Columns of tables that another reader reads. It notes the values for lines as those of records, and otherwise in a way of its own.
    Table(TableSchema),
}

impl Keep {
    /// The columns with the names of their types.
    pub fn described(&self) -> Vec<(String, String)> {
        match &self.columns {
            KeptColumns::Records { columns, .. } => {
                columns.iter().map(|column| (column.name.clone(), column.kind.name().to_string())).collect()
            }
            KeptColumns::Table(schema) => schema.columns.clone(),
        }
    }
}

/// Where the kept values of a document are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct KeptPlace {
    /// In bytes, of what holds them.
    pub start: u64,
    /// How many bytes they have; of a table that somebody else notes, the number of a row in what begins at `start`.
    pub extent: u64,
}

/// The kept values of some documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptRows {
    pub bytes: Vec<u8>,
    /// One for each document.
    pub places: Vec<KeptPlace>,
}

impl KeptRows {
    /// What is noted begins at a multiple of this many bytes, so that a table can be read where it lies.
    pub const ALIGNMENT: usize = 64;

    /// One document more, with these bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.places.push(KeptPlace { start: self.bytes.len() as u64, extent: bytes.len() as u64 });
        self.bytes.extend_from_slice(bytes);
    }

    /// The documents of others that are chosen by their numbers.
    pub fn extend(&mut self, others: &KeptRows, chosen: impl IntoIterator<Item = usize>) {
        self.bytes.resize(self.bytes.len().next_multiple_of(Self::ALIGNMENT), 0);
        let base = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&others.bytes);
        let places = chosen.into_iter().filter_map(|number| others.places.get(number));
        self.places.extend(places.map(|place| place.moved(base)));
    }
}

impl KeptPlace {
    pub(super) fn moved(self, base: u64) -> Self {
        KeptPlace { start: self.start + base, ..self }
    }
}
