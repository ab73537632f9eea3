//! Where JSON values end, byte by byte, so that a file of any size is taken apart without being held.

/// White space between JSON values.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Follows an object, an array or a string from its first byte on. Whether what is between is JSON is not its concern.
#[derive(Default)]
pub(super) struct ValueScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl ValueScanner {
    /// Whether the value that began with the bytes so far ends with this one.
    pub(super) fn ends_at(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return !self.in_string && self.depth == 0;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => return false,
        }
        !self.in_string && self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_they_end() {
        for (text, end) in [
            ("{}{}", Some(1)),
            ("{\"a}\": [\"]\", {}]} ", Some(16)),
            ("\"a\\\"b\\\\\" x", Some(7)),
            ("[[1], [2]]", Some(9)),
            ("{\"a\": 1", None),
            ("\"a", None),
        ] {
            let mut scanner = ValueScanner::default();
            assert_eq!(text.bytes().position(|byte| scanner.ends_at(byte)), end, "{text}");
        }
    }
}
