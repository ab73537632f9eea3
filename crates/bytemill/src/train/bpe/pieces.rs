//! TrainingPieces: the pieces to train on. They can be read one after the other, several times.

use super::Ties;
use crate::error::Result;
use crate::train::{Held, PieceCounts, PieceOrder};

pub(crate) enum TrainingPieces<'a> {
    /// In the order of their bytes, and never all of them in memory.
    Counts(&'a PieceCounts),
    /// In the order in which they were met.
    Held(Held),
    #[cfg(test)]
    Listed { pieces: Vec<(Vec<u8>, u64)>, are_ordered: bool },
}

/// Called now and then in long work; an error stops it.
pub(super) type Pause<'a> = dyn FnMut() -> Result<()> + 'a;

/// Pieces between two looks at whether to stop.
const PATIENCE: usize = 1 << 16;

impl<'a> TrainingPieces<'a> {
    pub(crate) fn new(counts: &'a PieceCounts, ties: Ties) -> Result<Self> {
        Ok(match ties {
            Ties::Tiktoken => TrainingPieces::Held(counts.held(PieceOrder::Appearance)?),
            _ => TrainingPieces::Counts(counts),
        })
    }

    /// Whether they come in the order in which they were met.
    pub(crate) fn are_ordered(&self) -> bool {
        match self {
            TrainingPieces::Counts(_) => false,
            TrainingPieces::Held(_) => true,
            #[cfg(test)]
            TrainingPieces::Listed { are_ordered, .. } => *are_ordered,
        }
    }

    pub(crate) fn each(&self, pause: &mut Pause, mut give: impl FnMut(&[u8], u64)) -> Result<()> {
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
            TrainingPieces::Counts(counts) => counts.each(next),
            TrainingPieces::Held(held) => held.iter().try_for_each(|(piece, count)| next(piece, count)),
            #[cfg(test)]
            TrainingPieces::Listed { pieces, .. } => pieces.iter().try_for_each(|(piece, count)| next(piece, *count)),
        }
    }
}
