//! Train: documents → pieces → `PieceCounts` → a vocabulary → `Definition`.

mod counts;
mod spec;
mod vocabulary;

use serde::{Deserialize, Serialize};

pub use counts::{CountOptions, Counter, Held, MadeBy, Order, PieceCounts};
pub use spec::{Spec, Stages};

use crate::data::{Batch, Cut};
use crate::definition::{Definition, Outline};
use crate::error::Result;
use crate::parallel::Watch;

/// What a training saw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingStats {
    pub documents: u64,
    pub bytes: u64,
    pub pieces: u64,
    pub distinct_pieces: u64,
}

/// The result of a training, with what the user should know of it.
#[derive(Debug)]
pub struct Trained {
    pub definition: Definition,
    pub notes: Vec<String>,
}

/// A training that is set up: it knows where documents may be cut, and takes them in any cut.
pub struct Trainer {
    spec: Spec,
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

    fn with_outline(spec: Spec, outline: Outline) -> Result<Self> {
        let made_by = MadeBy {
            normalizer: outline.normalizer.clone(),
            pretokenizer: outline.pretokenizer.clone(),
            special_tokens: outline.added.iter().map(|token| token.content.clone()).collect(),
        };
        let counter = Counter::new(made_by, spec.counts_characters())?;
        Ok(Trainer { spec, outline, counter })
    }

    /// Counts the pieces of all documents and builds the tokenizer from them.
    pub fn train(
        &self,
        batches: impl Iterator<Item = Result<Batch>>,
        options: CountOptions,
        watch: &mut Watch,
    ) -> Result<Trained> {
        self.train_from(&self.counter.count(batches, options, watch)?)
    }

    /// How far the merging of counts is that follows the reading.
    pub fn merged(&self) -> u64 {
        self.counter.merged()
    }

    /// Builds the tokenizer from counts.
    pub fn train_from(&self, counts: &PieceCounts) -> Result<Trained> {
        let (vocab, notes) = vocabulary::build(&self.spec, &self.outline, counts)?;
        let (pieces, distinct_pieces) = counts.totals();
        let PieceCounts { documents, bytes, .. } = *counts;
        let mut outline = self.outline.clone();
        outline.training = Some(TrainingStats { documents, bytes, pieces, distinct_pieces });
        Ok(Trained { definition: Definition { outline, vocab: vocab.into(), merges: None }, notes })
    }
}

impl Cut for Trainer {
    fn last_cut(&self, text: &str) -> Option<usize> {
        self.counter.last_cut(text)
    }
}
