//! A smaller vocabulary from a larger one: the first merges, which are those that a shorter training would have learned.

use crate::definition::{Definition, Merging};
use crate::error::{Error, Result};
use crate::model::bpe::concatenations::of_concatenations;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

use super::build::{move_specials, of_scores};

/// The tokenizer with `size` ids. Special tokens that come last stay last.
pub fn truncated(definition: &Definition, size: usize) -> Result<Definition> {
    let Some(merges) = &definition.merges else {
        let family = definition.outline.family.name();
        return Err(Error::Spec(format!(
            "truncated is of the family bpe, and this tokenizer is of the family {family}"
        )));
    };
    let whole = definition.vocab.len();
    let specials = &definition.outline.added;
    let last = specials.iter().filter(|added| added.id as usize >= whole).count();
    let kept = size.saturating_sub(last);
    if size > definition.size() {
        return Err(Error::Spec(format!("truncated({size}) of a tokenizer that has {} ids", definition.size())));
    }
    if last != 0 && (last != specials.len() || definition.size() != whole + last) {
        return Err(Error::Spec(
            "the ids of the special tokens are not together, so that none can be taken out".into(),
        ));
    }
    let made: Vec<TokenId> = match definition.outline.merging {
        Merging::Scores => return Err(of_scores()),
        Merging::Concatenations => {
            definition.vocab.tokens().filter(|(_, token)| token.len() > 1).map(|(id, _)| id).collect()
        }
        Merging::Pairs => merges.view().made.to_vec(),
    };
    let base = made.iter().copied().min().map_or(whole, |id| id as usize);
    if kept < base {
        return Err(Error::Spec(format!("truncated({size}) is less than the {} ids that no merge makes", base + last)));
    }
    let mut outline = definition.outline.clone();
    if last > 0 {
        move_specials(&mut outline, kept as i64 - whole as i64);
    }
    let vocab = Vocab::new((0..kept as TokenId).map(|id| definition.vocab.token(id)))?;
    let merges = match outline.merging {
        Merging::Scores => return Err(of_scores()),
        Merging::Concatenations => of_concatenations(&vocab)?,
        Merging::Pairs => {
            let pairs = merges.pairs();
            Merges::of_pairs(
                &vocab,
                &pairs[..prefix(&made, pairs.len(), base, kept)?],
                outline.symbols.prefix.as_bytes(),
            )?
        }
    };
    outline.training = None;
    Ok(Definition { outline, vocab: vocab.into(), merges: Some(merges.into()), scores: None })
}

/// How many merges make the tokens below `kept`, which they must do one after the other.
fn prefix(made: &[TokenId], listed: usize, base: usize, kept: usize) -> Result<usize> {
    let mut next = base;
    for (rank, &id) in made.iter().enumerate() {
        if next == kept {
            return Ok(rank);
        }
        if id as usize > next || listed != made.len() {
            return Err(Error::Spec(
                "the ids of this tokenizer do not follow the order of its merges, so that its first merges are no tokenizer".into(),
            ));
        }
        next += usize::from(id as usize == next);
    }
    Ok(made.len())
}
