//! Documents in another order, in bounded memory: each goes into one of many buckets by its place in the order, and the
//! buckets come back one by one. Only the places and ends of one bucket's documents are in memory, not their ids.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use super::super::kept::KeptPlace;
use super::names::TokenFileNames;
use super::partial::{PartialFile, remove_partial};
use crate::error::{Error, Result};

/// The number of buckets: enough that a bucket of a terabyte of ids stays within what the page cache of a machine for such work holds, and few
/// enough for the number of open files that systems allow.
const BUCKETS: usize = 128;

/// The bytes of a document's entry in the work file of a bucket: its place in the order, its side, where its ids end, and
/// where its kept values are.
const ENTRY_BYTES: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShuffleState {
    /// Bytes of the ids and of the entries of each bucket.
    buckets: Vec<(u64, u64)>,
    /// Documents that are in their place.
    placed: u64,
    /// The bucket that is next, and how many of its documents are in their place.
    next: (usize, usize),
}

struct Bucket {
    ids: PartialFile,
    entries: PartialFile,
    /// Ids so far.
    end: u64,
}

pub(super) struct Shuffle {
    buckets: Vec<Bucket>,
    placed: u64,
    next: (usize, usize),
}

impl Shuffle {
    pub(super) fn create(names: &TokenFileNames) -> Result<Self> {
        let create = |(ids, entries): (PathBuf, PathBuf)| {
            Ok(Bucket { ids: PartialFile::create(&ids)?, entries: PartialFile::create(&entries)?, end: 0 })
        };
        let buckets = paths(names).map(create).collect::<Result<_>>()?;
        Ok(Shuffle { buckets, placed: 0, next: (0, 0) })
    }

    pub(super) fn reopen(names: &TokenFileNames, state: &ShuffleState) -> Result<Self> {
        let reopen = |((ids, entries), bytes): ((PathBuf, PathBuf), &(u64, u64))| {
            let open = |path: PathBuf, bytes| {
                let gone =
                    || Error::format(path.display().to_string(), "this work file is gone; start anew, without resume");
                PartialFile::reopen(&path, bytes)?.ok_or_else(gone)
            };
            Ok(Bucket { ids: open(ids, bytes.0)?, entries: open(entries, bytes.1)?, end: bytes.0 / 4 })
        };
        let buckets = paths(names).zip(&state.buckets).map(reopen).collect::<Result<_>>()?;
        Ok(Shuffle { buckets, placed: state.placed, next: state.next })
    }

    pub(super) fn write(&mut self, ids: &[u32], place: u64) -> Result<()> {
        let bucket = &mut self.buckets[bucket_of(place)];
        bucket.end += ids.len() as u64;
        bucket.ids.write(bytemuck::cast_slice(ids))
    }

    pub(super) fn end_document(&mut self, place: u64, side: usize, kept: KeptPlace) -> Result<()> {
        let bucket = &mut self.buckets[bucket_of(place)];
        let entry = [place, side as u64, bucket.end, kept.start, kept.extent];
        bucket.entries.write(bytemuck::cast_slice(&entry))
    }

    pub(super) fn checkpoint(&mut self) -> Result<ShuffleState> {
        let mut buckets = Vec::new();
        for bucket in &mut self.buckets {
            buckets.push((bucket.ids.sync()?, bucket.entries.sync()?));
            bucket.ids.keep();
            bucket.entries.keep();
        }
        Ok(ShuffleState { buckets, placed: self.placed, next: self.next })
    }

    pub(super) fn placed(&self) -> u64 {
        self.placed
    }

    /// One more document is in its place.
    pub(super) fn advance(&mut self) {
        self.placed += 1;
        self.next.1 += 1;
    }

    pub(super) fn finish_bucket(&mut self) {
        self.next = (self.next.0 + 1, 0);
    }

    /// The bucket that is next, with the documents of it that are not in their place.
    pub(super) fn next_bucket(&mut self) -> Result<Option<SortedBucket>> {
        let (number, placed) = self.next;
        let Some(bucket) = self.buckets.get_mut(number) else { return Ok(None) };
        bucket.ids.flush()?;
        bucket.entries.flush()?;
        let entries = mapped(bucket.entries.file(), bucket.entries.partial())?;
        let mut start = 0;
        let numbers = entries.as_deref().unwrap_or_default().chunks_exact(ENTRY_BYTES);
        let mut documents: Vec<SpilledDocument> = numbers
            .map(|entry| {
                let [place, side, end, kept_start, extent] =
                    std::array::from_fn(|i| u64::from_ne_bytes(std::array::from_fn(|byte| entry[8 * i + byte])));
                let kept = KeptPlace { start: kept_start, extent };
                SpilledDocument { place, side: side as usize, start: std::mem::replace(&mut start, end), end, kept }
            })
            .collect();
        // Two with the same place come in their own order.
        documents.sort_by_key(|entry| entry.place);
        Ok(Some(SortedBucket { ids: mapped(bucket.ids.file(), bucket.ids.partial())?, documents, placed }))
    }

    pub(super) fn remove(self) {
        for bucket in self.buckets {
            bucket.ids.remove();
            bucket.entries.remove();
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct SpilledDocument {
    place: u64,
    side: usize,
    start: u64,
    end: u64,
    pub kept: KeptPlace,
}

pub(super) struct SortedBucket {
    ids: Option<Mmap>,
    documents: Vec<SpilledDocument>,
    placed: usize,
}

impl SortedBucket {
    pub(super) fn documents(&self) -> impl Iterator<Item = SpilledDocument> + '_ {
        self.documents.iter().copied().skip(self.placed)
    }

    /// The ids of a document, and its side.
    pub(super) fn read(&self, entry: SpilledDocument) -> Result<(&[u32], usize)> {
        let ids: &[u32] = match &self.ids {
            Some(ids) => bytemuck::try_cast_slice(ids).map_err(|e| Error::Internal(e.to_string()))?,
            None => &[],
        };
        let range = entry.start as usize..entry.end as usize;
        let ids = ids.get(range).ok_or_else(|| Error::Internal("a bucket has lost ids".into()))?;
        Ok((ids, entry.side.min(1)))
    }
}

/// None if there is nothing in it.
pub(super) fn mapped(file: &File, path: &Path) -> Result<Option<Mmap>> {
    let failed = |e| Error::io(path, e);
    if file.metadata().map_err(failed)?.len() == 0 {
        return Ok(None);
    }
    // SAFETY: a work file under a hidden name, which is locked, and which only its owner changes, which holds it here.
    unsafe { Mmap::map(file) }.map(Some).map_err(failed)
}

/// Removes the work files of a run that was killed when it was done with them.
pub(super) fn remove_leftovers(names: &TokenFileNames) {
    for (ids, entries) in paths(names) {
        remove_partial(&ids);
        remove_partial(&entries);
    }
}

/// By the highest bits, so that the buckets one after the other are in order.
fn bucket_of(place: u64) -> usize {
    (place >> (64 - BUCKETS.ilog2())) as usize
}

fn paths(names: &TokenFileNames) -> impl Iterator<Item = (PathBuf, PathBuf)> + '_ {
    (0..BUCKETS).map(|number| {
        let path = |what: &str| names.work(&format!("shuffle-{number:03}.{what}"));
        (path("ids"), path("entries"))
    })
}
