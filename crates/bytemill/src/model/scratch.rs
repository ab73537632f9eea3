//! ModelScratch: the buffers of the models, and the pieces that they remember.

use std::sync::Arc;

use super::bpe::BpeScratch;
use super::memo::{Remembered, SharedMemory};
use super::unigram::UnigramScratch;
use crate::normalize::CharacterMemo;
use crate::pretokenize::runs::Borders;
use crate::vocab::TokenId;

/// What models keep; each uses its own.
#[derive(Debug, Default)]
pub struct ModelScratch {
    pub bpe: BpeScratch,
    pub unigram: UnigramScratch,
    /// Pieces of WordPiece, or stretches of text where these are encoded instead, of words too.
    pub remembered: Remembered,
    /// What became of characters, and of a word that is made of them.
    pub characters: CharacterMemo,
    pub word: String,
    /// A piece in lower case.
    pub lower: Vec<u8>,
    /// The ids of stretches whose places are looked for.
    pub ids: Vec<TokenId>,
    /// For stretches that are split further.
    pub inner: Borders,
}

/// What all scratches of a tokenizer remember together.
#[derive(Debug, Default)]
pub struct Memories {
    bpe: [Arc<SharedMemory>; 2],
    unigram: [Arc<SharedMemory>; 3],
    remembered: Arc<SharedMemory>,
}

impl ModelScratch {
    /// From now on remembers what these do, and nothing else.
    pub fn join(&mut self, memories: &Memories) {
        self.bpe.join(&memories.bpe);
        self.unigram.join(&memories.unigram);
        self.remembered.join(&memories.remembered);
        self.characters.clear();
    }
}
