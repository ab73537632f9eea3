//! Pretokenize: normalized text → the spans that the model sees one at a time.
//!
//! `PreTokenizer` is the plain data that files hold; `Splitter` is the same thing ready to run.

mod behavior;
mod blocks;
pub mod gpt;
mod naive;
pub mod runs;

use serde::{Deserialize, Serialize};

pub use behavior::Behavior;
use gpt::{GptSplitter, Scheme};
use runs::{Borders, Class, RunSplitter};

use crate::class::{self, LETTER, NUMBER, NUMERIC, PUNCTUATION, WHITE, WORD};
use crate::error::{Error, Result};
use crate::span::Span;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum PreTokenizer {
    /// `\w+|[^\w\s]+`
    Whitespace,
    /// Whatever stands between white space.
    WhitespaceSplit,
    /// Whatever stands between white space, each punctuation character by itself.
    Bert,
    Punctuation {
        behavior: Behavior,
    },
    /// Numbers apart from the rest.
    Digits {
        individual: bool,
    },
    /// One character separates and is dropped.
    Delimiter {
        character: char,
    },
    /// So many characters a piece.
    FixedLength {
        length: usize,
    },
    #[serde(rename = "gpt2")]
    Gpt2,
    #[serde(rename = "cl100k")]
    Cl100k,
    #[serde(rename = "o200k")]
    O200k,
    #[serde(rename = "qwen2")]
    Qwen2,
    Tekken,
    /// Each step splits the pieces of the one before.
    Sequence {
        steps: Vec<PreTokenizer>,
    },
}

impl PreTokenizer {
    /// Whether the pieces cover the text, so that joining them gives it back.
    pub fn covers(&self) -> bool {
        match self {
            PreTokenizer::Whitespace
            | PreTokenizer::WhitespaceSplit
            | PreTokenizer::Bert
            | PreTokenizer::Delimiter { .. } => false,
            PreTokenizer::Punctuation { behavior } => *behavior != Behavior::Removed,
            PreTokenizer::Digits { .. } | PreTokenizer::FixedLength { .. } => true,
            PreTokenizer::Gpt2 | PreTokenizer::Cl100k | PreTokenizer::O200k => true,
            PreTokenizer::Qwen2 | PreTokenizer::Tekken => true,
            PreTokenizer::Sequence { steps } => steps.iter().all(Self::covers),
        }
    }
}

/// A pretokenizer, ready to run.
#[derive(Debug, Clone)]
pub enum Splitter {
    Runs(Box<RunSplitter>),
    /// Matches isolated by `runs`, then joined to a neighbour.
    Joined(Box<RunSplitter>, Behavior),
    Delimiter(char),
    FixedLength(usize),
    Gpt(Box<GptSplitter>),
    Sequence(Vec<Splitter>),
}

impl Splitter {
    pub fn new(definition: &PreTokenizer) -> Result<Self> {
        Ok(match definition {
            PreTokenizer::Whitespace => Self::runs(|bits| match bits {
                _ if bits & WHITE != 0 => Class::Removed,
                _ if bits & WORD != 0 => Class::A,
                _ => Class::B,
            }),
            PreTokenizer::WhitespaceSplit => Self::runs(|bits| match bits {
                _ if bits & WHITE != 0 => Class::Removed,
                _ => Class::A,
            }),
            PreTokenizer::Bert => Self::runs(|bits| match bits {
                _ if bits & WHITE != 0 => Class::Removed,
                _ if bits & PUNCTUATION != 0 => Class::Isolated,
                _ => Class::A,
            }),
            PreTokenizer::Punctuation { behavior } => Self::at(PUNCTUATION, *behavior),
            PreTokenizer::Digits { individual: true } => Self::at(NUMERIC, Behavior::Isolated),
            PreTokenizer::Digits { individual: false } => Self::at(NUMERIC, Behavior::Contiguous),
            PreTokenizer::Delimiter { character } => Splitter::Delimiter(*character),
            PreTokenizer::FixedLength { length: 0 } => {
                return Err(Error::Spec("FixedLength needs a length of at least 1, not 0".into()));
            }
            PreTokenizer::FixedLength { length } => Splitter::FixedLength(*length),
            PreTokenizer::Gpt2 => Self::gpt(Scheme::Gpt2),
            PreTokenizer::Cl100k => Self::gpt(Scheme::Cl100k),
            PreTokenizer::O200k => Self::gpt(Scheme::O200k),
            PreTokenizer::Qwen2 => Self::gpt(Scheme::Qwen2),
            PreTokenizer::Tekken => Self::gpt(Scheme::Tekken),
            PreTokenizer::Sequence { steps } => Splitter::Sequence(steps.iter().map(Self::new).collect::<Result<_>>()?),
        })
    }

    fn runs(rule: impl Fn(u16) -> Class) -> Self {
        Splitter::Runs(Box::new(RunSplitter::new(rule)))
    }

    fn gpt(scheme: Scheme) -> Self {
        Splitter::Gpt(Box::new(GptSplitter::new(scheme)))
    }

    /// Splits at the characters of a class.
    fn at(class: u16, behavior: Behavior) -> Self {
        let matched = match behavior {
            Behavior::Removed => Class::Removed,
            Behavior::Contiguous => Class::B,
            _ => Class::Isolated,
        };
        let runs = RunSplitter::new(|bits| if bits & class != 0 { matched } else { Class::A });
        match behavior {
            Behavior::MergedWithPrevious | Behavior::MergedWithNext => Splitter::Joined(Box::new(runs), behavior),
            _ => Splitter::Runs(Box::new(runs)),
        }
    }

    /// Calls `each` with the starts and the ends of pieces, as many as are found at a time.
    #[inline]
    pub fn split_together(
        &self,
        text: &str,
        borders: &mut Borders,
        mut each: impl FnMut(&[usize], &[usize]) -> Result<()>,
    ) -> Result<()> {
        match self {
            Splitter::Gpt(gpt) => {
                gpt.borders(text, &mut borders.window, |borders| each(&borders[..borders.len() - 1], &borders[1..]))
            }
            Splitter::Runs(runs) => runs.split_together(text, borders, each),
            _ => {
                const TOGETHER: usize = 64;
                let (mut starts, mut ends, mut count) = ([0; TOGETHER], [0; TOGETHER], 0);
                self.split(text, borders, |span| {
                    (starts[count], ends[count]) = (span.start, span.end);
                    count += 1;
                    if count < TOGETHER {
                        return Ok(());
                    }
                    count = 0;
                    each(&starts, &ends)
                })?;
                each(&starts[..count], &ends[..count])
            }
        }
    }

    /// Calls `each` with the pieces of `text`, in order; no piece is empty.
    pub fn split(&self, text: &str, borders: &mut Borders, mut each: impl FnMut(Span) -> Result<()>) -> Result<()> {
        match self {
            Splitter::Runs(runs) => runs.split(text, borders, each),
            Splitter::Joined(runs, behavior) => {
                let mut spans = Vec::new();
                runs.split(text, borders, |span| {
                    let first = text[span.range()].chars().next();
                    spans.push((span, first.is_some_and(|c| runs.class(c) == Class::Isolated)));
                    Ok(())
                })?;
                behavior.apply(spans).into_iter().try_for_each(each)
            }
            Splitter::Delimiter(delimiter) => {
                let class = |c| if c == *delimiter { Class::Removed } else { Class::A };
                naive::split(text, class, each)
            }
            Splitter::FixedLength(length) => {
                let mut starts = text.char_indices().map(|(at, _)| at).step_by(*length).peekable();
                while let Some(start) = starts.next() {
                    each(Span::new(start, starts.peek().copied().unwrap_or(text.len())))?;
                }
                Ok(())
            }
            Splitter::Gpt(gpt) => gpt.split(text, &mut borders.window, each),
            Splitter::Sequence(steps) => {
                let mut spans = Vec::new();
                if !text.is_empty() {
                    spans.push(Span::new(0, text.len()));
                }
                for step in steps {
                    let mut finer = Vec::new();
                    for span in spans {
                        step.split_boxed(&text[span.range()], borders, &mut |inner| {
                            finer.push(inner.shifted(span.start));
                            Ok(())
                        })?;
                    }
                    spans = finer;
                }
                spans.into_iter().try_for_each(each)
            }
        }
    }

    /// `split` for steps of a sequence: a generic method that called itself would never stop being instantiated.
    fn split_boxed(&self, text: &str, borders: &mut Borders, each: &mut dyn FnMut(Span) -> Result<()>) -> Result<()> {
        self.split(text, borders, each)
    }

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
            // Letters and digits never share a piece with white space behind them, and nothing looks back.
            Splitter::Gpt(_) => class::is(left, LETTER | NUMBER) && matches!(right, ' ' | '\n'),
            Splitter::Sequence(steps) => Self::decides(steps, |step| step.separates(left, right)),
        }
    }

    /// Whether a character never belongs to a piece, so that a text may be cut before it whatever it follows.
    pub fn drops(&self, c: char) -> bool {
        match self {
            Splitter::Runs(runs) => runs.class(c) == Class::Removed,
            Splitter::Delimiter(delimiter) => c == *delimiter,
            Splitter::Joined(..) | Splitter::FixedLength(_) | Splitter::Gpt(_) => false,
            Splitter::Sequence(steps) => Self::decides(steps, |step| step.drops(c)),
        }
    }

    /// A cut inside a piece of an earlier step must leave the rest of that step as it was.
    fn decides(steps: &[Splitter], cuts: impl Fn(&Splitter) -> bool) -> bool {
        let deciding = steps.iter().find(|step| cuts(step) || !step.is_local());
        deciding.is_some_and(cuts)
    }

    /// Whether a cut anywhere does no more than split the piece that it falls into.
    fn is_local(&self) -> bool {
        match self {
            Splitter::Runs(_) | Splitter::Joined(..) | Splitter::Delimiter(_) => true,
            Splitter::FixedLength(length) => *length == 1,
            Splitter::Gpt(_) => false,
            Splitter::Sequence(steps) => steps.iter().all(Self::is_local),
        }
    }
}

#[cfg(test)]
mod tests;
