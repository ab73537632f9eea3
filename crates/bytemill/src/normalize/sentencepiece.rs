//! The normalizer inside a SentencePiece model: replacements by the longest rule, spaces as a visible mark, one before the text, and no more
//! than one in a row.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use serde::{Deserialize, Serialize};

use super::Normalized;
use super::charsmap::Charsmap;
use super::plain::Plain;
use crate::error::{Error, Result};
use crate::text::span::Span;
use crate::text::white::White;

/// What a space becomes.
pub(crate) const MARK: &str = "▁";
pub(crate) const MARK_CHARACTER: char = '▁';

/// As a file says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentencePieceRules {
    pub charsmap: Option<Charsmap>,
    /// A mark before the text, or after it.
    pub add_dummy_prefix: bool,
    pub whitespace_as_suffix: bool,
    pub remove_extra_whitespaces: bool,
    pub escape_whitespaces: bool,
    /// Texts that no rule touches: the user's own symbols.
    pub kept: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "SentencePieceRules", into = "SentencePieceRules")]
pub struct SentencePiece {
    rules: SentencePieceRules,
    kept: Option<Arc<AhoCorasick>>,
    plain: Arc<Plain>,
}

impl TryFrom<SentencePieceRules> for SentencePiece {
    type Error = Error;

    fn try_from(rules: SentencePieceRules) -> Result<Self> {
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
        let plain = match &rules.charsmap {
            Some(map) if rules.kept.is_empty() => map.plain().clone(),
            map => Arc::new(Plain::new(map.as_ref(), &rules.kept)),
        };
        Ok(SentencePiece { rules, kept, plain })
    }
}

impl SentencePiece {
    /// A mark before the text and for every space, and nothing else.
    pub fn marks() -> Result<Self> {
        SentencePiece::try_from(SentencePieceRules {
            charsmap: None,
            add_dummy_prefix: true,
            whitespace_as_suffix: false,
            remove_extra_whitespaces: false,
            escape_whitespaces: true,
            kept: Vec::new(),
        })
    }
}

impl From<SentencePiece> for SentencePieceRules {
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
    /// Whole characters.
    text: Vec<u8>,
    places: Option<Vec<usize>>,
}

/// This many bytes are copied at once where there are as many: most words have fewer, and a call for each costs more.
const AT_ONCE: usize = 16;

impl Written {
    #[inline]
    fn push(&mut self, text: &str, at: usize) {
        match text {
            MARK => self.text.extend_from_slice(MARK.as_bytes()),
            _ => self.text.extend_from_slice(text.as_bytes()),
        }
        if let Some(places) = &mut self.places {
            places.resize(self.text.len(), at);
        }
    }

    /// Characters of a text that stay, or become lower case.
    #[inline]
    fn copy(&mut self, text: &str, at: usize, length: usize, lower: bool) {
        let start = self.text.len();
        match text.as_bytes()[at..].first_chunk::<AT_ONCE>() {
            Some(chunk) if length <= AT_ONCE => {
                self.text.extend_from_slice(chunk);
                self.text.truncate(start + length);
            }
            _ => self.text.extend_from_slice(&text.as_bytes()[at..at + length]),
        }
        if lower {
            self.text[start..].make_ascii_lowercase();
        }
        if let Some(places) = &mut self.places {
            let each = text[at..at + length].char_indices();
            places.extend(each.flat_map(|(i, c)| std::iter::repeat_n(at + i, c.len_utf8())));
        }
    }
}

impl SentencePiece {
    pub fn rules(&self) -> &SentencePieceRules {
        &self.rules
    }

    /// Whether words that are parted by white space can be normalized one by one, as `mark_word` does.
    pub fn takes_words(&self) -> bool {
        let SentencePieceRules { add_dummy_prefix, whitespace_as_suffix, escape_whitespaces, .. } = self.rules;
        let marks = add_dummy_prefix && !whitespace_as_suffix && escape_whitespaces;
        // At the end of a word these would go, and in a text stay.
        let ends_words = |map: &Charsmap| map.makes(MARK) || map.makes("  ");
        marks && self.plain.parts_words && !self.rules.charsmap.as_ref().is_some_and(ends_words)
    }

    /// The characters that it leaves as they are.
    pub fn plain(&self) -> &Plain {
        &self.plain
    }

    /// What parts words: where several spaces are one, all that becomes a space.
    pub fn white(&self) -> White {
        if self.rules.remove_extra_whitespaces { self.plain.white } else { White::SPACE }
    }

    /// What a word becomes that has a space before it, or that is a part of one. None if that depends on what is around it.
    pub fn word<'a>(&self, word: &str, buffer: &'a mut String) -> Option<&'a str> {
        if let Some(word) = word.strip_prefix(|c: char| u8::try_from(c).is_ok_and(|byte| self.white().contains(byte))) {
            return self.mark_word(word, buffer).then_some(buffer);
        }
        debug_assert!(
            self.rules.charsmap.is_none() || self.prefix(word, 0).0.len() == 1,
            "a part begins with what stays"
        );
        self.mark_word(word, buffer).then(|| &buffer[MARK.len()..])
    }

    /// Writes what a word of a text becomes, with a mark before it. False if that depends on what is around the word.
    pub fn mark_word(&self, word: &str, buffer: &mut String) -> bool {
        if self.plain.is_ascii(word) {
            buffer.clear();
            buffer.push_str(MARK);
            buffer.push_str(word);
            if self.plain.folds() {
                buffer.make_ascii_lowercase();
            }
            return true;
        }
        *buffer = self.written(word, false, std::mem::take(buffer)).0;
        if self.rules.remove_extra_whitespaces {
            // Marks at the end of a text go, and spaces beside others; but a mark that was none is no space.
            return !word.contains(MARK_CHARACTER);
        }
        let spaces = word.bytes().take_while(|&byte| byte == b' ').count();
        let rest = &buffer[(spaces + 1) * MARK.len()..];
        !(rest.is_empty() || rest.starts_with(MARK_CHARACTER) || rest.ends_with(MARK_CHARACTER))
    }

    /// Whether a word, with spaces before it, stays as it is but for these, which become marks whatever is around the word.
    pub fn keeps(&self, word: &str) -> bool {
        let mut marks = memchr::memchr_iter(MARK.as_bytes()[0], word.as_bytes());
        let is_extra = self.rules.remove_extra_whitespaces && word.starts_with("  ");
        !is_extra && self.plain.keeps(word) && !marks.any(|at| word[at..].starts_with(MARK))
    }

    pub fn apply(&self, text: &mut Normalized) {
        let (written, mut places) = self.written(text.text(), text.is_aligned(), String::new());
        let aligned = places.take().map(|places| {
            let spans = places.windows(2).map(|pair| Span::new(pair[0], pair[1]));
            spans.collect()
        });
        text.replace_all(written, aligned);
    }

    /// The normalized text, in place of what is in the buffer, and for each of its bytes and its end the place in the original.
    fn written(&self, text: &str, aligned: bool, mut buffer: String) -> (String, Option<Vec<usize>>) {
        let SentencePieceRules { add_dummy_prefix, whitespace_as_suffix, remove_extra_whitespaces, .. } = self.rules;
        let space = if self.rules.escape_whitespaces { MARK } else { " " };
        let bytes = text.as_bytes();
        let mut at = 0;
        while remove_extra_whitespaces && at < bytes.len() {
            match self.prefix(text, at) {
                (" ", length) => at += length,
                _ => break,
            }
        }
        buffer.clear();
        let mut out = Written { text: buffer.into_bytes(), places: aligned.then(Vec::new) };
        if at == bytes.len() {
            out.places.iter_mut().for_each(|places| places.push(0));
            return (String::new(), out.places);
        }
        out.text.reserve(bytes.len() + bytes.len() / 2 + 2 * space.len());
        if add_dummy_prefix && !whitespace_as_suffix {
            out.push(space, at);
        }
        let mut after_space = remove_extra_whitespaces;
        // All of a symbol of the user's own has its place where the symbol begins.
        let one_by_one = aligned && self.kept.is_some() && self.plain.keeps_everything();
        while at < bytes.len() {
            if bytes[at] == b' ' && self.plain.space {
                if !after_space {
                    out.push(space, at);
                    after_space = remove_extra_whitespaces;
                }
                at += 1;
                continue;
            }
            let (plain, lower) = self.plain.run(text, at);
            if plain > 0 && !one_by_one {
                out.copy(text, at, plain, lower);
                at += plain;
                after_space = false;
                continue;
            }
            let (mut new, length) = self.prefix(text, at);
            if after_space {
                new = new.trim_start_matches(' ');
            }
            if new.bytes().any(|byte| byte == b' ') {
                for part in new.split_inclusive(' ') {
                    let word = part.strip_suffix(' ');
                    out.push(word.unwrap_or(part), at);
                    if word.is_some() {
                        out.push(space, at);
                    }
                }
            } else {
                out.push(new, at);
            }
            if !new.is_empty() {
                after_space = remove_extra_whitespaces && new.ends_with(' ');
            }
            at += length;
        }
        while remove_extra_whitespaces && out.text.ends_with(space.as_bytes()) {
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
        debug_assert!(std::str::from_utf8(&out.text).is_ok(), "whole characters");
        // SAFETY: what is written are stretches of `str`, each cut where a `str` may be cut, in which ASCII becomes ASCII at most, and what
        // is taken off the end is a character. (To check it again takes a tenth of the time of encoding.)
        (unsafe { String::from_utf8_unchecked(out.text) }, out.places)
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::pretokenize::runs::Borders;
    use crate::pretokenize::spaces::Spaces;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// A character map as files hold it: of each node of the trie, the children have a block of their own.
    pub(crate) fn charsmap(rules: &BTreeMap<String, String>) -> Charsmap {
        let (mut units, mut texts) = (vec![0u32; 256], Vec::new());
        let mut nodes: BTreeMap<Vec<u8>, (usize, Option<usize>)> = BTreeMap::from([(Vec::new(), (0, None))]);
        for (rule, new) in rules {
            for length in 0..=rule.len() {
                let node = rule.as_bytes()[..length].to_vec();
                let (place, children) = nodes[&node];
                let base = children.unwrap_or_else(|| {
                    let base = units.len();
                    units.resize(base + 256, 1 << 31);
                    units[place] |= ((place ^ base) as u32) << 10;
                    base
                });
                nodes.insert(node.clone(), (place, Some(base)));
                let Some(&byte) = rule.as_bytes().get(length) else {
                    units[place] |= 1 << 8;
                    units[base] = 1 << 31 | texts.len() as u32;
                    continue;
                };
                let child = base ^ usize::from(byte);
                nodes.entry([node, vec![byte]].concat()).or_insert_with(|| {
                    units[child] = byte.into();
                    (child, None)
                });
            }
            texts.extend(new.bytes().chain([0]));
        }
        texts.push(0);
        let size = (4 * units.len() as u32).to_le_bytes();
        Charsmap::new(
            &[&size[..], &units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>(), &texts].concat(),
        )
        .unwrap()
    }

    /// The slow twin: rule by rule, with nothing copied at once.
    fn naive(normalizer: &SentencePiece, text: &str) -> String {
        let SentencePieceRules { add_dummy_prefix, remove_extra_whitespaces: remove, whitespace_as_suffix, .. } =
            normalizer.rules;
        let (mut out, mut at) = (String::new(), 0);
        while remove && at < text.len() && normalizer.prefix(text, at).0 == " " {
            at += normalizer.prefix(text, at).1;
        }
        if at == text.len() {
            return out;
        }
        while at < text.len() {
            let (new, length) = normalizer.prefix(text, at);
            let trims = remove && (out.is_empty() || out.ends_with(' '));
            out.push_str(if trims { new.trim_start_matches(' ') } else { new });
            at += length;
        }
        if add_dummy_prefix && !whitespace_as_suffix {
            out.insert(0, ' ');
        }
        if remove {
            out.truncate(out.trim_end_matches(' ').len());
        }
        if add_dummy_prefix && whitespace_as_suffix {
            out.push(' ');
        }
        if normalizer.rules.escape_whitespaces { out.replace(' ', MARK) } else { out }
    }

    proptest! {
        #[test]
        fn runs_that_are_copied_are_what_the_rules_give(
            rules in proptest::collection::btree_map("[a-cA-C éか\n\t\u{3099}]|[a-cA-Cか][a\u{301}\u{3099}]|[a-c][ab][ab ]", "[a-c ]{0,2}|▁", 0..12),
            folds in any::<bool>(),
            kept in proptest::collection::vec("[abか ]{1,3}", 0..3),
            flags in proptest::array::uniform4(any::<bool>()),
            text in "[a-cA-Zé か\n\t\u{301}\u{3099}中😀▁]{0,40}|([a-c]{1,20} ){0,4}",
        ) {
            let mut rules = rules;
            if folds {
                rules.extend(('A'..='Z').map(|c| (c.to_string(), c.to_ascii_lowercase().to_string())));
            }
            let rules = SentencePieceRules {
                charsmap: (!rules.is_empty()).then(|| charsmap(&rules)),
                add_dummy_prefix: flags[0],
                whitespace_as_suffix: flags[1],
                remove_extra_whitespaces: flags[2],
                escape_whitespaces: flags[3],
                kept,
            };
            let normalizer = SentencePiece::try_from(rules).unwrap();
            let (written, places) = normalizer.written(&text, true, String::new());
            prop_assert_eq!(&written, &normalizer.written(&text, false, "before".into()).0);
            // A mark of the text counts as a space at its end, which the slow twin does not know of.
            let has_marks = text.contains(MARK) || normalizer.rules.charsmap.as_ref().is_some_and(|map| map.makes(MARK));
            prop_assert!(has_marks || written == naive(&normalizer, &text));
            let places = places.unwrap();
            prop_assert_eq!(places.len(), written.len() + 1);
            prop_assert!(places.windows(2).all(|pair| pair[0] <= pair[1]) && places.iter().all(|&at| text.is_char_boundary(at)));
            let Some(spaces) = Spaces::of(&normalizer).filter(|spaces| !(spaces.kept && text.ends_with(' '))) else { return Ok(()) };
            let (mut joined, mut alone, mut buffer) = (String::new(), true, String::new());
            spaces.split_together(&text, &mut Borders::default(), |starts, ends| {
                for (&start, &end) in starts.iter().zip(ends) {
                    alone &= normalizer.mark_word(&text[start..end], &mut buffer);
                    joined.push_str(&buffer);
                }
                Ok::<_, crate::error::Error>(())
            }).unwrap();
            prop_assert!(!alone || joined == written, "{:?} and not {:?}", joined, written);
        }
    }
}
