//! How often each piece is expected in the text: for every word, the probability of each place that a piece may have, by one pass forward
//! over its rows and one back.
//!
//! Probabilities are multiplied, not added as logarithms; where they become small, all that are under way are made larger alike. What is
//! expected is counted in whole units, so that the sum is the same in whatever order it is made.

use super::words::Words;
use crate::error::Result;
use crate::model::trie::{NONE, Trie};
use crate::model::unigram::width;
use crate::parallel::{Watch, run};

/// Units of what is expected.
pub const UNIT: f64 = (1 << 20) as f64;
/// By how much small probabilities are made larger, and when.
const RAISE: f64 = f64::from_bits(((1023 + 300) as u64) << 52);
const SMALL: f64 = f64::from_bits(((1023 - 300) as u64) << 52);

#[derive(Debug, Default)]
struct Work {
    forward: Vec<f64>,
    raised: Vec<i32>,
    backward: Vec<f64>,
    edges: Vec<Edge>,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    start: u32,
    end: u32,
    id: u32,
    probability: f64,
}

/// Words that a worker takes at a time.
const SHARE: usize = 4096;

pub fn expected(
    words: &Words,
    trie: &Trie,
    probabilities: &[f64],
    unknown: f64,
    threads: usize,
    watch: &mut Watch,
) -> Result<Vec<f64>> {
    let shares = (0..words.len()).step_by(SHARE).map(|from| Ok(from..words.len().min(from + SHARE)));
    let make = || (Work::default(), vec![0u64; probabilities.len()]);
    let workers = run(
        threads,
        watch,
        make,
        shares,
        |(work, sums), share| {
            for number in share {
                let word = words.word(number);
                work.word(word, words.counts[number] as f64 * UNIT, trie, probabilities, unknown, sums);
            }
            Ok(())
        },
        |()| Ok(()),
    )?;
    let mut total = vec![0u64; probabilities.len()];
    for (_, sums) in &workers {
        total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
    }
    Ok(total.into_iter().map(|sum| sum as f64 / UNIT).collect())
}

impl Work {
    fn word(&mut self, word: &[u8], weight: f64, trie: &Trie, probabilities: &[f64], unknown: f64, sums: &mut [u64]) {
        let Work { forward, raised, backward, edges } = self;
        let size = word.len();
        for numbers in [&mut *forward, &mut *backward] {
            numbers.clear();
            numbers.resize(size + 1, 0.0);
        }
        raised.clear();
        raised.resize(size + 1, 0);
        edges.clear();
        forward[0] = 1.0;
        let (mut start, mut furthest, mut times) = (0, 0, 0);
        while start < size {
            if forward[start] < SMALL {
                forward[start..=furthest.max(start)].iter_mut().for_each(|sum| *sum *= RAISE);
                times += 1;
            }
            raised[start] = times;
            let (sum, first) = (forward[start], start + width(word[start]));
            let mut single = false;
            let mut add = |end: usize, id: u32, probability: f64| {
                forward[end] += sum * probability;
                edges.push(Edge { start: start as u32, end: end as u32, id, probability });
                furthest = furthest.max(end);
            };
            let mut place = trie.root();
            for (i, &byte) in word[start..].iter().enumerate() {
                let Some((next, id)) = trie.step(place, byte) else { break };
                place = next;
                if id != NONE && probabilities[id as usize] > 0.0 {
                    single |= start + i + 1 == first;
                    add(start + i + 1, id, probabilities[id as usize]);
                }
            }
            if !single {
                add(first, NONE, unknown);
            }
            start = first;
        }
        raised[size] = times;
        backward[size] = 1.0;
        for &Edge { start, end, id, probability } in edges.iter().rev() {
            let (start, end) = (start as usize, end as usize);
            if backward[end] == 0.0 {
                continue;
            }
            let mut share = forward[start] * probability / forward[end];
            for _ in raised[start]..raised[end] {
                share *= RAISE;
            }
            let probability = backward[end] * share;
            backward[start] += probability;
            if id != NONE {
                sums[id as usize] += (probability * weight + 0.5) as u64;
            }
        }
    }
}
