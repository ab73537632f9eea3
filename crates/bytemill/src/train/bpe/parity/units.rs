//! From characters to the first tokens.

use super::super::base::alphabet;
use super::super::inventory::TokenInventory;
use super::super::options::BpeOptions;
use super::super::pieces::{Pause, TrainingPieces};
use crate::error::Result;

/// The special tokens and the characters of all languages. Where `limit_alphabet` decides between characters that are equally frequent, the
/// library takes any of them.
pub(super) fn first_tokens(
    options: &BpeOptions,
    special_tokens: &[String],
    pieces: &[&TrainingPieces],
    pause: &mut Pause,
) -> Result<TokenInventory> {
    let mut tokens = TokenInventory::default();
    for token in special_tokens {
        tokens.insert(token.as_bytes(), 1);
    }
    for unit in alphabet(options, pieces, pause)? {
        tokens.insert(&unit, 1);
    }
    Ok(tokens)
}

/// The symbols of a word. Characters that are no tokens are left out, and those with marks become tokens as they come: the library takes
/// the words in any order.
pub(super) fn spell(options: &BpeOptions, tokens: &mut TokenInventory, word: &[u8], symbols: &mut Vec<u32>) {
    symbols.clear();
    for (unit, first, last) in options.units(word) {
        let Some(bare) = tokens.id(unit) else { continue };
        symbols.push(match options.marks_units() {
            true => tokens.insert(&options.written(unit, first, last), 1),
            false => bare,
        });
    }
}

/// The same of a word that makes no new tokens: false if it had to.
pub(super) fn spell_known(options: &BpeOptions, tokens: &TokenInventory, word: &[u8], symbols: &mut Vec<u32>) -> bool {
    symbols.clear();
    options.units(word).all(|(unit, first, last)| {
        let written = tokens.id(unit).and_then(|_| tokens.id(&options.written(unit, first, last)));
        symbols.extend(written);
        written.is_some()
    })
}
