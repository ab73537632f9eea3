//! Gathering: the rows that workers hand in, put one behind the other. A single worker appends to them where they stay; of several, each has
//! rows of its own, which are copied in their order.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::encode::sink::Ragged;
use crate::machine::pool::Pool;
use crate::machine::spare::{self, Spare};
use crate::machine::storage::reserve_large;

pub(super) struct Gathering {
    all: Mutex<Ragged>,
    /// Memory that was used is faster than fresh memory, where every page is a fault. None for a single worker.
    spare: Option<Pool<Ragged>>,
}

impl Gathering {
    /// For about so many bytes of text.
    pub(super) fn new(bytes: usize, threads: usize, spare: &Spare) -> Self {
        Gathering { all: Ragged::with_room_for(bytes, spare).into(), spare: (threads > 1).then(Pool::default) }
    }

    /// What a worker is to append the rows of about so many bytes to, before it gives all of it back.
    pub(super) fn rows(&self, bytes: usize) -> Ragged {
        let mut rows = match &self.spare {
            Some(spare) => {
                let mut rows = spare.take();
                rows.clear();
                rows
            }
            None => std::mem::take(&mut *self.all()),
        };
        reserve_large(&mut rows.ids, bytes);
        rows
    }

    /// Takes rows that were asked for, in the order in which they are to follow one another.
    pub(super) fn give(&self, rows: Ragged) {
        match &self.spare {
            Some(spare) => {
                self.all().append(&rows);
                spare.give(rows);
            }
            None => *self.all() = rows,
        }
    }

    pub(super) fn finish(self) -> Ragged {
        let mut all = self.all.into_inner().unwrap_or_else(PoisonError::into_inner);
        if all.ids.len() < spare::FEW {
            all.ids.shrink_to_fit();
        }
        all
    }

    fn all(&self) -> MutexGuard<'_, Ragged> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_one_another_for_any_number_of_workers() {
        for threads in [1, 2] {
            let gathering = Gathering::new(10, threads, &Spare::default());
            for (ids, ended) in [(vec![1, 2], true), (vec![3], false), (vec![], true), (vec![4; 1000], true)] {
                let mut rows = gathering.rows(ids.len());
                rows.ids.extend(ids);
                rows.ends.extend(ended.then_some(rows.ids.len()));
                gathering.give(rows);
            }
            let Ragged { ids, ends } = gathering.finish();
            assert_eq!((&ids[..4], ids.len(), ends), (&[1, 2, 3, 4][..], 1003, vec![2, 3, 1003]));
        }
    }
}
