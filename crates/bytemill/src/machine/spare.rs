//! Spare: the memory of ids that nobody reads any more, kept for the next large result. The system clears what is new page by page, which
//! takes a twentieth of the time of encoding what was met before.

use std::sync::Mutex;

use crate::machine::storage::large_vec;

/// The latest vector that was given back. Never waited for, like a `Pool`.
#[derive(Debug, Default)]
pub struct Spare(Mutex<Vec<u32>>);

/// Results of fewer ids are not worth it: 1 MiB.
pub const FEW: usize = 1 << 18;
/// Ids that are kept at most: 64 MiB.
const MOST: usize = 1 << 24;

impl Spare {
    /// An empty vector with room for so many, which is seldom all used: room that is never touched costs nothing.
    pub fn take(&self, room: usize) -> Vec<u32> {
        let fits = |kept: &Vec<u32>| room >= FEW && (room..=4 * room).contains(&kept.capacity());
        let kept = self.0.try_lock().ok().filter(|kept| fits(kept));
        kept.map_or_else(|| large_vec(room), |mut kept| std::mem::take(&mut *kept))
    }

    /// Takes back what was taken, or another.
    pub fn give(&self, mut ids: Vec<u32>) {
        let used = FEW..=MOST;
        if let Ok(mut kept) = self.0.try_lock()
            && used.contains(&ids.len())
        {
            ids.clear();
            *kept = ids;
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
        assert_eq!(spare.0.lock().unwrap().capacity(), 0);
    }
}
