//! White: the few bytes that part words.

use crate::machine::simd::{BLOCK, Kit, NEEDLES};

/// The bytes that are spaces: the space, and what becomes one before anybody looks. Places that are not used repeat the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct White {
    bytes: [u8; White::MOST],
}

impl White {
    const MOST: usize = 4;
    /// Only a space is one.
    pub const SPACE: White = White { bytes: [b' '; White::MOST] };

    /// With the first of these besides the space, as many as there is room for.
    pub fn with(others: impl IntoIterator<Item = u8>) -> Self {
        let mut white = White::SPACE;
        white.bytes[1..].iter_mut().zip(others).for_each(|(byte, other)| *byte = other);
        white
    }

    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.bytes.contains(&byte)
    }

    #[inline]
    pub fn trim_end<'a>(&self, text: &'a str) -> &'a str {
        text.trim_end_matches(|c: char| u8::try_from(c).is_ok_and(|byte| self.contains(byte)))
    }

    /// Where in a block they are, and where another byte is.
    #[inline(always)]
    pub fn find(&self, kit: impl Kit, other: u8, block: &[u8; BLOCK]) -> (u64, u64) {
        let [a, b, c, d] = self.bytes;
        let needles: [u8; NEEDLES] = [a, b, c, d, other];
        let [a, b, c, d, other] = kit.find(&needles, block);
        (a | b | c | d, other)
    }
}
