//! Counter: text → PieceCounts, with any number of threads and in any memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::merge::{Destination, How};
use super::worker::Worker;
use super::{MadeBy, PieceCounts, merge};
use crate::data::{Batch, Cut, Seam};
use crate::definition::{Outline, Symbols};
use crate::encode::pipeline::{Part, Pipeline, Raw};
use crate::error::Result;
use crate::machine::parallel::{Team, Watch};
use crate::normalize::{MARK_CHARACTER, Normalizer};
use crate::pretokenize::spaces::Spaces;
use crate::pretokenize::stretches::Stretches;
use crate::pretokenize::{PreTokenizer, Prepend};
use crate::specials::{AddedToken, Choice, Policy};
use crate::vocab::TokenId;

/// What is under way besides the tables: blocks of text that are read, waiting and being counted, for each thread and once.
const UNDER_WAY_EACH: u64 = 4 << 20;
const UNDER_WAY: u64 = 16 << 20;

/// Special tokens separate what is on both sides: never counted, never crossed.
const CHOICE: Choice = Choice::Policy(Policy::All);

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
    /// What finds words that can be counted as they stand in the text, and become pieces one by one.
    words: Option<Spaces>,
    merged: AtomicU64,
}

impl Counter {
    pub fn new(made_by: MadeBy, characters: bool) -> Result<Self> {
        let special = made_by.special_tokens.iter().map(|token| AddedToken::special(0, token));
        let reserved = made_by.pretokenizer.iter().flat_map(PreTokenizer::reserved);
        let all = special.chain(reserved.map(|token| AddedToken::reserved(0, token)));
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
        let words = words(outline);
        Ok(Counter { made_by, added, pipeline, characters, lines, words, merged: AtomicU64::new(0) })
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
        // Not where it counts which piece came first: a stretch may have several.
        let in_any_order = !ordered && !self.characters;
        let words = self.words.as_ref().filter(|_| in_any_order);
        let stretches = self.pipeline.stretches(&CHOICE).filter(|_| in_any_order);
        let by_stretches = words.is_some() || stretches.is_some();
        let share = memory.map_or(usize::MAX, |memory| share(memory, threads));
        let workers = Team::new(threads, watch).run(
            || Worker::new(self.characters, by_stretches, ordered, share),
            batches,
            |worker, (number, batch)| {
                worker.begin(number);
                batch.iter().try_for_each(|block| {
                    worker.borders.language = block.language;
                    match (stretches, words) {
                        (Some(stretches), _) => self.count_stretches(worker, stretches, &block.text),
                        (None, Some(words)) => self.count_words(worker, words, &block.text),
                        (None, None) => self.count_block(worker, &block.text),
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
        Ok(PieceCounts { made_by: Some(self.made_by.clone()), documents, bytes, body })
    }

    /// Counts that were read when those of the workers are merged, which is after all documents were read: for those who watch.
    pub fn merged(&self) -> u64 {
        self.merged.load(Relaxed)
    }

    pub(super) fn merging(&self) -> &AtomicU64 {
        &self.merged
    }

    fn count_stretches(&self, worker: &mut Worker, stretches: &Stretches, text: &str) -> Result<()> {
        let mut borders = std::mem::take(&mut worker.borders);
        let counted = self.pipeline.run_stretches(stretches, text, &CHOICE, &mut borders, |raw| match raw {
            Raw::Stretches { text, starts, ends, .. } => worker.add_stretches(text, starts, ends, &self.pipeline),
            Raw::Special(..) => Ok(()),
        });
        worker.borders = borders;
        counted
    }

    fn count_words(&self, worker: &mut Worker, words: &Spaces, text: &str) -> Result<()> {
        // A mark of the text is no space, and may be taken for one or not by what is around it.
        if has_long_words(words, text) || !text.is_ascii() && text.contains(MARK_CHARACTER) {
            return self.count_block(worker, text);
        }
        let mut borders = std::mem::take(&mut worker.borders);
        let mut count = |text: &str| {
            words.split_together(text, &mut borders, |starts, ends| {
                worker.add_stretches(text, starts, ends, &self.pipeline)
            })
        };
        let counted = if words.white.contains(b'\n') { count(text) } else { text.split('\n').try_for_each(count) };
        worker.borders = borders;
        counted
    }

    fn count_block(&self, worker: &mut Worker, text: &str) -> Result<()> {
        let mut borders = std::mem::take(&mut worker.borders);
        let mut count = |text: &str| {
            self.pipeline.run(text, &CHOICE, false, &mut borders, |part| match part {
                Part::Pieces(pieces) => worker.add(&pieces, 1),
                Part::Special(..) => Ok(()),
            })
        };
        let counted = if self.lines { text.split('\n').try_for_each(count) } else { count(text) };
        worker.borders = borders;
        counted
    }
}

/// What finds the words of a SentencePiece model, where they become pieces one by one: what a text becomes is what its words become, each
/// with a mark before it, and before marks it is split.
fn words(outline: &Outline) -> Option<Spaces> {
    let Some(Normalizer::SentencePiece(stages)) = &outline.normalizer else { return None };
    let before_marks = PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend: Prepend::Never, split: true };
    let split = outline.pretokenizer.as_ref() == Some(&before_marks) && outline.added.is_empty();
    Spaces::of(stages).filter(|words| split && !words.kept)
}

/// Whether most of a text is in words that are too long to be met again, as in scripts without spaces.
fn has_long_words(words: &Spaces, text: &str) -> bool {
    const LONG: usize = 40;
    let spaces = text.bytes().map(|byte| usize::from(words.white.contains(byte))).sum::<usize>();
    text.len() > LONG * (spaces + 1)
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
