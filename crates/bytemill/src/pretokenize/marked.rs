//! MarkedStages: stages of SentencePiece that put a mark for every space, and most of them one before the text, so that words can be taken
//! one by one.

use super::spaces::Spaces;
use super::{PreTokenizer, Prepend};
use crate::error::Result;
use crate::normalize::{MARK, MARK_CHARACTER, Normalizer, SentencePiece};
use crate::text::pattern::Pattern;
use crate::text::white::White;

#[derive(Debug)]
pub struct MarkedStages {
    pub spaces: Spaces,
    pub stages: Box<SentencePiece>,
    /// For tokenizer.json, where a space at the start of the text is itself the mark: which texts get one that have none. None where every
    /// text gets one more.
    pub once: Option<Prepend>,
}

impl MarkedStages {
    /// The one place that tells whether stages are of this kind.
    pub fn of(normalizer: Option<&Normalizer>, pretokenizer: Option<&PreTokenizer>) -> Result<Option<Self>> {
        let once = match (normalizer, pretokenizer) {
            (Some(Normalizer::SentencePiece(stages)), None) => {
                let marked = |spaces| MarkedStages { spaces, stages: stages.clone(), once: None };
                return Ok(Spaces::of(stages).map(marked));
            }
            (None, Some(PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend, split: false })) => {
                Some(Some(*prepend))
            }
            (Some(normalizer), pretokenizer) if pretokenizer.is_none_or(splits_at_spaces) => marks_by_steps(normalizer),
            _ => None,
        };
        let marked = |once| -> Result<Self> {
            let stages = Box::new(SentencePiece::marks()?);
            Ok(MarkedStages { spaces: Spaces::new(true, White::SPACE), stages, once })
        };
        once.map(marked).transpose()
    }

    /// Whether a part of a text that starts there gets a mark before it.
    pub fn marks_at(&self, offset: usize) -> bool {
        match self.once {
            None | Some(Prepend::Always) => true,
            Some(Prepend::First) => offset == 0,
            Some(Prepend::Never) => false,
        }
    }
}

/// Whether nothing is split where spaces have become marks.
fn splits_at_spaces(pretokenizer: &PreTokenizer) -> bool {
    matches!(pretokenizer, PreTokenizer::Split { pattern: Pattern::Text(text), invert: false, .. } if text == " ")
}

/// Which texts get marks by steps of tokenizer.json that make marks of spaces: all of them one more, or none. None of both for other steps.
fn marks_by_steps(normalizer: &Normalizer) -> Option<Option<Prepend>> {
    let steps = match normalizer {
        Normalizer::Sequence { steps } => &steps[..],
        step => std::slice::from_ref(step),
    };
    let prepends = |step: &Normalizer| matches!(step, Normalizer::Prepend { content } if content == MARK);
    let replaces = |step: &Normalizer| match step {
        Normalizer::Replace { pattern, content } => *pattern.pattern() == Pattern::Text(" ".into()) && content == MARK,
        _ => false,
    };
    match steps {
        [first, second] if prepends(first) && replaces(second) || replaces(first) && prepends(second) => Some(None),
        [step] if replaces(step) => Some(Some(Prepend::Never)),
        _ => None,
    }
}
