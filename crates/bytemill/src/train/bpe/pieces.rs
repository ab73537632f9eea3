//! Pieces: what is trained on, one piece after the other, as often as wanted.

use super::Ties;
use crate::error::Result;
use crate::train::{Held, Order, PieceCounts};

pub enum Pieces<'a> {
    /// In the order of their bytes, and never all of them in memory.
    Counts(&'a PieceCounts),
    /// In the order in which they were met.
    Held(Held),
    #[cfg(test)]
    Listed { pieces: Vec<(Vec<u8>, u64)>, are_ordered: bool },
}

/// Called now and then in long work; an error stops it.
pub type Pause<'a> = dyn FnMut() -> Result<()> + 'a;

/// Pieces between two looks at whether to stop.
const PATIENCE: usize = 1 << 16;

impl<'a> Pieces<'a> {
    pub fn new(counts: &'a PieceCounts, ties: Ties) -> Result<Self> {
        Ok(match ties {
            Ties::Tiktoken => Pieces::Held(counts.held(Order::Appearance)?),
            _ => Pieces::Counts(counts),
        })
    }

    /// Whether they come in the order in which they were met.
    pub fn are_ordered(&self) -> bool {
        match self {
            Pieces::Counts(_) => false,
            Pieces::Held(_) => true,
            #[cfg(test)]
            Pieces::Listed { are_ordered, .. } => *are_ordered,
        }
    }

    pub fn each(&self, pause: &mut Pause, mut give: impl FnMut(&[u8], u64)) -> Result<()> {
        let mut given = 0;
        let mut next = |piece: &[u8], count| {
            if given % PATIENCE == 0 {
                pause()?;
            }
            given += 1;
            give(piece, count);
            Ok(())
        };
        match self {
            Pieces::Counts(counts) => counts.each(next),
            Pieces::Held(held) => held.iter().try_for_each(|(piece, count)| next(piece, count)),
            #[cfg(test)]
            Pieces::Listed { pieces, .. } => pieces.iter().try_for_each(|(piece, count)| next(piece, *count)),
        }
    }
}
