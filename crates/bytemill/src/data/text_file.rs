//! A text file on its way from bytes to blocks of text. What is read is checked where it lies, and becomes the text of a block there.

use std::io::{self, Read};
use std::ops::Range;

use simdutf8::compat::from_utf8;

use super::SourceFile;
use super::decompress::DecompressedFile;
use super::signature::refuse_binary;
use super::source::{BadRows, Cut, Seam, SourceOptions, TextBlock};
use crate::code::{Language, of_file_name};
use crate::error::{Error, Result};
use crate::machine::pool::Pool;

/// Read at a time, whatever the block size. For a small file not much more than it has, since room for more is filled with zeros first.
const READ_BYTES: Range<usize> = 4 << 10..256 << 10;

/// What some programs write before a text to say that it is UTF-8.
pub(super) const BOM: &[u8] = "\u{feff}".as_bytes();

/// Bytes of an unfinished UTF-8 sequence that wait for the next read.
const MAX_UNFINISHED: usize = 3;

/// Read before anything is decoded: enough to tell what is no text.
const SIGNATURE_BYTES: usize = 16;

pub(super) struct TextFile {
    file: DecompressedFile,
    /// `bytes[..valid]` is text and in no block yet. `bytes[valid..filled]` was read and is not decoded: between reads an unfinished sequence
    /// at most. The bytes after `filled` are meaningless.
    bytes: Vec<u8>,
    valid: usize,
    filled: usize,
    /// Where `valid` is in the decompressed file.
    offset: u64,
    /// Bytes between the latest block and the next.
    left_out: usize,
    /// Bytes before the first block: a byte order mark, which is no part of the text.
    mark: usize,
    /// What is read at a time.
    at_once: usize,
    /// How much text there has to be before a cut is looked for.
    wanted: usize,
    ended: bool,
    /// Whether the text is not, byte for byte, what the file holds.
    replaced: bool,
    language: Option<Language>,
}

impl TextFile {
    /// The content of `spare` is ignored.
    pub(super) fn open(file: &SourceFile, block_bytes: usize, spare: Vec<u8>) -> Result<Self> {
        let SourceFile { path, bytes } = file;
        let most = usize::try_from(*bytes).ok().filter(|&bytes| bytes > 0).unwrap_or(READ_BYTES.end);
        Ok(TextFile {
            file: DecompressedFile::open(path)?,
            at_once: block_bytes.min(most.clamp(READ_BYTES.start, READ_BYTES.end)).max(1),
            bytes: spare,
            valid: 0,
            filled: 0,
            offset: 0,
            left_out: 0,
            mark: 0,
            wanted: block_bytes,
            ended: false,
            replaced: false,
            language: of_file_name(path),
        })
    }

    /// On disk, so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.file.bytes_read()
    }

    /// The checksum of the bytes on disk that were read so far.
    pub(super) fn checksum(&self) -> u128 {
        self.file.checksum()
    }

    /// Whether its last block was handed out.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Where the next block begins in the decompressed file, if that is known.
    pub(super) fn position(&self) -> Option<u64> {
        (!self.replaced).then(|| self.offset - self.valid as u64)
    }

    /// Goes on where another reader of the same file was.
    pub(super) fn go_on(&mut self, position: u64) -> Result<()> {
        self.file.skip(position)?;
        self.offset = position;
        Ok(())
    }

    /// Bytes of text that a cut has left out after the latest block.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out as u64
    }

    /// Bytes before the latest block that are no text; asked once, since they are before the first one.
    pub(super) fn take_mark(&mut self) -> u64 {
        std::mem::take(&mut self.mark) as u64
    }

    pub(super) fn next_block(
        &mut self,
        options: &SourceOptions,
        cut: &dyn Cut,
        spare: &Pool<Vec<u8>>,
    ) -> Result<Option<TextBlock>> {
        if self.ended {
            return Ok(None);
        }
        loop {
            while self.valid < self.wanted.max(1) {
                self.read(options.bad_rows == BadRows::Replace)?;
                if self.ended {
                    return Ok(Some(self.block(Seam::at(self.valid), Vec::new())));
                }
            }
            let text = self.text();
            let seam = cut.last_cut(text).unwrap_or(Seam::at(0));
            let Seam { end, start } = seam;
            if !text.is_char_boundary(end) || !text.is_char_boundary(start) || start < end {
                return Err(Error::Internal(format!(
                    "a cut at byte {end} of a text, inside a character or past its end"
                )));
            }
            // What has no cut in it is looked at again only when twice as long, so that all the looking is linear.
            self.wanted = (self.valid - start).saturating_mul(2).max(options.block_bytes);
            if end > 0 {
                return Ok(Some(self.block(seam, spare.take())));
            }
        }
    }

    fn text(&self) -> &str {
        // SAFETY: up to `valid` the bytes were found to be UTF-8, or are what a block left of such bytes between two characters.
        unsafe { std::str::from_utf8_unchecked(&self.bytes[..self.valid]) }
    }

    /// The text up to a place between two characters. The rest moves on to the bytes of `next`.
    fn block(&mut self, Seam { end, start }: Seam, next: Vec<u8>) -> TextBlock {
        let rest = self.filled - start;
        let mut bytes = std::mem::replace(&mut self.bytes, next);
        self.bytes.resize(rest.max(self.bytes.len()), 0);
        self.bytes[..rest].copy_from_slice(&bytes[start..self.filled]);
        bytes.truncate(end);
        (self.valid, self.filled, self.left_out) = (self.valid - start, rest, start - end);
        // SAFETY: as in `text`, and `end` is between two characters of it.
        let text = unsafe { String::from_utf8_unchecked(bytes) };
        TextBlock { text, ends_document: self.ended, language: self.language }
    }

    fn read(&mut self, replace_invalid: bool) -> Result<()> {
        self.fill()?;
        if self.offset == 0 && self.valid == 0 {
            while !self.ended && self.filled < SIGNATURE_BYTES {
                self.fill()?;
            }
            refuse_binary(&self.bytes[..self.filled], self.file.path())?;
        }
        self.decode(replace_invalid)
    }

    fn fill(&mut self) -> Result<()> {
        // Bytes that a block has left need no zeros.
        let most = self.filled + self.at_once + MAX_UNFINISHED;
        self.bytes.resize(most.max(self.bytes.len()), 0);
        let count = loop {
            match self.file.read(&mut self.bytes[self.filled..most]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(self.file.explain(e)),
                Ok(count) => break count,
            }
        };
        self.filled += count;
        self.ended = count == 0;
        Ok(())
    }

    /// Makes text of what was read, but for a sequence at its end that the next read may finish.
    fn decode(&mut self, replace_invalid: bool) -> Result<()> {
        let end = match self.ended {
            true => self.filled,
            false => self.filled - unfinished_bytes(&self.bytes[self.valid..self.filled]),
        };
        if self.offset == 0 && self.bytes[..end].starts_with(BOM) {
            self.bytes.copy_within(BOM.len()..self.filled, 0);
            self.filled -= BOM.len();
            (self.mark, self.offset) = (BOM.len(), BOM.len() as u64);
            return self.decode(replace_invalid);
        }
        let new = &self.bytes[self.valid..end];
        self.offset += new.len() as u64;
        match from_utf8(new) {
            Ok(_) => self.valid = end,
            Err(_) if replace_invalid => {
                let replaced = String::from_utf8_lossy(new).into_owned();
                self.filled = self.filled - new.len() + replaced.len();
                let start = self.valid;
                self.bytes.splice(start..end, replaced.bytes());
                self.valid += replaced.len();
                self.replaced = true;
            }
            Err(error) => {
                return Err(Error::NotUtf8 {
                    what: self.file.path().display().to_string(),
                    offset: self.offset - (new.len() - error.valid_up_to()) as u64,
                    byte: new[error.valid_up_to()],
                });
            }
        }
        Ok(())
    }
}

/// How many bytes at the end begin a character and lack its rest, judged by the first of them alone: holding back too
/// much changes nothing. Asking `from_utf8` instead would validate nearly every block of non-ASCII text twice.
fn unfinished_bytes(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(MAX_UNFINISHED);
    let Some(back) = last.clone().position(|byte| !(0x80..0xc0).contains(byte)) else {
        return 0;
    };
    let width = match last.clone().nth(back) {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..) => 4,
        _ => 1,
    };
    if back + 1 < width { back + 1 } else { 0 }
}
