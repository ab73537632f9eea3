//! What becomes of the matches of a split.

use serde::{Deserialize, Serialize};

use crate::text::span::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behavior {
    Removed,
    Isolated,
    Contiguous,
    MergedWithPrevious,
    MergedWithNext,
}

impl Behavior {
    /// The pieces, from spans that cover the text and say whether they are matches.
    pub fn apply(self, spans: Vec<(Span, bool)>) -> Vec<Span> {
        match self {
            Behavior::Removed => spans.into_iter().filter(|&(_, hit)| !hit).map(|(s, _)| s).collect(),
            Behavior::Isolated => spans.into_iter().map(|(span, _)| span).collect(),
            Behavior::Contiguous => join(spans.into_iter(), |hit, before| hit == before),
            Behavior::MergedWithPrevious => join(spans.into_iter(), |hit, before| hit && !before),
            Behavior::MergedWithNext => {
                let mut pieces = join(spans.into_iter().rev(), |hit, before| hit && !before);
                pieces.reverse();
                pieces
            }
        }
    }
}

/// Joins each span to the one that came before where `joins(it is a match, the one before was)`.
fn join(spans: impl Iterator<Item = (Span, bool)>, joins: fn(bool, bool) -> bool) -> Vec<Span> {
    let mut pieces: Vec<Span> = Vec::new();
    let mut before = None;
    for (span, hit) in spans {
        match pieces.last_mut() {
            Some(last) if before.is_some_and(|before| joins(hit, before)) => {
                *last = Span::new(last.start.min(span.start), last.end.max(span.end));
            }
            _ => pieces.push(span),
        }
        before = Some(hit);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of `a` and single dashes.
    fn pieces(behavior: Behavior, text: &str) -> Vec<&str> {
        let mut spans: Vec<(Span, bool)> = Vec::new();
        for (at, byte) in text.bytes().enumerate() {
            match spans.last_mut() {
                Some((span, false)) if byte != b'-' => span.end = at + 1,
                _ => spans.push((Span::new(at, at + 1), byte == b'-')),
            }
        }
        behavior.apply(spans).into_iter().map(|span| &text[span.range()]).collect()
    }

    #[test]
    fn every_behavior_by_example() {
        let text = "-aa--a-";
        assert_eq!(pieces(Behavior::Removed, text), ["aa", "a"]);
        assert_eq!(pieces(Behavior::Isolated, text), ["-", "aa", "-", "-", "a", "-"]);
        assert_eq!(pieces(Behavior::Contiguous, text), ["-", "aa", "--", "a", "-"]);
        assert_eq!(pieces(Behavior::MergedWithPrevious, text), ["-", "aa-", "-", "a-"]);
        assert_eq!(pieces(Behavior::MergedWithNext, text), ["-aa", "-", "-a", "-"]);
    }
}
