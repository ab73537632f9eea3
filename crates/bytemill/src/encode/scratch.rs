//! Scratch: every buffer that encoding reuses, and its part in what the tokenizer remembers. One for each worker; kept between calls.

use super::sink::Detailed;
use super::together::ShortTexts;
use super::tokenizer::Tokenizer;
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
    pub fn belong_to(&mut self, tokenizer: &Tokenizer) {
        if self.owner != tokenizer.instance() {
            self.join(tokenizer);
        }
    }

    #[cold]
    fn join(&mut self, tokenizer: &Tokenizer) {
        self.model.join(tokenizer.memories());
        self.owner = tokenizer.instance();
    }
}
