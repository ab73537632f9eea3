//! What a session is asked: tokens in a span, how much fits into a budget, which ids more text could change.

use super::Session;
use super::tree::{Extent, PlacedChunk};
use crate::data::Seam;
use crate::encode::budget::{cuts_from_end, cuts_from_start};
use crate::error::Result;
use crate::text::span::Span;

/// Some chunks side by side with the places of their tokens.
struct PlacedTokens {
    /// What comes before the first chunk.
    before: Extent,
    /// Their text, and before it that of one chunk more, whose bytes these are: what a token at a seam stands for is told only where the text
    /// goes on before it.
    text: String,
    earlier: usize,
    /// In that text.
    spans: Vec<Span>,
}

/// From which end of the text a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    Start,
    End,
}

impl Session {
    /// The number of tokens from the first that reaches beyond the start of a span to the last that begins before its end. A span from the
    /// start of the text begins with its first token, one to the end of the text ends with its last.
    pub fn count(&self, span: Span) -> Result<usize> {
        if span.start == span.end && span.end < self.extent().bytes {
            return Ok(0);
        }
        Ok(self.tokens_before(span.end)?.saturating_sub(self.tokens_up_to(span.start)?))
    }

    /// The tokens before the first one that ends after a place.
    fn tokens_up_to(&self, at: usize) -> Result<usize> {
        if at == 0 {
            return Ok(0);
        }
        let Some(found) = self.chunks.find(|extent| extent.bytes, at) else { return Ok(0) };
        let tokens = self.placed(found.before.chunks, found.before.chunks + 1)?;
        let first = tokens.spans.iter().position(|span| span.end > tokens.local(at));
        Ok(tokens.before.ids + first.unwrap_or(tokens.spans.len()))
    }

    /// The tokens up to the last one that begins before a place.
    fn tokens_before(&self, at: usize) -> Result<usize> {
        if at == self.extent().bytes {
            return Ok(self.extent().ids);
        }
        let Some(PlacedChunk { before, chunk }) = self.chunks.find(|extent| extent.bytes, at.saturating_sub(1)) else {
            return Ok(0);
        };
        // What the seam takes belongs to a token of the next chunk.
        let in_seam = at > before.bytes + chunk.text.len() - chunk.gap;
        let number = before.chunks + usize::from(in_seam);
        let tokens = self.placed(number, number + 1)?;
        let last = tokens.spans.iter().rposition(|span| span.start < tokens.local(at));
        Ok(tokens.before.ids + last.map_or(0, |last| last + 1))
    }

    /// The tokens of some chunks.
    fn placed(&self, from: usize, to: usize) -> Result<PlacedTokens> {
        let before = self.chunks.get(from).map_or(self.extent(), |found| found.before);
        let earlier = from.checked_sub(1).and_then(|number| self.chunks.get(number)).map(|found| found.chunk.extent);
        let earlier = earlier.unwrap_or_default();
        let text = self.chunks.text(from.saturating_sub(1), to);
        let mut spans =
            self.tokenizer.pool().with(|scratch| self.tokenizer.token_spans(&text, &self.choice, scratch))?;
        // Some tokens have places that are none (`PieceSpan::Beyond`), which only the whole text gives.
        let is_ordered = spans.is_sorted_by_key(|span| span.start) && spans.iter().all(|span| span.end <= text.len());
        if !is_ordered && (from, to) != (0, self.extent().chunks) {
            return self.placed(0, self.extent().chunks);
        }
        spans.drain(..earlier.ids.min(spans.len()));
        Ok(PlacedTokens { before, text, earlier: earlier.bytes, spans })
    }

    /// Where to cut the text so that the part before the cut, or the part after it, has at most `most` tokens. The rule is that of
    /// `Tokenizer::cut`.
    pub fn cut(&self, most: usize, from: From) -> Result<usize> {
        let Extent { ids, bytes, .. } = self.extent();
        if ids <= most {
            return Ok(if from == From::Start { bytes } else { 0 });
        }
        let nothing = if from == From::Start { 0 } else { bytes };
        let (mut tried, mut step) = (0, 1);
        loop {
            let Some(at) = self.candidate(most, from, tried)?.filter(|_| most > 0) else { return Ok(nothing) };
            let mut part = self.clone();
            let rest = if from == From::Start { Span::new(at, bytes) } else { Span::new(0, at) };
            if part.replace(rest, "", &mut || Ok(())).is_ok() && part.extent().ids <= most {
                return Ok(at);
            }
            tried += step;
            step *= 2;
        }
    }

    /// A place at which the part might fit: number 0 leaves most of it. None for the place that leaves nothing, and beyond.
    fn candidate(&self, most: usize, from: From, number: usize) -> Result<Option<usize>> {
        let Extent { ids, chunks, .. } = self.extent();
        let chunk_of = |id| self.chunks.find(|extent| extent.ids, id).map_or(0, |found| found.before.chunks);
        // The last token of the part, or the last before it.
        let token = if from == From::Start { most.saturating_sub(1) } else { ids - most - 1 };
        let (first, end) = (chunk_of(token), chunk_of(token + 1) + 1);
        let mut more = 0;
        loop {
            let tokens = match from {
                From::Start => self.placed(first.saturating_sub(more), end)?,
                From::End => self.placed(first, (end + more).min(chunks))?,
            };
            let mut cuts = tokens.cuts(from, token);
            if let Some(place) = cuts.len().checked_sub(number + 1) {
                return Ok(Some(cuts.swap_remove(place)));
            }
            let is_all = match from {
                From::Start => tokens.before.ids == 0,
                From::End => tokens.before.ids + tokens.spans.len() == ids,
            };
            if is_all {
                return Ok(None);
            }
            more = 2 * more + 1;
        }
    }

    /// The number of ids at the start that stay as they are, whatever text is appended.
    pub fn stable(&self) -> Result<usize> {
        let Some(PlacedChunk { before, chunk }) = self.chunks.find(|extent| extent.bytes, self.extent().bytes) else {
            return Ok(0);
        };
        match self.tokenizer.last_cut(&chunk.text) {
            Some(Seam { end, .. }) => Ok(before.ids + self.encoded(&chunk.text[..end])?.len()),
            None => Ok(before.ids),
        }
    }
}

impl PlacedTokens {
    /// A place of the whole text in this one.
    fn local(&self, at: usize) -> usize {
        at + self.earlier - self.before.bytes
    }

    /// The places of the whole text at which a part may be cut off that ends with a token, or begins after it; that which leaves most of it
    /// comes last, that which leaves nothing is left out.
    fn cuts(&self, from: From, token: usize) -> Vec<usize> {
        let inside = token + 1 - self.before.ids;
        let cuts = match from {
            From::Start => cuts_from_start(&self.text, &self.spans, inside),
            From::End => cuts_from_end(&self.text, &self.spans, self.spans.len() - inside),
        };
        cuts.into_iter().skip(1).map(|at| at + self.before.bytes - self.earlier).collect()
    }
}
