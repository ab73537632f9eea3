//! The vocabulary of characters and words: what occurs, most frequent first.

use super::counts::PieceCounts;
use super::spec::{Spec, Trainable};
use crate::definition::Outline;
use crate::error::{Error, Result};
use crate::vocab::Vocab;

/// Special tokens keep their ids; what the text has follows by count, and by its bytes among equals.
pub fn build(spec: &Spec, outline: &Outline, counts: &PieceCounts) -> Result<(Vocab, Vec<String>)> {
    let reserved = outline.added.len();
    let room = match spec.vocab_size {
        Some(size) => size
            .checked_sub(reserved)
            .ok_or_else(|| Error::Spec(format!("vocab_size={size} does not hold the {reserved} special tokens")))?,
        None => usize::MAX,
    };
    let frequent = counts.iter().filter(|&(_, count)| count >= spec.min_frequency);
    let mut chosen: Vec<(&[u8], u64)> = frequent.collect();
    chosen.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut notes = Vec::new();
    if let Some(size) = spec.vocab_size.filter(|_| chosen.len() < room) {
        notes.push(shortfall(spec, size, reserved, chosen.len(), counts.totals().1));
    }
    chosen.truncate(room);
    // The ids of special tokens are theirs alone: no text, however split, becomes one by being equal to it.
    let tokens = (0..reserved).map(|_| None).chain(chosen.iter().map(|&(piece, _)| Some(piece)));
    Ok((Vocab::new(tokens)?, notes))
}

fn shortfall(spec: &Spec, size: usize, reserved: usize, chosen: usize, distinct: u64) -> String {
    let things = match spec.family {
        Trainable::Char => "characters",
        Trainable::Word | Trainable::Bpe => "words",
    };
    let why = match spec.min_frequency {
        1 => format!("the text has only {distinct} different {things}"),
        n => format!("of the {distinct} different {things} in the text only {chosen} occur at least {n} times"),
    };
    format!(
        "vocab_size={size} was asked for and {} is what there is: {why}, and there are {reserved} special tokens",
        reserved + chosen
    )
}
