//! Rows: the ids of a piece in one half of a table's entry, and their number. There is room for seven ids of two bytes, or three of
//! four; which it is, the table knows.

use super::long::RecordPlace;
use crate::machine::simd::widen;
use crate::vocab::TokenId;

/// The ids, and in the last byte their number; in two halves, as a table holds them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct IdRow {
    low: u64,
    high: u64,
}

/// Where the last byte begins.
const LAST: u32 = 56;
/// What stands for the number of ids that are in the `PieceRecords`; the row says where.
const ELSEWHERE: usize = 255;
/// In the byte before, which no id needs: set where pieces were put into a later line, this one being full.
pub(super) const PASSED: u64 = 1 << 48;
/// In the same byte: set in every row that is in a table, which has zeros elsewhere.
const THERE: u64 = 1 << 49;

impl IdRow {
    #[inline(always)]
    pub(super) fn of_halves([low, high]: [u64; 2]) -> Self {
        IdRow { low, high }
    }

    /// As a table holds it, in a line that is not passed.
    pub(super) fn halves(self) -> [u64; 2] {
        [self.low, self.high & !PASSED | THERE]
    }

    pub(super) fn elsewhere(place: RecordPlace) -> Self {
        IdRow { low: place.into(), high: (ELSEWHERE as u64) << LAST }
    }

    /// Where the ids are, if not here.
    #[inline]
    pub(super) fn place(self) -> Option<RecordPlace> {
        (self.count() == ELSEWHERE).then_some(self.low as RecordPlace)
    }

    /// The number of ids; more than there is room for if they are elsewhere.
    #[inline]
    pub(super) fn count(self) -> usize {
        (self.high >> LAST) as usize
    }

    /// Appends the ids of a row that holds ids of any size.
    #[inline]
    pub(crate) fn append_wide(self, ids: &mut Vec<TokenId>) {
        ids.extend_from_slice(&Wide::part(self, 0)[..self.count().min(Wide::MOST_IDS)]);
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

    /// The ids with numbers from `PART * part` on, followed by values of no use.
    fn part(row: IdRow, part: usize) -> [TokenId; PART];
}

/// The number of ids that are copied at a time. Most rows have fewer; a larger number would slow down every row for the sake of a few.
pub(super) const PART: usize = 4;

/// Of any ids.
#[derive(Debug)]
pub(super) struct Wide;

impl Form for Wide {
    const MOST_IDS: usize = 3;

    fn row(ids: &[TokenId]) -> Result<IdRow, Unfit> {
        let mut all = [0; Self::MOST_IDS];
        all.get_mut(..ids.len()).ok_or(Unfit::TooMany)?.copy_from_slice(ids);
        let [first, second, third] = all.map(u64::from);
        Ok(IdRow { low: second << 32 | first, high: (ids.len() as u64) << LAST | third })
    }

    #[inline(always)]
    fn part(IdRow { low, high }: IdRow, _: usize) -> [TokenId; PART] {
        [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
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
        let mut halves = [0, (ids.len() as u64) << LAST];
        for (i, &id) in ids.iter().enumerate() {
            halves[i / PART] |= u64::from(u16::try_from(id).map_err(|_| Unfit::TooLarge)?) << (16 * (i % PART));
        }
        Ok(IdRow::of_halves(halves))
    }

    #[inline(always)]
    fn part(IdRow { low, high }: IdRow, part: usize) -> [TokenId; PART] {
        widen(if part == 0 { low } else { high })
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
        let [low, high] = row.halves();
        for row in [row, IdRow::of_halves([low, high]), IdRow::of_halves([low, high | PASSED])] {
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
            prop_assert_eq!(IdRow::of_halves(row.halves()).place(), Some(place));
            prop_assert!(row.halves()[1] & PASSED == 0 && IdRow::default().halves()[1] != 0);
            prop_assert!(row.count() > Narrow::MOST_IDS);
        }
    }
}
