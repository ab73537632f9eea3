//! Sampling: encoding with merges passed over at random. What a call gives follows from its seed alone.

use crate::definition::Family;
use crate::encoding::Sink;
use crate::error::{Error, Result};
use crate::model::Scratch;
use crate::model::bpe::Dropout;
use crate::special::Choice;
use crate::tokenizer::Tokenizer;

/// The randomness of a call.
#[derive(Debug, Clone, Copy)]
pub struct Drops {
    probability: f32,
    seed: u64,
}

impl Drops {
    /// That of one of the call's texts, by its number.
    fn of_document(self, number: usize) -> Dropout {
        Dropout::new(self.probability, self.seed, number as u64)
    }
}

impl Tokenizer {
    /// What a call asks for, or else the tokenizer's own default; None where nothing is passed over.
    pub fn drops(&self, probability: Option<f64>, seed: u64) -> Result<Option<Drops>> {
        let outline = &self.definition().outline;
        let probability = match probability {
            Some(asked) if !(0.0..=1.0).contains(&asked) => {
                return Err(Error::Spec(format!("dropout is from 0 to 1, not {asked}")));
            }
            Some(asked) if asked > 0.0 && outline.family != Family::Bpe => {
                let family = outline.family.name();
                return Err(Error::Spec(format!(
                    "dropout is of byte-pair encoding, and this is a tokenizer of {family}s"
                )));
            }
            Some(asked) => asked as f32,
            None => outline.symbols.dropout,
        };
        Ok((probability > 0.0).then_some(Drops { probability, seed }))
    }

    /// Text → ids, as the text of this number of a call; with merges passed over, if anything is said of that.
    #[inline]
    pub fn encode_sampled<S: Sink>(
        &self,
        text: &str,
        choice: &Choice,
        drops: Option<Drops>,
        number: usize,
        scratch: &mut Scratch,
        sink: &mut S,
    ) -> Result<()> {
        let Some(drops) = drops else { return self.encode(text, choice, scratch, sink) };
        scratch.work.bpe.set_dropout(Some(drops.of_document(number)));
        let encoded = self.encode(text, choice, scratch, sink);
        scratch.work.bpe.set_dropout(None);
        encoded
    }
}
