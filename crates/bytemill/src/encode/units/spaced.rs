//! Words of a SentencePiece BPE model, each with the spaces before it.

use super::{Flow, Halt, Units, Work};
use crate::encode::call::Call;
use crate::encode::sink::Sink;
use crate::encode::together::ShortTexts;
use crate::model::bpe::Bpe;
use crate::model::text_ends::TextEnds;
use crate::normalize::MARK_CHARACTER;
use crate::pretokenize::marked::MarkedStages;
use crate::specials::Specials;
use crate::text::gaps::Gaps;
use crate::text::span::Spans;
use crate::text::white::White;
use crate::vocab::TokenId;

pub(crate) struct SpacedUnits<'t> {
    pub stages: &'t MarkedStages,
    pub specials: &'t Specials,
    pub model: &'t Bpe,
}

/// The bytes that are copied of a long text, up to the next word, to put a space before it.
const HEAD: usize = 1 << 10;

impl SpacedUnits<'_> {
    /// The part of a text that gets a space before it. None for a text that has no words.
    fn without_extra_spaces<'a>(&self, text: &'a str) -> Option<&'a str> {
        let spaces = &self.stages.spaces;
        // Spaces at the end are a word where they are kept, and otherwise nothing.
        let text = if spaces.kept { text } else { spaces.white.trim_end(text) };
        let taken = if self.stages.once.is_some() { text.strip_prefix(' ').unwrap_or(text) } else { text };
        (!text.is_empty()).then_some(taken)
    }
}

impl Units for SpacedUnits<'_> {
    fn encode<S: Sink>(&self, text: &str, offset: usize, work: &mut Work, sink: &mut S) -> Flow {
        let Work { borders, model, .. } = work;
        let ids = sink.ids();
        let is_marked = self.stages.marks_at(offset);
        let taken =
            if is_marked { self.without_extra_spaces(text) } else { Some(text).filter(|text| !text.is_empty()) };
        let taken = taken.ok_or(Halt::NotAlone)?;
        let words = self.model.spaced_words(taken).ok_or(Halt::NotAlone)?;
        if !is_marked && taken.starts_with(MARK_CHARACTER) {
            // The first word would be taken for a token of the model, and a space that follows may belong to the same one.
            return Err(Halt::NotAlone);
        }
        let mut spaced = std::mem::take(&mut model.bpe.spaced);
        spaced.clear();
        let (mut tail, mut firsts) = (taken, Gaps::NONE);
        if is_marked {
            let (head, rest) = taken.split_at(head(taken.as_bytes(), self.stages.spaces.white));
            spaced.push(' ');
            spaced.push_str(head);
            tail = rest;
        } else {
            // The first word begins with no space.
            firsts.push(0);
        }
        let encoded = [&spaced, tail].into_iter().filter(|text| !text.is_empty()).try_for_each(|text| {
            words.split((text, &firsts), borders, |starts, ends| {
                let words = Spans::new(text, starts, ends);
                self.model.segment_spaced(words, &mut TextEnds::none(), &self.stages.stages, &mut model.bpe, ids)
            })
        });
        model.bpe.spaced = spaced;
        Ok(encoded?)
    }

    fn join(&self, texts: &[&str], call: Call, short: &mut ShortTexts) -> bool {
        if !self.stages.marks_at(0) {
            return false;
        }
        texts.iter().for_each(|text| match self.without_extra_spaces(text) {
            Some(taken) => short.push_after_space(taken),
            None => short.push_nothing(),
        });
        !self.specials.may_be_in(call.choice, short.text())
    }

    fn encode_joined(&self, short: &ShortTexts, mut ends: TextEnds, work: &mut Work, ids: &mut Vec<TokenId>) -> Flow {
        let text = short.text();
        let words = self.model.spaced_words(text).ok_or(Halt::NotAlone)?;
        let Work { borders, model, .. } = work;
        words.split((text, short.gaps()), borders, |starts, word_ends| {
            let words = Spans::new(text, starts, word_ends);
            self.model.segment_spaced(words, &mut ends, &self.stages.stages, &mut model.bpe, ids)
        })?;
        ends.end_all(ids);
        Ok(())
    }
}

/// Where the first word after `HEAD` begins, with the spaces before it.
fn head(text: &[u8], white: White) -> usize {
    let rest = text.get(HEAD..).unwrap_or_default();
    let mut spaces = memchr::memchr_iter(b' ', rest).map(|at| HEAD + at);
    spaces.find(|&at| !white.contains(text[at - 1])).unwrap_or(text.len())
}
