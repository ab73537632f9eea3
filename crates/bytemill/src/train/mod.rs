//! Train: documents → pieces → `PieceCounts` → a vocabulary → `Definition`.

pub mod bpe;
mod counts;
mod spec;
mod vocabulary;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::json;

pub use bpe::{Merge, MergeWatch, Ties, truncated};
pub use counts::PieceCounts;
pub use spec::{Spec, Stages};

use crate::data::{Batch, Cut};
use crate::definition::{Definition, Outline};
use crate::error::Result;
use crate::format::TokenText;
use crate::parallel::{self, Watch};
use crate::pipeline::{Part, Pipeline};
use crate::pretokenize::runs::Borders;
use crate::special::{Choice, Policy};

/// What a training saw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingStats {
    pub documents: u64,
    pub bytes: u64,
    pub pieces: u64,
    pub distinct_pieces: u64,
    /// Of byte-pair encoding: how many tokens the text has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// How long counting and merging took. Not saved: the same training gives the same file.
    #[serde(skip)]
    pub seconds: Option<(Duration, Duration)>,
}

impl Trained {
    /// The merges with their counts, a JSON object on each line.
    pub fn log(&self) -> Vec<u8> {
        let token = |id| TokenText::new(self.definition.vocab.token(id).unwrap_or_default());
        let mut lines = Vec::new();
        for merge in &self.merges {
            let line = json!({
                "left": token(merge.left),
                "right": token(merge.right),
                "id": merge.made,
                "count": merge.count,
            });
            lines.extend_from_slice(line.to_string().as_bytes());
            lines.push(b'\n');
        }
        lines
    }
}

/// The result of a training, with what the user should know of it.
#[derive(Debug)]
pub struct Trained {
    pub definition: Definition,
    /// What byte-pair encoding has learned, by the ids of the definition.
    pub merges: Vec<Merge>,
    pub notes: Vec<String>,
}

/// A training that is set up: it knows where documents may be cut, and takes them in any cut.
pub struct Trainer {
    spec: Spec,
    /// What byte-pair encoding goes on from.
    known: Option<Definition>,
    outline: Outline,
    counting: Pipeline,
}

impl Trainer {
    pub fn new(spec: Spec, special_tokens: &[String], stages: Stages) -> Result<Self> {
        let outline = spec.outline(special_tokens, stages)?;
        let counting = Pipeline::new(&spec.counting_outline(&outline))?;
        Ok(Trainer { spec, known: None, outline, counting })
    }

    /// A training that goes on where another has ended, with the stages and special tokens of that one.
    pub fn continuing(spec: Spec, known: &Definition) -> Result<Self> {
        bpe::check_extension(known)?;
        let counting = Pipeline::new(&known.outline)?;
        Ok(Trainer { spec, known: Some(known.clone()), outline: known.outline.clone(), counting })
    }

    /// Counts the pieces of all documents and builds the tokenizer from them.
    pub fn train(
        &self,
        batches: impl Iterator<Item = Result<Batch>>,
        threads: usize,
        watch: &mut Watch,
        merge_watch: &mut MergeWatch,
    ) -> Result<Trained> {
        // One thread meets pieces in the order of the text.
        let threads = if self.needs_order() { 1 } else { threads };
        let started = Instant::now();
        let (counts, mut stats) = self.count(batches, threads, watch)?;
        let counted = Instant::now();
        (stats.pieces, stats.distinct_pieces) = counts.totals();
        let (mut definition, merges, notes) = match &self.spec.bpe {
            Some(options) => {
                let Spec { vocab_size, min_frequency, .. } = self.spec;
                let built = match &self.known {
                    Some(known) => bpe::extend(known, options, vocab_size, min_frequency, &counts, merge_watch)?,
                    None => bpe::build(options, vocab_size, min_frequency, &self.outline, &counts, merge_watch)?,
                };
                stats.tokens = Some(built.tokens);
                stats.seconds = Some((counted - started, counted.elapsed()));
                (built.definition, built.merges, built.notes)
            }
            None => {
                let (vocab, notes) = vocabulary::build(&self.spec, &self.outline, &counts)?;
                let outline = self.outline.clone();
                (Definition { outline, vocab: vocab.into(), merges: None }, Vec::new(), notes)
            }
        };
        definition.outline.training = Some(stats);
        Ok(Trained { definition, merges, notes })
    }

    fn needs_order(&self) -> bool {
        self.spec.bpe.as_ref().is_some_and(|options| options.ties == Ties::Tiktoken)
    }

    fn count(
        &self,
        batches: impl Iterator<Item = Result<Batch>>,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<(PieceCounts, TrainingStats)> {
        let mut stats = TrainingStats::default();
        let batches = batches.inspect(|batch| {
            for block in batch.iter().flatten() {
                stats.bytes += block.text.len() as u64;
                stats.documents += u64::from(block.ends_document);
            }
        });
        // Special tokens separate documents from one another: never counted, never crossed.
        let choice = Choice::Policy(Policy::All);
        let workers = parallel::run(
            threads,
            watch,
            || (PieceCounts::default(), Borders::default()),
            batches,
            |(counts, borders), batch: Batch| {
                for block in batch {
                    self.counting.run(&block.text, &choice, false, borders, |part| {
                        if let Part::Pieces(pieces) = part {
                            pieces.iter().for_each(|piece| counts.add(piece.text.as_bytes(), 1));
                        }
                        Ok(())
                    })?;
                }
                Ok(())
            },
            |()| Ok(()),
        )?;
        let all = workers.into_iter().map(|(counts, _)| counts).reduce(|mut all, counts| {
            all.merge(&counts);
            all
        });
        Ok((all.unwrap_or_default(), stats))
    }
}

impl Cut for Trainer {
    fn last_cut(&self, text: &str) -> Option<usize> {
        self.counting.last_cut(text, false)
    }
}
