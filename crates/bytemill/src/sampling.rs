//! Sampling: encoding with merges passed over at random. What a call gives follows from its seed alone.

use crate::definition::Family;
use crate::encoding::{Ragged, Sink};
use crate::error::{Error, Result};
use crate::model::Scratch;
use crate::model::bpe::Dropout;
use crate::parallel::{self, Watch};
use crate::special::Choice;
use crate::tokenizer::Tokenizer;

/// The randomness of a call.
#[derive(Debug, Clone, Copy)]
pub struct Drops {
    probability: f32,
    seed: u64,
}

/// Texts that a worker takes at a time.
const TOGETHER: usize = 64;

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

    /// Text → ids, as the text of this number of a call.
    pub fn encode_sampled<S: Sink>(
        &self,
        text: &str,
        choice: &Choice,
        drops: Option<Drops>,
        number: usize,
        scratch: &mut Scratch,
        sink: &mut S,
    ) -> Result<()> {
        scratch.bpe.set_dropout(drops.map(|drops| drops.of_document(number)));
        let encoded = self.encode(text, choice, scratch, sink);
        scratch.bpe.set_dropout(None);
        encoded
    }

    pub fn encode_batch_sampled(
        &self,
        texts: &[&str],
        choice: &Choice,
        drops: Drops,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<Ragged> {
        let mut all = Ragged::default();
        let encode = |scratch: &mut Scratch, (first, texts): (usize, &[&str])| {
            let mut rows = Ragged::default();
            for (number, text) in (first..).zip(texts) {
                self.encode_sampled(text, choice, Some(drops), number, scratch, &mut rows.ids)?;
                rows.ends.push(rows.ids.len());
            }
            Ok(rows)
        };
        let append = |rows: Ragged| {
            let before = all.ids.len();
            all.ids.extend_from_slice(&rows.ids);
            all.ends.extend(rows.ends.iter().map(|end| before + end));
            Ok(())
        };
        let shares = texts.chunks(TOGETHER).enumerate().map(|(i, texts)| Ok((i * TOGETHER, texts)));
        let threads = threads.min(texts.len().div_ceil(TOGETHER));
        let scratches = parallel::run(threads, watch, || self.pool().take(), shares, encode, append)?;
        scratches.into_iter().for_each(|scratch| self.pool().give(scratch));
        Ok(all)
    }
}
