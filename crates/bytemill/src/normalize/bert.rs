//! BERT's normalizer: cleaning, CJK set apart, accents, case.

use serde::{Deserialize, Serialize};
use unicode_normalization_alignments::UnicodeNormalization;

use super::{Normalized, lowercase};
use crate::text::class::{self, BERT_ACCENT, BERT_CONTROL, IDEOGRAPH, WHITE};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bert {
    /// Removes controls, and turns every white space into a space.
    pub clean_text: bool,
    /// Puts spaces around CJK ideographs.
    pub split_cjk: bool,
    /// None: as `lowercase` is.
    pub strip_accents: Option<bool>,
    pub lowercase: bool,
}

impl Bert {
    pub fn apply(&self, text: &mut Normalized) {
        if self.clean_text {
            clean(text);
        }
        if self.split_cjk && !text.is_ascii() {
            text.transform(set_cjk_apart);
        }
        if self.strip_accents.unwrap_or(self.lowercase) && !text.is_ascii() {
            text.transform(|text, out| out.extend(text.nfd()));
            text.retain(|c| !class::is(c, BERT_ACCENT));
        }
        if self.lowercase {
            lowercase(text);
        }
    }
}

fn clean(text: &mut Normalized) {
    text.retain(|c| !class::is(c, BERT_CONTROL));
    let spaced = |c| if class::is(c, WHITE) { ' ' } else { c };
    if text.is_ascii() {
        text.map_ascii(|byte| if byte.is_ascii_whitespace() { b' ' } else { byte });
    } else {
        text.transform(|text, out| out.extend(text.chars().map(|c| (spaced(c), 0))));
    }
}

fn set_cjk_apart(text: &str, out: &mut Vec<(char, isize)>) {
    for c in text.chars() {
        if class::is(c, IDEOGRAPH) {
            out.extend([(' ', 0), (c, 1), (' ', 1)]);
        } else {
            out.push((c, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bert(bert: Bert, text: &str) -> String {
        let mut normalized = Normalized::new(text, true);
        bert.apply(&mut normalized);
        normalized.text().to_string()
    }

    const OFF: Bert = Bert { clean_text: false, split_cjk: false, strip_accents: Some(false), lowercase: false };

    #[test]
    fn each_option_by_example() {
        assert_eq!(bert(OFF, "É\u{0}\t中"), "É\u{0}\t中");
        assert_eq!(bert(Bert { clean_text: true, ..OFF }, "a\u{0}b\t\u{85}c\u{fffd}"), "ab c");
        assert_eq!(bert(Bert { split_cjk: true, ..OFF }, "a中b"), "a 中 b");
        assert_eq!(bert(Bert { strip_accents: Some(true), ..OFF }, "ÉA"), "EA");
        assert_eq!(bert(Bert { lowercase: true, ..OFF }, "ÉA"), "éa");
        assert_eq!(bert(Bert { lowercase: true, strip_accents: None, ..OFF }, "ÉA"), "ea");
    }
}
