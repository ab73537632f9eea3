//! Text whose characters are all as wide as its widest, as an interpreter may keep it, to UTF-8. Runs of what is frequent go eight at a time;
//! a character that is none (half of a surrogate pair) ends the attempt.

/// Characters up to U+00FF, a byte each.
pub fn from_latin(units: &[u8], out: &mut Vec<u8>) {
    out.reserve(2 * units.len());
    let mut rest = units;
    while let Some(&unit) = rest.first() {
        let ascii = rest.iter().take_while(|unit| unit.is_ascii()).count();
        if ascii > 0 {
            out.extend_from_slice(&rest[..ascii]);
            rest = &rest[ascii..];
            continue;
        }
        out.extend_from_slice(&two(unit.into()));
        rest = &rest[1..];
    }
}

/// Characters up to U+FFFF. False if one is none, and then what was appended is of no use.
pub fn from_two_bytes(units: &[u16], out: &mut Vec<u8>) -> bool {
    const TOGETHER: usize = 8;
    let mut rest = units;
    out.reserve(3 * units.len());
    while let Some(&first) = rest.first() {
        if let Some(&few) = rest.first_chunk::<TOGETHER>() {
            if few.iter().all(|&unit| unit < 0x80) {
                out.extend_from_slice(&few.map(|unit| unit as u8));
                rest = &rest[TOGETHER..];
                continue;
            }
            if few.iter().all(|&unit| unit >= 0x800 && !is_surrogate(unit.into())) {
                let mut bytes = [[0; 3]; TOGETHER];
                bytes.iter_mut().zip(few).for_each(|(bytes, unit)| *bytes = three(unit.into()));
                out.extend_from_slice(bytes.as_flattened());
                rest = &rest[TOGETHER..];
                continue;
            }
        }
        if !push(first.into(), out) {
            return false;
        }
        rest = &rest[1..];
    }
    true
}

/// Any characters. False if one is none, and then what was appended is of no use.
pub fn from_four_bytes(units: &[u32], out: &mut Vec<u8>) -> bool {
    out.reserve(units.len() + units.len() / 2);
    units.iter().all(|&unit| push(unit, out))
}

#[inline]
fn push(unit: u32, out: &mut Vec<u8>) -> bool {
    match unit {
        0..0x80 => out.push(unit as u8),
        0x80..0x800 => out.extend_from_slice(&two(unit)),
        0x800..0x1_0000 if is_surrogate(unit) => return false,
        0x800..0x1_0000 => out.extend_from_slice(&three(unit)),
        0x1_0000..0x11_0000 => {
            out.extend_from_slice(&[0xF0 | (unit >> 18) as u8, tail(unit >> 12), tail(unit >> 6), tail(unit)])
        }
        _ => return false,
    }
    true
}

#[inline]
fn is_surrogate(unit: u32) -> bool {
    unit & !0x7FF == 0xD800
}

#[inline]
fn two(unit: u32) -> [u8; 2] {
    [0xC0 | (unit >> 6) as u8, tail(unit)]
}

#[inline]
fn three(unit: u32) -> [u8; 3] {
    [0xE0 | (unit >> 12) as u8, tail(unit >> 6), tail(unit)]
}

#[inline]
fn tail(bits: u32) -> u8 {
    0x80 | (bits & 0x3F) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_character() {
        for c in '\0'..=char::MAX {
            let expected = c.to_string().into_bytes();
            let (mut latin, mut two, mut four) = (Vec::new(), Vec::new(), Vec::new());
            assert!(from_four_bytes(&[c.into()], &mut four) && four == expected);
            if let Ok(unit) = u16::try_from(u32::from(c)) {
                assert!(from_two_bytes(&[unit; 8], &mut two) && two == expected.repeat(8));
            }
            if let Ok(unit) = u8::try_from(u32::from(c)) {
                from_latin(&[unit], &mut latin);
                assert_eq!(latin, expected);
            }
        }
    }

    #[test]
    fn what_is_no_character() {
        for unit in (0xD800..0xE000).chain([0x11_0000, u32::MAX]) {
            assert!(!from_four_bytes(&[unit], &mut Vec::new()));
        }
        for unit in 0xD800..0xE000 {
            assert!(!from_two_bytes(&[unit], &mut Vec::new()));
            assert!(!from_two_bytes(&[0x4E00, 0x4E00, 0x4E00, unit, 0x4E00, 0x4E00, 0x4E00, 0x4E00], &mut Vec::new()));
        }
    }

    proptest! {
        #[test]
        fn texts(latin in "[a-zé\u{80}ÿ]{0,40}", two in "[a-z ]{0,20}[中文か]{0,20}[aé中]{0,20}", four in "(?s).{0,40}") {
            let before = vec![7];
            let mut out = before.clone();
            from_latin(&latin.chars().map(|c| c as u8).collect::<Vec<_>>(), &mut out);
            prop_assert_eq!(&out[1..], latin.as_bytes());
            let mut out = before.clone();
            prop_assert!(from_two_bytes(&two.encode_utf16().collect::<Vec<_>>(), &mut out));
            prop_assert_eq!(&out[1..], two.as_bytes());
            let mut out = before;
            prop_assert!(from_four_bytes(&four.chars().map(u32::from).collect::<Vec<_>>(), &mut out));
            prop_assert_eq!(&out[1..], four.as_bytes());
        }
    }
}
