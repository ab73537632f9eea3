//! Budgets: how much of a text fits into a number of tokens.

use crate::encode::scratch::Scratch;
use crate::encode::sink::{Count, Sink, TokenPlace};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::specials::Choice;
use crate::text::span::Span;
use crate::vocab::TokenId;

/// Counts, and has had enough above the limit.
struct CountTill {
    count: Count,
    limit: usize,
}

impl Sink for CountTill {
    const PLACES: bool = false;
    const SPANS: bool = false;

    fn ids(&mut self) -> &mut Vec<TokenId> {
        self.count.ids()
    }

    fn close(&mut self) {
        self.count.close();
    }

    fn is_full(&self) -> bool {
        self.count.tokens > self.limit
    }
}

/// Keeps the places of tokens, and has had enough above the limit.
struct SpansTill {
    ids: Vec<TokenId>,
    spans: Vec<Span>,
    limit: usize,
}

impl Sink for SpansTill {
    const PLACES: bool = true;
    const SPANS: bool = true;

    fn ids(&mut self) -> &mut Vec<TokenId> {
        &mut self.ids
    }

    fn place(&mut self, place: TokenPlace) {
        self.spans.push(place.span);
    }

    fn is_full(&self) -> bool {
        self.spans.len() > self.limit
    }
}

impl Tokenizer {
    /// How many tokens a text has, or None if they are more than the limit; the text after the limit is not looked at.
    pub fn count_till(
        &self,
        text: &str,
        choice: &Choice,
        limit: usize,
        scratch: &mut Scratch,
    ) -> Result<Option<usize>> {
        let mut sink = CountTill { count: Count::default(), limit };
        self.encode(text, choice, scratch, &mut sink)?;
        Ok((!sink.is_full()).then_some(sink.count.tokens))
    }

    /// The places of the tokens of a text.
    pub(super) fn token_spans(&self, text: &str, choice: &Choice, scratch: &mut Scratch) -> Result<Vec<Span>> {
        let mut sink = SpansTill { ids: Vec::new(), spans: Vec::new(), limit: usize::MAX };
        self.encode(text, choice, scratch, &mut sink)?;
        Ok(sink.spans)
    }

    /// Where to cut a text so that the part before the cut, or after it with `from_end`, has at most `limit` tokens: at the end of a
    /// token and between two characters, and as far on as these tokens reach.
    pub fn cut(
        &self,
        text: &str,
        choice: &Choice,
        most: usize,
        from_end: bool,
        scratch: &mut Scratch,
    ) -> Result<usize> {
        let limit = if from_end { usize::MAX } else { most };
        let mut sink = SpansTill { ids: Vec::new(), spans: Vec::new(), limit };
        self.encode(text, choice, scratch, &mut sink)?;
        if sink.spans.len() <= most {
            return Ok(if from_end { 0 } else { text.len() });
        }
        let cuts =
            if from_end { cuts_from_end(text, &sink.spans, most) } else { cuts_from_start(text, &sink.spans, most) };
        // The part alone may have other tokens than it has in the whole, and more of them, or text for which there is no token. Then less
        // of it is tried, in growing steps.
        let mut step = 1;
        let mut at = cuts.len() - 1;
        loop {
            let part = if from_end { &text[cuts[at]..] } else { &text[..cuts[at]] };
            let fits = match self.count_till(part, choice, most, scratch) {
                Err(Error::UnknownPiece { .. }) => false,
                counted => counted?.is_some(),
            };
            if at == 0 || fits {
                return Ok(cuts[at]);
            }
            at = at.saturating_sub(step);
            step *= 2;
        }
    }
}

/// The ends of up to `most` tokens, in growing order from the start of the text, at which no token is cut in two.
pub(super) fn cuts_from_start(text: &str, spans: &[Span], most: usize) -> Vec<usize> {
    let mut cuts = vec![0];
    let mut end = 0;
    for pair in spans.windows(2).take(most) {
        end = end.max(pair[0].end);
        if end <= pair[1].start && text.is_char_boundary(end) {
            cuts.push(end);
        }
    }
    cuts
}

/// The same from the end of the text back.
pub(super) fn cuts_from_end(text: &str, spans: &[Span], most: usize) -> Vec<usize> {
    let mut cuts = vec![text.len()];
    let mut start = text.len();
    for pair in spans.windows(2).rev().take(most) {
        start = start.min(pair[1].start);
        if pair[0].end <= start && text.is_char_boundary(start) {
            cuts.push(start);
        }
    }
    cuts
}
