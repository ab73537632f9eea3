//! Where a splitter does not mind a cut.

use super::Splitter;
use super::behavior::Behavior;
use super::gpt::{self, deepseek};
use super::runs::{Class, RunSplitter};
use super::scripts;

impl Splitter {
    /// Whether a text may be cut between two characters wherever they stand side by side, with the same pieces on both sides as without
    /// the cut.
    pub fn separates(&self, left: char, right: char) -> bool {
        let classes = |runs: &RunSplitter| (runs.class(left), runs.class(right));
        match self {
            Splitter::Runs(runs) => {
                let (left, right) = classes(runs);
                left != right || matches!(left, Class::Isolated | Class::Removed)
            }
            Splitter::Joined(runs, Behavior::MergedWithPrevious) => classes(runs) == (Class::Isolated, Class::A),
            Splitter::Joined(runs, _) => classes(runs) == (Class::A, Class::Isolated),
            Splitter::Delimiter(delimiter) => left == *delimiter || right == *delimiter,
            Splitter::FixedLength(length) => *length == 1,
            Splitter::Scripts => scripts::separates(left, right),
            // A pattern may look at anything, and so may a grammar.
            Splitter::Pattern(..) | Splitter::Code(_) => false,
            Splitter::Gpt(_) => gpt::separates(left, right),
            Splitter::DeepSeek => deepseek::separates(left, right),
            Splitter::Before(mark) => right == *mark,
            Splitter::Rewrite(_) => false,
            Splitter::Sequence(steps) => Self::decides(steps, left, right, Self::separates),
        }
    }

    /// Whether a character never belongs to a piece, so that a text may be cut before it whatever it follows.
    pub fn drops(&self, c: char) -> bool {
        match self {
            Splitter::Runs(runs) => runs.class(c) == Class::Removed,
            Splitter::Delimiter(delimiter) => c == *delimiter,
            Splitter::Joined(..) | Splitter::Scripts | Splitter::FixedLength(_) | Splitter::Pattern(..) => false,
            Splitter::Gpt(_) | Splitter::DeepSeek | Splitter::Rewrite(_) | Splitter::Before(_) => false,
            Splitter::Code(_) => false,
            Splitter::Sequence(steps) => Self::decides(steps, c, c, |step, _, c| step.drops(c)),
        }
    }

    /// Whether a character is in a piece or not, and the same one, whatever stands around it. A model of characters sees no other difference.
    pub fn takes_each_alone(&self) -> bool {
        match self {
            Splitter::Runs(_) | Splitter::Joined(..) | Splitter::Delimiter(_) | Splitter::FixedLength(_) => true,
            Splitter::Gpt(_) | Splitter::DeepSeek | Splitter::Before(_) => true,
            Splitter::Pattern(_, behavior, _) => *behavior != Behavior::Removed,
            // Drops what has no script at the start of a text.
            Splitter::Scripts => false,
            // May put a mark before a text, or tokens into it.
            Splitter::Rewrite(_) | Splitter::Code(_) => false,
            Splitter::Sequence(steps) => steps.iter().all(Self::takes_each_alone),
        }
    }

    /// A cut inside a piece of an earlier step must leave the rest of that step as it was, and the text after it must not get a mark.
    fn decides(steps: &[Splitter], mut left: char, mut right: char, cuts: fn(&Splitter, char, char) -> bool) -> bool {
        let mut decided = false;
        for step in steps {
            match step {
                Splitter::Rewrite(rewriter) if !rewriter.leaves_start(right, decided) => return false,
                Splitter::Rewrite(rewriter) => (left, right) = (rewriter.changed(left), rewriter.start_of_piece(right)),
                _ if decided => {}
                _ if cuts(step, left, right) => decided = true,
                _ if !step.is_local() => return false,
                _ => {}
            }
        }
        decided
    }

    /// Whether a cut anywhere does no more than split the piece that it falls into.
    fn is_local(&self) -> bool {
        match self {
            Splitter::Runs(_) | Splitter::Joined(..) | Splitter::Delimiter(_) => true,
            Splitter::FixedLength(length) => *length == 1,
            Splitter::Scripts | Splitter::Pattern(..) | Splitter::Gpt(_) | Splitter::DeepSeek => false,
            Splitter::Code(_) => false,
            Splitter::Rewrite(_) | Splitter::Before(_) => true,
            Splitter::Sequence(steps) => steps.iter().all(Self::is_local),
        }
    }
}
