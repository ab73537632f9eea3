//! The kept values of one record, as members of a JSON object: `"id": 3, "url": "…"`.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::{Keep, KeptColumn, KeptColumns, KeptType};

/// The fields of an object, each as its text; of one that stands there twice the last, as in Python's json.
pub(in super::super) type Fields<'r> = HashMap<String, &'r RawValue>;

/// The fields of a record; None if it is no object.
pub(in super::super) fn fields_of(record: &str) -> Option<Fields<'_>> {
    serde_json::from_str(record).ok()
}

/// The kept values of a record of JSON, or why a value cannot be kept. With `replace` such a value is null.
pub(in super::super) fn kept_fields(
    record: &str,
    keep: &Keep,
    text_field: &str,
    replace: bool,
) -> Result<String, String> {
    let KeptColumns::Records { columns, all } = &keep.columns else { return Ok(String::new()) };
    let fields = fields_of(record).unwrap_or_default();
    if *all && !replace {
        let is_known = |name: &String| name == text_field || columns.iter().any(|column| column.name == *name);
        if let Some(name) = fields.keys().filter(|name| !is_known(name)).min() {
            return Err(format!(
                "the field {name:?} is in none of the first records, by which the columns to keep were chosen; list them \
                 with keep_columns="
            ));
        }
    }
    let values = columns.iter().map(|column| find(&fields, &column.name).map(|value| Cow::Borrowed(value.get())));
    joined(keep, columns, values, replace)
}

/// The same of a row of texts, in the order of the columns.
pub(in super::super) fn kept_values(
    values: impl Iterator<Item = Option<String>>,
    keep: &Keep,
    replace: bool,
) -> Result<String, String> {
    let KeptColumns::Records { columns, .. } = &keep.columns else { return Ok(String::new()) };
    let as_json = values.zip(columns).map(|(value, column)| value.map(|value| Cow::Owned(as_json(value, column.kind))));
    joined(keep, columns, as_json, replace)
}

/// A text of a table as the value that it is written for. Where that is no text, an empty one stands for null.
fn as_json(text: String, kind: KeptType) -> String {
    match kind {
        KeptType::String | KeptType::Json => serde_json::Value::String(text).to_string(),
        _ if text.is_empty() => "null".into(),
        _ if serde_json::from_str::<&RawValue>(&text).is_ok_and(|value| value.get() == text) => text,
        // What JSON would not write so, such as 007, is no number.
        _ => serde_json::Value::String(text).to_string(),
    }
}

/// The value of a field: one of that very name, or what is at the end of the way through objects that names with dots
/// between them are.
pub(super) fn find<'r>(fields: &Fields<'r>, name: &str) -> Option<&'r RawValue> {
    fields.get(name).copied().or_else(|| {
        name.match_indices('.').find_map(|(at, _)| find(&fields_of(fields.get(&name[..at])?.get())?, &name[at + 1..]))
    })
}

fn joined<'v>(
    keep: &Keep,
    columns: &[KeptColumn],
    values: impl Iterator<Item = Option<Cow<'v, str>>>,
    replace: bool,
) -> Result<String, String> {
    let mut members = String::new();
    for (column, value) in columns.iter().zip(values) {
        let KeptColumn { name, kind } = column;
        let value = value.unwrap_or(Cow::Borrowed("null"));
        let written = match fitted(&value, *kind, keep.for_lines) {
            Some(written) => written,
            None if replace => Cow::Borrowed("null"),
            None => {
                return Err(format!(
                    "the kept column {name:?} is of the type {}, and {} is not; name another type, as in \
                     keep_columns={{{name:?}: \"json\"}}",
                    kind.name(),
                    shortened(&value)
                ));
            }
        };
        let comma = if members.is_empty() { "" } else { ", " };
        members += &format!("{comma}{}: {written}", serde_json::Value::from(name.as_str()));
    }
    Ok(members)
}

fn shortened(value: &str) -> String {
    const SHOWN: usize = 40;
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_string(),
    }
}

/// A value as the output holds it; None if it is not of the type.
fn fitted(value: &str, kind: KeptType, for_lines: bool) -> Option<Cow<'_, str>> {
    if value == "null" {
        return Some(Cow::Borrowed(value));
    }
    let fits = match kind {
        // Between its parts a value may have line ends, which a line cannot; within texts they are escapes.
        KeptType::Json if for_lines && value.contains(['\n', '\r']) => {
            return Some(Cow::Owned(value.replace(['\n', '\r'], " ")));
        }
        KeptType::Json if for_lines => true,
        // A table has the text of it.
        KeptType::Json => return Some(Cow::Owned(serde_json::Value::from(value).to_string())),
        KeptType::Bool => matches!(value, "true" | "false"),
        KeptType::Int64 => value.parse::<i64>().is_ok(),
        KeptType::Float64 => is_exact_float(value),
        // Half of a surrogate pair is no character: it passes as text of JSON alone.
        KeptType::String => serde_json::from_str::<String>(value).is_ok(),
    };
    fits.then_some(Cow::Borrowed(value))
}

/// Whether it is a number that a float of eight bytes holds: of whole numbers exactly, of others as usual.
fn is_exact_float(value: &str) -> bool {
    let is_number = value.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let Some(float) = value.parse::<f64>().ok().filter(|float| is_number && float.is_finite()) else { return false };
    let is_whole = !value.contains(['.', 'e', 'E']);
    !is_whole || value.parse::<i128>().is_ok_and(|whole| float as i128 == whole)
}

/// The narrowest type that holds all values of a column. Null is of every type; a column of nulls can turn out to be
/// anything.
pub(super) fn type_of<'v>(values: impl Iterator<Item = &'v str> + Clone) -> KeptType {
    let mut values = values.filter(|value| *value != "null").peekable();
    if values.peek().is_none() {
        return KeptType::Json;
    }
    let narrow = [KeptType::Bool, KeptType::Int64, KeptType::Float64, KeptType::String];
    let holds_all = |kind: &KeptType| values.clone().all(|value| fitted(value, *kind, false).is_some());
    narrow.into_iter().find(holds_all).unwrap_or(KeptType::Json)
}
