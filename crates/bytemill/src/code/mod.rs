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
mod sections;
mod tree;
mod wheels;

use std::sync::OnceLock;

use bytemill_syntax::{Bounds, Parser};
pub use bytemill_syntax::{Grammar, Node};

pub use detect::detect;
pub(crate) use detect::of_file_name;
pub use files::files;
pub use identifiers::split_identifier;
pub use kind::Kind;
pub(crate) use language::GRAMMARS;
pub use language::Language;
pub(crate) use sections::{DocSection, sections};
pub use wheels::{GrammarSource, WheelGrammar, bring, set_grammar_source};

use crate::text::span::Span;
use kind::NodeKind;
use tree::{Embedded, Frame, Walk};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodePiece {
    pub span: Span,
    pub kind: Kind,
    /// The number of the node's kind in its grammar.
    pub node: u16,
    /// How many nodes are around it.
    pub depth: u16,
}

/// What parsing reuses.
#[derive(Debug, Default)]
pub struct CodeScratch {
    parser: Parser,
    frames: Vec<Frame>,
    pub pieces: Vec<CodePiece>,
}

/// Languages that have a grammar, of which the last variant of the enum is none.
const WITH_GRAMMARS: usize = Language::Text as usize;

/// The kinds of nodes of each language, in the order of the enum. They follow from the grammars alone.
static NODE_KINDS: [OnceLock<Vec<NodeKind>>; WITH_GRAMMARS] = [const { OnceLock::new() }; WITH_GRAMMARS];

fn kinds_of(language: Language, grammar: Grammar) -> &'static [NodeKind] {
    NODE_KINDS[language as usize].get_or_init(|| kind::node_kinds(language, grammar))
}

/// Where a parse is given up: the time would grow with the square of the length where a source is not what its grammar expects, all over, or
/// where a scanner looks for something to the end of the source at every token, or where versions of a long stack are copied at every one.
/// Sources of real languages, with the errors that they have, are lost at less than one look in a thousand, chunks are read a few times,
/// because a parser looks ahead and comes back, and memory is some dozens of times what the source takes.
const BOUNDS: Bounds =
    Bounds { lost_share: 16, lost_after: 128, chunk: 4096, most_times: 64, least_chunks: 16, most_memory: 500 };

/// Pieces that there is room for between two sources.
const MOST_KEPT: usize = 1 << 17;

impl CodeScratch {
    /// The pieces of a source; by its characters alone where there is no language.
    pub fn split(&mut self, source: &[u8], language: Option<Language>) -> &[CodePiece] {
        self.pieces.clear();
        match language.and_then(|language| self.walk(source, Span::new(0, source.len()), language)) {
            Some(embedded) if embedded.is_empty() => {}
            Some(embedded) => self.split_embedded(source, embedded),
            None => {
                let (mut done, pieces) = (0, &mut self.pieces);
                lexical::split(source, true, true, |length, kind| {
                    let span = Span::new(done, done + length);
                    pieces.push(CodePiece { span, kind, node: 0, depth: 0 });
                    done = span.end;
                });
            }
        }
        &self.pieces
    }

    /// Gives back what only the pieces of a very large source have needed.
    pub fn forget_if_large(&mut self) {
        self.pieces.clear();
        self.pieces.shrink_to(MOST_KEPT);
        self.frames.shrink_to(MOST_KEPT);
    }

    /// Adds the pieces of a stretch of a source by its grammar, and gives what in it is of other languages. None, and nothing is added, where
    /// a grammar does not do.
    fn walk(&mut self, source: &[u8], span: Span, language: Language) -> Option<Vec<Embedded>> {
        let text = &source[span.range()];
        let grammar = language.grammar().filter(|_| limits::fits(text, language))?;
        let nodes = self.parser.nodes(text, grammar, &BOUNDS)?;
        Some(Walk::new(source, span, kinds_of(language, grammar), &mut self.pieces, &mut self.frames).run(nodes))
    }

    /// The nodes of a source in their order; by tree-sitter's own steps for tests that compare. None where a grammar does not do.
    pub fn nodes(&mut self, source: &[u8], language: Language, stock: bool) -> Option<&[Node]> {
        let grammar = language.grammar().filter(|_| limits::fits(source, language))?;
        match stock {
            true => self.parser.nodes_by_stock_steps(source, grammar, &BOUNDS),
            false => self.parser.nodes(source, grammar, &BOUNDS),
        }
    }

    /// Puts what the grammars of embedded languages tell in place of what the characters told. The nodes stay those of the whole.
    fn split_embedded(&mut self, source: &[u8], embedded: Vec<Embedded>) {
        let before = std::mem::take(&mut self.pieces);
        let mut done = 0;
        for Embedded { language, span, pieces } in embedded {
            self.pieces.extend_from_slice(&before[done..pieces.start]);
            done = pieces.start;
            let first = self.pieces.len();
            let Some(&CodePiece { node, depth, .. }) = before.get(pieces.start) else { continue };
            if self.walk(source, span, language).is_some() {
                done = pieces.end;
                self.pieces[first..].iter_mut().for_each(|piece| (piece.node, piece.depth) = (node, depth));
            }
        }
        self.pieces.extend_from_slice(&before[done..]);
    }
}

/// The names of the kinds of nodes of a language, by their numbers.
pub fn node_names(language: Language) -> Vec<String> {
    let names = |grammar: Grammar| (0..grammar.kind_count()).map(move |id| grammar.kind_name(id).to_string());
    language.grammar().into_iter().flat_map(names).collect()
}

/// The keywords of a language, sorted.
pub fn keywords(language: Language) -> Vec<String> {
    language.grammar().map(|grammar| kind::keywords(language, grammar)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
