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
mod identifiers;
mod kind;
mod language;
mod lexical;
mod limits;
mod tree;

use std::ops::ControlFlow;
use std::sync::OnceLock;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

pub use detect::{detect, of_file_name};
pub use files::files;
pub use identifiers::split_identifier;
pub use kind::Kind;
pub use language::{GRAMMARS, Language};

use crate::span::Span;
use kind::NodeKind;
use tree::Walk;

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
    parser: Parser,
    language: Option<Language>,
    pub pieces: Vec<Piece>,
}

/// A parser looks up every hundred steps, about every 150 bytes. It has lost its way if it had at more than one in so many looks, after
/// so many; sources of real languages, with the errors that they have, are below one in a thousand.
const LOST_SHARE: u32 = 16;
const LOST_AFTER: u32 = 128;

/// The kinds of nodes of each language, in the order of `Language::ALL`. They follow from the grammars alone.
static NODE_KINDS: [OnceLock<Vec<NodeKind>>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];

impl CodeScratch {
    /// The pieces of a source; by its characters alone where there is no language.
    pub fn split(&mut self, source: &[u8], language: Option<Language>) -> &[Piece] {
        self.pieces.clear();
        let tree = language
            .filter(|&language| u32::try_from(source.len()).is_ok() && limits::fits(source, language))
            .and_then(|language| {
                if self.language != Some(language) {
                    self.language = self.parser.set_language(&language.grammar()).is_ok().then_some(language);
                }
                self.language?;
                self.parser.reset();
                Some((parse(&mut self.parser, source)?, language))
            });
        match tree {
            Some((tree, language)) => {
                let kinds = NODE_KINDS[language as usize].get_or_init(|| kind::node_kinds(&language.grammar()));
                Walk::new(source, kinds, &mut self.pieces).run(&tree);
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
}

/// None where the source is not what the grammar expects, all over: looking for a way out at every token takes time that grows with the
/// square of the length. Counted in steps of the parser and not in seconds, so that the pieces of a source are always the same.
fn parse(parser: &mut Parser, source: &[u8]) -> Option<Tree> {
    let (mut checks, mut lost) = (0u32, 0u32);
    let mut watch = |state: &ParseState| {
        checks += 1;
        lost += u32::from(state.has_error());
        match checks >= LOST_AFTER && lost > checks / LOST_SHARE {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    parser.parse_with_options(&mut |at, _| source.get(at..).unwrap_or_default(), None, Some(options))
}

impl std::fmt::Debug for CodeScratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodeScratch").field("language", &self.language).finish_non_exhaustive()
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
