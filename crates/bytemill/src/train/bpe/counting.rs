//! Counting: the table of pairs from all words, in three readings of them. The first bounds the counts, the second counts what can be
//! frequent, and the third notes where that is.

use super::numbers::Numbers;
use super::pairs::{Entry, Pairs, Postings, mixed};
use super::pieces::Pause;
use super::rule::{Key, Rules, key};
use super::words::Words;
use crate::error::Result;

/// Counts the pairs of all words that may merge, at least those that occur so often; none where they are more than `most`. Their lists
/// have lengths and no places.
pub fn count(
    words: &Words,
    lengths: &[u32],
    rules: &Rules,
    threshold: u64,
    most: usize,
    pause: &mut Pause,
) -> Result<Option<Pairs>> {
    let may_merge = |left: u32, right: u32| match lengths[left as usize] + lengths[right as usize] {
        2 => rules.allows_units(),
        length => rules.allows(length),
    };
    let bounds = Bounds::new(words, lengths, threshold, pause)?;
    let mut all = Pairs::default();
    words.pairs(lengths, pause, |_, left, right, count| {
        let key = key(left, right);
        if bounds.reach(key, threshold) && may_merge(left, right) && all.len() <= most {
            let entry = all.entry(key);
            entry.count += count as i64;
            entry.postings.length += 1;
        }
    })?;
    Ok(Some(all).filter(|all| all.len() <= most))
}

/// Leaves those that occur so often, and notes their positions.
pub fn locate(
    all: Pairs,
    words: &Words,
    lengths: &[u32],
    threshold: u64,
    mut positions: Numbers,
    pause: &mut Pause,
) -> Result<Pairs> {
    let frequent = || all.iter().filter(|(_, entry)| entry.count as u64 >= threshold);
    let mut kept = Pairs::with_capacity(frequent().count());
    let mut end = 0;
    for (key, entry) in frequent() {
        let postings = Postings::after(end, 0)?;
        end = postings.end() + entry.postings.length as usize;
        *kept.entry(key) = Entry { count: entry.count, postings };
    }
    drop(all);
    positions.grow(end)?;
    words.pairs(lengths, pause, |at, left, right, _| {
        if let Some(entry) = kept.get_mut(key(left, right)) {
            positions.write(entry.postings.end(), at);
            entry.postings.length += 1;
        }
    })?;
    positions.release(0..end);
    kept.positions = positions;
    Ok(kept)
}

/// A bound of the count of every pair, in little memory: pairs share counters. Most rare pairs are recognised by it, so that a table of all
/// pairs, which can be many times larger than that of the frequent ones, is never made.
struct Bounds {
    counters: Vec<u32>,
}

const COUNTERS: usize = 1 << 20;

impl Bounds {
    fn new(words: &Words, lengths: &[u32], threshold: u64, pause: &mut Pause) -> Result<Self> {
        if threshold <= 1 {
            return Ok(Bounds { counters: Vec::new() });
        }
        let mut counters = vec![0u32; COUNTERS];
        words.pairs(lengths, pause, |_, left, right, count| {
            let counter = &mut counters[(mixed(key(left, right)) >> 44) as usize];
            *counter = counter.saturating_add(count.min(u64::from(u32::MAX)) as u32);
        })?;
        Ok(Bounds { counters })
    }

    fn reach(&self, key: Key, threshold: u64) -> bool {
        let counter = self.counters.get((mixed(key) >> 44) as usize);
        counter.is_none_or(|&counter| u64::from(counter) >= threshold.min(u64::from(u32::MAX)))
    }
}
