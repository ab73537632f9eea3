//! Encoding: a model's input, the tokens of a text or a pair in their template.

use std::ops::Range;

use crate::vocab::TokenId;

/// A model's input: the tokens of one text or pair in their template.
#[derive(Debug, Clone, Default)]
pub struct Encoding {
    pub tokens: Vec<InputToken>,
    /// The numbers of added tokens, and how each stood in the text or is named by the template.
    pub surfaces: Vec<(usize, String)>,
    /// Which tokens are padding, and what they are shown as.
    pub padding: Range<usize>,
    pub pad_token: String,
    /// Inputs of what truncation cut off.
    pub overflowing: Vec<Encoding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputToken {
    pub id: TokenId,
    pub type_id: u32,
    /// None for the template's own tokens and for padding.
    pub place: Option<InputPlace>,
}

/// Where a token of a model's input comes from. There are as many as tokens in a batch, so that places are 32 bits wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputPlace {
    pub start: u32,
    pub end: u32,
    pub piece: u32,
    /// Whether it is the second text of a pair.
    pub second: bool,
}
