//! PieceLattice: for each place in the words, the pieces that begin there, the shortest first. It is made once, with the seeds; when pieces go,
//! they go from here too.

use std::collections::HashMap;

use super::seeds::Seeds;
use crate::error::{Error, Result};
use crate::train::sentencepiece::TrainingWords;
use crate::vocab::hash::Quick;

#[derive(Debug)]
pub(super) struct PieceLattice {
    /// Where the pieces of each place are in `numbers`, and their end.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl PieceLattice {
    /// Of all characters of the words, whose numbers come first, and of seeds.
    pub(super) fn new(words: &TrainingWords, seeds: &Seeds, characters: &[char]) -> Result<Self> {
        let by_code: HashMap<char, u32, Quick> = characters.iter().copied().zip(0..).collect();
        let number_of = |c: char| by_code.get(&c).copied().unwrap_or_default();
        let mut counts = vec![0u32; words.text.len() + 1];
        let in_order = seeds.in_order();
        seeds.each_place(&in_order, |at, seeds| counts[at] = 1 + seeds.len() as u32);
        let mut sum = 0u32;
        for count in &mut counts {
            let start = sum;
            sum = sum.checked_add(*count).ok_or_else(too_many)?;
            *count = start;
        }
        let (mut numbers, starts) = (vec![0; sum as usize], counts);
        for (word, from) in words.each().zip(&words.starts) {
            for (at, c) in word.0.char_indices() {
                numbers[starts[*from as usize + at] as usize] = number_of(c);
            }
        }
        seeds.each_place(&in_order, |at, seeds| {
            let place = &mut numbers[starts[at] as usize + 1..][..seeds.len()];
            place.iter_mut().zip(seeds).for_each(|(place, seed)| *place = characters.len() as u32 + seed);
        });
        Ok(PieceLattice { starts, numbers })
    }

    /// The pieces that begin at a place of the text of all words.
    #[inline]
    pub(super) fn at(&self, place: usize) -> &[u32] {
        &self.numbers[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// Gives pieces other numbers, and leaves out those that have none.
    pub(super) fn renumber(&mut self, numbers: &[Option<u32>]) {
        let (mut from, mut kept) = (0, 0);
        for start in 1..self.starts.len() {
            let end = self.starts[start] as usize;
            for i in from..end {
                if let Some(number) = numbers[self.numbers[i] as usize] {
                    self.numbers[kept] = number;
                    kept += 1;
                }
            }
            self.starts[start] = kept as u32;
            from = end;
        }
        self.numbers.truncate(kept);
    }
}

fn too_many() -> Error {
    Error::Spec("the words of this text have more than 4 billion seeds in them; make seed_size smaller".into())
}
