//! Folding of case, one character to one, as SentencePiece does it.

use super::fold_table::FOLDS;

/// The characters that fold, with what they become.
pub(super) fn all() -> impl Iterator<Item = (char, char)> {
    let codes = FOLDS
        .iter()
        .flat_map(|&(first, last, step, by)| (first..=last).step_by(step as usize).map(move |code| (code, by)));
    codes.filter_map(|(code, by)| Some((char::from_u32(code)?, char::from_u32(code.checked_add_signed(by)?)?)))
}

pub(super) fn folded(c: char) -> char {
    let code = u32::from(c);
    let run = FOLDS[..FOLDS.partition_point(|&(first, ..)| first <= code)].last();
    let moved = run.filter(|&&(first, last, step, _)| code <= last && (code - first).is_multiple_of(step));
    moved.and_then(|&(.., by)| char::from_u32(code.checked_add_signed(by)?)).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_asking_agree() {
        let changed = ('\0'..=char::MAX).filter(|&c| folded(c) != c).map(|c| (c, folded(c)));
        assert!(changed.eq(all()));
        assert_eq!("AZ[ẞΣÀĀāİ".chars().map(folded).collect::<String>(), "az[ßσàāāİ");
    }
}
