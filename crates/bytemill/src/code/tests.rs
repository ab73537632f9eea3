use std::path::Path;

use proptest::prelude::*;

use super::*;

fn pieces(source: &[u8], language: Option<Language>) -> Vec<(String, Kind)> {
    let mut scratch = CodeScratch::default();
    let text = |piece: &CodePiece| String::from_utf8_lossy(&source[piece.span.range()]).into_owned();
    scratch.split(source, language).iter().map(|piece| (text(piece), piece.kind)).collect()
}

fn kinds(source: &str, language: Language, kind: Kind) -> Vec<String> {
    let pieces = pieces(source.as_bytes(), Some(language));
    pieces.into_iter().filter(|(_, found)| *found == kind).map(|(text, _)| text).collect()
}

fn assert_covers(source: &[u8], language: Option<Language>) {
    let mut scratch = CodeScratch::default();
    let mut done = 0;
    for piece in scratch.split(source, language) {
        assert_eq!(piece.span.start, done);
        assert!(piece.span.end > done);
        done = piece.span.end;
    }
    assert_eq!(done, source.len());
}

const SAMPLE: &str = r#"def get_user_name(user_id):
    """Get username from user ID"""
    # by id
    return database.query(f"SELECT name FROM users WHERE id={user_id}") if user_id not in "x" 'y' else 1.5e3
"#;

#[test]
fn the_pieces_of_python() {
    let of = |kind| kinds(SAMPLE, Language::Python, kind);
    assert_eq!(of(Kind::Keyword), ["def", "return", "if", "not", "in", "else"]);
    assert_eq!(of(Kind::Identifier), ["get_user_name", "user_id", "database", "query", "user_id", "user_id"]);
    assert_eq!(of(Kind::Docstring), [r#""""Get username from user ID""""#]);
    assert_eq!(of(Kind::Comment), ["# by id"]);
    assert_eq!(of(Kind::String), ["f\"SELECT name FROM users WHERE id=", "\"", "\"x\"", "'y'"]);
    assert_eq!(of(Kind::Number), ["1.5e3"]);
    assert_eq!(of(Kind::Indentation), ["    "; 3]);
    assert_eq!(of(Kind::Newline).len(), 4);
}

#[test]
fn the_pieces_of_other_languages() {
    let c = "#include <a.h>\n/** doc */\nint main(void) { return x->y + 'a'; } // end\n";
    assert_eq!(kinds(c, Language::C, Kind::Docstring), ["/** doc */"]);
    assert_eq!(kinds(c, Language::C, Kind::Comment), ["// end"]);
    assert_eq!(kinds(c, Language::C, Kind::String), ["<a.h>", "'a'"]);
    assert_eq!(kinds(c, Language::C, Kind::Keyword), ["#include", "int", "void", "return"]);
    let js = "const a = `x ${b.c} y`; if (a === /re/g) { f('\\n'); }";
    assert_eq!(kinds(js, Language::JavaScript, Kind::String), ["`x ", " y`", "/re/g", "'\\n'"]);
    assert_eq!(kinds(js, Language::JavaScript, Kind::Identifier), ["a", "b", "c", "a", "f"]);
    let rust = "/// doc\nfn f<'a>(x: &'a str) -> u8 { b'x' }\n";
    assert_eq!(kinds(rust, Language::Rust, Kind::Docstring), ["/// doc"]);
}

#[test]
fn scripts_and_styles_are_of_their_own_languages() {
    let html = "<style>a { color: red; } /* s */</style><p>if<script>\n  if (x) { return 'y'; } // z\n</script>\
                <script type=text/x-template>if</script><script>";
    assert_eq!(kinds(html, Language::Html, Kind::Keyword), ["if", "return"]);
    assert_eq!(kinds(html, Language::Html, Kind::Comment), ["/* s */", "// z"]);
    assert_eq!(kinds(html, Language::Html, Kind::String), ["'y'", "text/x-template"]);
    assert_eq!(kinds(html, Language::Html, Kind::Indentation), ["  "]);
    let mut scratch = CodeScratch::default();
    let names = node_names(Language::Html);
    let inside = html.find("return").unwrap();
    let piece = scratch.split(html.as_bytes(), Some(Language::Html)).iter().find(|piece| piece.span.start == inside);
    assert_eq!(piece.map(|piece| names[usize::from(piece.node)].as_str()), Some("raw_text"));
    // The parser of scripts is then used for whole sources again.
    assert_eq!(kinds("if (x) {}", Language::JavaScript, Kind::Keyword), ["if"]);
    for part in ["<script>", "<style>a{", "</script>", "<script>'", "{", "\n ", "<b>"] {
        for other in ["<script>", "</style>", "`${", "}", "</script>", "é"] {
            assert_covers([part, other].concat().repeat(9).as_bytes(), Some(Language::Html));
        }
    }
}

#[test]
fn what_would_take_the_square_of_its_length_is_split_by_its_characters() {
    for (language, part) in [
        (Language::Html, "<a>"),
        (Language::Html, "<x-y "),
        (Language::Bash, "<a>"),
        (Language::Bash, "<a> "),
        (Language::Python, "/* a "),
    ] {
        let source = part.repeat(30_000);
        let mut scratch = CodeScratch::default();
        assert!(scratch.split(source.as_bytes(), Some(language)).iter().all(|piece| piece.node == 0), "{language:?}");
    }
}

/// A character that the end of a chunk has cut is read again, and may be where the reading is stopped.
#[test]
fn reading_stops_between_any_two_chunks() {
    let source = "<a b='中é😀中'>中<c>é\u{7f}😀 \u{80}".repeat(8);
    for source in
        [source.as_bytes(), &source.as_bytes()[1..], b"\xff\xfe\x80<a>\xe4\xb8\xe4 \xf0\x9f".repeat(9).as_slice()]
    {
        for (chunk, most_times) in (1..=16).flat_map(|chunk| (1..=6).map(move |most_times| (chunk, most_times))) {
            let bounds = Bounds { chunk, most_times, least_chunks: 1, ..BOUNDS };
            for language in [Language::Html, Language::Bash, Language::Python] {
                let nodes = Parser::default().nodes(source, language.grammar().unwrap(), &bounds).map(<[Node]>::len);
                assert!(nodes.is_none_or(|count| count > 0), "{language:?}");
            }
        }
    }
}

#[test]
fn every_language_parses_and_has_keywords() {
    for &language in Language::ALL {
        for source in [SAMPLE, "", "\n", "a", "{\"a\": [1, 2]}", "<a href='x'>y</a>", "\u{feff}x\r\n\ty\r\n"] {
            assert_covers(source.as_bytes(), Some(language));
        }
        assert_eq!(Language::named(language.name()), Some(language));
    }
    assert!(keywords(Language::Python).contains(&"nonlocal".to_string()));
    assert!(!keywords(Language::Python).contains(&"_".to_string()));
}

/// Sources of this project, and one that no grammar is for.
const SOURCES: [(Option<Language>, &str); 6] = [
    (Some(Language::Rust), include_str!("tree.rs")),
    (Some(Language::C), include_str!("../../../bytemill-syntax/src/c/parse.h")),
    (Some(Language::Python), include_str!("../../../../python/bytemill/code/docstrings.py")),
    (Some(Language::Toml), include_str!("../../Cargo.toml")),
    (Some(Language::Html), "<p>a<b c='d'>e</b><ul><li>f<li>g</ul><script>if (h) { i(); }</script><!-- j -->"),
    (None, include_str!("../../../../Makefile")),
];

fn assert_parses_as_stock(parser: &mut Parser, source: &[u8], language: Language) {
    if limits::fits(source, language) {
        let (grammar, mut stock) = (language.grammar().unwrap(), Parser::default());
        // Its own steps ask for more memory, and come to that bound sooner.
        if let Some(expected) = stock.nodes_by_stock_steps(source, grammar, &BOUNDS) {
            assert_eq!(parser.nodes(source, grammar, &BOUNDS), Some(expected), "{language:?}");
        }
    }
}

#[test]
fn every_grammar_finds_the_nodes_of_stock_tree_sitter() {
    let mut parser = Parser::default();
    for &language in Language::ALL {
        for (of, source) in SOURCES.into_iter().chain([(None, SAMPLE), (None, ""), (None, "\u{feff}a\r\n\tb")]) {
            // With the errors of another language, and without.
            let source = source.as_bytes();
            let length = if of == Some(language) { source.len() } else { source.len().min(3000) };
            assert_parses_as_stock(&mut parser, &source[..length], language);
        }
    }
}

#[test]
fn languages_are_detected() {
    let by_name = |name: &str| of_file_name(Path::new(name)).map(Language::name);
    assert_eq!(by_name("src/a.py"), Some("python"));
    assert_eq!(by_name("a.TSX.gz"), Some("tsx"));
    assert_eq!(by_name("Rakefile"), Some("ruby"));
    assert_eq!(by_name("a.txt"), None);
    let by_content = |source: &str| detect(None, source.as_bytes()).map(Language::name);
    assert_eq!(by_content("#!/usr/bin/env python3.11\nx"), Some("python"));
    assert_eq!(by_content("#!/bin/bash -e\nx"), Some("bash"));
    assert_eq!(by_content("<?php echo 1;"), Some("php"));
    assert_eq!(by_content(" {\"a\": 1}"), Some("json"));
    assert_eq!(by_content("[a]\nb = 1\nc = 2\n"), Some("toml"));
    assert_eq!(by_content(SAMPLE), Some("python"));
    assert_eq!(by_content("The quick brown fox jumps over the lazy dog."), None);
    assert_eq!(by_content(""), None);
}

#[test]
fn what_is_no_code_is_split_by_its_characters_in_time() {
    let mut state = 1u64;
    let noise: Vec<u8> = (0..200_000)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            b"abc(){}[]<>\"'#/*=+-.,;: \n"[(state >> 33) as usize % 25]
        })
        .collect();
    for language in [Language::Cpp, Language::JavaScript, Language::Python, Language::TypeScript] {
        let mut scratch = CodeScratch::default();
        assert!(scratch.split(&noise, Some(language)).iter().all(|piece| piece.node == 0));
        assert!(scratch.split(SAMPLE.as_bytes(), Some(Language::Python)).iter().any(|piece| piece.node != 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 64 } else { 512 }))]
    #[test]
    fn pieces_cover_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64), language in 0..=Language::ALL.len()) {
        assert_covers(&bytes, Language::ALL.get(language).copied());
    }

    #[test]
    fn broken_sources_have_the_nodes_of_stock_tree_sitter(
        which in 0..SOURCES.len(), cuts in prop::collection::vec((0..8000usize, 0..200usize, 0..8000usize), 1..5), other in 0..Language::ALL.len()
    ) {
        let (language, source) = SOURCES[which];
        let mut bytes = source.as_bytes().to_vec();
        for (at, length, to) in cuts {
            let at = at % bytes.len();
            let end = (at + length).min(bytes.len() - 1);
            let moved: Vec<u8> = bytes.drain(at..end).collect();
            let to = to % bytes.len();
            if length % 2 == 0 {
                bytes.splice(to..to, moved);
            }
        }
        assert_parses_as_stock(&mut Parser::default(), &bytes, language.unwrap_or(Language::ALL[other]));
    }

    #[test]
    fn pieces_cover_broken_code(cuts in prop::collection::vec((0..SAMPLE.len(), any::<u8>()), 0..6), language in 0..=Language::ALL.len()) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (at, byte) in cuts {
            match byte % 3 {
                0 => { bytes.remove(at % bytes.len()); }
                1 => bytes.insert(at % bytes.len(), byte),
                _ => { let at = at % bytes.len(); bytes[at] = byte; }
            }
        }
        assert_covers(&bytes, Language::ALL.get(language).copied());
    }
}
