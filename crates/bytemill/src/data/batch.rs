//! Batches: blocks grouped so that one is worth a worker's trip.

use super::source::{Cut, Seam, TextBlock};
use crate::error::Result;

pub type Batch = Vec<TextBlock>;

/// Enough text to make the hand-over between threads negligible, little enough for a stop to be prompt.
pub(super) const BATCH_BYTES: usize = 1 << 18;

/// Blocks in their order, in groups of about `BATCH_BYTES`.
pub fn batches(blocks: impl Iterator<Item = Result<TextBlock>>) -> impl Iterator<Item = Result<Batch>> {
    grouped(blocks, |block| block.text.len())
}

/// Groups items in their order, about `BATCH_BYTES` in a group. The function tells the size of an item in bytes.
pub(crate) fn grouped<T>(
    mut things: impl Iterator<Item = Result<T>>,
    bytes_of: impl Fn(&T) -> usize,
) -> impl Iterator<Item = Result<Vec<T>>> {
    // An error waits until the things before it have been handed out.
    let mut failed = None;
    std::iter::from_fn(move || {
        if let Some(error) = failed.take() {
            return Some(Err(error));
        }
        let mut group = Vec::new();
        let mut bytes = 0;
        while bytes < BATCH_BYTES {
            match things.next() {
                Some(Ok(thing)) => {
                    // A document costs something even when it is empty.
                    bytes += bytes_of(&thing) + 64;
                    group.push(thing);
                }
                Some(Err(error)) if group.is_empty() => return Some(Err(error)),
                Some(Err(error)) => {
                    failed = Some(error);
                    break;
                }
                None => break,
            }
        }
        (!group.is_empty()).then_some(Ok(group))
    })
}

/// The blocks of a document that is in memory, cut where `cut` allows.
pub fn blocks_of(document: &str, cut: &dyn Cut) -> Vec<TextBlock> {
    let parts = parts_of(document, BATCH_BYTES, cut);
    let last = parts.len() - 1;
    parts
        .iter()
        .enumerate()
        .map(|(i, part)| TextBlock { text: part.to_string(), ends_document: i == last, language: None })
        .collect()
}

/// A text in parts of about `size` bytes, cut where `cut` allows; at least one part.
pub(crate) fn parts_of<'a>(text: &'a str, size: usize, cut: &dyn Cut) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut within = size;
    while rest.len() > within {
        match cut.last_cut(&rest[..rest.floor_char_boundary(within)]) {
            Some(Seam { end, start }) if end > 0 => {
                parts.push(&rest[..end]);
                (rest, within) = (&rest[start..], size);
            }
            _ => within *= 2,
        }
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    struct AtSpaces;

    impl Cut for AtSpaces {
        fn last_cut(&self, text: &str) -> Option<Seam> {
            text.rfind(' ').map(Seam::at)
        }
    }

    #[test]
    fn a_large_document_in_blocks_is_the_document() {
        let document = "wörd ".repeat(700_000) + &"x".repeat(3 << 20);
        let blocks = blocks_of(&document, &AtSpaces);
        assert!(blocks.len() > 3);
        assert_eq!(blocks.iter().map(|block| block.text.as_str()).collect::<String>(), document);
        assert_eq!(blocks.iter().filter(|block| block.ends_document).count(), 1);
    }

    #[test]
    fn an_error_comes_after_what_was_before_it() {
        let block = || Ok(TextBlock { text: "x".into(), ends_document: true, language: None });
        let mut found = batches([block(), block(), Err(Error::Stopped)].into_iter());
        assert_eq!(found.next().unwrap().unwrap().len(), 2);
        assert!(matches!(found.next(), Some(Err(Error::Stopped))));
    }
}
