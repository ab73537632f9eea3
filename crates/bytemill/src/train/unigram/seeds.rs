//! Seeds: the stretches of words that may become pieces, found by sorting all suffixes. A stretch that is always followed by the same
//! character is left out, as the longer one says as much.

use std::cmp::Ordering;

use super::UnigramOptions;
use super::words::Words;
use crate::error::Result;
use crate::model::unigram::width;
use crate::normalize::MARK_CHARACTER;
use crate::pretokenize::separates_scripts;
use crate::train::bpe::Pause;

#[derive(Clone, Copy)]
struct Suffix {
    /// The first eight bytes, by which most comparisons are settled.
    key: u64,
    at: u32,
    word: u32,
}

/// Suffixes between two questions.
const PATIENCE: usize = 1 << 16;

/// The seeds with their weights, occurrences times characters: the heaviest first, as many as are wanted.
pub fn seeds(words: &Words, options: &UnigramOptions, pause: &mut Pause) -> Result<Vec<(String, u64)>> {
    let suffixes = sorted(words, pause)?;
    let mut found: Vec<(u64, u32, u32)> = Vec::new();
    let mut emit = |at: u32, (length, characters): Depth, weight: u64| {
        let text = &words.text[at as usize..at as usize + length];
        if characters >= 2 && weight >= 2 && std::str::from_utf8(text).is_ok_and(|text| is_valid(text, options)) {
            found.push((weight * characters as u64, at, length as u32));
        }
    };
    // Stretches that the suffix before begins with, each longer than the one below, with the weight that has come together.
    let mut open: Vec<(Depth, u64)> = vec![((0, 0), 0)];
    let mut before: Option<Suffix> = None;
    for (i, suffix) in suffixes.iter().map(Some).chain([None]).enumerate() {
        if i % PATIENCE == 0 {
            pause()?;
        }
        let shared = match (before, suffix) {
            (Some(before), Some(suffix)) => shared(words, before.at, suffix.at, options.max_piece_length),
            _ => (0, 0),
        };
        let mut carried = 0;
        while let Some(&(depth, weight)) = open.last()
            && depth.0 > shared.0
        {
            open.pop();
            carried += weight;
            // What is longer than a piece may be is there for its weight alone.
            if let Some(before) = before.filter(|_| depth.1 <= options.max_piece_length) {
                emit(before.at, depth, carried);
            }
        }
        add(&mut open, shared, carried);
        if let Some(suffix) = suffix {
            let end = words.starts[suffix.word as usize + 1] - 1;
            let whole = &words.text[suffix.at as usize..end as usize];
            let characters = whole.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
            add(&mut open, (whole.len(), characters), words.counts[suffix.word as usize]);
        }
        before = suffix.copied();
    }
    let text = |&(_, at, length): &(u64, u32, u32)| &words.text[at as usize..(at + length) as usize];
    found.sort_unstable_by(|left, right| {
        right.0.cmp(&left.0).then(right.2.cmp(&left.2)).then_with(|| text(left).cmp(text(right)))
    });
    found.truncate(options.seed_size);
    Ok(found.iter().map(|seed| (String::from_utf8_lossy(text(seed)).into_owned(), seed.0)).collect())
}

/// All suffixes in their order: by their keys first, which is quick, then those with the same key among themselves.
fn sorted(words: &Words, pause: &mut Pause) -> Result<Vec<Suffix>> {
    let mut suffixes = suffixes(words);
    suffixes.sort_unstable_by_key(|suffix| suffix.key);
    let mut since = 0;
    for alike in suffixes.chunk_by_mut(|left, right| left.key == right.key) {
        alike.sort_unstable_by(|left, right| compare(words, left.at, right.at));
        since += alike.len();
        if since >= PATIENCE {
            pause()?;
            since = 0;
        }
    }
    Ok(suffixes)
}

/// Bytes and characters.
type Depth = (usize, usize);

fn add(open: &mut Vec<(Depth, u64)>, depth: Depth, weight: u64) {
    match open.last_mut() {
        Some((last, sum)) if last.0 == depth.0 => *sum += weight,
        _ => open.push((depth, weight)),
    }
}

fn suffixes(words: &Words) -> Vec<Suffix> {
    let mut suffixes = Vec::with_capacity(words.text.len());
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

/// By what follows, up to the end of the word; equal ones by their place, so that there is only one order.
fn compare(words: &Words, left: u32, right: u32) -> Ordering {
    let (a, b) = (&words.text[left as usize..], &words.text[right as usize..]);
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

/// Whether a stretch may be a piece: of one script, with numbers and the mark of a space where the options want them.
pub fn is_valid(text: &str, options: &UnigramOptions) -> bool {
    let mut before = None;
    let alone = text.chars().nth(1).is_none();
    for (at, c) in text.char_indices() {
        if c == MARK_CHARACTER {
            if at > 0 {
                return false;
            }
            continue;
        }
        let is_number = c.is_numeric();
        if options.split_digits && is_number && !alone {
            return false;
        }
        if is_number && !options.split_by_number {
            before = None;
            continue;
        }
        let parted = |before: char| separates_scripts(before, c) || before.is_numeric() != is_number;
        if options.split_by_unicode_script && before.is_some_and(parted) {
            return false;
        }
        before = Some(c);
    }
    true
}
