//! Charsmap: the replacements of a SentencePiece normalizer, as its files hold them: the size of a double-array trie (32 bits), the trie
//! (Darts, 32-bit units), and the replacements, each ended by a zero. All little-endian.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::plain::Plain;
use crate::error::{Error, Result};

#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Charsmap {
    blob: Arc<[u8]>,
    trie: Arc<[u32]>,
    /// Each ended by a zero.
    replacements: Arc<str>,
    /// The characters that it leaves alone.
    plain: Arc<Plain>,
}

/// Rules replace less than this, in bytes.
const LONGEST_KEY: usize = 512;

/// SentencePiece looks at so many rules that match, from the shortest on, and no further.
pub(super) const MOST_RULES: usize = 32;

impl Charsmap {
    pub fn new(blob: &[u8]) -> Result<Self> {
        let broken = |reason: &str| Error::Spec(format!("the precompiled character map is broken: {reason}"));
        let (size, rest) = blob.split_first_chunk().ok_or_else(|| broken("it ends inside its header"))?;
        let size = u32::from_le_bytes(*size) as usize;
        if size >= rest.len() || size < 1024 || !size.is_multiple_of(1024) {
            return Err(broken("the size of its trie is wrong"));
        }
        if rest.last() != Some(&0) {
            return Err(broken("its last replacement has no end"));
        }
        let Ok(replacements) = std::str::from_utf8(&rest[size..]) else {
            return Err(broken("its replacements are not UTF-8"));
        };
        let trie: Arc<[u32]> = rest[..size].as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        let mut map = Charsmap { blob: blob.into(), trie, replacements: replacements.into(), plain: Arc::default() };
        let out_of_place = |&unit: &u32| unit >> 31 != 0 && map.replacement(unit & !(1 << 31)).is_none();
        if map.trie.iter().any(out_of_place) {
            return Err(broken("a replacement is out of place"));
        }
        map.plain = Arc::new(Plain::new(Some(&map), &[]));
        Ok(map)
    }

    /// As files hold it.
    pub fn bytes(&self) -> &[u8] {
        &self.blob
    }

    /// The characters that it leaves alone.
    pub fn plain(&self) -> &Arc<Plain> {
        &self.plain
    }

    /// The longest rule that a text begins with: its length, and what it becomes. As SentencePiece does it.
    pub fn longest(&self, text: &[u8]) -> Option<(usize, &str)> {
        self.rules(text).take(MOST_RULES).last()
    }

    /// What the shortest rule that a text begins with makes of it. As `tokenizers` does it.
    pub fn shortest(&self, text: &[u8]) -> Option<&str> {
        self.rules(text).next().map(|(_, replacement)| replacement)
    }

    /// Every rule that a text begins with, shortest first.
    fn rules<'a>(&'a self, text: &[u8]) -> impl Iterator<Item = (usize, &'a str)> {
        let mut at = Some(self.root());
        let units = text.iter().enumerate().map_while(move |(i, &byte)| {
            at = self.step(at?, byte);
            at.map(|(place, unit)| (i + 1, place, unit))
        });
        units.filter_map(|(length, place, unit)| {
            // A unit that ends a rule has its value where the byte zero would lead.
            let value = (unit >> 8 & 1 != 0).then(|| self.trie.get(place ^ offset(unit)))??;
            Some((length, self.replacement(value & !(1 << 31))?))
        })
    }

    /// All rules, in the order of their bytes: what is replaced, and what it becomes.
    pub fn listed(&self) -> Vec<(String, String)> {
        let mut listed = Vec::new();
        let mut waiting = vec![(self.root(), Vec::new())];
        // A damaged trie may lead back to itself.
        while let Some((at, key)) = waiting.pop().filter(|_| listed.len() <= self.trie.len()) {
            if let (Some((_, to)), Ok(from)) =
                (self.rules(&key).find(|&(length, _)| length == key.len()), std::str::from_utf8(&key))
            {
                listed.push((from.to_string(), to.to_string()));
            }
            if key.len() < LONGEST_KEY {
                let children = (1..=255u8).rev().filter_map(|byte| Some((self.step(at, byte)?, byte)));
                waiting.extend(children.map(|(child, byte)| (child, [&key[..], &[byte]].concat())));
            }
        }
        listed
    }

    /// How many rules a text begins with.
    pub fn count(&self, text: &[u8]) -> usize {
        self.rules(text).count()
    }

    fn root(&self) -> (usize, u32) {
        (0, self.trie.first().copied().unwrap_or(0))
    }

    #[inline]
    fn step(&self, (place, unit): (usize, u32), byte: u8) -> Option<(usize, u32)> {
        let place = place ^ offset(unit) ^ usize::from(byte);
        let unit = *self.trie.get(place)?;
        // The highest bit is set where a unit holds a value.
        (unit & (1 << 31 | 0xFF) == u32::from(byte)).then_some((place, unit))
    }

    fn replacement(&self, at: u32) -> Option<&str> {
        self.replacements.get(at as usize..)?.split('\0').next()
    }

    /// For every byte, whether a rule has it behind its start.
    pub fn bytes_behind(&self) -> [bool; 256] {
        // Children lie where the base of their parent and their byte lead, so that each tells the base: listed by it, the children of a
        // unit are found without asking for every byte.
        const NONE: usize = usize::MAX;
        let (mut first, mut next) = (vec![NONE; self.trie.len()], vec![NONE; self.trie.len()]);
        for (place, &unit) in self.trie.iter().enumerate() {
            let byte = (unit & 0xFF) as usize;
            if unit >> 31 == 0
                && byte != 0
                && let Some(first) = first.get_mut(place ^ byte)
            {
                next[place] = std::mem::replace(first, place);
            }
        }
        let (mut seen, mut behind) = (vec![false; self.trie.len()], [false; 256]);
        let mut waiting = vec![0];
        while let Some(parent) = waiting.pop() {
            let mut child = first.get(parent ^ offset(self.trie[parent])).copied().unwrap_or(NONE);
            while let Some(&unit) = self.trie.get(child) {
                behind[(unit & 0xFF) as usize] |= parent != 0;
                if !std::mem::replace(&mut seen[child], true) {
                    waiting.push(child);
                }
                child = next[child];
            }
        }
        behind
    }

    /// Whether a rule makes this of something, or of a part of it.
    pub fn makes(&self, text: &str) -> bool {
        self.replacements.contains(text)
    }

    /// Where a character leads, if any rule begins with it.
    pub fn below(&self, c: char) -> Option<RulesBelow> {
        let place = c.encode_utf8(&mut [0; 4]).bytes().try_fold(self.root(), |place, byte| self.step(place, byte))?;
        Some(RulesBelow { is_rule: place.1 >> 8 & 1 != 0, place })
    }

    /// Gives every character that a rule goes on with, as long as it is wanted.
    pub fn seconds(&self, below: &RulesBelow, each: &mut impl FnMut(char) -> bool) {
        let mut waiting = vec![(below.place, [0; 4], 0)];
        while let Some((place, mut bytes, length)) = waiting.pop() {
            let range = if length == 0 { 0..=0xF4 } else { 0x80..=0xBF };
            for byte in range {
                let Some(next) = self.step(place, byte) else { continue };
                bytes[length] = byte;
                match std::str::from_utf8(&bytes[..=length]).map(|text| text.chars().next()) {
                    Ok(Some(c)) if !each(c) => return,
                    Err(_) if length < 3 => waiting.push((next, bytes, length + 1)),
                    _ => {}
                }
            }
        }
    }
}

/// What of a trie lies behind a character.
pub struct RulesBelow {
    /// The character is a rule by itself.
    pub is_rule: bool,
    place: (usize, u32),
}

fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit >> 9 & 1) << 3)) as usize
}

impl std::fmt::Debug for Charsmap {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "Charsmap({} bytes)", self.blob.len())
    }
}

impl PartialEq for Charsmap {
    fn eq(&self, other: &Self) -> bool {
        self.blob == other.blob
    }
}

impl Eq for Charsmap {}

impl TryFrom<String> for Charsmap {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let blob = STANDARD.decode(text);
        Charsmap::new(&blob.map_err(|error| Error::Spec(format!("the precompiled character map: {error}")))?)
    }
}

impl From<Charsmap> for String {
    fn from(map: Charsmap) -> Self {
        STANDARD.encode(&map.blob)
    }
}
