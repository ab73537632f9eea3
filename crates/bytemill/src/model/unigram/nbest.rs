//! The best rows of a lattice, from the end of the text: a row that is not yet whole goes on by each token that may come before it, and the
//! one that promises most goes first. How much it promises is known: the best row up to its beginning has been found from the left.
//!
//! With numbers of the Gumbel distribution in place of sums, the same search draws different rows by their probability (Kool and others,
//! 2019: Stochastic Beams and Where to Find Them).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::lattice::{Arc, Forward, Lattice};
use super::viterbi::Score;
use crate::machine::memory::{check_or_give_up, make_room};
use crate::machine::random::RandomStream;

/// Where this many rows wait, all but some of the best are given up, as SentencePiece does: a long text has too many that are nearly alike.
const MOST_WAITING: usize = 10_000;
const LEAST_WAITING: usize = 512;

/// A row of tokens, and its score.
pub(super) type PathScore = (Vec<Arc>, f64);

/// A row that goes from the start of an arc to the end of the text.
#[derive(Debug, Clone, Copy)]
struct Path<S> {
    /// What it promises, and what it has.
    promise: S,
    sum: S,
    /// Its first arc; none before the first and after the last of a text.
    arc: Option<usize>,
    place: usize,
    /// What it was made from, by its number.
    next: usize,
}

/// Rows are ordered by what they promise, and by nothing else. Among equal ones, the first is the one that a binary heap gives first: the heaps
/// of C++ and of Rust move their elements in the same way.
struct Waiting<S>(S, usize);

impl<S: Score> Ord for Waiting<S> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal)
    }
}

impl<S: Score> PartialOrd for Waiting<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Score> PartialEq for Waiting<S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<S: Score> Eq for Waiting<S> {}

impl Lattice {
    /// The `n` best rows, or all there are. Sums are made with the precision of `S`.
    pub fn nbest<S: Score>(&self, n: usize) -> Vec<PathScore> {
        let mut best = vec![S::ZERO];
        make_room(&mut best, self.size());
        for place in 1..=self.size() {
            let sums = self.ending(place).1.iter().map(|arc| S::of(arc.score) + best[arc.segment.start]);
            let highest = sums.reduce(|highest, sum| if sum > highest { sum } else { highest });
            best.push(highest.unwrap_or(S::ZERO));
        }
        let first = best[self.size()];
        self.search(n, first, |row, arcs, found| {
            found.extend(arcs.iter().map(|arc| {
                let score = S::of(arc.score);
                (score + best[arc.segment.start] + row.sum, score + row.sum)
            }));
        })
    }

    /// `n` different rows at random, or all there are, with their perturbed scores in descending order.
    pub fn distinct(&self, n: usize, forward: &Forward, stream: &mut RandomStream) -> Vec<PathScore> {
        let first = stream.gumbel();
        self.search(n, first, |row: &Path<f64>, arcs, found| {
            let chances = arcs.iter().map(|arc| row.sum + forward.share(arc));
            let perturbed: Vec<(f64, f64)> = chances.map(|chance| (chance + stream.gumbel(), chance)).collect();
            let highest = perturbed.iter().map(|pair| pair.0).fold(f64::NEG_INFINITY, f64::max);
            // The highest becomes that of the row they come from, and the others stay below.
            found.extend(perturbed.into_iter().map(|(perturbed, chance)| {
                let v = row.promise - perturbed + (-(perturbed - highest).exp()).ln_1p();
                (row.promise - v.max(0.0) - (-v.abs()).exp().ln_1p(), chance)
            }));
        })
    }

    /// `expand` gives for each arc before a row what the longer row promises and what it has.
    fn search<S: Score>(
        &self,
        n: usize,
        first: S,
        mut expand: impl FnMut(&Path<S>, &[Arc], &mut Vec<(S, S)>),
    ) -> Vec<PathScore> {
        let mut rows = vec![Path { promise: first, sum: S::ZERO, arc: None, place: self.size(), next: usize::MAX }];
        let mut waiting = BinaryHeap::from([Waiting(first, 0)]);
        let (mut found, mut promises) = (Vec::new(), Vec::new());
        while let Some(Waiting(promise, number)) = waiting.pop().filter(|_| found.len() < n) {
            check_or_give_up();
            let row = rows[number];
            if row.place == 0 && row.arc.is_none() {
                found.push((self.arcs_of(&rows, number), promise.wide()));
                continue;
            }
            if row.place == 0 {
                // It waits once more, after those that are equal.
                waiting.push(Waiting(promise, rows.len()));
                rows.push(Path { arc: None, next: number, ..row });
                continue;
            }
            let (first_arc, arcs) = self.ending(row.place);
            make_room(&mut rows, arcs.len());
            promises.clear();
            expand(&row, arcs, &mut promises);
            for ((arc, before), &(promise, sum)) in (first_arc..).zip(arcs).zip(&promises) {
                waiting.push(Waiting(promise, rows.len()));
                rows.push(Path { promise, sum, arc: Some(arc), place: before.segment.start, next: number });
            }
            if waiting.len() >= MOST_WAITING {
                let kept = LEAST_WAITING.min(10 * n);
                waiting = std::iter::from_fn(|| waiting.pop()).take(kept).fold(BinaryHeap::new(), |mut kept, row| {
                    kept.push(row);
                    kept
                });
            }
        }
        found
    }

    fn arcs_of<S: Score>(&self, rows: &[Path<S>], number: usize) -> Vec<Arc> {
        let each = std::iter::successors(rows.get(number), |row| rows.get(row.next));
        each.filter_map(|row| row.arc.map(|arc| *self.arc(arc))).collect()
    }
}
