//! What comes of a training.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Merge;
use crate::definition::Definition;
use crate::error::Result;
use crate::format::TokenText;

/// What a training saw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingStats {
    pub documents: u64,
    pub bytes: u64,
    pub pieces: u64,
    pub distinct_pieces: u64,
    /// Of byte-pair encoding: how many tokens the text has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Of what is merged: how long each phase took. Not saved: the same training gives the same file.
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

/// The result of a training, with what the user should know of it.
#[derive(Debug)]
pub struct Trained {
    pub definition: Definition,
    /// What byte-pair encoding has learned, by the ids of the definition.
    pub merges: Vec<Merge>,
    pub notes: Vec<String>,
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
