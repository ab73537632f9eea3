//! Body: any number of sorted pieces in blocks, in memory or in a file, or a small sorted table. Written and read from the first to the
//! last; a piece is found by the first pieces of blocks.

use std::fs::File;
use std::io;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::CountedPiece;
use super::block::{self, BLOCK_BYTES, PieceReader, Record, damaged};
use super::sorted::{SortedCursor, SortedTable};
use super::writer::{Target, Writer};
use crate::error::{Error, Result};

/// Where pieces lie.
#[derive(Debug, Clone)]
pub(super) enum Storage {
    Memory(Arc<Vec<u8>>),
    File(Arc<File>),
    /// A small sorted table, without blocks.
    Table(Arc<SortedTable>),
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
    /// Of what one worker counted.
    pub(super) fn of_table(table: SortedTable, ordered: bool) -> Result<Self> {
        if table.is_small() {
            let (pieces, distinct) = table.totals();
            let storage = Storage::Table(Arc::new(table));
            return Ok(Body { storage, blocks: Vec::new(), firsts: Vec::new(), pieces, distinct, ordered, shift: 0 });
        }
        let mut writer = Writer::new(Target::Memory, ordered);
        let mut cursor = table.cursor();
        while cursor.advance() {
            writer.push(cursor.record())?;
        }
        Ok(writer.finish()?.0)
    }

    pub(super) fn bytes(&self) -> u64 {
        match &self.storage {
            Storage::Table(table) => table.bytes() as u64,
            _ => self.blocks.iter().map(|block| block.bytes + BLOCK_HEADER as u64).sum(),
        }
    }

    #[cfg(test)]
    pub(super) fn is_in_file(&self) -> bool {
        matches!(self.storage, Storage::File(_))
    }

    fn first(&self, block: usize) -> &[u8] {
        let start = block.checked_sub(1).map_or(0, |before| self.blocks[before].first_end);
        &self.firsts[start..self.blocks[block].first_end]
    }

    /// The first pieces of all blocks, or some of a table: where the work of merging may be divided.
    pub(super) fn borders(&self) -> Vec<&[u8]> {
        match &self.storage {
            Storage::Table(table) => table.borders().collect(),
            _ => (0..self.blocks.len()).map(|block| self.first(block)).collect(),
        }
    }

    pub(super) fn cursor(&self) -> Cursor<'_> {
        let reader = match &self.storage {
            Storage::Table(table) => RecordReader::Table(table.cursor()),
            _ => RecordReader::Blocks { next: 0, reader: PieceReader::default() },
        };
        Cursor { body: self, reader, waiting: false }
    }

    /// A cursor whose next record is the first that is not before `piece`.
    pub(super) fn cursor_from(&self, piece: &[u8]) -> Result<Cursor<'_>> {
        if let Storage::Table(table) = &self.storage {
            let reader = RecordReader::Table(table.cursor_from(piece));
            return Ok(Cursor { body: self, reader, waiting: false });
        }
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
        let reader = RecordReader::Blocks { next: after.saturating_sub(1), reader: PieceReader::default() };
        let mut cursor = Cursor { body: self, reader, waiting: false };
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
            Storage::Table(_) => return Err(no_blocks()),
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

    /// The records of one block, or all those of a table; None after the last.
    pub(super) fn block(&self, number: usize) -> Result<Option<Vec<CountedPiece>>> {
        let mut records = Vec::new();
        let mut keep = |record: Record| records.push((record.piece.to_vec(), record.count));
        if let Storage::Table(table) = &self.storage {
            let mut cursor = table.cursor();
            while number == 0 && cursor.advance() {
                keep(cursor.record());
            }
        } else if let Some(block) = self.blocks.get(number) {
            let mut reader = PieceReader::default();
            self.read(block, reader.next_block())?;
            while reader.advance(self.ordered)? {
                keep(reader.record());
            }
        }
        Ok(Some(records).filter(|records| !records.is_empty()))
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

/// What is asked of a table and only blocks have.
pub(super) fn no_blocks() -> Error {
    Error::Internal("a table of counts has no blocks".into())
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
    reader: RecordReader<'a>,
    /// Whether the record is still to be gone to.
    waiting: bool,
}

#[derive(Debug)]
enum RecordReader<'a> {
    /// The number of the next block, and the one that is read.
    Blocks {
        next: usize,
        reader: PieceReader,
    },
    Table(SortedCursor<'a>),
}

impl Cursor<'_> {
    /// The record that `advance` went to last.
    #[inline]
    pub(super) fn record(&self) -> Record<'_> {
        let record = match &self.reader {
            RecordReader::Blocks { reader, .. } => reader.record(),
            RecordReader::Table(cursor) if self.body.ordered => cursor.record(),
            RecordReader::Table(cursor) => Record { place: 0, ..cursor.record() },
        };
        Record { place: record.place.saturating_add(self.body.shift), ..record }
    }

    /// Goes to the next record; false at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.waiting) {
            return Ok(true);
        }
        let (next, reader) = match &mut self.reader {
            RecordReader::Blocks { next, reader } => (next, reader),
            RecordReader::Table(cursor) => return Ok(cursor.advance()),
        };
        while !reader.advance(self.body.ordered)? {
            let Some(block) = self.body.blocks.get(*next) else { return Ok(false) };
            self.body.read(block, reader.next_block())?;
            *next += 1;
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
    use crate::text::span::Spans;
    use crate::train::counts::table::CountTable;

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
            let borders = body.borders();
            assert!(borders.is_sorted() && borders[0] == pieces[0].as_bytes());
        }
    }

    #[test]
    fn a_table_is_read_as_blocks_are() {
        for distinct in [0, 5, 3_000, 150_000] {
            let mut pieces: Vec<String> =
                (0..distinct).map(|i| format!("{:x}{}", i * 7919, "-".repeat(i % 20))).collect();
            let mut table = CountTable::default();
            for piece in &pieces {
                if !table.has_room(piece.len()) {
                    table.grow(piece.len(), usize::MAX);
                }
                table.add_group(Spans::new(piece.as_bytes(), &[0], &[piece.len()]), 9, 2);
            }
            pieces.sort();
            let body = Body::of_table(table.sorted(), false).unwrap();
            assert_eq!(body.blocks.is_empty(), distinct < 10_000);
            assert_eq!((body.pieces, body.distinct), (2 * distinct as u64, distinct as u64));
            let parts = (0..).map_while(|number| body.block(number).unwrap());
            let expected: Vec<CountedPiece> = pieces.iter().map(|piece| (piece.clone().into_bytes(), 2)).collect();
            assert_eq!(parts.flatten().collect::<Vec<_>>(), expected);
            for from in [0, distinct / 2, distinct.saturating_sub(1)] {
                let Some(first) = pieces.get(from) else { continue };
                let mut cursor = body.cursor_from(first.as_bytes()).unwrap();
                for piece in &pieces[from..] {
                    assert!(cursor.advance().unwrap());
                    assert_eq!(cursor.record(), Record { piece: piece.as_bytes(), count: 2, place: 0 });
                }
                assert!(!cursor.advance().unwrap());
            }
        }
    }
}
