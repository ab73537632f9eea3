//! Replacements: the rules of a character map, by name as SentencePiece builds them, or from a table of code points; and the map itself.
//!
//! A rule stands for a text of one or more characters. The rules of NFKC are those of single characters, and of every sequence that is
//! composed into one, written in any way.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_compatible;

use super::charsmap::{Charsmap, MOST_RULES};
use super::{darts, folds};
use crate::error::{Error, Result};
use crate::hash::Quick;

/// What SentencePiece calls the name of a normalization rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forms {
    /// Spaces and controls as Google's translation models want them.
    pub nmt: bool,
    /// Case is folded.
    pub folded: bool,
}

/// Texts and what becomes of them.
#[derive(Debug, Clone, Default)]
pub struct Replacements {
    rules: Vec<(String, usize)>,
    /// What the numbers of the rules stand for.
    texts: Vec<String>,
}

/// What is white space for translation models.
const SPACES: [char; 14] = [
    '\t', '\n', '\u{C}', '\r', '\u{1680}', '\u{200B}', '\u{200C}', '\u{200E}', '\u{200F}', '\u{2028}', '\u{2029}',
    '\u{2581}', '\u{FEFF}', '\u{FFFD}',
];
/// In Japanese, other than the narrow one.
const WIDE_TILDE: char = '～';

fn is_dropped(c: char) -> bool {
    matches!(c, '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}')
}

impl Forms {
    /// The map of these forms. It takes some tenths of a second to build, and is the same each time, so it is built once.
    pub fn charsmap(self) -> Result<Charsmap> {
        static MAPS: [OnceLock<Charsmap>; 4] = [const { OnceLock::new() }; 4];
        let known = &MAPS[usize::from(self.nmt) + 2 * usize::from(self.folded)];
        match known.get() {
            Some(map) => Ok(map.clone()),
            None => {
                let map = Replacements::nfkc(self).charsmap()?;
                Ok(known.get_or_init(|| map).clone())
            }
        }
    }
}

impl Replacements {
    fn nfkc(forms: Forms) -> Self {
        let mut rules = composed_and_not();
        if forms.nmt {
            rules.rules.retain(|(from, _)| !from.starts_with(WIDE_TILDE));
            let dropped = ('\u{1}'..='\u{9F}').filter(|&c| is_dropped(c));
            rules.extend(dropped.map(|c| (c, "".into())));
            rules.extend(SPACES.map(|c| (c, " ".into())));
        }
        if forms.folded {
            rules.texts.iter_mut().for_each(|text| *text = text.chars().map(folds::folded).collect());
            let single = rules.rules.iter().filter_map(|(from, _)| only(from));
            let known: HashSet<char> = single.collect();
            rules.extend(folds::all().filter(|(from, _)| !known.contains(from)).map(|(from, to)| (from, to.into())));
        }
        rules.necessary()
    }

    fn extend(&mut self, more: impl IntoIterator<Item = (char, String)>) {
        for (from, to) in more {
            self.push(from.into(), to);
        }
    }

    fn push(&mut self, from: String, to: String) {
        self.rules.push((from, self.texts.len()));
        self.texts.push(to);
    }

    /// A rule on each line: the code points of a text in hexadecimal, a tab, and those that it becomes; what follows a second tab is a
    /// comment.
    pub fn from_tsv(text: &str) -> Result<Self> {
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

    /// Less the rules of several characters that shorter ones come to as well.
    fn necessary(mut self) -> Self {
        let mut kept: HashMap<&str, usize, Quick> =
            HashMap::with_capacity_and_hasher(self.rules.len(), Quick::default());
        let mut by_length: Vec<(usize, usize)> =
            self.rules.iter().map(|(from, _)| from.chars().count()).zip(0..).collect();
        by_length.sort_unstable();
        let mut needed = vec![false; self.rules.len()];
        let mut result = String::new();
        for rules in by_length.chunk_by(|left, right| left.0 == right.0) {
            for &(length, i) in rules {
                let (from, to) = &self.rules[i];
                needed[i] = length == 1 || {
                    apply(&kept, &self.texts, from, &mut result);
                    result != self.texts[*to]
                };
            }
            kept.extend(
                rules.iter().filter(|(_, i)| needed[*i]).map(|&(_, i)| (self.rules[i].0.as_str(), self.rules[i].1)),
            );
        }
        let mut needed = needed.into_iter();
        self.rules.retain(|_| needed.next().unwrap_or(false));
        self
    }

    pub fn charsmap(&self) -> Result<Charsmap> {
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

/// The character of a text that has just one.
fn only(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

fn code_point(text: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(text.strip_prefix("U+").unwrap_or(text), 16).ok()?)
}

/// A text by these rules, the longest first at each place.
fn apply(rules: &HashMap<&str, usize, Quick>, texts: &[String], text: &str, result: &mut String) {
    result.clear();
    let mut rest = text;
    while !rest.is_empty() {
        let starts = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
        let found = starts.map(|end| rest.split_at(end)).find_map(|(from, after)| Some((*rules.get(from)?, after)));
        let first = rest.chars().next().map_or(0, char::len_utf8);
        match found {
            Some((to, _)) => result.push_str(&texts[to]),
            None => result.push_str(&rest[..first]),
        }
        rest = found.map_or(&rest[first..], |(_, after)| after);
    }
}

/// Every character that NFKC changes, and every sequence of characters, each of which is one character decomposed, that it composes.
fn composed_and_not() -> Replacements {
    let mut rules = Replacements::default();
    let mut sequences: BTreeSet<String> = BTreeSet::new();
    // The characters that decompose into one, itself among them.
    let mut origins: HashMap<char, Vec<char>> = HashMap::new();
    let mut decomposed = Vec::new();
    for c in ('\u{1}'..=char::MAX).filter(|&c| is_assignable(c)) {
        decomposed.clear();
        decompose_compatible(c, |part| decomposed.push(part));
        match decomposed[..] {
            [one] if one == c => continue,
            [one] => origins.entry(one).or_insert_with(|| vec![one]).push(c),
            _ => drop(sequences.insert(c.nfkd().collect())),
        }
        let normal: String = c.nfkc().collect();
        if only(&normal) != Some(c) {
            rules.push(c.into(), normal);
        }
    }
    for sequence in sequences {
        let composed: String = sequence.nfc().collect();
        if composed == sequence {
            continue;
        }
        let to = rules.texts.len();
        let written = written(&sequence, &origins).into_iter().filter(|text| *text != composed);
        rules.rules.extend(written.map(|text| (text, to)));
        rules.texts.push(composed);
    }
    rules
}

/// Every text whose characters decompose into these, one into one.
fn written(sequence: &str, origins: &HashMap<char, Vec<char>>) -> Vec<String> {
    let mut texts = vec![String::new()];
    for c in sequence.chars() {
        let itself = std::slice::from_ref(&c);
        let choices = origins.get(&c).map_or(itself, Vec::as_slice);
        let longer =
            |text: &String| choices.iter().map(|&choice| text.clone() + choice.encode_utf8(&mut [0; 4])).collect();
        texts = texts.iter().flat_map(|text| -> Vec<String> { longer(text) }).collect();
    }
    texts
}

/// Whether a code point may ever be a character.
fn is_assignable(c: char) -> bool {
    let code = u32::from(c);
    code & 0xFFFE != 0xFFFE && !(0xFDD0..=0xFDEF).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(map: &Charsmap, text: &str) -> String {
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
    fn by_example() {
        let map = Forms { nmt: true, folded: true }.charsmap().unwrap();
        let samples = "Ａﬁ① e\u{301}\u{327} ㈱가 ㄱㅏ\u{11A8} ～\t\u{7}ΑΣ";
        assert_eq!(text(&map, samples), "afi1 é\u{327} (株)가 각 ～ ασ");
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
