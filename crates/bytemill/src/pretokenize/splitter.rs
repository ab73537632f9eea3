//! Splitter: a pretokenizer, ready to run.

use std::convert::Infallible;

use super::code::{CodeSplitter, CodeText, Event};
use super::gpt::{GptSplitter, Scheme, deepseek};
use super::rewrite::{Prepend, Rewriter};
use super::runs::{Borders, Class, RunSplitter};
use super::{Behavior, PreTokenizer, naive, scripts};
use crate::error::{Error, Result};
use crate::normalize::Normalized;
use crate::text::class::{NUMERIC, PUNCTUATION, WHITE, WORD};
use crate::text::pattern::{Pattern, PatternMatcher};
use crate::text::span::Span;

/// A pretokenizer, ready to run.
#[derive(Debug, Clone)]
pub enum Splitter {
    Runs(Box<RunSplitter>),
    /// Matches isolated by `runs`, then joined to a neighbour.
    Joined(Box<RunSplitter>, Behavior),
    Delimiter(char),
    FixedLength(usize),
    Scripts,
    Pattern(PatternMatcher, Behavior, bool),
    Gpt(Box<GptSplitter>),
    DeepSeek,
    Code(Box<CodeSplitter>),
    /// Changes pieces and splits none.
    Rewrite(Rewriter),
    /// Pieces begin at this character.
    Before(char),
    /// Never has a sequence as a step.
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
            PreTokenizer::UnicodeScripts => Splitter::Scripts,
            PreTokenizer::FixedLength { length: 0 } => {
                return Err(Error::Spec("FixedLength needs a length of at least 1, not 0".into()));
            }
            PreTokenizer::FixedLength { length } => Splitter::FixedLength(*length),
            PreTokenizer::Split { pattern, behavior, invert } => match Self::scheme(pattern, *behavior, *invert) {
                Some(scheme) => Self::gpt(scheme),
                None => Splitter::Pattern(pattern.compile()?, *behavior, *invert),
            },
            PreTokenizer::Gpt2 => Self::gpt(Scheme::Gpt2),
            PreTokenizer::Cl100k => Self::gpt(Scheme::Cl100k),
            PreTokenizer::O200k => Self::gpt(Scheme::O200k),
            PreTokenizer::Qwen2 => Self::gpt(Scheme::Qwen2),
            PreTokenizer::Tekken => Self::gpt(Scheme::Tekken),
            PreTokenizer::DeepSeek => Splitter::DeepSeek,
            PreTokenizer::Code(options) => Splitter::Code(Box::new(CodeSplitter::new(options)?)),
            PreTokenizer::PrefixSpace => Splitter::Rewrite(Rewriter::Mark { mark: ' ', prepend: Prepend::Always }),
            PreTokenizer::Metaspace { replacement: mark, prepend, split } => {
                let rewrite = Splitter::Rewrite(Rewriter::Mark { mark: *mark, prepend: *prepend });
                Splitter::Sequence([rewrite].into_iter().chain(split.then_some(Splitter::Before(*mark))).collect())
            }
            PreTokenizer::ByteLevel { prefix_space, split } => {
                let steps = [prefix_space.then_some(PreTokenizer::PrefixSpace), split.then_some(PreTokenizer::Gpt2)];
                let mut steps = steps.iter().flatten().map(Self::new).collect::<Result<Vec<_>>>()?;
                steps.push(Splitter::Rewrite(Rewriter::Alphabet));
                Splitter::Sequence(steps)
            }
            PreTokenizer::Sequence { steps } => {
                let mut flat = Vec::new();
                for step in steps {
                    if matches!(step, PreTokenizer::Code(options) if !options.markers.is_empty()) {
                        return Err(Error::Spec(
                            "markers need Code to be the whole pretokenizer, not a step of one".into(),
                        ));
                    }
                    match Self::new(step)? {
                        Splitter::Sequence(inner) => flat.extend(inner),
                        step => flat.push(step),
                    }
                }
                Splitter::Sequence(flat)
            }
        })
    }

    fn runs(rule: impl Fn(u16) -> Class) -> Self {
        Splitter::Runs(Box::new(RunSplitter::new(rule)))
    }

    /// What was written for a pattern. It matches all of a text: to keep the matches and drop the rest is to keep everything.
    fn scheme(pattern: &Pattern, behavior: Behavior, invert: bool) -> Option<Scheme> {
        match pattern {
            Pattern::Regex(regex) if behavior == Behavior::Isolated || behavior == Behavior::Removed && invert => {
                Scheme::of_pattern(regex)
            }
            _ => None,
        }
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
    pub fn split_together<E>(
        &self,
        text: &str,
        borders: &mut Borders,
        mut each: impl FnMut(&[usize], &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Splitter::Gpt(gpt) => {
                gpt.borders(text, &mut borders.window, |borders| each(&borders[..borders.len() - 1], &borders[1..]))
            }
            Splitter::Runs(runs) if RunSplitter::pays(text) => runs.split_together(text, borders, each),
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
    pub fn split<E>(
        &self,
        text: &str,
        borders: &mut Borders,
        mut each: impl FnMut(Span) -> Result<(), E>,
    ) -> Result<(), E> {
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
            Splitter::Scripts => scripts::split(text, each),
            Splitter::FixedLength(length) => {
                let mut starts = text.char_indices().map(|(at, _)| at).step_by(*length).peekable();
                while let Some(start) = starts.next() {
                    each(Span::new(start, starts.peek().copied().unwrap_or(text.len())))?;
                }
                Ok(())
            }
            Splitter::Pattern(matcher, behavior, invert) => {
                let parts = matcher.parts(text).into_iter().map(|(span, hit)| (span, hit != *invert)).collect();
                let pieces = behavior.apply(parts).into_iter();
                pieces.filter(|piece| piece.start < piece.end).try_for_each(each)
            }
            Splitter::Gpt(gpt) => gpt.split(text, &mut borders.window, each),
            Splitter::DeepSeek => deepseek::split(text, each),
            Splitter::Code(code) => {
                code.events(CodeText { text, ids: &[], language: None }, borders, &mut |event| match event {
                    Event::Pieces(starts, ends) => {
                        starts.iter().zip(ends).try_for_each(|(&start, &end)| each(Span::new(start, end)))
                    }
                    Event::Reserved(..) => Ok(()),
                })
            }
            Splitter::Rewrite(_) if text.is_empty() => Ok(()),
            Splitter::Rewrite(_) => each(Span::new(0, text.len())),
            Splitter::Before(mark) => {
                let (mut start, mut buffer) = (0, [0; 4]);
                let mark = mark.encode_utf8(&mut buffer).as_bytes();
                for at in memchr::memmem::find_iter(text.as_bytes(), mark).filter(|&at| at > 0) {
                    each(Span::new(start, at))?;
                    start = at;
                }
                if text.is_empty() { Ok(()) } else { each(Span::new(start, text.len())) }
            }
            Splitter::Sequence(steps) => {
                let mut spans = Vec::new();
                if !text.is_empty() {
                    spans.push(Span::new(0, text.len()));
                }
                for step in steps {
                    spans = step.refine(text, spans, borders);
                }
                spans.into_iter().try_for_each(each)
            }
        }
    }

    /// The pieces of pieces.
    fn refine(&self, text: &str, pieces: Vec<Span>, borders: &mut Borders) -> Vec<Span> {
        let mut finer = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let Ok(()) = self.split_boxed(&text[piece.range()], borders, &mut |inner| {
                finer.push(inner.shifted(piece.start));
                Ok(())
            });
        }
        finer
    }

    /// `split` for steps of a sequence: a generic method that called itself would never stop being instantiated.
    fn split_boxed(
        &self,
        text: &str,
        borders: &mut Borders,
        each: &mut dyn FnMut(Span) -> Result<(), Infallible>,
    ) -> Result<(), Infallible> {
        self.split(text, borders, each)
    }

    /// The pieces of a text by itself, and what each stands for in it.
    pub fn pieces(&self, text: &str) -> Vec<(String, Span)> {
        let whole = Normalized::new(text, true);
        let (rewritten, pieces) = self.rewrite(whole, true, &mut Borders::default());
        let piece = |span: Span| (rewritten.text()[span.range()].to_string(), rewritten.original(span));
        pieces.into_iter().map(piece).collect()
    }

    /// The same with what each character of a piece stands for. `at_start`: the text begins where the original does.
    pub fn aligned_pieces(&self, text: &str, at_start: bool) -> Vec<Vec<(char, Span)>> {
        let whole = Normalized::new(text, true);
        let (rewritten, pieces) = self.rewrite(whole, at_start, &mut Borders::default());
        pieces.into_iter().map(|piece| rewritten.slice(piece).aligned_characters().collect()).collect()
    }

    fn steps(&self) -> &[Splitter] {
        match self {
            Splitter::Sequence(steps) => steps,
            step => std::slice::from_ref(step),
        }
    }

    /// Whether pieces are something else than stretches of the text: then `rewrite` gives them, and `split` only their borders.
    pub fn rewrites(&self) -> bool {
        self.steps().iter().any(|step| matches!(step, Splitter::Rewrite(_)))
    }

    /// Whether pieces depend on their place in the original text, and it takes an alignment to know it; `normalized`: the text is not
    /// the original.
    pub fn needs_alignment(&self, normalized: bool) -> bool {
        let first =
            |step: &&Splitter| matches!(step, Splitter::Rewrite(Rewriter::Mark { prepend: Prepend::First, .. }));
        let steps = self.steps();
        let asked = steps.iter().filter(first).count();
        asked > 1 || asked == 1 && (normalized || !steps.first().is_some_and(|step| first(&step)))
    }

    /// The pieces, as spans of the text that the steps make of `text`. `at_start`: the text begins where the original does.
    pub fn rewrite<'a>(
        &self,
        mut text: Normalized<'a>,
        at_start: bool,
        borders: &mut Borders,
    ) -> (Normalized<'a>, Vec<Span>) {
        let mut pieces = Vec::new();
        if !text.text().is_empty() {
            pieces.push(Span::new(0, text.text().len()));
        }
        for step in self.steps() {
            if let Splitter::Rewrite(rewriter) = step {
                (text, pieces) = rewriter.apply(&text, &pieces, at_start);
            } else {
                pieces = step.refine(text.text(), pieces, borders);
            }
        }
        (text, pieces)
    }
}
