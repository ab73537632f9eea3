//! The first words: each beginning of what is left of a word is looked up in the vocabulary, the longest first.

use crate::vocab::{TokenId, Vocab};

/// Appends the ids of a word, and counts the lookups; false if the word is unknown.
pub(super) fn segment(vocab: &Vocab, prefix: &[u8], word: &[u8], ids: &mut Vec<TokenId>, lookups: &mut usize) -> bool {
    let from = ids.len();
    let mut start = 0;
    while start < word.len() {
        let mark = if start > 0 { prefix } else { b"" };
        let rest = [mark, &word[start..]].concat();
        let ends = (mark.len() + 1..=rest.len()).rev().filter(|&end| is_boundary(&rest, end));
        let found = ends.inspect(|_| *lookups += 1).find_map(|end| Some((vocab.id(&rest[..end])?, end)));
        let Some((id, end)) = found else {
            ids.truncate(from);
            return false;
        };
        ids.push(id);
        start += end - mark.len();
    }
    true
}

/// Whether no character lies across a place.
fn is_boundary(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|&byte| byte as i8 >= -64)
}
