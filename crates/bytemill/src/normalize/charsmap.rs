//! Charsmap: the replacements of a SentencePiece normalizer, as its files hold them: the size of a double-array trie (32 bits), the trie
//! (Darts, 32-bit units), and the replacements, each ended by a zero. All little-endian.

use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

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
    /// The characters that it leaves alone; looked for when first asked for, once for all clones.
    plain: Arc<OnceLock<Arc<Plain>>>,
}

/// Rules replace less than this, in bytes.
const LONGEST_KEY: usize = 512;

/// Beginnings of rules that are listed: many times those of the largest map that is shipped.
const MOST_BEGINNINGS: usize = 1 << 24;

/// SentencePiece looks at this many rules that match, from the shortest on, and no further.
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
        // As `replacement` would find them.
        let out_of_place =
            |&unit: &u32| unit >> 31 != 0 && !replacements.is_char_boundary((unit & !(1 << 31)) as usize);
        if trie.iter().any(out_of_place) {
            return Err(broken("a replacement is out of place"));
        }
        Ok(Charsmap { blob: blob.into(), trie, replacements: replacements.into(), plain: Arc::default() })
    }

    /// As files hold it.
    pub fn bytes(&self) -> &[u8] {
        &self.blob
    }

    /// The characters that it leaves alone.
    pub fn plain(&self) -> &Arc<Plain> {
        self.plain.get_or_init(|| Arc::new(Plain::new(Some(self), &[])))
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
        units.filter_map(|(length, place, unit)| Some((length, self.value((place, unit))?)))
    }

    /// What a rule that ends at a place makes of it. Its value is where the byte zero would lead.
    #[inline]
    fn value(&self, (place, unit): (usize, u32)) -> Option<&str> {
        let value = (unit >> 8 & 1 != 0).then(|| self.trie.get(place ^ offset(unit)))??;
        self.replacement(value & !(1 << 31))
    }

    /// All rules, in the order of their bytes: what is replaced, and what it becomes.
    pub fn listed(&self) -> Result<Vec<(String, String)>> {
        let tree = self.tree();
        let (mut listed, mut left) = (Vec::new(), MOST_BEGINNINGS);
        let mut waiting = vec![(0, Vec::new())];
        while let Some((at, key)) = waiting.pop() {
            let value = self.value((at, self.trie[at])).filter(|_| !key.is_empty());
            if let (Some(to), Ok(from)) = (value, std::str::from_utf8(&key)) {
                listed.push((from.to_string(), to.to_string()));
            }
            let mut children: Vec<(u8, usize)> = tree.children(at).filter(|&(byte, _)| byte != 0).collect();
            children.sort_unstable_by_key(|&(byte, _)| Reverse(byte));
            left = left.checked_sub(children.len()).filter(|_| key.len() < LONGEST_KEY).ok_or_else(|| {
                Error::Spec("the precompiled character map is broken: it leads back to itself, or has no end".into())
            })?;
            waiting.extend(children.into_iter().map(|(byte, child)| (child, [&key[..], &[byte]].concat())));
        }
        Ok(listed)
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

    /// The units of its trie by their parents.
    pub fn tree(&self) -> RuleTree<'_> {
        let (mut first, mut next) = (vec![NOBODY; self.trie.len()], vec![NOBODY; self.trie.len()]);
        for (place, &unit) in self.trie.iter().enumerate() {
            let byte = (unit & 0xFF) as usize;
            if unit >> 31 == 0
                && let Some(first) = first.get_mut(place ^ byte)
            {
                next[place] = std::mem::replace(first, place as u32);
            }
        }
        RuleTree { map: self, first, next }
    }

    /// Whether a rule makes this of something, or of a part of it.
    pub fn makes(&self, text: &str) -> bool {
        self.replacements.contains(text)
    }
}

/// The units of a trie, listed by their parents: children lie where the base of their parent and their byte lead, so that each tells the
/// base, and those of a unit are found without asking for every byte.
pub struct RuleTree<'a> {
    map: &'a Charsmap,
    /// By the base: a child, or `NOBODY`.
    first: Vec<u32>,
    /// By the child: another one of the same base, or `NOBODY`.
    next: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

/// The characters of rules that follow a place, the first ones to begin with.
pub struct RulesBelow {
    /// What leads here is a rule by itself.
    pub is_rule: bool,
    place: usize,
}

impl RuleTree<'_> {
    /// The children of a unit: their bytes and places.
    fn children(&self, parent: usize) -> impl Iterator<Item = (u8, usize)> {
        let first = self.first.get(parent ^ offset(self.map.trie[parent])).copied().unwrap_or(NOBODY);
        let follow = |&child: &u32| Some(self.next[child as usize]).filter(|&next| next != NOBODY);
        let children = std::iter::successors(Some(first).filter(|&first| first != NOBODY), follow);
        children.map(|child| ((self.map.trie[child as usize] & 0xFF) as u8, child as usize))
    }

    /// Gives every character that a rule begins with, as long as it is wanted.
    pub fn firsts(&self, each: &mut impl FnMut(char, RulesBelow) -> bool) {
        self.seconds(&RulesBelow { is_rule: false, place: 0 }, each);
    }

    /// Gives every character that a rule goes on with, as long as it is wanted.
    pub fn seconds(&self, below: &RulesBelow, each: &mut impl FnMut(char, RulesBelow) -> bool) {
        let mut waiting = vec![(below.place, [0; 4], 0)];
        while let Some((parent, mut bytes, length)) = waiting.pop() {
            for (byte, place) in self.children(parent) {
                bytes[length] = byte;
                match std::str::from_utf8(&bytes[..=length]).map(|text| text.chars().next()) {
                    Ok(Some(c)) => {
                        let is_rule = self.map.trie[place] >> 8 & 1 != 0;
                        if !each(c, RulesBelow { is_rule, place }) {
                            return;
                        }
                    }
                    // A character that goes on; anything else is no text.
                    Err(error) if error.error_len().is_none() => waiting.push((place, bytes, length + 1)),
                    _ => {}
                }
            }
        }
    }

    /// For every byte, whether a rule has it after its start.
    pub fn bytes_after_start(&self) -> [bool; 256] {
        let (mut seen, mut after) = (vec![false; self.map.trie.len()], [false; 256]);
        let mut waiting = vec![0];
        while let Some(parent) = waiting.pop() {
            // A zero leads to places that nobody uses, too.
            for (byte, child) in self.children(parent).filter(|&(byte, _)| byte != 0) {
                after[usize::from(byte)] |= parent != 0;
                if !std::mem::replace(&mut seen[child], true) {
                    waiting.push(child);
                }
            }
        }
        after
    }
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
