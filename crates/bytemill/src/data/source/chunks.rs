//! The files of a listing, chunk by chunk: what has to happen in order.

use std::path::Path;
use std::sync::Arc;

use super::super::foreign::{TableRows, WantedColumns};
use super::super::input_format::InputFormat;
use super::super::kept::{KeptColumns, refuse_text};
use super::super::records::Records;
use super::super::text_file::TextFile;
use super::super::{Listing, SourceFile};
use super::chunk::{Chunk, Content};
use super::{BadRows, BlockPlace, Cut, Position, Seam, SourceOptions};
use crate::error::{Error, Result};
use crate::machine::pool::Pool;

/// After an error there is nothing more.
pub(crate) struct Chunks<'a> {
    /// Memory of chunks that nobody reads any more, to be filled again.
    spare: Arc<Pool<Vec<u8>>>,
    files: std::vec::IntoIter<SourceFile>,
    options: Arc<SourceOptions>,
    cut: &'a dyn Cut,
    current: Option<OpenFile>,
    /// The number of the file to open next.
    next_file: usize,
    /// On-disk bytes of the files before `current`.
    bytes_before: u64,
    /// Where to begin in the first file.
    resume: Option<Position>,
}

/// A file that is being read.
struct OpenFile {
    path: Arc<Path>,
    reader: FileReader,
    /// Bytes of the current document's text so far.
    before: u64,
    /// Whether a document has begun and not ended.
    within: bool,
}

enum FileReader {
    Text(TextFile),
    Records(Records),
    /// A table that somebody else reads, and how many of its rows were read.
    Table(Box<dyn TableRows>, u64),
    /// It is left out for this reason.
    Bad(Error),
    /// All of it was handed out.
    Ended(u64),
}

impl<'a> Chunks<'a> {
    pub(crate) fn open(listing: &Listing, options: SourceOptions, cut: &'a dyn Cut) -> Self {
        Chunks {
            spare: Arc::default(),
            files: listing.files.clone().into_iter(),
            options: Arc::new(options),
            cut,
            current: None,
            next_file: 0,
            bytes_before: 0,
            resume: None,
        }
    }

    /// Continues after a chunk of another reader of the same listing.
    pub(crate) fn go_on(&mut self, position: Position) {
        let before = self.files.by_ref().take(position.file);
        self.bytes_before = before.map(|file| file.bytes).sum();
        (self.next_file, self.resume) = (position.file, Some(position));
    }

    /// Where to give the memory of what is done with.
    pub(crate) fn spare(&self) -> Arc<Pool<Vec<u8>>> {
        self.spare.clone()
    }

    /// On-disk bytes consumed so far, of the listing's `total_bytes`.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_before + self.current.as_ref().map_or(0, |file| file.reader.bytes_read())
    }

    fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        loop {
            if let Some(file) = &mut self.current
                && let Some((content, checksum, after)) = file.next(&self.options, self.cut, &self.spare)?
            {
                let (options, path, number) = (self.options.clone(), file.path.clone(), self.next_file - 1);
                let after = after.map(|after| match file.reader {
                    FileReader::Ended(_) => Position { file: self.next_file, ..Position::default() },
                    _ => Position { file: number, ..after },
                });
                return Ok(Some(Chunk { options, path, file: number, content, checksum, after }));
            }
            self.bytes_before = self.bytes_read();
            self.current = None;
            let Some(file) = self.files.next() else {
                return Ok(None);
            };
            self.current = Some(self.open_file(&file)?);
            self.next_file += 1;
        }
    }

    fn open_file(&mut self, file: &SourceFile) -> Result<OpenFile> {
        let path: Arc<Path> = file.path.as_path().into();
        if let Some(reason) = self.bad_text(file)? {
            return Ok(OpenFile { path, reader: FileReader::Bad(reason), before: 0, within: false });
        }
        let mut open = OpenFile { path, reader: self.reader(file)?, before: 0, within: false };
        if let Some(position) = self.resume.take() {
            open.go_on(position)?;
        }
        Ok(open)
    }

    /// Why a text file is to be left out as a whole: it is one document, some of which would be written before what is
    /// wrong with it is found.
    fn bad_text(&self, file: &SourceFile) -> Result<Option<Error>> {
        let is_one = self.options.separator.is_none() && self.options.format_of(&file.path)? == InputFormat::Text;
        if self.options.bad_rows != BadRows::Skip || !is_one || !file.path.is_file() {
            return Ok(None);
        }
        let mut text = TextFile::open(file, self.options.block_bytes, self.spare.take())?;
        let everywhere = SourceOptions { bad_rows: BadRows::Stop, ..SourceOptions::clone(&self.options) };
        loop {
            match text.next_block(&everywhere, &Anywhere, &self.spare) {
                Ok(Some(block)) => self.spare.give(block.text.into_bytes()),
                Ok(None) => return Ok(None),
                Err(error @ Error::NotUtf8 { .. }) => return Ok(Some(error)),
                Err(other) => return Err(other),
            }
        }
    }

    fn reader(&self, file: &SourceFile) -> Result<FileReader> {
        let format = self.options.format_of(&file.path)?;
        self.refuse_without_columns(file, format)?;
        match (format, &self.options.separator) {
            _ if format.is_foreign() => self.table(file, format),
            (InputFormat::Text, None) => {
                TextFile::open(file, self.options.block_bytes, self.spare.take()).map(FileReader::Text)
            }
            _ => Records::open(&file.path, format, &self.options).map(FileReader::Records),
        }
    }

    fn table(&self, file: &SourceFile, format: InputFormat) -> Result<FileReader> {
        let Some(foreign) = &self.options.foreign else {
            let reason = format!("nobody reads files of the format {} here", format.name());
            return Err(Error::format(file.path.display().to_string(), reason));
        };
        let SourceOptions { field, keep, bad_rows, .. } = &*self.options;
        let replace = *bad_rows == BadRows::Replace;
        let wanted = WantedColumns { text: field, keep: keep.as_deref(), replace };
        Ok(FileReader::Table(foreign.open(&file.path, format, wanted)?, 0))
    }

    /// Types of columns are those of the first file, which a table and a file of records understand differently.
    fn refuse_without_columns(&self, file: &SourceFile, format: InputFormat) -> Result<()> {
        let Some(keep) = &self.options.keep else { return Ok(()) };
        refuse_text(file, format)?;
        match (&keep.columns, format.is_foreign()) {
            (KeptColumns::Table(_), true) | (KeptColumns::Records { .. }, false) => Ok(()),
            _ => Err(Error::Spec(format!(
                "{} is {}, unlike the first file; keep the columns of both in two runs",
                file.path.display(),
                if format.is_foreign() { "a table with types" } else { "no table with types" },
            ))),
        }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Result<Chunk>> {
        let chunk = self.next_chunk();
        if chunk.is_err() {
            self.bytes_before = self.bytes_read();
            self.current = None;
            self.files = Vec::new().into_iter();
        }
        chunk.transpose()
    }
}

/// What a chunk holds, the checksum of the file if it is known, and how far reading has come in it.
type ReadChunk = (Content, Option<u128>, Option<Position>);

impl OpenFile {
    fn next(&mut self, options: &SourceOptions, cut: &dyn Cut, spare: &Pool<Vec<u8>>) -> Result<Option<ReadChunk>> {
        let read = self.reader.bytes_read();
        let end = |content, checksum| Ok(Some((content, checksum, Some(Position::default()))));
        match &mut self.reader {
            FileReader::Text(text) => match text.next_block(options, cut, spare)? {
                Some(block) => {
                    let mark = text.take_mark();
                    let bytes = block.text.len() as u64 + text.left_out();
                    let begins = !std::mem::replace(&mut self.within, true);
                    let place =
                        BlockPlace { path: self.path.clone(), record: None, before: self.before + mark, begins };
                    self.before += mark + bytes;
                    let after = text.position().map(|bytes| Position { bytes, ..Position::default() });
                    let content = Content::Text { block, place, bytes };
                    if !text.has_ended() {
                        return Ok(Some((content, None, after)));
                    }
                    let checksum = text.checksum();
                    self.reader = FileReader::Ended(self.reader.bytes_read());
                    end(content, Some(checksum))
                }
                None => Ok(None),
            },
            FileReader::Records(records) => match records.next_records(spare.take())? {
                Some(raw) => {
                    let (bytes, number, array) = records.position();
                    Ok(Some((
                        Content::Records(raw),
                        None,
                        Some(Position { bytes, number, array, ..Position::default() }),
                    )))
                }
                None => {
                    let checksum = records.checksum();
                    self.reader = FileReader::Ended(self.reader.bytes_read());
                    end(Content::End(None), Some(checksum))
                }
            },
            FileReader::Table(table, number) => match table.next_rows()? {
                Some(rows) => {
                    let first = *number + 1;
                    *number += rows.rows() as u64;
                    let after = Position { number: *number, ..Position::default() };
                    Ok(Some((Content::Rows(rows, first), None, Some(after))))
                }
                None => {
                    self.reader = FileReader::Ended(read);
                    end(Content::TableEnd, None)
                }
            },
            FileReader::Bad(_) => {
                let FileReader::Bad(reason) = std::mem::replace(&mut self.reader, FileReader::Ended(0)) else {
                    return Ok(None);
                };
                end(Content::End(Some(reason)), None)
            }
            FileReader::Ended(_) => Ok(None),
        }
    }

    fn go_on(&mut self, position: Position) -> Result<()> {
        let begun = position.bytes > 0;
        match &mut self.reader {
            FileReader::Text(text) => {
                text.go_on(position.bytes)?;
                self.within = begun;
                self.before = if begun { position.text.bytes } else { 0 };
            }
            FileReader::Records(records) if begun => {
                records.go_on((position.bytes, position.number, position.array))?;
            }
            FileReader::Table(table, number) => {
                while *number < position.number {
                    let Some(rows) = table.next_rows()? else { break };
                    *number += rows.rows() as u64;
                }
                if *number != position.number {
                    return Err(Error::format(self.path.display().to_string(), "this table is not as it was"));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl FileReader {
    fn bytes_read(&self) -> u64 {
        match self {
            FileReader::Text(text) => text.bytes_read(),
            FileReader::Records(records) => records.bytes_read(),
            FileReader::Table(table, _) => table.bytes_read(),
            FileReader::Bad(_) => 0,
            FileReader::Ended(bytes) => *bytes,
        }
    }
}

/// Cuts between any two characters: for callers that look at the bytes alone.
struct Anywhere;

impl Cut for Anywhere {
    fn last_cut(&self, text: &str) -> Option<Seam> {
        Some(Seam::at(text.len()))
    }
}
