//! The slow twin: a map from each piece to its count and the place of its first occurrence.

use std::collections::BTreeMap;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NaiveCounts(pub BTreeMap<Vec<u8>, (u64, u64)>);

impl NaiveCounts {
    pub(super) fn add(&mut self, piece: &[u8], place: u64) {
        self.0.entry(piece.to_vec()).or_insert((0, place)).0 += 1;
    }
}
