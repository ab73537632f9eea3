//! Corpus: the words of one language, as they are merged so far, with their pairs.

use super::super::rule::{PairKey, key};
use super::pairs::PairTable;
use crate::error::{Error, Result};

#[derive(Debug, Default)]
pub(super) struct Corpus {
    symbols: Vec<Symbol>,
    words: Vec<CorpusWord>,
    pub pairs: PairTable,
    /// How many tokens all words are, each as often as it occurs.
    pub length: i64,
}

#[derive(Debug, Clone, Copy)]
struct Symbol {
    token: u32,
    /// The characters that it stands for here: where marks are letters, one token may stand for more or fewer of them elsewhere.
    units: u32,
}

#[derive(Debug, Clone, Copy)]
struct CorpusWord {
    start: usize,
    length: u32,
    count: i64,
}

/// A pair, what it becomes, and how long the pairs are that this brings about: they count if they have fewer characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairMerge {
    pub left: u32,
    pub right: u32,
    pub made: u32,
    pub limit: usize,
}

impl Corpus {
    /// One that knows its most frequent pair.
    pub(super) fn ranked() -> Self {
        Corpus { pairs: PairTable::ranked(), ..Corpus::default() }
    }

    pub(super) fn push(&mut self, word: &[u32], count: u64) -> Result<()> {
        let count = count as i64;
        self.length += word.len() as i64 * count;
        if word.len() < 2 {
            return Ok(());
        }
        let sizes = (u32::try_from(self.words.len()), u32::try_from(word.len()));
        let (Ok(number), Ok(length)) = sizes else {
            return Err(Error::Spec(
                "a language has more words than training can number; train on a part of it".into(),
            ));
        };
        self.words.push(CorpusWord { start: self.symbols.len(), length, count });
        self.symbols.extend(word.iter().map(|&token| Symbol { token, units: 1 }));
        for pair in word.windows(2) {
            self.pairs.change(key(pair[0], pair[1]), count, Some(number));
        }
        Ok(())
    }

    /// Merges a pair wherever it came about. `all` has the pairs of all languages, if somebody asks for them.
    pub(super) fn merge(&mut self, pair: &PairMerge, mut all: Option<&mut PairTable>) {
        let Corpus { symbols, words, pairs, length } = self;
        let merged = key(pair.left, pair.right);
        let numbers = pairs.take_words(merged);
        if numbers.is_empty() {
            return;
        }
        for number in numbers {
            let word = &mut words[number as usize];
            let (count, before) = (word.count, word.length);
            let change = |key, times: i64| {
                pairs.change(key, times * count, Some(number));
                if let Some(all) = &mut all {
                    all.change(key, times * count, None);
                }
            };
            word.length = replace(&mut symbols[word.start..][..before as usize], pair, change);
            *length -= i64::from(before - word.length) * count;
        }
        let left = pairs.clear(merged);
        if let Some(all) = all {
            all.change(merged, -left, None);
        }
    }
}

/// Replaces a pair in a word, leftmost first. Tells which pairs go and come, and gives how many symbols the word has then.
#[inline]
fn replace(symbols: &mut [Symbol], pair: &PairMerge, mut change: impl FnMut(PairKey, i64)) -> u32 {
    let &PairMerge { left, right, made, limit } = pair;
    let fits = |a: Symbol, b: Symbol| ((a.units + b.units) as usize) < limit;
    let (mut from, mut to) = (0, 0usize);
    while let Some(&first) = symbols.get(from) {
        match symbols.get(from + 1) {
            Some(&second) if (first.token, second.token) == (left, right) => {
                let joined = Symbol { token: made, units: first.units + second.units };
                if let Some(&before) = to.checked_sub(1).map(|at| &symbols[at]) {
                    change(key(before.token, left), -1);
                    if fits(before, joined) {
                        change(key(before.token, made), 1);
                    }
                }
                if let Some(&after) = symbols.get(from + 2) {
                    change(key(right, after.token), -1);
                    if fits(after, joined) {
                        change(key(made, after.token), 1);
                    }
                }
                symbols[to] = joined;
                from += 2;
            }
            _ => {
                symbols[to] = first;
                from += 1;
            }
        }
        to += 1;
    }
    to as u32
}
