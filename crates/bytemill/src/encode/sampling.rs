//! Sampling: encoding at random, with merges of BPE passed over, or among the rows of Unigram. What a call gives follows from its seed
//! alone.

use crate::definition::{Family, Merging};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::machine::random::document;
use crate::model::Chance;
use crate::model::bpe::Dropout;
use crate::model::unigram::RandomRows;

/// What a call asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    pub dropout: Option<f64>,
    pub alpha: Option<f64>,
    /// Below 0: among all rows; 0 and 1: the best one.
    pub nbest_size: Option<i64>,
    pub seed: u64,
}

/// The randomness of a call.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    way: Way,
    seed: u64,
}

#[derive(Debug, Clone, Copy)]
enum Way {
    /// Whether a merge that is passed over comes up again.
    Dropout {
        probability: f32,
        waits: bool,
    },
    Rows {
        alpha: f64,
        nbest: Option<usize>,
    },
}

/// The most that `nbest_size` may be, as in SentencePiece.
const MOST_ROWS: i64 = 512;

impl Tokenizer {
    /// What a call asks for, or else the tokenizer's own default; None where nothing is left to chance.
    pub fn sampling(&self, asked: Asked) -> Result<Option<Sampling>> {
        let family = self.definition().outline.family;
        let way = match asked {
            Asked { dropout: Some(_), alpha: Some(_), .. } => {
                Err(Error::Spec("dropout is of byte-pair encoding and alpha of Unigram; no tokenizer has both".into()))
            }
            Asked { alpha: None, nbest_size: Some(_), .. } => {
                Err(Error::Spec("nbest_size says among how many rows alpha chooses, and no alpha is given".into()))
            }
            Asked { alpha: Some(_), .. } if family != Family::Unigram => {
                let other = if family == Family::Bpe { "; use dropout" } else { "" };
                let family = family.name();
                Err(Error::Spec(format!("alpha is of Unigram, and this is a {family} tokenizer{other}")))
            }
            Asked { alpha: Some(alpha), nbest_size, .. } => rows(alpha, nbest_size.unwrap_or(-1)),
            Asked { dropout, .. } => self.dropout(dropout),
        }?;
        Ok(way.map(|way| Sampling { way, seed: asked.seed }))
    }

    fn dropout(&self, asked: Option<f64>) -> Result<Option<Way>> {
        let outline = &self.definition().outline;
        let probability = match asked {
            Some(asked) if !(0.0..=1.0).contains(&asked) => {
                return Err(Error::Spec(format!("dropout is from 0 to 1, not {asked}")));
            }
            Some(asked) if asked > 0.0 && outline.family != Family::Bpe => {
                let family = outline.family.name();
                let other = if outline.family == Family::Unigram { "; use alpha" } else { "" };
                return Err(Error::Spec(format!(
                    "dropout is of byte-pair encoding, and this is a {family} tokenizer{other}"
                )));
            }
            Some(asked) => asked as f32,
            None => outline.symbols.dropout,
        };
        let waits = outline.merging != Merging::Scores;
        Ok((probability > 0.0).then_some(Way::Dropout { probability, waits }))
    }
}

impl Sampling {
    /// What decides for one text, by random numbers that follow from the seed and the number of the text.
    pub(super) fn chance(self, number: usize) -> Chance {
        let document = document(self.seed, number);
        match self.way {
            Way::Dropout { probability, waits } => Chance::Dropout(Dropout::new(probability, waits, document)),
            Way::Rows { alpha, nbest } => Chance::Rows(RandomRows::new(alpha, nbest, document)),
        }
    }
}

fn rows(alpha: f64, nbest_size: i64) -> Result<Option<Way>> {
    if !(alpha >= 0.0 && alpha.is_finite()) {
        return Err(not_an_alpha(alpha));
    }
    if nbest_size > MOST_ROWS {
        return Err(Error::Spec(format!("nbest_size is at most {MOST_ROWS}, or -1 for all rows, not {nbest_size}")));
    }
    Ok(match nbest_size {
        ..0 => Some(Way::Rows { alpha, nbest: None }),
        0 | 1 => None,
        n => Some(Way::Rows { alpha, nbest: Some(n as usize) }),
    })
}

pub(crate) fn not_an_alpha(alpha: f64) -> Error {
    Error::Spec(format!("alpha is a number from 0 on, not {alpha}"))
}
