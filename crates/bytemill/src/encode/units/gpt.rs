//! Pieces of a GPT pattern, for byte-level BPE: those of many short texts are found and looked up together.

use std::convert::Infallible;

use super::{Flow, Halt, Units, Work};
use crate::encode::call::Call;
use crate::encode::pipeline::Pipeline;
use crate::encode::sink::Sink;
use crate::encode::together::ShortTexts;
use crate::model::bpe::Bpe;
use crate::model::text_ends::TextEnds;
use crate::pretokenize::gpt::GptSplitter;
use crate::specials::Stage;
use crate::text::span::Spans;
use crate::vocab::TokenId;

/// What stands between two texts; a piece of its own, which no row gets.
const GAP: char = '\0';

pub(crate) struct GptUnits<'t> {
    pub pipeline: &'t Pipeline,
    pub splitter: &'t GptSplitter,
    pub model: &'t Bpe,
}

impl Units for GptUnits<'_> {
    /// For one text the general road does the same.
    fn encode<S: Sink>(&self, _: &str, _: usize, _: &mut Work, _: &mut S) -> Flow {
        Err(Halt::NotAlone)
    }

    fn join(&self, texts: &[&str], call: Call, short: &mut ShortTexts) -> bool {
        let Pipeline { specials, .. } = self.pipeline;
        texts.iter().for_each(|text| short.push_before(GAP, text));
        if specials.are_found(call.choice, Stage::Raw, short.text()) {
            return false;
        }
        if let Some(normalizer) = self.pipeline.normalizer().filter(|normalizer| !normalizer.keeps_all(short.text())) {
            short.clear();
            texts.iter().for_each(|text| short.push_before(GAP, normalizer.normalize(text, false).text()));
        }
        !specials.are_found(call.choice, Stage::Normalized, short.text())
    }

    fn encode_joined(&self, short: &ShortTexts, ends: TextEnds, work: &mut Work, ids: &mut Vec<TokenId>) -> Flow {
        let mut ends = ends.with_gaps_as_pieces();
        let text = short.text().as_bytes();
        let Ok(()) = self.splitter.borders_of_many(short.text(), short.gaps(), &mut work.borders.window, |cuts| {
            let pieces = Spans::new(text, &cuts[..cuts.len() - 1], &cuts[1..]);
            self.model.segment_many(pieces, &mut ends, &mut work.model.bpe, ids);
            Ok::<_, Infallible>(())
        });
        Ok(())
    }
}
