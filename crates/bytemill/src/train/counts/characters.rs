//! CharacterCounts: what one worker counts where each character is a piece. There are 1,114,112, so that tables of them need no hash and
//! never outgrow their memory; only blocks of characters that occur have one.

use super::block::Record;
use crate::error::Result;

const BLOCK: usize = 256;
const BLOCKS: usize = (char::MAX as usize + 1) / BLOCK;
/// Bytes that are looked at together, as one number.
const AT_ONCE: usize = 8;
/// The highest bits of these: none is set where all are ASCII.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// The bytes at even places of these, and at odd ones, without their highest bits.
const EVEN: u64 = 0x007f_007f_007f_007f;
const ODD: u64 = EVEN << 8;
/// Characters of ASCII, and pairs of them.
const ASCII: usize = 128;
const PAIRS: usize = ASCII * ASCII;

#[derive(Debug)]
pub(super) struct CharacterCounts {
    /// ASCII where nobody asked for places, two characters at a time: half as many additions. A text has few hundred pairs often, whose
    /// counts a core's first cache holds.
    pairs: Vec<u64>,
    /// Which block of `counts` a block of characters has, from 1; 0 if none of them has occurred.
    blocks: Vec<u16>,
    counts: Vec<u64>,
    /// The place of the first occurrence, where somebody asked for it.
    places: Option<Vec<u64>>,
}

impl CharacterCounts {
    pub(super) fn new(ordered: bool) -> Self {
        let pairs = if ordered { Vec::new() } else { vec![0; PAIRS] };
        CharacterCounts { pairs, blocks: vec![0; BLOCKS], counts: Vec::new(), places: ordered.then(Vec::new) }
    }

    /// Counts the characters of a text; `place` is that of the first, and the others follow. Gives the place after the last.
    pub(super) fn add(&mut self, text: &str, place: u64) -> u64 {
        if self.places.is_none() {
            self.add_unordered(text);
            return place;
        }
        let mut places = place..;
        for (c, place) in text.chars().zip(&mut places) {
            let slot = self.slot(c);
            if let Some(places) = self.places.as_mut().filter(|_| self.counts[slot] == 0) {
                places[slot] = place;
            }
            self.counts[slot] += 1;
        }
        places.start
    }

    fn add_unordered(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let ascii = self.add_ascii(rest.as_bytes());
            // After ASCII begins a character.
            rest = &rest[ascii..];
            if rest.is_empty() {
                return;
            }
            let end = rest.ceil_char_boundary(AT_ONCE);
            rest[..end].chars().for_each(|c| self.add_one(c));
            rest = &rest[end..];
        }
    }

    /// Counts the bytes of a text up to the first that are not all ASCII, or too few to be looked at together. Gives how many.
    fn add_ascii(&mut self, text: &[u8]) -> usize {
        let Some(pairs) = self.pairs.first_chunk_mut::<PAIRS>() else { return 0 };
        let (groups, _) = text.as_chunks::<AT_ONCE>();
        for (number, &group) in groups.iter().enumerate() {
            let bytes = u64::from_le_bytes(group);
            if bytes & HIGH_BITS != 0 {
                return number * AT_ONCE;
            }
            let numbers = (bytes & EVEN) | ((bytes & ODD) >> 1);
            for number in [numbers, numbers >> 16, numbers >> 32, numbers >> 48] {
                pairs[number as usize % PAIRS] += 1;
            }
        }
        groups.len() * AT_ONCE
    }

    fn add_one(&mut self, c: char) {
        let slot = self.slot(c);
        self.counts[slot] += 1;
    }

    /// Where the count of a character is; its block is made if there is none yet.
    fn slot(&mut self, c: char) -> usize {
        let (block, within) = (c as usize / BLOCK, c as usize % BLOCK);
        if self.blocks[block] == 0 {
            self.counts.resize(self.counts.len() + BLOCK, 0);
            self.blocks[block] = (self.counts.len() / BLOCK) as u16;
            if let Some(places) = &mut self.places {
                places.resize(self.counts.len(), 0);
            }
        }
        (usize::from(self.blocks[block]) - 1) * BLOCK + within
    }

    /// Hands over all characters that occur. Their numbers are in the order of their bytes.
    pub(super) fn drain(mut self, mut each: impl FnMut(Record) -> Result<()>) -> Result<()> {
        let mut ascii = [0; ASCII];
        for (pair, &count) in self.pairs.iter().enumerate() {
            ascii[pair % ASCII] += count;
            ascii[pair / ASCII] += count;
        }
        for (c, count) in ('\0'..).zip(ascii) {
            let slot = self.slot(c);
            self.counts[slot] += count;
        }
        for (block, &made) in self.blocks.iter().enumerate().filter(|&(_, &made)| made > 0) {
            let first = (usize::from(made) - 1) * BLOCK;
            for (within, &count) in
                self.counts[first..first + BLOCK].iter().enumerate().filter(|&(_, &count)| count > 0)
            {
                let Some(c) = char::from_u32((block * BLOCK + within) as u32) else { continue };
                let place = self.places.as_ref().map_or(0, |places| places[first + within]);
                each(Record { piece: c.encode_utf8(&mut [0; 4]).as_bytes(), count, place })?;
            }
        }
        Ok(())
    }
}
