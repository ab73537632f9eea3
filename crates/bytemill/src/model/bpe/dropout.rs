//! Dropout: merges are passed over at random, so that a text has many segmentations. The chances are those of the library that a model
//! comes from; the choices follow from a seed and are the same on every machine and for any number of threads.

use super::{Bpe, BpeScratch, MergeWork};
use crate::machine::random::RandomStream;
use crate::text::span::Spans;
use crate::vocab::TokenId;

/// The randomness of one document: each of its pieces draws from a stream of its own.
#[derive(Debug, Clone, Copy)]
pub struct Dropout {
    probability: f32,
    /// A merge that is passed over comes up again when another one is made, as in `tokenizers`; in SentencePiece it is gone.
    waits: bool,
    document: u64,
    pieces: u64,
}

impl Dropout {
    /// `document` tells the texts of a batch apart.
    pub fn new(probability: f32, waits: bool, document: u64) -> Self {
        Dropout { probability, waits, document, pieces: 0 }
    }

    /// Whether each of the merges of the next piece is passed over.
    fn next_piece(&mut self) -> impl FnMut() -> bool + use<> {
        let probability = self.probability;
        let mut stream = RandomStream::of_piece(self.document, self.pieces);
        self.pieces += 1;
        // 24 bits are what an f32 holds: a number from 0 up to but not including 1.
        move || ((stream.next() >> 40) as f32 / (1 << 24) as f32) < probability
    }
}

impl Bpe {
    /// Whole pieces count for nothing here, and nothing is remembered: the next time it may come out otherwise.
    #[cold]
    pub(crate) fn segment_dropping(
        &self,
        pieces: Spans<[u8]>,
        dropout: &mut Dropout,
        scratch: &mut BpeScratch,
        ids: &mut Vec<TokenId>,
    ) {
        let BpeScratch { work, .. } = scratch;
        for piece in pieces.iter() {
            self.start(piece, work);
            self.merge_started(work, Some(&mut *dropout));
            self.give(work, |id, _| ids.push(id));
        }
    }

    /// Merges the symbols of a piece that was started, and keeps where each of those that are left began.
    pub(super) fn merge_started(&self, work: &mut MergeWork, dropout: Option<&mut Dropout>) {
        let MergeWork { heap, symbols, parts, .. } = work;
        let view = self.merges.view();
        parts.clear();
        match (dropout, &self.unused) {
            (Some(dropout), _) if dropout.waits => heap.merge_with(view, symbols, dropout.next_piece(), |_, _| {}),
            (Some(dropout), None) => heap.merge_noting(view, symbols, dropout.next_piece(), |_, _| {}),
            (Some(dropout), Some(unused)) => {
                heap.merge_noting(view, symbols, dropout.next_piece(), |made, pair| unused.note(parts, made, pair));
            }
            (None, Some(unused)) => {
                heap.merge_noting(view, symbols, || false, |made, pair| unused.note(parts, made, pair));
            }
            (None, None) => heap.merge(view, symbols),
        }
    }
}
