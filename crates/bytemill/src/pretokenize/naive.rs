//! The slow twins: one character after the other, nothing clever.

use super::runs::Class;
use crate::error::Result;
use crate::text::span::Span;

/// The pieces of a text whose characters have the given classes: see `runs`.
pub(super) fn split<E>(
    text: &str,
    class: impl Fn(char) -> Class,
    mut each: impl FnMut(Span) -> Result<(), E>,
) -> Result<(), E> {
    let mut start = 0;
    let mut before = Class::Removed;
    for (at, c) in text.char_indices() {
        let class = class(c);
        if class != before || class == Class::Isolated {
            if before != Class::Removed {
                each(Span::new(start, at))?;
            }
            start = at;
        }
        before = class;
    }
    if before != Class::Removed {
        each(Span::new(start, text.len()))?;
    }
    Ok(())
}
