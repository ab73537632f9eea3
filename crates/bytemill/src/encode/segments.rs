//! Segments: texts of different origin that are one text to the model. Special tokens are found in those that are trusted alone.

use crate::encode::call::Call;
use crate::encode::scratch::Scratch;
use crate::encode::sink::Sink;
use crate::encode::tokenizer::{Road, Tokenizer, ended};
use crate::encode::units::Work;
use crate::error::{Error, Result};
use crate::machine::memory::ask;
use crate::specials::{Choice, Policy, Stage};
use crate::text::span::Span;
use crate::vocab::TokenId;

#[derive(Debug, Clone, Copy)]
pub struct TrustedText<'a> {
    pub text: &'a str,
    /// Whether special tokens that are written in it are meant.
    pub trusted: bool,
}

const ALL: Choice = Choice::Policy(Policy::All);
const NONE: Choice = Choice::Policy(Policy::None);

impl Tokenizer {
    /// The ids of the whole that segments make. A special token is one that stands in a trusted segment, from its start to its end.
    pub fn encode_segments<S: Sink>(
        &self,
        segments: &[TrustedText],
        scratch: &mut Scratch,
        sink: &mut S,
    ) -> Result<()> {
        // Once here and once for the caller, who counts its characters; the rest is for ids and places.
        let length: usize = segments.iter().map(|segment| segment.text.len()).sum();
        ask(length.saturating_mul(12))?;
        let text: String = segments.iter().map(|segment| segment.text).collect();
        let Trust { tokens, untrusted } = self.specials_in(segments)?;
        scratch.belong_to(self);
        let [all, none] = [&ALL, &NONE].map(|choice| Road::new::<S>(self, &text, Call::from(choice)));
        let mut work = Work::new(scratch, Call::from(&ALL));
        let between = |start: usize, end: usize, work: &mut Work, sink: &mut S| {
            let is_trusted = !untrusted.iter().any(|span| span.start < end && start < span.end);
            let road = if is_trusted { &all } else { &none };
            if start < end || text.is_empty() { road.take(None, Span::new(start, end), work, sink) } else { Ok(()) }
        };
        let mut done = 0;
        for (id, span) in tokens {
            ended(between(done, span.start, &mut work, sink))?;
            ended(all.take(Some(id), span, &mut work, sink))?;
            done = span.end;
        }
        ended(between(done, text.len(), &mut work, sink))
    }

    fn specials_in(&self, segments: &[TrustedText]) -> Result<Trust> {
        let mut trust = Trust::default();
        let mut start = 0;
        for segment in segments {
            if segment.trusted {
                self.specials().split(&ALL, Stage::Raw, segment.text, |id, span| {
                    trust.tokens.extend(id.map(|id| (id, span.shifted(start))));
                    Ok::<_, Error>(())
                })?;
            } else {
                trust.untrusted.push(Span::new(start, start + segment.text.len()));
            }
            start += segment.text.len();
        }
        Ok(trust)
    }
}

/// What is known of segments before they are encoded: places are those in the whole.
#[derive(Default)]
struct Trust {
    tokens: Vec<(TokenId, Span)>,
    untrusted: Vec<Span>,
}
