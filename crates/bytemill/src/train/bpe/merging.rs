//! Learning the merges: the most frequent pair becomes a token wherever it stands, until there are enough tokens.

use super::arrange::Arranged;
use super::inventory::TokenInventory;
use super::learner::Learner;
use super::rule::MergeRules;
use crate::error::Result;

/// Two tokens that become one, and how often they were side by side by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearnedMerge {
    pub left: u32,
    pub right: u32,
    pub made: u32,
    pub count: u64,
}

/// Told how many tokens there are of how many; an error stops the work.
pub type MergeWatch<'a> = dyn FnMut(u64, u64) -> Result<()> + 'a;

/// Makes tokens until there are `room` of them, or no pair is frequent enough. Gives the merges, and how many tokens the text is by then.
pub(super) fn learn(
    arranged: Arranged,
    tokens: &mut TokenInventory,
    rules: &MergeRules,
    room: usize,
    watch: &mut MergeWatch,
) -> Result<(Vec<LearnedMerge>, u64)> {
    let (first, total) = (tokens.len(), room.saturating_sub(tokens.len()) as u64);
    let single = arranged.single;
    let mut learner = Learner::new(arranged, tokens, rules, total, &mut || watch(0, total))?;
    let mut merges: Vec<LearnedMerge> = Vec::new();
    while learner.tokens.len() < room {
        let done = (learner.tokens.len() - first) as u64;
        watch(done, total)?;
        let Some(best) = learner.best()? else {
            if learner.threshold <= rules.min_frequency {
                break;
            }
            learner.recount(lower(&merges, total, learner.threshold), &mut || watch(done, total))?;
            continue;
        };
        merges.push(learner.merge(best)?);
        learner.forget_rare();
    }
    let in_words = learner.words.tokens(learner.tokens.lengths(), &mut || watch(total, total))?;
    Ok((merges, in_words + single))
}

/// A threshold below the last: about the count of the last merge, if counts go on falling as they have fallen.
fn lower(merges: &[LearnedMerge], wanted: u64, threshold: u64) -> u64 {
    let half = threshold / 2;
    let (Some(last), Some(before)) = (merges.last(), merges.get(merges.len() / 4)) else { return half };
    let slope = (before.count as f64 / last.count as f64).ln() / 4f64.ln();
    let expected = last.count as f64 * (wanted as f64 / merges.len() as f64).powf(-slope);
    // A little lower, because to be wrong costs another count of everything, and to be too low only room.
    half.min((expected * 0.7) as u64)
}
