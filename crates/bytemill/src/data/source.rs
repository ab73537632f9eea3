//! Documents streamed from files. A text file is one document and comes in blocks; a record of any other
//! [`InputFormat`] is one document and comes whole. Memory is a few blocks however large the file, as long as it can be
//! cut.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::foreign::{ForeignTables, TableRow, TableRows, checksum_of};
use super::input_format::InputFormat;
use super::records::{Array, FoundRecord, Records};
use super::text_file::TextFile;
use crate::code::Language;
use crate::error::{Error, Result};
use crate::machine::pool::Pool;

use super::{Listing, SourceFile};

#[derive(Clone, Debug)]
pub struct SourceOptions {
    /// How files become documents; without it their names say so, and of `.json` their content.
    pub format: Option<InputFormat>,
    /// The field of a JSON record, or the column of a table, that holds the document.
    pub field: String,
    /// What stands between two documents of a text file; without it, the file is one.
    pub separator: Option<String>,
    pub bad_rows: BadRows,
    /// Reads the tables that the core does not know.
    pub foreign: Option<Arc<dyn ForeignTables>>,
    /// About as much of a text file as is in one block.
    pub block_bytes: usize,
}

impl Default for SourceOptions {
    fn default() -> Self {
        SourceOptions {
            format: None,
            field: "text".into(),
            separator: None,
            bad_rows: BadRows::Stop,
            foreign: None,
            block_bytes: 1 << 18,
        }
    }
}

/// What happens to a document that is not there or is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRows {
    /// It is an error, which names file and row.
    Stop,
    /// Invalid UTF-8 and lone surrogate escapes become U+FFFD; a value that is no text, an empty document.
    Replace,
    /// It is left out and counted.
    Skip,
}

impl BadRows {
    const ALL: [(&'static str, BadRows); 3] =
        [("strict", BadRows::Stop), ("replace", BadRows::Replace), ("skip", BadRows::Skip)];

    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        let unknown = || Error::Spec(format!("errors is \"strict\", \"replace\" or \"skip\", not {name:?}"));
        found.map(|(_, policy)| policy).ok_or_else(unknown)
    }
}

/// Documents that were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedRows {
    pub count: u64,
    /// Why, and where, of the first ones.
    pub first: Vec<String>,
}

impl SkippedRows {
    /// As many as somebody reads.
    const SHOWN: usize = 20;

    fn push(&mut self, error: &Error) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push(error.to_string());
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::super::decompress::tests::{gzip, zstd_frame};
    use super::super::signature::is_known_binary;
    use super::*;
    use crate::data::list;
    use crate::error::Error;
    use proptest::prelude::*;
    use std::fs;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Cuts before the last space.
    struct Spaces;

    impl Cut for Spaces {
        fn last_cut(&self, text: &str) -> Option<Seam> {
            text.rfind(' ').map(Seam::at)
        }
    }

    fn listing(name: &str, bytes: &[u8]) -> (tempfile::TempDir, Listing) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let listing = list(&[path]).unwrap();
        (folder, listing)
    }

    fn read(name: &str, bytes: &[u8], options: SourceOptions) -> Result<Vec<TextBlock>> {
        let (_folder, listing) = listing(name, bytes);
        let mut blocks = Blocks::open(&listing, options, &Spaces);
        let read: Vec<TextBlock> = blocks.by_ref().collect::<Result<_>>()?;
        assert_eq!(blocks.bytes_read(), listing.total_bytes);
        let text_bytes: usize = read.iter().map(|block| block.text.len()).sum();
        let documents = documents(&read).len() as u64;
        let (files, skipped) = blocks.into_files();
        let checksum = Some(xxhash_rust::xxh3::xxh3_128(bytes));
        assert_eq!(files, [FileText { documents, bytes: text_bytes as u64, checksum }]);
        assert_eq!(skipped, SkippedRows::default());
        Ok(read)
    }

    fn documents(blocks: &[TextBlock]) -> Vec<String> {
        let parts = blocks.split_inclusive(|block| block.ends_document);
        let join = |part: &[TextBlock]| part.iter().map(|block| block.text.as_str()).collect();
        parts.map(join).collect()
    }

    fn options(block_bytes: usize, replace: bool) -> SourceOptions {
        let bad_rows = if replace { BadRows::Replace } else { BadRows::Stop };
        SourceOptions { block_bytes, bad_rows, ..SourceOptions::default() }
    }

    /// What a reader gives from its start, or after a block of another reader.
    fn rest(blocks: &mut Blocks) -> (Vec<(String, bool, bool)>, Vec<Position>) {
        let (mut found, mut positions) = (Vec::new(), Vec::new());
        while let Some(block) = blocks.next() {
            let block = block.unwrap();
            found.push((block.text, block.ends_document, blocks.place().begins));
            positions.push(blocks.reached().unwrap());
        }
        (found, positions)
    }

    #[test]
    fn reading_goes_on_behind_any_block() {
        let folder = tempfile::tempdir().unwrap();
        let text = "one two three four five six seven".repeat(3);
        let records = "{\"text\": \"a\"}\n\n{\"text\": 1}\n{\"text\": \"b\"}\n";
        let files: [(&str, Vec<u8>); 8] = [
            ("a.txt", format!("\u{feff}{text}").into_bytes()),
            ("b.jsonl", records.into()),
            ("c.txt", vec![]),
            ("d.csv", b"id,text\n1,\"a\nb\"\n2,c\n".to_vec()),
            ("e.json", b"[{\"text\": \"x\"}, \"y\", {}, \"z\"]".to_vec()),
            ("f.txt.gz", gzip(text.as_bytes())),
            ("g.txt", vec![b'a', 0xff]),
            ("h.jsonl.zst", zstd_frame(records.as_bytes())),
        ];
        for (name, bytes) in &files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let listing = list(&files.map(|(name, _)| folder.path().join(name))).unwrap();
        let options = SourceOptions { block_bytes: 10, bad_rows: BadRows::Skip, ..SourceOptions::default() };
        let mut undisturbed = Blocks::open(&listing, options.clone(), &Spaces);
        let (all, positions) = rest(&mut undisturbed);
        assert!(all.len() > 20);
        let expected = undisturbed.into_files();
        assert_eq!(expected.1.count, 4);
        for (number, position) in positions.iter().enumerate() {
            let mut before = Blocks::open(&listing, options.clone(), &Spaces);
            before.by_ref().take(number + 1).for_each(drop);
            let (files, skipped) = before.before(position);
            let mut blocks = Blocks::open(&listing, options.clone(), &Spaces);
            blocks.go_on(*position, files, skipped);
            let found = rest(&mut blocks).0;
            let joined = |blocks: &[(String, bool, bool)]| -> String {
                let shown = |(text, ends, begins): &(String, bool, bool)| {
                    format!("{}{text}{}", if *begins { "^" } else { "" }, if *ends { "$" } else { "" })
                };
                blocks.iter().map(shown).collect()
            };
            // Where the text of a document is cut depends on where reading began.
            assert_eq!(joined(&found), joined(&all[number + 1..]), "{position:?}");
            assert_eq!(blocks.into_files(), expected);
        }
    }

    #[test]
    fn a_document_has_the_same_key_in_every_format() {
        let text = "some text ".repeat(20_000);
        let (_a, as_text) = listing("a.txt", text.as_bytes());
        let (_b, as_line) = listing("a.jsonl", format!("{{\"text\": \"{text}\"}}").as_bytes());
        let key = |listing: &Listing| {
            let block = Blocks::open(listing, SourceOptions::default(), &Spaces).next().unwrap().unwrap();
            document_key(&block.text, 7)
        };
        assert_eq!(key(&as_text), key(&as_line));
        assert_ne!(document_key(&text, 7), document_key(&text, 8));
    }

    #[test]
    fn text_is_passed_on_unchanged_and_an_empty_file_is_a_document() {
        for text in ["", "a\r\nb\rc\n\0", " ", "no cut", "a\u{feff}"] {
            let blocks = read("a.txt", text.as_bytes(), SourceOptions::default()).unwrap();
            assert_eq!(documents(&blocks), [text]);
        }
    }

    #[test]
    fn the_format_follows_from_name_and_content_or_is_given() {
        let file = b"{\"text\": \"one\"}\n{\"text\": \"two\"}\n";
        let as_format = |name, format| {
            let options = SourceOptions { format, ..SourceOptions::default() };
            documents(&read(name, file, options).unwrap())
        };
        assert_eq!(as_format("a.json", None), ["one", "two"]);
        assert_eq!(as_format("a.jsonl", None), ["one", "two"]);
        assert_eq!(as_format("a.txt", Some(InputFormat::JsonLines)), ["one", "two"]);
        assert_eq!(as_format("a.jsonl", Some(InputFormat::Lines)), ["{\"text\": \"one\"}", "{\"text\": \"two\"}"]);
        assert_eq!(as_format("a.jsonl", Some(InputFormat::Text)), [std::str::from_utf8(file).unwrap()]);
        let one = read("a.json", b"{\"name\": 1}\n", SourceOptions::default()).unwrap();
        assert_eq!(documents(&one), ["{\"name\": 1}\n"]);
    }

    #[test]
    fn what_is_known_not_to_be_text_is_refused_even_where_bytes_are_replaced() {
        for name in ["a.txt", "a.jsonl", "a.json"] {
            let error = read(name, b"PAR1\x15\x04\xff\0", options(10, true)).unwrap_err().to_string();
            assert!(error.contains("this is a Parquet file"), "{error}");
        }
    }

    #[test]
    fn a_byte_order_mark_at_the_start_is_no_text_and_counts_in_places() {
        let marked = |text: &str| ["\u{feff}", text].concat();
        for text in ["", "a b", "\u{feff}a"] {
            for (name, bytes) in [("a", marked(text).into_bytes()), ("a.gz", gzip(marked(text).as_bytes()))] {
                for block_bytes in [1, 2, 100] {
                    let blocks = read(name, &bytes, options(block_bytes, false)).unwrap();
                    assert_eq!(documents(&blocks), [text]);
                }
            }
        }
        let (_folder, listing) = listing("a", marked("one two three").as_bytes());
        let mut blocks = Blocks::open(&listing, options(5, false), &Spaces);
        let mut before = Vec::new();
        while let Some(block) = blocks.next() {
            before.push((blocks.place().before, block.unwrap().text));
        }
        assert_eq!(before[0].0, 3);
        assert!(before.windows(2).all(|pair| pair[1].0 == pair[0].0 + pair[0].1.len() as u64), "{before:?}");
        let wrong = read("a", b"\xef\xbb\xbfab\xff", SourceOptions::default()).unwrap_err();
        assert!(matches!(wrong, Error::NotUtf8 { offset: 5, byte: 0xff, .. }), "{wrong}");
        assert!(read("a", b"\xef\xbb", SourceOptions::default()).is_err());
    }

    #[test]
    fn blocks_are_about_as_long_as_asked_and_cut_only_where_allowed() {
        let text = "word wörd ".repeat(200_000);
        for name in ["a", "a.gz", "a.zst"] {
            let bytes = match name {
                "a.gz" => gzip(text.as_bytes()),
                "a.zst" => zstd_frame(text.as_bytes()),
                _ => text.as_bytes().to_vec(),
            };
            let blocks = read(name, &bytes, options(100_000, false)).unwrap();
            assert_eq!(documents(&blocks), [text.as_str()]);
            assert!(blocks[1..].iter().all(|block| block.text.starts_with(' ')));
            let (last, others) = blocks.split_last().unwrap();
            assert!(last.text.len() < 200_000);
            for block in others {
                assert!((99_990..200_000).contains(&block.text.len()));
            }
        }
    }

    #[test]
    fn a_text_without_cuts_is_looked_at_few_times() {
        struct Nowhere(AtomicUsize);
        impl Cut for Nowhere {
            fn last_cut(&self, text: &str) -> Option<Seam> {
                self.0.fetch_add(text.len(), Ordering::Relaxed);
                None
            }
        }
        let (_folder, listing) = listing("a", &[b'x'; 1 << 20]);
        let cut = Nowhere(AtomicUsize::new(0));
        let blocks: Vec<_> = Blocks::open(&listing, options(1 << 10, false), &cut).collect();
        assert_eq!(blocks.len(), 1);
        assert!(cut.0.into_inner() <= 4 << 20);
    }

    #[test]
    fn a_cut_inside_a_character_is_our_mistake() {
        struct Inside;
        impl Cut for Inside {
            fn last_cut(&self, _: &str) -> Option<Seam> {
                Some(Seam::at(1))
            }
        }
        let (_folder, listing) = listing("a", "ä".repeat(20).as_bytes());
        let mut blocks = Blocks::open(&listing, options(1, false), &Inside);
        let error = blocks.next().unwrap().unwrap_err();
        assert!(matches!(error, Error::Internal(_)), "{error}");
        assert!(blocks.next().is_none());
    }

    #[test]
    fn what_a_cut_leaves_out_counts() {
        struct Between;
        impl Cut for Between {
            fn last_cut(&self, text: &str) -> Option<Seam> {
                text.rfind(' ').map(|end| Seam { end, start: end + 1 })
            }
        }
        let text = "wörd ".repeat(1000);
        let (_folder, listing) = listing("a", text.as_bytes());
        let mut blocks = Blocks::open(&listing, options(100, false), &Between);
        let (mut read, mut before) = (Vec::new(), Vec::new());
        while let Some(block) = blocks.next() {
            read.push(block.unwrap().text);
            before.push(blocks.place().before as usize);
        }
        assert_eq!(read.join(" "), text);
        assert!(read.len() > 30 && read.iter().zip(before).all(|(block, at)| text[at..].starts_with(block.as_str())));
        let file = blocks.into_files().0[0];
        assert_eq!((file.documents, file.bytes), (1, text.len() as u64));
    }

    #[test]
    fn files_are_read_in_order_until_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("a.jsonl.gz", gzip(b"{\"t\":\"one\"}\n{\"t\":\"two \"}\n")),
            ("b.NDJSON", b"{\"t\":\"three\"}".to_vec()),
            ("c.json", b"{}\n".to_vec()),
            ("d.txt.gz", gzip(b"four")[..20].to_vec()),
            ("e.txt", b"never read".to_vec()),
        ];
        let paths = files.map(|(name, bytes)| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        });
        let options = SourceOptions { field: "t".into(), ..SourceOptions::default() };
        let mut read: Vec<_> = Blocks::open(&list(&paths).unwrap(), options, &Spaces).collect();
        let error = read.pop().unwrap().unwrap_err().to_string();
        let expected = format!("{}: truncated gzip stream", paths[3].display());
        assert_eq!(error, expected);
        let read: Vec<TextBlock> = read.into_iter().map(Result::unwrap).collect();
        assert_eq!(documents(&read), ["one", "two ", "three", "{}\n"]);
    }

    #[test]
    fn a_json_line_is_one_block_however_long() {
        let line = format!("{{\"text\":\"{}\"}}\n", "a b ".repeat(1000));
        let blocks = read("a.jsonl.zst", &zstd_frame(line.as_bytes()), options(10, false)).unwrap();
        assert_eq!(blocks.len(), 1);
        assert_eq!(documents(&blocks), ["a b ".repeat(1000)]);
    }

    #[test]
    fn blocks_can_move_to_another_thread() {
        fn check<T: Send>() {}
        check::<Blocks<'static>>();
    }

    /// Bytes that are nearly UTF-8: every lead byte, and the borders of what may follow it.
    fn nearly_utf8() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            4 => prop::sample::select(b" a\x80\x8f\x90\x9f\xa0\xbf".to_vec()),
            2 => 0xc0u8..=0xff,
            1 => any::<u8>(),
        ];
        let valid = prop::sample::select(vec!["a", " ", "é", "€", "😀", "\u{fffd}"]);
        let part = prop_oneof![prop::collection::vec(byte, 1..4), valid.prop_map(|text| text.as_bytes().to_vec()),];
        prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn any_block_size_gives_the_whole_file(text in "[a-c é€😀\n ]{0,200}", block in 0usize..40) {
            let blocks = read("a", text.as_bytes(), options(block, false)).unwrap();
            prop_assert!(blocks.iter().skip(1).all(|b| b.text.is_empty() || b.text.starts_with(' ')));
            prop_assert_eq!(documents(&blocks), [text]);
        }

        #[test]
        fn replacing_equals_from_utf8_lossy(bytes in nearly_utf8(), block in 0usize..20) {
            prop_assume!(!is_known_binary(&bytes));
            let blocks = read("a", &bytes, options(block, true)).unwrap();
            prop_assert_eq!(documents(&blocks), [String::from_utf8_lossy(&bytes)]);
        }

        #[test]
        fn refusing_points_at_the_first_invalid_byte(bytes in nearly_utf8(), block in 0usize..20) {
            prop_assume!(!is_known_binary(&bytes));
            let found = match read("a", &bytes, options(block, false)) {
                Ok(blocks) => Ok(documents(&blocks).concat()),
                Err(Error::NotUtf8 { offset, byte, .. }) => Err((offset, byte)),
                Err(other) => panic!("{other}"),
            };
            let expected = std::str::from_utf8(&bytes).map(String::from).map_err(|e| {
                let at = e.valid_up_to();
                (at as u64, bytes[at])
            });
            prop_assert_eq!(found, expected);
        }
    }
}
