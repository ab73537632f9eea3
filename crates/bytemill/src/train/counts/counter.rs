//! Counter: text → PieceCounts, with any number of threads and in any memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::merge::{Destination, How};
use super::worker::Worker;
use super::{MadeBy, PieceCounts, merge};
use crate::data::{Batch, Cut, Seam};
use crate::definition::{Outline, Symbols};
use crate::encode::call::Call;
use crate::encode::pipeline::{Pipeline, TextPart};
use crate::encode::plan::CountedUnits;
use crate::error::Result;
use crate::machine::parallel::{Team, Watch};
use crate::normalize::Normalizer;
use crate::pretokenize::PreTokenizer;
use crate::specials::{AddedToken, Choice, Policy, Stage};
use crate::vocab::TokenId;

/// What is under way besides the tables: blocks of text that are read, waiting and being counted, for each thread and once.
const UNDER_WAY_EACH: u64 = 4 << 20;
const UNDER_WAY: u64 = 16 << 20;

/// Special tokens separate what is on both sides: never counted, never crossed.
pub(super) const CHOICE: Choice = Choice::Policy(Policy::All);

#[derive(Debug, Clone, Copy)]
pub struct CountOptions {
    pub threads: usize,
    /// In bytes; beyond it, counts go to disk. None for no limit.
    pub memory: Option<u64>,
    /// Whether to keep the order in which pieces appeared.
    pub ordered: bool,
}

/// Knows where documents may be cut, and takes them in any cut.
pub struct Counter {
    pub(super) made_by: MadeBy,
    pub(super) added: Vec<AddedToken>,
    pipeline: Pipeline,
    /// Each character of a piece is counted, in place of the piece.
    pub(super) characters: bool,
    /// Each line is a text of its own, as SentencePiece reads files.
    lines: bool,
    /// What can be counted as it stands in the text, and become pieces later.
    units: Option<CountedUnits>,
    merged: AtomicU64,
}

impl Counter {
    pub fn new(made_by: MadeBy, characters: bool) -> Result<Self> {
        let special = made_by.special_tokens.iter().map(|token| AddedToken::special(0, token));
        let reserved = made_by.pretokenizer.as_ref().map(PreTokenizer::reserved).transpose()?.unwrap_or_default();
        let all = special.chain(reserved.into_iter().map(|token| AddedToken::reserved(0, token)));
        let added = (0..).zip(all).map(|(id, token)| AddedToken { id: id as TokenId, ..token });
        let outline = Outline { added: added.collect(), ..Outline::bpe(Symbols::default()) };
        let MadeBy { normalizer, pretokenizer, .. } = made_by;
        Self::of(&Outline { normalizer, pretokenizer, ..outline }, characters)
    }

    /// Counts as a tokenizer of this outline would split.
    pub fn of(outline: &Outline, characters: bool) -> Result<Self> {
        let made_by = MadeBy::of(outline);
        let (pipeline, added) = (Pipeline::new(outline)?, outline.added.clone());
        let lines = matches!(outline.normalizer, Some(Normalizer::SentencePiece(_)));
        let units = CountedUnits::of(outline).filter(|_| !pipeline.specials.looks_into_normalized(&CHOICE));
        Ok(Counter { made_by, added, pipeline, characters, lines, units, merged: AtomicU64::new(0) })
    }

    pub fn made_by(&self) -> &MadeBy {
        &self.made_by
    }

    /// Counts the pieces of all documents. The result is the same for any number of threads, any memory, and any batches of the same text.
    pub fn count(
        &self,
        batches: impl Iterator<Item = Result<Batch>>,
        options: CountOptions,
        watch: &mut Watch,
    ) -> Result<PieceCounts> {
        self.count_watched(batches, options, &self.merged, watch)
    }

    /// The same; `done` counts what was read of the workers' counts.
    pub(super) fn count_watched(
        &self,
        batches: impl Iterator<Item = Result<Batch>>,
        options: CountOptions,
        done: &AtomicU64,
        watch: &mut Watch,
    ) -> Result<PieceCounts> {
        let CountOptions { threads, memory, ordered } = options;
        let (mut documents, mut bytes) = (0, 0);
        let batches = (0..).zip(batches).map(|(number, batch)| {
            let batch = batch?;
            for block in &batch {
                bytes += block.text.len() as u64;
                documents += u64::from(block.ends_document);
            }
            Ok((number, batch))
        });
        // Not where it counts which piece came first: a unit may have several.
        let units = self.units.as_ref().filter(|_| !ordered && !self.characters);
        let share = memory.map_or(usize::MAX, |memory| share(memory, threads));
        let workers = Team::new(threads, watch).run(
            || Worker::new(self.characters, units.is_some(), ordered, share),
            batches,
            |worker, (number, batch)| {
                worker.begin(number);
                batch.iter().try_for_each(|block| {
                    let call = Call { language: block.language, ..Call::from(&CHOICE) };
                    match units.filter(|units| units.suit(&block.text)) {
                        Some(units) => self.count_units(worker, units, &block.text),
                        None => self.count_pieces(worker, call, &block.text),
                    }
                })
            },
            |()| Ok(()),
        )?;
        let mut settled = Vec::new();
        let settle = |_: &mut (), mut worker: Worker| worker.settle(&self.pipeline).map(|()| worker);
        let keep = |worker| {
            settled.push(worker);
            Ok(())
        };
        Team::new(threads.min(workers.len()), watch).run(|| (), workers.into_iter().map(Ok), settle, keep)?;
        let workers = settled;
        let spilled = workers.iter().any(Worker::has_spilled);
        let mut bodies = Vec::new();
        let sort = |_: &mut (), worker: Worker| worker.finish(spilled);
        let keep = |runs| {
            bodies.extend(runs);
            Ok(())
        };
        Team::new(threads.min(workers.len()), watch).run(|| (), workers.into_iter().map(Ok), sort, keep)?;
        let into = if spilled { Destination::File } else { Destination::Memory };
        let mut body = merge::merge(bodies, How { into, ordered, threads, done }, watch)?;
        if ordered {
            body = merge::ranked(&body, into, watch)?;
        }
        Ok(PieceCounts { made_by: Some(self.made_by.clone()), documents, bytes, body, part: false })
    }

    /// Counts that were read when those of the workers are merged, which is after all documents were read: for callers that watch.
    pub fn merged(&self) -> u64 {
        self.merged.load(Relaxed)
    }

    pub(super) fn merging(&self) -> &AtomicU64 {
        &self.merged
    }

    fn count_units(&self, worker: &mut Worker, units: &CountedUnits, text: &str) -> Result<()> {
        let mut borders = std::mem::take(&mut worker.borders);
        let counted = self.pipeline.specials.split(&CHOICE, Stage::Raw, text, |id, span| match id {
            None => units
                .split(&text[span.range()], &mut borders, |stretches| worker.add_stretches(stretches, &self.pipeline)),
            Some(_) => Ok(()),
        });
        worker.borders = borders;
        counted
    }

    fn count_pieces(&self, worker: &mut Worker, call: Call, text: &str) -> Result<()> {
        let mut borders = std::mem::take(&mut worker.borders);
        let mut count = |text: &str| {
            self.pipeline.run(text, call, false, &mut borders, &mut |part| match part {
                TextPart::Pieces(pieces) => worker.add(&pieces, 1),
                TextPart::Special(..) => Ok(()),
            })
        };
        let counted = if self.lines { text.split('\n').try_for_each(count) } else { count(text) };
        worker.borders = borders;
        counted
    }
}

/// What the table of one worker may take.
fn share(memory: u64, threads: usize) -> usize {
    let threads = threads.max(1) as u64;
    let tables = memory.saturating_sub(UNDER_WAY + threads * UNDER_WAY_EACH).max(memory / 2);
    usize::try_from(tables / threads).unwrap_or(usize::MAX)
}

impl Cut for Counter {
    fn last_cut(&self, text: &str) -> Option<Seam> {
        let place = match self.lines {
            true => text.rfind('\n').map(|end| end + 1),
            false => self.pipeline.last_cut(text, self.characters),
        };
        place.map(Seam::at)
    }
}
