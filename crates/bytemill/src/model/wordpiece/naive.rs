//! The definition of WordPiece, in a dozen lines: the longest token that a word begins with, then the longest marked token that the rest
//! begins with, and so on; a word that is stuck anywhere is unknown as a whole.

use crate::vocab::{TokenId, Vocab};

/// The ids of a word, or None if it is unknown.
pub(super) fn segment(vocab: &Vocab, prefix: &str, word: &str) -> Option<Vec<TokenId>> {
    let mut ids = Vec::new();
    let mut start = 0;
    while start < word.len() {
        let mark = if start > 0 { prefix } else { "" };
        let ends = word[start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
        let token = |end: usize| Some((vocab.id([mark, &word[start..end]].concat().as_bytes())?, end));
        let (id, end) = ends.rev().find_map(token)?;
        ids.push(id);
        start = end;
    }
    Some(ids)
}
