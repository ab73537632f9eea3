//! Lattice: for each place in the words, the pieces that begin there, the shortest first. It is made once, with the seeds; when pieces go,
//! they go from here too.

use super::inventory::Inventory;
use super::seeds::Seeds;
use crate::error::{Error, Result};
use crate::train::sentencepiece::Words;

#[derive(Debug)]
pub struct Lattice {
    /// Where the pieces of each place are in `numbers`, and their end.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lattice {
    /// Of characters, whose numbers come first, and of seeds.
    pub fn new(words: &Words, seeds: &Seeds, characters: &[char]) -> Result<Self> {
        let mut by_code: Vec<(char, u32)> = characters.iter().copied().zip(0..).collect();
        by_code.sort_unstable();
        let number_of = |c: char| by_code.binary_search_by_key(&c, |&(known, _)| known).ok().map(|i| by_code[i].1);
        let mut counts = vec![0u32; words.text.len() + 1];
        let each_character = |give: &mut dyn FnMut(usize, u32)| {
            for (word, from) in words.each().zip(&words.starts) {
                let numbered = word.0.char_indices().filter_map(|(at, c)| Some((at, number_of(c)?)));
                numbered.for_each(|(at, number)| give(*from as usize + at, number));
            }
        };
        each_character(&mut |at, _| counts[at] += 1);
        for seed in &seeds.found {
            seeds.places(seed).for_each(|at| counts[at as usize] += 1);
        }
        let mut sum = 0u32;
        for count in &mut counts {
            let start = sum;
            sum = sum.checked_add(*count).ok_or_else(too_many)?;
            *count = start;
        }
        let mut numbers = vec![0; sum as usize];
        let starts = counts.clone();
        let mut put = |at: usize, number: u32| {
            numbers[counts[at] as usize] = number;
            counts[at] += 1;
        };
        each_character(&mut put);
        let mut by_length: Vec<(u32, u32)> = seeds.found.iter().map(|seed| seed.length).zip(0..).collect();
        by_length.sort_unstable();
        for (_, i) in by_length {
            seeds.places(&seeds.found[i as usize]).for_each(|at| put(at as usize, characters.len() as u32 + i));
        }
        Ok(Lattice { starts, numbers })
    }

    /// The pieces that begin at a place of the text of all words.
    #[inline]
    pub fn at(&self, place: usize) -> &[u32] {
        &self.numbers[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// Gives pieces other numbers, and leaves out those that have none.
    pub fn renumber(&mut self, numbers: &[Option<u32>]) {
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

/// What a pass over the pieces of a word reads of each: its weight (a probability, or a score) and its bytes.
pub fn weighed(inventory: &Inventory, weight: impl Fn(f64) -> f64) -> Vec<(f64, u32)> {
    inventory.scores.iter().zip(&inventory.lengths).map(|(&score, &length)| (weight(score), length)).collect()
}
