//! Encode: the stages and the model joined, from one text to batches and files.

pub mod batch;
mod budget;
mod exchange;
pub mod explain;
pub mod files;
mod gather;
pub mod input;
mod marked;
pub mod pipeline;
mod restricted;
pub mod sampling;
pub mod scratch;
pub mod segmentations;
pub mod sink;
pub mod source_code;
mod stretches;
mod together;
pub mod tokenizer;

pub use restricted::restricted;
