//! The text of a training: words with their counts, without the characters and symbols that are no part of pieces.

use std::collections::{BTreeMap, HashSet};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::{Error, Result};
use crate::train::counts::{PieceCounts, too_many};

/// One after the other, a zero behind each: no piece has one in it.
#[derive(Debug, Default)]
pub struct Words {
    pub text: Vec<u8>,
    /// Where each begins, and the end.
    pub starts: Vec<u32>,
    pub counts: Vec<u64>,
}

impl Words {
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    pub fn word(&self, number: usize) -> &[u8] {
        &self.text[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
    }

    fn push(&mut self, word: &str, count: u64) -> Result<()> {
        self.text.extend_from_slice(word.as_bytes());
        self.text.push(0);
        let end = u32::try_from(self.text.len())
            .map_err(|_| Error::Spec("the different words of this text take more than 4 GiB".into()))?;
        self.starts.push(end);
        self.counts.push(count);
        Ok(())
    }

    /// The words of counts, cut where a symbol of the user or a character that is not required stands.
    pub fn new(counts: &PieceCounts, required: &HashSet<char>, symbols: &[String]) -> Result<Self> {
        let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(symbols);
        let matcher = matcher.map_err(|error| Error::Spec(error.to_string()))?;
        let mut parts: BTreeMap<String, u64> = BTreeMap::new();
        each_text(counts, |text, count| {
            let mut done = 0;
            let found = matcher.find_iter(text).map(|found| (found.start(), found.end()));
            for (start, end) in found.chain([(text.len(), text.len())]) {
                for part in text[done..start].split(|c| !required.contains(&c)).filter(|part| !part.is_empty()) {
                    match parts.get_mut(part) {
                        Some(sum) => *sum = sum.checked_add(count).ok_or_else(too_many)?,
                        None => drop(parts.insert(part.to_string(), count)),
                    }
                }
                done = end;
            }
            Ok(())
        })?;
        let mut words = Words { starts: vec![0], ..Words::default() };
        parts.iter().try_for_each(|(word, &count)| words.push(word, count))?;
        Ok(words)
    }
}

/// The characters of a text that cover so much of it, the most frequent first; a zero is no part of any piece.
pub fn characters(counts: &PieceCounts, coverage: f64, also: &str) -> Result<Vec<(char, u64)>> {
    let mut all: BTreeMap<char, u64> = BTreeMap::new();
    let mut total = 0u64;
    each_text(counts, |text, count| {
        text.chars().filter(|&c| c != '\0').try_for_each(|c| {
            total = total.checked_add(count).ok_or_else(too_many)?;
            *all.entry(c).or_default() += count;
            Ok(())
        })
    })?;
    let mut sorted: Vec<(char, u64)> = all.into_iter().collect();
    sorted.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(&right.0)));
    let always: HashSet<char> = also.chars().collect();
    let mut covered = 0u64;
    let mut chosen: Vec<(char, u64)> = Vec::new();
    for (c, count) in sorted {
        let enough = covered as f64 >= coverage * total as f64;
        if !enough || always.contains(&c) {
            chosen.push((c, count));
        }
        covered += count;
    }
    chosen.extend(
        always
            .iter()
            .filter(|c| chosen.iter().all(|(known, _)| known != *c))
            .map(|&c| (c, 0))
            .collect::<std::collections::BTreeSet<_>>(),
    );
    Ok(chosen)
}

fn each_text(counts: &PieceCounts, mut each: impl FnMut(&str, u64) -> Result<()>) -> Result<()> {
    counts.each(|piece, count| {
        each(std::str::from_utf8(piece).map_err(|error| Error::Internal(error.to_string()))?, count)
    })
}
