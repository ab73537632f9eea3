//! The options of parity-aware BPE, and what is wrong with them in the words of the library.

use super::super::options::{BpeOptions, EndOfWord};
use super::super::rule::{PairScore, Ties};
use crate::error::{Error, Result};

#[derive(Debug, Clone, Default)]
pub struct ParityOptions {
    pub num_merges: usize,
    pub window: Option<ParityWindow>,
    pub min_frequency: u64,
    /// How well each language is to be compressed, relative to the others.
    pub ratio: Option<Vec<f64>>,
    /// So many merges come first, of the pairs that are the most frequent in all languages together.
    pub global_merges: usize,
    /// Whether `num_merges` counts all tokens.
    pub total_symbols: bool,
    pub special_tokens: Vec<String>,
    pub limit_alphabet: Option<usize>,
    pub initial_alphabet: Vec<String>,
    pub continuing_subword_prefix: Option<String>,
    pub end_of_word_suffix: Option<String>,
    pub max_token_length: Option<usize>,
}

/// A language that has had more than its share of the last `size` merges, `alpha` divided by the number of languages, waits.
#[derive(Debug, Clone, Copy)]
pub struct ParityWindow {
    pub size: usize,
    pub alpha: f64,
}

impl ParityOptions {
    pub(super) fn check(&self, languages: usize, dev: usize) -> Result<()> {
        let refuse = |message: String| Err(Error::Spec(message));
        if languages == 0 {
            return refuse("No language data has been fed".into());
        }
        let given = self.ratio.as_deref().unwrap_or_default();
        if self.ratio.is_some() && given.len() != languages {
            return refuse(format!("ratio length ({}) does not match number of languages ({languages})", given.len()));
        }
        if dev != 0 && dev != languages {
            return refuse(format!(
                "dev_language_words length ({dev}) does not match number of languages ({languages})"
            ));
        }
        match self.window {
            Some(ParityWindow { size: 0, .. }) => {
                return refuse("window_size must be > 0 when variant is Window".into());
            }
            Some(ParityWindow { alpha, .. }) if !is_positive(alpha) => {
                return refuse(format!("alpha must be a positive finite number when variant is Window (got {alpha})"));
            }
            _ => {}
        }
        match given.iter().enumerate().find(|(_, ratio)| !is_positive(**ratio)) {
            Some((at, ratio)) => refuse(format!("ratio[{at}] must be a positive finite number (got {ratio})")),
            None => Ok(()),
        }
    }

    /// What byte-pair encoding of characters has to know of it.
    pub(super) fn bpe(&self) -> BpeOptions {
        BpeOptions {
            // Of equally frequent pairs the greater one by its strings goes first, in the library's trainer as in that course.
            ties: Ties::Cs336,
            score: PairScore::Frequency,
            max_token_length: self.max_token_length,
            initial_alphabet: Some(self.initial_alphabet.clone()),
            limit_alphabet: self.limit_alphabet,
            end_of_word_suffix: self.end_of_word_suffix.clone(),
            end_of_word: EndOfWord::Suffix,
            continuing_subword_prefix: self.continuing_subword_prefix.clone(),
            byte_level: false,
            byte_fallback: false,
            may_exceed: true,
        }
    }
}

fn is_positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}
