//! News: pieces that a worker had to compute, with their ids, for the others that work on the same call. Being told takes a tenth of the
//! time of computing.

use crate::vocab::TokenId;

#[derive(Debug, Default)]
pub struct News {
    /// The pieces one after the other, and where each begins and ends.
    pub(super) text: Vec<u8>,
    pub(super) starts: Vec<usize>,
    pub(super) ends: Vec<usize>,
    ids: Vec<TokenId>,
    ids_ends: Vec<usize>,
}

impl News {
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub fn push(&mut self, piece: &[u8], ids: &[TokenId]) {
        self.starts.push(self.text.len());
        self.text.extend_from_slice(piece);
        self.ends.push(self.text.len());
        self.ids.extend_from_slice(ids);
        self.ids_ends.push(self.ids.len());
    }

    /// The ids of the piece with this number.
    pub fn ids(&self, number: usize) -> &[TokenId] {
        let start = number.checked_sub(1).map_or(0, |before| self.ids_ends[before]);
        &self.ids[start..self.ids_ends[number]]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{KnownWords, Remembered};
    use crate::model::text_ends::TextEnds;
    use crate::text::span::Spans;

    /// Ids of a piece that say all of it, and how many pieces were computed.
    fn segment(remembered: &mut Remembered, pieces: &[String]) -> (Vec<u32>, usize) {
        let (text, mut ends) = (pieces.concat(), Vec::new());
        ends.extend(pieces.iter().scan(0, |end, piece| {
            *end += piece.len();
            Some(*end)
        }));
        let starts: Vec<usize> = ends.iter().zip(pieces).map(|(end, piece)| end - piece.len()).collect();
        let (mut ids, mut computed) = (Vec::new(), 0);
        let compute = |piece: &[u8], ids: &mut Vec<u32>| {
            computed += 1;
            ids.extend(piece.iter().map(|&byte| u32::from(byte)));
            Ok::<_, crate::error::Error>(())
        };
        let pieces = Spans::new(text.as_bytes(), &starts, &ends);
        remembered.segment(pieces, &mut TextEnds::none(), &KnownWords::default(), &mut ids, compute).unwrap();
        (ids, computed)
    }

    #[test]
    fn what_one_has_computed_the_other_knows() {
        // Of one byte to more than a memo keeps.
        let pieces: Vec<String> = (0..300).map(|i| format!("{i}{}", "x".repeat(i % 100))).collect();
        let (mut one, mut other) = (Remembered::default(), Remembered::default());
        one.keep_news(true);
        assert!(one.news().is_none());
        let (ids, computed) = segment(&mut one, &pieces);
        assert_eq!(computed, pieces.len());
        let news = one.news().unwrap();
        assert!(one.news().is_none());
        other.learn(&news);
        other.learn(&news);
        assert_eq!(segment(&mut other, &pieces), (ids, 0));
        one.keep_news(false);
        segment(&mut one, &["new".into()]);
        assert!(one.news().is_none());
    }
}
