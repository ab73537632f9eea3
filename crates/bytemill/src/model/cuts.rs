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
}

const FILTER_BITS: u32 = 20;

impl Cuts {
    /// By the tokens that may lie across a place, and the characters that are tokens, where two that are none must not be parted.
    pub fn new<'a>(tokens: impl Iterator<Item = &'a [u8]>, known: Option<CodePoints>) -> Self {
        let mut cuts = Cuts { ascii: Box::new([0; 128]), filter: vec![0; 1 << (FILTER_BITS - 6)], known: None };
        for token in tokens {
            let mut before = None;
            for c in String::from_utf8_lossy(token).chars() {
                if let Some(before) = before.replace(c) {
                    cuts.join(before, c);
                }
            }
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

    /// Calls `each` with the starts and the ends of the parts of a text, so many at a time at most.
    #[inline]
    pub fn split<const MOST: usize>(&self, text: &str, mut each: impl FnMut(&[usize], &[usize])) {
        let (mut starts, mut ends, mut count) = ([0; MOST], [0; MOST], 0);
        let mut start = 0;
        let mut characters = text.char_indices();
        let Some((_, mut before)) = characters.next() else { return };
        for (at, c) in characters {
            if self.may_cut(before, c) {
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
fn bit_of(left: char, right: char) -> usize {
    let pair = u64::from(left) << 32 | u64::from(right);
    (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - FILTER_BITS)) as usize
}
