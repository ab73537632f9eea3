//! The slow twin: every row of every word, one by one.

use std::collections::HashMap;

/// All rows of pieces that are a word.
pub(super) fn rows<'a>(word: &'a str, scores: &HashMap<&str, f64>) -> Vec<Vec<&'a str>> {
    if word.is_empty() {
        return vec![Vec::new()];
    }
    let ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
    let starts = ends.map(|end| word.split_at(end)).filter(|(piece, _)| scores.contains_key(piece));
    let longer = |(piece, rest)| rows(rest, scores).into_iter().map(move |row| [vec![piece], row].concat());
    starts.flat_map(longer).collect()
}

fn score(row: &[&str], scores: &HashMap<&str, f64>) -> f64 {
    row.iter().map(|piece| scores[piece]).sum()
}

/// How often each piece is expected in words with their counts.
pub(super) fn expected<'a>(words: &[(&'a str, u64)], scores: &HashMap<&str, f64>) -> HashMap<&'a str, f64> {
    let mut sums = HashMap::new();
    for &(word, count) in words {
        let all: Vec<(f64, Vec<&str>)> =
            rows(word, scores).into_iter().map(|row| (score(&row, scores).exp(), row)).collect();
        let total: f64 = all.iter().map(|(probability, _)| probability).sum();
        for (probability, row) in all {
            row.into_iter().for_each(|piece| *sums.entry(piece).or_default() += probability / total * count as f64);
        }
    }
    sums
}
