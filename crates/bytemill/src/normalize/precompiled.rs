//! The way in which `tokenizers` applies a precompiled character map: a grapheme of less than six bytes becomes what the shortest rule makes
//! of its start, and all of it; of others each character by itself.

use unicode_segmentation::GraphemeCursor;

use super::Normalized;
use super::charsmap::Charsmap;
use crate::text::class::{self, COMBINING};

pub(super) fn apply(map: &Charsmap, text: &mut Normalized) {
    let old = text.text();
    let first = unchanged(map, old, 0);
    if first == old.len() {
        return;
    }
    if text.is_aligned() {
        let mut changes: Vec<(char, isize)> = Vec::with_capacity(old.len());
        each(map, old, first, |old, new| match new {
            Some(new) => replace(&mut changes, old, new),
            None => changes.extend(old.chars().map(|c| (c, 0))),
        });
        text.transform(|_, out| *out = changes);
    } else {
        let mut written = String::with_capacity(old.len() + old.len() / 2);
        each(map, old, first, |old, new| written.push_str(new.unwrap_or(old)));
        text.set(written);
    }
}

/// Whether a word shares a grapheme with none of the spaces around it, whatever else becomes of its accents before.
pub(crate) fn is_apart(word: &str) -> bool {
    let are_apart = |left: char, right: char| {
        let both: String = [left, right].into_iter().collect();
        GraphemeCursor::new(left.len_utf8(), both.len(), true).is_boundary(&both, 0) == Ok(true)
    };
    let is_mark = |c: &char| class::is(*c, COMBINING);
    let first = word.chars().next().is_some_and(|c| c.is_ascii() || !is_mark(&c) && are_apart(' ', c));
    first && word.chars().rev().find(|c| !is_mark(c)).is_some_and(|c| c.is_ascii() || are_apart(c, ' '))
}

/// Where the characters from a place on end that no rule touches.
fn unchanged(map: &Charsmap, text: &str, mut at: usize) -> usize {
    while at < text.len() {
        match map.plain().unchanged(text, at) {
            0 => break,
            length => at += length,
        }
    }
    at
}

/// Gives the stretches of a text in their order, each with what it becomes, or without if it stays. Up to `first` nothing changes.
///
/// What no rule touches stays, whatever grapheme it belongs to; and where a grapheme begins with it, no rule begins with that, so that
/// each of its other characters is looked at by itself.
fn each<'a>(map: &'a Charsmap, text: &'a str, first: usize, mut give: impl FnMut(&'a str, Option<&'a str>)) {
    let alone = |c: &'a str, give: &mut dyn FnMut(&'a str, Option<&'a str>)| give(c, map.shortest(c.as_bytes()));
    let (mut at, mut plain_end) = (0, first);
    // Where it is at a border, which it is unless what stays was passed over.
    let mut cursor = GraphemeCursor::new(0, text.len(), true);
    while at < text.len() {
        if plain_end > at {
            give(&text[at..plain_end], None);
            at = plain_end;
        }
        if at == text.len() {
            return;
        }
        if cursor.cur_cursor() != at {
            cursor = GraphemeCursor::new(at, text.len(), true);
            if cursor.is_boundary(text, 0) != Ok(true) {
                let length = text[at..].chars().next().map_or(1, char::len_utf8);
                alone(&text[at..at + length], &mut give);
                at += length;
                plain_end = unchanged(map, text, at);
                continue;
            }
        }
        let end = cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len());
        let grapheme = &text[at..end];
        match map.shortest(grapheme.as_bytes()).filter(|_| grapheme.len() < 6) {
            Some(new) => give(grapheme, Some(new)),
            None => grapheme.char_indices().for_each(|(i, c)| alone(&grapheme[i..i + c.len_utf8()], &mut give)),
        }
        at = end;
        plain_end = unchanged(map, text, at);
    }
}

/// If there are more characters than before, they follow the last; if there are fewer, the last stands for the rest too.
fn replace(changes: &mut Vec<(char, isize)>, old: &str, new: &str) {
    let more = new.chars().count() as isize - old.chars().count() as isize;
    changes.extend(new.chars().map(|c| (c, 0)));
    if more > 0 {
        changes.iter_mut().rev().take(more as usize).for_each(|(_, change)| *change = 1);
    } else if let Some((_, change)) = changes.last_mut() {
        *change += more;
    }
}

#[cfg(test)]
mod tests {
    use super::super::sentencepiece::tests::charsmap;
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    /// The slow twin: every grapheme, every character.
    fn naive(map: &Charsmap, text: &str) -> String {
        let mut out = String::new();
        for grapheme in text.graphemes(true) {
            if let Some(new) = map.shortest(grapheme.as_bytes()).filter(|_| grapheme.len() < 6) {
                out.push_str(new);
                continue;
            }
            for c in grapheme.chars().map(String::from) {
                out.push_str(map.shortest(c.as_bytes()).unwrap_or(&c));
            }
        }
        out
    }

    proptest! {
        #[test]
        fn what_is_passed_over_stays(
            rules in proptest::collection::btree_map(
                "[a-cA-C éか\u{3099}\u{301}]|[a-cA-Cか][a\u{301}\u{3099}]", "[a-c ]{0,2}", 1..12),
            folds in any::<bool>(),
            text in "[a-cA-Zé か\u{301}\u{3099}\u{200d}中😀🇦🇧☺\r\n]{0,30}",
        ) {
            let mut rules = rules;
            if folds {
                rules.extend(('A'..='Z').map(|c| (c.to_string(), c.to_ascii_lowercase().to_string())));
            }
            let map = charsmap(&rules);
            let expected = naive(&map, &text);
            for aligned in [false, true] {
                let mut normalized = Normalized::new(&text, aligned);
                apply(&map, &mut normalized);
                prop_assert_eq!(normalized.text(), &expected);
            }
        }
    }
}
