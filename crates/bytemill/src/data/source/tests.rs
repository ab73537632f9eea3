use super::super::decompress::tests::{gzip, zstd_frame};
use super::super::signature::is_known_binary;
use super::*;
use crate::data::input_format::InputFormat;
use crate::data::{Listing, list};
use crate::error::{Error, Result};
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
    assert_eq!(files, [FileText { documents, bytes: text_bytes as u64, skipped: 0, checksum }]);
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

/// What a reader gives from its start, or from where it goes on: blocks with their borders, and after each chunk how much
/// of them there was and where reading is.
#[derive(Default)]
struct Found {
    joined: String,
    positions: Vec<(usize, Position, (Vec<FileText>, SkippedRows))>,
}

impl Found {
    fn all(chunks: Chunks, tally: &mut Tally) -> Self {
        let mut found = Found::default();
        let spare = chunks.spare();
        for chunk in chunks {
            let opened = chunk.unwrap().open(&spare);
            tally.add(&opened.count);
            assert!(opened.failed.is_none());
            for PlacedBlock { block, place } in opened.blocks {
                let (begin, end) = (if place.begins { "^" } else { "" }, if block.ends_document { "$" } else { "" });
                found.joined += &format!("{begin}{}{end}", block.text);
            }
            let position = tally.position(opened.count.after.unwrap());
            found.positions.push((found.joined.len(), position, tally.before(&position)));
        }
        found
    }
}

#[test]
fn reading_goes_on_after_any_chunk() {
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
    let mut tally = Tally::default();
    let all = Found::all(Chunks::open(&listing, options.clone(), &Spaces), &mut tally);
    assert!(all.positions.len() > 20);
    let expected = tally.into_files();
    assert_eq!(expected.1.count, 4);
    for (before, position, (files, skipped)) in all.positions {
        let mut chunks = Chunks::open(&listing, options.clone(), &Spaces);
        chunks.go_on(position);
        let mut tally = Tally::from(position, files, skipped);
        // Where the text of a document is cut depends on where reading began.
        assert_eq!(Found::all(chunks, &mut tally).joined, all.joined[before..], "{position:?}");
        assert_eq!(tally.into_files(), expected);
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
