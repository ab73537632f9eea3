//! Held: all pieces in memory at once, for callers that need them so.

use super::block::{Record, damaged};
use super::body::Body;
use crate::error::Result;

/// In which order pieces come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceOrder {
    Bytes,
    /// The one first whose first occurrence in the text comes first.
    Appearance,
}

#[derive(Debug, Default)]
pub struct Held {
    arena: Vec<u8>,
    /// Where each piece ends, and its count.
    pieces: Vec<(usize, u64)>,
    /// The numbers of pieces in the order of their appearance, where that is wanted.
    appearance: Option<Vec<usize>>,
}

impl Held {
    /// For the order of appearance, the body has it.
    pub(super) fn new(body: &Body, order: PieceOrder) -> Result<Self> {
        let mut held = Held::default();
        let mut appearance = match order {
            PieceOrder::Bytes => Vec::new(),
            PieceOrder::Appearance => vec![usize::MAX; body.distinct as usize],
        };
        let mut cursor = body.cursor();
        while cursor.advance()? {
            let Record { piece, count, place } = cursor.record();
            if order == PieceOrder::Appearance {
                let free = appearance.get_mut(place as usize).filter(|number| **number == usize::MAX);
                *free.ok_or_else(|| damaged("the order of appearance is none"))? = held.pieces.len();
            }
            held.arena.extend_from_slice(piece);
            held.pieces.push((held.arena.len(), count));
        }
        held.appearance = (order == PieceOrder::Appearance).then_some(appearance);
        Ok(held)
    }

    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.pieces.len()).map(|at| {
            let number = self.appearance.as_ref().map_or(at, |order| order[at]);
            let start = number.checked_sub(1).map_or(0, |before| self.pieces[before].0);
            let (end, count) = self.pieces[number];
            (&self.arena[start..end], count)
        })
    }
}
