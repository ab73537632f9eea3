//! Source code: what its pieces are, and what identifiers are made of.

mod identifiers;

pub use identifiers::split_identifier;
