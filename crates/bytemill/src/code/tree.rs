//! Pieces from a syntax tree: its leaves in order, and what lies between them.

use bytemill_syntax::Node;

use super::kind::{Kind, NodeKind, NodeRole};
use super::{CodePiece, Language, html, lexical};
use crate::text::span::Span;

/// An ancestor of the node that the walk is at.
#[derive(Debug)]
pub(super) struct Frame {
    kind: u16,
    start: usize,
    end: usize,
    within: Within,
    /// Named children so far, without comments.
    statements: u32,
}

/// Where the walk is: in code, or in a literal, which has a number; those of Python may be docstrings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Code,
    Literal { number: u32, kind: Kind },
}

pub(super) struct Walk<'a> {
    source: &'a [u8],
    /// Where the tree is; outside of it there is nothing.
    span: Span,
    kinds: &'a [NodeKind],
    pieces: &'a mut Vec<CodePiece>,
    frames: &'a mut Vec<Frame>,
    done: usize,
    literals: u32,
    /// The literal that the last piece is of.
    last_literal: u32,
    /// The parts in another language, as far as a grammar knows it.
    embedded: Vec<Embedded>,
}

/// A stretch of a source that is of another language.
#[derive(Debug)]
pub(super) struct Embedded {
    pub language: Language,
    pub span: Span,
    /// The pieces that it has by its characters.
    pub pieces: std::ops::Range<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        source: &'a [u8],
        span: Span,
        kinds: &'a [NodeKind],
        pieces: &'a mut Vec<CodePiece>,
        frames: &'a mut Vec<Frame>,
    ) -> Self {
        frames.clear();
        Walk {
            source,
            span,
            kinds,
            pieces,
            frames,
            done: span.start,
            literals: 0,
            last_literal: 0,
            embedded: Vec::new(),
        }
    }

    /// Through the nodes of a tree. Gives what is of other languages.
    pub(super) fn run(mut self, nodes: &[Node]) -> Vec<Embedded> {
        for node in nodes {
            while self.frames.len() > node.depth as usize {
                self.leave();
            }
            // The nodes in a node whose text is settled have nothing to add, at any depth.
            let is_open = self.frames.last().is_none_or(|frame| frame.end > self.done);
            if is_open && self.frames.len() == node.depth as usize {
                self.enter(node);
            }
        }
        while !self.frames.is_empty() {
            self.leave();
        }
        self.lex(self.span.end, nodes.first().map_or(0, |root| root.kind), 0);
        self.embedded
    }

    fn node_kind(&self, kind: u16) -> NodeKind {
        // The kind of errors is not among those of the grammar.
        self.kinds.get(usize::from(kind)).copied().unwrap_or(NodeKind::ERROR)
    }

    fn enter(&mut self, node: &Node) {
        let (kind, start, end) =
            (node.kind, self.span.start + node.start as usize, self.span.start + node.end as usize);
        let NodeKind { role, named, .. } = self.node_kind(kind);
        self.fill(start);
        let parent = self.frames.last_mut();
        let outside = parent.as_ref().map_or(Within::Code, |parent| parent.within);
        if let Some(parent) = parent
            && named
            && role != NodeRole::Comment
        {
            parent.statements += 1;
        }
        let within = match role {
            NodeRole::Literal if outside == Within::Code => {
                self.literals += 1;
                Within::Literal { number: self.literals, kind: self.literal_kind(start) }
            }
            NodeRole::Interpolation => Within::Code,
            _ => outside,
        };
        self.frames.push(Frame { kind, start, end, within, statements: 0 });
        if role == NodeRole::Comment && within == Within::Code {
            self.comment(end, kind);
        } else if !node.has_children && start < end {
            let first = self.pieces.len();
            self.leaf(end, kind, role, within);
            if role == NodeRole::Lexical {
                self.embed(Span::new(start, end), first);
            }
        }
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.last() {
            self.fill(frame.end);
            self.frames.pop();
        }
    }

    /// Remembers the text of a script or a style, whose pieces from `first` on are those of its characters.
    fn embed(&mut self, span: Span, first: usize) {
        let [.., element, _] = self.frames.as_slice() else { return };
        if !self.node_kind(element.kind).embeds {
            return;
        }
        if let Some(language) = html::embedded(&self.source[element.start..span.start]) {
            self.embedded.push(Embedded { language, span, pieces: first..self.pieces.len() });
        }
    }

    /// What lies between nodes, up to `end`, belongs to the node around it.
    fn fill(&mut self, end: usize) {
        if end <= self.done {
            return;
        }
        let Some(&Frame { kind, within, .. }) = self.frames.last() else { return self.lex(end, 0, 0) };
        let depth = self.depth();
        match within {
            Within::Code => self.lex(end, kind, depth),
            Within::Literal { number, kind: literal } => self.literal(end, number, literal, kind),
        }
    }

    fn leaf(&mut self, end: usize, kind: u16, role: NodeRole, within: Within) {
        let depth = self.depth();
        let text = &self.source[self.done..end];
        match (within, role) {
            (Within::Literal { number, kind: literal }, _) => self.literal(end, number, literal, kind),
            (_, NodeRole::Leaf(Kind::Newline) | NodeRole::Lexical) => self.lex(end, kind, depth),
            // `not in`, as some grammars have it.
            (_, NodeRole::Leaf(_)) if text.iter().any(u8::is_ascii_whitespace) => self.lex(end, kind, depth),
            (_, NodeRole::Leaf(Kind::Operator)) if text[0].is_ascii_alphabetic() => self.lex(end, kind, depth),
            (_, NodeRole::Constant)
                if text[0].is_ascii_uppercase() && text.get(1).is_some_and(u8::is_ascii_uppercase) =>
            {
                self.push(end, Kind::Identifier, kind, depth)
            }
            (_, NodeRole::Constant) => self.push(end, Kind::Keyword, kind, depth),
            (_, NodeRole::Value) => match text[0] {
                b'0'..=b'9' | b'.' | b'+' | b'-' => self.push(end, Kind::Number, kind, depth),
                _ => self.push(end, Kind::String, kind, depth),
            },
            (_, NodeRole::Leaf(found)) => self.push(end, found, kind, depth),
            (_, NodeRole::Interpolation) => self.push(end, Kind::Identifier, kind, depth),
            _ => self.lex(end, kind, depth),
        }
    }

    fn literal(&mut self, end: usize, number: u32, literal: Kind, kind: u16) {
        match self.pieces.last_mut() {
            Some(last) if self.last_literal == number && last.span.end == self.done && last.kind == literal => {
                last.span.end = end;
                self.done = end;
            }
            _ => self.push(end, literal, kind, self.depth()),
        }
        self.last_literal = number;
    }

    /// Some grammars take the end of the line along.
    fn comment(&mut self, end: usize, kind: u16) {
        let depth = self.depth();
        let text = &self.source[self.done..end];
        let length = text.len() - text.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let found = if is_doc_comment(text) { Kind::Docstring } else { Kind::Comment };
        self.push(self.done + length, found, kind, depth);
        self.lex(end, kind, depth);
    }

    /// Whether a literal that begins here is the first statement of a body, by itself.
    fn literal_kind(&self, start: usize) -> Kind {
        let [above @ .., body, statement] = self.frames.as_slice() else { return Kind::String };
        let first = statement.statements == 1 && body.statements == 1;
        let alone = self.node_kind(statement.kind).expression && self.node_kind(body.kind).body;
        let begins = above.last().is_none_or(|owner| self.node_kind(owner.kind).definition);
        let formatted = self.source.get(start).is_some_and(|byte| matches!(byte | 0x20, b'f' | b'b'));
        if first && alone && begins && !formatted { Kind::Docstring } else { Kind::String }
    }

    fn lex(&mut self, end: usize, node: u16, depth: u16) {
        if end <= self.done {
            return;
        }
        let line_start = self.done == 0 || matches!(self.source[self.done - 1], b'\n' | b'\r');
        let (text, ends) = (&self.source[self.done..end], end == self.source.len());
        let follows = self.source.get(end).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
        lexical::split(text, line_start, ends || follows, |length, kind| {
            let span = Span::new(self.done, self.done + length);
            self.pieces.push(CodePiece { span, kind, node, depth });
            self.done = span.end;
        });
    }

    fn push(&mut self, end: usize, kind: Kind, node: u16, depth: u16) {
        if end > self.done {
            self.pieces.push(CodePiece { span: Span::new(self.done, end), kind, node, depth });
            self.done = end;
        }
    }

    fn depth(&self) -> u16 {
        u16::try_from(self.frames.len() - 1).unwrap_or(u16::MAX)
    }
}

/// `/** … */`, `/*! … */`, `/// …`, `//! …`, and not their cousins of stars and slashes alone; `-- | …` and `{-| … -}` of Haskell.
fn is_doc_comment(text: &[u8]) -> bool {
    match text {
        [b'/', b'*', b'*', b'/', ..] | [b'/', b'*', b'*', b'*', ..] | [b'/', b'/', b'/', b'/', ..] => false,
        [b'/', b'*', b'*' | b'!', ..] | [b'/', b'/', b'/' | b'!', ..] => true,
        [b'-', b'-', b' ', b'|' | b'^', ..] | [b'{', b'-', b'|', ..] | [b'{', b'-', b' ', b'|', ..] => true,
        _ => false,
    }
}
