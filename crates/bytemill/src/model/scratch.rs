//! Scratch: every buffer that encoding reuses, and what it remembers. One for each worker; kept between calls.

use super::PieceSpan;
use super::bpe::BpeScratch;
use super::memo::Remembered;
use super::unigram::UnigramScratch;
use crate::encoding::Detailed;
use crate::normalize::Characters;
use crate::pretokenize::runs::Borders;
use crate::short_texts::ShortTexts;
use crate::vocab::TokenId;

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

/// What models keep; each uses its own.
#[derive(Debug, Default)]
pub struct ModelScratch {
    pub bpe: BpeScratch,
    pub unigram: UnigramScratch,
    /// Pieces of WordPiece, or stretches of text where these are encoded instead, of words too.
    pub remembered: Remembered,
    /// What became of characters, and of a word that is made of them.
    pub characters: Characters,
    pub word: String,
    /// A piece in lower case.
    pub lower: Vec<u8>,
    /// The ids of stretches whose places are looked for.
    pub ids: Vec<TokenId>,
    /// For stretches that are split further.
    pub inner: Borders,
}

impl ModelScratch {
    /// Whether encoding is at random for now.
    #[inline]
    pub fn is_random(&self) -> bool {
        self.bpe.is_random() || self.unigram.is_random()
    }
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
