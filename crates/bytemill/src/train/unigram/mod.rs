//! Training of Unigram, after SentencePiece: frequent stretches of words as seeds; then rounds of expectation maximization, each followed by
//! taking out the pieces that cost least, until there are as many as are wanted.

mod expectation;
mod inventory;
mod options;
mod prune;
mod seeds;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{HashMap, HashSet};

use super::bpe::{MergeWatch, Pause};
use super::counts::PieceCounts;
use crate::definition::{Definition, Outline};
use crate::error::{Error, Result};
use crate::format::sentencepiece::trained;
use crate::vocab::Vocab;
use inventory::Inventory;
pub use options::UnigramOptions;
use words::Words;

/// So many more than wanted are left for the end, when the best of them are chosen.
const SPARE: f64 = 1.1;
/// The difference between the scores of required characters that no row uses.
const STEP: f64 = 0.0001;

/// The tokenizer with `vocab_size` pieces, and what the user should know of it.
pub fn build(
    options: &UnigramOptions,
    vocab_size: usize,
    outline: &Outline,
    counts: &PieceCounts,
    threads: usize,
    watch: &mut MergeWatch,
) -> Result<(Definition, Vec<String>)> {
    let reserved = options.reserved(outline);
    let required = words::characters(counts, options.character_coverage, &options.required_chars)?;
    let room = vocab_size.checked_sub(reserved.len()).filter(|&room| room >= required.len()).ok_or_else(|| {
        Error::Spec(format!(
            "vocab_size={vocab_size} does not hold the {} required characters and {} other tokens; make it larger, or \
             character_coverage smaller",
            required.len(),
            reserved.len()
        ))
    })?;
    let words = Words::new(counts, &required.iter().map(|&(c, _)| c).collect(), &options.user_defined_symbols)?;
    let mut inventory = Inventory::new(first(&words, &required, options, &mut || watch(0, 1))?)?;
    let enough = (vocab_size as f64 * SPARE) as usize;
    let first = inventory.len();
    loop {
        let (done, all) = (first.saturating_sub(inventory.len()) as u64, first.saturating_sub(enough).max(1) as u64);
        let ask = &mut || watch(done.min(all), all);
        for _ in 0..options.sub_iterations {
            inventory = inventory.improved(&words, threads, ask)?;
        }
        if inventory.len() <= enough {
            break;
        }
        let most = enough.max((inventory.len() as f64 * options.shrinking_factor) as usize);
        let kept = prune::kept(&inventory, &words, most, threads, ask)?;
        if kept.len() == inventory.len() {
            // Nothing can be replaced, so that the best are chosen from all.
            break;
        }
        inventory = inventory.only(&kept)?;
    }
    let pieces = finished(&inventory, &required, room, &reserved);
    let mut notes = Vec::new();
    if pieces.len() < room {
        notes.push(format!(
            "vocab_size={vocab_size} was asked for and {} is what there is: the text has no more pieces that are worth a \
             token",
            pieces.len() + reserved.len()
        ));
    }
    let names = reserved.iter().cloned().map(Some);
    let vocab = Vocab::new(names.chain(pieces.iter().map(|(text, _)| Some(text.clone()))))?;
    let zeros = reserved.iter().map(|_| 0.0);
    // As the file holds them.
    let scores = zeros.chain(pieces.iter().map(|&(_, score)| f64::from(score as f32))).collect();
    Ok((trained(outline, vocab, scores, &options.message(vocab_size, outline))?, notes))
}

/// The required characters and the seeds, each with its share of all weight.
fn first(
    words: &Words,
    required: &[(char, u64)],
    options: &UnigramOptions,
    pause: &mut Pause,
) -> Result<Vec<(String, f64)>> {
    let mut weights: HashMap<char, u64> = HashMap::new();
    for number in 0..words.len() {
        let word = std::str::from_utf8(words.word(number)).unwrap_or_default();
        word.chars().for_each(|c| *weights.entry(c).or_default() += words.counts[number]);
    }
    let characters = required.iter().filter_map(|(c, _)| Some((c.to_string(), *weights.get(c)?)));
    let all: Vec<(String, u64)> = characters.chain(seeds::seeds(words, options, pause)?).collect();
    let sum: f64 = all.iter().map(|&(_, weight)| weight as f64).sum();
    Ok(all.into_iter().map(|(text, weight)| (text, (weight as f64 / sum).ln())).collect())
}

/// The required characters and the best of the others, the best first.
fn finished(inventory: &Inventory, required: &[(char, u64)], room: usize, reserved: &[String]) -> Vec<(String, f64)> {
    let taken: HashSet<&str> = reserved.iter().map(String::as_str).collect();
    let known: HashMap<&str, f64> =
        inventory.texts.iter().map(String::as_str).zip(inventory.scores.iter().copied()).collect();
    let lowest = inventory.scores.iter().copied().fold(0.0, f64::min);
    let mut chosen: Vec<(String, f64)> = Vec::new();
    let mut names: HashSet<String> = HashSet::new();
    let mut unused = 0.0;
    for text in required.iter().map(|(c, _)| c.to_string()).filter(|text| !taken.contains(text.as_str())) {
        let score = known.get(text.as_str()).copied().unwrap_or_else(|| {
            // Frequent ones first.
            unused -= STEP;
            lowest + unused
        });
        names.insert(text.clone());
        chosen.push((text, score));
    }
    let by_score = |left: &(String, f64), right: &(String, f64)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
    let mut others: Vec<(String, f64)> =
        inventory.texts.iter().cloned().zip(inventory.scores.iter().copied()).collect();
    others.retain(|(text, _)| !names.contains(text) && !taken.contains(text.as_str()));
    others.sort_by(by_score);
    others.truncate(room.saturating_sub(chosen.len()));
    chosen.extend(others);
    chosen.sort_by(by_score);
    chosen
}
