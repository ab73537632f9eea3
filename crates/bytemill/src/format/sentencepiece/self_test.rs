//! The self-test of a `.model`: texts with their pieces. Of Unigram, other pieces with the same sum of scores count as equal, as they do
//! for SentencePiece.

use super::proto::SelfTestData;
use crate::definition::Family;
use crate::encoding::Detailed;
use crate::error::{Error, Result};
use crate::model::Scratch;
use crate::special::{Choice, Policy};
use crate::tokenizer::Tokenizer;

/// Sums may differ by so much.
const CLOSE: f64 = 1e-7;

pub fn verify(tokenizer: Tokenizer, data: &SelfTestData) -> Result<Tokenizer> {
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
    let normalized = outline.normalizer.as_ref().map(|normalizer| normalizer.normalize(text, true));
    let unknown = |place: usize| {
        let span = found.places[place].span;
        let normalized = normalized.as_ref()?;
        let inside = (0..normalized.text().len()).filter(|&at| span.range().contains(&normalized.origin(at)));
        Some(
            String::from_utf8_lossy(&inside.map(|at| normalized.text().as_bytes()[at]).collect::<Vec<_>>())
                .into_owned(),
        )
    };
    let piece = |(place, &id): (usize, &u32)| match tokenizer.token(id) {
        Some(_) if Some(id) == outline.unk => unknown(place).unwrap_or_default(),
        token => String::from_utf8_lossy(token.unwrap_or_default()).into_owned(),
    };
    Ok(found.ids.iter().enumerate().map(piece).collect::<Vec<_>>().join(" "))
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
