//! Lattice: every token that may stand at each place of a text. What asks for more than the best row looks at it: the n best (`nbest`),
//! random ones, and how sure the best is.
//!
//! Its order is that of SentencePiece: the tokens that end at a place from the longest on, since the first of equal ones wins there too.

use super::super::trie::{NONE, Trie};
use super::viterbi::{Segment, width};
use crate::machine::memory::make_room;
use crate::machine::random::RandomStream;
use crate::vocab::TokenId;

/// A token at its place. Scores of 32 bits are kept exactly.
#[derive(Debug, Clone, Copy)]
pub struct Arc {
    pub segment: Segment,
    pub score: f64,
}

#[derive(Debug, Default)]
pub struct Lattice {
    /// By where they end, then by where they start.
    arcs: Vec<Arc>,
    /// For each place, the number of arcs that end before it or there.
    ends: Vec<usize>,
}

/// For each place, the logarithm of the summed probabilities of all rows that end there.
pub struct Forward<'a> {
    lattice: &'a Lattice,
    /// What scores are multiplied by: below 1, rows become more alike.
    alpha: f64,
    sums: Vec<f64>,
}

impl Lattice {
    /// Takes the arcs of a piece that begins where those before it end. `score` is asked for each token, and for an unknown character.
    pub fn add_piece(&mut self, trie: &Trie, text: &str, score: impl Fn(TokenId) -> f64) {
        let (base, bytes) = (self.size(), text.as_bytes());
        let first_arc = self.arcs.len();
        make_room(&mut self.ends, bytes.len() + 1);
        self.ends.resize(base + bytes.len() + 1, 0);
        let mut start = 0;
        while start < bytes.len() {
            let first = start + width(bytes[start]);
            let (mut place, mut single) = (trie.root(), false);
            let mut push = |end: usize, id: TokenId| {
                let segment = Segment { start: base + start, end: base + end, id };
                make_room(&mut self.arcs, 1);
                self.arcs.push(Arc { segment, score: score(id) });
            };
            for (end, &byte) in (start + 1..).zip(&bytes[start..]) {
                let Some((next, id)) = trie.step(place, byte) else { break };
                place = next;
                if id != NONE {
                    push(end, id);
                    single |= end == first;
                }
            }
            if !single {
                push(first, NONE);
            }
            start = first;
        }
        // In place: sorting that keeps equal ones in order needs memory, and no two arcs are equal.
        self.arcs[first_arc..].sort_unstable_by_key(|arc| (arc.segment.end, arc.segment.start));
        self.count(base, first_arc);
    }

    /// A token that is sure to stand here.
    pub fn add_token(&mut self, id: TokenId) {
        let (base, first_arc) = (self.size(), self.arcs.len());
        self.ends.resize(base + 2, 0);
        self.arcs.push(Arc { segment: Segment { start: base, end: base + 1, id }, score: 0.0 });
        self.count(base, first_arc);
    }

    /// The ends of the arcs that were added after a place.
    fn count(&mut self, base: usize, first_arc: usize) {
        self.ends[base] = first_arc;
        for arc in &self.arcs[first_arc..] {
            self.ends[arc.segment.end] += 1;
        }
        for place in base + 1..self.ends.len() {
            self.ends[place] += self.ends[place - 1];
        }
    }

    /// Where the text ends.
    pub fn size(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    pub fn clear(&mut self) {
        self.arcs.clear();
        self.ends.clear();
    }

    /// The arcs that end at a place, and the number of the first of them.
    pub fn ending(&self, place: usize) -> (usize, &[Arc]) {
        match place {
            0 => (0, &[]),
            _ => (self.ends[place - 1], &self.arcs[self.ends[place - 1]..self.ends[place]]),
        }
    }

    pub fn arc(&self, number: usize) -> &Arc {
        &self.arcs[number]
    }

    pub fn forward(&self, alpha: f64) -> Forward<'_> {
        let mut forward = Forward { lattice: self, alpha, sums: Vec::new() };
        make_room(&mut forward.sums, self.size() + 1);
        forward.sums.push(0.0);
        for place in 1..=self.size() {
            let sums = self.ending(place).1.iter().map(|arc| forward.through(arc));
            let sum = log_of_sum(sums);
            forward.sums.push(sum);
        }
        forward
    }
}

impl Forward<'_> {
    /// The logarithm of the summed probabilities of the rows that end with an arc.
    pub fn through(&self, arc: &Arc) -> f64 {
        self.sums[arc.segment.start] + self.alpha * arc.score
    }

    /// That of an arc among those that end where it does.
    pub fn share(&self, arc: &Arc) -> f64 {
        self.through(arc) - self.sums[arc.segment.end]
    }

    /// That of all rows.
    pub fn total(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// The logarithm of the probability of a row among all.
    pub fn probability(&self, row: &[Arc]) -> f64 {
        row.iter().map(|arc| self.alpha * arc.score).sum::<f64>() - self.total()
    }

    /// How much there is to choose: 0 where there is one row alone, in natural units.
    pub fn entropy(&self) -> f64 {
        let mut entropies = vec![0.0];
        make_room(&mut entropies, self.lattice.size());
        for place in 1..=self.lattice.size() {
            let of_arc = |arc: &Arc| match self.share(arc) {
                f64::NEG_INFINITY => 0.0,
                share => share.exp() * (entropies[arc.segment.start] - share),
            };
            let entropy = self.lattice.ending(place).1.iter().map(of_arc).sum();
            entropies.push(entropy);
        }
        entropies.last().copied().unwrap_or(0.0)
    }

    /// A row by its probability: from the end on, each token by its share.
    pub fn sample(&self, stream: &mut RandomStream) -> Vec<Arc> {
        let (mut row, mut place) = (Vec::new(), self.lattice.size());
        while place > 0 {
            let arcs = self.lattice.ending(place).1;
            let mut left = stream.uniform();
            let taken = arcs.iter().find(|arc| {
                left -= self.share(arc).exp();
                left < 0.0
            });
            // Shares add up to 1 but for rounding.
            let Some(arc) = taken.or(arcs.last()) else { break };
            make_room(&mut row, 1);
            row.push(*arc);
            place = arc.segment.start;
        }
        row.reverse();
        row
    }
}

/// log Σ exp
pub(crate) fn log_of_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln()
}
