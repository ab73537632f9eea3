//! Stream: ids come one by one, text goes out as soon as it is certain, and never half a character.

use super::graphemes::GraphemeTail;
use super::{Decoder, Joiner};

#[derive(Debug, Clone)]
pub struct Stream {
    joiner: Joiner,
    tail: Utf8Tail,
    /// Where text goes out in whole grapheme clusters.
    graphemes: Option<GraphemeTail>,
}

impl Stream {
    pub fn new(decoder: &Decoder) -> Self {
        Stream { joiner: Joiner::new(decoder), tail: Utf8Tail::default(), graphemes: None }
    }

    /// The same, which never ends a text inside a grapheme cluster.
    pub fn by_graphemes(self) -> Self {
        Stream { graphemes: Some(GraphemeTail::default()), ..self }
    }

    /// The text that a further token makes certain.
    pub fn push(&mut self, token: &[u8]) -> String {
        let mut bytes = Vec::new();
        self.joiner.push(token, &mut bytes);
        self.certain(&bytes)
    }

    /// The text that is certain when a token comes that is not shown.
    pub fn pass(&mut self) -> String {
        let mut bytes = Vec::new();
        self.joiner.pass(&mut bytes);
        self.certain(&bytes)
    }

    fn certain(&mut self, bytes: &[u8]) -> String {
        let text = self.tail.push(bytes);
        match &mut self.graphemes {
            Some(graphemes) => graphemes.push(&text),
            None => text,
        }
    }

    /// What is left at the end; a character that never became whole is U+FFFD.
    pub fn finish(&mut self) -> String {
        let mut bytes = Vec::new();
        self.joiner.finish(&mut bytes);
        let kept = self.graphemes.as_mut().map(GraphemeTail::finish).unwrap_or_default();
        kept + &self.tail.push(&bytes) + &self.tail.finish()
    }
}

/// Bytes on their way to text: keeps back a character that is not whole yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Utf8Tail {
    pending: Vec<u8>,
}

impl Utf8Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let whole = self.pending.len() - unfinished(&self.pending);
        let text = String::from_utf8_lossy(&self.pending[..whole]).into_owned();
        self.pending.drain(..whole);
        text
    }

    pub(super) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}

/// The number of bytes at the end that begin a character and could still become one.
fn unfinished(bytes: &[u8]) -> usize {
    match bytes.utf8_chunks().last() {
        // Only an incomplete sequence at the very end reports no offending length.
        Some(chunk) if !chunk.invalid().is_empty() => {
            let last = chunk.invalid();
            match std::str::from_utf8(last) {
                Err(error) if error.error_len().is_none() => last.len(),
                _ => 0,
            }
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_waits_until_it_is_whole() {
        let mut stream = Stream::new(&Decoder::Concat);
        let emoji = "🙂".as_bytes();
        assert_eq!(stream.push(&emoji[..2]), "");
        assert_eq!(stream.push(&emoji[2..]), "🙂");
        assert_eq!(stream.push(&emoji[..3]), "");
        assert_eq!(stream.push(b"a"), "\u{fffd}a");
        assert_eq!(stream.push(&emoji[..1]), "");
        assert_eq!(stream.finish(), "\u{fffd}");
    }

    #[test]
    fn streamed_words_are_spaced_like_joined_ones() {
        let mut stream = Stream::new(&Decoder::Words);
        let text: String = ["(", "a", ")", ".", "B"].map(|token| stream.push(token.as_bytes())).concat();
        assert_eq!(text + &stream.finish(), "(a). B");
    }
}
