//! Syntax trees as lists of nodes.
//!
//! The grammars and the parser are tree-sitter's; the same nodes, in half of the instructions: memory in one arena that is emptied at
//! once, the steps of a parse without what several versions of it need while there is one, and no cursor. It is C, because it is
//! compiled together with tree-sitter's own sources. The slow twin, [`Parser::nodes_by_stock_steps`], takes tree-sitter's own steps.

mod grammar;

use std::ffi::c_char;
use std::ptr::NonNull;

pub use grammar::{ABI_VERSIONS, Grammar};

/// A visible node of a tree.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub start: u32,
    pub end: u32,
    /// How many nodes are around it.
    pub depth: u32,
    /// Its number in the grammar; of what cannot be parsed, the last one that there is.
    pub kind: u16,
    /// Whether nodes that are visible are in it.
    pub has_children: bool,
}

/// Where a parse is given up. Counted in steps and chunks and not in seconds, so that it is always the same.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// A parser looks up every hundred steps, about every 150 bytes. It has lost its way if it is in error at more than one in this many looks,
    pub lost_share: u32,
    /// after this many looks.
    pub lost_after: u32,
    /// The source is read in chunks of this many bytes,
    pub chunk: u32,
    /// each at most this many times on average,
    pub most_times: u32,
    /// where even a short source counts as this many chunks.
    pub least_chunks: u32,
    /// At most this many bytes of memory may be asked for, for each byte of these chunks; memory that is given back counts as well.
    pub most_memory: u32,
}

/// What a parse reuses: the memory of the one before, if there was one.
#[derive(Debug, Default)]
pub struct Parser(Option<NonNull<RawSyntax>>);

#[repr(C)]
struct RawSyntax {
    _private: [u8; 0],
}

// SAFETY: what it points to is its own, and nothing of it belongs to a thread but during a call.
unsafe impl Send for Parser {}
// SAFETY: with a shared reference nothing can be done.
unsafe impl Sync for Parser {}

unsafe extern "C" {
    fn bytemill_syntax_new() -> NonNull<RawSyntax>;
    fn bytemill_syntax_delete(syntax: NonNull<RawSyntax>);
    fn bytemill_syntax_nodes(
        syntax: NonNull<RawSyntax>,
        grammar: Grammar,
        source: *const c_char,
        length: u32,
        bounds: &Bounds,
        stock: bool,
        count: &mut u32,
    ) -> *const Node;
}

impl Parser {
    /// The nodes of a source in their order, the root first. None where the parse was given up.
    pub fn nodes(&mut self, source: &[u8], grammar: Grammar, bounds: &Bounds) -> Option<&[Node]> {
        self.run(source, grammar, bounds, false)
    }

    pub fn nodes_by_stock_steps(&mut self, source: &[u8], grammar: Grammar, bounds: &Bounds) -> Option<&[Node]> {
        self.run(source, grammar, bounds, true)
    }

    fn run(&mut self, source: &[u8], grammar: Grammar, bounds: &Bounds, stock: bool) -> Option<&[Node]> {
        // The last number means "to the end" to the parser.
        let length = u32::try_from(source.len()).ok().filter(|&length| length < u32::MAX)?;
        // SAFETY: it asks for nothing, and ends the process where there is no memory.
        let syntax = *self.0.get_or_insert_with(|| unsafe { bytemill_syntax_new() });
        let mut count = 0;
        // SAFETY: it is ours alone during the call, the source is as long as said, and grammars are those of tree-sitter.
        let nodes = unsafe {
            bytemill_syntax_nodes(syntax, grammar, source.as_ptr().cast(), length, bounds, stock, &mut count)
        };
        // SAFETY: `count` nodes are there and stay until the next call, for which `self` must be borrowed again.
        (!nodes.is_null()).then(|| unsafe { std::slice::from_raw_parts(nodes, count as usize) })
    }
}

impl Drop for Parser {
    fn drop(&mut self) {
        if let Some(syntax) = self.0 {
            // SAFETY: it is not used after this.
            unsafe { bytemill_syntax_delete(syntax) }
        }
    }
}
