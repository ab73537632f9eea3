//! The alphabet in which files write byte-level tokens: 256 printable characters, one for each byte.

/// The byte that a character of the alphabet stands for: printable ones for themselves, the others moved up past 0xFF in their order.
pub(crate) fn byte_of(c: char) -> Option<u8> {
    match c as u32 {
        code @ (0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) => Some(code as u8),
        code @ 0x100..=0x120 => Some((code - 0x100) as u8),
        code @ 0x121..=0x142 => Some((code - 0x121 + 0x7F) as u8),
        0x143 => Some(0xAD),
        _ => None,
    }
}

pub(crate) const fn char_of(byte: u8) -> char {
    let code = match byte {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => byte as u32,
        0..=0x20 => 0x100 + byte as u32,
        0x7F..=0xA0 => 0x121 + (byte - 0x7F) as u32,
        0xAD => 0x143,
    };
    match char::from_u32(code) {
        Some(c) => c,
        None => char::REPLACEMENT_CHARACTER,
    }
}

/// A token's bytes; None for a token that is not written in the alphabet, and so never comes from a text.
pub(crate) fn from_alphabet(token: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(token.len());
    push_from_alphabet(token, &mut bytes).then_some(bytes)
}

/// Appends a token's bytes, or nothing if it is not written in the alphabet.
pub(crate) fn push_from_alphabet(token: &str, bytes: &mut Vec<u8>) -> bool {
    let from = bytes.len();
    for c in token.chars() {
        match BYTES.get(c as usize) {
            Some(&byte) if byte != NONE => bytes.push(byte as u8),
            _ => {
                bytes.truncate(from);
                return false;
            }
        }
    }
    true
}

/// No byte.
const NONE: u16 = u16::MAX;

/// `byte_of` each code point that it knows, as a table: a file of a large vocabulary asks for millions.
const BYTES: [u16; 0x144] = {
    let mut bytes = [NONE; 0x144];
    let mut byte = 0;
    while byte <= 0xFF {
        bytes[char_of(byte as u8) as usize] = byte;
        byte += 1;
    }
    bytes
};

pub(crate) fn to_alphabet(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char_of(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_is_a_bijection() {
        for byte in 0..=255 {
            assert_eq!(byte_of(char_of(byte)), Some(byte));
        }
        assert_eq!((char_of(b' '), char_of(b'\n'), char_of(b'a')), ('Ġ', 'Ċ', 'a'));
        assert_eq!(from_alphabet("Ġthe"), Some(b" the".to_vec()));
        assert_eq!(from_alphabet("▁the"), None);
        for code in 0..=0x1_0000 {
            let Some(c) = char::from_u32(code) else { continue };
            assert_eq!(from_alphabet(&c.to_string()), byte_of(c).map(|byte| vec![byte]));
        }
        let mut bytes = b"before".to_vec();
        assert!(!push_from_alphabet("the▁", &mut bytes));
        assert_eq!(bytes, b"before");
    }
}
