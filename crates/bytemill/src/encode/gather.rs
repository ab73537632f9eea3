//! Gathering: the rows that workers hand in, put one after the other. A single worker appends to them where they stay. Several workers each have
//! rows of their own; when it is known where these belong, the next worker that needs room for rows takes them, copies them to their place
//! and has their memory. So no thread sees all ids.

use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::encode::sink::Ragged;
use crate::error::Result;
use crate::machine::spare::{self, Spare};
use crate::machine::storage::reserve_large;
use crate::vocab::TokenId;

pub(super) struct Gathering<'a> {
    all: Mutex<Gathered<'a>>,
    spare: &'a Spare,
}

enum Gathered<'a> {
    /// By a single worker.
    InPlace(Ragged),
    ByMany(Places<'a>),
}

#[derive(Default)]
struct Places<'a> {
    /// Room for what comes next.
    rest: &'a mut [MaybeUninit<TokenId>],
    /// Rows that nobody has copied yet, and where they belong.
    waiting: Vec<(Vec<TokenId>, &'a mut [MaybeUninit<TokenId>])>,
    /// Where the rows end.
    ends: Vec<usize>,
    /// Ids so far.
    count: usize,
    /// What there was no room for: normally nothing, as an id stands for a byte or more.
    beyond: Vec<TokenId>,
}

/// Collects the ids that `work` hands in. The size of the text in bytes tells how much room to make.
pub(super) fn gather(
    bytes: usize,
    threads: usize,
    spare: &Spare,
    work: impl FnOnce(&Gathering) -> Result<()>,
) -> Result<Ragged> {
    let mut all = Ragged::with_room_for(bytes, spare);
    if threads == 1 {
        let gathering = Gathering { all: Gathered::InPlace(all).into(), spare };
        work(&gathering)?;
        all = match gathering.into_inner() {
            Gathered::InPlace(all) => all,
            Gathered::ByMany(_) => Ragged::default(),
        };
    } else {
        let places = Places { rest: all.ids.spare_capacity_mut(), ..Places::default() };
        let gathering = Gathering { all: Gathered::ByMany(places).into(), spare };
        work(&gathering)?;
        if let Gathered::ByMany(places) = gathering.into_inner() {
            let Places { waiting, ends, count, beyond, .. } = places;
            waiting.into_iter().for_each(|(ids, place)| spare.give_share(copied(ids, place)));
            // SAFETY: every id that was counted and is not beyond was copied to its place, by `rows` or here.
            unsafe { all.ids.set_len(count - beyond.len()) };
            all.ends = ends;
            reserve_large(&mut all.ids, beyond.len());
            all.ids.extend(beyond);
        }
    }
    if all.ids.len() < spare::FEW {
        all.ids.shrink_to_fit();
    }
    Ok(all)
}

impl<'a> Gathering<'a> {
    /// The buffer to which a worker appends the rows of a share of about this many bytes; the worker hands it back.
    pub(super) fn rows(&self, bytes: usize) -> Ragged {
        let waiting = match &mut *self.all() {
            Gathered::InPlace(all) => {
                let mut all = std::mem::take(all);
                reserve_large(&mut all.ids, bytes);
                return all;
            }
            Gathered::ByMany(places) => places.waiting.pop(),
        };
        let mut ids = waiting.map_or_else(|| self.spare.take_share(), |(ids, place)| copied(ids, place));
        reserve_large(&mut ids, bytes);
        Ragged { ids, ends: Vec::new() }
    }

    /// Takes rows that were asked for, in the order in which they are to follow one another.
    pub(super) fn give(&self, rows: Ragged) {
        match &mut *self.all() {
            Gathered::InPlace(all) => *all = rows,
            Gathered::ByMany(places) => places.add(rows),
        }
    }

    fn all(&self) -> MutexGuard<'_, Gathered<'a>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn into_inner(self) -> Gathered<'a> {
        self.all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places<'_> {
    fn add(&mut self, Ragged { mut ids, ends }: Ragged) {
        self.ends.extend(ends.iter().map(|end| self.count + end));
        self.count += ids.len();
        let rest = std::mem::take(&mut self.rest);
        if self.beyond.is_empty()
            && let Some((place, rest)) = rest.split_at_mut_checked(ids.len())
        {
            self.rest = rest;
            self.waiting.push((ids, place));
        } else {
            // There is no room from now on, so that what follows comes after it.
            reserve_large(&mut self.beyond, ids.len());
            self.beyond.append(&mut ids);
            self.waiting.push((ids, &mut []));
        }
    }
}

/// Copies ids to their place. Gives their memory.
fn copied(mut ids: Vec<TokenId>, place: &mut [MaybeUninit<TokenId>]) -> Vec<TokenId> {
    place.iter_mut().zip(&ids).for_each(|(place, &id)| _ = place.write(id));
    ids.clear();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_one_another_for_any_number_of_workers() {
        let shares = [(vec![1, 2], true), (vec![3], false), (vec![], true), (vec![4; 1000], true), (vec![5], true)];
        // With room for all, for some, and for none.
        for (threads, room) in
            [1, 2].into_iter().flat_map(|threads| [2000, 1003, 100, 2, 0].map(|room| (threads, room)))
        {
            let Ragged { ids, ends } = gather(room, threads, &Spare::default(), |gathering| {
                for (ids, ended) in &shares {
                    let mut rows = gathering.rows(ids.len());
                    rows.ids.extend(ids);
                    rows.ends.extend(ended.then_some(rows.ids.len()));
                    gathering.give(rows);
                }
                Ok(())
            })
            .unwrap();
            assert_eq!((&ids[..4], ids.len(), ids[1003], ends), (&[1, 2, 3, 4][..], 1004, 5, vec![2, 3, 1003, 1004]));
        }
    }
}
