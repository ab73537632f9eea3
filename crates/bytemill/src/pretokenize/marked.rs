//! MarkedStages: stages of SentencePiece that put a mark before the text and for every space, so that words can be taken one by one.

use super::spaces::Spaces;
use super::{PreTokenizer, Prepend};
use crate::error::Result;
use crate::normalize::{MARK_CHARACTER, Normalizer, SentencePiece};
use crate::text::white::White;

#[derive(Debug)]
pub struct MarkedStages {
    pub spaces: Spaces,
    pub stages: Box<SentencePiece>,
    /// For the pre-tokenizer of tokenizer.json: a space at the start of the text is itself the mark, and this says which texts get one.
    pub once: Option<Prepend>,
}

impl MarkedStages {
    /// The one place that tells whether stages are of this kind.
    pub fn of(normalizer: Option<&Normalizer>, pretokenizer: Option<&PreTokenizer>) -> Result<Option<Self>> {
        Ok(match (normalizer, pretokenizer) {
            (Some(Normalizer::SentencePiece(stages)), None) => {
                Spaces::of(stages).map(|spaces| MarkedStages { spaces, stages: stages.clone(), once: None })
            }
            (None, Some(PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend, split: false }))
                if *prepend != Prepend::Never =>
            {
                let stages = Box::new(SentencePiece::marks()?);
                Some(MarkedStages { spaces: Spaces::new(true, White::SPACE), stages, once: Some(*prepend) })
            }
            _ => None,
        })
    }

    /// Whether a part of a text that starts there gets a mark before it.
    pub fn marks_at(&self, offset: usize) -> bool {
        offset == 0 || self.once != Some(Prepend::First)
    }
}
