//! bytemill: text in, tokens out.
//!
//! ```text
//! ENCODE   text ─normalize→ Normalized ─pretokenize→ pieces ─model→ ids ─postprocess→ ids
//! DECODE   ids ─vocab→ bytes ─decode→ text
//! TRAIN    documents ─normalize, pretokenize→ pieces ─count→ PieceCounts ─train→ Definition ─format→ file
//! ```
//!
//! The modules follow the flow. The core knows no Python, prints nothing and reaches no network.

pub mod definition;
pub mod tokenizer;

mod batch;
mod budget;
pub mod code;
pub mod decode;
pub mod encoding;
pub mod explain;
pub mod input;
mod marked;
pub mod model;
pub mod normalize;
pub mod pattern;
pub mod pipeline;
pub mod postprocess;
pub mod pretokenize;
mod restricted;
pub mod sampling;
pub mod segmentations;
mod short_texts;
pub mod special;
mod stretches;

pub mod data;
pub mod encode_code;
pub mod encode_files;
pub mod format;
pub mod train;

mod alphabet;
pub mod class;
mod class_table;
mod exchange;
mod gaps;
mod gathering;
mod hash;
mod index;
pub mod parallel;
mod plane;
pub mod pool;
mod random;
pub mod simd;
pub mod span;
pub mod spare;
mod storage;
pub mod transcode;
pub mod vocab;

mod error;

pub use definition::Definition;
pub use error::{Error, Result};
pub use restricted::restricted;
pub use tokenizer::Tokenizer;
pub use vocab::TokenId;
