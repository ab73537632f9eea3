//! Padding: tokens that stand for nothing, so that inputs have the same length.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Side;
use super::encoding::{Encoding, InputToken};
use crate::error::{Error, Result};
use crate::vocab::TokenId;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Padding {
    /// The length to come to; None for that of the longest input of a batch.
    pub length: Option<usize>,
    /// Lengths are brought up to a multiple of this.
    pub multiple_of: Option<usize>,
    /// Where the padding goes.
    pub side: Side,
    pub id: TokenId,
    pub type_id: u32,
    /// What the token is shown as.
    pub token: String,
}

impl Padding {
    /// Brings all inputs of a batch to one length, and what was cut off from them; those that are longer stay as they are. A length that
    /// no memory has room for is an error.
    pub fn apply(&self, batch: &mut [Encoding]) -> Result<()> {
        let longest = batch.iter().map(|encoding| encoding.tokens.len()).max().unwrap_or(0);
        let length = self.length.unwrap_or(longest);
        let length = match self.multiple_of {
            Some(multiple @ 1..) => length.checked_next_multiple_of(multiple).ok_or(Error::Memory)?,
            _ => length,
        };
        batch.iter_mut().try_for_each(|encoding| self.pad(encoding, length))
    }

    /// Brings one input to a length, and what was cut off from it.
    pub fn pad(&self, encoding: &mut Encoding, length: usize) -> Result<()> {
        encoding.overflowing.iter_mut().try_for_each(|part| self.pad(part, length))?;
        let before = encoding.tokens.len();
        let Some(missing) = length.checked_sub(before) else { return Ok(()) };
        encoding.tokens.try_reserve(missing).map_err(|_| Error::Memory)?;
        let at = match self.side {
            Side::Left => 0,
            Side::Right => before,
        };
        let token = InputToken { id: self.id, type_id: self.type_id, place: None };
        encoding.tokens.splice(at..at, std::iter::repeat_n(token, missing));
        if self.side == Side::Left {
            encoding.surfaces.iter_mut().for_each(|(number, _)| *number += missing);
        }
        if self.side == Side::Left {
            let shifted = |range: &mut Range<usize>| *range = range.start + missing..range.end + missing;
            encoding.padding.iter_mut().for_each(shifted);
            encoding.sequences.iter_mut().flatten().for_each(|(_, range)| shifted(range));
        }
        if let Some(names) = &mut encoding.names {
            names.try_reserve(missing).map_err(|_| Error::Memory)?;
            names.splice(at..at, std::iter::repeat_n(self.token.clone(), missing));
        }
        encoding.padding.push(at..at + missing);
        encoding.pad_token.clone_from(&self.token);
        Ok(())
    }
}
