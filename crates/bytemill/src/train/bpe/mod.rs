//! Byte-pair encoding, learned: the most frequent pair of neighbours becomes a token, again and again. `naive` says it in a few lines;
//! `merging` does it without counting anything twice.

mod base;
mod build;
mod extend;
mod inventory;
mod merging;
#[cfg(test)]
mod naive;
mod options;
mod pairs;
mod queue;
mod rule;
#[cfg(test)]
mod tests;
mod truncate;
mod words;

pub use build::{Built, build};
pub use extend::{check as check_extension, check_counts, extend};
pub use merging::{Merge, MergeWatch};
pub use options::BpeOptions;
pub use rule::Ties;
pub use truncate::truncated;
