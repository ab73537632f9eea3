//! Scores by which pieces merge in the order of a list of pairs.

use super::from_stages::inexpressible;
use super::proto::PieceProto;
use crate::error::Result;
use crate::vocab::merges::{Merges, NEVER, in_order_of_scores};
use crate::vocab::{TokenId, Vocab};

/// Every two pieces whose text together is a piece merge by scores, and a piece has one score for all its pairs. So the list must have all
/// of these pairs, and those of a piece must follow one another; pieces whose pairs do not have the same score, which a list in the
/// order of `in_order_of_scores` stands for.
pub(super) fn score(pieces: &mut [PieceProto], merges: &Merges) -> Result<()> {
    let view = merges.view();
    let listed = merges.pairs();
    let made: Vec<TokenId> = listed.iter().map(|&(left, right)| view.made(view.rank(left, right))).collect();
    let groups = groups(&made);
    let mut scores = vec![f64::from(-(made.len() as f32)); pieces.len()];
    made.iter().zip(&groups).for_each(|(&id, group)| scores[id as usize] = f64::from(-(group.number as f32)));

    let vocab = Vocab::new(pieces.iter().map(|piece| piece.piece.as_deref()))?;
    let text = |id| String::from_utf8_lossy(vocab.token(id).unwrap_or_default()).into_owned();
    let by_scores = Merges::of_scores(&vocab, &scores, |id| pieces[id as usize].kind.is_none())?;
    if let Some((left, right)) = by_scores.pairs().into_iter().find(|pair| view.rank(pair.0, pair.1) == NEVER) {
        return Err(inexpressible(format!("merges without {:?} and {:?}", text(left), text(right))));
    }
    if let Some((left, right)) = listed.iter().find(|pair| by_scores.view().rank(pair.0, pair.1) == NEVER) {
        return Err(inexpressible(format!(
            "the merge of {:?} and {:?}, of tokens that are no text",
            text(*left),
            text(*right)
        )));
    }
    let in_order = in_order_of_scores(&vocab, merges, &scores);
    let wrong =
        groups.iter().zip(listed.iter().zip(&in_order)).find(|(group, (one, other))| group.is_tied && one != other);
    if let Some((_, (&(left, right), _))) = wrong {
        return Err(inexpressible(format!("the order in which {:?} and {:?} merge", text(left), text(right))));
    }
    for (piece, score) in pieces.iter_mut().zip(scores) {
        piece.score = Some(if piece.kind.is_none() { score as f32 } else { 0.0 });
    }
    Ok(())
}

#[derive(Clone)]
struct PairGroup {
    number: usize,
    /// Of several pieces.
    is_tied: bool,
}

/// The group of each pair: those of one piece, or of several whose pairs are not apart from one another.
fn groups(made: &[TokenId]) -> Vec<PairGroup> {
    let mut last = vec![0; made.iter().max().map_or(0, |&id| id as usize + 1)];
    made.iter().enumerate().for_each(|(place, &id)| last[id as usize] = place);
    let (mut groups, mut start) = (Vec::with_capacity(made.len()), 0);
    while start < made.len() {
        let mut end = start;
        let mut place = start;
        while place <= end {
            end = end.max(last[made[place] as usize]);
            place += 1;
        }
        let number = groups.last().map_or(0, |group: &PairGroup| group.number + 1);
        let is_tied = made[start..=end].iter().any(|&id| id != made[start]);
        groups.resize(end + 1, PairGroup { number, is_tied });
        start = end + 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_whose_pairs_mix_are_tied() {
        let found: Vec<(usize, bool)> =
            groups(&[5, 5, 7, 8, 7, 3]).into_iter().map(|group| (group.number, group.is_tied)).collect();
        assert_eq!(found, [(0, false), (0, false), (1, true), (1, true), (1, true), (2, false)]);
    }
}
