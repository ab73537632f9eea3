//! The slow twin: count every pair of every word again, merge the best one everywhere, begin again.

use std::collections::{BTreeMap, BTreeSet};

use super::inventory::TokenInventory;
use super::merging::LearnedMerge;
use super::rule::{MergeRules, PairKey, Ties, key, parts};

pub(super) type Word = (Vec<u32>, u64);

pub(super) fn learn(
    words: &mut [Word],
    tokens: &mut TokenInventory,
    rules: &MergeRules,
    room: usize,
) -> Vec<LearnedMerge> {
    if rules.ties == Ties::HuggingFace {
        return learn_as_the_library(words, tokens, rules, room);
    }
    let mut merges = Vec::new();
    while tokens.len() < room {
        // Each pair with its count and where it is met first.
        let mut pairs: BTreeMap<PairKey, (u64, u64)> = BTreeMap::new();
        let mut place = 0;
        for (symbols, count) in words.iter() {
            for pair in symbols.windows(2) {
                let length = tokens.length(pair[0]) + tokens.length(pair[1]);
                if rules.allows(length) && !tokens.is_passed_over(pair[0], pair[1], rules) {
                    pairs.entry(key(pair[0], pair[1])).or_insert((0, place)).0 += count;
                }
                place += 1;
            }
        }
        let best = pairs.iter().min_by(|(a, (a_count, a_place)), (b, (b_count, b_place))| {
            b_count.cmp(a_count).then_with(|| rules.order(tokens, (**a, *a_place), (**b, *b_place)))
        });
        let Some((&pair, &(count, _))) = best.filter(|(_, (count, _))| *count >= rules.min_frequency) else { break };
        let (left, right) = parts(pair);
        let made = tokens.join(left, right, rules);
        merges.push(LearnedMerge { left, right, made, count });
        words.iter_mut().for_each(|(symbols, _)| replace(symbols, left, right, made));
    }
    merges
}

fn replace(symbols: &mut Vec<u32>, left: u32, right: u32, made: u32) {
    let mut at = 0;
    while at + 1 < symbols.len() {
        if (symbols[at], symbols[at + 1]) == (left, right) {
            symbols[at] = made;
            symbols.remove(at + 1);
        }
        at += 1;
    }
}

/// A pair that waits to be merged in some words.
struct WaitingPair {
    /// As it was when last looked at.
    count: i64,
    pair: PairKey,
    words: BTreeSet<usize>,
}

/// With a queue as the library has it, since what it does where a token is made in a second way follows from that: counts are those of
/// changes alone, and pairs wait once for every merge that has brought them about, each time with the words of that merge.
fn learn_as_the_library(
    words: &mut [Word],
    tokens: &mut TokenInventory,
    rules: &MergeRules,
    room: usize,
) -> Vec<LearnedMerge> {
    let mut counts: BTreeMap<PairKey, i64> = BTreeMap::new();
    let mut found: BTreeMap<PairKey, BTreeSet<usize>> = BTreeMap::new();
    for (number, (symbols, count)) in words.iter().enumerate() {
        for pair in symbols.windows(2) {
            *counts.entry(key(pair[0], pair[1])).or_default() += *count as i64;
            found.entry(key(pair[0], pair[1])).or_default().insert(number);
        }
    }
    let mut queue: Vec<WaitingPair> = Vec::new();
    let mut merges = Vec::new();
    loop {
        for (pair, words) in std::mem::take(&mut found) {
            if counts[&pair] > 0 {
                queue.push(WaitingPair { count: counts[&pair], pair, words });
            }
        }
        let top = loop {
            // The first of equals: it has waited longest.
            let order = |a: &WaitingPair, b: &WaitingPair| b.count.cmp(&a.count).then(a.pair.cmp(&b.pair));
            let Some(at) = (0..queue.len()).min_by(|&a, &b| order(&queue[a], &queue[b])) else { return merges };
            if queue[at].count == counts[&queue[at].pair] {
                break queue.remove(at);
            }
            queue[at].count = counts[&queue[at].pair];
        };
        if tokens.len() >= room || top.count < rules.min_frequency.max(1) as i64 {
            return merges;
        }
        let (left, right) = parts(top.pair);
        let made = tokens.join(left, right, rules);
        merges.push(LearnedMerge { left, right, made, count: top.count as u64 });
        for number in top.words {
            let (symbols, count) = &mut words[number];
            let mut change = |pair: PairKey, by: i64| {
                *counts.entry(pair).or_default() += by * *count as i64;
                if by > 0 {
                    found.entry(pair).or_default().insert(number);
                }
            };
            let mut at = 0;
            while at + 1 < symbols.len() {
                if (symbols[at], symbols[at + 1]) == (left, right) {
                    symbols[at] = made;
                    symbols.remove(at + 1);
                    let fits = |other: u32| rules.allows(tokens.length(other) + tokens.length(made));
                    if at > 0 {
                        change(key(symbols[at - 1], left), -1);
                        if fits(symbols[at - 1]) {
                            change(key(symbols[at - 1], made), 1);
                        }
                    }
                    if at + 1 < symbols.len() {
                        change(key(right, symbols[at + 1]), -1);
                        if fits(symbols[at + 1]) {
                            change(key(made, symbols[at + 1]), 1);
                        }
                    }
                }
                at += 1;
            }
        }
    }
}
