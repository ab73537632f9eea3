//! PieceCounts: how often each piece occurs. The waist of training: what comes before is shared by all families and parallel.
//!
//! ```text
//! batches ─counter→ each worker's table ─sorted→ bodies (in memory, or on disk when they outgrow it) ─merge→ PieceCounts ⇄ file
//! ```

mod block;
mod body;
mod characters;
mod checkpoint;
mod counter;
mod file;
mod held;
mod merge;
#[cfg(test)]
mod naive;
mod partition;
mod ranked;
mod reader;
mod sorted;
mod table;
#[cfg(test)]
mod tests;
mod worker;
mod writer;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use serde::{Deserialize, Serialize};

use block::Record;
use body::Body;
pub use checkpoint::Checkpoint;
pub use counter::{CountOptions, Counter};
pub(crate) use held::Held;
pub use held::PieceOrder;
use merge::{Destination, How};
pub(super) use merge::{temporary_file, too_many};
pub(crate) use ranked::RankedPieces;
use writer::{Target, Writer};

use crate::definition::Outline;
use crate::error::{Error, Result};
use crate::machine::parallel::Watch;
use crate::normalize::Normalizer;
use crate::pretokenize::PreTokenizer;

/// Pieces that room is made for before it is known how many will be chosen.
const MOST_ROOM: usize = 1 << 16;

/// A piece and how often it occurs.
pub(super) type CountedPiece = (Vec<u8>, u64);

/// The stages that made pieces of text. Counts of different ones say nothing together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MadeBy {
    pub normalizer: Option<Normalizer>,
    pub pretokenizer: Option<PreTokenizer>,
    pub special_tokens: Vec<String>,
}

impl MadeBy {
    pub fn of(outline: &Outline) -> Self {
        // Reserved tokens follow from the pretokenizer.
        let special = outline.added.iter().filter(|token| token.stands_for.is_none());
        MadeBy {
            normalizer: outline.normalizer.clone(),
            pretokenizer: outline.pretokenizer.clone(),
            special_tokens: special.map(|token| token.content.clone()).collect(),
        }
    }

    pub fn is_of_code(&self) -> bool {
        matches!(self.pretokenizer, Some(PreTokenizer::Code(_)))
    }

    /// What the two disagree about.
    pub fn difference(&self, other: &MadeBy) -> Option<&'static str> {
        let specials = |made_by: &MadeBy| {
            let mut tokens = made_by.special_tokens.clone();
            tokens.sort_unstable();
            tokens
        };
        if self.normalizer != other.normalizer {
            Some("normalizers")
        } else if self.pretokenizer != other.pretokenizer {
            Some("pretokenizers")
        } else {
            (specials(self) != specials(other)).then_some("special tokens")
        }
    }
}

/// Pieces in the order of their bytes, each with its count. In memory or in a file; cheap to clone.
#[derive(Debug, Clone)]
pub struct PieceCounts {
    /// None where the counts came from a caller that did not say.
    pub made_by: Option<MadeBy>,
    pub documents: u64,
    /// Of the text.
    pub bytes: u64,
    body: Body,
    /// Whether these are one part by a hash: places are then those in all of the text, and no ranks.
    part: bool,
}

impl PieceCounts {
    /// How many pieces there are, and how many different ones.
    pub fn totals(&self) -> (u64, u64) {
        (self.body.pieces, self.body.distinct)
    }

    /// Whether the order of appearance is known.
    pub fn is_ordered(&self) -> bool {
        self.body.ordered
    }

    /// Calls `each` with every piece and its count, in the order of their bytes. Never all of them are in memory for that.
    pub fn each(&self, mut each: impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        let mut cursor = self.body.cursor();
        while cursor.advance()? {
            let Record { piece, count, .. } = cursor.record();
            each(piece, count)?;
        }
        Ok(())
    }

    /// The same in parts, for callers that drive the loop themselves; None when there are no more.
    pub fn part(&self, number: usize) -> Result<Option<Vec<CountedPiece>>> {
        self.body.block(number)
    }

    /// All pieces in memory. The order of appearance must have been kept when they were counted.
    pub fn held(&self, order: PieceOrder) -> Result<Held> {
        if order == PieceOrder::Appearance && !self.body.ordered {
            return Err(Error::Spec(
                "these counts do not know in which order pieces appeared; count again and keep it, with order=True"
                    .into(),
            ));
        }
        Held::new(&self.body, order)
    }

    /// How often a piece occurs.
    pub fn count(&self, piece: &[u8]) -> Result<u64> {
        let mut cursor = self.body.cursor_from(piece)?;
        let found = cursor.advance()? && cursor.record().piece == piece;
        Ok(if found { cursor.record().count } else { 0 })
    }

    /// The `most` pieces that occur most often and at least `least` times: by count, and by their bytes among equals. Memory is that of
    /// the result. Also gives how many occur so often.
    pub fn most_common(&self, most: usize, least: u64) -> Result<(Vec<CountedPiece>, u64)> {
        let (chosen, found) = self.ranked(most, least)?;
        Ok((chosen.to_pairs(), found))
    }

    /// The same, for callers that need no piece by itself.
    pub(super) fn ranked(&self, most: usize, least: u64) -> Result<(RankedPieces, u64)> {
        let mut chosen = RankedPieces::with_room(most.min(self.body.distinct as usize).min(MOST_ROOM));
        let (mut found, mut least_chosen) = (0, least);
        self.each(|piece, count| {
            found += u64::from(count >= least);
            if count < least_chosen {
                return Ok(());
            }
            // Among equal counts the first come is the first by its bytes, and stays so.
            chosen.push(piece, count);
            if chosen.len() >= most.saturating_mul(2).max(1 << 12) {
                chosen.keep_best(most);
                least_chosen = chosen.least().map_or(u64::MAX, |count| count.saturating_add(1)).max(least);
            }
            Ok(())
        })?;
        chosen.keep_best(most);
        Ok((chosen, found))
    }

    /// Counts that somebody made elsewhere; pieces that are there several times are added up.
    pub fn from_pairs(pairs: impl Iterator<Item = (Vec<u8>, u64)>, made_by: Option<MadeBy>) -> Result<Self> {
        let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        for (piece, count) in pairs.filter(|&(_, count)| count > 0) {
            if piece.is_empty() {
                return Err(Error::Spec("a piece cannot be empty".into()));
            }
            let sum = counts.entry(piece).or_default();
            *sum = sum.checked_add(count).ok_or_else(too_many)?;
        }
        let mut writer = Writer::new(Target::Memory, false);
        for (piece, &count) in &counts {
            writer.push(Record { piece, count, place: 0 })?;
        }
        let (body, _) = writer.finish()?;
        Ok(PieceCounts { made_by, documents: 0, bytes: 0, body, part: false })
    }

    /// The counts of several texts together, as if they had been counted one after the other; or the parts of one text, which are
    /// whole again. `memory`: what is larger goes to disk. `done` counts the pieces that were read.
    pub fn merge(
        parts: &[PieceCounts],
        memory: Option<u64>,
        threads: usize,
        done: &AtomicU64,
        watch: &mut Watch,
    ) -> Result<Self> {
        let ordered = parts.iter().all(PieceCounts::is_ordered);
        let into = destination(parts, memory);
        let mut merged = Self::together(parts, How { into, ordered, threads, done }, watch)?;
        if ordered && (parts.len() > 1 || merged.part) {
            merged.body = merge::ranked(&merged.body, into, watch)?;
        }
        merged.part = false;
        Ok(merged)
    }

    /// All pieces of the given counts. Places grow with the texts, or are left as they are if they tell the text.
    fn together(parts: &[PieceCounts], how: How, watch: &mut Watch) -> Result<Self> {
        let Some((first, rest)) = parts.split_first() else {
            return Err(Error::Spec("there are no counts to merge".into()));
        };
        for other in rest {
            let difference = match (&first.made_by, &other.made_by) {
                (Some(a), Some(b)) => a.difference(b),
                (None, None) => None,
                _ => Some("stages, of which one does not tell"),
            };
            if let Some(what) = difference {
                return Err(Error::Spec(format!(
                    "counts of pieces that were made by different {what} cannot be merged; count the texts in the same way"
                )));
            }
            if first.part != other.part {
                return Err(Error::Spec("parts of counts can be merged with other parts alone".into()));
            }
        }
        let mut merged = first.clone();
        let mut bodies = Vec::with_capacity(parts.len());
        let mut shift = 0;
        for part in parts {
            bodies.push(Body { shift, ..part.body.clone() });
            shift += if part.part { 0 } else { part.body.distinct };
        }
        for part in rest {
            merged.documents += part.documents;
            merged.bytes += part.bytes;
        }
        merged.body = merge::merge(bodies, how, watch)?;
        Ok(merged)
    }
}

fn destination(parts: &[PieceCounts], memory: Option<u64>) -> Destination {
    match memory {
        Some(memory) if parts.iter().map(|part| part.body.bytes()).sum::<u64>() > memory => Destination::File,
        _ => Destination::Memory,
    }
}
