//! TokenInventory: the tokens of a training, in the order in which they were made.

use std::collections::HashMap;

use super::rule::{MergeRules, Ties};

#[derive(Debug, Clone, Default)]
pub struct TokenInventory {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// How many units (bytes or characters) each token has.
    lengths: Vec<u32>,
    ids: HashMap<Vec<u8>, u32>,
}

impl TokenInventory {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn token(&self, id: u32) -> &[u8] {
        let start = (id as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[id as usize]]
    }

    pub fn length(&self, id: u32) -> u32 {
        self.lengths[id as usize]
    }

    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    pub fn id(&self, token: &[u8]) -> Option<u32> {
        self.ids.get(token).copied()
    }

    /// The id of a token, which is new unless it is there.
    pub fn insert(&mut self, token: &[u8], length: u32) -> u32 {
        self.id(token).unwrap_or_else(|| {
            let id = self.push(token, length);
            self.ids.insert(token.to_vec(), id);
            id
        })
    }

    /// A token that no merge can make again.
    pub fn push(&mut self, token: &[u8], length: u32) -> u32 {
        self.bytes.extend_from_slice(token);
        self.ends.push(self.bytes.len());
        self.lengths.push(length);
        self.ends.len() as u32 - 1
    }

    fn joined(&self, left: u32, right: u32, rules: &MergeRules) -> Vec<u8> {
        let right = self.token(right);
        [self.token(left), right.strip_prefix(rules.prefix.as_slice()).unwrap_or(right)].concat()
    }

    /// Whether a pair waits in vain: SentencePiece merges no pair whose text is a token already.
    pub fn is_passed_over(&self, left: u32, right: u32, rules: &MergeRules) -> bool {
        rules.ties == Ties::SentencePiece && self.id(&self.joined(left, right, rules)).is_some()
    }

    /// The token that a pair makes.
    pub fn join(&mut self, left: u32, right: u32, rules: &MergeRules) -> u32 {
        let token = self.joined(left, right, rules);
        let length = self.length(left) + self.length(right);
        match rules.ties {
            Ties::RustBpe => self.push(&token, length),
            _ => self.insert(&token, length),
        }
    }
}
