//! More merges for a tokenizer that there is: its own ones are applied to the new text, and others follow. No id of it moves.

use super::arrange::{Arranged, arrange};
use super::budget::Means;
use super::build::{BpeTask, Built, duplicates, join_definition, of_scores, shortfall};
use super::inventory::TokenInventory;
use super::merging::{self, MergeWatch};
use super::pieces::{Pause, TrainingPieces};
use crate::definition::Phases;
use crate::definition::{Definition, Family, Unit};
use crate::error::{Error, Result};
use crate::model::bpe::{Bpe, BpeScratch};
use crate::text::span::Spans;
use crate::train::MadeBy;
use crate::vocab::TokenId;

/// Refuses tokenizers that cannot go on learning.
pub(crate) fn check(known: &Definition) -> Result<()> {
    let symbols = &known.outline.symbols;
    if known.outline.family != Family::Bpe {
        let family = known.outline.family.name();
        return Err(Error::Spec(format!("continue_from takes a tokenizer of the family bpe, not {family}")));
    }
    if known.outline.sentencepiece.is_some() {
        return Err(of_scores());
    }
    if symbols.are_marked() || symbols.byte_fallback {
        return Err(Error::Spec(
            "continue_from takes no tokenizer that marks the parts of words or falls back to bytes".into(),
        ));
    }
    Ok(())
}

/// Refuses counts of pieces that the tokenizer would not make.
pub(crate) fn check_counts(known: &Definition, made_by: &MadeBy) -> Result<()> {
    match MadeBy::of(&known.outline).difference(made_by) {
        Some(what) => Err(Error::Spec(format!(
            "these counts are of pieces that were made by other {what} than those of continue_from; count the text again with its own"
        ))),
        None => Ok(()),
    }
}

pub(crate) fn extend(
    known: &Definition,
    task: &BpeTask,
    pieces: &TrainingPieces,
    phases: &mut Phases,
    watch: &mut MergeWatch,
) -> Result<Built> {
    let mut tokens = inventory(known);
    let first = tokens.len();
    let room = task.vocab_size.unwrap_or(usize::MAX);
    if room < first {
        return Err(Error::Spec(format!(
            "vocab_size={room} is less than the {first} tokens of continue_from; to make it smaller, use truncated({room})"
        )));
    }
    let arranged =
        phases.time("arranging", || words(known, &tokens, pieces, task.means, &mut || watch(0, room as u64)))?;
    let rules = task.rules();
    let (merges, tokens_in_text) =
        phases.time("merging", || merging::learn(arranged, &mut tokens, &rules, room, watch))?;
    let notes = shortfall(task.vocab_size, tokens.len(), &merges, &rules);
    let same = duplicates(&tokens, first);
    let old = |id: TokenId| known.vocab.token(id);
    let each =
        (0..tokens.len() as TokenId).map(|id| if (id as usize) < first { old(id) } else { Some(tokens.token(id)) });
    let earlier = known.merges.iter().flat_map(|merges| merges.pairs()).collect();
    let (definition, merges) =
        phases.time("building", || join_definition(known.outline.clone(), each, earlier, merges, &same))?;
    Ok(Built { definition, merges, notes, tokens: tokens_in_text })
}

/// Every id as it is; those without a token of the model can neither be found nor merged.
fn inventory(known: &Definition) -> TokenInventory {
    let mut tokens = TokenInventory::default();
    let length = |token: &[u8]| match known.outline.symbols.unit {
        Unit::Bytes => token.len(),
        Unit::Characters => token.iter().filter(|&&byte| byte & 0xC0 != 0x80).count(),
    };
    for id in 0..known.size() as TokenId {
        match known.vocab.token(id) {
            Some(token) => tokens.insert(token, length(token) as u32),
            None => tokens.push(b"", 0),
        };
    }
    tokens
}

/// The pieces as the tokens that they are by now.
fn words(
    known: &Definition,
    tokens: &TokenInventory,
    pieces: &TrainingPieces,
    means: Means,
    pause: &mut Pause,
) -> Result<Arranged> {
    let Some(merges) = &known.merges else { return Err(Error::Internal("byte-pair encoding without merges".into())) };
    let bpe = Bpe::new(known.vocab.clone(), merges.clone(), &known.outline)?;
    let mut scratch = BpeScratch::default();
    let mut ids = Vec::new();
    arrange(pieces, tokens.lengths(), means, pause, |piece, give| {
        ids.clear();
        bpe.segment(Spans::new(piece, &[0], &[piece.len()]), &mut scratch, &mut ids);
        // What is unknown parts what is beside it.
        ids.split(|&id| tokens.length(id) == 0 || known.outline.unk == Some(id)).for_each(give);
    })
}
