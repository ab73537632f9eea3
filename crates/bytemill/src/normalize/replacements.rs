//! Replacements: the rules of a character map from a table of code points; and the map itself. A rule stands for a text of one or more
//! characters.

use std::collections::{BTreeMap, HashSet};

use super::charsmap::{Charsmap, MOST_RULES};
use super::darts;
use crate::error::{Error, Result};

/// Texts and what becomes of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replacements {
    pub(super) rules: Vec<(String, usize)>,
    /// What the numbers of the rules stand for.
    pub(super) texts: Vec<String>,
}

impl Replacements {
    pub(super) fn push(&mut self, from: String, to: String) {
        self.rules.push((from, self.texts.len()));
        self.texts.push(to);
    }

    /// A rule on each line: the code points of a text in hexadecimal, a tab, and those that it becomes; what follows a second tab is a
    /// comment.
    pub(crate) fn from_tsv(text: &str) -> Result<Self> {
        let mut rules = Replacements::default();
        let mut known = HashSet::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
            let wrong = |what: String| Error::Spec(format!("line {number} of the normalization rules: {what}"));
            let mut fields = line.split('\t').map(|field| {
                let codes = field.split(' ').filter(|code| !code.is_empty());
                codes.map(|code| code_point(code).ok_or_else(|| wrong(format!("{code:?} is no code point")))).collect()
            });
            let from: String = fields.next().unwrap_or_else(|| Ok(String::new()))?;
            let to: String = fields.next().unwrap_or_else(|| Ok(String::new()))?;
            if from.is_empty() || from.contains('\0') || to.contains('\0') {
                return Err(wrong("a rule replaces at least one character, and has no U+0000 in it".into()));
            }
            if !known.insert(from.clone()) {
                return Err(wrong("there is a rule for this text already".into()));
            }
            rules.push(from, to);
        }
        match rules.rules.is_empty() {
            true => Err(Error::Spec("the normalization rules are empty".into())),
            false => Ok(rules),
        }
    }

    pub(crate) fn charsmap(&self) -> Result<Charsmap> {
        let mut texts: BTreeMap<&str, u32> = self.rules.iter().map(|(_, to)| (self.texts[*to].as_str(), 0)).collect();
        let mut replacements = String::new();
        for (text, at) in &mut texts {
            *at = replacements.len() as u32;
            replacements.push_str(text);
            replacements.push('\0');
        }
        let places: Vec<u32> = self.texts.iter().map(|text| texts.get(text.as_str()).copied().unwrap_or(0)).collect();
        let mut keys: Vec<(&[u8], u32)> = self.rules.iter().map(|(from, to)| (from.as_bytes(), places[*to])).collect();
        keys.sort_unstable();
        let units = darts::build(keys.iter().copied())?;
        let mut blob = (4 * units.len() as u32).to_le_bytes().to_vec();
        blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        blob.extend_from_slice(replacements.as_bytes());
        let map = Charsmap::new(&blob)?;
        match self.rules.iter().find(|(key, _)| key.len() >= MOST_RULES && map.count(key.as_bytes()) >= MOST_RULES) {
            Some((key, _)) => Err(Error::Spec(format!(
                "{MOST_RULES} normalization rules or more are for beginnings of {key:?}; SentencePiece looks at fewer"
            ))),
            None => Ok(map),
        }
    }
}

fn code_point(text: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(text.strip_prefix("U+").unwrap_or(text), 16).ok()?)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::normalize::nfkc_rules::apply;
    use proptest::prelude::*;

    pub(crate) fn text(map: &Charsmap, text: &str) -> String {
        let mut rest = text;
        let mut result = String::new();
        while let Some(c) = rest.chars().next() {
            let (length, new) = map.longest(rest.as_bytes()).unwrap_or((c.len_utf8(), &rest[..c.len_utf8()]));
            result.push_str(new);
            rest = &rest[length..];
        }
        result
    }

    #[test]
    fn tables_of_code_points() {
        let rules = Replacements::from_tsv("41\t62 63\t# A => bc\n\nU+0041 0042\t\n5A\n").unwrap();
        assert_eq!(text(&rules.charsmap().unwrap(), "AABZxA"), "bcxbc");
        let message = |tsv: &str| Replacements::from_tsv(tsv).unwrap_err().to_string();
        assert!(message("41\t42\nxyz\t41").contains("line 2 of the normalization rules: \"xyz\" is no code point"));
        assert!(message("\t41").contains("line 1 of the normalization rules: a rule replaces at least one character"));
        assert!(message("41\t42\n41\t43").contains("line 2 of the normalization rules: there is a rule"));
        assert!(message("\n").contains("the normalization rules are empty"));
        let deep: String = (1..=MOST_RULES).map(|n| "41 ".repeat(n) + "\t42\n").collect();
        let error = Replacements::from_tsv(&deep).unwrap().charsmap().unwrap_err().to_string();
        assert!(error.contains("32 normalization rules or more are for beginnings of"), "{error}");
    }

    proptest! {
        #[test]
        fn every_rule_is_found_and_no_other(
            rules in proptest::collection::btree_map("[a-dé漢]{1,4}", "[a-dé漢]{0,3}", 1..60),
            sample in "[a-dé漢\0]{0,12}",
        ) {
            let mut all = Replacements::default();
            rules.iter().for_each(|(from, to)| all.push(from.clone(), to.clone()));
            let map = all.charsmap().unwrap();
            let mut expected = String::new();
            let looked_up = all.rules.iter().map(|(from, to)| (from.as_str(), *to)).collect();
            apply(&looked_up, &all.texts, &sample, &mut expected);
            prop_assert_eq!(text(&map, &sample), expected);
        }
    }
}
