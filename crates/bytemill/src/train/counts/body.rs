//! Body: any number of sorted pieces in blocks, in memory or in a file. Written and read from the first to the last; a piece is found by
//! the first pieces of blocks.

use std::fs::File;
use std::io;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::CountedPiece;
use super::block::{self, BLOCK_BYTES, PieceReader, Record, damaged};
use crate::error::{Error, Result};

/// Where blocks lie.
#[derive(Debug, Clone)]
pub(super) enum Storage {
    Memory(Arc<Vec<u8>>),
    File(Arc<File>),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PieceBlock {
    /// Of its first byte, after its header.
    pub offset: u64,
    pub bytes: u64,
    pub checksum: u64,
    /// Where its first piece ends among those of all blocks.
    pub first_end: usize,
}

/// Before every block: its length and its checksum.
pub(super) const BLOCK_HEADER: usize = 16;

#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) storage: Storage,
    pub(super) blocks: Vec<PieceBlock>,
    /// The first pieces of all blocks, one after the other.
    pub(super) firsts: Vec<u8>,
    /// The sum of all counts, and the number of pieces that have one.
    pub pieces: u64,
    pub distinct: u64,
    /// Whether records have places, and what is added to them when they are read.
    pub ordered: bool,
    pub shift: u64,
}

impl Body {
    pub(super) fn bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.bytes + BLOCK_HEADER as u64).sum()
    }

    #[cfg(test)]
    pub(super) fn is_in_file(&self) -> bool {
        matches!(self.storage, Storage::File(_))
    }

    fn first(&self, block: usize) -> &[u8] {
        let start = block.checked_sub(1).map_or(0, |before| self.blocks[before].first_end);
        &self.firsts[start..self.blocks[block].first_end]
    }

    /// The first pieces of all blocks.
    pub(super) fn firsts(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.blocks.len()).map(|block| self.first(block))
    }

    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor { body: self, next: 0, reader: PieceReader::default(), waiting: false }
    }

    /// A cursor whose next record is the first that is not before `piece`.
    pub(super) fn cursor_from(&self, piece: &[u8]) -> Result<Cursor<'_>> {
        let mut after = 0;
        let mut size = self.blocks.len();
        while size > 0 {
            let middle = after + size / 2;
            if self.first(middle) <= piece {
                size -= size / 2 + 1;
                after = middle + 1;
            } else {
                size /= 2;
            }
        }
        let mut cursor = self.cursor();
        cursor.next = after.saturating_sub(1);
        cursor.skip_to(piece)?;
        Ok(cursor)
    }

    /// Puts blocks after these; all their pieces are greater. Both are in memory.
    pub(super) fn append(&mut self, other: Body) {
        let (Storage::Memory(bytes), Storage::Memory(more)) = (&mut self.storage, other.storage) else { return };
        let (offset, first_end) = (bytes.len() as u64, self.firsts.len());
        Arc::make_mut(bytes).extend_from_slice(&more);
        self.firsts.extend_from_slice(&other.firsts);
        self.blocks.extend(other.blocks.into_iter().map(|block| PieceBlock {
            offset: block.offset + offset,
            first_end: block.first_end + first_end,
            ..block
        }));
        self.pieces += other.pieces;
        self.distinct += other.distinct;
    }

    /// The bytes of a block, which are those that were written.
    fn read(&self, block: &PieceBlock, buffer: &mut Vec<u8>) -> Result<()> {
        match &self.storage {
            Storage::Memory(bytes) => {
                buffer.extend_from_slice(&bytes[block.offset as usize..(block.offset + block.bytes) as usize]);
                return Ok(());
            }
            Storage::File(file) => {
                buffer.resize(block.bytes as usize, 0);
                read_at(file, buffer, block.offset).map_err(|error| Error::io("the counts", error))?;
            }
        }
        if xxh3_64(buffer) == block.checksum { Ok(()) } else { Err(damaged("the checksum of a block is wrong")) }
    }

    /// The records of one block, None after the last.
    pub(super) fn block(&self, number: usize) -> Result<Option<Vec<CountedPiece>>> {
        let Some(block) = self.blocks.get(number) else { return Ok(None) };
        let mut reader = PieceReader::default();
        self.read(block, reader.next_block())?;
        let mut records = Vec::new();
        while reader.advance(self.ordered)? {
            let record = reader.record();
            records.push((record.piece.to_vec(), record.count));
        }
        Ok(Some(records))
    }

    /// Writes all pieces in blocks with their headers. Blocks are cut anew, so that they do not depend on how these came about.
    pub(super) fn copy(&self, mut write: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut emit = |block: &mut Vec<u8>| {
            write(&header(block.len() as u64, xxh3_64(block)))?;
            write(block)?;
            block.clear();
            Ok(())
        };
        let (mut block, mut last) = (Vec::new(), Vec::new());
        let mut cursor = self.cursor();
        while cursor.advance()? {
            if block.len() >= BLOCK_BYTES {
                emit(&mut block)?;
                last.clear();
            }
            let record = cursor.record();
            block::write(&record, &last, self.ordered, &mut block);
            last.clear();
            last.extend_from_slice(record.piece);
        }
        if block.is_empty() { Ok(()) } else { emit(&mut block) }
    }
}

pub(super) fn header(bytes: u64, checksum: u64) -> [u8; BLOCK_HEADER] {
    let mut header = [0; BLOCK_HEADER];
    header[..8].copy_from_slice(&bytes.to_le_bytes());
    header[8..].copy_from_slice(&checksum.to_le_bytes());
    header
}

#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
pub fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// Goes through records in their order.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    body: &'a Body,
    next: usize,
    reader: PieceReader,
    /// Whether the record is still to be gone to.
    waiting: bool,
}

impl Cursor<'_> {
    /// The record that `advance` went to last.
    #[inline]
    pub(super) fn record(&self) -> Record<'_> {
        let record = self.reader.record();
        Record { place: record.place.saturating_add(self.body.shift), ..record }
    }

    /// Goes to the next record; false at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.waiting) {
            return Ok(true);
        }
        while !self.reader.advance(self.body.ordered)? {
            let Some(block) = self.body.blocks.get(self.next) else { return Ok(false) };
            self.body.read(block, self.reader.next_block())?;
            self.next += 1;
        }
        Ok(true)
    }

    /// Goes on until the next record is not before `piece`.
    fn skip_to(&mut self, piece: &[u8]) -> Result<()> {
        while self.advance()? {
            if self.record().piece >= piece {
                self.waiting = true;
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::counts::writer::{Target, Writer};

    fn body(pieces: &[String], target: Target) -> Body {
        let mut writer = Writer::new(target, true);
        for (piece, i) in pieces.iter().zip(0..) {
            writer.push(Record { piece: piece.as_bytes(), count: i + 1, place: 7 * i }).unwrap();
        }
        writer.finish().unwrap().0
    }

    #[test]
    fn what_is_written_is_read_from_any_piece_on() {
        let mut pieces: Vec<String> = (0..60_000).map(|i| format!("{:x}", i * 7919)).collect();
        pieces.sort();
        let file = || Target::File(Arc::new(tempfile::tempfile().unwrap()), 0);
        for target in [Target::Memory, file()] {
            let body = body(&pieces, target);
            assert!(body.blocks.len() > 3);
            assert_eq!(body.distinct, 60_000);
            for from in [0, 1, 30_000, 59_999] {
                let mut cursor = body.cursor_from(pieces[from].as_bytes()).unwrap();
                for (i, piece) in pieces.iter().enumerate().skip(from) {
                    assert!(cursor.advance().unwrap());
                    let expected = Record { piece: piece.as_bytes(), count: i as u64 + 1, place: 7 * i as u64 };
                    assert_eq!(cursor.record(), expected);
                }
                assert!(!cursor.advance().unwrap());
            }
            assert!(!body.cursor_from(b"~").unwrap().advance().unwrap());
            let firsts: Vec<&[u8]> = body.firsts().collect();
            assert!(firsts.is_sorted() && firsts[0] == pieces[0].as_bytes());
        }
    }
}
