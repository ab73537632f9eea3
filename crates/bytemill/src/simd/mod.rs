//! Byte classification, 64 bytes at a time: which of two sets of ASCII bytes each byte is in, and where given bytes stand.
//!
//! The contract, the same for every engine: bit `i` of `low` is set iff `block[i]` is an ASCII byte of the low set, bit `i` of
//! `high` likewise, and bit `i` of `non_ascii` iff `block[i] >= 0x80`; bit `i` of the n-th mask of `find` iff `block[i]` is the n-th
//! needle. `scalar` is the twin that the tests hold the others to.

mod scalar;
mod swar;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;

pub const BLOCK: usize = 64;

/// How many bytes are looked for at a time: as many as the splitting patterns name.
pub const NEEDLES: usize = 5;

/// Asks the memory for what a reference points to, without waiting for it.
#[inline(always)]
pub fn prefetch<T>(target: &T) {
    let address = std::ptr::from_ref(target);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program can see, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; the instruction changes no register and no memory.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// A set of ASCII bytes in the three shapes that the engines want it in.
#[derive(Debug, Clone)]
pub struct AsciiSet {
    /// One bit for each byte.
    members: u128,
    /// For a low nibble, the high nibbles with which it makes a member. ASCII has eight high nibbles, so this
    /// expresses every set, which two tables joined by AND over all 256 bytes could not.
    nibbles: [u8; 16],
    /// The members as inclusive ranges.
    ranges: Vec<(u8, u8)>,
}

impl AsciiSet {
    pub fn new(contains: impl Fn(u8) -> bool) -> Self {
        let mut set = AsciiSet { members: 0, nibbles: [0; 16], ranges: Vec::new() };
        for byte in (0..0x80).filter(|&byte| contains(byte)) {
            set.members |= 1 << byte;
            set.nibbles[usize::from(byte & 0x0F)] |= 1 << (byte >> 4);
            match set.ranges.last_mut() {
                Some((_, last)) if *last + 1 == byte => *last = byte,
                _ => set.ranges.push((byte, byte)),
            }
        }
        set
    }
}

/// The two sets of a classification.
#[derive(Debug, Clone)]
pub struct Classes {
    pub low: AsciiSet,
    pub high: AsciiSet,
}

/// What a classification says of a block, one bit a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masks {
    pub low: u64,
    pub high: u64,
    pub non_ascii: u64,
}

/// An implementation of the contract above.
#[derive(Debug, Clone, Copy)]
pub struct Engine {
    pub name: &'static str,
    classify: fn(&Classes, &[u8; BLOCK]) -> Masks,
    find: fn(&[u8; NEEDLES], &[u8; BLOCK]) -> [u64; NEEDLES],
}

impl Engine {
    /// The fastest engine that this machine can run.
    pub fn best() -> Self {
        // `available` ends with the fastest and is never empty.
        Self::available().pop().unwrap_or(scalar::ENGINE)
    }

    /// Every engine that this machine can run, slowest first.
    pub fn available() -> Vec<Self> {
        let mut engines = vec![scalar::ENGINE, swar::ENGINE];
        #[cfg(target_arch = "x86_64")]
        engines.extend(avx2::engine());
        #[cfg(target_arch = "aarch64")]
        engines.push(neon::ENGINE);
        engines
    }

    #[inline]
    pub fn classify(&self, classes: &Classes, block: &[u8; BLOCK]) -> Masks {
        (self.classify)(classes, block)
    }

    #[inline]
    pub fn find(&self, needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES] {
        (self.find)(needles, block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_all_equal(classes: &Classes, block: &[u8; BLOCK]) {
        let expected = scalar::ENGINE.classify(classes, block);
        for engine in Engine::available() {
            assert_eq!(engine.classify(classes, block), expected, "{}", engine.name);
        }
    }

    #[test]
    fn every_byte_in_every_position() {
        let classes = Classes {
            low: AsciiSet::new(|b| b.is_ascii_punctuation()),
            high: AsciiSet::new(|b| b.is_ascii_whitespace() || b == 0x7F || b == 0),
        };
        for byte in 0..=255u8 {
            for position in 0..BLOCK {
                let mut block = [b'a'; BLOCK];
                block[position] = byte;
                let masks = scalar::ENGINE.classify(&classes, &block);
                let bit = 1 << position;
                assert_eq!(masks.low & bit != 0, byte.is_ascii_punctuation());
                assert_eq!(masks.non_ascii, if byte >= 0x80 { bit } else { 0 });
                assert_all_equal(&classes, &block);
            }
        }
    }

    proptest! {
        #[test]
        fn engines_agree_on_any_set_and_block(
            low in any::<u128>(), high in any::<u128>(),
            bytes in proptest::collection::vec(any::<u8>(), BLOCK),
        ) {
            let classes = Classes {
                low: AsciiSet::new(|b| low >> b & 1 == 1),
                high: AsciiSet::new(|b| high >> b & 1 == 1),
            };
            let block: [u8; BLOCK] = bytes.try_into().unwrap();
            assert_all_equal(&classes, &block);
            let needles = [block[0], block[63], 0, b' ', block[31] ^ 0x80];
            for engine in Engine::available() {
                prop_assert_eq!(engine.find(&needles, &block), scalar::ENGINE.find(&needles, &block), "{}", engine.name);
            }
        }
    }
}
