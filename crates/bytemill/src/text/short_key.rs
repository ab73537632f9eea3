//! Keys: a short piece as one number, so that comparing two pieces is comparing two numbers.

/// Pieces of up to this many bytes have a key.
pub(crate) const MOST_BYTES: usize = 15;
/// The bytes of a piece, and its length above them: no two pieces share one, and none is zero.
pub(crate) type ShortKey = u128;

/// A key and its hash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hashed {
    pub key: ShortKey,
    pub hash: usize,
}

/// The upper half of the key of a piece that is too long for one; no table holds it. The lower half is its own hash.
const TOO_LONG: ShortKey = (u64::MAX as ShortKey) << 64;

impl Hashed {
    /// For a piece that is too long for a key, by its own hash.
    #[inline]
    pub(crate) fn long(hash: u64) -> Self {
        Hashed { key: TOO_LONG | ShortKey::from(hash), hash: 0 }
    }

    /// The hash of a piece that is too long for a key.
    #[inline]
    pub(crate) fn long_hash(&self) -> u64 {
        self.key as u64
    }
}

/// For every length, the bits of a key that are the piece's.
const KEPT: [ShortKey; 16] = {
    let mut kept = [0; 16];
    let mut length = 0;
    while length < 16 {
        kept[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    kept
};

/// The key of the piece of `length` bytes at `start`, at most `MOST_BYTES`. Reads sixteen bytes at once where the text has them. Always in
/// line: by itself the compiler does so or not for no reason to be seen, and a call makes splitting and looking up half as fast.
#[inline(always)]
pub(crate) fn key(text: &[u8], start: usize, length: usize) -> Hashed {
    let bytes = if start < text.len().saturating_sub(15) {
        // SAFETY: sixteen bytes from `start` on lie in the text. (The slice's own test costs a fifth of this function.)
        let bytes = unsafe { text.as_ptr().add(start).cast::<u128>().read_unaligned() };
        u128::from_le(bytes)
    } else {
        last_bytes(text, start)
    };
    let key = bytes & KEPT[length % KEPT.len()] | (length as u128) << 120;
    Hashed { key, hash: hash(key) }
}

/// What a text has from `start` on, fewer than sixteen bytes, with zeros after them. Lines are short, so that this is often asked.
#[inline]
fn last_bytes(text: &[u8], start: usize) -> u128 {
    let rest = &text[start..];
    if let (Some(last), 1..) = (text.last_chunk::<16>(), rest.len()) {
        return u128::from_le_bytes(*last) >> (8 * (16 - rest.len()));
    }
    // The start and the end overlap, where there is not twice as much.
    if let (Some(first), Some(last)) = (rest.first_chunk::<8>(), rest.last_chunk::<8>()) {
        let after = u128::from(u64::from_le_bytes(*last)) << (8 * (rest.len() - 8));
        return u128::from(u64::from_le_bytes(*first)) | after;
    }
    if let (Some(first), Some(last)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        let after = u64::from(u32::from_le_bytes(*last)) << (8 * (rest.len() - 4));
        return u128::from(u64::from(u32::from_le_bytes(*first)) | after);
    }
    rest.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u128::from(byte))
}

#[inline(always)]
pub(crate) fn hash(key: ShortKey) -> usize {
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

    #[test]
    fn keys_at_the_end_of_a_text_are_those_of_the_piece_alone() {
        let text: Vec<u8> = (1..=40).collect();
        for length in 0..=text.len() {
            for (start, bytes) in
                (0..=length).flat_map(|start| (0..=MOST_BYTES.min(length - start)).map(move |n| (start, n)))
            {
                let mut alone = [0; 40];
                alone[..bytes].copy_from_slice(&text[start..start + bytes]);
                assert_eq!(key(&text[..length], start, bytes), key(&alone, 0, bytes));
            }
        }
    }
}
