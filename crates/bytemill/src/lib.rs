//! bytemill: text in, tokens out.
//!
//! ```text
//! ENCODE   text ─normalize→ Normalized ─pretokenize→ pieces ─model→ ids ─postprocess→ ids
//! DECODE   ids ─vocab→ bytes ─decode→ text
//! TRAIN    documents ─normalize, pretokenize→ pieces ─count→ PieceCounts ─train→ Definition ─format→ file
//! ```
//!
//! The modules follow the flow. The core knows no Python, prints nothing and reaches no network.

pub mod code;
pub mod data;
pub mod decode;
pub mod definition;
pub mod encode;
mod error;
pub mod format;
pub mod machine;
pub mod model;
pub mod normalize;
pub mod postprocess;
pub mod pretokenize;
pub mod specials;
pub mod text;
pub mod train;
pub mod vocab;

pub use definition::Definition;
pub use encode::restricted;
pub use encode::tokenizer::Tokenizer;
pub use error::{Error, Result};
pub use vocab::TokenId;
