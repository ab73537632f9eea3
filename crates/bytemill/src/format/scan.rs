//! Reading the large lists of a JSON file without building values: strings go from the file into one buffer, numbers into another.
//!
//! A scanner reads what it is asked for or gives up. It never says what is wrong: its caller reads the file again with `serde_json`,
//! whose values and errors are the ones that count. So all that a scanner accepts must be JSON, and mean what `serde_json` takes it for.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Map, Value};

/// Many strings in one buffer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    /// For strings of `bytes` bytes in all. Room that stays unused is never touched.
    pub(super) fn with_room(bytes: usize) -> Self {
        Strings { text: String::with_capacity(bytes), ends: Vec::with_capacity(bytes / 4) }
    }

    pub(super) fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len());
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.ends.iter().enumerate().map(|(i, &end)| {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            &self.text[start..end]
        })
    }
}

pub(super) struct JsonScanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> JsonScanner<'a> {
    /// None where the bytes are not UTF-8.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        simdutf8::basic::from_utf8(bytes).ok().map(|text| JsonScanner { text, at: 0 })
    }

    /// For the beginning of a file: its first `most` bytes, or somewhat fewer, are looked at.
    pub(super) fn of_start(bytes: &'a [u8], most: usize) -> Option<Self> {
        let start = &bytes[..bytes.len().min(most)];
        let valid = simdutf8::compat::from_utf8(start).map_or_else(|error| error.valid_up_to(), str::len);
        Self::new(&start[..valid])
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest().len()
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The byte that the next value, or what stands between values, begins with.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The members of a list or an object, each read by `each`.
    pub(super) fn members(
        &mut self,
        [open, close]: [u8; 2],
        mut each: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.take(open)?;
        if self.peek()? == close {
            return self.take(close);
        }
        loop {
            each(self)?;
            if self.take(b',').is_none() {
                return self.take(close);
            }
        }
    }

    /// The members of an object, each read by `each` from its value on. Gives up where a key is there twice.
    pub(super) fn object(
        &mut self,
        mut each: impl FnMut(&str, &mut Self) -> Option<Value>,
    ) -> Option<Map<String, Value>> {
        let mut map = Map::new();
        self.members(*b"{}", |scanner| {
            let key = scanner.string()?;
            scanner.take(b':')?;
            let value = each(&key, scanner)?;
            map.insert(key.into_owned(), value).is_none().then_some(())
        })?;
        Some(map)
    }

    /// Any value; as `IgnoredAny` it is passed over.
    pub(super) fn value<T: DeserializeOwned>(&mut self) -> Option<T> {
        let mut values = Deserializer::from_slice(self.rest()).into_iter::<T>();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }

    #[inline]
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        self.take(b'"')?;
        let start = self.at;
        self.at += plain_length(self.rest());
        match self.text.as_bytes().get(self.at)? {
            b'"' => {
                self.at += 1;
                Some(Cow::Borrowed(&self.text[start..self.at - 1]))
            }
            b'\\' => {
                self.at = start - 1;
                self.value().map(Cow::Owned)
            }
            _ => None,
        }
    }

    /// A whole number from 0 to 4294967295.
    #[inline]
    pub(super) fn number(&mut self) -> Option<u32> {
        self.peek()?;
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit());
        let (mut number, mut length) = (0u64, 0);
        for &digit in digits.take(11) {
            number = 10 * number + u64::from(digit - b'0');
            length += 1;
        }
        let begins_with_zero = length > 1 && self.rest()[0] == b'0';
        self.at += length;
        let goes_on = matches!(self.rest().first(), Some(b'.' | b'e' | b'E' | b'0'..=b'9'));
        (length > 0 && !begins_with_zero && !goes_on).then(|| u32::try_from(number).ok()).flatten()
    }

    /// Any number, rounded as `serde_json` rounds it.
    pub(super) fn float(&mut self) -> Option<f64> {
        self.peek()?;
        let part = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = self.rest().iter().take_while(part).count();
        let number = serde_json::from_slice(&self.rest()[..length]).ok()?;
        self.at += length;
        Some(number)
    }

    /// Whether nothing follows.
    pub(super) fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }
}

/// How many bytes a string begins with that stand for themselves: up to a quote, a backslash or a control character.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // The highest bit of each byte that is less than `bound`, and perhaps of some that follow the first such byte.
    let less = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word & HIGH;
    let (words, tail) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let special =
            less(word, b' ') | less(word ^ (ONES * u64::from(b'"')), 1) | less(word ^ (ONES * u64::from(b'\\')), 1);
        if special != 0 {
            return 8 * i + special.trailing_zeros() as usize / 8;
        }
    }
    let plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..b' ');
    8 * words.len() + tail.iter().take_while(plain).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_end_where_one_byte_after_the_other_says(bytes in proptest::collection::vec(
            prop_oneof![any::<u8>(), Just(b'a'), Just(b'!'), Just(b'#'), Just(b'['), Just(b']'), Just(b'\x1F'), Just(b' ')], 0..40,
        )) {
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
            prop_assert_eq!(plain_length(&bytes), bytes.iter().position(special).unwrap_or(bytes.len()));
        }

        #[test]
        fn numbers_are_those_of_serde(text in "[ \n]?(0|[0-9]{1,12}|42949672[0-9]{2}|-?[0-9][.eE]?[0-9]?)") {
            let scanned = JsonScanner::new(text.as_bytes()).and_then(|mut scanner| scanner.number().filter(|_| scanner.is_done()));
            prop_assert_eq!(scanned, serde_json::from_str::<u32>(&text).ok());
        }
    }
}
