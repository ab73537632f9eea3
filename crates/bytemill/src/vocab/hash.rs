//! One hash of byte strings for every table. By hand because stored indexes must never change with a library's version, and because
//! most keys are shorter than sixteen bytes: two loads and one multiplication.

const SEEDS: [u64; 3] = [0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9, 0x4b33_a62e_d433_d4a3];

#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let length = bytes.len() as u64;
    if let Some((first, last)) = both_ends::<8>(bytes) {
        let (first, last) = (u64::from_le_bytes(first), u64::from_le_bytes(last));
        if bytes.len() <= 16 {
            return finish(first, last, length);
        }
        return finish(fold_middle(bytes), last, length);
    }
    if let Some((first, last)) = both_ends::<4>(bytes) {
        return finish(u32::from_le_bytes(first).into(), u32::from_le_bytes(last).into(), length);
    }
    match bytes {
        [] => finish(0, 0, 0),
        _ => {
            let [first, middle, last] = [0, bytes.len() / 2, bytes.len() - 1].map(|i| u64::from(bytes[i]));
            finish(first | middle << 8 | last << 16, 0, length)
        }
    }
}

/// The first and the last N bytes, overlapping where there are fewer than two times N.
#[inline]
fn both_ends<const N: usize>(bytes: &[u8]) -> Option<([u8; N], [u8; N])> {
    Some((*bytes.first_chunk::<N>()?, *bytes.last_chunk::<N>()?))
}

fn fold_middle(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().fold(SEEDS[2], |sum, word| fold(sum ^ u64::from_le_bytes(*word), SEEDS[1]))
}

#[inline]
fn finish(first: u64, last: u64, length: u64) -> u64 {
    fold(first ^ SEEDS[0] ^ length.wrapping_mul(SEEDS[2]), last ^ SEEDS[1])
}

/// The two halves of a 128-bit product, mixed.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The same for maps that live in memory, of keys that nobody chooses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl std::hash::BuildHasher for Quick {
    type Hasher = Quick;

    fn build_hasher(&self) -> Quick {
        Quick(0)
    }
}

impl std::hash::Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = self.0.rotate_left(23) ^ hash(bytes);
    }

    fn finish(&self) -> u64 {
        fold(self.0, SEEDS[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_stored_index_depends_on_these_values() {
        let hashes = ["", "a", "the", "word", "straße", "0123456789abcdef", "0123456789abcdef0"]
            .map(|text| hash(text.as_bytes()) as u16);
        assert_eq!(hashes, EXPECTED);
    }

    const EXPECTED: [u16; 7] = [61609, 58811, 37147, 11665, 1854, 7702, 25331];

    #[test]
    fn short_strings_spread() {
        let mut seen = HashSet::new();
        for length in 0..24 {
            for byte in 0..=255u8 {
                for at in 0..length {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = byte;
                    seen.insert((hash(&bytes), bytes));
                }
            }
        }
        let distinct: HashSet<u64> = seen.iter().map(|(hash, _)| *hash).collect();
        assert_eq!(distinct.len(), seen.len());
    }
}
