//! Encode: the stages and the model joined, from one text to batches and files.

pub mod batch;
pub(crate) mod budget;
mod bytes;
pub mod call;
mod cuts;
pub mod explain;
pub mod files;
mod gather;
pub mod input;
mod journal;
mod manifest;
pub mod pipeline;
pub mod placed;
pub(crate) mod plan;
mod restricted;
pub mod sampling;
pub mod scratch;
pub mod segmentations;
pub mod segments;
pub mod session;
pub mod sink;
pub mod source_code;
mod together;
pub mod token_files;
pub mod tokenizer;
mod units;
pub mod unstable;

pub use restricted::restricted;
