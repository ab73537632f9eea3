//! CharacterCounts: what one worker counts where each character is a piece. There are 1,114,112, so that a table of them needs no hash and
//! never outgrows its memory; of its pages only those that are used are ever there.

use super::block::Record;
use crate::error::Result;

const ALL: usize = char::MAX as usize + 1;

#[derive(Debug)]
pub(super) struct CharacterCounts {
    counts: Vec<u64>,
    /// The place of the first occurrence, where somebody asked for it.
    places: Vec<u64>,
}

impl CharacterCounts {
    pub(super) fn new(ordered: bool) -> Self {
        CharacterCounts { counts: vec![0; ALL], places: vec![0; if ordered { ALL } else { 0 }] }
    }

    /// Counts the characters of a text; `place` is that of the first, and the others follow. Gives the place behind the last.
    pub(super) fn add(&mut self, text: &str, place: u64) -> u64 {
        if self.places.is_empty() {
            text.chars().for_each(|c| self.counts[c as usize] += 1);
            return place;
        }
        let mut places = place..;
        for (c, place) in text.chars().zip(&mut places) {
            let c = c as usize;
            if self.counts[c] == 0 {
                self.places[c] = place;
            }
            self.counts[c] += 1;
        }
        places.start
    }

    /// Hands over all characters that occur. Their numbers are in the order of their bytes.
    pub(super) fn drain(self, mut each: impl FnMut(Record) -> Result<()>) -> Result<()> {
        let characters = ('\0'..=char::MAX).filter(|&c| self.counts[c as usize] > 0);
        characters.into_iter().try_for_each(|c| {
            let mut buffer = [0; 4];
            let piece = c.encode_utf8(&mut buffer).as_bytes();
            let place = self.places.get(c as usize).copied().unwrap_or(0);
            each(Record { piece, count: self.counts[c as usize], place })
        })
    }
}
