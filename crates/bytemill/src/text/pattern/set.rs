//! Sets of characters, as sorted ranges of code points.

use super::properties::PROPERTIES;

const LAST: u32 = char::MAX as u32;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Set {
    /// Sorted, apart from one another.
    ranges: Vec<(u32, u32)>,
}

impl Set {
    pub(super) fn single(c: char) -> Self {
        Set { ranges: vec![(c as u32, c as u32)] }
    }

    pub(super) fn range(first: char, last: char) -> Self {
        Set { ranges: vec![(first as u32, last as u32)] }
    }

    pub(super) fn everything() -> Self {
        Set { ranges: vec![(0, LAST)] }
    }

    /// What `.` stands for, unless it is any character.
    pub(super) fn rest_of_line() -> Self {
        Set::single('\n').complement()
    }

    /// A property as the library knows it, by its name in any spelling.
    pub(super) fn property(name: &str) -> Option<Self> {
        let key: String = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect();
        let key = key.to_ascii_lowercase();
        // Entries of ours that no pattern can name.
        let ours = key.starts_with("posix") || key == "bareword";
        Self::table(&key).filter(|_| !ours)
    }

    /// `\w` outside of brackets, which has some symbols more than in them.
    pub(super) fn bare_word() -> Self {
        Self::table("bareword").unwrap_or_default()
    }

    /// What stands between `[:` and `:]`.
    pub(super) fn posix(name: &str) -> Option<Self> {
        Self::table(&format!("posix{name}"))
    }

    fn table(key: &str) -> Option<Self> {
        let at = PROPERTIES.binary_search_by_key(&key, |&(name, _)| name).ok()?;
        Some(Set { ranges: PROPERTIES[at].1.to_vec() })
    }

    pub(super) fn union(&self, other: &Set) -> Set {
        Set::of_all([self, other])
    }

    /// The union of some sets, in one step: a pattern may name thousands of characters one by one.
    pub(super) fn of_all<'a>(sets: impl IntoIterator<Item = &'a Set>) -> Set {
        let mut all: Vec<(u32, u32)> = sets.into_iter().flat_map(|set| &set.ranges).copied().collect();
        all.sort_unstable();
        let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(all.len());
        for (first, last) in all {
            match ranges.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => ranges.push((first, last)),
            }
        }
        Set { ranges }
    }

    pub(super) fn complement(&self) -> Set {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(first, last) in &self.ranges {
            if next < first {
                ranges.push((next, first - 1));
            }
            next = last + 1;
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        Set { ranges }
    }

    pub(super) fn intersection(&self, other: &Set) -> Set {
        self.complement().union(&other.complement()).complement()
    }

    pub(super) fn contains(&self, c: char) -> bool {
        let code = c as u32;
        let after = self.ranges.partition_point(|&(first, _)| first <= code);
        after > 0 && code <= self.ranges[after - 1].1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The only character, if there is only one.
    pub(super) fn only(&self) -> Option<char> {
        match *self.ranges.as_slice() {
            [(first, last)] if first == last => char::from_u32(first),
            _ => None,
        }
    }

    /// The ASCII characters of the set, one bit each.
    pub(super) fn ascii(&self) -> u128 {
        (0..0x80u8).filter(|&byte| self.contains(byte.into())).fold(0, |bits, byte| bits | 1 << byte)
    }
}

/// A set that is asked often: a bit for each of the characters that texts are mostly made of, ranges for the others.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    ascii: u128,
    plane: Box<[u64; 0x1_0000 / 64]>,
    set: Set,
}

impl Lookup {
    pub(super) fn new(set: Set) -> Self {
        let mut plane = Box::new([0; 0x1_0000 / 64]);
        for &(first, last) in &set.ranges {
            for code in first..=last.min(0xFFFF) {
                plane[code as usize / 64] |= 1 << (code % 64);
            }
        }
        Lookup { ascii: set.ascii(), plane, set }
    }

    pub(super) fn set(&self) -> &Set {
        &self.set
    }

    #[inline]
    pub(super) fn contains(&self, c: char) -> bool {
        let code = c as usize;
        match code {
            0..0x80 => self.ascii >> code & 1 == 1,
            0x80..0x1_0000 => self.plane[code / 64] >> (code % 64) & 1 == 1,
            _ => self.set.contains(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(char, char)]) -> Set {
        ranges.iter().fold(Set::default(), |all, &(first, last)| all.union(&Set::range(first, last)))
    }

    #[test]
    fn sets_combine() {
        let (low, high) = (set(&[('a', 'm')]), set(&[('k', 'z'), ('0', '9')]));
        assert_eq!(low.union(&high), set(&[('0', '9'), ('a', 'z')]));
        assert_eq!(low.intersection(&high), set(&[('k', 'm')]));
        assert_eq!(low.complement().complement(), low);
        assert_eq!(Set::everything().complement(), Set::default());
        assert_eq!((Set::single('x').only(), low.only()), (Some('x'), None));
    }

    #[test]
    fn lookups_agree_with_their_set() {
        let letters = Set::property("L").unwrap();
        let lookup = Lookup::new(letters.clone());
        for c in (0..0x2_0000).chain(0x3_0000..0x3_2000).filter_map(char::from_u32) {
            assert_eq!(lookup.contains(c), letters.contains(c), "{c:?}");
        }
    }

    #[test]
    fn properties_by_any_spelling() {
        assert_eq!(Set::property("Lowercase_Letter"), Set::property("l l"));
        assert!(Set::property("Han").unwrap().contains('中'));
        assert!(Set::property("posixalpha").is_none() && Set::property("Klingon").is_none());
        assert!(Set::posix("punct").unwrap().contains('$') && !Set::property("punct").unwrap().contains('$'));
    }
}
