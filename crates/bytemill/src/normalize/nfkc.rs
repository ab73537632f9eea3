//! The character maps that SentencePiece knows by name, as they are shipped: to make them from the rules (`nfkc_rules`) takes a quarter of a
//! second, as long as training on a few megabytes does.

use std::sync::OnceLock;

use super::charsmap::Charsmap;
use crate::error::{Error, Result};
use crate::machine::memory::ask;

/// What SentencePiece calls the name of a normalization rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Forms {
    /// Spaces and controls as Google's translation models want them.
    pub nmt: bool,
    /// Case is folded.
    pub folded: bool,
}

/// All maps in the order of their numbers, each after its length (32 bits, little-endian), compressed. Written by `make tables`.
const SHIPPED: &[u8] = include_bytes!("nfkc.zst");

impl Forms {
    #[cfg(test)]
    pub(crate) const ALL: [Forms; 4] = [
        Forms { nmt: false, folded: false },
        Forms { nmt: true, folded: false },
        Forms { nmt: false, folded: true },
        Forms { nmt: true, folded: true },
    ];

    /// The map of these forms.
    pub(crate) fn charsmap(self) -> Result<Charsmap> {
        static MAPS: [OnceLock<Charsmap>; 4] = [const { OnceLock::new() }; 4];
        let number = usize::from(self.nmt) + 2 * usize::from(self.folded);
        match MAPS[number].get() {
            Some(map) => Ok(map.clone()),
            None => {
                let map = Charsmap::new(&shipped(number)?)?;
                Ok(MAPS[number].get_or_init(|| map).clone())
            }
        }
    }
}

fn shipped(number: usize) -> Result<Vec<u8>> {
    // The library that unpacks them is C and has no other word for a lack of memory than for what is broken.
    ask(8 << 20)?;
    let broken = || Error::Internal("the character maps that are shipped are broken".into());
    let all = zstd::decode_all(SHIPPED).map_err(|_| broken())?;
    let mut rest = all.as_slice();
    for before in 0..=number {
        let (length, after) = rest.split_first_chunk().ok_or_else(broken)?;
        let (map, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(broken)?;
        if before == number {
            return Ok(map.to_vec());
        }
        rest = after;
    }
    Err(broken())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::effort::one_in;
    use crate::normalize::nfkc_rules::nfkc;
    use crate::normalize::replacements::tests::text;

    #[test]
    fn by_example() {
        let map = Forms { nmt: true, folded: true }.charsmap().unwrap();
        let samples = "Ａﬁ① e\u{301}\u{327} ㈱가 ㄱㅏ\u{11A8} ～\t\u{7}ΑΣ";
        assert_eq!(text(&map, samples), "afi1 é\u{327} (株)가 각 ～ ασ");
    }

    #[test]
    fn what_is_shipped_is_what_the_rules_make() {
        for (number, forms) in Forms::ALL.into_iter().enumerate().step_by(one_in(3)) {
            assert!(
                nfkc(forms).charsmap().unwrap().bytes() == shipped(number).unwrap(),
                "{forms:?}: run `make tables`"
            );
        }
    }

    #[test]
    #[ignore = "writes a source file; `make tables` runs it"]
    fn the_maps_are_written_again() {
        let mut all = Vec::new();
        for forms in Forms::ALL {
            let map = nfkc(forms).charsmap().unwrap();
            all.extend((map.bytes().len() as u32).to_le_bytes());
            all.extend_from_slice(map.bytes());
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/normalize/nfkc.zst");
        std::fs::write(path, zstd::encode_all(all.as_slice(), 19).unwrap()).unwrap();
    }
}
