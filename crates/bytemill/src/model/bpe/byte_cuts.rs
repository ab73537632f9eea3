//! Where a piece of a model that starts from bytes may be cut because no token lies across: as `model/cuts.rs`, but tokens may have parts of
//! characters.

use crate::model::cuts::{FEW, FILTER_BITS, bit_of, characters};

#[derive(Debug)]
pub(super) struct ByteCuts {
    /// Two characters that are side by side in a token, by a hash: that of a pair which is in no token may be that of one which is, and then
    /// there is no cut.
    joined: Vec<u64>,
    /// A bit for each two bytes that are side by side in a token which has only a part of one of their characters.
    broken: Box<[u64; 1 << 10]>,
}

impl ByteCuts {
    pub(super) fn new<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut cuts = ByteCuts { joined: vec![0; 1 << (FILTER_BITS - 6)], broken: Box::new([0; 1 << 10]) };
        for token in tokens.filter(|token| !token.is_ascii()) {
            let mut end = 0;
            for chunk in token.utf8_chunks() {
                cuts.join(chunk.valid());
                let start = end + chunk.valid().len();
                end = start + chunk.invalid().len();
                if start < end {
                    // From the byte before those of the broken character to the one after them.
                    cuts.break_up(&token[start.saturating_sub(1)..token.len().min(end + 1)]);
                }
            }
        }
        cuts
    }

    fn join(&mut self, text: &str) {
        for (left, right) in text.chars().zip(text.chars().skip(1)) {
            set(&mut self.joined, bit_of(left, right));
        }
    }

    fn break_up(&mut self, bytes: &[u8]) {
        bytes.windows(2).for_each(|pair| set(&mut self.broken[..], broken_bit(pair[0], pair[1])));
    }

    /// Whether a token may lie across. It may between any two ASCII characters: there are few that no token has side by side.
    #[inline]
    fn may_join(&self, left: char, right: char, last: u8, first: u8) -> bool {
        left.is_ascii() && right.is_ascii()
            || is_set(&self.joined, bit_of(left, right))
            || is_set(&self.broken[..], broken_bit(last, first))
    }

    /// Calls `each` with the starts and the ends of the parts of UTF-8, a group at a time at most.
    #[inline]
    pub(super) fn split(&self, text: &[u8], mut each: impl FnMut(&[usize], &[usize])) {
        let (mut starts, mut ends, mut count) = ([0; FEW], [0; FEW], 0);
        let mut start = 0;
        let mut characters = characters(text, 0, text.len());
        let Some((mut before, ..)) = characters.next() else { return };
        for (c, at, _) in characters {
            if !self.may_join(before, c, text[at - 1], text[at]) {
                (starts[count], ends[count]) = (start, at);
                count += 1;
                start = at;
                if count == FEW {
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
fn broken_bit(last: u8, first: u8) -> usize {
    usize::from(last) << 8 | usize::from(first)
}

fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

#[inline]
fn is_set(bits: &[u64], bit: usize) -> bool {
    bits[bit / 64] >> (bit % 64) & 1 == 1
}
