//! Text: spans, classes of characters, regular expressions, conversions to UTF-8; nothing here knows tokens.

pub mod byte_alphabet;
pub mod class;
mod class_table;
pub mod gaps;
pub mod pattern;
pub mod plane;
pub mod short_key;
pub mod span;
pub mod transcode;
pub mod white;
