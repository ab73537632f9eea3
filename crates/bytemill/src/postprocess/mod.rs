//! Postprocess: the template that a model wants around its input, offsets without white space, truncation and padding.

mod encoding;
mod loose;
mod padding;
mod truncation;

use serde::{Deserialize, Serialize};

pub use encoding::{Encoding, InputPlace, InputToken};
pub use padding::Padding;
pub(crate) use truncation::TruncatedParts;
pub use truncation::{Strategy, Truncation};

use crate::text::byte_alphabet::char_of;
use crate::text::span::Span;
use crate::vocab::TokenId;

/// An end of a text or of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Left,
    Right,
}

/// What surrounds one text, and what surrounds a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    pub single: Vec<Slot>,
    pub pair: Vec<Slot>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Slot {
    /// A special token, which may stand for several ids, each shown under a name.
    Special { token: String, ids: Vec<TokenId>, names: Vec<String>, type_id: u32 },
    /// The text, or the second text of a pair.
    Text { second: bool, type_id: u32 },
}

/// The special tokens before and after a text.
#[derive(Debug)]
pub struct TextFrame<'a> {
    pub before: &'a [Slot],
    /// The type of the tokens of the text.
    pub type_id: u32,
    pub after: &'a [Slot],
}

impl Slot {
    /// A token that is one id, shown as itself.
    pub fn special(token: String, id: TokenId, type_id: u32) -> Self {
        Slot::Special { ids: vec![id], names: vec![token.clone()], token, type_id }
    }

    /// The ids of a special token, each with its type.
    pub fn added(&self) -> impl Iterator<Item = (TokenId, u32)> {
        let (ids, type_id) = match self {
            Slot::Special { ids, type_id, .. } => (ids.as_slice(), *type_id),
            Slot::Text { type_id, .. } => (&[][..], *type_id),
        };
        ids.iter().map(move |&id| (id, type_id))
    }
}

impl Template {
    /// No special tokens: the texts one after the other.
    pub fn bare() -> Self {
        Template {
            single: vec![Slot::Text { second: false, type_id: 0 }],
            pair: vec![Slot::Text { second: false, type_id: 0 }, Slot::Text { second: true, type_id: 1 }],
        }
    }

    /// A token before every text and a token after it, each where it is wanted.
    pub fn around(bos: Option<(String, TokenId)>, eos: Option<(String, TokenId)>) -> Self {
        let slots = |second: bool| {
            let type_id = u32::from(second);
            let special = |inserted: &Option<(String, TokenId)>| {
                let (token, id) = inserted.clone()?;
                Some(Slot::special(token, id, type_id))
            };
            let text = Some(Slot::Text { second, type_id });
            [special(&bos), text, special(&eos)].into_iter().flatten().collect::<Vec<_>>()
        };
        Template { single: slots(false), pair: [slots(false), slots(true)].concat() }
    }

    /// A token before the first text, and one after each.
    pub fn bert(class: (String, TokenId), separator: (String, TokenId)) -> Self {
        let special = |(token, id): &(String, TokenId), type_id| Slot::special(token.clone(), *id, type_id);
        let single = vec![special(&class, 0), Slot::Text { second: false, type_id: 0 }, special(&separator, 0)];
        let second = vec![Slot::Text { second: true, type_id: 1 }, special(&separator, 1)];
        Template { pair: [single.clone(), second].concat(), single }
    }

    pub fn slots(&self, pair: bool) -> &[Slot] {
        if pair { &self.pair } else { &self.single }
    }

    /// What stands around a single text; None unless the text stands there exactly once.
    pub fn frame(&self) -> Option<TextFrame<'_>> {
        let mut texts = self.single.iter().enumerate().filter_map(|(number, slot)| match slot {
            Slot::Text { second: false, type_id } => Some((number, *type_id)),
            _ => None,
        });
        let (number, type_id) = texts.next().filter(|_| texts.next().is_none())?;
        Some(TextFrame { before: &self.single[..number], type_id, after: &self.single[number + 1..] })
    }

    /// How many tokens it adds.
    pub fn added(&self, pair: bool) -> usize {
        self.slots(pair).iter().map(|slot| slot.added().count()).sum()
    }
}

/// Leaves the white space at the ends of tokens out of their offsets, as `tokenizers` does for byte-level tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trim {
    /// The text may have begun with a space that was put there: a single one at the start counts for nothing.
    pub prefix_space: bool,
}

impl Trim {
    /// The span that a token has in `text`, without the spaces that the token begins and ends with. Counts characters of the
    /// original text, whatever the token's spaces were there.
    pub fn apply(self, text: &str, span: Span, (mut leading, trailing): (usize, usize), is_first: bool) -> Span {
        let is_past = span.start >= text.len() && span.end > text.len();
        if self.prefix_space && leading == 1 && (is_first || span.start == 0) {
            leading = 0;
        }
        if leading == 0 && trailing == 0 {
            return span;
        }
        if is_past {
            // There are no characters to count: the library's places are such numbers, too.
            let start = (span.start + leading).min(span.end);
            return Span::new(start, span.end.saturating_sub(trailing).max(start));
        }
        let Span { mut start, mut end } = in_text(text, span);
        if leading > 0 {
            start += text[start..end].char_indices().nth(leading).map_or(end - start, |(at, _)| at);
        }
        if trailing > 0 && text[..end].chars().rev().nth(trailing - 1).is_some() {
            let kept = text[..end].char_indices().rev().nth(trailing - 1).map_or(0, |(at, _)| at);
            end = kept.max(start);
        }
        Span::new(start, end)
    }
}

/// A place that may end inside a character or past the end, in whole characters: `tokenizers` makes two characters of the one past the end.
fn in_text(text: &str, span: Span) -> Span {
    let start = text.floor_char_boundary(span.start);
    let end = match span.end <= text.len() {
        true => text.floor_char_boundary(span.end),
        false => text[start..].char_indices().nth(2).map_or(text.len(), |(at, _)| start + at),
    };
    Span::new(start, end.max(start))
}

/// White space at both ends; the space of the byte-level alphabet counts, as it does for `tokenizers`.
pub(crate) fn spaces_of_text(token: &str) -> (usize, usize) {
    let is_space = |c: &char| c.is_whitespace() || *c == char_of(b' ');
    (token.chars().take_while(is_space).count(), token.chars().rev().take_while(is_space).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_trimmed_and_a_space_that_was_added_is_not() {
        let (plain, prefixed) = (Trim { prefix_space: false }, Trim { prefix_space: true });
        assert_eq!(plain.apply("é a ", Span::new(2, 5), (1, 1), false), Span::new(3, 4));
        assert_eq!(plain.apply("  ", Span::new(0, 2), (2, 2), true), Span::new(2, 2));
        assert_eq!(prefixed.apply("ab", Span::new(0, 2), (1, 0), true), Span::new(0, 2));
        assert_eq!(prefixed.apply("a b", Span::new(1, 3), (1, 0), false), Span::new(2, 3));
        // One character that became two spaces: there is nothing before it to take the second from.
        assert_eq!(plain.apply("x", Span::new(0, 1), (0, 2), true), Span::new(0, 1));
        // Byte fallback gives places inside characters, and past the end.
        assert_eq!(plain.apply("a€b", Span::new(0, 3), (0, 1), true), Span::new(0, 0));
        assert_eq!(plain.apply("a€b", Span::new(7, 9), (1, 1), false), Span::new(8, 8));
        assert_eq!(plain.apply("a€b", Span::new(2, 9), (1, 0), false), Span::new(4, 5));
    }
}
