//! Units: stretches of the raw text that become the same ids wherever they stand.
//!
//! Every fast path cuts a text into units, looks each up by its raw bytes, and runs the stages and the model on those that are new. Where a
//! unit is not isolated from its neighbours, it says so, and the text takes the general road. [`super::plan::Plan`] decides which fast path a
//! tokenizer has; the general road is the slow twin of them all.

mod gpt;
mod marked;
mod spaced;
mod stretches;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use gpt::GptUnits;
pub(crate) use marked::MarkedUnits;
pub(crate) use spaced::SpacedUnits;
pub(crate) use stretches::StretchUnits;
pub(crate) use words::{WordStages, WordUnits};

use super::call::Call;
use super::scratch::Scratch;
use super::sink::Sink;
use super::together::ShortTexts;
use crate::error::Error;
use crate::model::text_ends::TextEnds;
use crate::model::{Chance, ModelScratch, NotAlone, PieceSpan};
use crate::pretokenize::runs::Borders;
use crate::vocab::TokenId;

/// Why encoding a text ended before the text did.
pub(crate) enum Halt {
    /// The sink has had enough.
    Full,
    /// A unit is not isolated: the text must take the general road.
    NotAlone,
    Failed(Error),
}

pub(crate) type Flow = Result<(), Halt>;

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Halt::Failed(error)
    }
}

impl From<NotAlone> for Halt {
    fn from(_: NotAlone) -> Self {
        Halt::NotAlone
    }
}

/// What encoding a text works with.
pub(crate) struct Work<'a> {
    pub borders: &'a mut Borders,
    pub model: &'a mut ModelScratch,
    /// The places of the tokens of one piece.
    pub spans: &'a mut Vec<PieceSpan>,
    /// The number of pieces so far, where tokens are placed.
    pub pieces: u32,
    /// What decides where a call leaves something to chance; a fast path never does.
    pub chance: Option<Chance>,
}

impl<'a> Work<'a> {
    #[inline]
    pub(crate) fn new(scratch: &'a mut Scratch, call: Call) -> Self {
        let Scratch { borders, model, spans, .. } = scratch;
        let chance = call.sampling.map(|(sampling, number)| sampling.chance(number));
        Work { borders, model, spans, pieces: 0, chance }
    }
}

/// A fast path. Where it halts, what it appended is of no use.
pub(crate) trait Units {
    /// Encodes a part of a text without special tokens, which starts at `offset` of the whole text.
    fn encode<S: Sink>(&self, text: &str, offset: usize, work: &mut Work, sink: &mut S) -> Flow;

    /// Joins texts so that the units of the result are those of each text. False if that cannot be done, also for special tokens in them.
    fn join(&self, texts: &[&str], call: Call, short: &mut ShortTexts) -> bool;

    /// Appends the ids of texts that were joined; `ends` notes where the ids of each end.
    fn encode_joined(&self, short: &ShortTexts, ends: TextEnds, work: &mut Work, ids: &mut Vec<TokenId>) -> Flow;
}
