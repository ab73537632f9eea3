//! Added and special tokens: found in the text before anything else, leftmost first, the longest among those.

mod near;
mod selection;
mod symbols;

use std::collections::HashMap;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::normalize::{MARK_CHARACTER, Normalizer};
use crate::pretokenize::Reserved;
use crate::text::class::{self, WHITE, WORD};
use crate::text::search::{check_length, search_for};
use crate::text::span::Span;
use crate::vocab::TokenId;

use near::NearCuts;
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
    near: NearCuts,
    all: Matcher,
    /// Finds only the tokens that spell text.
    text_only: Matcher,
    /// Those of earlier calls.
    selections: Selections,
    /// For SentencePiece.
    symbols: Option<Box<RefusedSymbols>>,
    default: Policy,
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

impl Specials {
    pub fn new(tokens: Vec<AddedToken>, normalizer: Option<&Normalizer>, default: Policy) -> Result<Self> {
        let normalized_contents: Vec<String> = tokens
            .iter()
            .map(|token| match normalizer {
                Some(normalizer) => normalizer.normalize(&token.content, false).text().to_string(),
                None => token.content.clone(),
            })
            .collect();
        let near = NearCuts::new(&tokens, &normalized_contents, normalizer.is_some());
        check_length(near.longest())?;
        let mut found_normalized = tokens.iter().zip(&normalized_contents).filter(|(token, _)| token.normalized);
        if let Some((token, _)) = found_normalized.find(|(_, content)| content.is_empty()) {
            return Err(Error::Spec(format!(
                "the added token {:?} is looked for in normalized text, and normalization leaves nothing of it",
                token.content
            )));
        }
        let mut specials = Specials {
            by_content: tokens.iter().enumerate().map(|(i, t)| (t.content.clone(), i)).collect(),
            // Reversed: if two share an id, the first stays.
            by_id: tokens.iter().enumerate().rev().map(|(i, t)| (t.id, i)).collect(),
            id_bits: bits_of(tokens.iter().map(|token| token.id)),
            normalized_contents,
            near,
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
        let known: Vec<String> = controls.map(|token| token.content.clone()).collect();
        let shown = &known[..known.len().min(12)];
        let message = format!(
            "{content:?} is not a special token of this tokenizer, which has: {}",
            if shown.is_empty() { "none".to_string() } else { shown.join(" ") }
        );
        Error::UnknownName { message, name: content.into(), known }
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
        if let Stage::Raw = stage {
            self.refuse_anywhere(choice, text)?;
        }
        let refuses = matches!(choice, Choice::Policy(Policy::Refuse));
        let matcher = self.matcher_of(choice);
        let automaton = match stage {
            Stage::Raw => &matcher.raw,
            Stage::Normalized => &matcher.normalized,
        };
        let found = automaton.as_ref().and_then(|automaton| Some((automaton, automaton.start.find(text.as_bytes())?)));
        let Some((automaton, from)) = found else {
            return each(None, Span::new(0, text.len()));
        };
        let (mut done, mut white) = (0, 0);
        for found in automaton.search.find_iter(Input::new(text).range(from..)) {
            let token = &self.tokens[automaton.tokens[found.pattern().as_usize()]];
            let Some(span) = token.span(text, found.span().into(), done, &mut white) else {
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

    /// Refuses what a call wants in no text, wherever it stands: also where no token would be found.
    pub(crate) fn refuse_anywhere(&self, choice: &Choice, text: &str) -> Result<()> {
        match (choice, &self.symbols) {
            (Choice::Policy(Policy::Refuse), Some(symbols)) => symbols.refuse(text),
            (Choice::Picked(selection), _) => selection.refuse(text),
            _ => Ok(()),
        }
    }

    /// The most bytes of what `refuse_anywhere` looks for.
    pub(crate) fn longest_refused(&self, choice: &Choice) -> usize {
        match (choice, &self.symbols) {
            (Choice::Policy(Policy::Refuse), Some(symbols)) => symbols.longest(),
            (Choice::Picked(selection), _) => selection.longest_refused(),
            _ => 0,
        }
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
        self.near.may_hold(c)
    }

    /// Whether a token touches position `at` of a text in a way that a cut there could change. The text must reach `longest`
    /// bytes to both sides of the position, or to its own end.
    pub fn spans(&self, text: &str, at: usize) -> bool {
        self.near.spans(text, at)
    }

    /// Whether there is a token in a text, wanted or not.
    pub fn are_in(&self, text: &[u8]) -> bool {
        self.near.are_in(text)
    }

    /// The most bytes that a token takes in a text.
    pub fn longest(&self) -> usize {
        self.near.longest()
    }
}

impl AddedToken {
    /// What a match covers, or None where it does not count. `done` is where the token before ends, and `white` where the white space
    /// ends that was looked at last: tokens may be white space themselves, and none of it is looked at twice.
    fn span(&self, text: &str, found: Span, done: usize, white: &mut usize) -> Option<Span> {
        let (before, after) = (&text[..found.start], &text[found.end..]);
        let is_word = |c: char| class::is(c, WORD);
        if self.single_word && (before.ends_with(is_word) || after.starts_with(is_word)) {
            return None;
        }
        let is_white = |c: char| class::is(c, WHITE);
        let mut span = found;
        if self.lstrip {
            // The token before may have taken that white space already.
            let free = text.get(done..found.start).unwrap_or_default();
            span.start = done + free.trim_end_matches(is_white).len();
        }
        if self.rstrip {
            if *white <= found.end {
                *white = text.len() - after.trim_start_matches(is_white).len();
            }
            span.end = *white;
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
        let search = search_for(&contents, MatchKind::LeftmostLongest)?;
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
mod tests;
