//! The slow twin: counts every pair of every language again for every merge. It knows no limit of the length of tokens, with which counts
//! are not those of the text.

use std::collections::BTreeMap;

use super::choice::LanguageChoice;
use super::options::ParityOptions;

pub(super) type SlowWords = Vec<(Vec<String>, u64)>;

pub(super) fn learn(options: &ParityOptions, train: &mut [SlowWords], dev: &mut [SlowWords]) -> Vec<(String, String)> {
    let mut choice = LanguageChoice::new(options, lengths(train, dev));
    let mut merges = Vec::new();
    while merges.len() < options.num_merges && !choice.all_are_exhausted() {
        let lengths = lengths(train, dev);
        let language = (merges.len() >= options.global_merges).then(|| choice.next(&lengths));
        let counted = language.map_or(&train[..], |language| &train[language..=language]);
        match (best(counted, options.min_frequency), language) {
            (Some((left, right)), _) => {
                train.iter_mut().chain(dev.iter_mut()).for_each(|words| merge(words, &left, &right));
                merges.push((left, right));
            }
            (None, Some(language)) if choice.exhaust(language, &lengths) => {}
            (None, _) => break,
        }
    }
    merges
}

fn lengths(train: &[SlowWords], dev: &[SlowWords]) -> Vec<i64> {
    let length = |words: &SlowWords| words.iter().map(|(word, count)| word.len() as i64 * *count as i64).sum();
    (if dev.is_empty() { train } else { dev }).iter().map(length).collect()
}

fn best(languages: &[SlowWords], min_frequency: u64) -> Option<(String, String)> {
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (word, count) in languages.iter().flatten() {
        word.windows(2).for_each(|pair| *counts.entry((&pair[0], &pair[1])).or_default() += count);
    }
    let (pair, count) = counts.into_iter().max_by_key(|&(pair, count)| (count, pair))?;
    (count >= min_frequency).then(|| (pair.0.into(), pair.1.into()))
}

fn merge(words: &mut SlowWords, left: &str, right: &str) {
    for (word, _) in words {
        let mut at = 0;
        while at + 1 < word.len() {
            if word[at] == left && word[at + 1] == right {
                let right = word.remove(at + 1);
                word[at] += &right;
            }
            at += 1;
        }
    }
}
