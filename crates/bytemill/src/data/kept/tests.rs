use super::fields::{kept_fields, kept_values, type_of};
use super::{Keep, KeepRequest, KeptColumn, KeptColumns, KeptRows, KeptType};
use crate::data::{SourceOptions, TokenFormat, list};

fn keep(columns: &[(&str, KeptType)], for_lines: bool) -> Keep {
    let column = |&(name, kind): &(&str, KeptType)| KeptColumn { name: name.into(), kind };
    Keep { columns: KeptColumns::Records { columns: columns.iter().map(column).collect(), all: false }, for_lines }
}

#[test]
fn types_are_the_narrowest_that_hold_all_values() {
    for (values, expected) in [
        (vec!["true", "null", "false"], KeptType::Bool),
        (vec!["1", "-0", "9223372036854775807"], KeptType::Int64),
        (vec!["1", "2.5", "1e300"], KeptType::Float64),
        (vec!["9223372036854775808"], KeptType::Float64),
        (vec!["9007199254740993", "0.5"], KeptType::Json),
        (vec!["\"a\"", "\"\\n\""], KeptType::String),
        (vec!["\"\\ud800\""], KeptType::Json),
        (vec!["\"a\"", "1"], KeptType::Json),
        (vec!["{\"a\": 1}"], KeptType::Json),
        (vec!["null"], KeptType::Json),
        (vec![], KeptType::Json),
    ] {
        assert_eq!(type_of(values.iter().copied()), expected, "{values:?}");
    }
}

#[test]
fn values_are_noted_as_members() {
    let all = [("b", KeptType::Json), ("a.c", KeptType::Int64), ("none", KeptType::String)];
    let record = r#"{"text": "x", "a": {"c": 12}, "b": {"é": [1.50, 1e2]}, "a": {"c": 13}}"#;
    let noted = |for_lines| kept_fields(record, &keep(&all, for_lines), "text", false).unwrap();
    assert_eq!(noted(true), r#""b": {"é": [1.50, 1e2]}, "a.c": 13, "none": null"#);
    assert_eq!(noted(false), r#""b": "{\"é\": [1.50, 1e2]}", "a.c": 13, "none": null"#);
    let lines = "{\"b\": [1,\n 2]}";
    assert_eq!(kept_fields(lines, &keep(&all[..1], true), "text", false).unwrap(), "\"b\": [1,  2]");
}

#[test]
fn what_is_not_of_the_type_is_refused_or_null() {
    let kept = keep(&[("n", KeptType::Int64)], false);
    let reason = kept_fields("{\"n\": \"seven\"}", &kept, "text", false).unwrap_err();
    assert_eq!(
        reason,
        "the kept column \"n\" is of the type int64, and \"seven\" is not; name another type, as in \
         keep_columns={\"n\": \"json\"}"
    );
    assert_eq!(kept_fields("{\"n\": \"seven\"}", &kept, "text", true).unwrap(), "\"n\": null");
    let value = |text: &str| kept_values([Some(text.to_string())].into_iter(), &kept, false);
    assert_eq!(value("12").unwrap(), "\"n\": 12");
    assert_eq!(value("").unwrap(), "\"n\": null");
    assert!(value("007").unwrap_err().contains("\"007\" is not"));
}

#[test]
fn fields_that_the_first_records_do_not_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, "{\"text\": \"x\", \"n\": 1, \"m\": null}\n{\"text\": \"y\", \"n\": 2.5}\n").unwrap();
    let listing = list(&[path]).unwrap();
    let of = |request: &KeepRequest, format| {
        Keep::of(request, &listing, &SourceOptions::default(), format).map(|keep| keep.described())
    };
    let all = KeepRequest { all: true, ..KeepRequest::default() };
    let types = |expected: [(&str, &str); 2]| expected.map(|(name, kind)| (name.into(), kind.into())).to_vec();
    assert_eq!(of(&all, TokenFormat::Parquet).unwrap(), types([("m", "json"), ("n", "float64")]));
    assert_eq!(of(&all, TokenFormat::Jsonl).unwrap(), types([("m", "json"), ("n", "json")]));
    let one = |name: &str, kind| KeepRequest { columns: vec![(name.to_string(), kind)], all: false };
    let message = of(&one("o", None), TokenFormat::Arrow).unwrap_err().to_string();
    assert!(message.starts_with("no field \"o\" to keep in "), "{message}");
    assert!(message.ends_with(
        "which has \"m\", \"n\", \"text\"; to keep it all the same, name its type, as in keep_columns={\"o\": \"json\"}"
    ));
    assert!(of(&one("o", Some(KeptType::Json)), TokenFormat::Arrow).is_ok());
    assert_eq!(
        of(&all, TokenFormat::Bin).unwrap_err().to_string(),
        "keep_columns is for jsonl, parquet and arrow, and the format of the output is bin, which holds ids alone"
    );
    assert!(of(&one("ids", Some(KeptType::Json)), TokenFormat::Arrow).unwrap_err().to_string().contains("\"ids\""));
}

#[test]
fn rows_are_put_together_where_they_can_be_mapped() {
    let mut rows = KeptRows::default();
    rows.push(b"ab");
    rows.push(b"c");
    let others = rows.clone();
    rows.extend(&others, [1]);
    assert_eq!(rows.places.last().map(|place| (place.start, place.extent)), Some((66, 1)));
    assert_eq!(rows.bytes.len(), KeptRows::ALIGNMENT + 3);
}
