//! What merging starts from: the units of pieces (bytes or characters, marked at the ends of words where that is wanted) and the words that
//! they make.

use std::collections::{HashMap, HashSet};

use super::BpeOptions;
use super::inventory::Inventory;
use super::rule::Ties;
use super::words::Words;
use crate::alphabet::char_of;
use crate::error::Result;
use crate::train::Held;

/// The symbol of each unit, by where in its piece it stands.
pub struct Base<'a> {
    options: &'a BpeOptions,
    symbols: HashMap<Vec<u8>, u32>,
    /// Of bytes without marks, which are most of what is trained.
    bytes: Option<Box<[Option<u32>; 256]>>,
}

impl<'a> Base<'a> {
    /// Enters the units that occur or are asked for into the inventory, in the order that the rule asks for.
    pub fn new(options: &'a BpeOptions, counts: &Held, tokens: &mut Inventory) -> Self {
        let alphabet = alphabet(options, counts);
        let mut base = Base { options, symbols: HashMap::new(), bytes: None };
        for unit in &alphabet {
            base.symbols.insert(unit.clone(), tokens.insert(unit, 1));
        }
        if options.is_marked() {
            let known: HashSet<&[u8]> = alphabet.iter().map(Vec::as_slice).collect();
            let mut marked: Vec<Vec<u8>> = Vec::new();
            let mut seen = HashSet::new();
            for (piece, _) in counts.iter() {
                for (unit, first, last) in options.units(piece).filter(|(unit, ..)| known.contains(unit)) {
                    let written = options.written(unit, first, last);
                    if seen.insert(written.clone()) {
                        marked.push(written);
                    }
                }
            }
            marked.sort_unstable();
            for written in marked {
                let id = tokens.insert(&written, 1);
                base.symbols.insert(written, id);
            }
        } else if options.byte_level {
            base.bytes = Some(Box::new(std::array::from_fn(|byte| base.symbols.get(&[byte as u8][..]).copied())));
        }
        base
    }

    /// The ids of all units.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        self.symbols.values().copied()
    }

    fn symbol(&self, unit: &[u8], first: bool, last: bool) -> Option<u32> {
        match &self.bytes {
            Some(bytes) => bytes[usize::from(unit[0])],
            None if !self.options.is_marked() => self.symbols.get(unit).copied(),
            // A unit that is not in the alphabet is not there with a mark either.
            None => {
                self.symbols.get(unit).and_then(|_| self.symbols.get(&self.options.written(unit, first, last)).copied())
            }
        }
    }

    /// Every piece as its symbols, the most frequent first, or in the order in which they were met if the rule asks for that. Gives how
    /// many symbols they are, single ones included, which are no words.
    pub fn words(&self, counts: &Held, tokens: &Inventory) -> Result<(Words, u64)> {
        let mut pieces: Vec<(&[u8], u64)> = counts.iter().collect();
        if self.options.ties != Ties::Tiktoken {
            pieces.sort_unstable_by_key(|&(_, count)| std::cmp::Reverse(count));
        }
        let most: usize = pieces.iter().map(|(piece, _)| piece.len() + 1).sum();
        let mut words = Words::with_capacity(most)?;
        let mut single = 0;
        let mut symbols = Vec::new();
        for (piece, count) in pieces {
            let mut finish = |symbols: &mut Vec<u32>| {
                single += if symbols.len() == 1 { count } else { 0 };
                words.push(symbols, tokens.lengths(), count);
                symbols.clear();
            };
            for (unit, first, last) in self.options.units(piece) {
                match self.symbol(unit, first, last) {
                    Some(symbol) => symbols.push(symbol),
                    // The library leaves it out, and its neighbours are side by side.
                    None if self.options.ties == Ties::HuggingFace => {}
                    None => finish(&mut symbols),
                }
            }
            finish(&mut symbols);
        }
        Ok((words, single))
    }
}

/// The units without marks, in their order.
fn alphabet(options: &BpeOptions, counts: &Held) -> Vec<Vec<u8>> {
    let mut found: HashMap<&[u8], u64> = HashMap::new();
    // All bytes are there by default, whatever occurs.
    if !options.byte_level || options.initial_alphabet.is_some() {
        for (piece, count) in counts.iter() {
            options.units(piece).for_each(|(unit, ..)| *found.entry(unit).or_default() += count);
        }
    }
    let all_bytes: Vec<u8> = (0..=255).collect();
    let asked: Vec<&[u8]> = match &options.initial_alphabet {
        None if options.byte_level => all_bytes.chunks(1).collect(),
        None => Vec::new(),
        Some(characters) => {
            characters.iter().flat_map(|text| options.units(text.as_bytes())).map(|unit| unit.0).collect()
        }
    };
    found.extend(asked.iter().map(|&unit| (unit, u64::MAX)));
    let mut units: Vec<(&[u8], u64)> = found.into_iter().collect();
    // Characters compare as their UTF-8 does.
    units.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    units.truncate(options.limit_alphabet.unwrap_or(usize::MAX));
    let by_character = options.byte_level && options.ties == Ties::HuggingFace;
    let order = |unit: &[u8]| if by_character { u32::from(char_of(unit[0])) } else { 0 };
    units.sort_unstable_by(|a, b| order(a.0).cmp(&order(b.0)).then(a.0.cmp(b.0)));
    units.into_iter().map(|(unit, _)| unit.to_vec()).collect()
}
