//! What merging starts from: the units of pieces (bytes or characters, marked at the ends of words where that is wanted) and the words that
//! they make.

use std::collections::{HashMap, HashSet};

use super::BpeOptions;
use super::arrange::{Arranged, arrange};
use super::budget::Means;
use super::inventory::TokenInventory;
use super::likelihood::Spelled;
use super::pieces::{Pause, TrainingPieces};
use super::rule::Ties;
use crate::error::Result;
use crate::text::byte_alphabet::char_of;

/// The symbol of each unit, by where in its piece it stands.
pub(super) struct Base<'a> {
    options: &'a BpeOptions,
    symbols: HashMap<Vec<u8>, u32>,
    /// For bytes without marks, which are most of what is trained.
    bytes: Option<Box<[Option<u32>; 256]>>,
    /// The symbol after the last unit of every piece, if there is one.
    end: Option<u32>,
}

impl<'a> Base<'a> {
    /// Enters the units that occur or are asked for into the inventory, in the order that the rule asks for.
    pub(super) fn new(
        options: &'a BpeOptions,
        pieces: &TrainingPieces,
        tokens: &mut TokenInventory,
        pause: &mut Pause,
    ) -> Result<Self> {
        let alphabet = alphabet(options, &[pieces], pause)?;
        let mut base = Base { options, symbols: HashMap::new(), bytes: None, end: None };
        for unit in &alphabet {
            base.symbols.insert(unit.clone(), tokens.insert(unit, 1));
        }
        base.end = options.end_symbol().map(|end| tokens.insert(end.as_bytes(), 1));
        if options.marks_units() {
            let known: HashSet<&[u8]> = alphabet.iter().map(Vec::as_slice).collect();
            let mut marked: Vec<Vec<u8>> = Vec::new();
            let mut seen = HashSet::new();
            pieces.each(pause, |piece, _| {
                for (unit, first, last) in options.units(piece).filter(|(unit, ..)| known.contains(unit)) {
                    let written = options.written(unit, first, last);
                    if seen.insert(written.clone()) {
                        marked.push(written);
                    }
                }
            })?;
            marked.sort_unstable();
            for written in marked {
                let id = tokens.insert(&written, 1);
                base.symbols.insert(written, id);
            }
        } else if options.byte_level {
            base.bytes = Some(Box::new(std::array::from_fn(|byte| base.symbols.get(&[byte as u8][..]).copied())));
        }
        Ok(base)
    }

    /// The ids of all units.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        self.symbols.values().copied().chain(self.end)
    }

    fn symbol(&self, unit: &[u8], first: bool, last: bool) -> Option<u32> {
        match &self.bytes {
            Some(bytes) => bytes[usize::from(unit[0])],
            None if !self.options.marks_units() => self.symbols.get(unit).copied(),
            // A unit that is not in the alphabet is not there with a mark either.
            None => {
                self.symbols.get(unit).and_then(|_| self.symbols.get(&self.options.written(unit, first, last)).copied())
            }
        }
    }

    /// Every piece as its symbols, in memory.
    pub(super) fn spell(&self, pieces: &TrainingPieces, pause: &mut Pause) -> Result<Spelled> {
        let mut spelled = Spelled::default();
        pieces.each(pause, |piece, count| {
            let units = self.options.units(piece);
            let symbols = units.filter_map(|(unit, first, last)| self.symbol(unit, first, last));
            spelled.push(&symbols.chain(self.end).collect::<Vec<u32>>(), count);
        })?;
        Ok(spelled)
    }

    /// Every piece as its symbols, arranged for merging.
    pub(super) fn arrange(
        &self,
        pieces: &TrainingPieces,
        tokens: &TokenInventory,
        means: Means,
        pause: &mut Pause,
    ) -> Result<Arranged> {
        let mut symbols = Vec::new();
        arrange(pieces, tokens.lengths(), means, pause, |piece, give| {
            for (unit, first, last) in self.options.units(piece) {
                match self.symbol(unit, first, last) {
                    Some(symbol) => symbols.push(symbol),
                    // The library leaves it out, and its neighbours are side by side.
                    None if self.options.ties == Ties::HuggingFace => {}
                    None => {
                        give(&symbols);
                        symbols.clear();
                    }
                }
            }
            symbols.extend(self.end);
            give(&symbols);
            symbols.clear();
        })
    }
}

/// The units without marks, in their order.
pub(super) fn alphabet(options: &BpeOptions, pieces: &[&TrainingPieces], pause: &mut Pause) -> Result<Vec<Vec<u8>>> {
    let mut found: HashMap<Vec<u8>, u64> = HashMap::new();
    // All bytes are there by default, whatever occurs.
    if !options.byte_level || options.initial_alphabet.is_some() {
        for pieces in pieces {
            pieces.each(pause, |piece, count| {
                for (unit, ..) in options.units(piece) {
                    match found.get_mut(unit) {
                        Some(sum) => *sum += count,
                        None => {
                            found.insert(unit.to_vec(), count);
                        }
                    }
                }
            })?;
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
    found.extend(asked.iter().map(|&unit| (unit.to_vec(), u64::MAX)));
    let mut units: Vec<(Vec<u8>, u64)> = found.into_iter().collect();
    // Characters compare as their UTF-8 does.
    units.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    units.truncate(options.limit_alphabet.unwrap_or(usize::MAX));
    let by_character = options.byte_level && options.ties == Ties::HuggingFace;
    let order = |unit: &[u8]| if by_character { u32::from(char_of(unit[0])) } else { 0 };
    units.sort_unstable_by(|a, b| order(&a.0).cmp(&order(&b.0)).then(a.0.cmp(&b.0)));
    Ok(units.into_iter().map(|(unit, _)| unit).collect())
}
