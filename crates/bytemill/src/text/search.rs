//! Search: many texts at once, in time and memory that grow with their length.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, MatchKind};

/// The most bytes of all patterns, times those of the longest, for which the library may choose a table of every state and byte. For each
/// entry of that table it walks down the state's chain of suffixes, which is as long as the pattern where that is one long run.
const TABLE: usize = 1 << 16;

/// A search for any of `patterns`. `kind` says which of several matches counts.
pub(crate) fn search_for<P: AsRef<[u8]>>(patterns: &[P], kind: MatchKind) -> Result<AhoCorasick, BuildError> {
    let lengths = || patterns.iter().map(|pattern| pattern.as_ref().len());
    let walked = lengths().sum::<usize>().saturating_mul(lengths().max().unwrap_or(0));
    let form = (walked > TABLE).then_some(AhoCorasickKind::ContiguousNFA);
    AhoCorasick::builder().match_kind(kind).kind(form).build(patterns)
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
