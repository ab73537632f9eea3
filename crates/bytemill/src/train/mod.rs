//! Train: documents → pieces → `PieceCounts` → a vocabulary → `Definition`.

pub mod bpe;
mod counts;
mod spec;
mod trained;
mod unigram;
mod vocabulary;

use std::time::{Duration, Instant};

pub use bpe::{Merge, MergeWatch, Ties, truncated};
pub use counts::{Checkpoint, CountOptions, Counter, Held, MadeBy, Order, PieceCounts};
pub use spec::{Spec, Stages};
pub use trained::{Trained, TrainingStats};

use crate::data::{Batch, Cut};
use crate::definition::{Definition, Outline};
use crate::error::Result;
use crate::parallel::Watch;

/// What Unigram is trained to where nobody says how many pieces it is to have, as SentencePiece does.
const DEFAULT_PIECES: usize = 8000;

/// A training that is set up: it knows where documents may be cut, and takes them in any cut.
pub struct Trainer {
    spec: Spec,
    /// What byte-pair encoding goes on from.
    known: Option<Definition>,
    outline: Outline,
    counter: Counter,
}

impl Trainer {
    pub fn new(spec: Spec, special_tokens: &[String], stages: Stages) -> Result<Self> {
        let outline = spec.outline(special_tokens, stages)?;
        Self::with_outline(spec, outline)
    }

    /// A training from counts, which say how the text became pieces.
    pub fn of_counts(spec: Spec, special_tokens: &[String], stages: Stages, counts: &PieceCounts) -> Result<Self> {
        let outline = match &counts.made_by {
            Some(made_by) => spec.outline_of(made_by, special_tokens, stages)?,
            None => spec.outline(special_tokens, stages)?,
        };
        Self::with_outline(spec, outline)
    }

    /// A training that goes on where another has ended, with the stages and special tokens of that one.
    pub fn continuing(spec: Spec, known: &Definition) -> Result<Self> {
        bpe::check_extension(known)?;
        let trainer = Self::with_outline(spec, known.outline.clone())?;
        Ok(Trainer { known: Some(known.clone()), ..trainer })
    }

    fn with_outline(spec: Spec, outline: Outline) -> Result<Self> {
        let counter = Counter::of(&outline, spec.counts_characters())?;
        Ok(Trainer { spec, known: None, outline, counter })
    }

    /// Counts the pieces of all documents and builds the tokenizer from them. What a checkpoint has is not counted again.
    pub fn train(
        &self,
        batches: impl Iterator<Item = Result<Batch>>,
        options: CountOptions,
        checkpoint: Option<&Checkpoint>,
        watch: &mut Watch,
        merge_watch: &mut MergeWatch,
    ) -> Result<Trained> {
        let started = Instant::now();
        let options = CountOptions { ordered: options.ordered || self.order() == Order::Appearance, ..options };
        let counts = match checkpoint {
            Some(checkpoint) => self.counter.count_from(checkpoint, batches, options, watch)?,
            None => self.counter.count(batches, options, watch)?,
        };
        let counting = started.elapsed();
        let mut trained = self.train_from(&counts, options.threads, options.memory, merge_watch)?;
        if let Some(stats) = &mut trained.definition.outline.training
            && let Some((before, _)) = &mut stats.seconds
        {
            *before = counting;
        }
        Ok(trained)
    }

    /// How far the merging of counts is that follows the reading.
    pub fn merged(&self) -> u64 {
        self.counter.merged()
    }

    /// Builds the tokenizer from counts. `memory`: what merging may take of it, beyond which it works in files.
    pub fn train_from(
        &self,
        counts: &PieceCounts,
        threads: usize,
        memory: Option<u64>,
        merge_watch: &mut MergeWatch,
    ) -> Result<Trained> {
        if let (Some(known), Some(made_by)) = (&self.known, &counts.made_by) {
            bpe::check_counts(known, made_by)?;
        }
        let (pieces, distinct_pieces) = counts.totals();
        let PieceCounts { documents, bytes, .. } = *counts;
        let mut stats = TrainingStats { documents, bytes, pieces, distinct_pieces, ..TrainingStats::default() };
        let started = Instant::now();
        let mut trained = match (&self.spec.bpe, &self.spec.unigram) {
            (_, Some(options)) => {
                let size = self.spec.vocab_size.unwrap_or(DEFAULT_PIECES);
                let (definition, notes) = unigram::build(options, size, &self.outline, counts, threads, merge_watch)?;
                stats.seconds = Some((Duration::ZERO, started.elapsed()));
                Trained { definition, merges: Vec::new(), notes }
            }
            (Some(options), None) => {
                let Spec { vocab_size, min_frequency, .. } = self.spec;
                let pieces = bpe::Pieces::new(counts, options.ties)?;
                let built = match &self.known {
                    Some(known) => {
                        bpe::extend(known, options, vocab_size, min_frequency, &pieces, memory, merge_watch)?
                    }
                    None => {
                        bpe::build(options, vocab_size, min_frequency, &self.outline, &pieces, memory, merge_watch)?
                    }
                };
                stats.tokens = Some(built.tokens);
                stats.seconds = Some((Duration::ZERO, started.elapsed()));
                Trained { definition: built.definition, merges: built.merges, notes: built.notes }
            }
            (None, None) => {
                let (vocab, notes) = vocabulary::build(&self.spec, &self.outline, counts)?;
                let outline = self.outline.clone();
                Trained {
                    definition: Definition { outline, vocab: vocab.into(), merges: None, scores: None },
                    merges: Vec::new(),
                    notes,
                }
            }
        };
        trained.definition.outline.training = Some(stats);
        Ok(trained)
    }

    /// The order in which the rule for ties wants to meet the pieces.
    fn order(&self) -> Order {
        match &self.spec.bpe {
            Some(options) if options.ties == Ties::Tiktoken => Order::Appearance,
            _ => Order::Bytes,
        }
    }
}

impl Cut for Trainer {
    fn last_cut(&self, text: &str) -> Option<usize> {
        self.counter.last_cut(text)
    }
}
