//! The user's own symbols of a byte-pair encoding in stages: a text is split at them, and each is a token for being one.

use super::from_stages::inexpressible;
use crate::definition::Outline;
use crate::error::Result;
use crate::normalize::{MARK, MARK_CHARACTER, Normalizer};
use crate::pretokenize::{Behavior, PreTokenizer};
use crate::text::pattern::Pattern;

/// The texts that a pretokenizer splits at, if that is what it does and pieces that are tokens are these.
pub(super) fn of(outline: &Outline) -> Result<Option<Vec<String>>> {
    let Some(PreTokenizer::Split { pattern, behavior, invert }) = &outline.pretokenizer else { return Ok(None) };
    let texts = match pattern {
        Pattern::Text(text) => Some(vec![text.clone()]),
        Pattern::Regex(regex) => alternatives(regex),
    };
    let texts = texts.filter(|_| *behavior == Behavior::Isolated && !invert && outline.whole_pieces);
    let texts = texts.ok_or_else(|| inexpressible("a split that is not one at tokens (with ignore_merges)"))?;
    // SentencePiece takes the longest, and a pattern the first.
    let hidden = |(i, text): (usize, &String)| texts[..i].iter().any(|before| text.starts_with(before));
    if texts.iter().enumerate().any(hidden) {
        return Err(inexpressible("a split at the first of several texts, where a longer one begins"));
    }
    match texts.iter().find(|text| is_changed(text, outline.normalizer.as_ref())) {
        Some(text) => Err(inexpressible(format!("the split at {text:?}, which normalizing changes"))),
        None => Ok(Some(texts)),
    }
}

/// SentencePiece keeps symbols from being normalized.
fn is_changed(symbol: &str, normalizer: Option<&Normalizer>) -> bool {
    let Some(normalizer) = normalizer else { return false };
    let normalized = normalizer.normalize(symbol, false);
    let only_marks = symbol.chars().all(|c| c == MARK_CHARACTER);
    let bare = normalized.text().strip_prefix(MARK).unwrap_or_default();
    normalized.text() != symbol && bare != symbol && !only_marks
}

/// The texts that a pattern is a choice of, if it is one.
fn alternatives(regex: &str) -> Option<Vec<String>> {
    let (mut texts, mut text) = (Vec::new(), String::new());
    let mut characters = regex.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => text.push(characters.next().filter(char::is_ascii_punctuation)?),
            '|' => texts.push(std::mem::take(&mut text)),
            '.' | '^' | '$' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' => return None,
            c => text.push(c),
        }
    }
    texts.push(text);
    texts.iter().all(|text| !text.is_empty()).then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_are_choices_of_texts() {
        let texts = |texts: &[&str]| Some(texts.iter().map(|text| text.to_string()).collect::<Vec<_>>());
        assert_eq!(alternatives(r"\<sep\>|ROMEO\:|th"), texts(&["<sep>", "ROMEO:", "th"]));
        assert_eq!(alternatives("a"), texts(&["a"]));
        for other in ["a+", r"\d", "a|", "", "[ab]", r"a\"] {
            assert_eq!(alternatives(other), None, "{other}");
        }
    }
}
