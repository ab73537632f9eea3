//! Near a cut: which places of a text an added token may reach, so that a cut there could change what is found.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::AddedToken;
use crate::text::class::{self, WHITE};
use crate::text::search::search_for;

/// The most bytes of white space that are looked at on each side of a place. In a longer run there is no cut beside tokens that strip.
const MOST_WHITE: usize = 256;

/// What looking for cuts must know about the added tokens.
#[derive(Debug)]
pub(super) struct NearCuts {
    /// Characters inside (not at the start of) tokens that are looked for in normalized text, where a normalizer changes it.
    inner: HashSet<char>,
    /// Those of them that look at what is beside them.
    edges: Vec<TokenEdges>,
    /// Every token, as it is written and normalized, with what it reaches beyond that.
    forms: Vec<TokenForm>,
    /// Finds all forms. Made when the first cut is looked for; None inside where they are too many.
    search: OnceLock<Option<AhoCorasick>>,
    /// The most bytes that one of them takes.
    longest: usize,
    /// Whether one of them takes white space along.
    strips: bool,
}

/// One way to write a token.
#[derive(Debug)]
struct TokenForm {
    content: String,
    lstrip: bool,
    rstrip: bool,
    single_word: bool,
}

/// How a token begins and ends that is looked for in normalized text, and that strips white space or wants no word beside it.
#[derive(Debug)]
struct TokenEdges {
    first: char,
    last: char,
    lstrip: bool,
    rstrip: bool,
    single_word: bool,
}

impl NearCuts {
    /// `normalized` has the form of each token in normalized text; `changes` says whether there is a normalizer.
    pub(super) fn new(tokens: &[AddedToken], normalized: &[String], changes: bool) -> Self {
        let found_normalized = tokens.iter().zip(normalized).filter(|(token, _)| changes && token.normalized);
        let forms: Vec<TokenForm> =
            tokens.iter().zip(normalized).flat_map(|(token, form)| TokenForm::all_of(token, form)).collect();
        NearCuts {
            inner: found_normalized.clone().flat_map(|(_, content)| content.chars().skip(1)).collect(),
            edges: found_normalized.filter_map(|(token, content)| TokenEdges::of(token, content)).collect(),
            longest: forms.iter().map(|form| form.content.len()).max().unwrap_or(0),
            forms,
            search: OnceLock::new(),
            strips: tokens.iter().any(|token| token.lstrip || token.rstrip),
        }
    }

    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Whether a character may, once it is normalized, stand inside a token: then no look at the text as it came tells.
    pub(super) fn may_hold(&self, c: char) -> bool {
        !self.inner.is_empty()
            && (c.to_lowercase().chain([c]).any(|c| self.inner.contains(&c)) || c == '\n' && self.inner.contains(&' '))
    }

    /// Whether a token touches position `at` of a text in a way that a cut there could change. The text must reach `longest`
    /// bytes to both sides of the position, or to its own end.
    pub(super) fn spans(&self, text: &str, at: usize) -> bool {
        let Some(white) = self.white_around(text, at) else { return true };
        // The token that wants this white space may not have come yet, or not all of it.
        if at < white.end && white.end + self.longest > text.len() {
            return true;
        }
        if self.edges.iter().any(|edges| edges.may_touch(text.as_bytes(), at, white.clone())) {
            return true;
        }
        let from = white.start.saturating_sub(self.longest);
        let near = &text.as_bytes()[from..(white.end + self.longest).min(text.len())];
        let Some(search) = self.search() else { return true };
        search.find_overlapping_iter(near).any(|found| {
            let reached = self.forms[found.pattern().as_usize()].reach(at, &white);
            reached.start <= from + found.start() && from + found.end() <= reached.end
        })
    }

    /// Whether there is a token in a text, wanted or not.
    pub(super) fn are_in(&self, text: &[u8]) -> bool {
        self.search().is_none_or(|search| search.is_match(text))
    }

    fn search(&self) -> Option<&AhoCorasick> {
        let contents = || self.forms.iter().map(|form| &form.content).collect::<Vec<_>>();
        self.search.get_or_init(|| search_for(&contents(), MatchKind::Standard).ok()).as_ref()
    }

    /// The white space around a place that tokens which strip reach over; nothing without such tokens, None where it is too long to be
    /// looked at.
    fn white_around(&self, text: &str, at: usize) -> Option<Range<usize>> {
        if !self.strips {
            return Some(at..at);
        }
        // In normalized text, any character that is not ASCII may have become white space, or nothing.
        let may_be_white = |c: char| class::is(c, WHITE) || !self.edges.is_empty() && !matches!(c, '!'..='~');
        let before = text[..at].chars().rev().take(MOST_WHITE).take_while(|&c| may_be_white(c));
        let after = text[at..].chars().take(MOST_WHITE).take_while(|&c| may_be_white(c));
        let (before, after) = (before.map(char::len_utf8).sum::<usize>(), after.map(char::len_utf8).sum::<usize>());
        (before.max(after) < MOST_WHITE).then(|| at - before..at + after)
    }
}

impl TokenForm {
    /// The token as it is written and normalized, without those that are empty, which nothing finds.
    fn all_of(token: &AddedToken, normalized: &str) -> impl Iterator<Item = Self> {
        let &AddedToken { lstrip, rstrip, single_word, .. } = token;
        let other = (normalized != token.content).then(|| normalized.to_string());
        let contents = [Some(token.content.clone()), other].into_iter().flatten();
        let form = move |content| TokenForm { content, lstrip, rstrip, single_word };
        contents.filter(|content| !content.is_empty()).map(form)
    }

    /// Where it lies if it begins before the position and ends after it, or only touches it; `white` is the white space around the position.
    fn reach(&self, at: usize, white: &Range<usize>) -> Range<usize> {
        let reach = (self.content.len() + usize::from(self.single_word)).saturating_sub(1);
        let first = if self.rstrip { white.start.saturating_sub(self.content.len()) } else { at.saturating_sub(reach) };
        let last = if self.lstrip { white.end + self.content.len() } else { at + reach };
        first..last
    }
}

impl TokenEdges {
    fn of(token: &AddedToken, content: &str) -> Option<Self> {
        let &AddedToken { lstrip, rstrip, single_word, .. } = token;
        let (first, last) = (content.chars().next()?, content.chars().next_back()?);
        (lstrip || rstrip || single_word).then_some(TokenEdges { first, last, lstrip, rstrip, single_word })
    }

    /// Whether a cut at a place of the raw text, inside white space if there is any, may be seen from the token.
    fn may_touch(&self, text: &[u8], at: usize, white: Range<usize>) -> bool {
        // What is not ASCII may become anything, and ASCII stays what it is but for its case.
        let may_be = |byte: Option<&u8>, c: char| {
            byte.is_some_and(|&byte| !byte.is_ascii() || [byte, byte.to_ascii_lowercase()].map(char::from).contains(&c))
        };
        let strips = self.lstrip || self.rstrip;
        strips && !text[white.clone()].is_ascii()
            || self.rstrip && may_be(text[..white.start].last(), self.last)
            || self.lstrip && may_be(text.get(white.end), self.first)
            || self.single_word && (may_be(text[..at].last(), self.last) || may_be(text.get(at), self.first))
    }
}

#[cfg(test)]
mod tests {
    use memchr::memmem;
    use proptest::prelude::*;

    use super::*;

    /// The same by looking for one token after the other.
    fn spans_naively(near: &NearCuts, text: &str, at: usize) -> bool {
        let Some(white) = near.white_around(text, at) else { return true };
        let unsettled = at < white.end && white.end + near.longest > text.len();
        unsettled
            || near.edges.iter().any(|edges| edges.may_touch(text.as_bytes(), at, white.clone()))
            || near.forms.iter().any(|form| {
                let reached = form.reach(at, &white);
                let stretch = &text.as_bytes()[reached.start..reached.end.min(text.len())];
                memmem::find(stretch, form.content.as_bytes()).is_some()
            })
    }

    fn token((content, flags): (String, u8)) -> AddedToken {
        let flag = |bit: u8| flags >> bit & 1 == 1;
        let (lstrip, rstrip, single_word, normalized) = (flag(0), flag(1), flag(2), flag(3));
        AddedToken { lstrip, rstrip, single_word, normalized, ..AddedToken::special(0, content) }
    }

    proptest! {
        #[test]
        fn all_tokens_at_once_are_found_as_one_by_one(
            tokens in prop::collection::vec(("[abA ]{1,4}", 0u8..16), 0..5),
            text in "[abA \u{e9}\u{3000}]{0,24}",
            changes: bool,
        ) {
            let tokens: Vec<AddedToken> = tokens.into_iter().map(token).collect();
            let normalized: Vec<String> = tokens.iter().map(|token| token.content.to_lowercase()).collect();
            let near = NearCuts::new(&tokens, &normalized, changes);
            for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                prop_assert_eq!(near.spans(&text, at), spans_naively(&near, &text, at), "at {}", at);
            }
        }
    }

    #[test]
    fn long_white_space_is_not_looked_at_again_and_again() {
        let mask = token(("M".into(), 1));
        let near = NearCuts::new(&[mask], &["M".into()], false);
        let text = format!("a{}b", " ".repeat(2 * MOST_WHITE));
        assert!(near.spans(&text, 1 + MOST_WHITE) && !near.spans(&text, 0));
        assert!(!near.spans("\u{4e2d}\u{6587}\u{4e2d}\u{6587}", 6));
    }
}
