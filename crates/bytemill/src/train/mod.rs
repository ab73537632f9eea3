//! Train: documents → pieces → `PieceCounts` → a vocabulary → `Definition`.

mod bpe;
mod counts;
mod numbering;
mod sentencepiece;
mod spec;
mod trained;
mod unigram;
mod vocabulary;
mod wordpiece;

pub(crate) use bpe::{LearnedMerge, Ties};
pub use bpe::{Means, MergeWatch, ParityLearned, ParityOptions, ParityWindow, learn_parity, truncated};
pub(crate) use counts::Held;
pub use counts::{Checkpoint, CountOptions, Counter, MadeBy, PieceCounts, PieceOrder};
pub use sentencepiece::{charsmap, charsmap_rules};
pub use spec::{Spec, Stages};
pub use trained::Trained;
pub(crate) use trained::{History, Round, TextMerge};

use crate::data::{Batch, Cut, Seam};
use crate::definition::{Definition, Outline, Phases, TrainingStats};
use crate::error::{Error, Result};
use crate::machine::parallel::Watch;
use crate::vocab::TokenId;
use numbering::Numbering;

/// A training that is set up: it knows where documents may be cut, and takes them in any cut.
pub struct Trainer {
    spec: Spec,
    /// What byte-pair encoding goes on from.
    known: Option<Definition>,
    outline: Outline,
    counter: Counter,
    numbering: Numbering,
}

impl Trainer {
    pub fn new(spec: Spec, special_tokens: &[String], stages: Stages) -> Result<Self> {
        let outline = spec.outline(special_tokens, stages)?;
        Self::with_outline(spec, outline)
    }

    /// A training from counts, which say how the text became pieces.
    pub fn of_counts(spec: Spec, special_tokens: &[String], stages: Stages, counts: &PieceCounts) -> Result<Self> {
        let outline = match &counts.made_by {
            // The words of SentencePiece are no stage of the tokenizer, but those of source code are.
            Some(made_by) if spec.sentencepiece.is_none() || made_by.is_of_code() => {
                spec.outline_of(made_by, special_tokens, stages)?
            }
            _ => spec.outline(special_tokens, stages)?,
        };
        let trainer = Self::with_outline(spec, outline)?;
        match &counts.made_by {
            Some(made_by)
                if trainer.outline.sentencepiece.is_some() && trainer.made_by().difference(made_by).is_some() =>
            {
                Err(Error::Spec(
                    "these counts were not made for this training; count the text with count_pieces(…, spec=…), with the same options".into(),
                ))
            }
            _ => Ok(trainer),
        }
    }

    /// The stages that make pieces of the text that this counts.
    pub fn made_by(&self) -> &MadeBy {
        self.counter.made_by()
    }

    /// A training that goes on where another has ended, with the stages and special tokens of that one.
    pub fn continuing(spec: Spec, known: &Definition) -> Result<Self> {
        bpe::check_extension(known)?;
        let trainer = Self::with_outline(spec, known.outline.clone())?;
        Ok(Trainer { known: Some(known.clone()), ..trainer })
    }

    fn with_outline(spec: Spec, outline: Outline) -> Result<Self> {
        let counter = match &spec.sentencepiece {
            Some(options) if outline.sentencepiece.is_some() => Counter::of(&options.counted(&outline), false)?,
            _ => Counter::of(&outline, spec.counts_characters())?,
        };
        Ok(Trainer { spec, known: None, outline, counter, numbering: Numbering::default() })
    }

    /// The same training with these special tokens at these ids.
    pub fn numbered(mut self, chosen: Vec<(String, TokenId)>) -> Result<Self> {
        self.numbering = Numbering::new(chosen, self.spec.vocab_size)?;
        Ok(self)
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
        let mut phases = Phases::default();
        let counts = phases.time("counting", || match checkpoint {
            Some(checkpoint) => self.counter.count_from(checkpoint, batches, self.counting(options), watch),
            None => self.count(batches, options, watch),
        })?;
        let means = Means { memory: options.memory, threads: options.threads };
        self.build(&counts, means, phases, merge_watch)
    }

    /// Counts what the training needs, for one that comes later, here or elsewhere.
    pub fn count(
        &self,
        batches: impl Iterator<Item = Result<Batch>>,
        options: CountOptions,
        watch: &mut Watch,
    ) -> Result<PieceCounts> {
        self.counter.count(batches, self.counting(options), watch)
    }

    fn counting(&self, options: CountOptions) -> CountOptions {
        CountOptions { ordered: options.ordered || self.order() == PieceOrder::Appearance, ..options }
    }

    /// How far the merging of counts is that follows the reading.
    pub fn merged(&self) -> u64 {
        self.counter.merged()
    }

    /// Builds the tokenizer from counts.
    pub fn train_from(&self, counts: &PieceCounts, means: Means, merge_watch: &mut MergeWatch) -> Result<Trained> {
        self.build(counts, means, Phases::default(), merge_watch)
    }

    fn build(
        &self,
        counts: &PieceCounts,
        means: Means,
        mut phases: Phases,
        merge_watch: &mut MergeWatch,
    ) -> Result<Trained> {
        if let (Some(known), Some(made_by)) = (&self.known, &counts.made_by) {
            bpe::check_counts(known, made_by)?;
        }
        let (pieces, distinct_pieces) = counts.totals();
        let PieceCounts { documents, bytes, .. } = *counts;
        let mut stats = TrainingStats { documents, bytes, pieces, distinct_pieces, ..TrainingStats::default() };
        let min_frequency = self.spec.min_frequency;
        let vocab_size = self.numbering.size(self.spec.vocab_size);
        let mut trained = match (&self.spec.bpe, &self.spec.wordpiece, &self.spec.sentencepiece) {
            (Some(options), _, _) => {
                let task = bpe::BpeTask { options, vocab_size, min_frequency, means };
                let pieces = bpe::TrainingPieces::new(counts, options.ties)?;
                let built = match &self.known {
                    Some(known) => bpe::extend(known, &task, &pieces, &mut phases, merge_watch)?,
                    None => bpe::build(&self.outline, &task, &pieces, &mut phases, merge_watch)?,
                };
                stats.tokens = Some(built.tokens);
                stats.phases = phases;
                built.into()
            }
            (None, Some(options), _) => {
                let task = bpe::BpeTask { options: &options.merging(), vocab_size, min_frequency, means };
                let pieces = bpe::TrainingPieces::new(counts, Ties::HuggingFace)?;
                let built = wordpiece::build(&self.outline, &task, &pieces, &mut phases, merge_watch)?;
                stats.phases = phases;
                built.into()
            }
            (None, None, Some(options)) => {
                let (roles, numbering) = (self.spec.roles(), &self.numbering);
                let task = sentencepiece::SentencePieceTask { options, vocab_size, roles, numbering, means };
                let trained = sentencepiece::build(&task, &self.outline, counts, &mut phases, merge_watch)?;
                stats.phases = phases;
                trained
            }
            (None, None, None) => {
                let (vocab, history, notes) = vocabulary::build(&self.spec, vocab_size, &self.outline, counts)?;
                let outline = self.outline.clone();
                Trained {
                    definition: Definition { outline, vocab: vocab.into(), merges: None, scores: None },
                    merges: Vec::new(),
                    history,
                    notes,
                }
            }
        };
        if self.spec.sentencepiece.is_none() {
            self.numbering.apply(&mut trained)?;
        }
        trained.definition.outline.training = Some(stats);
        Ok(trained)
    }

    /// The order in which the rule for ties wants to meet the pieces.
    fn order(&self) -> PieceOrder {
        match &self.spec.bpe {
            Some(options) if options.ties == Ties::Tiktoken => PieceOrder::Appearance,
            _ => PieceOrder::Bytes,
        }
    }
}

impl Cut for Trainer {
    fn last_cut(&self, text: &str) -> Option<Seam> {
        self.counter.last_cut(text)
    }
}
