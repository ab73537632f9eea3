//! The loop through pieces that are looked up together: those that the memory knows, and between them what is computed for the others.

use std::ops::Range;

use super::memory::Memory;
use super::table::GROUP;
use crate::model::text_ends::TextEnds;
use crate::text::short_key::Hashed;
use crate::text::span::Spans;
use crate::vocab::TokenId;

/// A piece that the memory has no answer for.
pub(crate) struct NewPiece<'a> {
    pub hashed: Hashed,
    pub bytes: &'a [u8],
    /// Where it starts in its text.
    pub start: usize,
}

impl NewPiece<'_> {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.bytes.len()
    }
}

/// Something that has a memory, and can compute what it does not know.
pub(crate) trait Recall {
    type Error;

    fn memory(&mut self) -> &mut Memory;

    /// Appends the ids of a new piece, and has the memory keep them where they hold for the piece wherever it stands.
    fn compute(&mut self, piece: NewPiece, ids: &mut Vec<TokenId>) -> Result<(), Self::Error>;

    /// Hashes a group and asks for the place of every key; when the first is looked up, the memory has answered.
    #[inline]
    fn hash(&mut self, group: Spans<[u8]>) -> usize {
        self.memory().hash(group)
    }

    /// Appends the ids of pieces of a group, as far as they are known. Gives the number of these pieces.
    #[inline]
    fn look_up(&mut self, _: Spans<[u8]>, pieces: Range<usize>, ids: &mut Vec<TokenId>) -> Result<usize, Self::Error> {
        Ok(self.memory().look_up(pieces, ids))
    }

    /// Ends the row of a text. Gives the number of pieces to pass over.
    #[inline]
    fn end_text(&mut self, texts: &mut TextEnds, ids: &mut Vec<TokenId>) -> usize {
        texts.end(ids)
    }

    /// Appends the ids of pieces. Where texts end is noted on the way.
    #[inline]
    fn recall(&mut self, pieces: Spans<[u8]>, texts: &mut TextEnds, ids: &mut Vec<TokenId>) -> Result<(), Self::Error> {
        for group in pieces.groups(GROUP) {
            let count = self.hash(group);
            let mut done = 0;
            while done < count {
                let until = done + texts.pieces_of_next(&group.starts[done..]);
                self.recall_hashed(group, done..until, ids)?;
                done = if until < count { until + self.end_text(texts, ids) } else { until };
            }
        }
        Ok(())
    }

    /// Some pieces of a group that was hashed.
    #[inline]
    fn recall_hashed(
        &mut self,
        group: Spans<[u8]>,
        pieces: Range<usize>,
        ids: &mut Vec<TokenId>,
    ) -> Result<(), Self::Error> {
        let Range { start: mut done, end } = pieces;
        while done < end {
            done += self.look_up(group, done..end, ids)?;
            if done < end {
                self.recall_long(group, done, ids)?;
                done += 1;
            }
        }
        Ok(())
    }

    /// A piece that is not in the table: it may be too long for that.
    #[cold]
    fn recall_long(&mut self, group: Spans<[u8]>, number: usize, ids: &mut Vec<TokenId>) -> Result<(), Self::Error> {
        let (hashed, bytes) = (self.memory().keys()[number], group.get(number));
        match self.memory().recall(&hashed, bytes) {
            Some(known) => ids.extend_from_slice(known),
            None => self.compute(NewPiece { hashed, bytes, start: group.starts[number] }, ids)?,
        }
        Ok(())
    }
}
