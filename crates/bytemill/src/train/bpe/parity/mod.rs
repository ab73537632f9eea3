//! Parity-aware byte-pair encoding: several languages train one vocabulary, and each merge is the best one of the language whose text is
//! the longest by then (Foroutan et al., 2026, arXiv:2508.04796). The results are those of the trainer of that name in `tokenizers`.

mod choice;
mod corpus;
mod learner;
#[cfg(test)]
mod naive;
mod options;
mod pairs;
#[cfg(test)]
mod tests;
mod units;

use std::collections::HashSet;
use std::hash::Hash;

use super::merging::MergeWatch;
use super::pieces::TrainingPieces;
use crate::error::{Error, Result};
use crate::train::PieceCounts;
use learner::ParityLearner;
pub use options::{ParityOptions, ParityWindow};

/// The tokens in the order of their ids, and the merges by ids.
#[derive(Debug, PartialEq)]
pub struct ParityLearned {
    pub tokens: Vec<String>,
    pub merges: Vec<(u32, u32)>,
}

/// Learns from the counted words of each language. Those of `dev`, if there are any, say how long the text of each language is.
pub fn learn_parity(
    options: &ParityOptions,
    train: &[PieceCounts],
    dev: &[PieceCounts],
    watch: &mut MergeWatch,
) -> Result<ParityLearned> {
    let [train, dev] = [train, dev].map(|counts| counts.iter().map(TrainingPieces::Counts).collect::<Vec<_>>());
    learn(options, &train, &dev, watch)
}

fn learn(
    options: &ParityOptions,
    train: &[TrainingPieces],
    dev: &[TrainingPieces],
    watch: &mut MergeWatch,
) -> Result<ParityLearned> {
    options.check(train.len(), dev.len())?;
    let bpe = options.bpe();
    let mut learner = ParityLearner::new(options, &bpe, train, dev, &mut || watch(0, options.num_merges as u64))?;
    let merges = last_of_each(learner.learn(watch)?);
    let tokens = (0..learner.tokens.len() as u32).map(|id| learner.tokens.token(id).to_vec());
    let text = |token| String::from_utf8(token).map_err(|error| Error::Internal(error.to_string()));
    Ok(ParityLearned { tokens: tokens.map(text).collect::<Result<_>>()?, merges })
}

/// A pair can merge again after another merge has made one of its tokens in a second way. In the library's table of merges it stands where
/// it was merged last.
fn last_of_each<T: Clone + Eq + Hash>(merges: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    let mut last: Vec<T> = merges.into_iter().rev().filter(|pair| seen.insert(pair.clone())).collect();
    last.reverse();
    last
}
