//! Notation: a token as text. Bytes that are no UTF-8, as in tokens that hold a part of a character, are written `<0xE2>`, each by itself.

use std::borrow::Cow;

/// What a token is shown as. Different tokens may look alike only where one is written like a byte of another.
pub fn shown(token: &[u8]) -> Cow<'_, str> {
    written(token, |byte| format!("<0x{byte:02X}>"))
}

/// The same in lower case, for a token whose name another one has: the text `<0xE2>` may be a token, too.
pub fn shown_lower(token: &[u8]) -> Cow<'_, str> {
    written(token, |byte| format!("<0x{byte:02x}>"))
}

fn written(token: &[u8], byte_name: impl Fn(u8) -> String) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(token) {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in token.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|&byte| text.push_str(&byte_name(byte)));
    }
    Cow::Owned(text)
}

/// The bytes of a token that is shown so; None for a text that shows nothing but itself.
pub fn bytes_of(shown: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(shown.len());
    let mut rest = shown;
    while let Some(at) = rest.find("<0x") {
        let digits = rest.get(at + 3..at + 5).filter(|_| rest[at + 5..].starts_with('>'));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let end = if byte.is_some() { at } else { at + 3 };
        bytes.extend_from_slice(&rest.as_bytes()[..end]);
        bytes.extend(byte);
        rest = &rest[if byte.is_some() { at + 6 } else { at + 3 }..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    std::str::from_utf8(&bytes).is_err().then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_characters_are_shown_byte_by_byte_and_found_again() {
        let tokens: [(&[u8], &str); 5] = [
            (b"the", "the"),
            (b"\xe2\x80", "<0xE2><0x80>"),
            (b" caf\xc3", " caf<0xC3>"),
            (b"\xa9!\xff", "<0xA9>!<0xFF>"),
            ("é".as_bytes(), "é"),
        ];
        for (token, text) in tokens {
            assert_eq!(shown(token), text);
            assert_eq!(bytes_of(text).as_deref(), std::str::from_utf8(token).is_err().then_some(token));
        }
        assert_eq!(shown_lower(b"\xe2"), "<0xe2>");
        assert_eq!(bytes_of("<0xe2>").unwrap(), b"\xe2");
        for text in ["<0x41>", "<0xZZ>\u{e9}", "<0x", "<0xE", "<0xE2", "<0x€>", ""] {
            assert_eq!(bytes_of(text), None, "{text}");
        }
    }
}
