//! Documents streamed from files. A text file is one document and comes in blocks; a record of any other
//! [`InputFormat`] is one document and comes whole. Memory is a few blocks however large the file, as long as it can be
//! cut.

mod options;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::foreign::{TableRow, TableRows, checksum_of};
use super::input_format::InputFormat;
use super::records::{Array, FoundRecord, Records};
use super::text_file::TextFile;
use crate::code::Language;
use crate::error::{Error, Result};
use crate::machine::pool::Pool;

use super::{Listing, SourceFile};
pub use options::{BadRows, SkippedRows, SourceOptions};

/// How far reading has come: the state it needs to continue after a block, in a listing that has not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The number of the file in the listing.
    pub file: usize,
    /// Bytes of the decompressed file; 0 if it was not begun.
    bytes: u64,
    /// The number of the latest record.
    number: u64,
    array: Array,
    /// What was read of the file.
    text: FileText,
    /// Documents left out so far.
    pub skipped: u64,
}

/// Where a text may be cut.
pub trait Cut: Sync {
    /// The last place at which a text that begins with `text` can be cut so that its two parts tokenize as the whole
    /// does, however it goes on. `None`, or at 0: nowhere that is known yet.
    fn last_cut(&self, text: &str) -> Option<Seam>;
}

/// Where a text is cut, both between characters: where the first part ends, and where the second begins. Mostly the same; but a space
/// between the two is left out where the start of a text stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seam {
    pub end: usize,
    pub start: usize,
}

impl Seam {
    pub fn at(place: usize) -> Self {
        Seam { end: place, start: place }
    }
}

/// Part of a document, or all of it. The last block of a document may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBlock {
    pub text: String,
    pub ends_document: bool,
    /// Of source code, by the name of the file.
    pub language: Option<Language>,
}

/// Where a block comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPlace {
    path: Arc<Path>,
    /// Of a document that is one of several in its file: what it is called there, and its number.
    record: Option<(&'static str, u64)>,
    /// Bytes of the document's text before the block.
    pub before: u64,
    /// Whether the document begins with the block.
    pub begins: bool,
}

impl BlockPlace {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Of a document that is one of several in its file: `("line", 3)`.
    pub fn record(&self) -> Option<(&'static str, u64)> {
        self.record
    }
}

impl fmt::Display for BlockPlace {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.record {
            Some((unit, number)) => write!(f, "the text in {unit} {number} of {}", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}

/// The documents of a listing, block by block. After an error there is nothing more.
pub struct Blocks<'a> {
    /// Texts of blocks that nobody reads any more, to be filled again.
    spare: Arc<Pool<String>>,
    files: std::vec::IntoIter<SourceFile>,
    options: SourceOptions,
    cut: &'a dyn Cut,
    current: Option<FileReader>,
    /// Of the latest block.
    place: BlockPlace,
    /// Bytes of the current document's text so far.
    next_before: u64,
    /// On-disk bytes of the files before `current`.
    bytes_before: u64,
    /// What was read of each file that was opened.
    read: Vec<FileText>,
    skipped: SkippedRows,
    /// Where to begin in the first file.
    resume: Option<Position>,
    /// Whether a document has begun and not ended.
    within: bool,
}

/// How much text a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileText {
    pub documents: u64,
    pub bytes: u64,
    /// The checksum of the file on disk, once it was read: xxh3 of 128 bits.
    pub checksum: Option<u128>,
}

enum FileReader {
    Text(TextFile),
    Records(Records),
    Foreign(ForeignFile),
}

/// A table that somebody else reads.
struct ForeignFile {
    rows: Box<dyn TableRows>,
    number: u64,
    path: Arc<Path>,
}

/// A text of which so much decides on which side of a split it is. Within the first block of every document.
const KEY_BYTES: usize = 1 << 16;

/// A number for a document, as good as drawn at random by the seed; the same wherever the document stands.
pub(crate) fn document_key(text: &str, seed: u64) -> u64 {
    xxh3_64_with_seed(&text.as_bytes()[..text.len().min(KEY_BYTES)], seed)
}

impl<'a> Blocks<'a> {
    pub fn open(listing: &Listing, options: SourceOptions, cut: &'a dyn Cut) -> Self {
        Blocks {
            spare: Arc::default(),
            files: listing.files.clone().into_iter(),
            options,
            cut,
            current: None,
            place: BlockPlace { path: Path::new("").into(), record: None, before: 0, begins: true },
            next_before: 0,
            bytes_before: 0,
            read: Vec::new(),
            skipped: SkippedRows::default(),
            resume: None,
            within: false,
        }
    }

    /// Continues after a block of another reader of the same listing. `read` is what that reader had read of each file.
    pub(crate) fn go_on(&mut self, position: Position, read: Vec<FileText>, skipped: SkippedRows) {
        let before = self.files.by_ref().take(position.file);
        self.bytes_before = before.map(|file| file.bytes).sum();
        (self.read, self.skipped, self.resume) = (read, skipped, Some(position));
    }

    /// How far reading has come with the latest block. None in a text whose bytes were replaced, where nobody can tell.
    pub(crate) fn reached(&self) -> Option<Position> {
        let text = self.read.last().copied().unwrap_or_default();
        let position = Position {
            file: self.read.len().saturating_sub(1),
            text,
            skipped: self.skipped.count,
            ..Position::default()
        };
        match &self.current {
            Some(FileReader::Text(text)) if text.has_ended() => {
                let skipped = self.skipped.count;
                Some(Position { file: self.read.len(), skipped, ..Position::default() })
            }
            Some(FileReader::Text(text)) => text.position().map(|bytes| Position { bytes, ..position }),
            Some(FileReader::Records(records)) => {
                let (bytes, number, array) = records.position();
                Some(Position { bytes, number, array, ..position })
            }
            Some(FileReader::Foreign(file)) => Some(Position { number: file.number, ..position }),
            None => Some(position),
        }
    }

    /// What was left out so far, and what was read of the files before this one.
    pub(crate) fn before(&self, position: &Position) -> (Vec<FileText>, SkippedRows) {
        let mut skipped = self.skipped.clone();
        skipped.count = position.skipped;
        skipped.first.truncate(usize::try_from(position.skipped).unwrap_or(usize::MAX));
        (self.read[..position.file.min(self.read.len())].to_vec(), skipped)
    }

    /// Where to give the texts of blocks that are done with.
    pub fn spare(&self) -> Arc<Pool<String>> {
        self.spare.clone()
    }

    /// On-disk bytes consumed so far, of the listing's `total_bytes`.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_before
            + match &self.current {
                Some(FileReader::Text(text)) => text.bytes_read(),
                Some(FileReader::Records(records)) => records.bytes_read(),
                Some(FileReader::Foreign(file)) => file.rows.bytes_read(),
                None => 0,
            }
    }

    /// Where the latest block comes from.
    pub fn place(&self) -> BlockPlace {
        self.place.clone()
    }

    /// How much text each file held that was read so far, and which documents were left out.
    pub fn into_files(self) -> (Vec<FileText>, SkippedRows) {
        (self.read, self.skipped)
    }

    fn next_block(&mut self) -> Result<Option<TextBlock>> {
        loop {
            if let Some(block) = self.next_of_file()? {
                self.count(&block);
                return Ok(Some(block));
            }
            self.bytes_before = self.bytes_read();
            if let Some(file) = self.read.last_mut() {
                file.checksum = match self.current.take() {
                    Some(FileReader::Text(text)) => Some(text.checksum()),
                    Some(FileReader::Records(records)) => Some(records.checksum()),
                    Some(FileReader::Foreign(file)) => checksum_of(&file.path)?,
                    None => file.checksum,
                };
            }
            let Some(file) = self.files.next() else {
                return Ok(None);
            };
            self.open_file(&file)?;
        }
    }

    /// Counts a block, and notes its place.
    fn count(&mut self, block: &TextBlock) {
        self.place.before = std::mem::take(&mut self.next_before);
        self.place.begins = !std::mem::replace(&mut self.within, !block.ends_document);
        let mut bytes = block.text.len() as u64;
        match &mut self.current {
            Some(FileReader::Records(records)) => self.place.record = Some(records.place()),
            Some(FileReader::Foreign(file)) => self.place.record = Some(("row", file.number)),
            Some(FileReader::Text(text)) => {
                self.place.before += text.take_mark();
                bytes += text.left_out();
                if let Some(file) = self.read.last_mut().filter(|_| block.ends_document) {
                    file.checksum = Some(text.checksum());
                }
            }
            None => {}
        }
        if let Some(file) = self.read.last_mut() {
            file.bytes += bytes;
            file.documents += u64::from(block.ends_document);
        }
        if !block.ends_document {
            self.next_before = self.place.before + bytes;
        }
    }

    fn next_of_file(&mut self) -> Result<Option<TextBlock>> {
        let whole = |text: String| TextBlock { text, ends_document: true, language: None };
        loop {
            let found = match &mut self.current {
                Some(FileReader::Text(text)) => return text.next_block(&self.options, self.cut, &self.spare),
                Some(FileReader::Records(records)) => match records.next_document(&self.options)? {
                    Some(found) => found,
                    None => return Ok(None),
                },
                Some(FileReader::Foreign(file)) => {
                    match file.next_document(self.spare.take(), self.options.bad_rows)? {
                        Some(found) => found,
                        None => return Ok(None),
                    }
                }
                None => return Ok(None),
            };
            match found {
                FoundRecord::Text(text) => return Ok(Some(whole(text))),
                FoundRecord::Nothing => return Ok(Some(whole(String::new()))),
                FoundRecord::Bad(error) if self.options.bad_rows == BadRows::Skip => self.skipped.push(&error),
                FoundRecord::Bad(error) => return Err(error),
            }
        }
    }

    fn open_file(&mut self, file: &SourceFile) -> Result<()> {
        self.place = BlockPlace { path: file.path.as_path().into(), record: None, before: 0, begins: true };
        self.read.push(FileText::default());
        if let Some(reason) = self.bad_text(file)? {
            self.skipped.push(&reason);
            return Ok(());
        }
        let mut reader = self.reader(file)?;
        if let Some(position) = self.resume.take() {
            match &mut reader {
                FileReader::Text(text) => {
                    text.go_on(position.bytes)?;
                    self.within = position.bytes > 0;
                }
                FileReader::Records(records) if position.bytes > 0 => {
                    records.go_on((position.bytes, position.number, position.array))?;
                }
                FileReader::Records(_) => {}
                FileReader::Foreign(file) => file.go_on(position.number)?,
            }
            self.next_before = if position.bytes > 0 { position.text.bytes } else { 0 };
            if let Some(read) = self.read.last_mut() {
                *read = position.text;
            }
        }
        self.current = Some(reader);
        Ok(())
    }

    /// Why a text file is to be left out as a whole: it is one document, some of which would be written before what is
    /// wrong with it is found.
    fn bad_text(&self, file: &SourceFile) -> Result<Option<Error>> {
        let is_one = self.options.separator.is_none() && self.format_of(file)? == InputFormat::Text;
        if self.options.bad_rows != BadRows::Skip || !is_one || !file.path.is_file() {
            return Ok(None);
        }
        let mut text = TextFile::open(file, self.options.block_bytes, self.spare.take())?;
        let everywhere = SourceOptions { bad_rows: BadRows::Stop, ..self.options.clone() };
        loop {
            match text.next_block(&everywhere, &Anywhere, &self.spare) {
                Ok(Some(block)) => self.spare.give(block.text),
                Ok(None) => return Ok(None),
                Err(error @ Error::NotUtf8 { .. }) => return Ok(Some(error)),
                Err(other) => return Err(other),
            }
        }
    }

    fn format_of(&self, file: &SourceFile) -> Result<InputFormat> {
        match self.options.format {
            Some(format) => Ok(format),
            None => InputFormat::of_file(&file.path, &self.options.field),
        }
    }

    fn reader(&self, file: &SourceFile) -> Result<FileReader> {
        let format = self.format_of(file)?;
        if format.is_foreign() {
            return ForeignFile::open(file, format, &self.options).map(FileReader::Foreign);
        }
        match (format, &self.options.separator) {
            (InputFormat::Text, None) => {
                TextFile::open(file, self.options.block_bytes, self.spare.take()).map(FileReader::Text)
            }
            _ => Records::open(&file.path, format, &self.options).map(FileReader::Records),
        }
    }
}

/// Cuts between any two characters: for those who look at the bytes alone.
struct Anywhere;

impl Cut for Anywhere {
    fn last_cut(&self, text: &str) -> Option<Seam> {
        Some(Seam::at(text.len()))
    }
}

impl ForeignFile {
    fn open(file: &SourceFile, format: InputFormat, options: &SourceOptions) -> Result<Self> {
        let Some(foreign) = &options.foreign else {
            let reason = format!("nobody reads files of the format {} here", format.name());
            return Err(Error::format(file.path.display().to_string(), reason));
        };
        let rows = foreign.open(&file.path, format, &options.field)?;
        Ok(ForeignFile { rows, number: 0, path: file.path.as_path().into() })
    }

    fn go_on(&mut self, number: u64) -> Result<()> {
        while self.number < number && self.rows.next_row(&mut String::new())?.is_some() {
            self.number += 1;
        }
        Ok(())
    }

    fn next_document(&mut self, mut text: String, bad_rows: BadRows) -> Result<Option<FoundRecord>> {
        text.clear();
        let Some(row) = self.rows.next_row(&mut text)? else { return Ok(None) };
        self.number += 1;
        Ok(Some(match row {
            TableRow::Text => FoundRecord::Text(text),
            TableRow::Bad(_) if bad_rows == BadRows::Replace => FoundRecord::Nothing,
            TableRow::Bad(reason) => {
                FoundRecord::Bad(Error::format(format!("{}, row {}", self.path.display(), self.number), reason))
            }
        }))
    }
}

impl Iterator for Blocks<'_> {
    type Item = Result<TextBlock>;

    fn next(&mut self) -> Option<Result<TextBlock>> {
        let block = self.next_block();
        if block.is_err() {
            self.bytes_before = self.bytes_read();
            self.current = None;
            self.files = Vec::new().into_iter();
        }
        block.transpose()
    }
}
