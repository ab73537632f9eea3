//! Writer: records that come in ascending order become a body, in memory or in a file.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::block::{self, BLOCK_BYTES, Record};
use super::body::{BLOCK_HEADER, Body, PieceBlock, Storage, header, no_blocks};
use crate::error::{Error, Result};

/// Where a body is written.
#[derive(Debug)]
pub(super) enum Target {
    Memory,
    /// After what the file holds, and how many bytes that is.
    File(Arc<File>, u64),
}

/// Writes records, which come in ascending order.
#[derive(Debug)]
pub(super) struct Writer {
    body: Body,
    /// Where the next block begins.
    end: u64,
    block: Vec<u8>,
    last: Vec<u8>,
}

impl Writer {
    pub(super) fn new(target: Target, ordered: bool) -> Self {
        let (storage, end) = match target {
            Target::Memory => (Storage::Memory(Arc::default()), 0),
            Target::File(file, end) => (Storage::File(file), end),
        };
        let body = Body { storage, blocks: Vec::new(), firsts: Vec::new(), pieces: 0, distinct: 0, ordered, shift: 0 };
        Writer { body, end, block: Vec::new(), last: Vec::new() }
    }

    pub(super) fn push(&mut self, record: Record) -> Result<()> {
        if self.block.len() >= BLOCK_BYTES {
            self.flush()?;
        }
        if self.block.is_empty() {
            self.body.firsts.extend_from_slice(record.piece);
            self.last.clear();
        }
        block::write(&record, &self.last, self.body.ordered, &mut self.block);
        self.last.clear();
        self.last.extend_from_slice(record.piece);
        self.body.distinct += 1;
        self.body.pieces = self.body.pieces.saturating_add(record.count);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let (bytes, checksum) = (self.block.len() as u64, xxh3_64(&self.block));
        let header = header(bytes, checksum);
        match &mut self.body.storage {
            Storage::Memory(memory) => {
                let memory = Arc::make_mut(memory);
                memory.extend_from_slice(&header);
                memory.extend_from_slice(&self.block);
            }
            Storage::File(file) => {
                let mut file: &File = file;
                file.write_all(&header).and_then(|()| file.write_all(&self.block)).map_err(explain)?;
            }
            Storage::Table(_) => return Err(no_blocks()),
        }
        self.add_block(bytes, checksum);
        self.block.clear();
        Ok(())
    }

    /// A block that is there, whose first piece has been noted.
    fn add_block(&mut self, bytes: u64, checksum: u64) {
        let offset = self.end + BLOCK_HEADER as u64;
        self.body.blocks.push(PieceBlock { offset, bytes, checksum, first_end: self.body.firsts.len() });
        self.end = offset + bytes;
    }

    /// The body, and where it ends in its storage.
    pub(super) fn finish(mut self) -> Result<(Body, u64)> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        Ok((self.body, self.end))
    }

    /// Takes note of a block that the file holds already: `first` is its first piece, and its records were counted by `count`.
    pub(super) fn note_block(&mut self, first: &[u8], bytes: u64, checksum: u64) {
        self.body.firsts.extend_from_slice(first);
        self.add_block(bytes, checksum);
    }

    pub(super) fn count(&mut self, record: &Record) {
        self.body.distinct += 1;
        self.body.pieces = self.body.pieces.saturating_add(record.count);
    }
}

fn explain(error: io::Error) -> Error {
    let folder = std::env::temp_dir();
    if error.kind() != io::ErrorKind::StorageFull {
        return Error::io(folder, error);
    }
    let way_out = "no room is left for counts that outgrew their memory; free some, name another folder in the environment \
                   variable TMPDIR, or allow more with memory=";
    Error::io(folder, io::Error::new(error.kind(), way_out))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_explained() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut writer = Writer::new(Target::File(Arc::new(full), 0), false);
        writer.push(Record { piece: b"a", count: 1, place: 0 }).unwrap();
        let message = writer.finish().unwrap_err().to_string();
        assert!(message.ends_with(
            ": no room is left for counts that outgrew their memory; free some, name another folder in the environment variable \
             TMPDIR, or allow more with memory="
        ));
    }
}
