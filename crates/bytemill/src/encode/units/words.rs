//! Words of a Unigram model in tokenizer.json, which splits at white space: each word is a piece, or several.

use super::{Flow, Halt, Units, Work};
use crate::encode::call::Call;
use crate::encode::pipeline::{Pipeline, RawPart, TextPart};
use crate::encode::sink::Sink;
use crate::encode::together::ShortTexts;
use crate::model::ModelScratch;
use crate::model::memo::KnownWords;
use crate::model::text_ends::TextEnds;
use crate::model::unigram::Unigram;
use crate::normalize::{Normalizer, is_apart};
use crate::pretokenize::spaces::Spaces;
use crate::pretokenize::{PreTokenizer, Prepend};
use crate::specials::{Choice, Policy};
use crate::text::span::Spans;
use crate::text::white::White;
use crate::vocab::TokenId;

/// The stages that make pieces of words.
#[derive(Debug)]
pub(crate) struct WordStages {
    pub spaces: Spaces,
    normalizer: Option<Normalizer>,
    /// The marks that are put before each piece.
    marks: String,
}

impl WordStages {
    pub(crate) fn of(normalizer: Option<&Normalizer>, pretokenizer: Option<&PreTokenizer>) -> Option<Self> {
        let Some(PreTokenizer::Sequence { steps }) = pretokenizer else { return None };
        let marks = marks_between_spaces(steps).filter(|_| normalizer.is_none_or(Normalizer::takes_words))?;
        Some(WordStages { spaces: Spaces::new(false, White::SPACE), normalizer: normalizer.cloned(), marks })
    }
}

/// The marks before each piece, where pieces are what lies between white space.
fn marks_between_spaces(steps: &[PreTokenizer]) -> Option<String> {
    let [PreTokenizer::WhitespaceSplit, rest @ ..] = steps else { return None };
    rest.iter().try_fold(String::new(), |marks, step| match step {
        // A piece that begins with the mark gets no second one.
        PreTokenizer::Metaspace { replacement, prepend: Prepend::Always, .. } => {
            Some(if marks.starts_with(*replacement) { marks } else { format!("{replacement}{marks}") })
        }
        _ => None,
    })
}

pub(crate) struct WordUnits<'t> {
    pub stages: &'t WordStages,
    pub pipeline: &'t Pipeline,
    pub model: &'t Unigram,
}

impl WordUnits<'_> {
    fn encode_words(&self, text: &str, texts: &mut TextEnds, work: &mut Work, ids: &mut Vec<TokenId>) -> Flow {
        let Work { borders, model, .. } = work;
        let ModelScratch { remembered, unigram, inner, characters, word: buffer, .. } = &mut **model;
        let WordStages { spaces, normalizer, marks } = self.stages;
        let mut compute = |word: &str, ids: &mut Vec<TokenId>| -> Flow {
            buffer.clear();
            buffer.push_str(marks);
            // Where there is none before, each piece gets its marks.
            let takes = |c: char| !marks.contains(c);
            if characters.write(word, buffer, normalizer.as_ref(), takes) {
                let written = &buffer[marks.len()..];
                if !written.is_empty() && memchr::memchr(b' ', written.as_bytes()).is_none() {
                    return Ok(self.model.segment_new(buffer, unigram, ids)?);
                }
                let mut parts = written.split(' ').filter(|part| !part.is_empty());
                return Ok(parts.try_for_each(|part| self.model.segment_new(&[marks, part].concat(), unigram, ids))?);
            }
            if !is_apart(word) {
                return Err(Halt::NotAlone);
            }
            let part = RawPart { text: word, offset: 0, spans: false };
            self.pipeline.run_part(part, Call::from(&NO_SPECIALS), inner, &mut |part| match part {
                TextPart::Pieces(pieces) => {
                    Ok(pieces.iter().try_for_each(|piece| self.model.segment_new(piece.text, unigram, ids))?)
                }
                TextPart::Special(..) => Err(Halt::NotAlone),
            })
        };
        spaces.split_together(text, borders, |starts, ends| {
            remembered.segment(
                Spans::new(text.as_bytes(), starts, ends),
                texts,
                &KnownWords::default(),
                ids,
                |word, ids| {
                    debug_assert!(std::str::from_utf8(word).is_ok(), "cut at spaces");
                    // SAFETY: a word is a stretch of a `str` between spaces.
                    compute(unsafe { std::str::from_utf8_unchecked(word) }, ids)
                },
            )
        })
    }
}

const NO_SPECIALS: Choice = Choice::Policy(Policy::None);

impl Units for WordUnits<'_> {
    fn encode<S: Sink>(&self, text: &str, _: usize, work: &mut Work, sink: &mut S) -> Flow {
        self.encode_words(text, &mut TextEnds::none(), work, sink.ids())
    }

    fn join(&self, texts: &[&str], call: Call, short: &mut ShortTexts) -> bool {
        let Pipeline { specials, .. } = self.pipeline;
        short.join_at_spaces(texts, self.stages.spaces.kept) && !specials.may_be_in(call.choice, short.text())
    }

    fn encode_joined(&self, short: &ShortTexts, mut ends: TextEnds, work: &mut Work, ids: &mut Vec<TokenId>) -> Flow {
        self.encode_words(short.text(), &mut ends, work, ids)?;
        ends.end_all(ids);
        Ok(())
    }
}
