//! Self-tests: a file carries a few texts with their ids, and a reader that gives other ids refuses it.

use serde::{Deserialize, Serialize};

use crate::encode::scratch::Scratch;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::specials::{Choice, Policy};
use crate::vocab::TokenId;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SelfTest {
    text: String,
    ids: Vec<TokenId>,
}

/// Each of them meets another part of the stages: case, accents, punctuation, digits, white space, scripts, emoji.
const TEXTS: [&str; 6] = [
    "The quick brown fox jumps over the lazy dog.",
    "Crème brûlée, “naïve” façade – Straße; don't!",
    "  tabs\tand\nlines\r\n\u{3000}1,234.5 x_y <a@b.c>",
    "我能吞下玻璃而不伤身体。 こんにちは 안녕 Привет مرحبا",
    "👩‍👩‍👧 e\u{301} ﬁ Ⅷ \u{200B}",
    "",
];

pub(super) fn make(tokenizer: &Tokenizer) -> Vec<SelfTest> {
    // Some words of the vocabulary itself, so that not all of it is unknown.
    let words = tokenizer.tokens().step_by(tokenizer.size() / 16 + 1);
    let words: Vec<String> = words.map(|(_, token)| String::from_utf8_lossy(token).into_owned()).collect();
    let texts = TEXTS.map(String::from).into_iter().chain([words.join(" ")]);
    // A vocabulary without an unknown token cannot encode every text.
    texts.filter_map(|text| Some(SelfTest { ids: encode(tokenizer, &text).ok()?, text })).collect()
}

pub(super) fn verify(tokenizer: Tokenizer, tests: &[SelfTest]) -> Result<Tokenizer> {
    for test in tests {
        let found = encode(&tokenizer, &test.text)?;
        if found != test.ids {
            return Err(Error::format(
                "self-test",
                format!("{:?} should give {:?} and gives {found:?}", test.text, test.ids),
            ));
        }
    }
    Ok(tokenizer)
}

fn encode(tokenizer: &Tokenizer, text: &str) -> Result<Vec<TokenId>> {
    let mut ids = Vec::new();
    tokenizer.encode(text, &Choice::Policy(Policy::All), &mut Scratch::default(), &mut ids)?;
    Ok(ids)
}
