//! Seeds: the stretches of words that may become pieces, found by sorting all suffixes. A stretch that is always followed by the same
//! character is left out, as the longer one says as much.

use std::cmp::{Ordering, Reverse};

use crate::error::Result;
use crate::machine::parallel::Team;
use crate::model::unigram::width;
use crate::train::sentencepiece::{Recipe, SentencePieceOptions, TrainingWords};

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
pub(super) struct Seed {
    /// Occurrences times characters.
    pub weight: u64,
    /// In bytes.
    pub length: u32,
    first: u32,
    end: u32,
}

#[derive(Debug)]
pub(super) struct Seeds {
    suffixes: Vec<Suffix>,
    /// The heaviest first.
    pub found: Vec<Seed>,
}

impl Seeds {
    /// As many as are wanted beside the characters.
    pub(super) fn new(
        words: &TrainingWords,
        options: &SentencePieceOptions,
        characters: usize,
        team: &mut Team,
    ) -> Result<Self> {
        let suffixes = sorted(words, team)?;
        let of_tokenizers = options.recipe.is_of_tokenizers();
        let mut found: Vec<Seed> = Vec::new();
        let mut emit = |open: Open, weight: u64, end: usize| {
            let (length, characters) = open.depth;
            // `tokenizers` takes the end of a word for what follows, so that the ends alone of words are no seeds.
            if characters >= 2 && weight >= 2 && (open.goes_on || !of_tokenizers) {
                let (weight, first, end) = (weight * characters as u64, open.first as u32, end as u32);
                found.push(Seed { weight, length: length as u32, first, end });
            }
        };
        // Stretches that the suffix before begins with, each longer than the one below, with the weight that has come together.
        let mut open: Vec<Open> = Vec::new();
        for i in 0..=suffixes.len() {
            if i % PATIENCE == 0 {
                team.ask()?;
            }
            let pair = suffixes.get(i.wrapping_sub(1)).zip(suffixes.get(i));
            let shared = pair.map_or((0, 0), |(a, b)| shared(words, a, b, options.max_piece_length));
            let (mut carried, mut first, mut goes_on) = (0, i, false);
            while let Some(mut top) = open.pop_if(|top| top.depth.0 > shared.0) {
                top.goes_on |= goes_on;
                carried += top.weight;
                (first, goes_on) = (top.first, true);
                // What is longer than a piece may be is there for its weight alone.
                if top.depth.1 <= options.max_piece_length {
                    emit(top, carried, i);
                }
            }
            add(&mut open, Open { depth: shared, weight: carried, first, goes_on });
            if let Some(suffix) = suffixes.get(i) {
                let end = words.starts[suffix.word as usize + 1] - 1;
                let whole = &words.text[suffix.at as usize..end as usize];
                let characters = whole.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
                // `tokenizers` counts how many different words a stretch is in, and not how often they occur.
                let weight = if of_tokenizers { 1 } else { words.counts[suffix.word as usize] };
                add(&mut open, Open { depth: (whole.len(), characters), weight, first: i, goes_on: false });
            }
        }
        let is_valid = |number: usize| {
            if of_tokenizers {
                return true;
            }
            let Seed { first, length, .. } = found[number];
            let text = &words.text[suffixes[first as usize].at as usize..][..length as usize];
            std::str::from_utf8(text).is_ok_and(|text| options.is_valid(text))
        };
        let mut valid = team.map(found.len(), is_valid)?.into_iter();
        found.retain(|_| valid.next().unwrap_or(false));
        // Among suffixes of the same length, the first in the order of suffixes is the first in the order of texts.
        match options.recipe {
            Recipe::SentencePiece => {
                found.sort_unstable_by_key(|seed| (Reverse(seed.weight), Reverse(seed.length), seed.first));
                found.truncate(options.seed_size);
            }
            Recipe::Tokenizers { .. } => {
                found.sort_unstable_by_key(|seed| Reverse((seed.weight, seed.first, seed.length)));
                found.truncate(options.seed_size.saturating_sub(characters).max(1));
            }
        }
        Ok(Seeds { suffixes, found })
    }

    /// A place where a seed stands in the text of the words.
    pub(super) fn place(&self, seed: &Seed) -> u32 {
        self.suffixes[seed.first as usize].at
    }

    /// The numbers of all seeds in the order of their first places, and the shortest first.
    pub(super) fn in_order(&self) -> Vec<u32> {
        let mut order: Vec<(u32, u32, u32)> =
            (0..).zip(&self.found).map(|(number, seed)| (seed.first, seed.length, number)).collect();
        order.sort_unstable();
        order.into_iter().map(|(.., number)| number).collect()
    }

    /// For every place in the text of the words where a character begins, in some order, the numbers of the seeds that stand there, the
    /// shortest first; given all of them in their order.
    pub(super) fn each_place(&self, in_order: &[u32], mut give: impl FnMut(usize, &[u32])) {
        let (mut waiting, mut here) = (in_order.iter().peekable(), Vec::new());
        for (i, suffix) in (0..).zip(&self.suffixes) {
            // What begins with another stands at some of its places, all of them side by side: the last to come is the first to go.
            while here.pop_if(|&mut number| self.found[number as usize].end <= i).is_some() {}
            while let Some(&number) = waiting.next_if(|&&number| self.found[number as usize].first == i) {
                here.push(number);
            }
            give(suffix.at as usize, &here);
        }
    }
}

/// All suffixes in their order. They are parted by their first bytes when they are made, so that every thread has some to sort.
fn sorted(words: &TrainingWords, team: &mut Team) -> Result<Vec<Suffix>> {
    let (mut suffixes, ends) = parted(words);
    let order = |left: &Suffix, right: &Suffix| {
        left.key.cmp(&right.key).then_with(|| match has_end(left.key) {
            true => left.at.cmp(&right.at),
            false => compare(words, left.at, right.at),
        })
    };
    let mut parts: Vec<&mut [Suffix]> = Vec::new();
    let (mut rest, mut done) = (suffixes.as_mut_slice(), 0);
    for (number, &end) in ends.iter().enumerate() {
        // As many together as may be sorted between two questions whether to go on; those that are more by themselves are halved below.
        let next = ends.get(number + 1).copied().unwrap_or(usize::MAX);
        if next - done > PATIENCE {
            parts.extend(rest.split_off_mut(..end - done));
            done = end;
        }
    }
    while parts.iter().any(|part| part.len() > PATIENCE) {
        team.ask()?;
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
    team.run(|| (), parts.into_iter().map(Ok), sort, |()| Ok(()))?;
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
    /// Whether one of these suffixes is longer.
    goes_on: bool,
}

fn add(open: &mut Vec<Open>, more: Open) {
    match open.last_mut() {
        Some(last) if last.depth.0 == more.depth.0 => {
            last.weight += more.weight;
            last.goes_on |= more.goes_on;
        }
        _ => open.push(more),
    }
}

/// All suffixes, those with the same two bytes first side by side in the order of these; and where the ones of each two end.
fn parted(words: &TrainingWords) -> (Vec<Suffix>, Vec<usize>) {
    let two = |key: u64| (key >> 48) as usize;
    let mut places = vec![0; 1 << 16];
    each_suffix(words, |suffix| places[two(suffix.key)] += 1);
    let mut sum = 0;
    for place in &mut places {
        sum += std::mem::replace(place, sum);
    }
    let mut suffixes = vec![Suffix { key: 0, at: 0, word: 0 }; sum];
    each_suffix(words, |suffix| {
        let place = &mut places[two(suffix.key)];
        suffixes[*place] = suffix;
        *place += 1;
    });
    places.dedup();
    (suffixes, places)
}

fn each_suffix(words: &TrainingWords, mut give: impl FnMut(Suffix)) {
    for word in 0..words.len() {
        let (start, text) = (words.starts[word], words.word(word));
        for at in (0..text.len()).filter(|&at| text[at] & 0xC0 != 0x80) {
            let key = match words.text[start as usize + at..].first_chunk() {
                // What follows the zero at the end of the word belongs to another.
                Some(first) => up_to_zero(u64::from_be_bytes(*first)),
                None => {
                    let mut first = [0; 8];
                    first[..text.len() - at].copy_from_slice(&text[at..]);
                    u64::from_be_bytes(first)
                }
            };
            give(Suffix { key, at: start + at as u32, word: word as u32 });
        }
    }
}

/// A key without what follows its first zero.
fn up_to_zero(key: u64) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    // The highest bit of every byte that is zero.
    let zeros = !((key & LOW).wrapping_add(LOW) | key | LOW);
    match zeros {
        0 => key,
        _ => key & !(u64::MAX >> zeros.leading_zeros()),
    }
}

/// The whole characters in the first bytes of a key, in which it is like another.
fn shared_in_key(key: u64, alike: usize) -> Depth {
    let bytes = key.to_be_bytes();
    let continues = |at: usize| bytes[at] & 0xC0 == 0x80;
    // What begins alike and goes on otherwise is another character.
    let length = (0..=alike).rev().find(|&at| !continues(at)).unwrap_or(0);
    (length, (0..length).filter(|&at| !continues(at)).count())
}

/// By what follows the key, up to the end of the word; equal ones by their place, so that there is only one order.
fn compare(words: &TrainingWords, left: u32, right: u32) -> Ordering {
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
fn shared(words: &TrainingWords, left: &Suffix, right: &Suffix, most: usize) -> Depth {
    let differ = left.key ^ right.key;
    if differ != 0 && most >= size_of_val(&differ) {
        return shared_in_key(left.key, differ.leading_zeros() as usize / 8);
    }
    let (a, b) = (&words.text[left.at as usize..], &words.text[right.at as usize..]);
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
