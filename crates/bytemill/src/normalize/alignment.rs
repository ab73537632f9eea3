//! Normalized: a text on its way through normalizers, with the way back to the original if somebody asked for offsets.

use std::borrow::Cow;

use crate::text::span::Span;

#[derive(Debug, Clone)]
pub struct Normalized<'a> {
    text: Cow<'a, str>,
    /// For each byte of the text, the span of the original that it stands for.
    alignment: Option<Vec<Span>>,
}

impl<'a> Normalized<'a> {
    pub fn new(text: &'a str, aligned: bool) -> Self {
        let spans_of_characters = || {
            text.char_indices().flat_map(|(at, c)| {
                let span = Span::new(at, at + c.len_utf8());
                std::iter::repeat_n(span, c.len_utf8())
            })
        };
        Normalized { text: Cow::Borrowed(text), alignment: aligned.then(|| spans_of_characters().collect()) }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_ascii(&self) -> bool {
        self.text.is_ascii()
    }

    /// Whether somebody asked for the way back.
    pub fn is_aligned(&self) -> bool {
        self.alignment.is_some()
    }

    /// Puts another text in its place, from which there is no way back.
    pub fn set(&mut self, text: String) {
        self.text = Cow::Owned(text);
        self.alignment = None;
    }

    /// Puts another text in its place, with what each of its bytes stands for in this one.
    pub fn replace_all(&mut self, text: String, aligned: Option<Vec<Span>>) {
        self.text = Cow::Owned(text);
        self.alignment = match (aligned, &self.alignment) {
            (Some(aligned), Some(old)) => {
                let place =
                    |at: usize| old.get(at).map_or_else(|| old.last().map_or(0, |last| last.end), |span| span.start);
                Some(aligned.iter().map(|span| Span::new(place(span.start), place(span.end))).collect())
            }
            _ => None,
        };
    }

    /// What a stretch of the normalized text stood for in the original.
    pub fn original(&self, span: Span) -> Span {
        match &self.alignment {
            Some(alignment) if span.start == span.end && span.start < alignment.len() => {
                Span::new(alignment[span.start].start, alignment[span.start].start)
            }
            Some(alignment) if span.start < span.end => {
                Span::new(alignment[span.start].start, alignment[span.end - 1].end.max(alignment[span.start].start))
            }
            _ => whole_characters(&self.text, span),
        }
    }

    /// Where what stands at `at` begins in the original; where nobody kept track, the text is taken for the original.
    pub fn origin(&self, at: usize) -> usize {
        self.alignment.as_ref().and_then(|alignment| alignment.get(at)).map_or(at, |span| span.start)
    }

    /// The characters of the text, and what each stands for in the original.
    pub fn aligned_characters(&self) -> impl Iterator<Item = (char, Span)> {
        self.text.char_indices().map(|(at, c)| (c, self.original(Span::new(at, at + c.len_utf8()))))
    }

    /// A stretch of the text, with the way back from it.
    pub fn slice(&self, span: Span) -> Normalized<'_> {
        let alignment = self.alignment.as_ref().map(|alignment| alignment[span.range()].to_vec());
        Normalized { text: Cow::Borrowed(&self.text[span.range()]), alignment }
    }

    /// For a text made of characters of this one and others that stand for the same.
    pub fn builder(&self) -> AlignmentBuilder<'_> {
        let alignment = self.alignment.as_ref().map(|alignment| Vec::with_capacity(alignment.len()));
        AlignmentBuilder { of: self, text: String::with_capacity(self.text.len() + self.text.len() / 2 + 4), alignment }
    }

    /// Replaces bytes of a text that is ASCII and stays so.
    pub fn map_ascii(&mut self, change: impl Fn(u8) -> u8) {
        debug_assert!(self.is_ascii());
        if self.text.bytes().any(|byte| change(byte) != byte) {
            self.text = Cow::Owned(self.text.bytes().map(|byte| char::from(change(byte))).collect());
        }
    }

    /// Rewrites the text. `write` gives each new character with its change: 0 where it takes the place of one old character, 1 where
    /// it is inserted after it, -n where it also takes the place of the n that follow.
    pub fn transform(&mut self, write: impl FnOnce(&str, &mut Vec<(char, isize)>)) {
        let mut changes = Vec::with_capacity(self.text.len());
        write(&self.text, &mut changes);
        self.replace(&changes, 0);
    }

    /// Drops the characters that `keep` does not want, asked with their number and themselves.
    pub fn keep(&mut self, keep: impl Fn(usize, char) -> bool) {
        if self.text.chars().enumerate().all(|(i, c)| keep(i, c)) {
            return;
        }
        let mut changes: Vec<(char, isize)> = Vec::with_capacity(self.text.len());
        let mut dropped_first = 0;
        for (i, c) in self.text.chars().enumerate() {
            match (keep(i, c), changes.last_mut()) {
                (true, _) => changes.push((c, 0)),
                (false, Some((_, change))) => *change -= 1,
                (false, None) => dropped_first += 1,
            }
        }
        self.replace(&changes, dropped_first);
    }

    pub fn retain(&mut self, keep: impl Fn(char) -> bool) {
        self.keep(|_, c| keep(c));
    }

    /// Puts `content` in the place of each of some spans, which follow one another and are not empty. What is new stands for the last
    /// character of what it replaces.
    pub fn replace_spans(&mut self, spans: Vec<Span>, content: &str) {
        if spans.is_empty() {
            return;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut alignment = self.alignment.as_ref().map(|old| Vec::with_capacity(old.len()));
        let mut done = 0;
        for span in spans.into_iter().chain([Span::new(self.text.len(), self.text.len())]) {
            text.push_str(&self.text[done..span.start]);
            if let (Some(new), Some(old)) = (&mut alignment, &self.alignment) {
                new.extend_from_slice(&old[done..span.start]);
            }
            if span.start < span.end {
                text.push_str(content);
                if let (Some(new), Some(old)) = (&mut alignment, &self.alignment) {
                    new.extend(std::iter::repeat_n(old[span.end - 1], content.len()));
                }
            }
            done = span.end;
        }
        (self.text, self.alignment) = (Cow::Owned(text), alignment);
    }

    /// Puts `content` before the text, for which it stands like the first character; an empty text stays empty.
    pub fn prepend(&mut self, content: &str) {
        if self.text.is_empty() {
            return;
        }
        if let Some(alignment) = &mut self.alignment {
            let first = alignment[0];
            alignment.splice(0..0, std::iter::repeat_n(first, content.len()));
        }
        self.text = Cow::Owned([content, &self.text].concat());
    }

    fn replace(&mut self, changes: &[(char, isize)], dropped_first: usize) {
        if let Some(alignment) = &mut self.alignment {
            *alignment = realigned(&self.text, alignment, changes, dropped_first);
        }
        self.text = Cow::Owned(changes.iter().map(|&(c, _)| c).collect());
    }
}

pub struct AlignmentBuilder<'a> {
    of: &'a Normalized<'a>,
    text: String,
    alignment: Option<Vec<Span>>,
}

impl AlignmentBuilder<'_> {
    /// The bytes that are there by now.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Appends a character that stands for what the one at `at` stood for.
    pub fn push(&mut self, c: char, at: usize) {
        self.text.push(c);
        if let (Some(new), Some(old)) = (&mut self.alignment, &self.of.alignment) {
            new.extend(std::iter::repeat_n(old[at], c.len_utf8()));
        }
    }

    /// Appends text with a mark in the place of each space, where nobody keeps track.
    pub fn push_marked(&mut self, text: &str, mark: char) {
        debug_assert!(self.alignment.is_none());
        for (number, part) in text.split(' ').enumerate() {
            if number > 0 {
                self.text.push(mark);
            }
            self.text.push_str(part);
        }
    }

    pub fn finish(self) -> Normalized<'static> {
        Normalized { text: Cow::Owned(self.text), alignment: self.alignment }
    }
}

/// The characters that a stretch of bytes touches: a token may be part of one.
fn whole_characters(text: &str, span: Span) -> Span {
    let start = (0..=span.start).rev().find(|&at| text.is_char_boundary(at));
    let end = (span.end..=text.len()).find(|&at| text.is_char_boundary(at));
    Span::new(start.unwrap_or(span.start), end.unwrap_or(span.end))
}

fn realigned(old: &str, alignment: &[Span], changes: &[(char, isize)], dropped_first: usize) -> Vec<Span> {
    let mut old = old.chars().map(char::len_utf8);
    let mut at: usize = old.by_ref().take(dropped_first).sum();
    let mut realigned = Vec::with_capacity(changes.len());
    for &(c, change) in changes {
        let span = match change {
            // An inserted character stands for what the one before it stands for.
            1.. => match at.checked_sub(1) {
                Some(before) => alignment.get(before),
                None => None,
            },
            _ => alignment.get(at),
        };
        if change <= 0 {
            at += old.by_ref().take(1 + change.unsigned_abs()).sum::<usize>();
        }
        let span = span.copied().unwrap_or(Span::new(0, 0));
        realigned.extend(std::iter::repeat_n(span, c.len_utf8()));
    }
    realigned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_through_changes() {
        let mut text = Normalized::new("aéb", true);
        text.transform(|_, out| out.extend([('a', 0), ('e', 0), ('\u{301}', 1), ('b', 0)]));
        assert_eq!(text.text(), "ae\u{301}b");
        text.retain(|c| c.is_ascii());
        assert_eq!(text.text(), "aeb");
        assert_eq!(text.original(Span::new(1, 2)), Span::new(1, 3));
        assert_eq!(text.original(Span::new(0, 3)), Span::new(0, 4));
    }

    #[test]
    fn characters_dropped_at_the_start() {
        let mut text = Normalized::new("  x", true);
        text.keep(|i, _| i == 2);
        assert_eq!((text.text(), text.original(Span::new(0, 1))), ("x", Span::new(2, 3)));
    }
}
