//! WordPiece: the longest token that a word begins with, then the longest that the rest begins with, each marked as one that continues a
//! word. `naive` says it in a dozen lines, `search` does it for the first words, `automaton` in one pass for all others, and what a worker
//! has met is remembered.

mod automaton;
#[cfg(test)]
mod naive;
mod search;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::memo::{KnownWords, Remembered};
use super::{PieceModel, PieceSpan, spans_of, unknown};
use crate::definition::Subwords;
use crate::error::Result;
use crate::model::text_ends::TextEnds;
use crate::pretokenize::stretches::Stretches;
use crate::text::span::{Span, Spans};
use crate::vocab::{TokenId, Vocab};
use automaton::Automaton;

/// A token of the automaton takes about as long to make as this many lookups of beginnings of words.
const LOOKUPS_FOR_A_TOKEN: usize = 2;

#[derive(Debug)]
pub struct WordPiece {
    vocab: Arc<Vocab>,
    unk: Option<TokenId>,
    subwords: Subwords,
    /// Made when searching for the words that are no tokens has taken as long as making it.
    automaton: OnceLock<Automaton>,
    /// What that search took so far.
    lookups: AtomicUsize,
    /// Most of what is met; made when the first text comes.
    words: OnceLock<KnownWords>,
}

impl WordPiece {
    pub fn new(vocab: Arc<Vocab>, unk: Option<TokenId>, subwords: Subwords) -> Self {
        let (automaton, words) = (OnceLock::new(), OnceLock::new());
        WordPiece { vocab, unk, subwords, automaton, lookups: AtomicUsize::new(0), words }
    }

    /// Appends the ids of pieces of a text.
    #[inline]
    pub fn segment(&self, pieces: Spans, remembered: &mut Remembered, ids: &mut Vec<TokenId>) -> Result<()> {
        let compute = |piece: &[u8], ids: &mut Vec<TokenId>| self.compute(piece, ids);
        remembered.segment(pieces.bytes(), &mut TextEnds::none(), self.known(), ids, compute)
    }

    /// The ids of one piece with their places in it.
    pub fn segment_placed(
        &self,
        piece: &str,
        remembered: &mut Remembered,
        ids: &mut Vec<TokenId>,
        spans: &mut Vec<PieceSpan>,
    ) -> Result<()> {
        let from = ids.len();
        self.segment(Spans::new(piece, &[0], &[piece.len()]), remembered, ids)?;
        self.place(piece, &ids[from..], spans);
        Ok(())
    }

    /// The ids of a word that is not too long; false if it is unknown.
    fn segment_word(&self, word: &[u8], ids: &mut Vec<TokenId>) -> bool {
        let prefix = self.subwords.prefix.as_bytes();
        if self.automaton.get().is_none() && self.is_worth_searching(word) {
            let mut lookups = 0;
            let known = search::segment(&self.vocab, prefix, word, ids, &mut lookups);
            self.lookups.fetch_add(lookups, Ordering::Relaxed);
            return known;
        }
        self.automaton.get_or_init(|| Automaton::new(&self.vocab, prefix)).segment(word, ids)
    }

    /// Whether lookups have taken less than making the automaton does, even if this word takes the most it can.
    fn is_worth_searching(&self, word: &[u8]) -> bool {
        let most = word.len().saturating_mul(word.len()) / 2;
        let before = self.lookups.load(Ordering::Relaxed);
        before.saturating_add(most) < self.vocab.len().saturating_mul(LOOKUPS_FOR_A_TOKEN)
    }

    fn place(&self, piece: &str, ids: &[TokenId], spans: &mut Vec<PieceSpan>) {
        match ids {
            // The piece itself, or what is unknown.
            [_] => spans.push(PieceSpan::Inside(Span::new(0, piece.len()))),
            ids => {
                let marks = std::iter::once(0).chain(std::iter::repeat(self.subwords.prefix.len()));
                let width = |(&id, mark)| self.vocab.token(id).map_or(0, |token| token.len().saturating_sub(mark));
                spans_of(piece.len(), ids.iter().zip(marks).map(width), spans);
            }
        }
    }
}

impl PieceModel for WordPiece {
    fn known(&self) -> &KnownWords {
        // A token that is no longer than words may be is itself, as the longest that it begins with.
        let is_itself = |token: &[u8]| !is_too_long(token, self.subwords.max_chars) && Stretches::keeps(token);
        self.words.get_or_init(|| KnownWords::of(&self.vocab, is_itself))
    }

    fn compute(&self, piece: &[u8], ids: &mut Vec<TokenId>) -> Result<()> {
        if is_too_long(piece, self.subwords.max_chars) || !self.segment_word(piece, ids) {
            ids.push(match self.unk {
                Some(id) => id,
                None => unknown(None, &String::from_utf8_lossy(piece))?,
            });
        }
        Ok(())
    }

    #[inline]
    fn widths(&self, piece: &[u8], ids: &[TokenId], mut each: impl FnMut(usize)) -> usize {
        if ids.first().is_some_and(|&id| Some(id) == self.unk) {
            each(piece.len());
            return 1;
        }
        let vocab = self.vocab.view();
        let (mut at, mut number) = (0, 0);
        while at < piece.len()
            && let Some(&id) = ids.get(number)
        {
            let mark = if number > 0 { self.subwords.prefix.len() } else { 0 };
            // A damaged file may hold tokens that do not fit together; each covers something, so that this ends.
            let width = vocab.span(id).map_or(0, |span| span.len()).saturating_sub(mark).clamp(1, piece.len() - at);
            each(width);
            at += width;
            number += 1;
        }
        number
    }

    fn unk_is_a_word(&self) -> bool {
        let token = self.unk.and_then(|id| self.vocab.token(id));
        token.is_some_and(|token| token.iter().all(|byte| !byte.is_ascii_punctuation()))
    }

    fn compute_placed(&self, piece: &str, ids: &mut Vec<TokenId>, spans: &mut Vec<PieceSpan>) -> Result<()> {
        let from = ids.len();
        self.compute(piece.as_bytes(), ids)?;
        self.place(piece, &ids[from..], spans);
        Ok(())
    }
}

/// Whether a text has more than `most` characters; bytes that continue a character are none.
fn is_too_long(text: &[u8], most: usize) -> bool {
    text.len() > most && text.iter().filter(|&&byte| byte as i8 >= -64).count() > most
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn model(tokens: &[String], prefix: &str, max_chars: usize) -> WordPiece {
        let mut tokens: Vec<&String> = tokens.iter().collect();
        tokens.sort();
        tokens.dedup();
        let vocab = Vocab::new(tokens.into_iter().map(Some)).unwrap();
        WordPiece::new(vocab.into(), Some(999), Subwords { prefix: prefix.into(), max_chars })
    }

    fn tokens(list: &[&str]) -> Vec<String> {
        list.iter().map(|token| token.to_string()).collect()
    }

    fn ids(model: &WordPiece, word: &str) -> Vec<TokenId> {
        let mut ids = Vec::new();
        model.segment(Spans::new(word, &[0], &[word.len()]), &mut Remembered::default(), &mut ids).unwrap();
        ids
    }

    #[test]
    fn by_example() {
        // The example of the paper: the longest match goes further than the tokens do.
        let model = model(&tokens(&["a", "abcdx", "##b", "##c", "##cdy", "##dz"]), "##", 100);
        let named = |word| ids(&model, word).iter().map(|&id| model.vocab.token(id).unwrap_or(b"?").to_vec()).collect();
        let expected = |list: &[&str]| list.iter().map(|token| token.as_bytes().to_vec()).collect::<Vec<_>>();
        let found: Vec<Vec<u8>> = named("abcdz");
        assert_eq!(found, expected(&["a", "##b", "##c", "##dz"]));
        assert_eq!(ids(&model, "abcd"), [999]);
        assert_eq!(ids(&model, "abcdx").len(), 1);
        // A word may look like a marked token, and then is it.
        assert_eq!(ids(&model, "##b").len(), 1);
        assert_eq!(ids(&model, "##"), [999]);
        assert!(ids(&model, "").is_empty());
    }

    #[test]
    fn long_words_are_unknown_by_their_characters() {
        let model = model(&tokens(&["é", "##é"]), "##", 3);
        assert_eq!(ids(&model, "ééé").len(), 3);
        assert_eq!(ids(&model, "éééé"), [999]);
    }

    proptest! {
        #[test]
        fn in_one_pass_as_by_definition(
            list in proptest::collection::vec("(#|##|@)?[abé]{0,5}", 1..25),
            prefix in "|#|##|@|a",
            words in proptest::collection::vec("[abé#@]{0,12}|[ab]{0,40}", 1..20),
            max_chars in prop_oneof![Just(100usize), 0..9usize],
        ) {
            let model = model(&list, &prefix, max_chars);
            let mut remembered = Remembered::default();
            for word in words.iter().chain(&list).chain(&words) {
                let expected = match word.chars().count() > max_chars {
                    true => None,
                    false => naive::segment(&model.vocab, &prefix, word),
                };
                let mut found = Vec::new();
                model.segment(Spans::new(word, &[0], &[word.len()]), &mut remembered, &mut found).unwrap();
                prop_assert_eq!(&found, &expected.unwrap_or(vec![999]), "{:?}", word);
                let (mut again, mut spans) = (Vec::new(), Vec::new());
                model.segment_placed(word, &mut remembered, &mut again, &mut spans).unwrap();
                prop_assert_eq!(&again, &found);
                let spans: Vec<Span> = spans.into_iter().map(|span| match span {
                    PieceSpan::Inside(span) | PieceSpan::Beyond(span) => span,
                }).collect();
                let covered: String = spans.iter().map(|span| &word[span.range()]).collect();
                prop_assert_eq!(&covered, word);
            }
        }
    }
}
