//! Exchange: the workers of one call tell one another what they had to compute, so that a new piece is computed once and not by each.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::model::Scratch;
use crate::model::memo::News;

pub struct Exchange {
    /// What each worker was told and has not heard yet.
    inboxes: Vec<Mutex<Vec<Arc<News>>>>,
    joined: AtomicUsize,
}

/// A worker with its scratch.
pub struct Member<'a> {
    exchange: &'a Exchange,
    number: usize,
    pub scratch: Box<Scratch>,
}

impl Exchange {
    pub fn new(workers: usize) -> Self {
        Exchange { inboxes: (0..workers).map(|_| Mutex::default()).collect(), joined: AtomicUsize::new(0) }
    }

    pub fn join(&self, mut scratch: Box<Scratch>) -> Member<'_> {
        scratch.model.bpe.remembered().keep_news(self.inboxes.len() > 1);
        Member { exchange: self, number: self.joined.fetch_add(1, Ordering::Relaxed), scratch }
    }
}

impl Member<'_> {
    /// Learns what others have told, works, and tells them what was new.
    pub fn work<T>(&mut self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let told =
            self.exchange.inboxes.get(self.number).and_then(|inbox| Some(std::mem::take(&mut *inbox.lock().ok()?)));
        told.iter().flatten().for_each(|news| self.scratch.model.bpe.remembered().learn(news));
        let result = work(&mut self.scratch);
        if let Some(news) = self.scratch.model.bpe.remembered().news().map(Arc::new) {
            let others = self.exchange.inboxes.iter().enumerate().filter(|(number, _)| *number != self.number);
            others.filter_map(|(_, inbox)| inbox.lock().ok()).for_each(|mut inbox| inbox.push(news.clone()));
        }
        result
    }

    pub fn leave(mut self) -> Box<Scratch> {
        self.scratch.model.bpe.remembered().keep_news(false);
        self.scratch
    }
}
