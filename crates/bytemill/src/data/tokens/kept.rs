//! The work file of kept values: one for all shards of an output, since documents of one batch may go to several.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::super::kept::{Keep, KeptPlace, KeptRows};
use super::names::TokenFileNames;
use super::partial::{PartialFile, partial_path, remove_partial};
use crate::error::{Error, Result};

/// The values of all documents so far.
pub(super) struct KeptStore(PartialFile);

/// The kept values of a shard before it is converted.
pub struct KeptShard<'a> {
    pub keep: &'a Keep,
    /// The values of all documents of the output.
    pub values: PathBuf,
    /// A [`KeptPlace`] in `values` for each document of the shard.
    pub places: &'a Path,
}

impl KeptStore {
    pub(super) fn create(names: &TokenFileNames) -> Result<Self> {
        PartialFile::create(&work_path(names)).map(KeptStore)
    }

    pub(super) fn reopen(names: &TokenFileNames, bytes: u64) -> Result<Self> {
        let path = work_path(names);
        let gone = || Error::format(path.display().to_string(), "this work file is gone; start anew, without resume");
        PartialFile::reopen(&path, bytes)?.map(KeptStore).ok_or_else(gone)
    }

    /// Appends the values of some documents; returns where those of each are.
    pub(super) fn append(&mut self, rows: &KeptRows) -> Result<Vec<KeptPlace>> {
        let before = self.0.len();
        let base = before.next_multiple_of(KeptRows::ALIGNMENT as u64);
        self.0.pending().extend(std::iter::repeat_n(0, (base - before) as usize));
        self.0.write(&rows.bytes)?;
        Ok(rows.places.iter().map(|place| place.moved(base)).collect())
    }

    /// Others can read all of it.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }

    pub(super) fn checkpoint(&mut self) -> Result<u64> {
        self.0.keep();
        self.0.sync()
    }

    pub(super) fn remove(self) {
        self.0.remove();
    }
}

pub(super) fn remove_leftovers(names: &TokenFileNames) {
    remove_partial(&work_path(names));
}

fn work_path(names: &TokenFileNames) -> PathBuf {
    names.work("kept")
}

/// Where the values are, for a caller that converts a shard.
pub(super) fn values_path(names: &TokenFileNames) -> Result<PathBuf> {
    partial_path(&work_path(names))
}

/// The kept values of a shard's documents, one after another.
pub(super) struct KeptReader {
    values: Option<Mmap>,
    places: Option<Mmap>,
    next: usize,
}

impl KeptReader {
    pub(super) fn open(shard: &KeptShard) -> Result<Self> {
        Ok(KeptReader { values: mapped(&shard.values)?, places: mapped(shard.places)?, next: 0 })
    }

    pub(super) fn next(&mut self) -> Result<&[u8]> {
        let lost = || Error::Internal("kept values were lost".into());
        let places: &[KeptPlace] =
            bytemuck::try_cast_slice(self.places.as_deref().unwrap_or_default()).map_err(|_| lost())?;
        let place = places.get(self.next).ok_or_else(lost)?;
        self.next += 1;
        let (start, end) = (place.start as usize, (place.start + place.extent) as usize);
        self.values.as_deref().unwrap_or_default().get(start..end).ok_or_else(lost)
    }
}

/// None if there is nothing in it.
fn mapped(path: &Path) -> Result<Option<Mmap>> {
    super::shuffle::mapped(&File::open(path).map_err(|e| Error::io(path, e))?, path)
}
