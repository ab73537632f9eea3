//! Pool: what is costly to make, kept for the next caller that needs one.

use std::sync::Mutex;

/// Things kept: as many as threads are likely to need at once.
const KEPT: usize = 64;

/// Never waited for: a thread that finds it taken (by another thread, or for ever by a fork) makes a thing of its own.
#[derive(Debug, Default)]
pub struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    pub fn take(&self) -> T {
        self.0.try_lock().ok().and_then(|mut kept| kept.pop()).unwrap_or_default()
    }

    /// Lends one to `work`.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut thing = self.take();
        let result = work(&mut thing);
        self.give(thing);
        result
    }

    pub fn give(&self, thing: T) {
        if let Ok(mut kept) = self.0.try_lock()
            && kept.len() < KEPT
        {
            kept.push(thing);
        }
    }
}
