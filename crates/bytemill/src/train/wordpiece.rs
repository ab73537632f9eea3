//! WordPiece, learned: tokens are made as by byte-pair encoding of characters, by one of two scores, and kept without their merges.

use serde::Deserialize;

use super::bpe::{self, BpeOptions, BpeTask, Built, EndOfWord, MergeWatch, PairScore, Ties, TrainingPieces};
use crate::decode::{DecodeStep, Decoder};
use crate::definition::Phases;
use crate::definition::{Definition, Family, Outline, Subwords};
use crate::error::{Error, Result};
use crate::postprocess::Template;
use crate::vocab::TokenId;

/// The options of WordPiece, as the user says them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordPieceOptions {
    pub score: PairScore,
    pub max_input_chars_per_word: usize,
    pub continuing_subword_prefix: String,
    pub max_token_length: Option<usize>,
    pub initial_alphabet: Option<Vec<String>>,
    pub limit_alphabet: Option<usize>,
    pub cls_token: Option<String>,
    pub sep_token: Option<String>,
    pub mask_token: Option<String>,
}

impl WordPieceOptions {
    pub fn check(&self, unk_token: Option<&str>) -> Result<()> {
        match unk_token {
            Some(_) => Ok(()),
            None => Err(Error::Spec("WordPiece needs an unk_token for words that its tokens cannot spell".into())),
        }
    }

    /// The special tokens that are BERT's, beside those that every family has.
    pub fn roles(&self) -> [&Option<String>; 3] {
        [&self.cls_token, &self.sep_token, &self.mask_token]
    }

    pub fn template(&self, id: impl Fn(&Option<String>) -> Option<TokenId>) -> Option<Template> {
        let class = self.cls_token.clone().zip(id(&self.cls_token))?;
        let separator = self.sep_token.clone().zip(id(&self.sep_token))?;
        Some(Template::bert(class, separator))
    }

    pub fn subwords(&self) -> Subwords {
        Subwords { prefix: self.continuing_subword_prefix.clone(), max_chars: self.max_input_chars_per_word }
    }

    pub fn decoder(&self) -> Decoder {
        Decoder::Chain(vec![DecodeStep::WordPiece { prefix: self.continuing_subword_prefix.clone(), cleanup: true }])
    }

    /// The training of byte-pair encoding that makes the same tokens.
    pub fn merging(&self) -> BpeOptions {
        let prefix = Some(self.continuing_subword_prefix.clone()).filter(|prefix| !prefix.is_empty());
        BpeOptions {
            ties: Ties::HuggingFace,
            score: self.score,
            max_token_length: self.max_token_length,
            initial_alphabet: self.initial_alphabet.clone(),
            limit_alphabet: self.limit_alphabet,
            end_of_word_suffix: None,
            end_of_word: EndOfWord::Suffix,
            continuing_subword_prefix: prefix,
            byte_level: false,
            byte_fallback: false,
            may_exceed: false,
        }
    }
}

pub(super) fn build(
    outline: &Outline,
    task: &BpeTask,
    pieces: &TrainingPieces,
    phases: &mut Phases,
    watch: &mut MergeWatch,
) -> Result<Built> {
    let merged = Outline { family: Family::Bpe, subwords: None, symbols: task.options.symbols(), ..outline.clone() };
    let built = bpe::build(&merged, task, pieces, phases, watch)?;
    let definition = Definition { outline: outline.clone(), vocab: built.definition.vocab, merges: None, scores: None };
    Ok(Built { definition, ..built })
}
