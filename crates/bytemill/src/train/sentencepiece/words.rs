//! The text of a training: words with their counts, without the characters and symbols that are no part of pieces.

use std::collections::{HashMap, HashSet};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::{Error, Result};
use crate::text::search::search_for;
use crate::train::counts::{PieceCounts, too_many};
use crate::vocab::hash::Quick;

/// What stands in a text for a symbol. As a character it is no part of any piece.
const BORDER: char = '\t';

/// One after the other, a zero after each: no piece has one in it.
#[derive(Debug, Default)]
pub(crate) struct TrainingWords {
    pub text: Vec<u8>,
    /// Where each begins, and the end.
    pub starts: Vec<u32>,
    pub counts: Vec<u64>,
}

impl TrainingWords {
    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn word(&self, number: usize) -> &[u8] {
        &self.text[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, u64)> {
        (0..self.len()).map(|number| (std::str::from_utf8(self.word(number)).unwrap_or_default(), self.counts[number]))
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
}

/// Counted words, and the symbols that no piece has in it.
pub(super) struct Text<'a> {
    counts: &'a PieceCounts,
    symbols: AhoCorasick,
}

impl<'a> Text<'a> {
    pub(super) fn new(counts: &'a PieceCounts, symbols: &[String]) -> Result<Self> {
        Ok(Text { counts, symbols: search_for(symbols, MatchKind::LeftmostLongest)? })
    }

    /// What lies between two symbols, and whether a symbol follows.
    pub(super) fn each(&self, mut give: impl FnMut(&str, bool, u64) -> Result<()>) -> Result<()> {
        self.counts.each(|piece, count| {
            let text = std::str::from_utf8(piece).map_err(|error| Error::Internal(error.to_string()))?;
            let mut done = 0;
            for found in self.symbols.find_iter(text) {
                give(&text[done..found.start()], true, count)?;
                done = found.end();
            }
            give(&text[done..], false, count)
        })
    }

    /// The words, cut where a symbol or a character that is not required stands, and then as `cut` does it.
    pub(super) fn words(&self, required: &[(char, u64)], cut: impl Fn(&str) -> Vec<&str>) -> Result<TrainingWords> {
        let required: HashSet<char, Quick> = required.iter().map(|&(c, _)| c).collect();
        let (mut whole, mut parts): (Vec<(String, u64)>, HashMap<String, u64, Quick>) = Default::default();
        self.each(|text, _, count| {
            for part in text.split(|c| !required.contains(&c)).filter(|part| !part.is_empty()).flat_map(&cut) {
                match parts.get_mut(part) {
                    // Nearly all are counted once, and have come in their order.
                    _ if part.len() == text.len() => whole.push((part.to_string(), count)),
                    Some(sum) => *sum = sum.checked_add(count).ok_or_else(too_many)?,
                    None => drop(parts.insert(part.to_string(), count)),
                }
            }
            Ok(())
        })?;
        whole.extend(parts);
        whole.sort();
        let mut words = TrainingWords { starts: vec![0], ..TrainingWords::default() };
        for same in whole.chunk_by(|left, right| left.0 == right.0) {
            let sum = same.iter().try_fold(0u64, |sum, (_, count)| sum.checked_add(*count)).ok_or_else(too_many)?;
            words.push(&same[0].0, sum)?;
        }
        Ok(words)
    }

    /// The words without a symbol or another character, the most frequent first, and how many words there are in all.
    pub(super) fn whole_words(&self, required: &[(char, u64)]) -> Result<(Vec<(String, u64)>, u64)> {
        let required: HashSet<char, Quick> = required.iter().map(|&(c, _)| c).collect();
        let (mut words, mut sum) = (Vec::new(), 0u64);
        self.counts.each(|piece, count| {
            let word = std::str::from_utf8(piece).map_err(|error| Error::Internal(error.to_string()))?;
            sum = sum.checked_add(count).ok_or_else(too_many)?;
            if word.chars().all(|c| required.contains(&c)) && !self.symbols.is_match(word) {
                words.push((word.to_string(), count));
            }
            Ok(())
        })?;
        words.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        Ok((words, sum))
    }

    /// The characters that cover this share of the text, the most frequent first, and those that are wanted in any case. `tabs` says
    /// whether tabs are characters like others; SentencePiece has no piece with one.
    pub(super) fn characters(&self, coverage: f64, also: &str, tabs: bool) -> Result<Vec<(char, u64)>> {
        let mut counted: HashMap<char, u64, Quick> = also.chars().map(|c| (c, 0)).collect();
        let mut total = 0u64;
        self.each(|text, symbol, count| {
            for c in text.chars().chain(symbol.then_some(BORDER)).filter(|&c| c != '\0') {
                total = total.checked_add(count).ok_or_else(too_many)?;
                *counted.entry(c).or_default() += count;
            }
            Ok(())
        })?;
        let always: HashSet<char> = also.chars().collect();
        let mut sorted: Vec<(char, u64)> = counted.into_iter().collect();
        sorted.sort_unstable();
        // Those that are wanted are counted first, as SentencePiece does it.
        sorted.sort_by_key(|&(c, count)| (!always.contains(&c), std::cmp::Reverse(count)));
        let mut covered = 0u64;
        sorted.retain(|&(c, count)| {
            // In 32 bits, as there.
            let enough = (covered as f64 / total.max(1) as f64) as f32 >= coverage as f32;
            covered += count;
            (!enough || always.contains(&c)) && c != '\0' && (tabs || c != BORDER)
        });
        sorted.sort_by_key(|&(c, count)| (std::cmp::Reverse(count), c));
        Ok(sorted)
    }
}
