//! Normalize: what happens to a text before it is split. Semantics and offsets are those of `tokenizers`.

mod alignment;
mod alone;
mod bert;
mod charsmap;
mod darts;
#[cfg(test)]
mod fold_table;
#[cfg(test)]
mod folds;
mod forms;
mod nfkc;
#[cfg(test)]
mod nfkc_rules;
mod plain;
mod precompiled;
mod replacements;
mod sentencepiece;

use serde::{Deserialize, Serialize};

pub(crate) use alignment::Normalized;
use forms::UnicodeForm;

use crate::text::byte_alphabet as alphabet;
use crate::text::class::{self, COMBINING, WHITE};
use crate::text::pattern::{Pattern, Search};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Normalizer {
    Lowercase,
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    /// Drops combining marks.
    StripAccents,
    /// Drops white space at the ends.
    Strip {
        left: bool,
        right: bool,
    },
    /// Every match of a pattern becomes `content`.
    Replace {
        pattern: Search,
        content: String,
    },
    /// Puts a text before every text that is not empty.
    Prepend {
        content: String,
    },
    /// The cleaning of Google's translation models: some controls go, and what is not visible becomes a space.
    Nmt,
    /// Bytes become characters of the alphabet of byte-level tokens.
    ByteLevel,
    Bert(bert::Bert),
    /// The replacements of a SentencePiece model as `tokenizers` applies them.
    Precompiled {
        charsmap: Charsmap,
    },
    /// All that a SentencePiece model does to a text, as it does it.
    #[serde(rename = "sentencepiece")]
    SentencePiece(Box<SentencePiece>),
    Sequence {
        steps: Vec<Normalizer>,
    },
}

pub(crate) use alone::CharacterMemo;
pub(crate) use bert::Bert;
pub(crate) use charsmap::Charsmap;
pub(crate) use nfkc::Forms;
pub(crate) use precompiled::is_apart;
pub(crate) use replacements::Replacements;
#[cfg(test)]
pub(crate) use sentencepiece::tests::charsmap;
pub(crate) use sentencepiece::{MARK, MARK_CHARACTER, SentencePiece, SentencePieceRules};

impl Normalizer {
    /// The normalized text, with an alignment to the original if `aligned`.
    pub fn normalize<'a>(&self, text: &'a str, aligned: bool) -> Normalized<'a> {
        let mut normalized = Normalized::new(text, aligned);
        self.apply(&mut normalized);
        normalized
    }

    pub fn apply(&self, text: &mut Normalized) {
        match self {
            Normalizer::Lowercase => lowercase(text),
            Normalizer::Nfc => UnicodeForm::Nfc.apply(text),
            Normalizer::Nfd => UnicodeForm::Nfd.apply(text),
            Normalizer::Nfkc => UnicodeForm::Nfkc.apply(text),
            Normalizer::Nfkd => UnicodeForm::Nfkd.apply(text),
            Normalizer::StripAccents => {
                if !text.is_ascii() && text.text().chars().any(|c| class::is(c, COMBINING)) {
                    text.retain(|c| !class::is(c, COMBINING));
                }
            }
            Normalizer::Strip { left, right } => strip(text, *left, *right),
            Normalizer::Replace { pattern, content } => text.replace_spans(pattern.matches(text.text()), content),
            Normalizer::Prepend { content } => text.prepend(content),
            Normalizer::Nmt => nmt(text),
            Normalizer::ByteLevel => text.transform(|text, out| {
                for c in text.chars() {
                    let bytes = c.encode_utf8(&mut [0; 4]).bytes().map(alphabet::char_of).collect::<Vec<_>>();
                    out.extend(bytes.into_iter().enumerate().map(|(i, c)| (c, isize::from(i > 0))));
                }
            }),
            Normalizer::Bert(bert) => bert.apply(text),
            Normalizer::Precompiled { charsmap } => precompiled::apply(charsmap, text),
            Normalizer::SentencePiece(sentencepiece) => sentencepiece.apply(text),
            Normalizer::Sequence { steps } => steps.iter().for_each(|step| step.apply(text)),
        }
    }

    /// Whether it is known of each character of a text that it stays as it is whatever is around it.
    pub fn keeps_all(&self, text: &str) -> bool {
        match self {
            Normalizer::Nfc => UnicodeForm::Nfc.keeps_all(text),
            Normalizer::Nfd => UnicodeForm::Nfd.keeps_all(text),
            Normalizer::Nfkc => UnicodeForm::Nfkc.keeps_all(text),
            Normalizer::Nfkd => UnicodeForm::Nfkd.keeps_all(text),
            Normalizer::Sequence { steps } => steps.iter().all(|step| step.keeps_all(text)),
            _ => false,
        }
    }

    /// Whether a word that `is_apart` becomes the same wherever spaces are around it.
    pub fn takes_words(&self) -> bool {
        match self {
            Normalizer::Lowercase | Normalizer::StripAccents => true,
            Normalizer::Nfc | Normalizer::Nfd | Normalizer::Nfkc | Normalizer::Nfkd => true,
            Normalizer::Replace { pattern, content } => {
                let is_inside = matches!(pattern.pattern(), Pattern::Text(text) if !text.contains(' '));
                is_inside && !content.is_empty() && content.is_ascii()
            }
            Normalizer::Precompiled { charsmap } => charsmap.plain().parts_words,
            // What the rules make may be a mark, and then a part of what is before it for steps after them.
            Normalizer::Sequence { steps } => {
                let is_map = |step: &Normalizer| matches!(step, Normalizer::Precompiled { .. });
                steps.iter().all(Self::takes_words) && !steps.iter().rev().skip(1).any(is_map)
            }
            _ => false,
        }
    }

    /// Whether each printable ASCII character becomes exactly one character of its own kind whatever surrounds it, so that a text
    /// may be cut between two of them.
    pub fn is_local(&self) -> bool {
        match self {
            // These depend on what is around, or change what a character is.
            Normalizer::Strip { .. } | Normalizer::Replace { .. } | Normalizer::Prepend { .. } => false,
            Normalizer::Nmt | Normalizer::ByteLevel => false,
            Normalizer::Precompiled { .. } | Normalizer::SentencePiece(_) => false,
            Normalizer::Sequence { steps } => steps.iter().all(Self::is_local),
            _ => true,
        }
    }
}

fn lowercase(text: &mut Normalized) {
    if text.is_ascii() {
        return text.map_ascii(|byte| byte.to_ascii_lowercase());
    }
    text.transform(|text, out| {
        for c in text.chars() {
            out.extend(c.to_lowercase().enumerate().map(|(i, lower)| (lower, isize::from(i > 0))));
        }
    });
}

fn nmt(text: &mut Normalized) {
    text.retain(|c| !matches!(c as u32, 0x01..=0x08 | 0x0B | 0x0E..=0x1F | 0x7F | 0x8F | 0x9F));
    let visible = |c: char| match c as u32 {
        0x09 | 0x0A | 0x0C | 0x0D | 0x1680 | 0x200B..=0x200F | 0x2028 | 0x2029 | 0x2581 | 0xFEFF | 0xFFFD => ' ',
        _ => c,
    };
    if text.text().chars().any(|c| visible(c) != c) {
        text.transform(|text, out| out.extend(text.chars().map(|c| (visible(c), 0))));
    }
}

fn strip(text: &mut Normalized, left: bool, right: bool) {
    let characters: Vec<char> = text.text().chars().collect();
    let is_white = |c: &&char| class::is(**c, WHITE);
    let first = if left { characters.iter().take_while(is_white).count() } else { 0 };
    let after = if right { characters.iter().rev().take_while(is_white).count() } else { 0 };
    let last = characters.len() - after.min(characters.len() - first);
    text.keep(|i, _| (first..last).contains(&i));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(normalizer: &Normalizer, text: &str) -> String {
        let plain = normalizer.normalize(text, false).text().to_string();
        assert_eq!(normalizer.normalize(text, true).text(), plain, "aligned and plain");
        plain
    }

    #[test]
    fn every_normalizer_by_example() {
        let strip = |left, right| Normalizer::Strip { left, right };
        assert_eq!(normalized(&Normalizer::Lowercase, "ΑΣ İ Straße"), "ας i̇ straße".replace('ς', "σ"));
        assert_eq!(normalized(&Normalizer::Nfc, "e\u{301}"), "é");
        assert_eq!(normalized(&Normalizer::Nfd, "é"), "e\u{301}");
        assert_eq!(normalized(&Normalizer::Nfkc, "ﬁ①"), "fi1");
        assert_eq!(normalized(&Normalizer::Nfkd, "é½"), "e\u{301}1⁄2");
        assert_eq!(normalized(&Normalizer::StripAccents, "e\u{301}é"), "eé");
        assert_eq!(normalized(&strip(true, true), " \u{3000}a b\n"), "a b");
        assert_eq!(normalized(&strip(true, false), "\t a "), "a ");
        assert_eq!(normalized(&strip(true, true), " \n "), "");
    }

    #[test]
    fn steps_follow_one_another() {
        let steps = vec![Normalizer::Nfd, Normalizer::StripAccents, Normalizer::Lowercase];
        assert_eq!(normalized(&Normalizer::Sequence { steps }, "ÀÉ x"), "ae x");
    }
}
