//! Seeds: the stretches of words that may become pieces, found by sorting all suffixes. A stretch that is always followed by the same
//! character is left out, as the longer one says as much.

use std::cmp::Ordering;

use crate::error::Result;
use crate::model::unigram::width;
use crate::parallel::{Watch, run};
use crate::train::sentencepiece::{SentencePieceOptions, Words};

#[derive(Debug, Clone, Copy)]
struct Suffix {
    /// The first eight bytes, by which most comparisons are settled.
    key: u64,
    at: u32,
    word: u32,
}

/// Suffixes between two questions.
const PATIENCE: usize = 1 << 16;

/// A stretch that some suffixes begin with, all of them side by side.
#[derive(Debug, Clone, Copy)]
pub struct Seed {
    /// Occurrences times characters.
    pub weight: u64,
    /// In bytes.
    pub length: u32,
    first: u32,
    end: u32,
}

#[derive(Debug)]
pub struct Seeds {
    suffixes: Vec<Suffix>,
    /// The heaviest first.
    pub found: Vec<Seed>,
}

impl Seeds {
    /// As many as are wanted.
    pub fn new(words: &Words, options: &SentencePieceOptions, threads: usize, watch: &mut Watch) -> Result<Self> {
        let suffixes = sorted(words, threads, watch)?;
        let mut found: Vec<Seed> = Vec::new();
        let mut emit = |open: Open, weight: u64, end: usize| {
            let (length, characters) = open.depth;
            let at = suffixes[open.first].at as usize;
            let text = &words.text[at..at + length];
            if characters >= 2 && weight >= 2 && std::str::from_utf8(text).is_ok_and(|text| options.is_valid(text)) {
                let (weight, first, end) = (weight * characters as u64, open.first as u32, end as u32);
                found.push(Seed { weight, length: length as u32, first, end });
            }
        };
        // Stretches that the suffix before begins with, each longer than the one below, with the weight that has come together.
        let mut open: Vec<Open> = Vec::new();
        for i in 0..=suffixes.len() {
            if i % PATIENCE == 0 {
                watch()?;
            }
            let pair = suffixes.get(i.wrapping_sub(1)).zip(suffixes.get(i));
            let shared = pair.map_or((0, 0), |(a, b)| shared(words, a.at, b.at, options.max_piece_length));
            let (mut carried, mut first) = (0, i);
            while let Some(top) = open.pop_if(|top| top.depth.0 > shared.0) {
                carried += top.weight;
                first = top.first;
                // What is longer than a piece may be is there for its weight alone.
                if top.depth.1 <= options.max_piece_length {
                    emit(top, carried, i);
                }
            }
            add(&mut open, Open { depth: shared, weight: carried, first });
            if let Some(suffix) = suffixes.get(i) {
                let end = words.starts[suffix.word as usize + 1] - 1;
                let whole = &words.text[suffix.at as usize..end as usize];
                let characters = whole.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
                let weight = words.counts[suffix.word as usize];
                add(&mut open, Open { depth: (whole.len(), characters), weight, first: i });
            }
        }
        let text = |seed: &Seed| {
            let at = suffixes[seed.first as usize].at as usize;
            &words.text[at..at + seed.length as usize]
        };
        found.sort_unstable_by(|left, right| {
            let order = right.weight.cmp(&left.weight).then(right.length.cmp(&left.length));
            order.then_with(|| text(left).cmp(text(right)))
        });
        found.truncate(options.seed_size);
        Ok(Seeds { suffixes, found })
    }

    /// Where a seed stands in the text of the words.
    pub fn places(&self, seed: &Seed) -> impl Iterator<Item = u32> {
        self.suffixes[seed.first as usize..seed.end as usize].iter().map(|suffix| suffix.at)
    }
}

/// All suffixes in their order. They are parted by their keys first, so that every thread has some to sort.
fn sorted(words: &Words, threads: usize, watch: &mut Watch) -> Result<Vec<Suffix>> {
    let mut suffixes = suffixes(words);
    let order = |left: &Suffix, right: &Suffix| {
        left.key.cmp(&right.key).then_with(|| match has_end(left.key) {
            true => left.at.cmp(&right.at),
            false => compare(words, left.at, right.at),
        })
    };
    let mut parts: Vec<&mut [Suffix]> = vec![&mut suffixes];
    // In small parts, as they are asked in between whether to go on.
    while parts.iter().any(|part| part.len() > PATIENCE) {
        watch()?;
        let halves = parts.into_iter().flat_map(|part| {
            let middle = part.len() / 2;
            match part.len() > PATIENCE {
                true => {
                    part.select_nth_unstable_by(middle, order);
                    let (left, right) = part.split_at_mut(middle);
                    vec![left, right]
                }
                false => vec![part],
            }
        });
        parts = halves.collect();
    }
    let sort = |_: &mut (), part: &mut [Suffix]| {
        part.sort_unstable_by(order);
        Ok(())
    };
    run(threads, watch, || (), parts.into_iter().map(Ok), sort, |()| Ok(()))?;
    Ok(suffixes)
}

/// Whether a key holds the end of its word.
fn has_end(key: u64) -> bool {
    key & 0xFF == 0
}

/// Bytes and characters.
type Depth = (usize, usize);

#[derive(Debug, Clone, Copy)]
struct Open {
    depth: Depth,
    weight: u64,
    /// The first suffix that begins with it.
    first: usize,
}

fn add(open: &mut Vec<Open>, more: Open) {
    match open.last_mut() {
        Some(last) if last.depth.0 == more.depth.0 => last.weight += more.weight,
        _ => open.push(more),
    }
}

fn suffixes(words: &Words) -> Vec<Suffix> {
    let starts = words.text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() - words.len();
    let mut suffixes = Vec::with_capacity(starts);
    for word in 0..words.len() {
        let (start, text) = (words.starts[word], words.word(word));
        for at in (0..text.len()).filter(|&at| text[at] & 0xC0 != 0x80) {
            let mut first = [0; 8];
            let rest = &text[at..text.len().min(at + 8)];
            first[..rest.len()].copy_from_slice(rest);
            suffixes.push(Suffix { key: u64::from_be_bytes(first), at: start + at as u32, word: word as u32 });
        }
    }
    suffixes
}

/// By what follows the key, up to the end of the word; equal ones by their place, so that there is only one order.
fn compare(words: &Words, left: u32, right: u32) -> Ordering {
    let (a, b) = (&words.text[left as usize + 8..], &words.text[right as usize + 8..]);
    for (x, y) in a.iter().zip(b) {
        if x != y {
            return x.cmp(y);
        }
        if *x == 0 {
            break;
        }
    }
    left.cmp(&right)
}

/// What two suffixes begin with alike: whole characters, and one more at most than a piece has.
fn shared(words: &Words, left: u32, right: u32, most: usize) -> Depth {
    let (a, b) = (&words.text[left as usize..], &words.text[right as usize..]);
    let (mut length, mut characters) = (0, 0);
    while characters <= most && a[length] != 0 {
        let wide = width(a[length]);
        if a.get(length..length + wide) != b.get(length..length + wide) {
            break;
        }
        (length, characters) = (length + wide, characters + 1);
    }
    (length, characters)
}
