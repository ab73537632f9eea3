//! Training of Unigram, after SentencePiece or, where the recipe says so, after `tokenizers`: frequent stretches of words as seeds; then rounds
//! of expectation maximization, each followed by taking out the pieces that cost least, until there are as many as are wanted.

mod expectation;
mod inventory;
mod lattice;
#[cfg(test)]
mod naive;
mod prune;
mod seeds;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::bpe::MergeWatch;
use super::sentencepiece::{PieceTask, Prepared, Recipe, SentencePieceOptions, TrainingWords};
use super::{History, Round};
use crate::definition::Phases;
use crate::error::Result;
use crate::machine::parallel::Team;
use crate::vocab::hash::Quick;
use inventory::PieceInventory;
use lattice::PieceLattice;
use seeds::Seeds;

/// This many times as many as wanted are left for the end, when the best of them are chosen.
const SPARE: f64 = 1.1;
/// The difference between the scores of required characters that no row uses.
const STEP: f64 = 0.0001;

/// The pieces with their scores, the best first; and how they were found.
pub(super) fn pieces(
    task: &PieceTask,
    phases: &mut Phases,
    watch: &mut MergeWatch,
) -> Result<(Vec<(String, f64)>, History)> {
    let PieceTask { options, prepared: Prepared { reserved, required, room }, words, means } = task;
    let seeding = || first(words, options, &mut Team::new(means.threads, &mut || watch(0, 1)));
    let (mut inventory, mut lattice) = phases.time("seeding", seeding)?;
    // `tokenizers` counts its unknown token as well.
    let (wanted, unknown) = match options.recipe {
        Recipe::SentencePiece => (room + reserved.len(), 0),
        Recipe::Tokenizers { vocab_size } => (vocab_size, 1),
    };
    let enough = ((wanted as f64 * SPARE) as usize).saturating_sub(unknown);
    let first = inventory.len();
    let mut rounds = Vec::new();
    loop {
        let (done, all) = (first.saturating_sub(inventory.len()) as u64, first.saturating_sub(enough).max(1) as u64);
        let ask = &mut || watch(done.min(all), all);
        let team = &mut Team::new(means.threads, ask);
        let estimated = inventory.len();
        for _ in 0..options.sub_iterations {
            phases.time("estimating", || inventory.improve(words, &mut lattice, team))?;
        }
        rounds.push(Round { estimated, kept: inventory.len() });
        if inventory.len() <= enough {
            break;
        }
        let share = ((inventory.len() + unknown) as f64 * options.shrinking_factor) as usize;
        let most = enough.max(share.saturating_sub(unknown));
        let kept = phases.time("pruning", || prune::kept(&inventory, task, &lattice, most, team))?;
        let before = inventory.len();
        inventory.keep(&mut lattice, &kept);
        rounds.last_mut().into_iter().for_each(|round: &mut Round| round.kept = inventory.len());
        if inventory.len() == before {
            // Nothing can be replaced, so that the best are chosen from all.
            break;
        }
    }
    let pieces = match options.recipe {
        Recipe::SentencePiece => finished(&inventory, words, required, *room, reserved),
        Recipe::Tokenizers { .. } => finished_in_order(&inventory, words, required, *room),
    };
    Ok((pieces, History::Rounds(rounds)))
}

/// The characters and the seeds, each with its share of all weight; and where they are in the words.
fn first(
    words: &TrainingWords,
    options: &SentencePieceOptions,
    team: &mut Team,
) -> Result<(PieceInventory, PieceLattice)> {
    // Each with its weight and where it stands.
    let mut characters: HashMap<char, (u64, u32), Quick> = HashMap::default();
    for ((word, count), from) in words.each().zip(&words.starts) {
        for (at, c) in word.char_indices() {
            characters.entry(c).or_insert((0, from + at as u32)).0 += count;
        }
    }
    let mut characters: Vec<(char, (u64, u32))> = characters.into_iter().collect();
    match options.recipe {
        Recipe::SentencePiece => characters.sort_unstable(),
        Recipe::Tokenizers { .. } => characters.sort_unstable_by_key(|&(c, (weight, _))| Reverse((weight, c))),
    }
    let seeds = Seeds::new(words, options, characters.len(), team)?;
    let weights = characters.iter().map(|&(_, (weight, _))| weight).chain(seeds.found.iter().map(|seed| seed.weight));
    let sum: f64 = weights.map(|weight| weight as f64).sum();
    let score = |weight: u64| (weight as f64 / sum).ln();
    let mut inventory = PieceInventory::default();
    for &(c, (weight, place)) in &characters {
        inventory.push(place, c.len_utf8() as u32, score(weight));
    }
    for seed in &seeds.found {
        inventory.push(seeds.place(seed), seed.length, score(seed.weight));
    }
    let characters: Vec<char> = characters.iter().map(|&(c, _)| c).collect();
    let lattice = PieceLattice::new(words, &seeds, &characters)?;
    Ok((inventory, lattice))
}

/// The required characters and the best of the others, the best first.
fn finished(
    inventory: &PieceInventory,
    words: &TrainingWords,
    required: &[(char, u64)],
    room: usize,
    reserved: &[String],
) -> Vec<(String, f64)> {
    let texts = || (0..inventory.len()).map(|number| (inventory.text(words, number), inventory.scores[number]));
    let known: HashMap<&str, f64> = texts().collect();
    let mut taken: HashSet<&str> = reserved.iter().map(String::as_str).collect();
    let names: Vec<String> = required.iter().map(|(c, _)| c.to_string()).collect();
    let mut unused = inventory.lowest();
    let mut chosen: Vec<(String, f64)> = Vec::new();
    for name in names.iter().filter(|name| taken.insert(name)) {
        let score = known.get(name.as_str()).copied().unwrap_or_else(|| {
            // Frequent ones first.
            unused -= STEP;
            unused
        });
        chosen.push((name.clone(), score));
    }
    let by_score = |left: &(String, f64), right: &(String, f64)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
    let others = texts().filter(|(text, _)| !taken.contains(text));
    let mut others: Vec<(String, f64)> = others.map(|(text, score)| (text.to_string(), score)).collect();
    others.sort_by(by_score);
    others.truncate(room.saturating_sub(chosen.len()));
    chosen.extend(others);
    chosen.sort_by(by_score);
    chosen
}

/// The required characters and the first of the others, the best first: `tokenizers` does not look for the best.
fn finished_in_order(
    inventory: &PieceInventory,
    words: &TrainingWords,
    required: &[(char, u64)],
    room: usize,
) -> Vec<(String, f64)> {
    let texts = || (0..inventory.len()).map(|number| (inventory.text(words, number), inventory.scores[number]));
    let known: HashMap<&str, f64> = texts().collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut unused = inventory.lowest();
    let mut chosen: Vec<(String, f64)> = Vec::new();
    for name in required.iter().map(|(c, _)| c.to_string()) {
        let score = known.get(name.as_str()).copied().unwrap_or_else(|| {
            unused += STEP;
            unused - STEP
        });
        taken.insert(name.clone());
        chosen.push((name, score));
    }
    for (text, score) in texts().filter(|&(text, _)| !taken.contains(text)) {
        chosen.push((text.to_string(), score));
        // Where the characters alone are too many, the library takes all others, too.
        if chosen.len() == room {
            break;
        }
    }
    chosen.sort_by(|left, right| right.1.total_cmp(&left.1));
    chosen
}
