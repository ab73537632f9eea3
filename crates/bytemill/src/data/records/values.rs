//! The values of a JSON file: those of its array, or one after another.

use super::super::json_values::{ValueScanner, is_space};
use super::{Array, Records};
use crate::error::{Error, Result};

impl Records {
    /// Reads the next value of a JSON file: one of its array, or one after another.
    pub(super) fn read_value(&mut self) -> Result<bool> {
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

    fn not_json(&self, reason: &str) -> Error {
        self.error(format!("not JSON: {reason}"))
    }
}
