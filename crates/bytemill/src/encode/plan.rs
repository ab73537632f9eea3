//! Plan: which fast path a tokenizer takes. Decided once, when the tokenizer is built; nothing else decides it.

use super::call::Call;
use super::pipeline::Pipeline;
use super::sink::Sink;
use super::together::ShortTexts;
use super::units::{Flow, GptUnits, MarkedUnits, SpacedUnits, StretchUnits, Units, WordStages, WordUnits, Work};
use crate::data::Seam;
use crate::definition::Outline;
use crate::error::Result;
use crate::model::Model;
use crate::model::text_ends::TextEnds;
use crate::model::wordpiece::WordPiece;
use crate::model::words::Words;
use crate::normalize::{MARK_CHARACTER, Normalizer};
use crate::pretokenize::marked::MarkedStages;
use crate::pretokenize::runs::Borders;
use crate::pretokenize::spaces::Spaces;
use crate::pretokenize::stretches::Stretches;
use crate::pretokenize::{PreTokenizer, Prepend};
use crate::specials::Specials;
use crate::text::span::Spans;
use crate::vocab::TokenId;

#[derive(Debug)]
pub(crate) enum Plan {
    /// Every text goes through all stages.
    General,
    /// Pieces of a GPT pattern.
    Gpt,
    /// What BERT's stages separate.
    Stretches(Stretches),
    /// Words of SentencePiece with the spaces before them, for BPE.
    Spaced(MarkedStages),
    /// The same words with marks, for Unigram.
    Marked(MarkedStages),
    /// Words between white space, for Unigram in tokenizer.json.
    Words(WordStages),
}

impl Plan {
    pub(crate) fn new(outline: &Outline, pipeline: &Pipeline, model: &Model) -> Result<Self> {
        let (normalizer, pretokenizer) = (outline.normalizer.as_ref(), outline.pretokenizer.as_ref());
        let plan = match model {
            Model::Bpe(model) if model.takes_many_texts() => pipeline.gpt().map(|_| Plan::Gpt),
            Model::Bpe(model) if model.takes_marked_words() => {
                MarkedStages::of(normalizer, pretokenizer)?.map(Plan::Spaced)
            }
            Model::Unigram(model) if model.takes_marked_words() => {
                MarkedStages::of(normalizer, pretokenizer)?.filter(|stages| stages.once.is_none()).map(Plan::Marked)
            }
            Model::Unigram(model) if model.takes_pieces() => WordStages::of(normalizer, pretokenizer).map(Plan::Words),
            Model::WordPiece(_) | Model::Words(_) => Stretches::new(normalizer, pretokenizer).map(Plan::Stretches),
            _ => None,
        };
        Ok(plan.unwrap_or(Plan::General))
    }

    /// The fast path for a call, if it has one. What is random is not remembered, and tokens of the normalized text are not seen in the raw one.
    #[inline]
    pub(crate) fn fast_path<'t>(
        &'t self,
        pipeline: &'t Pipeline,
        model: &'t Model,
        call: Call,
    ) -> Option<FastPath<'t>> {
        if call.sampling.is_some() {
            return None;
        }
        let specials = &pipeline.specials;
        let path = match (self, model) {
            (Plan::Gpt, Model::Bpe(model)) => {
                return pipeline.gpt().map(|splitter| FastPath::Gpt(GptUnits { pipeline, splitter, model }));
            }
            (Plan::Stretches(stretches), Model::WordPiece(model)) => {
                FastPath::WordPieces(StretchUnits { stretches, pipeline, model })
            }
            (Plan::Stretches(stretches), Model::Words(model)) => {
                FastPath::WholeWords(StretchUnits { stretches, pipeline, model })
            }
            (Plan::Spaced(stages), Model::Bpe(model)) => FastPath::Spaced(SpacedUnits { stages, specials, model }),
            (Plan::Marked(stages), Model::Unigram(model)) => FastPath::Marked(MarkedUnits { stages, specials, model }),
            (Plan::Words(stages), Model::Unigram(model)) => FastPath::Words(WordUnits { stages, pipeline, model }),
            _ => return None,
        };
        (!specials.looks_into_normalized(call.choice)).then_some(path)
    }

    /// Whether the units of the plan tell where a text may be cut, which is at spaces.
    pub(crate) fn cuts_at_spaces(&self) -> bool {
        matches!(self, Plan::Spaced(_) | Plan::Words(_))
    }

    /// How a text may be cut at a space, whatever follows the text, which reaches beyond the space by more than the longest special token.
    pub(crate) fn seam_at_space(&self, text: &str, at: usize, specials: &Specials) -> Option<Seam> {
        let (left, right) = (text[..at].chars().next_back()?, text[at + 1..].chars().next()?);
        let around = AroundSpace { text, at, left, right, specials };
        let seam = match self {
            Plan::Spaced(stages) => around.seam_of_marked(stages),
            Plan::Words(_) => around.seam_of_words(),
            // For `Marked`, sums have few digits: which row has the highest depends on all that is before.
            Plan::General | Plan::Gpt | Plan::Stretches(_) | Plan::Marked(_) => None,
        };
        seam.filter(|_| !specials.spans(text, at))
    }
}

/// A space in a text, and what is beside it.
struct AroundSpace<'a> {
    text: &'a str,
    at: usize,
    left: char,
    right: char,
    specials: &'a Specials,
}

impl AroundSpace<'_> {
    fn seam_of_marked(&self, marked: &MarkedStages) -> Option<Seam> {
        let AroundSpace { text, at, left, right, specials } = *self;
        if marked.once.is_some() {
            // The space itself becomes the mark.
            return (left != ' ' && left != MARK_CHARACTER).then_some(Seam::at(at));
        }
        // The mark before the second part stands for the space, unless there are two spaces, or a special token is beside it, or what becomes of
        // the word before it ends with one.
        let longest = specials.longest();
        let around = &text.as_bytes()[at.saturating_sub(longest)..at + 1 + longest];
        let word = &text[memchr::memrchr(b' ', &text.as_bytes()[..at]).map_or(0, |space| space + 1)..at];
        let is_alone = left != ' ' && right != ' ' && marked.stages.keeps(word);
        (is_alone && !specials.are_in(around)).then_some(Seam { end: at, start: at + 1 })
    }

    /// Nothing is composed with a graphic ASCII character.
    fn seam_of_words(&self) -> Option<Seam> {
        (self.left.is_ascii_graphic() && self.right.is_ascii_graphic()).then_some(Seam::at(self.at))
    }
}

/// The units of a plan with what they refer to.
pub(crate) enum FastPath<'t> {
    Gpt(GptUnits<'t>),
    WordPieces(StretchUnits<'t, WordPiece>),
    WholeWords(StretchUnits<'t, Words>),
    Spaced(SpacedUnits<'t>),
    Marked(MarkedUnits<'t>),
    Words(WordUnits<'t>),
}

impl FastPath<'_> {
    /// Whether it encodes single texts, for sinks that want places or not.
    #[inline]
    pub(crate) fn takes_one_text(&self, places: bool) -> bool {
        match self {
            FastPath::Gpt(_) => false,
            FastPath::WordPieces(_) | FastPath::WholeWords(_) => true,
            FastPath::Spaced(_) | FastPath::Marked(_) | FastPath::Words(_) => !places,
        }
    }
}

impl Units for FastPath<'_> {
    #[inline]
    fn encode<S: Sink>(&self, text: &str, offset: usize, work: &mut Work, sink: &mut S) -> Flow {
        match self {
            FastPath::Gpt(units) => units.encode(text, offset, work, sink),
            FastPath::WordPieces(units) => units.encode(text, offset, work, sink),
            FastPath::WholeWords(units) => units.encode(text, offset, work, sink),
            FastPath::Spaced(units) => units.encode(text, offset, work, sink),
            FastPath::Marked(units) => units.encode(text, offset, work, sink),
            FastPath::Words(units) => units.encode(text, offset, work, sink),
        }
    }

    fn join(&self, texts: &[&str], call: Call, short: &mut ShortTexts) -> bool {
        match self {
            FastPath::Gpt(units) => units.join(texts, call, short),
            FastPath::WordPieces(units) => units.join(texts, call, short),
            FastPath::WholeWords(units) => units.join(texts, call, short),
            FastPath::Spaced(units) => units.join(texts, call, short),
            FastPath::Marked(units) => units.join(texts, call, short),
            FastPath::Words(units) => units.join(texts, call, short),
        }
    }

    fn encode_joined(&self, short: &ShortTexts, ends: TextEnds, work: &mut Work, ids: &mut Vec<TokenId>) -> Flow {
        match self {
            FastPath::Gpt(units) => units.encode_joined(short, ends, work, ids),
            FastPath::WordPieces(units) => units.encode_joined(short, ends, work, ids),
            FastPath::WholeWords(units) => units.encode_joined(short, ends, work, ids),
            FastPath::Spaced(units) => units.encode_joined(short, ends, work, ids),
            FastPath::Marked(units) => units.encode_joined(short, ends, work, ids),
            FastPath::Words(units) => units.encode_joined(short, ends, work, ids),
        }
    }
}

/// Units that training counts as they stand in the text, to normalize and split each of them once.
#[derive(Debug)]
pub(crate) enum CountedUnits {
    Stretches(Stretches),
    Words(Spaces),
}

impl CountedUnits {
    pub(crate) fn of(outline: &Outline) -> Option<Self> {
        let (normalizer, pretokenizer) = (outline.normalizer.as_ref(), outline.pretokenizer.as_ref());
        if let Some(Normalizer::SentencePiece(stages)) = normalizer {
            // What a text becomes is what its words become, each with a mark before it, and before marks it is split.
            let at_marks =
                PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend: Prepend::Never, split: true };
            let split = pretokenizer == Some(&at_marks) && outline.added.is_empty();
            return Spaces::of(stages).filter(|words| split && !words.kept).map(CountedUnits::Words);
        }
        Stretches::new(normalizer, pretokenizer).map(CountedUnits::Stretches)
    }

    /// Whether the units of a text are worth counting: in scripts without spaces most words are too long to be met again. A mark in the text
    /// may be taken for a space or not, by what is around it.
    pub(crate) fn suit(&self, text: &str) -> bool {
        const LONG: usize = 40;
        match self {
            CountedUnits::Stretches(_) => true,
            CountedUnits::Words(words) => {
                let spaces = text.bytes().map(|byte| usize::from(words.white.contains(byte))).sum::<usize>();
                text.len() <= LONG * (spaces + 1) && (text.is_ascii() || !text.contains(MARK_CHARACTER))
            }
        }
    }

    /// Calls `each` with the units of a text without special tokens. Lines that SentencePiece reads are texts of their
    /// own, and where a line feed is no white space they are split before.
    pub(crate) fn split(
        &self,
        text: &str,
        borders: &mut Borders,
        mut each: impl FnMut(Spans) -> Result<()>,
    ) -> Result<()> {
        match self {
            CountedUnits::Stretches(stretches) => {
                stretches.split(text, borders, |starts, ends| each(Spans::new(text, starts, ends)))
            }
            CountedUnits::Words(words) if words.white.contains(b'\n') => {
                words.split_together(text, borders, |starts, ends| each(Spans::new(text, starts, ends)))
            }
            CountedUnits::Words(words) => text.split('\n').try_for_each(|line| {
                words.split_together(line, borders, |starts, ends| each(Spans::new(line, starts, ends)))
            }),
        }
    }
}
