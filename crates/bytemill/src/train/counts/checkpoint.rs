//! Checkpoint: counting that can be stopped, by anything, and goes on from what was saved last.
//!
//! ```text
//! documents ─count for a while→ part ─merge→ counts so far ─save→ checkpoint, with how far the text was read ─┐
//!     └──────────────────────────────── the same again ←──────────────────────────────────────────────────────┘
//! ```
//!
//! Counts are sums, so counting in parts is counting. To go on, the text is read again up to the place that was reached, and its hash
//! says whether it is still the same text.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::reader::BatchReader;
use super::{CountOptions, Counter, PieceCounts};
use crate::data::Batch;
use crate::data::atomic::AtomicFile;
use crate::error::{Error, Result};
use crate::machine::parallel::Watch;
use crate::specials::AddedToken;

/// At least this many times as much time goes into counting as into saving.
const COUNTING_TO_SAVING: u32 = 10;

#[derive(Debug, Clone)]
pub struct Checkpoint {
    pub path: PathBuf,
    /// How long to count before what there is gets saved.
    pub interval: Duration,
}

/// How far a text was read, and what decides how it is counted beside the stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reached {
    /// Of the document that follows those that are counted whole.
    pub bytes: u64,
    /// XXH3 of the text, with 0xFF after each document.
    pub hash: u64,
    pub characters: bool,
    /// Without their ids, which say nothing about counts.
    pub added: Vec<AddedToken>,
}

impl Counter {
    /// Counts as `count` does. What stops it, but for the end of the process, comes out when what was counted is saved.
    pub fn count_from(
        &self,
        checkpoint: &Checkpoint,
        batches: impl Iterator<Item = Result<Batch>>,
        options: CountOptions,
        watch: &mut Watch,
    ) -> Result<PieceCounts> {
        let mut reader = BatchReader::new(batches);
        let mut whole = checkpoint.load(self, options.ordered)?;
        match &whole {
            Some((counts, reached)) => {
                if !reader.go_to(counts.documents, reached, watch)? {
                    return Err(checkpoint.refused("was counted in another text than the one that is given now"));
                }
            }
            // What cannot be written is told before the work.
            None => drop(AtomicFile::create(&checkpoint.path)?),
        }
        let mut patience = checkpoint.interval;
        loop {
            let until = Instant::now() + patience;
            let stopped = RefCell::new(None);
            let (mut begun, mut ended) = (false, false);
            let batches = std::iter::from_fn(|| {
                // However short the interval is, every part goes on by something.
                if stopped.borrow().is_some() || (begun && Instant::now() >= until) {
                    return None;
                }
                begun = true;
                match reader.next() {
                    Some(Ok(batch)) => return Some(Ok(batch)),
                    Some(Err(error)) => *stopped.borrow_mut() = Some(error),
                    None => ended = true,
                }
                None
            });
            // A stop waits until what is under way has been counted and saved.
            let mut deferring = || {
                if stopped.borrow().is_none()
                    && let Err(error) = watch()
                {
                    *stopped.borrow_mut() = Some(error);
                }
                Ok(())
            };
            let unseen = AtomicU64::new(0);
            let part = self.count_watched(batches, options, &unseen, &mut deferring)?;
            let saving = Instant::now();
            let counts = match whole.take() {
                Some((counts, _)) if part.documents == 0 && part.bytes == 0 => counts,
                before => {
                    let mut parts: Vec<PieceCounts> = before.into_iter().map(|(counts, _)| counts).collect();
                    parts.push(part);
                    let done = if ended { self.merging() } else { &unseen };
                    // Beside the result, the last part may be in memory.
                    let memory = options.memory.map(|memory| memory / 2);
                    let counts = PieceCounts::merge(&parts, memory, options.threads, done, &mut deferring)?;
                    drop(parts);
                    counts.save_reached(&checkpoint.path, Some(&self.reached(&reader)))?;
                    counts
                }
            };
            if let Some(error) = stopped.into_inner() {
                return Err(error);
            }
            if ended {
                return Ok(counts);
            }
            // The pieces stay in the file, so that memory is for the next part.
            drop(counts);
            whole = checkpoint.load(self, options.ordered)?;
            patience = checkpoint.interval.max(saving.elapsed() * COUNTING_TO_SAVING);
        }
    }

    fn reached<I: Iterator<Item = Result<Batch>>>(&self, reader: &BatchReader<I>) -> Reached {
        let (bytes, hash) = reader.place();
        let mut added: Vec<AddedToken> = self.added.iter().map(|token| AddedToken { id: 0, ..token.clone() }).collect();
        added.sort_by(|a, b| a.content.cmp(&b.content));
        Reached { bytes, hash, characters: self.characters, added }
    }
}

impl Checkpoint {
    /// What was saved, if anything was; counts that were made in another way are refused.
    fn load(&self, counter: &Counter, ordered: bool) -> Result<Option<(PieceCounts, Reached)>> {
        let (counts, reached) = match PieceCounts::load_reached(&self.path) {
            Ok(loaded) => loaded,
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(Error::Format { at, reason }) => return Err(Error::format(at, format!("{reason}; {WAY_OUT}"))),
            Err(error) => return Err(error),
        };
        let Some(reached) = reached else {
            return Err(self.refused("holds counts that are complete and no checkpoint"));
        };
        let made_by = counts.made_by.as_ref();
        if let Some(what) = made_by.and_then(|made_by| counter.made_by.difference(made_by)) {
            return Err(self.refused(&format!("was counted with other {what} than those that are given now")));
        }
        let now = counter.reached(&BatchReader::new(std::iter::empty()));
        if now.characters != reached.characters {
            return Err(self.refused("is of a training of another family, which counts something else"));
        }
        if now.added != reached.added {
            return Err(self.refused("was counted with special tokens that take other spaces along"));
        }
        if ordered && !counts.is_ordered() {
            return Err(self.refused("does not know the order in which pieces appeared, which ties=\"tiktoken\" needs"));
        }
        Ok(Some((counts, reached)))
    }

    fn refused(&self, why: &str) -> Error {
        Error::Spec(format!("the checkpoint {} {why}; {WAY_OUT}", self.path.display()))
    }
}

const WAY_OUT: &str = "remove the file to begin anew, or name another with checkpoint=";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{TextBlock, batches};
    use crate::pretokenize::PreTokenizer;
    use crate::train::MadeBy;
    use proptest::prelude::*;

    fn counter(pretokenizer: PreTokenizer) -> Counter {
        Counter::new(MadeBy { pretokenizer: Some(pretokenizer), ..MadeBy::default() }, false).unwrap()
    }

    fn pieces(counts: &PieceCounts) -> Vec<(Vec<u8>, u64)> {
        let held = counts.held(super::super::PieceOrder::Appearance).unwrap();
        held.iter().map(|(piece, count)| (piece.to_vec(), count)).collect()
    }

    proptest! {
        /// However often the reading fails, and wherever blocks and batches end in each attempt.
        #[test]
        fn what_is_counted_in_attempts_is_counted_once(
            documents in prop::collection::vec("[ab]{0,3}( [abé]{1,3}){0,20}", 1..12),
            attempts in prop::collection::vec((0usize..60, 1usize..6), 0..5),
            threads in 1usize..3,
        ) {
            let counter = counter(PreTokenizer::Whitespace);
            let folder = tempfile::tempdir().unwrap();
            let checkpoint = Checkpoint { path: folder.path().join("c"), interval: Duration::ZERO };
            let options = CountOptions { threads, memory: None, ordered: true };
            let blocks = |words: usize| -> Vec<Result<Batch>> {
                let cut = documents.iter().flat_map(move |document| {
                    let parts: Vec<String> = document.split_inclusive(' ').map(String::from).collect();
                    let parts: Vec<String> = parts.chunks(words).map(|part| part.concat()).collect();
                    let last = parts.len().saturating_sub(1);
                    let ends = |(i, text)| TextBlock { text, ends_document: i == last, language: None };
                    let blocks: Vec<TextBlock> = parts.into_iter().enumerate().map(ends).collect();
                    if blocks.is_empty() { vec![TextBlock { text: String::new(), ends_document: true, language: None }] } else { blocks }
                });
                cut.map(|block| Ok(vec![block])).collect()
            };
            let expected = counter.count(blocks(1).into_iter(), options, &mut || Ok(())).unwrap();
            for (fails_at, words) in attempts {
                let batches = blocks(words).into_iter().take(fails_at).chain([Err(Error::Stopped)]);
                let stopped = counter.count_from(&checkpoint, batches, options, &mut || Ok(()));
                prop_assert!(matches!(stopped, Err(Error::Stopped)));
            }
            let counts = counter.count_from(&checkpoint, blocks(2).into_iter(), options, &mut || Ok(())).unwrap();
            prop_assert_eq!((counts.documents, counts.bytes), (expected.documents, expected.bytes));
            prop_assert_eq!(pieces(&counts), pieces(&expected));
            prop_assert_eq!(&PieceCounts::load(&checkpoint.path).unwrap().made_by, &expected.made_by);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = Checkpoint { path: folder.path().join("c"), interval: Duration::ZERO };
        let options = CountOptions { threads: 1, memory: None, ordered: false };
        let attempt = |counter: &Counter, texts: &[&str], ordered| {
            let blocks: Vec<_> = texts
                .iter()
                .map(|t| Ok(TextBlock { text: t.to_string(), ends_document: true, language: None }))
                .collect();
            let options = CountOptions { ordered, ..options };
            let counted = counter.count_from(&checkpoint, batches(blocks.into_iter()), options, &mut || Ok(()));
            counted.map_err(|error| error.to_string().replace(&*checkpoint.path.to_string_lossy(), "C"))
        };
        let counter = counter(PreTokenizer::Whitespace);
        attempt(&counter, &["é b", "c d"], false).unwrap();
        let refused = |why: &str| format!("the checkpoint C {why}; {WAY_OUT}");
        let other_text = refused("was counted in another text than the one that is given now");
        for texts in [&["é b"][..], &["é b", "c e"], &["é bc", " d"], &["", "é b"], &["é b", "c d "], &[]] {
            assert_eq!(attempt(&counter, texts, false).unwrap_err(), other_text, "{texts:?}");
        }
        assert_eq!(attempt(&counter, &["é b", "c d", "more"], false).unwrap().documents, 3);
        let other = super::tests::counter(PreTokenizer::Bert);
        let message = attempt(&other, &["é b"], false).unwrap_err();
        assert_eq!(message, refused("was counted with other pretokenizers than those that are given now"));
        let characters =
            Counter::new(MadeBy { pretokenizer: Some(PreTokenizer::Whitespace), ..MadeBy::default() }, true);
        let message = attempt(&characters.unwrap(), &["é b"], false).unwrap_err();
        assert_eq!(message, refused("is of a training of another family, which counts something else"));
        let message = attempt(&counter, &["é b"], true).unwrap_err();
        assert!(message.contains("does not know the order in which pieces appeared"));
        let bytes = std::fs::read(&checkpoint.path).unwrap();
        for end in [0, 3, 20, bytes.len() - 1] {
            std::fs::write(&checkpoint.path, &bytes[..end]).unwrap();
            assert!(attempt(&counter, &["é b"], false).unwrap_err().ends_with(WAY_OUT));
            assert_eq!(std::fs::read(&checkpoint.path).unwrap(), bytes[..end]);
        }
    }
}
