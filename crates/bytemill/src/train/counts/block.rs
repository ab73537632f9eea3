//! Blocks: sorted pieces with their counts as bytes, the form in which counts are kept, spilled and saved. Every block can be read by
//! itself.
//!
//! A piece is what it shares with the one before it (varint), how much follows (varint), that, its count (varint), and where the order of
//! appearance is kept, its place in it (varint). The first piece of a block shares nothing.

use crate::error::{Error, Result};

/// About as many bytes as a block has: little enough to hold one of each of hundreds of runs, and enough for a disk to read at once.
pub(super) const BLOCK_BYTES: usize = 1 << 16;

/// A piece, how often it occurs, and a number that grows with the place of its first occurrence (0 where no one asked for it).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub piece: &'a [u8],
    pub count: u64,
    pub place: u64,
}

pub(super) fn write(record: &Record, before: &[u8], ordered: bool, block: &mut Vec<u8>) {
    let shared = record.piece.iter().zip(before).take_while(|(a, b)| a == b).count();
    write_number(shared as u64, block);
    write_number((record.piece.len() - shared) as u64, block);
    block.extend_from_slice(&record.piece[shared..]);
    write_number(record.count, block);
    if ordered {
        write_number(record.place, block);
    }
}

/// Seven bits a byte, the lowest first; all but the last have the eighth bit.
fn write_number(mut number: u64, block: &mut Vec<u8>) {
    while number >= 0x80 {
        block.push(number as u8 | 0x80);
        number >>= 7;
    }
    block.push(number as u8);
}

/// Reads a block piece by piece.
#[derive(Debug, Default)]
pub(super) struct PieceReader {
    block: Vec<u8>,
    at: usize,
    piece: Vec<u8>,
    count: u64,
    place: u64,
}

impl PieceReader {
    /// The buffer for the next block, to be filled.
    pub(super) fn next_block(&mut self) -> &mut Vec<u8> {
        self.at = 0;
        self.piece.clear();
        self.block.clear();
        &mut self.block
    }

    pub(super) fn record(&self) -> Record<'_> {
        Record { piece: &self.piece, count: self.count, place: self.place }
    }

    /// Goes to the next piece of the block; false at its end.
    #[inline]
    pub(super) fn advance(&mut self, ordered: bool) -> Result<bool> {
        if self.at == self.block.len() {
            return Ok(false);
        }
        let shared = self.number()? as usize;
        let more = self.number()?;
        let end = self.at.checked_add(more as usize).filter(|&end| end <= self.block.len());
        let (Some(end), true) = (end, shared <= self.piece.len()) else {
            return Err(damaged("a piece is longer than what there is of it"));
        };
        self.piece.truncate(shared);
        self.piece.extend_from_slice(&self.block[self.at..end]);
        self.at = end;
        self.count = self.number()?;
        self.place = if ordered { self.number()? } else { 0 };
        Ok(true)
    }

    #[inline]
    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.block.get(self.at) else { break };
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number has no end"))
    }
}

/// What the checksum did not find: a file that was made wrong.
pub(super) fn damaged(reason: &str) -> Error {
    Error::format("the counts", format!("damaged: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let records = [("", 0, 0), ("a", 1, 300), ("ab", u64::MAX, 1 << 40), ("b", 127, 128), ("ba", 128, u64::MAX)];
        for ordered in [false, true] {
            let mut reader = PieceReader::default();
            let mut before: &[u8] = b"";
            for (piece, count, place) in records {
                let record = Record { piece: piece.as_bytes(), count, place };
                write(&record, before, ordered, &mut reader.block);
                before = piece.as_bytes();
            }
            for (piece, count, place) in records {
                assert!(reader.advance(ordered).unwrap());
                let place = if ordered { place } else { 0 };
                assert_eq!(reader.record(), Record { piece: piece.as_bytes(), count, place });
            }
            assert!(!reader.advance(ordered).unwrap());
        }
    }

    #[test]
    fn every_truncation_and_nonsense_is_an_error_or_an_end() {
        let mut whole = Vec::new();
        write(&Record { piece: b"piece", count: 1000, place: 0 }, b"", false, &mut whole);
        for length in 1..whole.len() {
            let mut reader = PieceReader::default();
            reader.next_block().extend_from_slice(&whole[..length]);
            assert!(reader.advance(false).is_err());
        }
        for nonsense in [&[0xff; 12][..], &[1, 1, b'a', 1], &[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]] {
            let mut reader = PieceReader::default();
            reader.next_block().extend_from_slice(nonsense);
            assert!(reader.advance(false).is_err());
        }
    }
}
