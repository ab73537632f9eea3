use super::super::source::BadRows;
use super::*;
use proptest::prelude::*;

fn read(bytes: &[u8], format: InputFormat, replace: bool) -> (Vec<String>, Option<String>) {
    let bad_rows = if replace { BadRows::Replace } else { BadRows::Stop };
    read_with(bytes, format, SourceOptions { bad_rows, ..SourceOptions::default() })
}

/// The documents of a file with these bytes, then its error if it has one, without the folder's path.
pub(crate) fn read_with(bytes: &[u8], format: InputFormat, options: SourceOptions) -> (Vec<String>, Option<String>) {
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
        let raw = match records.next_records(Vec::new()) {
            Ok(Some(raw)) => raw,
            Ok(None) => return (documents, None),
            Err(error) => return (documents, Some(failed(error))),
        };
        for (_, found) in raw.documents(&options) {
            match found {
                Ok(document) => documents.push(document.text),
                Err(error) => return (documents, Some(failed(error))),
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
    assert!(error.starts_with("a, row 1: no column \"text\" among those that the first line names: \"id\", \"body\""));
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
