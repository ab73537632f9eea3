//! The document in a JSON record: a string field of an object.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;

use crate::text::nearest::did_you_mean;

/// An error message lists this many of the fields that a line does have.
const FIELDS_SHOWN: usize = 12;

/// Why a record has no text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoText {
    pub reason: String,
    /// The field is there, and is no string.
    pub has_value: bool,
}

impl From<String> for NoText {
    fn from(reason: String) -> Self {
        NoText { reason, has_value: false }
    }
}

/// The string `field` of the object that `line` is, or the reason why there is none. With dots in it, `field` is also the way
/// through objects in objects; a field with that very name comes first.
pub(super) fn string_field(line: &str, field: &str) -> std::result::Result<String, NoText> {
    match find_field(line, field) {
        Ok(FieldSearch::Value(Value::String(text))) => Ok(text),
        Ok(FieldSearch::Value(value)) => {
            let reason = format!("field {field:?} is {}, expected a string", kind(value.to_string().as_bytes()));
            Err(NoText { reason, has_value: true })
        }
        Ok(FieldSearch::Only(fields)) => Err(format!(
            "no field {field:?} in this object, {}; name the one that holds the text with field={}",
            listed(&fields),
            did_you_mean(field, fields.iter().map(String::as_str))
        )
        .into()),
        Err(e) if e.classify() == Category::Data => {
            let found = kind(line.trim_start().as_bytes());
            Err(format!("expected an object with the field {field:?}, found {found}").into())
        }
        Err(e) => Err(why_not_json(line, field, &e).into()),
    }
}

/// The string that a record is, or its string `field`, or the reason why there is neither.
pub(super) fn string_or_field(record: &str, field: &str) -> std::result::Result<String, NoText> {
    let found = match serde_json::from_str(record) {
        Ok(Value::String(text)) => return Ok(text),
        _ => string_field(record, field),
    };
    found.map_err(|NoText { reason, has_value }| NoText {
        reason: reason.replace("expected an object with", "expected a string or an object with"),
        has_value,
    })
}

/// What one pass over an object found: the value asked for, or only these other fields.
enum FieldSearch {
    Value(Value),
    Only(Vec<String>),
}

fn find_field(line: &str, field: &str) -> serde_json::Result<FieldSearch> {
    let mut json = serde_json::Deserializer::from_str(line);
    let found = json.deserialize_map(FieldNamed(field))?;
    json.end()?;
    Ok(found)
}

/// Reads one field and steps over the others without building them.
struct FieldNamed<'f>(&'f str);

impl<'de> Visitor<'de> for FieldNamed<'_> {
    type Value = FieldSearch;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> std::result::Result<FieldSearch, M::Error> {
        let (mut value, mut nested) = (None, None);
        let mut others = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == self.0 {
                // If a field is there twice, the last counts, as in Python's json.
                value = Some(map.next_value()?);
            } else if let Some(rest) = self.0.strip_prefix(&name).and_then(|rest| rest.strip_prefix('.')) {
                nested = walk(map.next_value()?, rest).or(nested);
                others.push(name);
            } else {
                map.next_value::<IgnoredAny>()?;
                others.push(name);
            }
        }
        Ok(value.or(nested).map_or(FieldSearch::Only(others), FieldSearch::Value))
    }
}

/// The value that names with dots between them lead to, through objects in one another.
fn walk(value: Value, way: &str) -> Option<Value> {
    let Value::Object(mut object) = value else { return None };
    if let Some(found) = object.remove(way) {
        return Some(found);
    }
    way.match_indices('.').find_map(|(at, _)| walk(object.get(&way[..at])?.clone(), &way[at + 1..]))
}

fn kind(json: &[u8]) -> &'static str {
    match json.first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

fn listed(fields: &[String]) -> String {
    if fields.is_empty() {
        return "which is empty".into();
    }
    let shown: Vec<String> = fields.iter().take(FIELDS_SHOWN).map(|name| format!("{name:?}")).collect();
    match fields.len() - shown.len() {
        0 => format!("which has {}", shown.join(", ")),
        more => format!("which has {} and {more} more", shown.join(", ")),
    }
}

fn why_not_json(line: &str, field: &str, error: &serde_json::Error) -> String {
    let repaired = with_surrogates_replaced(Cow::Borrowed(line));
    if let Some(&at) = lone_surrogates(line).first()
        && find_field(&repaired, field).is_ok()
    {
        return format!(
            "the escape {} at column {} is half of a surrogate pair, which is no character; \
             read with errors=\"replace\" to have U+FFFD in its place",
            &line[at..at + 6],
            at + 1
        );
    }
    // The line that serde_json counts is the only one it was given.
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&place).unwrap_or(&message);
    format!("not JSON: {message} at column {}", error.column())
}

/// Each lone surrogate escape becomes `\ufffd`, which has its length: columns stay what they were.
pub(super) fn with_surrogates_replaced(line: Cow<str>) -> String {
    let places = lone_surrogates(&line);
    let mut line = line.into_owned();
    for at in places {
        line.replace_range(at..at + 6, "\\ufffd");
    }
    line
}

/// Where the escapes `\ud800` to `\udfff` stand that are no half of a pair.
fn lone_surrogates(line: &str) -> Vec<usize> {
    let bytes = line.as_bytes();
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'\\', bytes.get(from..).unwrap_or_default()) {
        let at = from + found;
        from = at + 2;
        match escaped_unit(bytes, at) {
            Some(0xd800..=0xdbff) if matches!(escaped_unit(bytes, at + 6), Some(0xdc00..=0xdfff)) => {
                from = at + 12;
            }
            Some(0xd800..=0xdfff) => places.push(at),
            _ => {}
        }
    }
    places
}

/// The UTF-16 unit of the escape `\uXXXX` at `at`.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)? as u16))
}

#[cfg(test)]
mod tests {
    use super::super::input_format::InputFormat;
    use super::super::records::tests::read_with;
    use super::super::source::{BadRows, SourceOptions};
    use super::string_field;

    fn read(bytes: &[u8], replace: bool) -> (Vec<String>, Option<String>) {
        let bad_rows = if replace { BadRows::Replace } else { BadRows::Stop };
        read_with(bytes, InputFormat::JsonLines, SourceOptions { bad_rows, ..SourceOptions::default() })
    }

    #[test]
    fn names_with_dots_lead_into_objects() {
        let found = |line: &str| string_field(line, "a.b.c").map_err(|error| error.reason);
        assert_eq!(found(r#"{"a": {"b": {"c": "x"}}}"#), Ok("x".into()));
        assert_eq!(found(r#"{"a.b": {"c": "x"}}"#), Ok("x".into()));
        assert_eq!(found(r#"{"a": {"b.c": "x", "b": {}}}"#), Ok("x".into()));
        assert_eq!(found(r#"{"a": {"b": {"c": "x"}}, "a.b.c": "y"}"#), Ok("y".into()));
        assert_eq!(found(r#"{"a": {"b": {"c": 1}}}"#), Err("field \"a.b.c\" is a number, expected a string".into()));
        let error = found(r#"{"a": {"c": 1}}"#).unwrap_err();
        assert!(error.starts_with("no field \"a.b.c\" in this object, which has \"a\""), "{error}");
    }

    fn reason(line: &str) -> String {
        let message = read(line.as_bytes(), false).1.unwrap();
        message.strip_prefix("a, line 1: ").unwrap().into()
    }

    #[test]
    fn lines_become_documents() {
        let file = "\u{feff}{\"id\": [1, {}], \"text\": \"a\\nb\\ud83d\\ude00\"}\r\n\n \t\r\n{\"te\\u0078t\":\"\"}\n\
                    {\"text\":\"first\",\"text\":\"last\",\"other\":\"\\ud800\"}";
        let expected = ["a\nb😀", "", "last"].map(String::from).to_vec();
        assert_eq!(read(file.as_bytes(), false), (expected.clone(), None));
        assert_eq!(read(file.as_bytes(), true), (expected, None));
        assert_eq!(read(b"", false), (vec![], None));
    }

    #[test]
    fn every_complaint_names_line_and_reason() {
        let (documents, error) = read(b"{\"text\":\"x\"}\n\n{\"text\": \"y\"\n", false);
        assert_eq!(documents, ["x"]);
        assert_eq!(error.unwrap(), "a, line 3: not JSON: EOF while parsing an object at column 12");
        assert_eq!(reason("hello"), "not JSON: expected value at column 1");
        assert_eq!(reason("{\"text\":\"x\"} {}"), "not JSON: trailing characters at column 14");
        for (line, found) in
            [(" [1]", "an array"), ("\"x\"", "a string"), ("-1", "a number"), ("true", "a boolean"), ("null", "null")]
        {
            assert_eq!(reason(line), format!("expected an object with the field \"text\", found {found}"));
        }
        assert_eq!(reason("{\"text\": {\"a\": 1}}"), "field \"text\" is an object, expected a string");
        assert_eq!(reason("{\"text\": null}"), "field \"text\" is null, expected a string");
        assert_eq!(
            reason("{\"content\": \"x\", \"id\": 1}"),
            "no field \"text\" in this object, which has \"content\", \"id\"; name the one that holds the text with field="
        );
        assert_eq!(
            reason("{}"),
            "no field \"text\" in this object, which is empty; name the one that holds the text with field="
        );
        let many: Vec<String> = (0..15).map(|i| format!("\"{i}\":0")).collect();
        assert!(reason(&format!("{{{}}}", many.join(","))).contains("\"11\" and 3 more;"));
    }

    #[test]
    fn lone_surrogates_are_refused_or_replaced() {
        let line = r#"{"text": "\\ud800 \ud800 \uDFFFx\ud83d\ud83d\ude00 \ud800"}"#;
        assert_eq!(
            reason(line),
            "the escape \\ud800 at column 19 is half of a surrogate pair, which is no character; \
             read with errors=\"replace\" to have U+FFFD in its place"
        );
        let expected = "\\ud800 \u{fffd} \u{fffd}x\u{fffd}😀 \u{fffd}";
        assert_eq!(read(line.as_bytes(), true), (vec![expected.into()], None));
        assert_eq!(reason(r#"{"text": "\ud800" oops}"#), "not JSON: unexpected end of hex escape at column 17");
        for end in ["\\", "\\u", "\\ud8", "\\ud800", "\\ud800\\", "\\ud800\\u"] {
            assert!(reason(&format!("{{\"text\": \"{end}")).starts_with("not JSON: "));
        }
    }

    #[test]
    fn invalid_utf8_is_refused_at_its_place_in_the_file_or_replaced() {
        let file = b"\xef\xbb\xbf{\"text\":\"ok\"}\n{\"text\":\"a\xe2\x82 b\xff\"}\n";
        let (documents, error) = read(file, false);
        assert_eq!(documents, ["ok"]);
        let error = error.unwrap();
        assert!(error.starts_with("byte 27 of a is 0xe2,"), "{error}");
        let expected = ["ok", "a\u{fffd} b\u{fffd}"].map(String::from).to_vec();
        assert_eq!(read(file, true), (expected, None));
    }
}
