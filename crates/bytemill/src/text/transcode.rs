//! Text whose characters are all as wide as its widest, as an interpreter may keep it, to UTF-8. A character that is none (half of a
//! surrogate pair) is an error.

use crate::error::{Error, Result};

/// The characters of a text, by their width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeUnits<'a> {
    Utf8(&'a str),
    /// Up to U+00FF.
    Latin(&'a [u8]),
    /// Up to U+FFFF.
    Two(&'a [u16]),
    Four(&'a [u32]),
}

impl<'a> From<&'a str> for CodeUnits<'a> {
    fn from(text: &'a str) -> Self {
        CodeUnits::Utf8(text)
    }
}

impl CodeUnits<'_> {
    /// How long their UTF-8 is at most.
    pub fn most_bytes(&self) -> usize {
        match self {
            CodeUnits::Utf8(text) => text.len(),
            CodeUnits::Latin(units) => 2 * units.len(),
            CodeUnits::Two(units) => 3 * units.len(),
            CodeUnits::Four(units) => 4 * units.len(),
        }
    }

    /// Appends UTF-8. After an error, what was appended is of no use.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.reserve(self.most_bytes() + SLACK);
        match self {
            CodeUnits::Utf8(text) => out.extend_from_slice(text.as_bytes()),
            CodeUnits::Latin(units) => from_latin(units, out),
            CodeUnits::Two(units) => from_two_bytes(units, out)?,
            CodeUnits::Four(units) => units.iter().enumerate().try_for_each(|(at, &unit)| push(at, unit, out))?,
        }
        Ok(())
    }
}

/// Texts as UTF-8, where they are, or else in `room`, whatever was there. Errors name a text by its number, of which the first is given.
pub(crate) fn lend<'a, 't: 'a>(
    texts: &[impl Copy + Into<CodeUnits<'t>>],
    first: usize,
    room: &'a mut Vec<u8>,
) -> Result<Vec<&'a str>> {
    room.clear();
    let mut lent = Vec::with_capacity(texts.len());
    let mut places = Vec::new();
    for (number, &units) in texts.iter().enumerate() {
        let units = units.into();
        if let CodeUnits::Utf8(text) = units {
            lent.push(text);
            continue;
        }
        let from = room.len();
        units.write(room).map_err(|error| error.of_number(first + number))?;
        lent.push("");
        places.push((number, from..room.len()));
    }
    debug_assert!(std::str::from_utf8(room).is_ok(), "UTF-8 is what was written");
    for (number, place) in places {
        // SAFETY: each was written as UTF-8, whole.
        lent[number] = unsafe { std::str::from_utf8_unchecked(&room[place]) };
    }
    Ok(lent)
}

/// Characters that are taken together. What is asked of them is asked of all at once, without a branch for each.
const FEW: usize = 8;
/// Bytes that may be written after the last one that counts.
const SLACK: usize = 1;

fn from_latin(units: &[u8], out: &mut Vec<u8>) {
    let (groups, rest) = units.as_chunks::<FEW>();
    for few in groups {
        match few.is_ascii() {
            true => out.extend_from_slice(few),
            false => mixed(&few.map(u16::from), out),
        }
    }
    for &unit in rest {
        match unit.is_ascii() {
            true => out.push(unit),
            false => out.extend_from_slice(&two(unit.into())),
        }
    }
}

fn from_two_bytes(units: &[u16], out: &mut Vec<u8>) -> Result<()> {
    let (groups, _) = units.as_chunks::<FEW>();
    let mut taken = 0;
    for few in groups {
        let any = few.iter().fold(0, |all, unit| all | unit);
        if any < 0x80 {
            out.extend_from_slice(&few.map(|unit| unit as u8));
        } else if few.iter().fold(false, |any, &unit| any | is_surrogate(unit.into())) {
            break;
        } else if few.iter().fold(true, |all, &unit| all & (unit >= 0x800)) {
            out.extend_from_slice(few.map(|unit| three(unit.into())).as_flattened());
        } else {
            mixed(few, out);
        }
        taken += FEW;
    }
    (taken..).zip(&units[taken..]).try_for_each(|(at, &unit)| push(at, unit.into(), out))
}

/// Characters of different lengths, none of which is a surrogate. Nothing could predict which comes next, so all are written as if they were
/// long, and the next one over what was too much.
#[inline]
fn mixed(few: &[u16; FEW], out: &mut Vec<u8>) {
    out.reserve(3 * FEW + SLACK);
    let mut at = out.len();
    for &unit in few {
        let unit = u32::from(unit);
        let (one, two, three) = (unit, u16::from_le_bytes(two(unit)).into(), padded(three(unit)));
        let bytes = if unit < 0x80 {
            one
        } else if unit < 0x800 {
            two
        } else {
            three
        };
        // SAFETY: there is room for three bytes each, and one after them.
        unsafe { out.as_mut_ptr().add(at).cast::<[u8; 4]>().write(bytes.to_le_bytes()) };
        at += 1 + usize::from(unit >= 0x80) + usize::from(unit >= 0x800);
    }
    // SAFETY: `at` bytes were written.
    unsafe { out.set_len(at) };
}

fn padded([a, b, c]: [u8; 3]) -> u32 {
    u32::from_le_bytes([a, b, c, 0])
}

/// The character at a place.
#[inline]
fn push(at: usize, unit: u32, out: &mut Vec<u8>) -> Result<()> {
    match unit {
        0..0x80 => out.push(unit as u8),
        0x80..0x800 => out.extend_from_slice(&two(unit)),
        0x800..0x1_0000 if !is_surrogate(unit) => out.extend_from_slice(&three(unit)),
        0x1_0000..0x11_0000 => {
            out.extend_from_slice(&[0xF0 | (unit >> 18) as u8, tail(unit >> 12), tail(unit >> 6), tail(unit)])
        }
        _ => return Err(Error::Surrogate { what: "the text".into(), at }),
    }
    Ok(())
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

    /// What a text is in every width that holds it.
    fn check(text: &str) {
        let four: Vec<u32> = text.chars().map(u32::from).collect();
        let two: Option<Vec<u16>> = four.iter().map(|&unit| unit.try_into().ok()).collect();
        let latin: Option<Vec<u8>> = four.iter().map(|&unit| unit.try_into().ok()).collect();
        let widths =
            [Some(CodeUnits::Four(&four)), two.as_deref().map(CodeUnits::Two), latin.as_deref().map(CodeUnits::Latin)];
        for units in widths.into_iter().flatten() {
            let mut out = vec![7];
            units.write(&mut out).unwrap();
            assert_eq!(&out[1..], text.as_bytes());
            assert!(text.len() <= units.most_bytes());
            let mut room = vec![0; 3];
            assert_eq!(lend(&[units, "a中".into(), units], 0, &mut room).unwrap(), [text, "a中", text]);
        }
    }

    #[test]
    fn every_character() {
        for c in '\0'..=char::MAX {
            check(&c.to_string());
        }
        for c in ('\0'..='\u{FFFF}').step_by(7) {
            check(&c.to_string().repeat(8));
            check(&format!("a{c}é{c}{c}中{c}b"));
        }
    }

    #[test]
    fn what_is_no_character() {
        let place = |units: CodeUnits| match units.write(&mut Vec::new()) {
            Err(Error::Surrogate { at, .. }) => Some(at),
            _ => None,
        };
        for unit in (0xD800..0xE000).chain([0x11_0000, u32::MAX]) {
            assert_eq!(place(CodeUnits::Four(&[0x4E00, unit])), Some(1));
        }
        for unit in 0xD800..0xE000 {
            for before in 0..20 {
                for kind in [0x4E00, 0xE9, 0x61] {
                    let units: Vec<u16> = [[kind].repeat(before), vec![unit], vec![0x4E00; 9]].concat();
                    assert_eq!(place(CodeUnits::Two(&units)), Some(before));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn texts(latin in "[a-zé\u{80}ÿ]{0,40}", two in "[a-z ]{0,20}[中文か]{0,20}[aé中]{0,20}", four in "(?s).{0,40}") {
            [latin, two, four].iter().for_each(|text| check(text));
        }
    }
}
