//! Documents streamed from files. A text file is one document and comes in blocks; a line of a `.jsonl` or `.ndjson` file
//! is one document and comes whole. Memory is a few blocks however large the file, as long as it can be cut.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::jsonl::{JsonLines, is_jsonl};
use super::text_file::TextFile;
use crate::code::Language;
use crate::error::Result;
use crate::machine::pool::Pool;

pub use super::{Listing, SourceFile, list};

#[derive(Clone, Debug)]
pub struct SourceOptions {
    /// The field of a JSON line that holds the document.
    pub field: String,
    /// Invalid UTF-8 and lone surrogate escapes become U+FFFD, instead of an error.
    pub replace_invalid: bool,
    /// About as much of a text file as is in one block.
    pub block_bytes: usize,
}

impl Default for SourceOptions {
    fn default() -> Self {
        SourceOptions { field: "text".into(), replace_invalid: false, block_bytes: 1 << 18 }
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
pub struct Block {
    pub text: String,
    pub ends_document: bool,
    /// Of source code, by the name of the file.
    pub language: Option<Language>,
}

/// Where a block comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    path: Arc<Path>,
    /// Of a document that is a line.
    line: Option<u64>,
    /// Bytes of the document's text before the block.
    pub before: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "the text in line {line} of {}", self.path.display()),
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
    current: Option<Reader>,
    /// Of the latest block.
    place: Place,
    /// Bytes of the current document's text so far.
    next_before: u64,
    /// On-disk bytes of the files before `current`.
    bytes_before: u64,
    text_bytes: u64,
    documents: u64,
}

enum Reader {
    Text(TextFile),
    Lines(JsonLines),
}

impl<'a> Blocks<'a> {
    pub fn open(listing: &Listing, options: SourceOptions, cut: &'a dyn Cut) -> Self {
        Blocks {
            spare: Arc::default(),
            files: listing.files.clone().into_iter(),
            options,
            cut,
            current: None,
            place: Place { path: Path::new("").into(), line: None, before: 0 },
            next_before: 0,
            bytes_before: 0,
            text_bytes: 0,
            documents: 0,
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
                Some(Reader::Text(text)) => text.bytes_read(),
                Some(Reader::Lines(lines)) => lines.bytes_read(),
                None => 0,
            }
    }

    /// Where the latest block comes from.
    pub fn place(&self) -> Place {
        self.place.clone()
    }

    /// Bytes of text in the blocks so far.
    pub fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// Documents ended so far.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        loop {
            let block = match &mut self.current {
                Some(Reader::Text(text)) => text.next_block(&self.options, self.cut, &self.spare)?,
                Some(Reader::Lines(lines)) => lines
                    .next_document(&self.options.field, self.options.replace_invalid)?
                    .map(|text| Block { text, ends_document: true, language: None }),
                None => None,
            };
            if let Some(block) = block {
                self.place.before = std::mem::take(&mut self.next_before);
                let mut bytes = block.text.len() as u64;
                match &mut self.current {
                    Some(Reader::Lines(lines)) => self.place.line = Some(lines.number()),
                    Some(Reader::Text(text)) => {
                        self.place.before += text.take_mark();
                        bytes += text.left_out();
                    }
                    None => {}
                }
                self.text_bytes += bytes;
                if !block.ends_document {
                    self.next_before = self.place.before + bytes;
                }
                return Ok(Some(block));
            }
            self.bytes_before = self.bytes_read();
            self.current = None;
            let next = self.files.next();
            if let Some(file) = &next {
                self.place = Place { path: file.path.as_path().into(), line: None, before: 0 };
            }
            match next {
                Some(file) if is_jsonl(&file.path) => {
                    self.current = Some(Reader::Lines(JsonLines::open(&file.path)?));
                }
                Some(file) => {
                    let block_bytes = self.options.block_bytes;
                    self.current = Some(Reader::Text(TextFile::open(&file, block_bytes, self.spare.take())?));
                }
                None => return Ok(None),
            }
        }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        let block = self.next_block();
        match &block {
            Ok(Some(block)) => self.documents += u64::from(block.ends_document),
            Ok(None) => {}
            Err(_) => {
                self.bytes_before = self.bytes_read();
                self.current = None;
                self.files = Vec::new().into_iter();
            }
        }
        block.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::super::decompress::tests::{gzip, zstd_frame};
    use super::*;
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

    fn read(name: &str, bytes: &[u8], options: SourceOptions) -> Result<Vec<Block>> {
        let (_folder, listing) = listing(name, bytes);
        let mut blocks = Blocks::open(&listing, options, &Spaces);
        let read: Vec<Block> = blocks.by_ref().collect::<Result<_>>()?;
        assert_eq!(blocks.bytes_read(), listing.total_bytes);
        let text_bytes: usize = read.iter().map(|block| block.text.len()).sum();
        assert_eq!(blocks.text_bytes(), text_bytes as u64);
        assert_eq!(blocks.documents(), documents(&read).len() as u64);
        Ok(read)
    }

    fn documents(blocks: &[Block]) -> Vec<String> {
        let parts = blocks.split_inclusive(|block| block.ends_document);
        let join = |part: &[Block]| part.iter().map(|block| block.text.as_str()).collect();
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
        let (_folder, listing) = listing("a", "ää".as_bytes());
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
        assert_eq!(blocks.text_bytes(), text.len() as u64);
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
        let read: Vec<Block> = read.into_iter().map(Result::unwrap).collect();
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
            let blocks = read("a", &bytes, options(block, true)).unwrap();
            prop_assert_eq!(documents(&blocks), [String::from_utf8_lossy(&bytes)]);
        }

        #[test]
        fn refusing_points_at_the_first_invalid_byte(bytes in nearly_utf8(), block in 0usize..20) {
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
