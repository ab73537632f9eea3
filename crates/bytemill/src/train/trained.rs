//! What comes of a training.

use serde_json::json;

use super::LearnedMerge;
use crate::definition::Definition;
use crate::format::TokenText;

/// The result of a training, with what the user should know of it.
#[derive(Debug)]
pub struct Trained {
    pub definition: Definition,
    /// What byte-pair encoding has learned, by the ids of the definition.
    pub merges: Vec<LearnedMerge>,
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
