//! The slow twin: every stretch of the text is looked up, and the best row that ends at each place is kept.

use std::collections::HashMap;

/// A token and its place; an unknown character has no id.
type NaiveRow = Vec<(usize, usize, Option<u32>)>;

/// The best row of tokens, as stretches of the text.
pub(super) fn best(tokens: &HashMap<&str, (u32, f32)>, unknown: f32, text: &str) -> NaiveRow {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut rows: Vec<(f32, NaiveRow)> = vec![(0.0, Vec::new())];
    for end in 1..places.len() {
        let mut best: Option<(f32, NaiveRow)> = None;
        for start in 0..end {
            let token = tokens.get(&text[places[start]..places[end]]).map(|&(id, score)| (Some(id), score));
            let Some((id, score)) = token.or((start + 1 == end).then_some((None, unknown))) else { continue };
            let sum = score + rows[start].0;
            if best.as_ref().is_none_or(|(highest, _)| sum > *highest) {
                let mut row = rows[start].1.clone();
                row.push((places[start], places[end], id));
                best = Some((sum, row));
            }
        }
        rows.extend(best);
    }
    rows.pop().unwrap_or_default().1
}
