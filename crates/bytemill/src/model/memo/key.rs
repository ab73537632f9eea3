//! Keys: a short piece as one number, so that comparing two pieces is comparing two numbers.

use super::long::LongMemo;

/// Pieces of up to so many bytes have a key.
pub const MOST_BYTES: usize = 15;
/// The bytes of a piece, and its length above them: no two pieces share one, and none is zero.
pub type Key = u128;

/// A key and its hash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hashed {
    pub key: Key,
    pub hash: usize,
}

/// The upper half of the key of a piece that is too long for one; no table holds it. The lower half is its hash in the `LongMemo`.
const TOO_LONG: Key = (u64::MAX as Key) << 64;

impl Hashed {
    /// Of a piece that is too long for a key.
    #[inline]
    pub fn long(piece: &[u8]) -> Self {
        let hash = LongMemo::hash(piece);
        Hashed { key: TOO_LONG | Key::from(hash), hash: 0 }
    }

    /// The hash in the `LongMemo`, of a piece that is too long for a key.
    #[inline]
    pub fn long_hash(&self) -> u64 {
        self.key as u64
    }
}

/// For every length, the bits of a key that are the piece's.
const KEPT: [Key; 16] = {
    let mut kept = [0; 16];
    let mut length = 0;
    while length < 16 {
        kept[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    kept
};

/// The key of the piece of `length` bytes at `start`, at most `MOST_BYTES`. Reads sixteen bytes at once where the text has them.
#[inline]
pub fn key(text: &[u8], start: usize, length: usize) -> Hashed {
    let bytes = if start <= text.len().wrapping_sub(16) && text.len() >= 16 {
        // SAFETY: sixteen bytes from `start` on lie in the text. (The slice's own test costs a fifth of this function.)
        let bytes = unsafe { text.as_ptr().add(start).cast::<u128>().read_unaligned() };
        u128::from_le(bytes)
    } else {
        last_bytes(&text[start..])
    };
    let key = bytes & KEPT[length % KEPT.len()] | (length as u128) << 120;
    Hashed { key, hash: hash(key) }
}

/// Fewer than sixteen bytes, with zeros behind them.
#[cold]
#[inline(never)]
fn last_bytes(bytes: &[u8]) -> u128 {
    let mut padded = [0; 16];
    padded[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(padded)
}

#[inline]
pub fn hash(key: Key) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let product = u128::from(low ^ 0x2d35_8dcc_aa6c_78a5) * u128::from(high ^ 0x8bb8_4b93_962e_acc9);
    (product as u64 ^ (product >> 64) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_do_not_depend_on_what_follows() {
        let text = b"abcabcdefghijklmnopqrstuvwxyz";
        assert_eq!(key(text, 0, 3), key(b"abc", 0, 3));
        assert_eq!(key(text, 0, 3), key(text, 3, 3));
        assert_ne!(key(b"a\0", 0, 2), key(b"a", 0, 1));
        assert_eq!(key(text, text.len() - 15, 15), key(&text[text.len() - 15..], 0, 15));
    }
}
