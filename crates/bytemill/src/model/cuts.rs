//! Cuts: where a text may be cut because no token lies across. Two characters that stand side by side in no token are such a place, wherever
//! they meet in a text.

use super::code_points::CodePoints;
use crate::normalize::MARK_CHARACTER;

#[derive(Debug)]
pub struct Cuts {
    /// For each ASCII character, those that follow it in a token. The mark of a space has the place of the character zero, which hardly
    /// any text has.
    ascii: Box<[u128; 128]>,
    /// The same of others, by a hash: that of a pair which is in no token may be that of one which is, and then there is no cut.
    filter: Vec<u64>,
    /// The characters that are tokens, where others must not be parted: several of them may be one unknown token.
    known: Option<CodePoints>,
    /// A bit for each two bytes that are side by side in a token which has only a part of one of their characters. Of models whose tokens
    /// are whole characters, none.
    broken: Option<Box<[u64; 1 << 10]>>,
}

const FILTER_BITS: u32 = 20;

impl Cuts {
    /// By the tokens that may lie across a place, and the characters that are tokens, where two that are none must not be parted.
    pub fn new<'a>(tokens: impl Iterator<Item = &'a [u8]>, known: Option<CodePoints>) -> Self {
        let filter = vec![0; 1 << (FILTER_BITS - 6)];
        let mut cuts = Cuts { ascii: Box::new([0; 128]), filter, known: None, broken: None };
        for token in tokens {
            cuts.join_all(String::from_utf8_lossy(token).chars());
        }
        if let Some(known) = known {
            let unknown = |&c: &char| known.get(c).is_none();
            let ascii = (0..128u8).map(char::from).filter(unknown);
            for (left, right) in ascii.clone().flat_map(|left| ascii.clone().map(move |right| (left, right))) {
                cuts.join(left, right);
            }
            cuts.known = Some(known);
        }
        cuts
    }

    /// By tokens that are any bytes. Between two ASCII characters there is no cut then: those that are seldom side by side are few.
    pub fn of_bytes<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Self {
        let (filter, mut broken) = (vec![0; 1 << (FILTER_BITS - 6)], Box::new([0; 1 << 10]));
        let mut cuts = Cuts { ascii: Box::new([u128::MAX; 128]), filter, known: None, broken: None };
        for token in tokens.filter(|token| !token.is_ascii()) {
            let mut end = 0;
            for chunk in token.utf8_chunks() {
                cuts.join_all(chunk.valid().chars());
                let start = end + chunk.valid().len();
                end = start + chunk.invalid().len();
                // From the byte before those of the broken character to the one behind them.
                let around = &token[start.saturating_sub(1)..token.len().min(end + 1)];
                for pair in around.windows(2).filter(|_| start < end) {
                    let bit = pair_of(pair[0], pair[1]);
                    broken[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
        cuts.broken = Some(broken);
        cuts
    }

    fn join_all(&mut self, characters: impl Iterator<Item = char>) {
        let mut before = None;
        for c in characters {
            if let Some(before) = before.replace(c) {
                self.join(before, c);
            }
        }
    }

    fn join(&mut self, left: char, right: char) {
        match (small(left), small(right)) {
            (Some(left), Some(right)) => self.ascii[left] |= 1 << right,
            _ => {
                let bit = bit_of(left, right);
                self.filter[bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    #[inline]
    fn may_cut(&self, left: char, right: char) -> bool {
        if let (Some(left), Some(right)) = (small(left), small(right)) {
            return self.ascii[left] >> right & 1 == 0;
        }
        let bit = bit_of(left, right);
        let unknown = |known: &CodePoints| known.get(left).is_none() && known.get(right).is_none();
        self.filter[bit / 64] >> (bit % 64) & 1 == 0 && !self.known.as_ref().is_some_and(unknown)
    }

    /// Whether a token that has only a part of one of the characters may have both of these bytes.
    #[inline]
    fn is_broken(&self, last: u8, first: u8) -> bool {
        let bit = pair_of(last, first);
        self.broken.as_ref().is_some_and(|broken| broken[bit / 64] >> (bit % 64) & 1 == 1)
    }

    /// Calls `each` with the starts and the ends of the parts of a text, so many at a time at most.
    #[inline]
    pub fn split<const MOST: usize>(&self, text: &str, mut each: impl FnMut(&[usize], &[usize])) {
        let (mut starts, mut ends, mut count) = ([0; MOST], [0; MOST], 0);
        let mut start = 0;
        let mut characters = text.char_indices();
        let Some((_, mut before)) = characters.next() else { return };
        for (at, c) in characters {
            if self.may_cut(before, c) && !self.is_broken(text.as_bytes()[at - 1], text.as_bytes()[at]) {
                (starts[count], ends[count]) = (start, at);
                count += 1;
                start = at;
                if count == MOST {
                    each(&starts, &ends);
                    count = 0;
                }
            }
            before = c;
        }
        (starts[count], ends[count]) = (start, text.len());
        each(&starts[..=count], &ends[..=count]);
    }
}

#[inline]
fn small(c: char) -> Option<usize> {
    match c {
        '\0'..='\x7F' => Some(c as usize),
        MARK_CHARACTER => Some(0),
        _ => None,
    }
}

#[inline]
fn pair_of(last: u8, first: u8) -> usize {
    usize::from(last) << 8 | usize::from(first)
}

#[inline]
fn bit_of(left: char, right: char) -> usize {
    let pair = u64::from(left) << 32 | u64::from(right);
    (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - FILTER_BITS)) as usize
}
