//! Rows: the ids of a piece in one half of a table's entry, and their number. Of ids with two bytes there is room for seven, of ids with four
//! for three; which it is, the table knows.

use super::long::RecordPlace;
use crate::machine::simd::widen;
use crate::vocab::TokenId;

/// The ids, and in the last byte their number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(super) struct IdRow([u32; 4]);

/// Where the last byte begins.
const LAST: u32 = 24;
/// What stands for the number of ids that are in the `LongMemo`; the row says where.
const ELSEWHERE: usize = 255;
/// In the byte before, which no id needs: set where pieces were put into a later line, this one being full.
const PASSED: u32 = 1 << 16;

impl IdRow {
    pub(super) fn elsewhere(place: RecordPlace) -> Self {
        IdRow([place, 0, 0, (ELSEWHERE as u32) << LAST])
    }

    /// Where the ids are, if not here.
    #[inline]
    pub(super) fn place(self) -> Option<RecordPlace> {
        (self.count() == ELSEWHERE).then_some(self.0[0])
    }

    /// The number of ids; more than there is room for if they are elsewhere.
    #[inline]
    pub(super) fn count(self) -> usize {
        (self.0[3] >> LAST) as usize
    }

    #[inline]
    pub(super) fn is_passed(self) -> bool {
        self.0[3] & PASSED != 0
    }

    pub(super) fn passed(self, is_passed: bool) -> Self {
        let IdRow([first, second, third, last]) = self;
        IdRow([first, second, third, last & !PASSED | if is_passed { PASSED } else { 0 }])
    }
}

/// Why ids are not put into a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    TooMany,
    TooLarge,
}

/// How rows hold ids.
pub(super) trait Form {
    const MOST_IDS: usize;

    fn row(ids: &[TokenId]) -> Result<IdRow, Unfit>;

    /// The ids with numbers from `PART * part` on, and behind them what is of no use.
    fn part(row: IdRow, part: usize) -> [TokenId; PART];
}

/// So many ids are copied at a time: more than most rows have, and not so many that all are slowed down for the sake of a few.
pub(super) const PART: usize = 4;

/// Of any ids.
#[derive(Debug)]
pub(super) struct Wide;

impl Wide {
    /// Those of a row, where they lie.
    #[inline]
    pub(super) fn ids(row: &IdRow) -> &[TokenId] {
        &row.0[..row.count().min(Self::MOST_IDS)]
    }
}

impl Form for Wide {
    const MOST_IDS: usize = 3;

    fn row(ids: &[TokenId]) -> Result<IdRow, Unfit> {
        let mut row = [0; 4];
        row[..Self::MOST_IDS].get_mut(..ids.len()).ok_or(Unfit::TooMany)?.copy_from_slice(ids);
        row[3] = (ids.len() as u32) << LAST;
        Ok(IdRow(row))
    }

    #[inline]
    fn part(IdRow(row): IdRow, _: usize) -> [TokenId; PART] {
        row
    }
}

/// Of ids below 2¹⁶.
#[derive(Debug)]
pub(super) struct Narrow;

impl Form for Narrow {
    const MOST_IDS: usize = 7;

    fn row(ids: &[TokenId]) -> Result<IdRow, Unfit> {
        if ids.len() > Self::MOST_IDS {
            return Err(Unfit::TooMany);
        }
        let mut row = [0, 0, 0, (ids.len() as u32) << LAST];
        for (i, &id) in ids.iter().enumerate() {
            row[i / 2] |= u32::from(u16::try_from(id).map_err(|_| Unfit::TooLarge)?) << (16 * (i % 2));
        }
        Ok(IdRow(row))
    }

    #[inline]
    fn part(IdRow(row): IdRow, part: usize) -> [TokenId; PART] {
        let [low, high] = row.as_chunks::<2>().0[part % 2];
        widen(u64::from(high) << 32 | u64::from(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds<F: Form>(ids: &[TokenId]) -> Option<Unfit> {
        let row = match F::row(ids) {
            Ok(row) => row,
            Err(unfit) => return Some(unfit),
        };
        for row in [row, row.passed(true), row.passed(true).passed(false)] {
            assert_eq!((row.count(), row.place()), (ids.len(), None));
            assert_eq!([F::part(row, 0), F::part(row, 1)].as_flattened()[..row.count()], *ids);
        }
        None
    }

    proptest! {
        #[test]
        fn rows_give_back_what_they_were_given(ids in proptest::collection::vec(0u32..1 << 17, 0..9), place: u32) {
            let small: Vec<TokenId> = ids.iter().map(|id| id % (1 << 16)).collect();
            let unfit = |most| (ids.len() > most).then_some(Unfit::TooMany);
            prop_assert_eq!(holds::<Wide>(&ids), unfit(3));
            prop_assert_eq!(holds::<Narrow>(&small), unfit(7));
            prop_assert_eq!(holds::<Narrow>(&ids), unfit(7).or((ids != small).then_some(Unfit::TooLarge)));
            let row = IdRow::elsewhere(place);
            prop_assert!(!row.is_passed() && row.passed(true).is_passed() && !row.passed(true).passed(false).is_passed());
            prop_assert_eq!(row.passed(true).place(), Some(place));
            prop_assert!(row.count() > Narrow::MOST_IDS);
        }
    }
}
