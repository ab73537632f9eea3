//! Byte-pair encoding, learned: the most frequent pair of neighbours becomes a token, again and again. `naive` says it in a few lines;
//! `merging` does it without counting anything twice.

mod arrange;
mod base;
mod budget;
mod build;
mod counting;
mod extend;
mod inventory;
mod learner;
mod likelihood;
mod merging;
#[cfg(test)]
mod naive;
mod numbers;
mod options;
mod pairs;
mod parity;
mod pieces;
mod queue;
mod rule;
mod runs;
mod side;
mod step;
#[cfg(test)]
mod tests;
mod truncate;
mod visit;
mod words;

pub use budget::Means;
pub(super) use build::{BpeTask, Built, build, learned};
pub(super) use extend::{check as check_extension, check_counts, extend};
pub(crate) use merging::LearnedMerge;
pub use merging::MergeWatch;
pub(super) use options::{BpeOptions, EndOfWord};
pub use parity::{ParityLearned, ParityOptions, ParityWindow, learn_parity};
pub(super) use pieces::TrainingPieces;
pub(crate) use rule::{PairScore, Ties};
pub use truncate::truncated;
