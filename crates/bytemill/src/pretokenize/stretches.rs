//! Stretches: where BERT's normalizer and splitter follow one another, parts of the text as it came that can be normalized and split by
//! themselves, with the same pieces as the whole. What was met before then needs no normalizing, and plain text is never copied.
//!
//! White space and punctuation separate pieces whatever is beside them, and so do ideographs, if they are set apart. None of them joins
//! what follows, and what becomes of it separates as well; a test asks all characters. All else stays together, since a control between
//! two letters vanishes and a mark may change places with its neighbour.

use super::runs::{Borders, Class, RunSplitter};
use super::{PreTokenizer, Splitter};
use crate::error::Result;
use crate::normalize::{Bert, Normalizer};
use crate::text::class::{self, BERT_CONTROL, IDEOGRAPH, PUNCTUATION, WHITE};
use unicode_normalization_alignments::UnicodeNormalization;

#[derive(Debug)]
pub struct Stretches {
    splitter: Splitter,
    bert: Bert,
}

impl Stretches {
    /// None for stages that are not BERT's.
    pub fn new(normalizer: Option<&Normalizer>, pretokenizer: Option<&PreTokenizer>) -> Option<Self> {
        let (Some(Normalizer::Bert(bert)), Some(PreTokenizer::Bert)) = (normalizer, pretokenizer) else {
            return None;
        };
        let splitter = Splitter::Runs(Box::new(RunSplitter::new(|bits| class(bert, bits))));
        Some(Stretches { splitter, bert: bert.clone() })
    }

    /// Calls `each` with the starts and the ends of stretches, as many as are found at a time.
    #[inline]
    pub fn split<E>(
        &self,
        text: &str,
        borders: &mut Borders,
        each: impl FnMut(&[usize], &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.splitter.split_together(text, borders, each)
    }

    /// Whether a stretch is one piece, of the same length, whose only change is that of case.
    #[inline]
    pub fn is_plain(stretch: &[u8]) -> bool {
        stretch.iter().all(u8::is_ascii_graphic)
    }

    /// Whether all stretches of a text are plain, told by its bytes: they are ASCII, and none is a control that is not white space for BERT.
    #[inline]
    pub fn are_plain(text: &[u8]) -> bool {
        text.iter()
            .fold(true, |plain, &byte| plain & (matches!(byte, b' '..=b'~') | matches!(byte, b'\t' | b'\n' | b'\r')))
    }

    /// Whether a stretch is a character that stands alone: it becomes a piece of one character, and so one token.
    #[inline]
    pub fn is_alone(&self, stretch: &str) -> bool {
        let mut characters = stretch.chars();
        let alone = characters.next().filter(|_| characters.next().is_none());
        alone.is_some_and(|c| class(&self.bert, class::bits(c)) == Class::Isolated)
    }

    /// Whether a word is one stretch and becomes a piece that is equal to it, whatever the options: lower-case ASCII, or an ideograph.
    pub fn keeps(word: &[u8]) -> bool {
        match word {
            [byte] => byte.is_ascii_graphic() && !byte.is_ascii_uppercase(),
            _ if word.is_ascii() => word.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
            _ => {
                let word = std::str::from_utf8(word).unwrap_or_default();
                let mut characters = word.chars();
                let alone = characters.next().filter(|_| characters.next().is_none());
                let is_ideograph = |c| class::is(c, IDEOGRAPH) && !class::is(c, BERT_CONTROL);
                alone.is_some_and(|c| is_ideograph(c) && word.nfd().map(|(c, _)| c).eq([c]))
            }
        }
    }

    /// The piece that a plain stretch becomes.
    pub fn piece<'a>(&self, stretch: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        if !self.bert.lowercase || !stretch.iter().any(u8::is_ascii_uppercase) {
            return stretch;
        }
        buffer.clear();
        buffer.extend(stretch.iter().map(u8::to_ascii_lowercase));
        buffer
    }
}

fn class(bert: &Bert, bits: u16) -> Class {
    match bits {
        _ if bert.clean_text && bits & BERT_CONTROL != 0 => Class::A,
        _ if bits & WHITE != 0 => Class::Removed,
        _ if bits & PUNCTUATION != 0 => Class::Isolated,
        _ if bert.split_cjk && bits & IDEOGRAPH != 0 => Class::Isolated,
        _ => Class::A,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::class::is;
    use unicode_normalization_alignments::char::canonical_combining_class;

    fn every_bert() -> impl Iterator<Item = Bert> {
        let flag = |i: usize, bit: usize| i >> bit & 1 == 1;
        (0..16).map(move |i| Bert {
            clean_text: flag(i, 0),
            split_cjk: flag(i, 1),
            strip_accents: Some(flag(i, 2)),
            lowercase: flag(i, 3),
        })
    }

    #[test]
    fn what_separates_does_so_after_normalizing_and_joins_nothing() {
        for bert in every_bert() {
            let normalizer = Normalizer::Bert(bert.clone());
            for c in '\0'..=char::MAX {
                let found = super::class(&bert, class::bits(c));
                if found == Class::A {
                    continue;
                }
                let text = c.to_string();
                let becomes = normalizer.normalize(&text, false);
                let becomes = becomes.text();
                assert!(becomes.chars().chain([c]).all(|c| canonical_combining_class(c) == 0), "{c:?}");
                match (found, is(c, PUNCTUATION)) {
                    (Class::Removed, _) => assert!(becomes.chars().all(|c| is(c, WHITE)), "{c:?}"),
                    (_, true) => assert!(becomes.chars().all(|c| is(c, PUNCTUATION)), "{c:?}"),
                    _ => assert!(becomes.starts_with(' ') && becomes.ends_with(' '), "{c:?}"),
                }
                if found == Class::Isolated {
                    assert_eq!(becomes.trim().chars().count(), 1, "{c:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_kept_is_kept_by_every_option() {
        let words =
            ('\0'..=char::MAX).map(String::from).chain(["abc1".into(), "aB".into(), "中国".into(), "a!".into()]);
        let kept: Vec<String> = words.filter(|word| Stretches::keeps(word.as_bytes())).collect();
        assert!(kept.len() > 70_000 && kept.contains(&"中".into()) && kept.contains(&"abc1".into()));
        assert!(!["A", "é", "aB", "中国", "a!", "\u{F900}"].iter().any(|&word| kept.contains(&word.into())));
        for normalizer in every_bert().map(Normalizer::Bert) {
            let changes = |word: &&String| normalizer.normalize(word, false).text().trim() != word.as_str();
            assert_eq!(kept.iter().find(changes), None);
        }
    }

    #[test]
    fn a_plain_text_has_plain_stretches() {
        for normalizer in every_bert().map(Normalizer::Bert) {
            let stretches = Stretches::new(Some(&normalizer), Some(&PreTokenizer::Bert)).unwrap();
            for byte in 0..0x80u8 {
                let text = format!("a{}b", char::from(byte)).repeat(40);
                let mut all = true;
                let found = stretches.split(&text, &mut Borders::default(), |starts, ends| {
                    all &=
                        starts.iter().zip(ends).all(|(&start, &end)| Stretches::is_plain(&text.as_bytes()[start..end]));
                    Ok::<_, crate::error::Error>(())
                });
                assert!(found.is_ok() && (all || !Stretches::are_plain(text.as_bytes())), "{byte}");
            }
        }
    }

    #[test]
    fn plain_stretches_keep_their_length() {
        for bert in every_bert() {
            let normalizer = Normalizer::Bert(bert);
            let stretches = Stretches::new(Some(&normalizer), Some(&PreTokenizer::Bert)).unwrap();
            for byte in 0x21..0x7Fu8 {
                let text = char::from(byte).to_string();
                let mut buffer = Vec::new();
                let piece = stretches.piece(text.as_bytes(), &mut buffer);
                assert_eq!(normalizer.normalize(&text, false).text().as_bytes(), piece);
            }
        }
    }
}
