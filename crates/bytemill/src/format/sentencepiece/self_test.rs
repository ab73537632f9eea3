//! The self-test of a `.model`: texts with their pieces. For Unigram, other pieces with the same sum of scores count as equal, as they do
//! for SentencePiece.

use super::proto::SelfTestData;
use crate::definition::Family;
use crate::encode::scratch::Scratch;
use crate::encode::sink::Detailed;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::specials::{Choice, Policy};

/// Sums may differ by this much.
const CLOSE: f64 = 1e-7;

pub(super) fn verify(tokenizer: Tokenizer, data: &SelfTestData) -> Result<Tokenizer> {
    for sample in &data.samples {
        let (expected, found) = (sample.expected(), pieces(&tokenizer, sample.input())?);
        if !are_equal(&tokenizer, expected, &found) {
            return Err(Error::format(
                "self_test_data",
                format!("{:?} should give {expected:?} and gives {found:?}", sample.input()),
            ));
        }
    }
    Ok(tokenizer)
}

/// The pieces of a text with a space between two: tokens, and for what is unknown the text itself.
fn pieces(tokenizer: &Tokenizer, text: &str) -> Result<String> {
    let mut found = Detailed::<true>::default();
    tokenizer.encode(text, &Choice::Policy(Policy::None), &mut Scratch::default(), &mut found)?;
    let outline = &tokenizer.definition().outline;
    let Some(normalized) = outline.normalizer.as_ref().map(|normalizer| normalizer.normalize(text, true)) else {
        return Ok(String::new());
    };
    // How far the tokens before have come: a mark before the text stands for nothing, so that places alone do not part it from what follows.
    let mut at = 0;
    let mut pieces = Vec::with_capacity(found.ids.len());
    for (&id, place) in found.ids.iter().zip(&found.places) {
        let token = String::from_utf8_lossy(tokenizer.token(id).unwrap_or_default()).into_owned();
        let rest = &normalized.text()[at..];
        if Some(id) == outline.unk {
            let end = rest.char_indices().find(|&(i, _)| normalized.origin(at + i) >= place.span.end);
            let length = end.map_or(rest.len(), |(i, _)| i);
            pieces.push(rest[..length].to_string());
            at += length;
        } else {
            // The token of a byte is not the text that it stands for.
            at += if rest.starts_with(&token) { token.len() } else { 0 };
            pieces.push(token);
        }
    }
    Ok(pieces.join(" "))
}

fn are_equal(tokenizer: &Tokenizer, expected: &str, found: &str) -> bool {
    let definition = tokenizer.definition();
    let Some(scores) = definition.scores.as_ref().filter(|_| definition.outline.family == Family::Unigram) else {
        return expected == found;
    };
    let score = |piece: &str| definition.vocab.id(piece.as_bytes()).map(|id| scores[id as usize]);
    let sum = |pieces: &str| pieces.split(' ').map(score).sum::<Option<f64>>();
    expected == found || sum(expected).zip(sum(found)).is_some_and(|(left, right)| (left - right).abs() <= CLOSE)
}
