//! Added and special tokens: found in the text before anything else, leftmost first, the longest among those.

mod selection;
mod symbols;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::normalize::{MARK_CHARACTER, Normalizer};
use crate::pretokenize::Reserved;
use crate::text::class::{self, WHITE, WORD};
use crate::text::span::Span;
use crate::vocab::TokenId;

pub use selection::Selection;
use selection::Selections;
pub(crate) use symbols::RefusedSymbols;

/// A token that stands outside the model: it is never split, and found before the model sees the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedToken {
    pub id: TokenId,
    pub content: String,
    /// Whether the file calls it special: decoding can leave it out.
    pub special: bool,
    /// Matched only where no word character touches it.
    pub single_word: bool,
    /// Takes the white space before it along.
    pub lstrip: bool,
    /// Takes the white space after it along.
    pub rstrip: bool,
    /// Matched in the normalized text, in its own normalized form.
    pub normalized: bool,
    /// Put by the pretokenizer, and never looked for in a text: what it decodes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<String>,
}

impl AddedToken {
    pub fn special(id: TokenId, content: impl Into<String>) -> Self {
        AddedToken {
            id,
            content: content.into(),
            special: true,
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            stands_for: None,
        }
    }

    /// Whether a text that holds it is subject to the caller's policy. Runs of white space and single characters that the file does not
    /// call special are there to spell text: they are matched under every policy, or no source code could be encoded safely.
    pub fn is_control(&self) -> bool {
        self.special || !spells_text(&self.content)
    }

    /// A token that the pretokenizer puts.
    pub fn reserved(id: TokenId, token: Reserved) -> Self {
        let Reserved { content, stands_for } = token;
        AddedToken { special: false, stands_for: Some(stands_for), ..AddedToken::special(id, content) }
    }
}

/// What happens to control tokens in a text: to every added token but those that spell text (`AddedToken::is_control`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// All are matched.
    All,
    /// They are plain text.
    None,
    /// They are an error.
    Refuse,
}

/// The added tokens of a tokenizer, ready to be found.
#[derive(Debug)]
pub struct Specials {
    tokens: Vec<AddedToken>,
    by_content: HashMap<String, usize>,
    by_id: HashMap<TokenId, usize>,
    /// A bit for each id, set for theirs: nearly every id is none of them, which this tells without a lookup.
    id_bits: Vec<u64>,
    /// The form of each token in the normalized text.
    normalized_contents: Vec<String>,
    /// Characters inside (not at the start of) tokens that are looked for in normalized text, where a normalizer changes it.
    inner: HashSet<char>,
    /// Those of them that look at what is beside them.
    edges: Vec<TokenEdges>,
    /// The bytes that tokens begin with, in the text as it came or normalized: near most places of a text there are none of these.
    firsts: ByteSet,
    /// The most bytes that one of them takes.
    longest: usize,
    /// Whether one of them takes white space along.
    strips: bool,
    all: Matcher,
    /// Finds only the tokens that spell text.
    text_only: Matcher,
    /// Those of earlier calls.
    selections: Selections,
    /// Of SentencePiece.
    symbols: Option<Box<RefusedSymbols>>,
    default: Policy,
}

/// Of a token that is looked for in normalized text and strips white space, or wants no word beside it: how it begins and ends there.
#[derive(Debug)]
struct TokenEdges {
    first: char,
    last: char,
    lstrip: bool,
    rstrip: bool,
    single_word: bool,
}

/// A choice of added tokens, ready to be found.
#[derive(Debug, Default)]
pub struct Matcher {
    /// In the text as it came, and in the normalized text; None where there is nothing to find.
    raw: Option<Box<SpecialsAutomaton>>,
    normalized: Option<Box<SpecialsAutomaton>>,
}

#[derive(Debug)]
struct SpecialsAutomaton {
    search: AhoCorasick,
    /// Pattern → token.
    tokens: Vec<usize>,
    /// What all of them begin with, if anything. Most texts do not have it, and it is found sooner than several patterns.
    start: Finder<'static>,
}

/// The choice of control tokens for a call.
#[derive(Debug)]
pub enum Choice {
    Policy(Policy),
    /// What a caller has picked.
    Picked(Arc<Selection>),
}

/// Where to look: the text as it came, or after normalization.
#[derive(Debug, Clone, Copy)]
pub enum Stage {
    Raw,
    Normalized,
}

/// A bit for each byte.
type ByteSet = [u64; 4];

fn byte_set<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> ByteSet {
    let mut set = [0; 4];
    bytes.into_iter().for_each(|&byte| set[usize::from(byte >> 6)] |= 1 << (byte & 63));
    set
}

/// So many bytes of an added token are searched for at most: what looks for tokens takes the square of that to be made.
const MOST_BYTES: usize = 4096;

impl Specials {
    pub fn new(tokens: Vec<AddedToken>, normalizer: Option<&Normalizer>, default: Policy) -> Result<Self> {
        let normalized_contents: Vec<String> = tokens
            .iter()
            .map(|token| match normalizer {
                Some(normalizer) => normalizer.normalize(&token.content, false).text().to_string(),
                None => token.content.clone(),
            })
            .collect();
        let contents = || tokens.iter().map(|token| &token.content).chain(&normalized_contents);
        let longest = contents().map(String::len).max().unwrap_or(0);
        if longest > MOST_BYTES {
            return Err(Error::Spec(format!(
                "an added token has {longest} bytes, and at most {MOST_BYTES} are searched for in a text; leave it out"
            )));
        }
        let firsts = byte_set(contents().filter_map(|content| content.as_bytes().first()));
        let found_normalized = tokens.iter().zip(&normalized_contents).filter(|(token, _)| token.normalized);
        if let Some((token, _)) = found_normalized.clone().find(|(_, content)| content.is_empty()) {
            return Err(Error::Spec(format!(
                "the added token {:?} is looked for in normalized text, and normalization leaves nothing of it",
                token.content
            )));
        }
        let (inner, edges) = match normalizer {
            Some(_) => (
                found_normalized.clone().flat_map(|(_, content)| content.chars().skip(1)).collect(),
                found_normalized.filter_map(|(token, content)| TokenEdges::of(token, content)).collect(),
            ),
            None => (HashSet::new(), Vec::new()),
        };
        let mut specials = Specials {
            by_content: tokens.iter().enumerate().map(|(i, t)| (t.content.clone(), i)).collect(),
            // Reversed: of two that share an id, the first stays.
            by_id: tokens.iter().enumerate().rev().map(|(i, t)| (t.id, i)).collect(),
            id_bits: bits_of(tokens.iter().map(|token| token.id)),
            normalized_contents,
            inner,
            edges,
            firsts,
            longest,
            strips: tokens.iter().any(|token| token.lstrip || token.rstrip),
            all: Matcher::default(),
            text_only: Matcher::default(),
            selections: Selections::default(),
            symbols: None,
            default,
            tokens,
        };
        specials.all = specials.matcher(|_| true)?;
        specials.text_only = specials.matcher(|i| !specials.tokens[i].is_control())?;
        Ok(specials)
    }

    /// The same for a model of SentencePiece.
    pub fn with_symbols(self, symbols: RefusedSymbols) -> Self {
        Specials { symbols: Some(Box::new(symbols)), ..self }
    }

    pub fn tokens(&self) -> &[AddedToken] {
        &self.tokens
    }

    pub fn by_content(&self, content: &str) -> Option<&AddedToken> {
        self.by_content.get(content).map(|&i| &self.tokens[i])
    }

    #[inline]
    pub fn by_id(&self, id: TokenId) -> Option<&AddedToken> {
        if !self.has_id(id) {
            return None;
        }
        self.by_id.get(&id).map(|&i| &self.tokens[i])
    }

    #[inline]
    pub fn has_id(&self, id: TokenId) -> bool {
        self.id_bits.get(id as usize / 64).is_some_and(|bits| bits >> (id % 64) & 1 != 0)
    }

    /// What decoding gives for a token: like `tokenizers`, the normalized form of those that are matched in normalized text.
    pub fn shown<'a>(&'a self, token: &'a AddedToken) -> &'a str {
        match self.by_id.get(&token.id) {
            _ if token.stands_for.is_some() => token.stands_for.as_deref().unwrap_or_default(),
            Some(&i) if token.normalized => &self.normalized_contents[i],
            _ => &token.content,
        }
    }

    pub fn default_choice(&self) -> Choice {
        Choice::Policy(self.default)
    }

    fn unknown(&self, content: &str) -> Error {
        let controls = self.tokens.iter().filter(|token| token.is_control() && token.stands_for.is_none());
        let known: Vec<&str> = controls.take(12).map(|token| token.content.as_str()).collect();
        Error::Spec(format!(
            "{content:?} is not a special token of this tokenizer, which has: {}",
            if known.is_empty() { "none".to_string() } else { known.join(" ") }
        ))
    }

    fn matcher(&self, wanted: impl Fn(usize) -> bool) -> Result<Matcher> {
        let automaton = |normalized: bool| {
            let findable = |token: &AddedToken| !token.content.is_empty() && token.stands_for.is_none();
            let chosen = |&i: &usize| self.tokens[i].normalized == normalized && findable(&self.tokens[i]) && wanted(i);
            let tokens: Vec<usize> = (0..self.tokens.len()).filter(chosen).collect();
            let contents = tokens.iter().map(|&i| match normalized {
                true => &self.normalized_contents[i],
                false => &self.tokens[i].content,
            });
            SpecialsAutomaton::new(contents, &tokens)
        };
        Ok(Matcher { raw: automaton(false)?.map(Box::new), normalized: automaton(true)?.map(Box::new) })
    }

    /// Whether `split` finds tokens in a text, or refuses some.
    pub fn are_found(&self, choice: &Choice, stage: Stage, text: &str) -> bool {
        let mut found = false;
        let split = self.split(choice, stage, text, |id, _| {
            found |= id.is_some();
            Ok::<_, Error>(())
        });
        found || split.is_err()
    }

    /// Whether a text may hold tokens that a call finds in it, now or once it is normalized.
    pub fn may_be_in(&self, choice: &Choice, text: &str) -> bool {
        self.looks_into_normalized(choice) || self.are_found(choice, Stage::Raw, text)
    }

    /// Calls `each` with the tokens of `text` and the stretches between them, in order, none of them empty but for an
    /// empty text's.
    pub fn split<E: From<Error>>(
        &self,
        choice: &Choice,
        stage: Stage,
        text: &str,
        mut each: impl FnMut(Option<TokenId>, Span) -> Result<(), E>,
    ) -> Result<(), E> {
        let refuses = matches!(choice, Choice::Policy(Policy::Refuse));
        if let (true, Stage::Raw, Some(symbols)) = (refuses, stage, &self.symbols) {
            symbols.refuse(text)?;
        }
        if let (Choice::Picked(selection), Stage::Raw) = (choice, stage) {
            selection.refuse(text)?;
        }
        let matcher = self.matcher_of(choice);
        let automaton = match stage {
            Stage::Raw => &matcher.raw,
            Stage::Normalized => &matcher.normalized,
        };
        let found = automaton.as_ref().and_then(|automaton| Some((automaton, automaton.start.find(text.as_bytes())?)));
        let Some((automaton, from)) = found else {
            return each(None, Span::new(0, text.len()));
        };
        let mut done = 0;
        for found in automaton.search.find_iter(Input::new(text).range(from..)) {
            let token = &self.tokens[automaton.tokens[found.pattern().as_usize()]];
            let Some(span) = token.span(text, found.span().into(), done) else {
                continue;
            };
            if refuses && token.is_control() {
                let (what, token) = ("the text".into(), token.content.clone());
                return Err(Error::SpecialInText { what, token, offset: found.start() as u64 }.into());
            }
            if done < span.start {
                each(None, Span::new(done, span.start))?;
            }
            each(Some(token.id), span)?;
            done = span.end;
        }
        if done < text.len() || text.is_empty() {
            each(None, Span::new(done, text.len()))?;
        }
        Ok(())
    }

    #[inline]
    fn matcher_of<'a>(&'a self, choice: &'a Choice) -> &'a Matcher {
        match choice {
            Choice::Policy(Policy::None) => &self.text_only,
            Choice::Policy(_) => &self.all,
            Choice::Picked(selection) => selection.matcher(),
        }
    }

    /// Whether a call looks for any token in normalized text.
    #[inline]
    pub fn looks_into_normalized(&self, choice: &Choice) -> bool {
        self.matcher_of(choice).normalized.is_some()
    }

    /// Whether a character may, once it is normalized, stand inside a token: then no look at the text as it came tells.
    pub fn may_hold(&self, c: char) -> bool {
        !self.inner.is_empty()
            && (c.to_lowercase().chain([c]).any(|c| self.inner.contains(&c)) || c == '\n' && self.inner.contains(&' '))
    }

    /// Whether a token touches position `at` of a text in a way that a cut there could change. The text must reach `longest`
    /// bytes to both sides of the position, or to its own end.
    pub fn spans(&self, text: &[u8], at: usize) -> bool {
        // Tokens that strip reach over white space, which non-ASCII bytes may be, and over what a normalizer drops.
        let maybe_white = |byte: &&u8| !matches!(byte, b'!'..=b'~');
        let (mut from, mut to) = (at, at);
        if self.strips {
            from -= text[..at].iter().rev().take_while(maybe_white).count();
            to += text[at..].iter().take_while(maybe_white).count();
            // The token that wants this white space may not have come yet, or not all of it.
            if at < to && to + self.longest > text.len() {
                return true;
            }
        }
        if self.edges.iter().any(|edges| edges.may_touch(text, at, from..to)) {
            return true;
        }
        let near = &text[from.saturating_sub(self.longest)..(to + self.longest).min(text.len())];
        if byte_set(near).iter().zip(&self.firsts).all(|(near, first)| near & first == 0) {
            return false;
        }
        let contents = self.tokens.iter().zip(&self.normalized_contents);
        let contents = contents.flat_map(|(t, n)| [(t, t.content.as_str()), (t, n.as_str())]);
        contents.filter(|(_, content)| !content.is_empty()).any(|(token, content)| {
            // So far a token reaches that begins before the position and ends behind it, or only touches it.
            let reach = (content.len() + usize::from(token.single_word)).saturating_sub(1);
            let first = if token.rstrip { from.saturating_sub(content.len()) } else { at.saturating_sub(reach) };
            let last = if token.lstrip { to + content.len() } else { at + reach };
            memchr::memmem::find(&text[first..last.min(text.len())], content.as_bytes()).is_some()
        })
    }

    /// Whether there is a token in a text, wanted or not.
    pub fn are_in(&self, text: &[u8]) -> bool {
        let contents = self.tokens.iter().map(|token| &token.content).chain(&self.normalized_contents);
        contents.into_iter().any(|content| memchr::memmem::find(text, content.as_bytes()).is_some())
    }

    /// The most bytes that a token takes in a text.
    pub fn longest(&self) -> usize {
        self.longest
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

impl AddedToken {
    /// What a match covers, or None where it does not count.
    fn span(&self, text: &str, found: Span, done: usize) -> Option<Span> {
        let (before, after) = (&text[..found.start], &text[found.end..]);
        let is_word = |c: char| class::is(c, WORD);
        if self.single_word && (before.ends_with(is_word) || after.starts_with(is_word)) {
            return None;
        }
        let is_white = |c: char| class::is(c, WHITE);
        let mut span = found;
        if self.lstrip {
            // The token before may have taken that white space already.
            span.start = before.trim_end_matches(is_white).len().max(done);
        }
        if self.rstrip {
            span.end = text.len() - after.trim_start_matches(is_white).len();
        }
        (span.start < span.end).then_some(span)
    }
}

/// Whether a token is white space or one character.
fn spells_text(content: &str) -> bool {
    let is_space = |c: char| class::is(c, WHITE) || c == MARK_CHARACTER;
    content.chars().all(is_space) || content.chars().nth(1).is_none()
}

impl From<aho_corasick::Span> for Span {
    fn from(span: aho_corasick::Span) -> Self {
        Span::new(span.start, span.end)
    }
}

impl SpecialsAutomaton {
    fn new<'a>(contents: impl Iterator<Item = &'a String>, tokens: &[usize]) -> Result<Option<Self>> {
        let contents: Vec<&String> = contents.collect();
        let Some(first) = contents.first() else { return Ok(None) };
        let in_common = |other: &&String| first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let width = contents.iter().map(in_common).min().unwrap_or_default();
        let start = Finder::new(&first.as_bytes()[..width]).into_owned();
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&contents)
            .map_err(|error| Error::Spec(format!("the special tokens are too many: {error}")))?;
        Ok(Some(SpecialsAutomaton { search, tokens: tokens.to_vec(), start }))
    }
}

fn bits_of(ids: impl Iterator<Item = TokenId>) -> Vec<u64> {
    let mut bits = Vec::new();
    for id in ids {
        let word = id as usize / 64;
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        bits[word] |= 1 << (id % 64);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(specials: &Specials, choice: &Choice, text: &str) -> Vec<String> {
        let mut parts = Vec::new();
        specials
            .split(choice, Stage::Raw, text, |id, span| {
                let text = &text[span.range()];
                parts.push(match id {
                    Some(id) => format!("{id}:{text}"),
                    None => text.to_string(),
                });
                Ok::<_, crate::error::Error>(())
            })
            .unwrap();
        parts
    }

    fn specials(tokens: Vec<AddedToken>) -> Specials {
        Specials::new(tokens, None, Policy::All).unwrap()
    }

    #[test]
    fn the_longest_wins_and_policies_decide() {
        let specials = specials(vec![
            AddedToken::special(0, "<a>"),
            AddedToken::special(1, "<a><a>"),
            AddedToken::special(2, "<b>"),
        ]);
        let text = "x<a><a><a><b>";
        let all = Choice::Policy(Policy::All);
        assert_eq!(parts(&specials, &all, text), ["x", "1:<a><a>", "0:<a>", "2:<b>"]);
        assert_eq!(parts(&specials, &Choice::Policy(Policy::None), text), [text]);
        let only = specials.only(["<a>"]).unwrap();
        assert_eq!(parts(&specials, &only, text), ["x", "0:<a>", "0:<a>", "0:<a>", "<b>"]);
        let refused = specials.split(&Choice::Policy(Policy::Refuse), Stage::Raw, text, |_, _| Ok(()));
        assert!(matches!(refused, Err(Error::SpecialInText { token, offset: 1, .. }) if token == "<a><a>"));
        assert!(specials.only(["<c>"]).unwrap_err().to_string().contains("<a> <a><a> <b>"));
    }

    #[test]
    fn every_token_but_white_space_and_single_characters_is_subject_to_the_policy() {
        let plain = |id, content: &str| AddedToken { special: false, ..AddedToken::special(id, content) };
        let specials =
            specials(vec![plain(0, "<think>"), plain(1, "  "), plain(2, "ö"), plain(3, "▁▁"), plain(4, "<ö>")]);
        let text = "ö  <think>▁▁<ö>";
        let all = ["2:ö", "1:  ", "0:<think>", "3:▁▁", "4:<ö>"];
        assert_eq!(parts(&specials, &Choice::Policy(Policy::All), text), all);
        // A control token that is plain text may hold a token that spells text.
        let none = ["2:ö", "1:  ", "<think>", "3:▁▁", "<", "2:ö", ">"];
        assert_eq!(parts(&specials, &Choice::Policy(Policy::None), text), none);
        assert_eq!(parts(&specials, &specials.only([]).unwrap(), text), none);
        let some = ["2:ö", "1:  ", "0:<think>", "3:▁▁", "<", "2:ö", ">"];
        assert_eq!(parts(&specials, &specials.only(["<think>"]).unwrap(), text), some);
        let refused = |text| specials.split(&Choice::Policy(Policy::Refuse), Stage::Raw, text, |_, _| Ok(()));
        assert!(refused("ö  ▁▁").is_ok());
        assert!(
            matches!(refused("ö  <think>"), Err(Error::SpecialInText { token, offset: 4, .. }) if token == "<think>")
        );
        let special = self::specials(vec![AddedToken::special(0, " ")]);
        assert!(special.split(&Choice::Policy(Policy::Refuse), Stage::Raw, "a b", |_, _| Ok::<_, Error>(())).is_err());
    }

    #[test]
    fn strips_and_single_words() {
        let token = AddedToken::special(0, "M");
        let all = Choice::Policy(Policy::All);
        let stripping = specials(vec![AddedToken { lstrip: true, rstrip: true, ..token.clone() }]);
        assert_eq!(parts(&stripping, &all, "a M  M b"), ["a", "0: M  ", "0:M ", "b"]);
        let single = specials(vec![AddedToken { single_word: true, ..token }]);
        assert_eq!(parts(&single, &all, "aM M."), ["aM ", "0:M", "."]);
    }

    #[test]
    fn tokens_that_span_a_position() {
        let specials = specials(vec![AddedToken::special(0, "a b")]);
        assert!(specials.spans(b"xa bx", 2) && specials.spans(b"xa bx", 3));
        assert!(!specials.spans(b"xa bx", 1) && !specials.spans(b"xa bx", 4));
        // One that lies across counts, whatever else would be found first.
        let overlapping = self::specials(vec![AddedToken::special(0, "aa")]);
        assert!((1..6).all(|at| overlapping.spans(b"aaaaaa", at)));
        let token = AddedToken::special(0, "M");
        let stripping = self::specials(vec![AddedToken { lstrip: true, ..token }]);
        assert!(stripping.spans(b"a     M b", 3) && stripping.spans(b"a  ", 2));
        assert!(!stripping.spans(b"a  b  M b", 2) && !stripping.spans(b"a M  b", 4));
    }
}
