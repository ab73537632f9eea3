//! Byte classification, 64 bytes at a time: which of two sets of ASCII bytes each byte is in, where given bytes stand, and the positions
//! of the bits that come out.
//!
//! The contract, the same for every engine: bit `i` of `low` is set iff `block[i]` is an ASCII byte of the low set, bit `i` of
//! `high` likewise, and bit `i` of `non_ascii` iff `block[i] >= 0x80`; bit `i` of the n-th mask of `find` iff `block[i]` is the n-th
//! needle. `scalar` is the twin that the tests hold the others to.
//!
//! Hot loops are compiled once for each engine: a `Loop` is told which it runs on, and `Engine::run` chooses.

mod scalar;
mod swar;

/// A kit of x86-64: that there is one proves that the machine has the features that its loops are compiled for.
#[cfg(target_arch = "x86_64")]
macro_rules! kit_of_x86 {
    ($(#[$about:meta])* $name:ident, $($feature:tt)+) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(());

        impl $name {
            pub fn of_this_machine() -> Option<Self> {
                let is_here = true $(&& is_x86_feature_detected!($feature))+;
                is_here.then_some($name(()))
            }

            #[inline]
            pub fn run<L: super::Loop>(self, work: L) -> L::Output {
                $(#[target_feature(enable = $feature)])+
                fn run<L: super::Loop>(work: L, kit: $name) -> L::Output {
                    work.run(kit)
                }
                // SAFETY: all of it was found.
                unsafe { run(work, self) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use std::cell::Cell;

use scalar::Scalar;
use swar::Swar;

pub(crate) const BLOCK: usize = 64;

/// How many bytes are looked for at a time: as many as the splitting patterns name.
pub(crate) const NEEDLES: usize = 5;

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

/// Four numbers of two bytes, the first lowest, as four of four. (By itself the compiler moves each of them alone, and a memo that knows all
/// of its text takes an eighth longer.)
#[inline(always)]
pub(crate) fn widen(numbers: u64) -> [u32; 4] {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86_64 has SSE2, and a vector of 16 bytes may be any four numbers.
    unsafe {
        use std::arch::x86_64::{_mm_cvtsi64_si128, _mm_setzero_si128, _mm_unpacklo_epi16};
        std::mem::transmute(_mm_unpacklo_epi16(_mm_cvtsi64_si128(numbers.cast_signed()), _mm_setzero_si128()))
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: every aarch64 has NEON, and a vector of 16 bytes may be any four numbers.
    unsafe {
        use std::arch::aarch64::{vcreate_u16, vmovl_u16};
        std::mem::transmute(vmovl_u16(vcreate_u16(numbers)))
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::array::from_fn(|i| (numbers >> (16 * i)) as u32 & 0xFFFF)
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
    low: AsciiSet,
    high: AsciiSet,
    /// For each ASCII byte, 1 if it is in the low set, and 2 if in the high one.
    #[cfg(target_arch = "x86_64")]
    both: [u8; 128],
}

impl Classes {
    pub fn new(low: AsciiSet, high: AsciiSet) -> Self {
        #[cfg(target_arch = "x86_64")]
        let both = {
            let bit = |set: &AsciiSet, byte: usize| (set.members >> byte & 1) as u8;
            std::array::from_fn(|byte| bit(&low, byte) | bit(&high, byte) << 1)
        };
        Classes {
            low,
            high,
            #[cfg(target_arch = "x86_64")]
            both,
        }
    }
}

/// What a classification says of a block, one bit a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masks {
    pub low: u64,
    pub high: u64,
    pub non_ascii: u64,
}

/// An implementation of the contract above.
pub trait Kit: Copy {
    fn classify(self, classes: &Classes, block: &[u8; BLOCK]) -> Masks;

    fn find(self, needles: &[u8; NEEDLES], block: &[u8; BLOCK]) -> [u64; NEEDLES];

    /// Writes the position of every set bit after those that are used, and gives the number of all; `at` is the position of the first bit.
    /// Groups of eight are written without asking, and only the number is exact.
    #[inline(always)]
    fn write_positions(self, positions: &mut [usize], used: usize, at: usize, mut bits: u64) -> usize {
        let all = used + bits.count_ones() as usize;
        let mut used = used;
        while bits != 0 {
            if let Some(group) = positions[used..].first_chunk_mut::<8>() {
                for position in group {
                    *position = at + bits.trailing_zeros() as usize;
                    bits &= bits.wrapping_sub(1);
                }
            }
            used += 8;
        }
        all
    }
}

/// Something that pays to be compiled for each kit by itself. `run` must be always in line.
pub trait Loop {
    type Output;

    fn run(self, kit: impl Kit) -> Self::Output;
}

/// The kits that this machine may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Scalar(Scalar),
    Swar(Swar),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
}

thread_local! {
    /// What `Engine::force` asks for on this thread.
    static FORCED: Cell<Option<Engine>> = const { Cell::new(None) };
}

/// Gives back what was forced before, whatever happens in between.
struct Restored(Option<Engine>);

impl Drop for Restored {
    fn drop(&mut self) {
        FORCED.set(self.0);
    }
}

impl Engine {
    /// The fastest engine that this machine can run, or the one that is forced.
    pub fn best() -> Self {
        // `available` ends with the fastest and is never empty.
        FORCED.get().or_else(|| Self::available().pop()).unwrap_or(Engine::Scalar(Scalar))
    }

    /// Builds something with this engine for all that it will do. Everything that is built chooses its engine then and keeps it, so that a
    /// parameter of every constructor, for tests alone, is not needed.
    pub fn force<T>(self, build: impl FnOnce() -> T) -> T {
        let _restored = Restored(FORCED.replace(Some(self)));
        build()
    }

    /// The engine of a name, if this machine can run it.
    pub fn named(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|engine| engine.name() == name)
    }

    /// Every engine that this machine can run, slowest first.
    pub fn available() -> Vec<Self> {
        let mut engines = vec![Engine::Scalar(Scalar), Engine::Swar(Swar)];
        #[cfg(target_arch = "x86_64")]
        {
            engines.extend(avx2::Avx2::of_this_machine().map(Engine::Avx2));
            engines.extend(avx512::Avx512::of_this_machine().map(Engine::Avx512));
        }
        #[cfg(target_arch = "aarch64")]
        engines.push(Engine::Neon(neon::Neon));
        engines
    }

    /// As people call its instructions.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Scalar(_) => "scalar",
            Engine::Swar(_) => "swar",
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Engine::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Engine::Neon(_) => "neon",
        }
    }

    #[inline]
    pub fn run<L: Loop>(self, work: L) -> L::Output {
        match self {
            Engine::Scalar(kit) => work.run(kit),
            Engine::Swar(kit) => work.run(kit),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(kit) => kit.run(work),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx512(kit) => kit.run(work),
            #[cfg(target_arch = "aarch64")]
            Engine::Neon(kit) => work.run(kit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Classify<'a>(&'a Classes, &'a [u8; BLOCK]);

    impl Loop for Classify<'_> {
        type Output = Masks;

        #[inline(always)]
        fn run(self, kit: impl Kit) -> Masks {
            kit.classify(self.0, self.1)
        }
    }

    struct Find<'a>(&'a [u8; NEEDLES], &'a [u8; BLOCK]);

    impl Loop for Find<'_> {
        type Output = [u64; NEEDLES];

        #[inline(always)]
        fn run(self, kit: impl Kit) -> [u64; NEEDLES] {
            kit.find(self.0, self.1)
        }
    }

    struct Positions(usize, u64);

    impl Loop for Positions {
        type Output = Vec<usize>;

        #[inline(always)]
        fn run(self, kit: impl Kit) -> Vec<usize> {
            let mut positions = vec![7; 1 + BLOCK + 7];
            let all = kit.write_positions(&mut positions, 1, self.0, self.1);
            positions.truncate(all);
            positions
        }
    }

    fn assert_all_equal(classes: &Classes, block: &[u8; BLOCK]) {
        let expected = Scalar.classify(classes, block);
        for engine in Engine::available() {
            assert_eq!(engine.run(Classify(classes, block)), expected, "{engine:?}");
        }
    }

    #[test]
    fn every_byte_in_every_position() {
        let classes = Classes::new(
            AsciiSet::new(|b| b.is_ascii_punctuation()),
            AsciiSet::new(|b| b.is_ascii_whitespace() || b == 0x7F || b == 0),
        );
        for byte in 0..=255u8 {
            for position in 0..BLOCK {
                let mut block = [b'a'; BLOCK];
                block[position] = byte;
                let masks = Scalar.classify(&classes, &block);
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
            let classes =
                Classes::new(AsciiSet::new(|b| low >> b & 1 == 1), AsciiSet::new(|b| high >> b & 1 == 1));
            let block: [u8; BLOCK] = bytes.try_into().unwrap();
            assert_all_equal(&classes, &block);
            let needles = [block[0], block[63], 0, b' ', block[31] ^ 0x80];
            for engine in Engine::available() {
                prop_assert_eq!(engine.run(Find(&needles, &block)), Scalar.find(&needles, &block), "{:?}", engine);
            }
        }

        #[test]
        fn positions_are_those_of_the_bits(few in any::<u64>(), fewer in any::<u64>(), at in 0..usize::MAX / 2) {
            for bits in [few, few & fewer, few | fewer, 0, u64::MAX] {
                let expected = (0..BLOCK).filter(|i| bits >> i & 1 == 1).map(|i| at + i);
                let expected: Vec<usize> = std::iter::once(7).chain(expected).collect();
                for engine in Engine::available() {
                    prop_assert_eq!(&engine.run(Positions(at, bits)), &expected, "{:?}", engine);
                }
            }
        }
    }
}
