//! Scratch: every buffer that encoding reuses, and what it remembers. One for each worker; kept between calls.

use std::sync::Mutex;

use super::PieceSpan;
use super::bpe::BpeScratch;
use super::memo::Remembered;
use super::unigram::UnigramScratch;
use crate::encoding::Detailed;
use crate::pretokenize::runs::Borders;
use crate::vocab::TokenId;

#[derive(Debug, Default)]
pub struct Scratch {
    pub borders: Borders,
    pub model: ModelScratch,
    /// The places of the tokens of one piece.
    pub spans: Vec<PieceSpan>,
    /// The tokens of the texts of an input.
    pub found: [Detailed<true>; 2],
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
    /// A piece in lower case.
    pub lower: Vec<u8>,
    /// The ids of stretches whose places are looked for.
    pub ids: Vec<TokenId>,
    /// For stretches that are split further.
    pub inner: Borders,
}

impl Scratch {
    /// Makes the scratch that of one tokenizer: what it remembers of another must not answer for this one.
    #[inline]
    pub fn belong_to(&mut self, tokenizer: u64) {
        if self.owner != tokenizer {
            self.model.bpe.clear();
            self.model.unigram.clear();
            self.model.remembered.clear();
            self.owner = tokenizer;
        }
    }
}

/// Scratches kept for the next calls: as many as threads are likely to be in calls at once.
const KEPT: usize = 8;

/// Never waited for: who finds it taken (by another thread, or for ever by a fork) makes a scratch of their own.
#[derive(Debug, Default)]
pub struct Pool(Mutex<Vec<Scratch>>);

impl Pool {
    pub fn take(&self) -> Scratch {
        self.0.try_lock().ok().and_then(|mut kept| kept.pop()).unwrap_or_default()
    }

    pub fn give(&self, scratch: Scratch) {
        if let Ok(mut kept) = self.0.try_lock()
            && kept.len() < KEPT
        {
            kept.push(scratch);
        }
    }
}
