use std::cmp::Reverse;
use std::fs;

use super::naive::NaiveCounts;
use super::*;
use crate::data::{Batch, TextBlock};
use crate::normalize::{Bert, Forms, Normalizer, SentencePiece, SentencePieceRules};
use crate::pretokenize::{PreTokenizer, Prepend, Splitter};
use proptest::prelude::*;

/// Documents with pieces of all lengths, many of them seldom.
fn documents() -> Vec<String> {
    let word = |i: u64| match i % 5 {
        0 => format!("w{}", i * i % 997),
        1 => format!("{:0width$}", i % 301, width = (i % 60) as usize + 1),
        2 => "the".into(),
        3 => "日本語 ".repeat((i % 7) as usize),
        _ => format!("{}<x>", char::from_u32(0x100 + (i % 700) as u32).unwrap_or('?')),
    };
    (0..40).map(|n| (n * 500..(n + 1) * 500).map(word).collect::<Vec<_>>().join(" ")).collect()
}

fn made_by() -> MadeBy {
    MadeBy { pretokenizer: Some(PreTokenizer::Gpt2), special_tokens: vec!["<x>".into()], ..MadeBy::default() }
}

/// Split by the obvious means, counted by the obvious means; places are numbers of pieces.
fn expected(documents: &[String], characters: bool) -> Vec<(Vec<u8>, (u64, u64))> {
    let splitter = Splitter::new(&PreTokenizer::Gpt2).unwrap();
    let mut counts = NaiveCounts::default();
    let mut place = 0;
    for part in documents.iter().flat_map(|document| document.split("<x>")) {
        for (piece, _) in splitter.pieces(part) {
            let units = if characters { piece.chars().map(String::from).collect() } else { vec![piece] };
            for unit in units {
                counts.add(unit.as_bytes(), place);
                place += 1;
            }
        }
    }
    let mut places: Vec<u64> = counts.0.values().map(|&(_, place)| place).collect();
    places.sort_unstable();
    let rank = |place| places.partition_point(|&other| other < place) as u64;
    counts.0.into_iter().map(|(piece, (count, place))| (piece, (count, rank(place)))).collect()
}

fn batched(documents: &[String], size: usize) -> Vec<Result<Batch>> {
    let block = |document: &String| TextBlock { text: document.clone(), ends_document: true, language: None };
    documents.chunks(size).map(|documents| Ok(documents.iter().map(block).collect())).collect()
}

fn found(counts: &PieceCounts) -> Vec<(Vec<u8>, (u64, u64))> {
    let mut all = Vec::new();
    let mut cursor = counts.body.cursor();
    while cursor.advance().unwrap() {
        let Record { piece, count, place } = cursor.record();
        all.push((piece.to_vec(), (count, place)));
    }
    all
}

fn count(documents: &[String], size: usize, threads: usize, memory: Option<u64>, characters: bool) -> PieceCounts {
    let counter = Counter::new(made_by(), characters).unwrap();
    let options = CountOptions { threads, memory, ordered: true };
    counter.count(batched(documents, size).into_iter(), options, &mut || Ok(())).unwrap()
}

#[test]
fn tables_are_merged_with_blocks() {
    let documents = documents();
    let options = CountOptions { threads: 1, memory: None, ordered: false };
    let counter = Counter::new(made_by(), false).unwrap();
    let table = counter.count(batched(&documents, 40).into_iter(), options, &mut || Ok(())).unwrap();
    let pairs = [("", 0), ("!", 3), ("the", 5), ("\u{10ffff}", 1)].map(|(piece, count)| (piece.into(), count));
    let blocks = PieceCounts::from_pairs(pairs.clone().into_iter(), Some(made_by())).unwrap();
    let mut expected: BTreeMap<Vec<u8>, u64> =
        found(&table).into_iter().map(|(piece, (count, _))| (piece, count)).collect();
    pairs.into_iter().filter(|&(_, count)| count > 0).for_each(|(piece, count)| {
        *expected.entry(piece).or_default() += count;
    });
    for threads in [1, 3] {
        let parts = [table.clone(), blocks.clone()];
        let merged = PieceCounts::merge(&parts, None, threads, &AtomicU64::new(0), &mut || Ok(())).unwrap();
        let counts: BTreeMap<Vec<u8>, u64> =
            found(&merged).into_iter().map(|(piece, (count, _))| (piece, count)).collect();
        assert_eq!(counts, expected);
        for piece in [&b"the"[..], b"w0", b"!", b"nothing", "\u{10ffff}".as_bytes()] {
            assert_eq!(merged.count(piece).unwrap(), expected.get(piece).copied().unwrap_or(0));
            assert_eq!(
                table.count(piece).unwrap(),
                found(&table).iter().find(|(p, _)| p == piece).map_or(0, |r| r.1.0)
            );
        }
    }
}

#[test]
fn after_the_stages_of_bert_stretches_are_counted_first() {
    let documents: Vec<String> = documents().iter().map(|text| format!("{text} É\u{301}a Été,été\u{0}x ÷")).collect();
    for lowercase in [false, true] {
        let bert = Bert { clean_text: true, split_cjk: true, strip_accents: None, lowercase };
        let made_by = MadeBy {
            normalizer: Some(Normalizer::Bert(bert.clone())),
            pretokenizer: Some(PreTokenizer::Bert),
            ..made_by()
        };
        let splitter = Splitter::new(&PreTokenizer::Bert).unwrap();
        let mut expected = NaiveCounts::default();
        for part in documents.iter().flat_map(|document| document.split("<x>")) {
            let normalized = Normalizer::Bert(bert.clone()).normalize(part, false).text().to_string();
            splitter.pieces(&normalized).iter().for_each(|(piece, _)| expected.add(piece.as_bytes(), 0));
        }
        let expected: Vec<(Vec<u8>, u64)> = expected.0.into_iter().map(|(piece, (count, _))| (piece, count)).collect();
        assert!(expected.len() > 100);
        let counter = Counter::new(made_by, false).unwrap();
        for (size, threads, memory) in [(40, 1, None), (7, 2, None), (1, 3, Some(1)), (1, 2, Some(60_000))] {
            for ordered in [false, true] {
                let options = CountOptions { threads, memory, ordered };
                let counts = counter.count(batched(&documents, size).into_iter(), options, &mut || Ok(())).unwrap();
                let counted = found(&counts).into_iter().map(|(piece, (count, _))| (piece, count)).collect::<Vec<_>>();
                assert!(counted == expected, "{size} {threads} {memory:?} {ordered} {lowercase}");
            }
        }
    }
}

proptest! {
    #[test]
    fn after_the_stages_of_sentencepiece_words_are_counted_first(
        documents in proptest::collection::vec("([a-cA-Cé漢ﬁ]{1,3}[ \n\t\u{A0}\u{3000}\u{301}\u{7}\u{200B}]{0,2}){0,30}|([a-c]{1,3}[ \n▁]{0,2}){0,30}", 1..8),
        (maps, folded, remove, symbol) in any::<(bool, bool, bool, bool)>(),
        (threads, memory) in (1..3usize, prop_oneof![Just(None), Just(Some(1))]),
    ) {
        let stages = SentencePiece::try_from(SentencePieceRules {
            charsmap: maps.then(|| Forms { nmt: true, folded }.charsmap().unwrap()),
            add_dummy_prefix: true,
            whitespace_as_suffix: false,
            remove_extra_whitespaces: remove,
            escape_whitespaces: true,
            kept: symbol.then(|| "b\u{A0}".to_string()).into_iter().collect(),
        }).unwrap();
        let normalizer = Normalizer::SentencePiece(Box::new(stages));
        let pretokenizer = PreTokenizer::Metaspace { replacement: '▁', prepend: Prepend::Never, split: true };
        let splitter = Splitter::new(&pretokenizer).unwrap();
        let mut expected = NaiveCounts::default();
        for line in documents.iter().flat_map(|document| document.split('\n')) {
            let normalized = normalizer.normalize(line, false).text().to_string();
            splitter.pieces(&normalized).iter().for_each(|(piece, _)| expected.add(piece.as_bytes(), 0));
        }
        let expected: Vec<(Vec<u8>, u64)> = expected.0.into_iter().map(|(piece, (count, _))| (piece, count)).collect();
        let made_by = MadeBy { normalizer: Some(normalizer), pretokenizer: Some(pretokenizer), ..MadeBy::default() };
        let counter = Counter::new(made_by, false).unwrap();
        for ordered in [false, true] {
            let options = CountOptions { threads, memory, ordered };
            let counts = counter.count(batched(&documents, 2).into_iter(), options, &mut || Ok(())).unwrap();
            let counted = found(&counts).into_iter().map(|(piece, (count, _))| (piece, count)).collect::<Vec<_>>();
            prop_assert_eq!(&counted, &expected);
        }
    }
}

#[test]
fn equal_for_any_threads_batches_and_memory() {
    let documents = documents();
    for characters in [false, true] {
        let expected = expected(&documents, characters);
        assert!(expected.len() > 100);
        for (size, threads, memory) in
            [(40, 1, None), (7, 2, None), (1, 7, None), (3, 1, Some(1)), (1, 2, Some(60_000)), (1, 3, Some(1 << 30))]
        {
            let counts = count(&documents, size, threads, memory, characters);
            assert!(found(&counts) == expected, "{size} {threads} {memory:?} {characters}");
            assert_eq!(counts.body.is_in_file(), !characters && memory.is_some_and(|memory| memory < 1 << 20));
            assert_eq!(counts.documents, 40);
            assert_eq!(counts.bytes, documents.iter().map(|document| document.len() as u64).sum::<u64>());
        }
    }
}

#[test]
fn without_the_order() {
    let counter = Counter::new(made_by(), false).unwrap();
    let documents = documents();
    let expected: Vec<_> = expected(&documents, false).into_iter().map(|(piece, (n, _))| (piece, (n, 0))).collect();
    for memory in [None, Some(1)] {
        let options = CountOptions { threads: 2, memory, ordered: false };
        let counts = counter.count(batched(&documents, 1).into_iter(), options, &mut || Ok(())).unwrap();
        assert!(found(&counts) == expected && !counts.is_ordered());
    }
}

#[test]
fn hundreds_of_runs() {
    let documents: Vec<String> = (0..3000).map(|n| (0..30).map(|i| format!(" {}", n * 17 + i * i)).collect()).collect();
    let counts = count(&documents, 500, 1, Some(1), false);
    assert!(found(&counts) == expected(&documents, false));
}

#[test]
fn merged_in_any_grouping_and_saved_between() {
    let documents = documents();
    let whole = found(&count(&documents, 40, 1, None, false));
    let folder = tempfile::tempdir().unwrap();
    let merge = |parts: &[PieceCounts], memory| {
        PieceCounts::merge(parts, memory, 2, &AtomicU64::new(0), &mut || Ok(())).unwrap()
    };
    for (first, second) in [(10, 20), (0, 40), (39, 39)] {
        let mut parts: Vec<PieceCounts> = [0..first, first..second, second..40]
            .map(|range| count(&documents[range], 3, 1, None, false))
            .into_iter()
            .collect();
        let path = folder.path().join("part.counts");
        parts[1].save(&path).unwrap();
        parts[1] = PieceCounts::load(&path).unwrap();
        for memory in [None, Some(10)] {
            let at_once = merge(&parts, memory);
            let left = merge(&[merge(&parts[..2], memory), parts[2].clone()], memory);
            let right = merge(&[parts[0].clone(), merge(&parts[1..], memory)], memory);
            for merged in [at_once, left, right] {
                assert!(found(&merged) == whole);
                assert_eq!((merged.documents, merged.made_by.as_ref()), (40, Some(&made_by())));
            }
        }
    }
}

#[test]
fn questions() {
    let documents = documents();
    let counts = count(&documents, 9, 2, Some(1), false);
    let all = found(&counts);
    for (piece, (count, _)) in all.iter().step_by(7) {
        assert_eq!(counts.count(piece).unwrap(), *count);
    }
    assert_eq!(counts.count(b"no such piece").unwrap(), 0);
    assert_eq!(counts.totals(), (all.iter().map(|(_, (count, _))| count).sum(), all.len() as u64));
    let mut by_count: Vec<CountedPiece> = all.iter().map(|(piece, (count, _))| (piece.clone(), *count)).collect();
    by_count.sort_by_key(|&(_, count)| Reverse(count));
    for most in [0, 1, 100, usize::MAX] {
        let frequent = by_count.iter().filter(|&&(_, count)| count >= 3);
        let expected: Vec<CountedPiece> = frequent.clone().take(most).cloned().collect();
        assert_eq!(counts.most_common(most, 3).unwrap(), (expected, frequent.count() as u64));
    }
    let mut by_place = all.clone();
    by_place.sort_by_key(|&(_, (_, place))| place);
    let by_place: Vec<CountedPiece> = by_place.into_iter().map(|(piece, (count, _))| (piece, count)).collect();
    let owned =
        |held: Held| -> Vec<CountedPiece> { held.iter().map(|(piece, count)| (piece.to_vec(), count)).collect() };
    assert_eq!(owned(counts.held(PieceOrder::Appearance).unwrap()), by_place);
    let by_bytes: Vec<CountedPiece> = all.iter().map(|(piece, (count, _))| (piece.clone(), *count)).collect();
    assert_eq!(owned(counts.held(PieceOrder::Bytes).unwrap()), by_bytes);
    let parts = (0..).map_while(|number| counts.part(number).unwrap());
    assert_eq!(parts.flatten().count(), all.len());
}

#[test]
fn most_common_of_more_than_are_kept_at_a_time() {
    let pairs = (0..20_000u64).map(|i| (i.to_string().into_bytes(), i * 7919 % 50 + 1));
    let counts = PieceCounts::from_pairs(pairs, None).unwrap();
    let (all, _) = counts.most_common(usize::MAX, 1).unwrap();
    assert_eq!(counts.most_common(300, 1).unwrap().0, all[..300]);
}

#[test]
fn what_cannot_be_done_is_said() {
    let counts = PieceCounts::from_pairs([(b"a".to_vec(), 1)].into_iter(), None).unwrap();
    let message = |result: Result<PieceCounts>| result.unwrap_err().to_string();
    assert_eq!(
        counts.held(PieceOrder::Appearance).unwrap_err().to_string(),
        "these counts do not know in which order pieces appeared; count again and keep it, with order=True"
    );
    let empty = PieceCounts::from_pairs([(Vec::new(), 1)].into_iter(), None);
    assert_eq!(message(empty), "a piece cannot be empty");
    let many = PieceCounts::from_pairs([(b"a".to_vec(), u64::MAX)].into_iter(), None).unwrap();
    let merge = |parts: &[PieceCounts]| PieceCounts::merge(parts, None, 1, &AtomicU64::new(0), &mut || Ok(()));
    assert!(message(merge(&[many, counts.clone()])).starts_with("the counts of a piece together are more than"));
    assert_eq!(message(merge(&[])), "there are no counts to merge");
    let known = PieceCounts { made_by: Some(made_by()), ..counts.clone() };
    let lower = MadeBy { normalizer: Some(Normalizer::Lowercase), ..made_by() };
    let words = MadeBy { pretokenizer: Some(PreTokenizer::Bert), ..made_by() };
    let bare = MadeBy { special_tokens: Vec::new(), ..made_by() };
    for (other, what) in [
        (Some(lower), "normalizers"),
        (Some(words), "pretokenizers"),
        (Some(bare), "special tokens"),
        (None, "stages, of which one does not tell"),
    ] {
        let other = PieceCounts { made_by: other, ..counts.clone() };
        let expected = format!(
            "counts of pieces that were made by different {what} cannot be merged; count the texts in the same way"
        );
        assert_eq!(message(merge(&[known.clone(), other])), expected);
    }
}

#[test]
fn every_truncation_and_change_of_a_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.counts");
    count(&["one two three two".into()], 1, 1, None, false).save(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(PieceCounts::load(&path), Err(Error::Format { .. })), "{length}");
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x20;
        fs::write(&path, &changed).unwrap();
        assert!(matches!(PieceCounts::load(&path), Err(Error::Format { .. })), "{at}");
    }
    fs::write(&path, [&whole[..], b"x"].concat()).unwrap();
    assert!(PieceCounts::load(&path).is_err());
}
