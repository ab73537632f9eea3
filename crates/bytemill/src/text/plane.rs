//! Plane: a set of characters of the Basic Multilingual Plane, a bit each. Small enough to stay near, and asked about runs of text.

#[derive(Debug, Clone)]
pub(crate) struct Plane {
    bits: Box<[u64; 1 << 10]>,
}

impl Plane {
    /// The characters of which something is so.
    pub(crate) fn of(mut is_in: impl FnMut(char) -> bool) -> Self {
        let mut plane = Plane { bits: Box::new([0; 1 << 10]) };
        let characters = ('\0'..='\u{FFFF}').filter(|&c| is_in(c));
        characters.for_each(|c| plane.bits[c as usize / 64] |= 1 << (c as usize % 64));
        plane
    }

    /// How many characters of three bytes a UTF-8 text begins with that are in the set.
    #[inline]
    pub(crate) fn run(&self, text: &[u8]) -> usize {
        run_of(text, |word| self.bits[word])
    }
}

/// How many characters of three bytes a UTF-8 text begins with of which a bit is set; `bits` gives those of 64 characters.
#[inline]
pub(crate) fn run_of(text: &[u8], bits: impl Fn(usize) -> u64) -> usize {
    let is_in = |&&[first, second, third]: &&[u8; 3]| {
        let word = usize::from(first & 0x0F) << 6 | usize::from(second & 0x3F);
        first >> 4 == 0xE && bits(word) >> (third & 0x3F) & 1 != 0
    };
    text.as_chunks::<3>().0.iter().take_while(is_in).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_those_of_the_characters(text in "[中文日本語かab é😀]{0,20}|[中文日本語か]{0,20}", set in "[中文かaé]{0,4}") {
            let expected = text.chars().take_while(|c| c.len_utf8() == 3 && set.contains(*c)).count();
            prop_assert_eq!(Plane::of(|c| set.contains(c)).run(text.as_bytes()), expected);
        }
    }
}
