//! `.counts`: counts in a file. All numbers are little-endian.
//!
//! ```text
//!  0  magic      8 bytes: 0x89 C N T S CR LF 0x1A (a transfer that changes line ends breaks it)
//!  8  version    u32
//! 12  length     u32, of the head
//! 16  head       JSON: what made the pieces, how much text it was, how many pieces there are, whether their order is kept;
//!                of a checkpoint also how far the text was read; whether these are one part of counts, by a hash
//!     checksum   u64, XXH3 of everything before it
//!     blocks     each: length u64, checksum u64 (XXH3 of what follows), pieces as in block.rs
//! ```

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::block::PieceReader;
use super::body::BLOCK_HEADER;
use super::checkpoint::Reached;
use super::writer::{Target, Writer};
use super::{MadeBy, PieceCounts};
use crate::data::atomic::AtomicFile;
use crate::error::{Error, Result};

pub(super) const MAGIC: [u8; 8] = *b"\x89CNTS\r\n\x1a";
const VERSION: u32 = 1;
const HEAD: usize = 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CountsHead {
    made_by: Option<MadeBy>,
    documents: u64,
    bytes: u64,
    pieces: u64,
    distinct_pieces: u64,
    ordered: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reached: Option<Reached>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    part: bool,
}

impl PieceCounts {
    pub fn save(&self, path: &Path) -> Result<()> {
        self.save_reached(path, None)
    }

    /// Saves the counts of a text that was read up to some place.
    pub fn save_reached(&self, path: &Path, reached: Option<&Reached>) -> Result<()> {
        let (pieces, distinct_pieces) = self.totals();
        let head = CountsHead {
            made_by: self.made_by.clone(),
            documents: self.documents,
            bytes: self.bytes,
            pieces,
            distinct_pieces,
            ordered: self.is_ordered(),
            reached: reached.cloned(),
            part: self.part,
        };
        let head = serde_json::to_vec(&head).map_err(|error| Error::Internal(error.to_string()))?;
        let mut start = MAGIC.to_vec();
        start.extend(VERSION.to_le_bytes());
        start.extend((head.len() as u32).to_le_bytes());
        start.extend(head);
        start.extend(xxh3_64(&start).to_le_bytes());
        let mut file = AtomicFile::create(path)?;
        file.write(&start)?;
        self.body.copy(|bytes| file.write(bytes))?;
        file.commit()
    }

    /// Reads all of a file once, to see that it is whole, and leaves the pieces in it.
    pub fn load(path: &Path) -> Result<Self> {
        Ok(Self::load_reached(path)?.0)
    }

    /// The same, with the place up to which the text was read, where it was not all of it.
    pub fn load_reached(path: &Path) -> Result<(Self, Option<Reached>)> {
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let mut input = Input { reader: BufReader::with_capacity(1 << 16, &file), path };
        let mut start = vec![0; HEAD];
        input.read(&mut start, "its header")?;
        if start[..8] != MAGIC {
            let reason = match start[..5] == MAGIC[..5] {
                true => "its first bytes were changed, as by a transfer that translates line ends",
                false => "these are no counts of pieces, which count-pieces or PieceCounts.save would have written",
            };
            return Err(input.damaged(reason));
        }
        let number = |at: usize| u32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
        let (version, length) = (number(8), number(12) as usize);
        if version != VERSION {
            return Err(
                input.damaged(&format!("version {version} of this format; this bytemill reads version {VERSION}"))
            );
        }
        input.extend(&mut start, length as u64, "its header")?;
        let mut checksum = [0; 8];
        input.read(&mut checksum, "its header")?;
        if u64::from_le_bytes(checksum) != xxh3_64(&start) {
            return Err(input.damaged("damaged: the checksum of its header is wrong"));
        }
        let head: CountsHead =
            serde_json::from_slice(&start[HEAD..]).map_err(|error| input.damaged(&error.to_string()))?;
        let body =
            input.blocks(&head, start.len() as u64 + 8, Arc::new(file.try_clone().map_err(|e| Error::io(path, e))?))?;
        if (body.pieces, body.distinct) != (head.pieces, head.distinct_pieces) {
            return Err(input.damaged("truncated: pieces are missing"));
        }
        let CountsHead { made_by, documents, bytes, reached, part, .. } = head;
        Ok((PieceCounts { made_by, documents, bytes, body, part }, reached))
    }
}

struct Input<'a> {
    reader: BufReader<&'a File>,
    path: &'a Path,
}

impl Input<'_> {
    fn damaged(&self, reason: &str) -> Error {
        Error::format(self.path.display().to_string(), reason)
    }

    fn read(&mut self, buffer: &mut [u8], what: &str) -> Result<()> {
        self.reader.read_exact(buffer).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.damaged(&format!("truncated: it ends inside {what}")),
            _ => Error::io(self.path, error),
        })
    }

    /// `length` more bytes; a length that is wrong costs no more memory than the file has bytes.
    fn extend(&mut self, buffer: &mut Vec<u8>, length: u64, what: &str) -> Result<()> {
        let read = (&mut self.reader).take(length).read_to_end(buffer);
        match read.map_err(|error| Error::io(self.path, error))? {
            read if read as u64 == length => Ok(()),
            _ => Err(self.damaged(&format!("truncated: it ends inside {what}"))),
        }
    }

    /// Checks every block and every piece, up to the end of the file.
    fn blocks(&mut self, head: &CountsHead, start: u64, file: Arc<File>) -> Result<super::Body> {
        let mut writer = Writer::new(Target::File(file, start), head.ordered);
        let mut reader = PieceReader::default();
        let mut last = Vec::new();
        while !std::io::BufRead::fill_buf(&mut self.reader).map_err(|error| Error::io(self.path, error))?.is_empty() {
            let mut header = [0; BLOCK_HEADER];
            self.read(&mut header, "a block")?;
            let [length, checksum] =
                [0, 8].map(|at| u64::from_le_bytes(header[at..at + 8].first_chunk().copied().unwrap_or_default()));
            let block = reader.next_block();
            self.extend(block, length, "a block")?;
            if xxh3_64(block) != checksum {
                return Err(self.damaged("damaged: the checksum of a block is wrong"));
            }
            let mut first = true;
            while reader.advance(head.ordered)? {
                let record = reader.record();
                if record.piece <= &last[..] || record.count == 0 || std::str::from_utf8(record.piece).is_err() {
                    return Err(self.damaged("damaged: its pieces are not texts in order, each with a count"));
                }
                if head.ordered && !head.part && record.place >= head.distinct_pieces {
                    return Err(self.damaged("damaged: the order of appearance is none"));
                }
                if std::mem::take(&mut first) {
                    writer.note_block(record.piece, length, checksum);
                }
                writer.count(&record);
                last.clear();
                last.extend_from_slice(record.piece);
            }
            if first {
                return Err(self.damaged("damaged: a block is empty"));
            }
        }
        Ok(writer.finish()?.0)
    }
}
