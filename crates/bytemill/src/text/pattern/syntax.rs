//! What a pattern means: the tree that `parse` gives and `program` compiles.

use super::set::Set;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PatternNode {
    Set(Set),
    /// A character in either case; only those with a simple fold are accepted.
    Folded(char),
    Sequence(Vec<PatternNode>),
    Alternatives(Vec<PatternNode>),
    Repeat(Box<Repeat>),
    Look(Box<Look>),
    Assert(Assertion),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Repeat {
    pub node: PatternNode,
    pub least: u32,
    pub most: Option<u32>,
    pub kind: Greediness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greediness {
    Greedy,
    Lazy,
    Possessive,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    pub node: PatternNode,
    pub behind: bool,
    pub negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assertion {
    /// `^`
    LineStart,
    /// `$`
    LineEnd,
    /// `\A`
    TextStart,
    /// `\z`
    TextEnd,
    /// `\Z`
    TextEndOrLastLine,
    /// `\b`
    WordBorder,
    /// `\B`
    NoWordBorder,
}

/// Whether something was asked for that the start of a line may not have, or that of the text.
#[derive(Debug, Clone, Copy, Default)]
struct StartNeeds {
    of_line: bool,
    of_text: bool,
}

impl PatternNode {
    /// The fewest and the most characters that a match has; None for no limit.
    pub(super) fn width(&self) -> (u32, Option<u32>) {
        match self {
            PatternNode::Set(_) | PatternNode::Folded(_) => (1, Some(1)),
            PatternNode::Look(_) | PatternNode::Assert(_) => (0, Some(0)),
            PatternNode::Sequence(nodes) => {
                nodes.iter().map(PatternNode::width).fold((0, Some(0)), |(least, most), (l, m)| {
                    (least.saturating_add(l), most.zip(m).map(|(a, b)| a.saturating_add(b)))
                })
            }
            PatternNode::Alternatives(nodes) => {
                let widths = nodes.iter().map(PatternNode::width);
                widths
                    .reduce(|(least, most), (l, m)| (least.min(l), most.zip(m).map(|(a, b)| a.max(b))))
                    .unwrap_or((0, Some(0)))
            }
            PatternNode::Repeat(repeat) => {
                let (least, most) = repeat.node.width();
                let most = match (most, repeat.most) {
                    (Some(0), _) => Some(0),
                    (most, times) => most.zip(times).map(|(most, times)| most.saturating_mul(times)),
                };
                (least.saturating_mul(repeat.least), most)
            }
        }
    }

    /// Whether the node can match nothing at all.
    pub(super) fn may_be_empty(&self) -> bool {
        self.width().0 == 0
    }

    /// Whether Oniguruma overlooks matches. Where a pattern begins with `.*` or its like, it tries starts of lines only, or where `.` is any
    /// character that of the text, since what matches after them matches there too; but not if something else is asked for first.
    pub(super) fn hides_matches(&self) -> bool {
        self.begins_with_rest(&mut StartNeeds::default()).unwrap_or(false)
    }

    /// None if it does not begin with `.*`; else whether something is asked for first that the start of a line, or of the text, may not have.
    fn begins_with_rest(&self, asked: &mut StartNeeds) -> Option<bool> {
        match self {
            PatternNode::Set(_)
            | PatternNode::Folded(_)
            | PatternNode::Assert(Assertion::LineStart | Assertion::TextStart) => None,
            PatternNode::Assert(_) => {
                *asked = StartNeeds { of_line: true, of_text: true };
                None
            }
            PatternNode::Look(look) => {
                asked.of_text |= !look.behind;
                None
            }
            PatternNode::Sequence(nodes) => {
                for node in nodes {
                    let found = node.begins_with_rest(asked);
                    if found.is_some() || node.width().1 != Some(0) {
                        return found;
                    }
                }
                None
            }
            PatternNode::Alternatives(nodes) => {
                let before = *asked;
                let each = nodes.iter().map(|node| {
                    let mut here = before;
                    let found = node.begins_with_rest(&mut here);
                    *asked =
                        StartNeeds { of_line: asked.of_line | here.of_line, of_text: asked.of_text | here.of_text };
                    found
                });
                each.reduce(|one, other| one.zip(other).map(|(one, other)| one | other)).flatten()
            }
            PatternNode::Repeat(repeat) => {
                // A repetition of a repetition is one to Oniguruma: `(?:.+?)+` is `.+`.
                let is_nested = matches!(repeat.node, PatternNode::Repeat(_));
                let (mut node, mut is_endless) = (&repeat.node, repeat.most.is_none());
                while let PatternNode::Repeat(inner) = node {
                    (node, is_endless) = (&inner.node, is_endless | inner.most.is_none());
                }
                match node {
                    PatternNode::Set(set) if is_endless && (is_nested || repeat.kind != Greediness::Lazy) => {
                        let of_line = (*set == Set::rest_of_line()).then_some(asked.of_line);
                        of_line.or((*set == Set::everything()).then_some(asked.of_text))
                    }
                    _ if repeat.least == 0 => None,
                    _ => repeat.node.begins_with_rest(asked),
                }
            }
        }
    }

    /// The folded characters that a match may begin with, or end with; true if it may also be empty.
    fn edge(&self, first: bool, found: &mut Vec<char>) -> bool {
        match self {
            PatternNode::Set(_) => false,
            PatternNode::Folded(c) => {
                found.push(*c);
                false
            }
            PatternNode::Look(_) | PatternNode::Assert(_) => true,
            PatternNode::Sequence(nodes) if first => nodes.iter().all(|node| node.edge(first, found)),
            PatternNode::Sequence(nodes) => nodes.iter().rev().all(|node| node.edge(first, found)),
            PatternNode::Alternatives(nodes) => nodes.iter().fold(false, |empty, node| node.edge(first, found) | empty),
            PatternNode::Repeat(repeat) => repeat.node.edge(first, found) | (repeat.least == 0),
        }
    }

    /// Two folded characters that may follow one another and that together fold to one character (ß, ﬆ, ﬀ, ﬁ, ﬂ).
    pub(super) fn ligature(&self) -> Option<(char, char)> {
        match self {
            PatternNode::Set(_) | PatternNode::Folded(_) | PatternNode::Assert(_) => None,
            PatternNode::Look(look) => look.node.ligature(),
            PatternNode::Alternatives(nodes) => nodes.iter().find_map(PatternNode::ligature),
            PatternNode::Repeat(repeat) => repeat.node.ligature().or_else(|| match repeat.most {
                Some(0 | 1) => None,
                _ => joined(&repeat.node, std::slice::from_ref(&repeat.node)),
            }),
            PatternNode::Sequence(nodes) => nodes
                .iter()
                .find_map(PatternNode::ligature)
                .or_else(|| nodes.iter().enumerate().find_map(|(i, node)| joined(node, &nodes[i + 1..]))),
        }
    }
}

fn joined(left: &PatternNode, rest: &[PatternNode]) -> Option<(char, char)> {
    let (mut ends, mut starts) = (Vec::new(), Vec::new());
    left.edge(false, &mut ends);
    let _ = rest.iter().all(|node| node.edge(true, &mut starts));
    let pairs = ends.iter().flat_map(|&end| starts.iter().map(move |&start| (end, start)));
    pairs.into_iter().find(|pair| matches!(pair, ('s', 's' | 't') | ('f', 'f' | 'i' | 'l')))
}
