//! TrainingStats: what a training saw, kept with the tokenizer.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::Result;

/// What a training saw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingStats {
    pub documents: u64,
    pub bytes: u64,
    pub pieces: u64,
    pub distinct_pieces: u64,
    /// How many tokens the text has, for byte-pair encoding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// How long each phase took, for models that merge. Not saved: the same training gives the same file.
    #[serde(skip)]
    pub phases: Phases,
}

/// How long the parts of a piece of work took, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phases(pub Vec<(&'static str, Duration)>);

impl Phases {
    /// Does a part of the work, or of a phase that was before.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let started = Instant::now();
        let done = work()?;
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, took)) => *took += started.elapsed(),
            None => self.0.push((name, started.elapsed())),
        }
        Ok(done)
    }
}
