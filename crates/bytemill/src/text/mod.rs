//! Text: spans, classes of characters, regular expressions, conversions to UTF-8; nothing here knows tokens.

pub(crate) mod byte_alphabet;
pub(crate) mod class;
mod class_table;
pub(crate) mod gaps;
pub(crate) mod nearest;
pub(crate) mod pattern;
pub(crate) mod plane;
pub(crate) mod search;
pub(crate) mod short_key;
pub(crate) mod span;
pub(crate) mod transcode;
pub(crate) mod white;

pub use pattern::Pattern;
pub use span::Span;
pub use transcode::CodeUnits;
