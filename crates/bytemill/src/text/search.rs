//! Search: many texts at once, in time and memory that grow with their length.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::error::{Error, Result};

/// The most bytes of a token that is searched for at every place of a text. A text may hold nearly all of a token again and again, and is
/// read once more from each such place.
pub(crate) const MOST_BYTES: usize = 4096;

/// The most bytes of all patterns, times those of the longest, for which the library may choose a table of every state and byte. For each
/// entry of that table it walks down the state's chain of suffixes, which is as long as the pattern where that is one long run.
const TABLE: usize = 1 << 16;

/// A search for any of `patterns`. `kind` says which of several matches counts.
pub(crate) fn search_for<P: AsRef<[u8]>>(patterns: &[P], kind: MatchKind) -> Result<AhoCorasick> {
    let lengths = || patterns.iter().map(|pattern| pattern.as_ref().len());
    let longest = lengths().max().unwrap_or(0);
    check_length(longest)?;
    let walked = lengths().sum::<usize>().saturating_mul(longest);
    let form = (walked > TABLE).then_some(AhoCorasickKind::ContiguousNFA);
    let search = AhoCorasick::builder().match_kind(kind).kind(form).build(patterns);
    search.map_err(|error| Error::Spec(format!("the special tokens are too many: {error}")))
}

/// Refuses a token that is too long to be searched for.
pub(crate) fn check_length(bytes: usize) -> Result<()> {
    match bytes > MOST_BYTES {
        true => Err(Error::Spec(format!(
            "a token has {bytes} bytes, and at most {MOST_BYTES} are searched for in a text; leave it out"
        ))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(patterns: &[String]) -> AhoCorasickKind {
        search_for(patterns, MatchKind::LeftmostLongest).unwrap().kind()
    }

    #[test]
    fn long_patterns_have_no_table() {
        assert_eq!(kind_of(&["<|endoftext|>".into(), "<|pad|>".into()]), AhoCorasickKind::DFA);
        assert_eq!(kind_of(&["x".repeat(4096)]), AhoCorasickKind::ContiguousNFA);
        let starts = (0..90).map(|i| format!("{i}{}", "x".repeat(100))).collect::<Vec<_>>();
        assert_eq!(kind_of(&starts), AhoCorasickKind::ContiguousNFA);
    }

    #[test]
    fn both_forms_find_the_same() {
        let text = "xxxxyxxyyyxxxxxx".repeat(40);
        let long = "x".repeat(300);
        for tokens in [vec!["xx", "xxy", "yx"], vec!["y", "xxxxy", "xx"]] {
            let with_long: Vec<&str> = tokens.iter().copied().chain([long.as_str()]).collect();
            let found = |patterns: &[&str]| {
                let search = search_for(patterns, MatchKind::LeftmostLongest).unwrap();
                search.find_iter(&text).map(|found| (found.pattern().as_usize(), found.range())).collect::<Vec<_>>()
            };
            assert_eq!(found(&tokens), found(&with_long));
        }
    }
}
