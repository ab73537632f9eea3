//! Spare: the memory of ids that nobody reads any more, kept for the next large result. The system clears what is new page by page, which
//! takes a twentieth of the time of encoding what was met before.

use std::sync::Mutex;

use crate::machine::pool::Pool;
use crate::machine::storage::large_vec;

#[derive(Debug, Default)]
pub struct Spare {
    /// The latest large vector that was given back. Never waited for, like a `Pool`.
    large: Mutex<Vec<u32>>,
    /// Of ids that one worker has at a time.
    shares: Pool<Vec<u32>>,
}

/// Results of fewer ids are not worth it: 1 MiB.
pub const FEW: usize = 1 << 18;
/// Ids that are kept at most: 64 MiB.
const MOST: usize = 1 << 24;
/// Of a share at most: 4 MiB, which are seldom all used.
const MOST_OF_SHARE: usize = 1 << 20;

impl Spare {
    /// An empty vector with room for `room` ids, which is seldom all used: room that is never touched costs nothing.
    pub fn take(&self, room: usize) -> Vec<u32> {
        let fits = |kept: &Vec<u32>| room >= FEW && (room..=4 * room).contains(&kept.capacity());
        let kept = self.large.try_lock().ok().filter(|kept| fits(kept));
        kept.map_or_else(|| large_vec(room), |mut kept| std::mem::take(&mut *kept))
    }

    /// Takes back what was taken, or another.
    pub fn give(&self, mut ids: Vec<u32>) {
        let used = FEW..=MOST;
        if let Ok(mut kept) = self.large.try_lock()
            && used.contains(&ids.len())
        {
            ids.clear();
            *kept = ids;
        }
    }

    /// An empty vector for the ids of a share of the work.
    pub(crate) fn take_share(&self) -> Vec<u32> {
        self.shares.take()
    }

    /// Takes back an empty vector.
    pub(crate) fn give_share(&self, ids: Vec<u32>) {
        if (1..=MOST_OF_SHARE).contains(&ids.capacity()) {
            self.shares.give(ids);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_used_again_for_results_of_its_size() {
        let spare = Spare::default();
        let mut ids = spare.take(4 * FEW);
        ids.resize(2 * FEW, 7);
        let place = ids.as_ptr();
        spare.give(ids);
        let other = [FEW / 2, 5 * FEW].map(|room| spare.take(room));
        let again = spare.take(3 * FEW);
        let next = spare.take(3 * FEW);
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
        assert!(other.iter().chain([&next]).all(|ids| ids.as_ptr() != place));
        spare.give(vec![1; 10]);
        assert_eq!(spare.large.lock().unwrap().capacity(), 0);
    }
}
