//! Rows at random: by their probability among all of a piece, or among its best.

use super::lattice::{Lattice, log_of_sum};
use super::{FEW, Numbers, Part, Segment, Unigram, UnigramScratch, characters};
use crate::error::Result;
use crate::machine::memory::make_room;
use crate::machine::random::RandomStream;
use crate::text::span::Spans;
use crate::vocab::TokenId;

/// The randomness of one document: each of its pieces draws from a stream of its own.
#[derive(Debug, Clone, Copy)]
pub struct RandomRows {
    /// What scores are multiplied by.
    alpha: f64,
    /// Among this many of the best rows; among all if none is given.
    nbest: Option<usize>,
    document: u64,
    pieces: u64,
}

impl RandomRows {
    pub fn new(alpha: f64, nbest: Option<usize>, document: u64) -> Self {
        RandomRows { alpha, nbest, document, pieces: 0 }
    }

    fn next_piece(&mut self) -> RandomStream {
        self.pieces += 1;
        RandomStream::of_piece(self.document, self.pieces)
    }
}

impl Unigram {
    /// Nothing is remembered: the next time it may come out otherwise.
    #[cold]
    pub(crate) fn segment_at_random(
        &self,
        pieces: Spans,
        random: &mut RandomRows,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        pieces.iter().try_for_each(|piece| {
            self.fill_row(piece, Some(&mut *random), scratch);
            make_room(ids, scratch.row.len());
            self.emit_row(piece, &scratch.row, ids)
        })
    }

    pub(super) fn random_row(
        &self,
        piece: &str,
        random: &mut RandomRows,
        lattice: &mut Lattice,
        row: &mut Vec<Segment>,
    ) {
        let mut stream = random.next_piece();
        let RandomRows { alpha, nbest, .. } = *random;
        let mut in_lattice = |text: &str, choose: &mut dyn FnMut(&Lattice) -> Vec<Segment>| {
            lattice.clear();
            self.add_to(lattice, text);
            choose(lattice)
        };
        if let Some(n) = nbest {
            row.extend(in_lattice(piece, &mut |lattice| {
                let mut rows = self.nbest(lattice, n);
                let total = log_of_sum(rows.iter().map(|(_, score)| alpha * score));
                let mut left = stream.uniform();
                let chosen = rows.iter().position(|(_, score)| {
                    left -= (alpha * score - total).exp();
                    left < 0.0
                });
                let last = rows.len().saturating_sub(1);
                if rows.is_empty() { Vec::new() } else { segments(rows.swap_remove(chosen.unwrap_or(last)).0) }
            }));
            return;
        }
        let mut sample = |text: &str, at: usize, row: &mut Vec<Segment>| {
            let found = in_lattice(text, &mut |lattice| segments(lattice.forward(alpha).sample(&mut stream)));
            make_room(row, found.len());
            row.extend(found.into_iter().map(|it| Segment { start: at + it.start, end: at + it.end, ..it }));
        };
        match &self.numbers {
            // What lies on both sides of a cut is independent, and short lattices are cheaper than a long one.
            Numbers::Single { cuts, .. } => cuts.split::<FEW>(piece.as_bytes(), |part| match part {
                Part::Words(starts, ends) => {
                    starts.iter().zip(ends).for_each(|(&start, &end)| sample(&piece[start..end], start, row));
                }
                Part::Alone(start, end) => {
                    let each = characters(piece.as_bytes(), start, end);
                    each.for_each(|(_, start, end)| sample(&piece[start..end], start, row));
                }
            }),
            Numbers::Double { .. } => sample(piece, 0, row),
        }
    }
}

fn segments(row: Vec<super::lattice::Arc>) -> Vec<Segment> {
    row.into_iter().map(|arc| arc.segment).collect()
}
