//! Words of a SentencePiece Unigram model: each gets a mark before it, and the row of a text goes on from word to word.

use super::{Flow, Halt, Units, Work};
use crate::encode::call::Call;
use crate::encode::sink::Sink;
use crate::encode::together::ShortTexts;
use crate::model::text_ends::TextEnds;
use crate::model::unigram::{Row, Unigram};
use crate::pretokenize::marked::MarkedStages;
use crate::specials::Specials;
use crate::text::span::Spans;
use crate::vocab::TokenId;

pub(crate) struct MarkedUnits<'t> {
    pub stages: &'t MarkedStages,
    pub specials: &'t Specials,
    pub model: &'t Unigram,
}

impl MarkedUnits<'_> {
    fn encode_words(&self, text: &str, texts: &mut TextEnds, work: &mut Work, ids: &mut Vec<TokenId>) -> Flow {
        let Work { borders, model, .. } = work;
        let mut row = Row::new(ids.len());
        let mark = |word: &str, buffer: &mut String| self.stages.stages.mark_word(word, buffer);
        self.stages.spaces.split_together(text, borders, |starts, ends| {
            self.model.segment_marked(
                Spans::new(text, starts, ends),
                (&mut *texts, &mut row),
                mark,
                &mut model.unigram,
                ids,
            )
        })?;
        self.model.end_row(&row, ids);
        Ok(())
    }
}

impl Units for MarkedUnits<'_> {
    fn encode<S: Sink>(&self, text: &str, _: usize, work: &mut Work, sink: &mut S) -> Flow {
        // Spaces at the end have no word after them.
        if self.stages.spaces.kept && text.ends_with(' ') {
            return Err(Halt::NotAlone);
        }
        self.encode_words(text, &mut TextEnds::none(), work, sink.ids())
    }

    fn join(&self, texts: &[&str], call: Call, short: &mut ShortTexts) -> bool {
        short.join_at_spaces(texts, self.stages.spaces.kept) && !self.specials.may_be_in(call.choice, short.text())
    }

    fn encode_joined(&self, short: &ShortTexts, mut ends: TextEnds, work: &mut Work, ids: &mut Vec<TokenId>) -> Flow {
        self.encode_words(short.text(), &mut ends, work, ids)?;
        ends.end_all(ids);
        Ok(())
    }
}
