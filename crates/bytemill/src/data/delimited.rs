//! Tables of values with commas or tabs between them: where a row ends, and the value of one column in it. A value that
//! begins with a quote ends with one, and has two for each quote in it; elsewhere a quote is a character like any other.

use memchr::{memchr, memchr2};

/// Finds the end of a row, block by block.
pub(super) struct RowScanner {
    delimiter: u8,
    state: ScanState,
}

#[derive(Clone, Copy)]
enum ScanState {
    /// At the start of a value.
    Start,
    Bare,
    Quoted,
    /// After a quote in a quoted value: its end, or the first of two.
    AfterQuote,
}

impl RowScanner {
    pub(super) fn new(delimiter: u8) -> Self {
        RowScanner { delimiter, state: ScanState::Start }
    }

    /// The end of the row in the next bytes, after its line end. None if the row continues.
    pub(super) fn end_in(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match (self.state, byte) {
                (ScanState::Quoted, _) => {
                    at += memchr(b'"', &bytes[at..])?;
                    self.state = ScanState::AfterQuote;
                }
                (ScanState::AfterQuote, b'"') => self.state = ScanState::Quoted,
                (ScanState::Start, b'"') => self.state = ScanState::Quoted,
                (_, b'\n') => return Some(at + 1),
                (_, byte) if byte == self.delimiter => self.state = ScanState::Start,
                _ => {
                    self.state = ScanState::Bare;
                    match memchr2(self.delimiter, b'\n', &bytes[at..]) {
                        Some(found) => at += found,
                        None => return None,
                    }
                    continue;
                }
            }
            at += 1;
        }
        None
    }
}

/// The values of a row, without their quotes.
struct Values<'r> {
    rest: Option<&'r str>,
    delimiter: char,
}

impl Iterator for Values<'_> {
    type Item = Result<String, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find(self.delimiter);
            self.rest = end.map(|end| &rest[end + 1..]);
            return Some(Ok(rest[..end.unwrap_or(rest.len())].to_string()));
        };
        let mut value = String::new();
        let mut left = quoted;
        loop {
            let Some(quote) = left.find('"') else {
                return Some(Err("a quoted value has no end".into()));
            };
            value.push_str(&left[..quote]);
            left = &left[quote + 1..];
            match left.strip_prefix('"') {
                Some(after) => {
                    value.push('"');
                    left = after;
                }
                None => break,
            }
        }
        // Characters after the closing quote belong to the value, as in Python's csv.
        let end = left.find(self.delimiter);
        value.push_str(&left[..end.unwrap_or(left.len())]);
        self.rest = end.map(|end| &left[end + 1..]);
        Some(Ok(value))
    }
}

fn values(row: &str, delimiter: u8) -> Values<'_> {
    let row = row.strip_suffix('\n').unwrap_or(row);
    Values { rest: Some(row.strip_suffix('\r').unwrap_or(row)), delimiter: delimiter.into() }
}

/// What the first row calls the columns.
pub(super) fn names_of(row: &[u8], delimiter: u8) -> Vec<String> {
    columns_of(&String::from_utf8_lossy(row), delimiter)
}

/// All values of a row, up to one that has no end.
pub(super) fn columns_of(row: &str, delimiter: u8) -> Vec<String> {
    values(row, delimiter).map_while(Result::ok).collect()
}

/// The value in a column, or why there is none.
pub(super) fn column_of(row: &str, delimiter: u8, column: usize) -> Result<String, String> {
    let mut count = 0;
    for value in values(row, delimiter) {
        let value = value?;
        if count == column {
            return Ok(value);
        }
        count += 1;
    }
    Err(format!("this row has {count} values, too few for column {}", column + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_found() {
        let row = "a,\"b,\"\"c\"\"\nd\",5\" disk,,\"\"\r\n";
        let found: Result<Vec<String>, String> = values(row, b',').collect();
        assert_eq!(found.unwrap(), ["a", "b,\"c\"\nd", "5\" disk", "", ""]);
        assert_eq!(column_of("a,b\n", b',', 2), Err("this row has 2 values, too few for column 3".into()));
        assert_eq!(column_of("a\tb", b'\t', 1), Ok("b".into()));
        assert_eq!(column_of("\"a", b',', 0), Err("a quoted value has no end".into()));
    }

    proptest! {
        #[test]
        fn rows_end_where_they_end_however_they_come(
            rows in prop::collection::vec(prop::collection::vec("[a,\"\n\r ]{0,6}", 1..4), 1..5),
            cut in 1usize..9,
        ) {
            let quoted = |value: &String| format!("\"{}\"", value.replace('"', "\"\""));
            let written: Vec<String> = rows.iter().map(|row| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n").collect();
            let file = written.concat();
            let mut left = file.as_bytes();
            for (row, written) in rows.iter().zip(&written) {
                let mut scanner = RowScanner::new(b',');
                let mut taken = 0;
                let end = loop {
                    let block = &left[taken..left.len().min(taken + cut)];
                    match scanner.end_in(block) {
                        Some(end) => break taken + end,
                        None => taken += block.len(),
                    }
                };
                prop_assert_eq!(&left[..end], written.as_bytes());
                let found: Result<Vec<String>, String> = values(written, b',').collect();
                prop_assert_eq!(&found.unwrap(), row);
                left = &left[end..];
            }
        }
    }
}
