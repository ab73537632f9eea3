//! The rules of NFKC as SentencePiece builds them: those of single characters, and of every sequence that is composed into one, written in
//! any way. What is shipped (`nfkc`) is made of these.

use std::collections::{BTreeSet, HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_compatible;

use super::folds;
use super::nfkc::Forms;
use super::replacements::Replacements;
use crate::vocab::hash::Quick;

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

pub(super) fn nfkc(forms: Forms) -> Replacements {
    let mut rules = composed_and_not();
    if forms.nmt {
        rules.rules.retain(|(from, _)| !from.starts_with(WIDE_TILDE));
        let dropped = ('\u{1}'..='\u{9F}').filter(|&c| is_dropped(c));
        extend(&mut rules, dropped.map(|c| (c, "".into())));
        extend(&mut rules, SPACES.map(|c| (c, " ".into())));
    }
    if forms.folded {
        rules.texts.iter_mut().for_each(|text| *text = text.chars().map(folds::folded).collect());
        let single = rules.rules.iter().filter_map(|(from, _)| only(from));
        let known: HashSet<char> = single.collect();
        extend(&mut rules, folds::all().filter(|(from, _)| !known.contains(from)).map(|(from, to)| (from, to.into())));
    }
    necessary(rules)
}

fn extend(rules: &mut Replacements, more: impl IntoIterator<Item = (char, String)>) {
    for (from, to) in more {
        rules.push(from.into(), to);
    }
}

/// Less the rules of several characters that shorter ones come to as well.
fn necessary(mut of: Replacements) -> Replacements {
    let mut kept: HashMap<&str, usize, Quick> = HashMap::with_capacity_and_hasher(of.rules.len(), Quick::default());
    let mut by_length: Vec<(usize, usize)> = of.rules.iter().map(|(from, _)| from.chars().count()).zip(0..).collect();
    by_length.sort_unstable();
    let mut needed = vec![false; of.rules.len()];
    let mut result = String::new();
    for rules in by_length.chunk_by(|left, right| left.0 == right.0) {
        for &(length, i) in rules {
            let (from, to) = &of.rules[i];
            needed[i] = length == 1 || {
                apply(&kept, &of.texts, from, &mut result);
                result != of.texts[*to]
            };
        }
        kept.extend(rules.iter().filter(|(_, i)| needed[*i]).map(|&(_, i)| (of.rules[i].0.as_str(), of.rules[i].1)));
    }
    let mut needed = needed.into_iter();
    of.rules.retain(|_| needed.next().unwrap_or(false));
    of
}

/// The character of a text that has just one.
fn only(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// A text by these rules, the longest first at each place.
pub(super) fn apply(rules: &HashMap<&str, usize, Quick>, texts: &[String], text: &str, result: &mut String) {
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
