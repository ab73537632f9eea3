//! Documents streamed from files. A text file is one document and comes in blocks; a record of any other
//! [`InputFormat`] is one document and comes whole. Memory is a few blocks however large the file, as long as it can be
//! cut.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::input_format::InputFormat;
use super::records::Records;
use super::text_file::TextFile;
use crate::code::Language;
use crate::error::Result;
use crate::machine::pool::Pool;

use super::{Listing, SourceFile};

#[derive(Clone, Debug)]
pub struct SourceOptions {
    /// How files become documents; without it their names say so, and of `.json` their content.
    pub format: Option<InputFormat>,
    /// The field of a JSON record that holds the document.
    pub field: String,
    /// Invalid UTF-8 and lone surrogate escapes become U+FFFD, instead of an error.
    pub replace_invalid: bool,
    /// About as much of a text file as is in one block.
    pub block_bytes: usize,
}

impl Default for SourceOptions {
    fn default() -> Self {
        SourceOptions { format: None, field: "text".into(), replace_invalid: false, block_bytes: 1 << 18 }
    }
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
}

/// How much text a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileText {
    pub documents: u64,
    pub bytes: u64,
}

enum FileReader {
    Text(TextFile),
    Records(Records),
}

impl<'a> Blocks<'a> {
    pub fn open(listing: &Listing, options: SourceOptions, cut: &'a dyn Cut) -> Self {
        Blocks {
            spare: Arc::default(),
            files: listing.files.clone().into_iter(),
            options,
            cut,
            current: None,
            place: BlockPlace { path: Path::new("").into(), record: None, before: 0 },
            next_before: 0,
            bytes_before: 0,
            read: Vec::new(),
        }
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
                None => 0,
            }
    }

    /// Where the latest block comes from.
    pub fn place(&self) -> BlockPlace {
        self.place.clone()
    }

    /// How much text each file held that was read so far.
    pub fn into_files(self) -> Vec<FileText> {
        self.read
    }

    fn next_block(&mut self) -> Result<Option<TextBlock>> {
        loop {
            let block = match &mut self.current {
                Some(FileReader::Text(text)) => text.next_block(&self.options, self.cut, &self.spare)?,
                Some(FileReader::Records(records)) => records
                    .next_document(&self.options.field, self.options.replace_invalid)?
                    .map(|text| TextBlock { text, ends_document: true, language: None }),
                None => None,
            };
            if let Some(block) = block {
                self.place.before = std::mem::take(&mut self.next_before);
                let mut bytes = block.text.len() as u64;
                match &mut self.current {
                    Some(FileReader::Records(records)) => self.place.record = Some(records.place()),
                    Some(FileReader::Text(text)) => {
                        self.place.before += text.take_mark();
                        bytes += text.left_out();
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
                return Ok(Some(block));
            }
            self.bytes_before = self.bytes_read();
            self.current = None;
            let Some(file) = self.files.next() else {
                return Ok(None);
            };
            self.place = BlockPlace { path: file.path.as_path().into(), record: None, before: 0 };
            self.current = Some(self.reader(&file)?);
            self.read.push(FileText::default());
        }
    }

    fn reader(&self, file: &SourceFile) -> Result<FileReader> {
        let format = match self.options.format {
            Some(format) => format,
            None => InputFormat::of_file(&file.path, &self.options.field)?,
        };
        match format {
            InputFormat::Text => {
                TextFile::open(file, self.options.block_bytes, self.spare.take()).map(FileReader::Text)
            }
            _ => Records::open(&file.path, format).map(FileReader::Records),
        }
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
        assert_eq!(blocks.into_files(), [FileText { documents, bytes: text_bytes as u64 }]);
        Ok(read)
    }

    fn documents(blocks: &[TextBlock]) -> Vec<String> {
        let parts = blocks.split_inclusive(|block| block.ends_document);
        let join = |part: &[TextBlock]| part.iter().map(|block| block.text.as_str()).collect();
        parts.map(join).collect()
    }

    fn options(block_bytes: usize, replace_invalid: bool) -> SourceOptions {
        SourceOptions { block_bytes, replace_invalid, ..SourceOptions::default() }
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
        assert_eq!(blocks.into_files(), [FileText { documents: 1, bytes: text.len() as u64 }]);
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
