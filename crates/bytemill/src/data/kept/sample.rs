//! The columns to keep and their types, from those that are asked for and from the first records.

use super::super::foreign::TableSchema;
use super::super::input_format::InputFormat;
use super::super::records::Records;
use super::super::source::SourceOptions;
use super::super::{Listing, SourceFile, TokenFormat};
use super::fields::{Fields, fields_of, find, type_of};
use super::{Keep, KeepRequest, KeptColumn, KeptColumns, KeptType};
use crate::error::{Error, Result};
use crate::text::nearest::did_you_mean;

/// Records that are looked at.
const SAMPLED: usize = 1000;

/// Names of columns that the output has itself.
const TAKEN: [&str; 2] = ["ids", "lengths"];

/// Names of fields shown in messages.
const SHOWN: usize = 12;

impl Keep {
    /// The columns that are asked for, as the first records or the first table of the listing have them.
    pub fn of(request: &KeepRequest, listing: &Listing, options: &SourceOptions, output: TokenFormat) -> Result<Self> {
        if !matches!(output, TokenFormat::Jsonl | TokenFormat::Parquet | TokenFormat::Arrow) {
            let name = output.name();
            return Err(Error::Spec(format!(
                "keep_columns is for jsonl, parquet and arrow, and the format of the output is {name}, which holds ids alone"
            )));
        }
        let for_lines = output == TokenFormat::Jsonl;
        let asked = Asking { request, options, for_lines };
        let mut columns = KeptColumns::Records { columns: asked.of_fields(&[], None)?, all: request.all };
        for file in &listing.files {
            let found = match options.format_of(&file.path)? {
                format if format.is_foreign() => KeptColumns::Table(asked.of_table(file, format)?),
                format => match asked.of_records(file, format)? {
                    Some(columns) => KeptColumns::Records { columns, all: request.all },
                    None => continue,
                },
            };
            columns = found;
            break;
        }
        let keep = Keep { columns, for_lines };
        match keep.described().iter().find(|(name, _)| TAKEN.contains(&name.as_str())) {
            Some((name, _)) => Err(Error::Spec(format!(
                "a kept column cannot be called {name:?}, as the output has a column of that name itself; list others with \
                 keep_columns="
            ))),
            None => Ok(keep),
        }
    }
}

struct Asking<'a> {
    request: &'a KeepRequest,
    options: &'a SourceOptions,
    for_lines: bool,
}

impl Asking<'_> {
    fn of_table(&self, file: &SourceFile, format: InputFormat) -> Result<TableSchema> {
        if let Some((name, _)) = self.request.columns.iter().find(|(_, kind)| kind.is_some()) {
            return Err(Error::Spec(format!(
                "the columns of {} have types; leave out that of {name:?} in keep_columns=",
                file.path.display()
            )));
        }
        let Some(foreign) = &self.options.foreign else {
            let reason = format!("nobody reads files of the format {} here", format.name());
            return Err(Error::format(file.path.display().to_string(), reason));
        };
        let names: Option<Vec<String>> =
            (!self.request.all).then(|| self.request.columns.iter().map(|(name, _)| name.clone()).collect());
        foreign.schema(&file.path, format, names.as_deref(), &self.options.field)
    }

    /// None if there is no record in the file.
    fn of_records(&self, file: &SourceFile, format: InputFormat) -> Result<Option<Vec<KeptColumn>>> {
        refuse_text(file, format)?;
        if !file.path.is_file() {
            return self.of_fields(&[], None).map(Some);
        }
        let mut records = Records::open(&file.path, format, self.options)?;
        if let Some(names) = records.column_names() {
            return self.of_columns(file, &names).map(Some);
        }
        let Some(raw) = records.next_records(Vec::new())? else { return Ok(None) };
        let texts: Vec<String> =
            raw.texts().take(SAMPLED).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        let fields: Vec<Fields> = texts.iter().filter_map(|text| fields_of(text)).collect();
        if fields.is_empty() { Ok(None) } else { self.of_fields(&fields, Some(file)).map(Some) }
    }

    /// For tables of texts, whose first line has the names.
    fn of_columns(&self, file: &SourceFile, names: &[String]) -> Result<Vec<KeptColumn>> {
        let column = |(name, kind): &(String, Option<KeptType>)| match names.contains(name) {
            true => Ok(KeptColumn { name: name.clone(), kind: kind.unwrap_or(KeptType::String) }),
            false => Err(no_column(file, name, "column", names)),
        };
        match self.request.all {
            true => Ok(others(names, &self.options.field).map(|name| string_column(name)).collect()),
            false => self.request.columns.iter().map(column).collect(),
        }
    }

    fn of_fields(&self, sample: &[Fields], file: Option<&SourceFile>) -> Result<Vec<KeptColumn>> {
        let mut names: Vec<String> = sample.iter().flat_map(|fields| fields.keys().cloned()).collect();
        names.sort();
        names.dedup();
        let all: Vec<(String, Option<KeptType>)>;
        let asked = match self.request.all {
            true => {
                all = others(&names, &self.options.field).map(|name| (name.clone(), None)).collect();
                &all
            }
            false => &self.request.columns,
        };
        let column = |(name, given): &(String, Option<KeptType>)| {
            let values = sample.iter().filter_map(|fields| find(fields, name)).map(|value| value.get());
            match (file, given) {
                (Some(file), None) if values.clone().next().is_none() => Err(no_column(file, name, "field", &names)),
                (_, Some(kind)) => Ok(KeptColumn { name: name.clone(), kind: *kind }),
                (_, None) if self.for_lines => Ok(KeptColumn { name: name.clone(), kind: KeptType::Json }),
                (_, None) => Ok(KeptColumn { name: name.clone(), kind: type_of(values) }),
            }
        };
        asked.iter().map(column).collect()
    }
}

fn others<'n>(names: &'n [String], text: &str) -> impl Iterator<Item = &'n String> {
    names.iter().filter(move |name| *name != text)
}

fn string_column(name: &str) -> KeptColumn {
    KeptColumn { name: name.into(), kind: KeptType::String }
}

/// Files that are no records have nothing to keep.
pub(in super::super) fn refuse_text(file: &SourceFile, format: InputFormat) -> Result<()> {
    match format {
        InputFormat::Text | InputFormat::Lines => Err(Error::Spec(format!(
            "{} is text, which has no columns to keep; leave out keep_columns=",
            file.path.display()
        ))),
        _ => Ok(()),
    }
}

fn no_column(file: &SourceFile, name: &str, unit: &str, names: &[String]) -> Error {
    let listed: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    let way_out = match unit {
        "field" => format!("; to keep it all the same, name its type, as in keep_columns={{{name:?}: \"json\"}}"),
        _ => String::new(),
    };
    Error::Spec(format!(
        "no {unit} {name:?} to keep in {}, which has {}{way_out}{}",
        file.path.display(),
        listed.join(", "),
        did_you_mean(name, names.iter().map(String::as_str))
    ))
}
