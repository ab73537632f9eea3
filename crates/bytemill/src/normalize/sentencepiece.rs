//! The normalizer inside a SentencePiece model: replacements by the longest rule, spaces as a visible mark, one before the text, and no more
//! than one in a row.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use serde::{Deserialize, Serialize};

use super::Normalized;
use super::charsmap::Charsmap;
use crate::error::{Error, Result};
use crate::span::Span;

/// What a space becomes.
pub const MARK: &str = "▁";
pub const MARK_CHARACTER: char = '▁';

/// As a file says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub charsmap: Option<Charsmap>,
    /// A mark before the text, or behind it.
    pub add_dummy_prefix: bool,
    pub whitespace_as_suffix: bool,
    pub remove_extra_whitespaces: bool,
    pub escape_whitespaces: bool,
    /// Texts that no rule touches: the user's own symbols.
    pub kept: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Rules", into = "Rules")]
pub struct SentencePiece {
    rules: Rules,
    kept: Option<Arc<AhoCorasick>>,
    /// The bytes that stay as they are where ASCII follows.
    plain: Box<[bool; 256]>,
}

impl TryFrom<Rules> for SentencePiece {
    type Error = Error;

    fn try_from(rules: Rules) -> Result<Self> {
        let kept = match rules.kept.as_slice() {
            [] => None,
            kept => {
                let builder = AhoCorasick::builder()
                    .match_kind(MatchKind::LeftmostLongest)
                    .start_kind(StartKind::Anchored)
                    .build(kept);
                Some(Arc::new(builder.map_err(|error| Error::Spec(error.to_string()))?))
            }
        };
        let plain = std::array::from_fn(|byte| {
            let byte = byte as u8;
            let starts_kept = rules.kept.iter().any(|text| text.as_bytes().first() == Some(&byte));
            let replaced = rules.charsmap.as_ref().is_some_and(|map| !map.leaves(byte));
            byte.is_ascii() && byte != b' ' && !starts_kept && !replaced
        });
        Ok(SentencePiece { rules, kept, plain: Box::new(plain) })
    }
}

impl From<SentencePiece> for Rules {
    fn from(normalizer: SentencePiece) -> Self {
        normalizer.rules
    }
}

impl PartialEq for SentencePiece {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
    }
}

impl Eq for SentencePiece {}

/// A text being written, with the place in the original of each byte, if somebody asked for it.
struct Written {
    text: Vec<u8>,
    places: Option<Vec<usize>>,
}

impl Written {
    fn push(&mut self, text: &[u8], at: usize) {
        self.text.extend_from_slice(text);
        if let Some(places) = &mut self.places {
            places.resize(self.text.len(), at);
        }
    }
}

impl SentencePiece {
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub fn apply(&self, text: &mut Normalized) {
        let (written, mut places) = self.written(text.text(), text.is_aligned());
        let aligned = places.take().map(|places| {
            let spans = places.windows(2).map(|pair| Span::new(pair[0], pair[1]));
            spans.collect()
        });
        text.replace_all(written, aligned);
    }

    /// The normalized text, and for each of its bytes and its end the place in the original.
    fn written(&self, text: &str, aligned: bool) -> (String, Option<Vec<usize>>) {
        let Rules { add_dummy_prefix, whitespace_as_suffix, remove_extra_whitespaces, .. } = self.rules;
        let space = if self.rules.escape_whitespaces { MARK } else { " " }.as_bytes();
        let bytes = text.as_bytes();
        let mut at = 0;
        while remove_extra_whitespaces && at < bytes.len() {
            match self.prefix(text, at) {
                (" ", length) => at += length,
                _ => break,
            }
        }
        let mut out = Written { text: Vec::new(), places: aligned.then(Vec::new) };
        if at == bytes.len() {
            out.places.iter_mut().for_each(|places| places.push(0));
            return (String::new(), out.places);
        }
        out.text.reserve(bytes.len() + bytes.len() / 2 + 2 * space.len());
        if add_dummy_prefix && !whitespace_as_suffix {
            out.push(space, at);
        }
        let mut after_space = remove_extra_whitespaces;
        while at < bytes.len() {
            let plain = self.plain_run(&bytes[at..]);
            if plain > 0 {
                out.text.extend_from_slice(&bytes[at..at + plain]);
                out.places.iter_mut().for_each(|places| places.extend(at..at + plain));
                at += plain;
                after_space = false;
                continue;
            }
            let (mut new, length) = self.prefix(text, at);
            if after_space {
                new = new.trim_start_matches(' ');
            }
            for part in new.split_inclusive(' ') {
                let word = part.strip_suffix(' ');
                out.push(word.unwrap_or(part).as_bytes(), at);
                if word.is_some() {
                    out.push(space, at);
                }
            }
            if !new.is_empty() {
                after_space = remove_extra_whitespaces && new.ends_with(' ');
            }
            at += length;
        }
        while remove_extra_whitespaces && out.text.ends_with(space) {
            out.text.truncate(out.text.len() - space.len());
            if let Some(places) = &mut out.places {
                at = places[out.text.len()];
                places.truncate(out.text.len());
            }
        }
        if add_dummy_prefix && whitespace_as_suffix {
            out.push(space, at);
        }
        out.places.iter_mut().for_each(|places| places.push(at));
        // Every part is UTF-8; spaces are taken off the end as whole characters.
        (String::from_utf8(out.text).unwrap_or_default(), out.places)
    }

    /// The number of bytes that stay as they are.
    #[inline]
    fn plain_run(&self, bytes: &[u8]) -> usize {
        let plain = bytes.iter().take_while(|&&byte| self.plain[usize::from(byte)]).count();
        match bytes.get(plain) {
            // The last may be the start of a rule that what follows belongs to.
            Some(next) if !next.is_ascii() => plain.saturating_sub(1),
            _ => plain,
        }
    }

    /// What the text at a place begins with: its length, and what it becomes.
    fn prefix<'a>(&'a self, text: &'a str, at: usize) -> (&'a str, usize) {
        let rest = &text[at..];
        if let Some(kept) = &self.kept
            && let Some(found) = kept.find(Input::new(rest).anchored(Anchored::Yes))
        {
            return (&rest[..found.end()], found.end());
        }
        match self.rules.charsmap.as_ref().and_then(|map| map.longest(rest.as_bytes())) {
            Some((length, new)) => (new, length),
            None => {
                let length = rest.chars().next().map_or(0, char::len_utf8);
                (&rest[..length], length)
            }
        }
    }
}
