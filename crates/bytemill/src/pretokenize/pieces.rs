//! Pieces: spans of one normalized text, handed to the model together.

use crate::normalize::Normalized;
use crate::text::span::{Span, Spans};

/// Pieces that follow one another in the same text: as many as a splitter finds at a time.
#[derive(Clone, Copy)]
pub struct Pieces<'a> {
    /// What was split: a stretch of the normalized text, which starts at `at` in it.
    pub spans: Spans<'a>,
    pub at: usize,
    pub normalized: &'a Normalized<'a>,
    pub offset: usize,
}

impl<'a> Pieces<'a> {
    /// Each piece as the only one.
    pub fn one_by_one(&self) -> impl Iterator<Item = Pieces<'a>> {
        let pieces = *self;
        self.spans.groups(1).map(move |spans| Pieces { spans, ..pieces })
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Piece<'a>> {
        let Pieces { spans, at, normalized, offset } = *self;
        let starts = spans.starts.iter();
        starts.zip(spans.iter()).map(move |(&start, text)| Piece { text, start: at + start, normalized, offset })
    }
}

/// What a model sees at a time.
pub struct Piece<'a> {
    pub text: &'a str,
    /// Where it starts in the normalized text, which starts at `offset` of the original.
    start: usize,
    normalized: &'a Normalized<'a>,
    offset: usize,
}

impl Piece<'_> {
    /// What a stretch of the piece stands for in the original text; right only where the pipeline was asked for spans.
    pub fn original(&self, span: Span) -> Span {
        self.normalized.original(span.shifted(self.start)).shifted(self.offset)
    }
}
