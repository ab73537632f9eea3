//! Counting: the table of pairs from all words, in three readings of them. The first bounds the counts, the second counts what can be
//! frequent, and the third notes where that is. Threads share each reading, every one with a part of the words.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::budget::Budget;
use super::numbers::NumberArray;
use super::pairs::{PairCounts, PairEntry, Postings, mixed};
use super::pieces::Pause;
use super::rule::{MergeRules, PairKey, key};
use super::words::WordCells;
use crate::error::{Error, Result};
use crate::machine::parallel::Team;

/// The words that are read, and by how many threads.
pub(super) struct Reading<'a> {
    words: &'a WordCells,
    lengths: &'a [u32],
    parts: Vec<Range<usize>>,
}

/// What has been counted of all words, and of each part where there are several. Lists have lengths and no places.
pub(super) struct CountedPairs {
    pub all: PairCounts,
    parts: Vec<PairCounts>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(words: &'a WordCells, lengths: &'a [u32], budget: &Budget) -> Self {
        let parts = words.parts(budget.readers(words.cells.len()));
        Reading { words, lengths, parts }
    }

    /// Counts the pairs that may merge, at least those that occur so often; none where they are more than `most`.
    pub(super) fn count(
        &self,
        rules: &MergeRules,
        threshold: u64,
        most: usize,
        pause: &mut Pause,
    ) -> Result<Option<CountedPairs>> {
        let lengths = self.lengths;
        let may_merge = |left: u32, right: u32| match lengths[left as usize] + lengths[right as usize] {
            2 => rules.allows_units(),
            length => rules.allows(length),
        };
        let bounds = self.bounds(threshold, pause)?;
        let mut parts = self.each(vec![(); self.parts.len()], pause, |(), part, pause| {
            let mut pairs = PairCounts::default();
            self.words.pairs(part, lengths, pause, |_, left, right, count| {
                let key = key(left, right);
                if bounds.reach(key, threshold) && may_merge(left, right) && pairs.len() <= most {
                    let entry = pairs.entry(key);
                    entry.count += count as i64;
                    entry.postings.length += 1;
                }
            })?;
            Ok(pairs)
        })?;
        let all = match parts.len() {
            1 => parts.remove(0),
            _ => sum(&parts),
        };
        Ok(Some(CountedPairs { all, parts }).filter(|counted| counted.all.len() <= most))
    }

    /// Leaves those that occur so often, and notes their positions.
    pub(super) fn locate(
        &self,
        counted: CountedPairs,
        threshold: u64,
        mut positions: NumberArray,
        pause: &mut Pause,
    ) -> Result<PairCounts> {
        let CountedPairs { all, mut parts } = counted;
        let frequent = || all.iter().filter(|(_, entry)| entry.count as u64 >= threshold);
        let mut kept = PairCounts::with_capacity(frequent().count());
        let mut end = 0;
        for (key, entry) in frequent() {
            let postings = Postings::after(end, entry.postings.length)?;
            end = postings.end();
            *kept.entry(key) = PairEntry { count: entry.count, postings };
        }
        drop(all);
        positions.grow(end)?;
        if parts.is_empty() {
            self.locate_alone(&mut kept, &mut positions, pause)?;
        } else {
            places(&kept, &mut parts);
            let positions = positions.shared();
            self.each(parts, pause, |mut pairs, part, pause| {
                self.words.pairs(part, self.lengths, pause, |at, left, right, _| {
                    if let Some(entry) = pairs.get_mut(key(left, right)).filter(|entry| entry.count != NOWHERE) {
                        positions[entry.count as usize].store(at, Relaxed);
                        entry.count += 1;
                    }
                })
            })?;
        }
        positions.release(0..end);
        kept.positions = positions;
        Ok(kept)
    }

    fn locate_alone(&self, kept: &mut PairCounts, positions: &mut NumberArray, pause: &mut Pause) -> Result<()> {
        kept.iter_mut().for_each(|entry| entry.postings.length = 0);
        self.words.pairs(0..self.words.cells.len(), self.lengths, pause, |at, left, right, _| {
            if let Some(entry) = kept.get_mut(key(left, right)) {
                positions.write(entry.postings.end(), at);
                entry.postings.length += 1;
            }
        })
    }

    fn bounds(&self, threshold: u64, pause: &mut Pause) -> Result<Bounds> {
        if threshold <= 1 {
            return Ok(Bounds { counters: Vec::new() });
        }
        let parts = self.each(vec![(); self.parts.len()], pause, |(), part, pause| {
            let mut counters = vec![0u32; COUNTERS];
            self.words.pairs(part, self.lengths, pause, |_, left, right, count| {
                let counter = &mut counters[(mixed(key(left, right)) >> 44) as usize];
                *counter = counter.saturating_add(count.min(u64::from(u32::MAX)) as u32);
            })?;
            Ok(counters)
        })?;
        let add = |mut sum: Vec<u32>, more: Vec<u32>| {
            sum.iter_mut().zip(more).for_each(|(counter, more)| *counter = counter.saturating_add(more));
            sum
        };
        Ok(Bounds { counters: parts.into_iter().reduce(add).unwrap_or_default() })
    }

    /// Works on every part, with what is given for it, and gives what comes of it in the order of the parts.
    fn each<G: Send, T: Send>(
        &self,
        given: Vec<G>,
        pause: &mut Pause,
        work: impl Fn(G, Range<usize>, &mut Pause) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        if let [part] = &self.parts[..] {
            return given.into_iter().map(|given| work(given, part.clone(), pause)).collect();
        }
        let stops = AtomicBool::new(false);
        let mut pause = || pause().inspect_err(|_| stops.store(true, Relaxed));
        let obey = || if stops.load(Relaxed) { Err(Error::Internal("stopped".into())) } else { Ok(()) };
        let items = given.into_iter().zip(&self.parts).map(Ok);
        let mut results = Vec::new();
        let work = |_: &mut (), (given, part): (G, &Range<usize>)| work(given, part.clone(), &mut obey.clone());
        let take = |result| {
            results.push(result);
            Ok(())
        };
        Team::new(self.parts.len(), &mut pause).run(|| (), items, work, take)?;
        Ok(results)
    }
}

/// A pair of a part that is left out of all.
const NOWHERE: i64 = -1;

fn sum(parts: &[PairCounts]) -> PairCounts {
    let mut all = PairCounts::default();
    for (key, part) in parts.iter().flat_map(PairCounts::iter) {
        let entry = all.entry(key);
        entry.count += part.count;
        entry.postings.length += part.postings.length;
    }
    all
}

/// Writes into the count of each pair of a part where its first position goes: after those of the parts before.
fn places(kept: &PairCounts, parts: &mut [PairCounts]) {
    parts.iter_mut().flat_map(PairCounts::iter_mut).for_each(|entry| entry.count = NOWHERE);
    for (key, PairEntry { postings, .. }) in kept.iter() {
        let mut next = postings.start();
        for entry in parts.iter_mut().filter_map(|part| part.get_mut(key)) {
            entry.count = next as i64;
            next += entry.postings.length as usize;
        }
    }
}

/// A bound of the count of every pair, in little memory: pairs share counters. Most rare pairs are recognised by it, so that a table of all
/// pairs, which can be many times larger than that of the frequent ones, is never made.
struct Bounds {
    counters: Vec<u32>,
}

const COUNTERS: usize = 1 << 20;

impl Bounds {
    fn reach(&self, key: PairKey, threshold: u64) -> bool {
        let counter = self.counters.get((mixed(key) >> 44) as usize);
        counter.is_none_or(|&counter| u64::from(counter) >= threshold.min(u64::from(u32::MAX)))
    }
}
