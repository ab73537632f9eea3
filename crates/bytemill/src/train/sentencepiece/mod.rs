//! Training of SentencePiece models: words are counted, the characters found that cover the text, and then the pieces by one of its models.

mod listed;
mod merged;
mod options;
#[cfg(test)]
mod tests;
mod valid;
mod words;

use super::bpe::{Means, MergeWatch};
use super::counts::PieceCounts;
use super::numbering::Numbering;
use super::{Trained, unigram};
use crate::definition::Phases;
use crate::definition::{Definition, Outline};
use crate::error::{Error, Result};
use crate::format::sentencepiece::trained;
use crate::normalize::Charsmap;
use crate::vocab::Vocab;
use listed::scored;
pub(super) use options::{ModelKind, Recipe, RoleNames, SentencePieceOptions};
#[cfg(test)]
pub(super) use tests::{counted, options};
use words::Text;
pub(super) use words::TrainingWords;

/// What Unigram and BPE are trained to where nobody says how many pieces they are to have, as SentencePiece does.
const DEFAULT_PIECES: usize = 8000;

/// The map of characters of a normalization, which is given as JSON; empty where nothing changes.
pub fn charsmap(normalization: &str) -> Result<Vec<u8>> {
    let normalization: options::Normalization =
        serde_json::from_str(normalization).map_err(|error| Error::Spec(error.to_string()))?;
    Ok(normalization.charsmap()?.map(|map| map.bytes().to_vec()).unwrap_or_default())
}

/// The rules of a map of characters: what is replaced, and what it becomes.
pub fn charsmap_rules(charsmap: &[u8]) -> Result<Vec<(String, String)>> {
    if charsmap.is_empty() { Ok(Vec::new()) } else { Charsmap::new(charsmap)?.listed() }
}

/// What is known before the pieces are.
pub(super) struct Prepared {
    /// The tokens before the pieces.
    pub reserved: Vec<String>,
    /// The characters that are pieces, with their counts, the most frequent first.
    pub required: Vec<(char, u64)>,
    /// How many pieces there may be.
    pub room: usize,
}

/// What to train, and with what.
pub(super) struct SentencePieceTask<'a> {
    pub options: &'a SentencePieceOptions,
    pub vocab_size: Option<usize>,
    pub roles: RoleNames<'a>,
    pub numbering: &'a Numbering,
    pub means: Means,
}

/// The pieces of a model to learn: from which words, and with what.
#[derive(Clone, Copy)]
pub(super) struct PieceTask<'a> {
    pub options: &'a SentencePieceOptions,
    pub prepared: &'a Prepared,
    pub words: &'a TrainingWords,
    pub means: Means,
}

/// The tokenizer, how it came about, and what the user should know of it.
pub(super) fn build(
    task: &SentencePieceTask,
    outline: &Outline,
    counts: &PieceCounts,
    phases: &mut Phases,
    watch: &mut MergeWatch,
) -> Result<Trained> {
    let means = task.means;
    let is_own = outline.sentencepiece.is_some();
    let options = &if is_own { task.options.clone() } else { task.options.within_pieces() };
    let lists = matches!(options.model, ModelKind::Word | ModelKind::Char);
    let reserved = options.reserved(outline);
    let text = Text::new(counts, &reserved)?;
    // A share in 32 bits, as SentencePiece has it, is all before the rarest have been counted.
    let of_tokenizers = options.recipe.is_of_tokenizers();
    let all = of_tokenizers || lists && task.vocab_size.is_none() && options.character_coverage >= 1.0;
    let coverage = if all { f64::INFINITY } else { options.character_coverage };
    let required = phases.time("arranging", || text.characters(coverage, &options.required_chars, of_tokenizers))?;
    let size = task.vocab_size.unwrap_or(if lists { usize::MAX } else { DEFAULT_PIECES });
    let holds = |room: usize| match options.recipe {
        Recipe::SentencePiece => lists || room >= required.len(),
        Recipe::Tokenizers { vocab_size } => vocab_size >= required.len(),
    };
    let room = size.checked_sub(reserved.len()).filter(|&room| holds(room));
    let room = room.ok_or_else(|| too_small(size, &required, &reserved))?;
    let prepared = Prepared { reserved, required, room };
    let (pieces, history) = match options.model {
        ModelKind::Unigram => {
            let words = phases.time("arranging", || text.words(&prepared.required, |word| vec![word]))?;
            unigram::pieces(&PieceTask { options, prepared: &prepared, words: &words, means }, phases, watch)?
        }
        ModelKind::Bpe => {
            let words = phases.time("arranging", || text.words(&prepared.required, |word| options.cut(word)))?;
            merged::pieces(&PieceTask { options, prepared: &prepared, words: &words, means }, phases, watch)?
        }
        ModelKind::Char => {
            let sum = prepared.required.iter().map(|&(_, count)| count).sum();
            scored(prepared.required.iter().map(|&(c, count)| (c.to_string(), count)).collect(), sum, &prepared)
        }
        ModelKind::Word => {
            let (words, sum) = text.whole_words(&prepared.required)?;
            scored(words, sum, &prepared)
        }
    };
    let reached = pieces.len() + prepared.reserved.len();
    let short = task.vocab_size.filter(|&size| reached < size).map(|size| {
        format!("vocab_size={size} was asked for and {reached} is what there is: the text has no more pieces that are worth a token")
    });
    // Added tokens are pieces of SentencePiece, and of no other model.
    let held = if is_own { 0 } else { outline.added.len() };
    let names = prepared.reserved.iter().enumerate().map(|(id, name)| (id >= held).then(|| name.clone()));
    let vocab = Vocab::new(names.chain(pieces.iter().map(|(text, _)| Some(text.clone()))))?;
    let zeros = prepared.reserved.iter().map(|_| 0.0);
    // A `.model` holds them in 32 bits.
    let kept = |score: f64| if of_tokenizers { score } else { f64::from(score as f32) };
    let scores = zeros.chain(pieces.iter().map(|&(_, score)| kept(score))).collect();
    let definition = Definition { outline: outline.clone(), vocab: vocab.into(), merges: None, scores: Some(scores) };
    let definition = task.numbering.applied(definition)?;
    let message = options.message(definition.vocab.len(), &definition.outline, task.roles);
    let definition = trained(definition, &message)?;
    Ok(Trained { definition, merges: Vec::new(), history, notes: short.into_iter().collect() })
}

fn too_small(size: usize, required: &[(char, u64)], reserved: &[String]) -> Error {
    Error::Spec(format!(
        "vocab_size={size} does not hold the {} required characters and {} other tokens; it must be at least {}, or \
         character_coverage smaller",
        required.len(),
        reserved.len(),
        required.len() + reserved.len()
    ))
}
