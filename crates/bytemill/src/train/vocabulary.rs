//! The vocabulary of characters and words: what occurs, most frequent first.

use std::collections::BTreeMap;

use super::History;
use super::counts::{PieceCounts, too_many};
use super::spec::Spec;
use crate::definition::Outline;
use crate::error::{Error, Result};
use crate::vocab::Vocab;

/// Special tokens keep their ids; what the text has follows by count, and by its bytes among equals.
pub(super) fn build(
    spec: &Spec,
    vocab_size: Option<usize>,
    outline: &Outline,
    counts: &PieceCounts,
) -> Result<(Vocab, History, Vec<String>)> {
    let reserved = outline.added.len();
    let room = match vocab_size {
        Some(size) => size.checked_sub(reserved).ok_or_else(|| too_small(size, outline))?,
        None => usize::MAX,
    };
    let counts = if spec.counts_characters() { &characters(counts)? } else { counts };
    let (chosen, frequent) = counts.ranked(room, spec.min_frequency)?;
    let mut notes = Vec::new();
    if let Some(size) = vocab_size.filter(|_| chosen.len() < room) {
        notes.push(shortfall(spec, size, reserved, frequent, counts.totals().1));
    }
    // The ids of special tokens are theirs alone: no text, however split, becomes one by being equal to it.
    let tokens = (0..reserved).map(|_| None).chain(chosen.iter().map(|(piece, _)| Some(piece)));
    let vocab = Vocab::new(tokens)?;
    Ok((vocab, History::Tokens(chosen), notes))
}

/// That a vocabulary has no room for its special tokens.
pub(super) fn too_small(size: usize, outline: &Outline) -> Error {
    let tokens = described(outline);
    Error::Spec(format!("vocab_size={size} does not hold {tokens}; it must be at least {}", outline.added.len()))
}

/// The tokens that are there before any text is seen, those of a pretokenizer by themselves: nobody has listed them.
pub(super) fn described(outline: &Outline) -> String {
    let reserved = outline.added.iter().filter(|token| token.stands_for.is_some()).count();
    let special = outline.added.len() - reserved;
    let special = format!("the {special} special {}", if special == 1 { "token" } else { "tokens" });
    match reserved {
        0 => special,
        _ => format!(
            "{special} and the {reserved} tokens that the pretokenizer Code reserves for keywords, indentation and markers"
        ),
    }
}

/// How often each character occurs in pieces.
fn characters(counts: &PieceCounts) -> Result<PieceCounts> {
    let mut characters: BTreeMap<char, u64> = BTreeMap::new();
    counts.each(|piece, count| {
        let text = str::from_utf8(piece).map_err(|error| Error::Internal(error.to_string()))?;
        text.chars().try_for_each(|c| {
            let sum = characters.entry(c).or_default();
            *sum = sum.checked_add(count).ok_or_else(too_many)?;
            Ok(())
        })
    })?;
    let pairs = characters.into_iter().map(|(c, count)| (c.to_string().into_bytes(), count));
    PieceCounts::from_pairs(pairs, None)
}

fn shortfall(spec: &Spec, size: usize, reserved: usize, chosen: u64, distinct: u64) -> String {
    let things = if spec.counts_characters() { "characters" } else { "words" };
    let why = match spec.min_frequency {
        1 => format!("the text has only {distinct} different {things}"),
        n => format!("of the {distinct} different {things} in the text only {chosen} occur at least {n} times"),
    };
    format!(
        "vocab_size={size} was asked for and {} is what there is: {why}, and there are {reserved} special tokens",
        reserved as u64 + chosen
    )
}
