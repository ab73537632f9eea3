//! Pieces: spans of one normalized text, handed to the model together.

use crate::normalize::Normalized;
use crate::text::span::Span;

/// Pieces that follow one another in the same text: as many as a splitter finds at a time.
#[derive(Clone, Copy)]
pub struct Pieces<'a> {
    /// What was split: a stretch of the normalized text, which starts at `at` in it.
    pub text: &'a str,
    pub starts: &'a [usize],
    pub ends: &'a [usize],
    pub at: usize,
    pub normalized: &'a Normalized<'a>,
    pub offset: usize,
}

impl<'a> Pieces<'a> {
    #[inline]
    pub fn spans(&self) -> impl ExactSizeIterator<Item = Span> + Clone + use<'a> {
        self.starts.iter().zip(self.ends).map(|(&start, &end)| Span { start, end })
    }

    /// Each piece as the only one.
    pub fn one_by_one(&self) -> impl Iterator<Item = Pieces<'a>> {
        let pieces = *self;
        let ends = self.starts.chunks(1).zip(self.ends.chunks(1));
        ends.map(move |(starts, ends)| Pieces { starts, ends, ..pieces })
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Piece<'a>> {
        let Pieces { text, at, normalized, offset, .. } = *self;
        self.spans().map(move |span| Piece { text: &text[span.range()], start: at + span.start, normalized, offset })
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
