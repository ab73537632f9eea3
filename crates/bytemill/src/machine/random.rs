//! Random numbers that follow from a seed, the same on every machine and for any number of threads.

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64 from its state on: a permutation in which every bit of the result depends on all of the number.
pub(crate) fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(STEP);
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

/// Number after number.
#[derive(Debug, Clone)]
pub struct RandomStream {
    state: u64,
}

impl RandomStream {
    /// That of one piece of a document, by its number.
    pub fn of_piece(document: u64, piece: u64) -> Self {
        RandomStream { state: mixed(document ^ mixed(piece)) }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mixed(self.state)
    }

    /// From 0 up to but not including 1, with the 53 bits that an f64 holds.
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of the Gumbel distribution: the largest of logarithms of probabilities, each with such a number added, is a fair draw.
    pub fn gumbel(&mut self) -> f64 {
        // Halfway between two multiples of 2⁻⁵³: never 0 nor 1.
        -(-(self.uniform() + 0.5 / (1u64 << 53) as f64).ln()).ln()
    }
}

/// What tells the texts of a call apart.
pub(crate) fn document(seed: u64, number: usize) -> u64 {
    mixed(mixed(seed) ^ number as u64)
}
