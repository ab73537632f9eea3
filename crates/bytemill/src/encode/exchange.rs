//! Exchange: the workers of one call tell one another what they had to compute, so that a new piece is computed once and not by each.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::encode::scratch::Scratch;
use crate::model::memo::News;

/// A worker that is busy with one long text is told no more than this before it listens: what it was not told it computes.
const MOST_UNHEARD: usize = 64;

pub(super) struct Exchange {
    /// What each worker was told and has not heard yet.
    inboxes: Vec<Mutex<Vec<Arc<News>>>>,
    joined: AtomicUsize,
}

/// A worker with its scratch.
pub(super) struct Member<'a> {
    exchange: &'a Exchange,
    number: usize,
    pub scratch: Box<Scratch>,
}

impl Exchange {
    pub(super) fn new(workers: usize) -> Self {
        Exchange { inboxes: (0..workers).map(|_| Mutex::default()).collect(), joined: AtomicUsize::new(0) }
    }

    pub(super) fn join(&self, mut scratch: Box<Scratch>) -> Member<'_> {
        scratch.model.bpe.remembered().keep_news(self.inboxes.len() > 1);
        Member { exchange: self, number: self.joined.fetch_add(1, Ordering::Relaxed), scratch }
    }
}

impl Member<'_> {
    /// Learns what others have told, works, and tells them what was new.
    pub(super) fn work<T>(&mut self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let told =
            self.exchange.inboxes.get(self.number).and_then(|inbox| Some(std::mem::take(&mut *inbox.lock().ok()?)));
        told.iter().flatten().for_each(|news| self.scratch.model.bpe.remembered().learn(news));
        let result = work(&mut self.scratch);
        if let Some(news) = self.scratch.model.bpe.remembered().news().map(Arc::new) {
            // Where threads could not be started, nobody would listen.
            let joined = self.exchange.inboxes.iter().take(self.exchange.joined.load(Ordering::Relaxed));
            let others = joined.enumerate().filter(|(number, _)| *number != self.number);
            for mut inbox in others.filter_map(|(_, inbox)| inbox.lock().ok()) {
                if inbox.len() < MOST_UNHEARD {
                    inbox.push(news.clone());
                }
            }
        }
        result
    }

    pub(super) fn leave(mut self) -> Box<Scratch> {
        self.scratch.model.bpe.remembered().keep_news(false);
        self.scratch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text_ends::TextEnds;
    use crate::text::span::Spans;

    fn compute(member: &mut Member, piece: &str) {
        member.work(|scratch| {
            let mut ids = Vec::new();
            let bytes = |piece: &[u8], ids: &mut Vec<u32>| {
                ids.extend(piece.iter().map(|&byte| u32::from(byte)));
                Ok::<_, crate::error::Error>(())
            };
            let remembered = scratch.model.bpe.remembered();
            let ends = [piece.len()];
            let pieces = Spans::new(piece.as_bytes(), &[0], &ends);
            remembered.segment(pieces, &mut TextEnds::none(), &Default::default(), &mut ids, bytes).unwrap();
        });
    }

    #[test]
    fn who_does_not_listen_is_told_so_much_and_who_has_not_joined_nothing() {
        let exchange = Exchange::new(3);
        let [mut one, mut other] = [(); 2].map(|()| exchange.join(Box::default()));
        (0..2 * MOST_UNHEARD).for_each(|i| compute(&mut one, &i.to_string()));
        // What no memo keeps is no news.
        compute(&mut one, &"x".repeat(1000));
        let waiting = || [0, 1, 2].map(|number| exchange.inboxes[number].lock().unwrap().len());
        assert_eq!(waiting(), [0, MOST_UNHEARD, 0]);
        compute(&mut other, "0");
        assert_eq!(waiting(), [0, 0, 0]);
        compute(&mut other, &"y".repeat(1000));
        assert_eq!(waiting(), [0, 0, 0]);
    }
}
