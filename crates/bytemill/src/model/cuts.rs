//! Cuts: where a text may be cut because no token lies across. Two characters that stand side by side in no token are such a place, wherever
//! they meet in a text.

use super::code_points::CodePoints;
use crate::normalize::{MARK_CHARACTER, SentencePiece};
use crate::pretokenize::spaced::SpacedWords;
use crate::text::plane::run_of;

#[derive(Debug)]
pub(crate) struct Cuts {
    /// For each ASCII character, those that follow it in a token, a bit each. The mark of a space has the place of a space, so that a text
    /// may have either.
    ascii: Box<[[u64; 2]; 128]>,
    /// The same of others, by a hash: that of a pair which is in no token may be that of one which is, and then there is no cut.
    filter: Vec<u64>,
    /// The characters that are tokens, where others must not be parted: several of them may be one unknown token.
    known: Option<CodePoints>,
    /// Characters that have a neighbour beyond ASCII in some token, or are such a neighbour, a bit each; those beyond 2¹⁶ count as such, and
    /// the mark of a space.
    /// Others are cut off without asking the filter.
    joined: Box<[u64; 1 << 10]>,
    /// Whether a text may be cut before the mark of a space wherever another character is before it.
    before_marks: bool,
}

/// Of a filter of pairs of characters.
pub(crate) const FILTER_BITS: u32 = 20;
/// Words that wait for one another, where a text is a word or two: room for more takes its time to be made.
pub(crate) const FEW: usize = 16;
/// The place of a character that is neither ASCII nor the mark of a space.
const OTHER: u32 = 128;

/// What a text is cut into.
pub(crate) enum Part<'a> {
    /// The starts and the ends of some that follow one another.
    Words(&'a [usize], &'a [usize]),
    /// Where characters beyond ASCII lie, each of which is a part by itself.
    Alone(usize, usize),
}

impl Cuts {
    /// By the tokens that may lie across a place, and the characters that are tokens, where two that are none must not be parted.
    pub(crate) fn new<'a>(tokens: impl Iterator<Item = &'a [u8]>, known: Option<CodePoints>) -> Self {
        let mut cuts = Cuts {
            ascii: Box::new([[0; 2]; 128]),
            filter: vec![0; 1 << (FILTER_BITS - 6)],
            known: None,
            joined: Box::new([0; 1 << 10]),
            before_marks: known.as_ref().is_none_or(|known| known.get(MARK_CHARACTER).is_some()),
        };
        // Its neighbours are among the pairs of ASCII.
        cuts.joined[MARK_CHARACTER as usize / 64] |= 1 << (MARK_CHARACTER as usize % 64);
        for token in tokens {
            let mut before = None;
            for c in String::from_utf8_lossy(token).chars() {
                if let Some(before) = before.replace(c) {
                    cuts.join(before, c);
                }
            }
        }
        if let Some(known) = known {
            let unknown = |&c: &char| is_unknown(&known, c);
            let ascii = (0..128u8).map(char::from).filter(unknown);
            for (left, right) in ascii.clone().flat_map(|left| ascii.clone().map(move |right| (left, right))) {
                cuts.join(left, right);
            }
            cuts.known = Some(known);
        }
        cuts
    }

    fn join(&mut self, left: char, right: char) {
        self.before_marks &= right != MARK_CHARACTER || left == MARK_CHARACTER;
        let [left, right] = [left, right].map(as_space);
        match (small(left), small(right)) {
            (OTHER, _) | (_, OTHER) => {
                let bit = bit_of(left, right);
                self.filter[bit / 64] |= 1 << (bit % 64);
                for code in [left, right].map(|c| c as usize) {
                    self.joined.iter_mut().skip(code / 64).take(1).for_each(|word| *word |= 1 << (code % 64));
                }
            }
            (left, right) => self.ascii[left as usize][right as usize / 64] |= 1 << (right % 64),
        }
    }

    /// Whether a text may be cut before the mark of a space wherever another character is before it.
    pub(crate) fn are_before_marks(&self) -> bool {
        self.before_marks
    }

    /// What finds words in a text before these stages, but for the user's own symbols.
    pub(crate) fn words(&self, stages: &SentencePiece) -> SpacedWords {
        SpacedWords::of(stages, |left, right| self.parts_ascii(left, right), |byte| self.is_alone(byte))
    }

    /// Whether a text may be cut between two ASCII characters, of which the mark of a space has the place of a space.
    fn parts_ascii(&self, left: u8, right: u8) -> bool {
        self.ascii[usize::from(left % 128)][usize::from(right % 128 / 64)] >> (right % 64) & 1 == 0
    }

    /// Whether a text may be cut before and after an ASCII character wherever it stands.
    fn is_alone(&self, byte: u8) -> bool {
        let follows = |row: &[u64; 2]| row[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0;
        let joined =
            self.is_joined(byte.into()) || self.ascii[usize::from(byte)] != [0; 2] || self.ascii.iter().any(follows);
        !joined && self.known.is_none()
    }

    /// Whether a character may have a neighbour beyond ASCII in some token, or be one.
    #[inline]
    pub(crate) fn is_joined(&self, c: char) -> bool {
        self.joined.get(c as usize / 64).is_none_or(|word| word >> (c as usize % 64) & 1 != 0)
    }

    /// Whether the two, both of which have neighbours, are none to each other.
    #[inline]
    fn are_apart(&self, left: char, right: char) -> bool {
        let bit = bit_of(left, right);
        self.filter[bit / 64] >> (bit % 64) & 1 == 0
    }

    fn are_unknown(&self, left: char, right: char) -> bool {
        self.known.as_ref().is_some_and(|known| is_unknown(known, left) && is_unknown(known, right))
    }

    /// Gives the parts of a text, words at most `MOST` at a time. The text is UTF-8, as it is wherever it comes from a `str`.
    #[inline]
    pub(crate) fn split<const MOST: usize>(&self, text: &[u8], mut each: impl FnMut(Part)) {
        let mut words = WaitingWords::<MOST>::default();
        self.split_from(text, 0, &mut words, &mut each);
        words.flush(&mut each);
    }

    /// The same from a place on, after words that wait; and the last ones wait.
    #[inline]
    pub(crate) fn split_from<const MOST: usize>(
        &self,
        text: &[u8],
        mut at: usize,
        words: &mut WaitingWords<MOST>,
        each: &mut impl FnMut(Part),
    ) {
        while at < text.len() {
            match self.lone_run(text, at) {
                0 => at = self.split_stretch(text, at, words, each),
                length => {
                    // What waits comes first.
                    words.flush(each);
                    each(Part::Alone(at, at + length));
                    at += length;
                }
            }
        }
    }

    /// The length of the characters of three bytes from a place on that have no neighbour in any token.
    #[inline]
    fn lone_run(&self, text: &[u8], at: usize) -> usize {
        match self.known {
            None => 3 * run_of(&text[at..], |word| !self.joined[word]),
            Some(_) => 0,
        }
    }

    /// Gives the parts from a place on, up to the next run of lone characters; gives where that is.
    #[inline]
    fn split_stretch<const MOST: usize>(
        &self,
        text: &[u8],
        mut start: usize,
        words: &mut WaitingWords<MOST>,
        each: &mut impl FnMut(Part),
    ) -> usize {
        let (mut before, width) = unmarked(text, start);
        let mut at = start + width;
        let (mut place, mut joined) = (small(before), self.is_joined(before));
        while at < text.len() {
            // ASCII after ASCII, or after the mark of a space.
            while let Some(&byte) = text.get(at).filter(|byte| byte.is_ascii() && place != OTHER) {
                if self.ascii[place as usize % 128][usize::from(byte >> 6) % 2] >> (byte & 63) & 1 == 0 {
                    words.push(start, at, each);
                    start = at;
                }
                (place, before) = (byte.into(), byte.into());
                (joined, at) = (true, at + 1);
            }
            if at == text.len() {
                break;
            }
            let (c, width) = unmarked(text, at);
            let (before_joined, before_place) = (joined, place);
            place = small(c);
            joined = place != OTHER || self.is_joined(c);
            if !joined && width == 3 && self.known.is_none() {
                break;
            }
            let cut = match (before_place, place) {
                (OTHER, _) | (_, OTHER) => {
                    (!before_joined || !joined || self.are_apart(before, c)) && !self.are_unknown(before, c)
                }
                (left, right) => self.ascii[left as usize % 128][right as usize / 64 % 2] >> (right % 64) & 1 == 0,
            };
            if cut {
                if before_place == OTHER && before.len_utf8() == at - start {
                    words.flush(each);
                    each(Part::Alone(start, at));
                } else {
                    words.push(start, at, each);
                }
                start = at;
            }
            before = c;
            at += width;
        }
        words.push(start, at, each);
        at
    }
}

/// Words that wait for others.
#[derive(Debug)]
pub(crate) struct WaitingWords<const MOST: usize> {
    starts: [usize; MOST],
    ends: [usize; MOST],
    count: usize,
}

impl<const MOST: usize> Default for WaitingWords<MOST> {
    fn default() -> Self {
        WaitingWords { starts: [0; MOST], ends: [0; MOST], count: 0 }
    }
}

impl<const MOST: usize> WaitingWords<MOST> {
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    #[inline]
    pub(crate) fn push(&mut self, start: usize, end: usize, each: &mut impl FnMut(Part)) {
        (self.starts[self.count], self.ends[self.count]) = (start, end);
        self.count += 1;
        if self.count == MOST {
            self.flush(each);
        }
    }

    #[inline]
    pub(crate) fn flush(&mut self, each: &mut impl FnMut(Part)) {
        if self.count > 0 {
            each(Part::Words(&self.starts[..self.count], &self.ends[..self.count]));
            self.count = 0;
        }
    }
}

/// The characters of a stretch of UTF-8, each with its place.
#[inline]
pub(crate) fn characters(text: &[u8], start: usize, end: usize) -> impl Iterator<Item = (char, usize, usize)> {
    let mut at = start;
    std::iter::from_fn(move || {
        let start = (at < end).then_some(at)?;
        let (c, width) = character(text, start);
        at += width;
        Some((c, start, at))
    })
}

/// The character at a place of UTF-8, and its width.
#[inline]
pub(crate) fn character(text: &[u8], at: usize) -> (char, usize) {
    let first = u32::from(text[at]);
    let next = |i: usize| text.get(at + i).map_or(0, |&byte| u32::from(byte) & 0x3F);
    let (code, width) = match first {
        0..0xC0 => (first, 1),
        0xC0..0xE0 => ((first & 0x1F) << 6 | next(1), 2),
        0xE0..0xF0 => ((first & 0x0F) << 12 | next(1) << 6 | next(2), 3),
        _ => ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4),
    };
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), width)
}

/// The same, with a space for a mark.
#[inline]
fn unmarked(text: &[u8], at: usize) -> (char, usize) {
    let (c, width) = character(text, at);
    (as_space(c), width)
}

#[inline]
fn as_space(c: char) -> char {
    if c == MARK_CHARACTER { ' ' } else { c }
}

/// A space may stand for its mark: it is known where both are.
fn is_unknown(known: &CodePoints, c: char) -> bool {
    known.get(c).is_none() || c == ' ' && known.get(MARK_CHARACTER).is_none()
}

#[inline]
fn small(c: char) -> u32 {
    if c.is_ascii() { c as u32 } else { OTHER }
}

/// The bit of a pair in such a filter.
#[inline]
pub(crate) fn bit_of(left: char, right: char) -> usize {
    let pair = u64::from(left) << 32 | u64::from(right);
    (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - FILTER_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_the_text_and_no_token_lies_across(
            tokens in proptest::collection::vec("[ab▁é中日]{1,3}", 0..8), text in "[ab▁ cé中文日本😀]{0,80}",
        ) {
            let cuts = Cuts::new(tokens.iter().map(String::as_bytes), None);
            let mut parts = Vec::new();
            cuts.split::<4>(text.as_bytes(), |part| match part {
                Part::Words(starts, ends) => parts.extend(starts.iter().copied().zip(ends.iter().copied())),
                Part::Alone(start, end) => {
                    parts.extend(characters(text.as_bytes(), start, end).map(|(c, start, end)| {
                        assert_eq!(&text[start..end], c.to_string());
                        (start, end)
                    }));
                }
            });
            let joined: String = parts.iter().map(|&(start, end)| &text[start..end]).collect();
            prop_assert_eq!(&joined, &text);
            prop_assert!(parts.iter().all(|(start, end)| start < end));
            for &(start, _) in parts.iter().skip(1) {
                let (left, right) = (text[..start].chars().last().unwrap(), text[start..].chars().next().unwrap());
                let pair: String = [left, right].map(|c| if c == ' ' { MARK_CHARACTER } else { c }).into_iter().collect();
                prop_assert!(!tokens.iter().any(|token| token.contains(&pair)));
            }
        }
    }
}
