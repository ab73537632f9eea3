//! RankedPieces: the most frequent pieces, the bytes of all of them in one arena, since there may be many and most are short.

use std::cmp::Reverse;

use super::CountedPiece;

#[derive(Debug, Default)]
pub struct RankedPieces {
    arena: Vec<u8>,
    pieces: Vec<RankedPiece>,
}

#[derive(Debug, Clone, Copy)]
struct RankedPiece {
    count: u64,
    start: usize,
    end: usize,
}

impl RankedPieces {
    /// An empty one with room for some pieces.
    pub(super) fn with_room(pieces: usize) -> Self {
        RankedPieces { arena: Vec::new(), pieces: Vec::with_capacity(pieces) }
    }

    pub(crate) fn push(&mut self, piece: &[u8], count: u64) {
        let start = self.arena.len();
        self.arena.extend_from_slice(piece);
        self.pieces.push(RankedPiece { count, start, end: self.arena.len() });
    }

    /// Puts those first that occur most often, and leaves no more than `most`. Among equals they stay in their order.
    pub(super) fn keep_best(&mut self, most: usize) {
        // Most words occur once or twice, and a stable sort is done with equals at once.
        self.pieces.sort_by_key(|piece| Reverse(piece.count));
        if self.pieces.len() > most {
            self.pieces.truncate(most);
            // Only what is left has its bytes in the arena.
            *self = self.iter().collect();
        }
    }

    /// The count of the last one.
    pub(super) fn least(&self) -> Option<u64> {
        self.pieces.last().map(|piece| piece.count)
    }

    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.pieces.iter().map(|piece| (&self.arena[piece.start..piece.end], piece.count))
    }

    pub(super) fn to_pairs(&self) -> Vec<CountedPiece> {
        self.iter().map(|(piece, count)| (piece.to_vec(), count)).collect()
    }
}

impl<T: AsRef<[u8]>> FromIterator<(T, u64)> for RankedPieces {
    fn from_iter<I: IntoIterator<Item = (T, u64)>>(pieces: I) -> Self {
        let mut ranked = RankedPieces::default();
        pieces.into_iter().for_each(|(piece, count)| ranked.push(piece.as_ref(), count));
        ranked
    }
}
