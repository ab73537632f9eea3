//! One shard of an output: the file of its ids, the work file of its offsets, and what becomes of both in the end.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::kept::KeptPlace;
use super::format::{TokenFormat, TokenWidth};
use super::index;
use super::kept::{KeptShard, values_path};
use super::names::TokenFileNames;
use super::partial::{PartialFile, remove_partial};
use super::writer::Layout;
use crate::error::{Error, Result};

/// Ids turned into bytes at a time.
const BLOCK_IDS: usize = 1 << 16;

/// Writes a shard in a format that the core does not know.
pub trait Convert {
    /// Writes `output` from a file of ids and one of offsets, which has as many numbers of eight bytes as there are
    /// documents. The output may be left half-written when it fails.
    fn convert(&self, shard: &RawShard, output: &Path) -> Result<()>;
}

/// A shard as it is before it is converted.
pub struct RawShard<'a> {
    pub ids: &'a Path,
    pub ends: &'a Path,
    pub width: TokenWidth,
    pub format: TokenFormat,
    /// Ids in a row, if documents are packed into rows.
    pub row: Option<usize>,
    /// Where there are columns to keep.
    pub kept: Option<KeptShard<'a>>,
}

/// A shard that is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShardFiles {
    pub path: PathBuf,
    pub documents: u64,
    pub tokens: u64,
}

/// A shard that is being written, as a checkpoint knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShardState {
    documents: u64,
    tokens: u64,
    ids_bytes: u64,
    ends_bytes: u64,
}

/// Which shard it is, and how it is written.
#[derive(Clone, Copy)]
pub(super) struct ShardPlace<'a> {
    pub names: &'a TokenFileNames,
    pub layout: &'a Layout,
    pub width: TokenWidth,
    pub side: usize,
    pub number: usize,
}

impl ShardPlace<'_> {
    pub(super) fn tokens(&self) -> PathBuf {
        self.names.tokens(self.side, self.number)
    }

    fn beside(&self, extension: &str) -> PathBuf {
        self.names.beside(self.side, self.number, extension)
    }

    fn ids(&self) -> PathBuf {
        if self.layout.format.keeps_ids() { self.tokens() } else { self.beside("ids") }
    }

    fn ends(&self) -> PathBuf {
        self.beside("ends")
    }

    /// Where the kept values of the documents are, if there are any.
    fn places(&self) -> Option<PathBuf> {
        self.layout.keep.as_ref().map(|_| self.beside("kept"))
    }
}

pub(super) struct Shard {
    /// None if the shard was finished after the checkpoint that work goes on from: what would be written is there.
    files: Option<Files>,
    documents: u64,
    tokens: u64,
}

struct Files {
    ids: PartialFile,
    ends: PartialFile,
    places: Option<PartialFile>,
}

impl Shard {
    pub(super) fn create(place: ShardPlace) -> Result<Self> {
        let mut ids = PartialFile::create(&place.ids())?;
        if !place.layout.format.keeps_ids() {
            // The name is looked at now: work of hours must not fail at its end.
            drop(PartialFile::create(&place.tokens())?);
        }
        ids.write(&index::header(place.layout.format, place.width, 0, None))?;
        let ends = PartialFile::create(&place.ends())?;
        let places = place.places().map(|path| PartialFile::create(&path)).transpose()?;
        Ok(Shard { files: Some(Files { ids, ends, places }), documents: 0, tokens: 0 })
    }

    pub(super) fn reopen(place: ShardPlace, state: &ShardState) -> Result<Self> {
        let ShardState { documents, tokens, ids_bytes, ends_bytes } = *state;
        let files = match PartialFile::reopen(&place.ids(), ids_bytes)? {
            None => None,
            Some(ids) => {
                let ends = reopened(&place.ends(), ends_bytes)?;
                let bytes = documents * size_of::<KeptPlace>() as u64;
                let places = place.places().map(|path| reopened(&path, bytes)).transpose()?;
                Some(Files { ids, ends, places })
            }
        };
        Ok(Shard { files, documents, tokens })
    }

    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    pub(super) fn write(&mut self, ids: &[u32], width: TokenWidth) -> Result<()> {
        self.tokens += ids.len() as u64;
        let Some(Files { ids: file, .. }) = &mut self.files else { return Ok(()) };
        for block in ids.chunks(BLOCK_IDS) {
            append_ids(file.pending(), block, width)?;
            file.flush_if_full()?;
        }
        Ok(())
    }

    /// A document ends after this many tokens of the shard, and its kept values are there.
    pub(super) fn end_document_at(&mut self, tokens: u64, kept: KeptPlace) -> Result<()> {
        self.documents += 1;
        let Some(Files { ends, places, .. }) = &mut self.files else { return Ok(()) };
        if let Some(places) = places {
            places.write(bytemuck::bytes_of(&kept))?;
        }
        ends.write(&tokens.to_le_bytes())
    }

    /// Everything so far reaches the disk, and stays when the process ends.
    pub(super) fn checkpoint(&mut self) -> Result<ShardState> {
        let (ids_bytes, ends_bytes) = match &mut self.files {
            Some(Files { ids, ends, places }) => {
                let bytes = (ids.sync()?, ends.sync()?);
                ids.keep();
                ends.keep();
                if let Some(places) = places {
                    places.sync()?;
                    places.keep();
                }
                bytes
            }
            None => (0, 0),
        };
        Ok(ShardState { documents: self.documents, tokens: self.tokens, ids_bytes, ends_bytes })
    }

    /// Makes the shard what it is to be. The ids get their name last: while they have not, all of this can be done again.
    pub(super) fn finish(self, place: ShardPlace, convert: Option<&dyn Convert>) -> Result<ShardFiles> {
        let Shard { files, documents, tokens } = self;
        let done = ShardFiles { path: place.tokens(), documents, tokens };
        let Some(Files { mut ids, mut ends, mut places }) = files else {
            [Some(place.ends()), place.places()].iter().flatten().for_each(|path| remove_partial(path));
            return Ok(done);
        };
        let Layout { format, pack, .. } = *place.layout;
        let mut in_file = tokens;
        if let Some(pack) = pack {
            in_file = tokens.next_multiple_of(pack.length as u64);
            for _ in tokens..in_file {
                append_ids(ids.pending(), &[pack.padding], place.width)?;
            }
        }
        ids.flush()?;
        ends.flush()?;
        index::refuse_too_large(format, in_file, &done.path)?;
        index::write_beside(&index::Sums { place: &place, documents, tokens: in_file }, ends.file())?;
        if format.keeps_ids() {
            let row = pack.map(|pack| pack.length as u64);
            let header = index::header(format, place.width, in_file, row);
            if !header.is_empty() {
                ids.overwrite_start(&header)?;
            }
            ids.commit()?;
        } else {
            let row = pack.map(|pack| pack.length);
            let kept = match (&mut places, &place.layout.keep) {
                (Some(places), Some(keep)) => {
                    places.flush()?;
                    Some(KeptShard { keep, values: values_path(place.names)?, places: places.partial() })
                }
                _ => None,
            };
            let raw = RawShard { ids: ids.partial(), ends: ends.partial(), width: place.width, format, row, kept };
            let output = PartialFile::create(&done.path)?;
            index::convert(&raw, output, convert)?;
            ids.remove();
        }
        ends.remove();
        if let Some(places) = places {
            places.remove();
        }
        Ok(done)
    }
}

fn reopened(path: &Path, bytes: u64) -> Result<PartialFile> {
    let gone = || Error::format(path.display().to_string(), "this work file is gone; start anew, without resume");
    PartialFile::reopen(path, bytes)?.ok_or_else(gone)
}

/// Removes a shard of an earlier run with what stands beside it; whether there was one.
pub(crate) fn remove_shard(tokens: &Path) -> bool {
    let removed = std::fs::remove_file(tokens).is_ok();
    if removed {
        for path in index::beside(tokens) {
            let _ = std::fs::remove_file(path);
        }
    }
    removed
}

fn append_ids(to: &mut Vec<u8>, ids: &[u32], width: TokenWidth) -> Result<()> {
    match width {
        TokenWidth::U16 => {
            // The or of all ids is too wide when one of them is, and is a loop without branches.
            if ids.iter().fold(0, |all, id| all | id) > u32::from(u16::MAX) {
                let widest = ids.iter().max().copied().unwrap_or_default();
                return Err(Error::Spec(format!("id {widest} does not fit into uint16; leave out dtype=\"uint16\"")));
            }
            append(to, ids, |id| (id as u16).to_le_bytes());
        }
        TokenWidth::U32 => append(to, ids, u32::to_le_bytes),
    }
    Ok(())
}

fn append<const N: usize>(to: &mut Vec<u8>, ids: &[u32], bytes: impl Fn(u32) -> [u8; N]) {
    let start = to.len();
    to.resize(start + ids.len() * N, 0);
    for (place, &id) in to[start..].chunks_exact_mut(N).zip(ids) {
        place.copy_from_slice(&bytes(id));
    }
}
