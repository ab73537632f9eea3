//! The splitters against their slow twin: on every short string over one character for each kind, at every position in a block.

use super::runs::{Borders, Class, RunSplitter};
use super::*;
use crate::machine::effort::short_strings;
use crate::machine::simd::Engine;
use crate::text::class::{NUMERIC, PUNCTUATION, WHITE, WORD};
use crate::text::span::Span;
use proptest::prelude::*;

type Rule = fn(u16) -> Class;

const RULES: [(&str, Rule); 4] = [
    ("whitespace", |bits| match bits {
        _ if bits & WHITE != 0 => Class::Removed,
        _ if bits & WORD != 0 => Class::A,
        _ => Class::B,
    }),
    ("bert", |bits| match bits {
        _ if bits & WHITE != 0 => Class::Removed,
        _ if bits & PUNCTUATION != 0 => Class::Isolated,
        _ => Class::A,
    }),
    ("punctuation", |bits| if bits & PUNCTUATION != 0 { Class::Isolated } else { Class::A }),
    ("numbers", |bits| if bits & NUMERIC != 0 { Class::B } else { Class::A }),
];

/// One character of each class and width.
const REPRESENTATIVES: [char; 12] = ['a', ' ', '\n', ',', '_', '7', '\u{1}', 'é', '\u{a0}', '。', '中', '🙂'];

fn spans(text: &str, split: impl FnOnce(&str, &mut Vec<Span>)) -> Vec<Span> {
    let mut spans = Vec::new();
    split(text, &mut spans);
    spans
}

fn check(runs: &RunSplitter, borders: &mut Borders, text: &str) {
    let expected = spans(text, |text, spans| {
        naive::split(
            text,
            |c| runs.class(c),
            |span| {
                spans.push(span);
                Ok::<_, crate::error::Error>(())
            },
        )
        .unwrap()
    });
    let found = spans(text, |text, spans| {
        runs.split(text, borders, |span| {
            spans.push(span);
            Ok::<_, crate::error::Error>(())
        })
        .unwrap()
    });
    assert_eq!(found, expected, "{text:?}");
    assert_eq!(runs.count(text, borders), expected.len(), "{text:?}");
}

fn metaspace(prepend: Prepend, split: bool) -> PreTokenizer {
    PreTokenizer::Metaspace { replacement: '▁', prepend, split }
}

#[test]
fn every_short_string_at_every_block_border() {
    for (_, rule) in RULES {
        for engine in Engine::available() {
            let runs = RunSplitter::with_engine(rule, engine);
            let mut borders = Borders::default();
            for length in 0..=3 {
                for string in short_strings(&REPRESENTATIVES, length, 5) {
                    // Before, across and after the border of the first block, and of the first window.
                    for before in [0, 61, 62, 63, 64, 1022] {
                        check(&runs, &mut borders, &("x".repeat(before) + &string + "y "));
                    }
                }
            }
        }
    }
}

#[test]
fn every_string_of_five() {
    let runs = RunSplitter::new(RULES[1].1);
    let mut borders = Borders::default();
    for string in short_strings(&REPRESENTATIVES, 5, 7) {
        check(&runs, &mut borders, &("words enough to fill more than half a block".to_string() + &string));
    }
}

proptest! {
    #[test]
    fn any_text(text in "\\PC{0,300}", rule in 0..RULES.len()) {
        for engine in Engine::available() {
            check(&RunSplitter::with_engine(RULES[rule].1, engine), &mut Borders::default(), &text);
        }
    }

    /// A cut where `separates` allows one leaves the pieces as they were.
    #[test]
    fn cuts_change_nothing(text in "[ -~\né中。▁\u{3000}\u{301}🙂]{2,60}") {
        let definitions = [
            PreTokenizer::Whitespace, PreTokenizer::WhitespaceSplit, PreTokenizer::Bert,
            PreTokenizer::Punctuation { behavior: Behavior::Isolated },
            PreTokenizer::Punctuation { behavior: Behavior::MergedWithPrevious },
            PreTokenizer::Punctuation { behavior: Behavior::MergedWithNext },
            PreTokenizer::Digits { individual: false }, PreTokenizer::Delimiter { character: '-' },
            PreTokenizer::FixedLength { length: 1 }, PreTokenizer::FixedLength { length: 2 },
            PreTokenizer::Gpt2, PreTokenizer::Cl100k, PreTokenizer::O200k,
            PreTokenizer::Sequence { steps: vec![PreTokenizer::Gpt2, PreTokenizer::Digits { individual: true }] },
            PreTokenizer::Sequence { steps: vec![PreTokenizer::Digits { individual: false }, PreTokenizer::Gpt2] },
            PreTokenizer::Sequence { steps: vec![
                PreTokenizer::Punctuation { behavior: Behavior::MergedWithNext }, PreTokenizer::Whitespace,
            ] },
            PreTokenizer::DeepSeek, PreTokenizer::UnicodeScripts,
            PreTokenizer::Split { pattern: Pattern::Text(" ".into()), behavior: Behavior::Removed, invert: false },
            metaspace(Prepend::Always, true), metaspace(Prepend::First, true), metaspace(Prepend::Never, true),
            metaspace(Prepend::First, false), metaspace(Prepend::Never, false),
            PreTokenizer::Sequence { steps: vec![PreTokenizer::WhitespaceSplit, metaspace(Prepend::First, true)] },
            PreTokenizer::Sequence { steps: vec![PreTokenizer::WhitespaceSplit, metaspace(Prepend::Always, true)] },
            PreTokenizer::Sequence { steps: vec![metaspace(Prepend::First, false), PreTokenizer::Gpt2] },
            PreTokenizer::Sequence { steps: vec![PreTokenizer::PrefixSpace, PreTokenizer::Gpt2] },
            PreTokenizer::Sequence { steps: vec![PreTokenizer::DeepSeek, PreTokenizer::PrefixSpace] },
            PreTokenizer::ByteLevel { prefix_space: true, split: true },
            PreTokenizer::ByteLevel { prefix_space: false, split: false },
            PreTokenizer::Sequence { steps: vec![
                PreTokenizer::ByteLevel { prefix_space: false, split: true }, PreTokenizer::Digits { individual: true },
            ] },
        ];
        for definition in definitions {
            let splitter = Splitter::new(&definition).unwrap();
            let collect = |text: &str, offset: usize| -> Vec<(String, Span)> {
                let pieces = splitter.pieces(text).into_iter();
                pieces.map(|(piece, span)| (piece, span.shifted(offset))).collect()
            };
            let whole = collect(&text, 0);
            for (at, right) in text.char_indices().skip(1) {
                let left = text[..at].chars().next_back().unwrap();
                prop_assert!(!splitter.drops(right) || splitter.separates(left, right));
                if splitter.separates(left, right) {
                    let mut parts = collect(&text[..at], 0);
                    parts.extend(collect(&text[at..], at));
                    prop_assert_eq!(&parts, &whole, "{:?} cut at {}", definition, at);
                }
            }
        }
    }
}
