//! Source code: what its pieces are, and what identifiers are made of.
//!
//! ```text
//! bytes ─detect→ Language ─tree-sitter→ Tree ─walk→ pieces: keyword, identifier, string, …
//!                        └──── none ────lexical──┘
//! ```
//!
//! The pieces of any bytes, joined, are these bytes.

mod detect;
mod files;
mod html;
mod identifiers;
mod kind;
mod language;
mod lexical;
mod limits;
mod tree;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use tree_sitter::{ParseOptions, ParseState, Parser, Range, Tree};

pub use detect::{detect, of_file_name};
pub use files::files;
pub use identifiers::split_identifier;
pub use kind::Kind;
pub use language::{GRAMMARS, Language};

use crate::span::Span;
use kind::NodeKind;
use tree::{Embedded, Walk};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub span: Span,
    pub kind: Kind,
    /// The number of the node's kind in its grammar.
    pub node: u16,
    /// How many nodes are around it.
    pub depth: u16,
}

/// What parsing reuses.
#[derive(Default)]
pub struct CodeScratch {
    whole: LanguageParser,
    /// For what is embedded.
    inner: LanguageParser,
    pub pieces: Vec<Piece>,
}

/// A parser, and the language that it is set to.
#[derive(Default)]
struct LanguageParser {
    parser: Parser,
    language: Option<Language>,
}

/// The kinds of nodes of each language, in the order of `Language::ALL`. They follow from the grammars alone.
static NODE_KINDS: [OnceLock<Vec<NodeKind>>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];

fn kinds_of(language: Language) -> &'static [NodeKind] {
    NODE_KINDS[language as usize].get_or_init(|| kind::node_kinds(&language.grammar()))
}

impl CodeScratch {
    /// The pieces of a source; by its characters alone where there is no language.
    pub fn split(&mut self, source: &[u8], language: Option<Language>) -> &[Piece] {
        self.pieces.clear();
        let tree = language.and_then(|language| Some((self.whole.tree(source, language, None)?, language)));
        match tree {
            Some((tree, language)) => {
                let walk = Walk::new(source, kinds_of(language), &mut self.pieces);
                let embedded = walk.run(&tree, 0, source.len());
                if !embedded.is_empty() {
                    self.split_embedded(source, embedded);
                }
            }
            None => {
                let (mut done, pieces) = (0, &mut self.pieces);
                lexical::split(source, true, true, |length, kind| {
                    let span = Span::new(done, done + length);
                    pieces.push(Piece { span, kind, node: 0, depth: 0 });
                    done = span.end;
                });
            }
        }
        &self.pieces
    }

    /// Puts what the grammars of embedded languages tell in place of what the characters told. The nodes stay those of the whole.
    fn split_embedded(&mut self, source: &[u8], embedded: Vec<Embedded>) {
        let before = std::mem::take(&mut self.pieces);
        let mut done = 0;
        for Embedded { language, range, pieces } in embedded {
            let Some(tree) = self.inner.tree(source, language, Some(range)) else { continue };
            self.pieces.extend_from_slice(&before[done..pieces.start]);
            done = pieces.end;
            let Some(&Piece { node, depth, .. }) = before.get(pieces.start) else { continue };
            let first = self.pieces.len();
            let walk = Walk::new(source, kinds_of(language), &mut self.pieces);
            walk.run(&tree, range.start_byte, range.end_byte);
            self.pieces[first..].iter_mut().for_each(|piece| (piece.node, piece.depth) = (node, depth));
        }
        self.pieces.extend_from_slice(&before[done..]);
    }
}

/// A parser looks up every hundred steps, about every 150 bytes. It has lost its way if it had at more than one in so many looks, after
/// so many; sources of real languages, with the errors that they have, are below one in a thousand.
const LOST_SHARE: u32 = 16;
const LOST_AFTER: u32 = 128;

/// A parser is handed the source in chunks of so many bytes, and each of them, because it looks ahead and comes back, a few times. Some
/// scanners look for something to the end of the source at every token, and then it is many times.
const CHUNK: usize = 4096;
const MOST_TIMES: usize = 64;
/// Chunks that even a short source is taken to have, where errors at its end bring a parser back and back.
const LEAST_CHUNKS: usize = 16;

impl LanguageParser {
    /// The tree of a source, or of a range of it. None where the source is not what the grammar expects, all over, or where a scanner reads
    /// it again and again: the time then grows with the square of the length. Counted in steps and chunks and not in seconds, so that the
    /// pieces of a source are always the same.
    fn tree(&mut self, source: &[u8], language: Language, range: Option<Range>) -> Option<Tree> {
        let text = range.map_or(source, |range| &source[range.start_byte..range.end_byte]);
        if u32::try_from(source.len()).is_err() || !limits::fits(text, language) {
            return None;
        }
        if self.language != Some(language) {
            self.language = self.parser.set_language(&language.grammar()).is_ok().then_some(language);
        }
        self.language?;
        self.parser.reset();
        self.parser.set_included_ranges(range.as_slice()).ok()?;
        let (mut checks, mut lost) = (0u32, 0u32);
        let (times, most) = (Cell::new(0), MOST_TIMES * (text.len() / CHUNK + LEAST_CHUNKS));
        let mut watch = |state: &ParseState| {
            checks += 1;
            lost += u32::from(state.has_error());
            match checks >= LOST_AFTER && lost > checks / LOST_SHARE || times.get() > most {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let mut read = |at: usize, _| {
            times.set(times.get() + 1);
            // Who has read too much is given no more, and comes to an end soon.
            let end = if times.get() > most { at } else { source.len().min(at.saturating_add(CHUNK)) };
            source.get(at..end).unwrap_or_default()
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        let tree = self.parser.parse_with_options(&mut read, None, Some(options));
        tree.filter(|_| times.get() <= most)
    }
}

impl std::fmt::Debug for CodeScratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodeScratch").field("language", &self.whole.language).finish_non_exhaustive()
    }
}

/// The names of the kinds of nodes of a language, by their numbers.
pub fn node_names(language: Language) -> Vec<String> {
    let grammar = language.grammar();
    let name = |id: usize| grammar.node_kind_for_id(id as u16).unwrap_or_default().to_string();
    (0..grammar.node_kind_count()).map(name).collect()
}

/// The keywords of a language, sorted.
pub fn keywords(language: Language) -> Vec<String> {
    kind::keywords(&language.grammar())
}

#[cfg(test)]
mod tests;
