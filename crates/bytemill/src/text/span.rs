//! Span: a half-open byte range into a text, the only kind of offset inside the core.

use std::ops::{Index, Range};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end);
        Span { start, end }
    }

    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The same stretch, seen from a text that begins `by` bytes earlier.
    pub fn shifted(self, by: usize) -> Self {
        Span { start: self.start + by, end: self.end + by }
    }
}

/// Spans of one text, as splitters find them: where each starts, and where it ends.
#[derive(Debug)]
pub struct Spans<'a, T: ?Sized = str> {
    pub text: &'a T,
    pub starts: &'a [usize],
    pub ends: &'a [usize],
}

impl<T: ?Sized> Clone for Spans<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Spans<'_, T> {}

impl<'a, T: ?Sized + Index<Range<usize>>> Spans<'a, T> {
    #[inline]
    pub fn new(text: &'a T, starts: &'a [usize], ends: &'a [usize]) -> Self {
        Spans { text, starts, ends }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The bytes from the start of the first to the end of the last.
    #[inline]
    pub fn covered(&self) -> usize {
        self.ends.last().unwrap_or(&0) - self.starts.first().unwrap_or(&0)
    }

    /// What one of them holds.
    #[inline]
    pub fn get(&self, number: usize) -> &'a T::Output {
        &self.text[self.starts[number]..self.ends[number]]
    }

    /// Some of them.
    #[inline]
    pub fn some(&self, numbers: Range<usize>) -> Self {
        Spans { text: self.text, starts: &self.starts[numbers.clone()], ends: &self.ends[numbers] }
    }

    /// What each holds.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = &'a T::Output> {
        self.starts.iter().zip(self.ends).map(move |(&start, &end)| &self.text[start..end])
    }

    /// Groups of `of` spans; the last may have fewer.
    #[inline]
    pub fn groups(self, of: usize) -> impl Iterator<Item = Self> {
        let groups = self.starts.chunks(of).zip(self.ends.chunks(of));
        groups.map(move |(starts, ends)| Spans { text: self.text, starts, ends })
    }
}

impl<'a> Spans<'a> {
    #[inline]
    pub fn bytes(self) -> Spans<'a, [u8]> {
        Spans { text: self.text.as_bytes(), starts: self.starts, ends: self.ends }
    }
}
