//! Scratch: every buffer that encoding reuses, and what it remembers. One for each worker; kept between calls.

use super::sink::Detailed;
use super::together::ShortTexts;
use crate::model::{ModelScratch, PieceSpan};
use crate::pretokenize::runs::Borders;

#[derive(Debug, Default)]
pub struct Scratch {
    pub borders: Borders,
    pub model: ModelScratch,
    /// The places of the tokens of one piece.
    pub spans: Vec<PieceSpan>,
    /// The tokens of the texts of an input.
    pub found: [Detailed<true>; 2],
    /// Texts of a batch that were not UTF-8 before.
    pub transcoded: Vec<u8>,
    /// Texts of a batch that wait for others.
    pub short: ShortTexts,
    /// The tokenizer whose pieces are remembered.
    owner: u64,
}

impl Scratch {
    /// Makes the scratch that of one tokenizer: what it remembers of another must not answer for this one.
    #[inline]
    pub fn belong_to(&mut self, tokenizer: u64) {
        if self.owner != tokenizer {
            self.model.bpe.clear();
            self.model.unigram.clear();
            self.model.remembered.clear();
            self.model.characters.clear();
            self.owner = tokenizer;
        }
    }
}
