//! Documents to shards: which side of a split each belongs to, where one shard ends and the next begins, and in which order
//! they come. All of it follows from the documents alone, so that the bytes are the same however they were computed.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::kept::{Keep, KeptPlace, KeptRows};
use super::format::{TokenFormat, TokenWidth};
use super::kept::{self, KeptStore};
use super::names::TokenFileNames;
use super::shard::{Convert, Shard, ShardFiles, ShardPlace, ShardState, remove_shard};
use super::shuffle::{self, Shuffle, ShuffleState};
use crate::error::{Error, Result};

/// Some rows of ids. The last may go on in the rows that follow.
pub(crate) struct EncodedRows<'r> {
    pub ids: &'r [u32],
    /// Of the documents that end in these rows.
    pub ends: &'r [usize],
    /// A number for each document that begins in these rows, by which it is put on a side, if there are sides.
    pub keys: &'r [u64],
    /// What is kept of each document, if there are columns to keep.
    pub kept: &'r KeptRows,
}

/// How ids are laid out in files.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    pub format: TokenFormat,
    /// The width of an id; without it, as narrow as the vocabulary allows.
    pub width: Option<TokenWidth>,
    /// A shard ends with the document that brings it to this many tokens.
    pub shard_tokens: Option<u64>,
    /// The part of the documents that is for validation.
    pub split: Option<f64>,
    /// Documents in an order drawn at random, in place of that in which they come.
    pub shuffle: bool,
    /// For the split and the order.
    pub seed: u64,
    pub pack: Option<Pack>,
    /// What to call the tokenizer where a format says it.
    pub tokenizer: Option<String>,
    /// Columns of the source that go along with the ids.
    pub keep: Option<Arc<Keep>>,
}

/// Rows of the same length, one document after another; the last row is padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pack {
    pub length: usize,
    pub padding: u32,
}

/// Where ids go, and how.
pub struct TokenOutput<'a> {
    pub path: &'a Path,
    pub layout: Layout,
    /// For formats that the core does not write itself.
    pub convert: Option<&'a dyn Convert>,
}

impl TokenOutput<'_> {
    pub fn names(&self) -> Result<TokenFileNames> {
        let Layout { format, shard_tokens, split, pack, .. } = self.layout;
        if pack.is_some() && matches!(format, TokenFormat::Megatron | TokenFormat::Datatrove) {
            let name = format.name();
            return Err(Error::Spec(format!(
                "pack is not for {name}, whose readers make rows of documents themselves"
            )));
        }
        if pack.is_some() && self.layout.keep.is_some() {
            return Err(Error::Spec(
                "packed rows have ids of several documents, and keep_columns is for rows of one; leave one of them out"
                    .into(),
            ));
        }
        TokenFileNames::new(self.path, format, shard_tokens.is_some(), split.is_some())
    }
}

/// Everything that is needed to go on with files that were left half-written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WriterState {
    documents: u64,
    open: Option<u64>,
    streams: Vec<SideState>,
    shuffle: Option<ShuffleState>,
    /// Bytes of the kept values.
    kept: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SideState {
    done: Vec<ShardFiles>,
    shard: Option<ShardState>,
}

/// The shards of one side of a split.
#[derive(Default)]
struct SideShards {
    done: Vec<ShardFiles>,
    shard: Option<Shard>,
}

pub(crate) struct TokenWriter<'a> {
    output: &'a TokenOutput<'a>,
    names: TokenFileNames,
    width: TokenWidth,
    streams: Vec<SideShards>,
    shuffle: Option<Shuffle>,
    kept: Option<KeptStore>,
    /// That have begun.
    documents: u64,
    /// The key of the document that has begun and not ended.
    open: Option<u64>,
}

impl<'a> TokenWriter<'a> {
    pub(crate) fn create(output: &'a TokenOutput, width: TokenWidth) -> Result<Self> {
        let mut writer = Self::new(output, width)?;
        for side in 0..writer.streams.len() {
            writer.streams[side].shard = Some(Shard::create(writer.place(side))?);
        }
        if output.layout.shuffle {
            writer.shuffle = Some(Shuffle::create(&writer.names)?);
        }
        if output.layout.keep.is_some() {
            writer.kept = Some(KeptStore::create(&writer.names)?);
        }
        Ok(writer)
    }

    pub(crate) fn reopen(output: &'a TokenOutput, width: TokenWidth, state: &WriterState) -> Result<Self> {
        let mut writer = Self::new(output, width)?;
        (writer.documents, writer.open) = (state.documents, state.open);
        for (side, state) in state.streams.iter().enumerate().take(writer.streams.len()) {
            let mut done = state.done.iter().enumerate();
            if !done.all(|(number, shard)| shard.path == writer.names.tokens(side, number)) {
                let path = writer.names.journal().display().to_string();
                return Err(Error::format(path, "it names files of another output; start anew, without resume"));
            }
            writer.streams[side].done = state.done.clone();
            let shard = state.shard.as_ref().map(|shard| Shard::reopen(writer.place(side), shard));
            writer.streams[side].shard = shard.transpose()?;
        }
        writer.shuffle = state.shuffle.as_ref().map(|state| Shuffle::reopen(&writer.names, state)).transpose()?;
        writer.kept = state.kept.map(|bytes| KeptStore::reopen(&writer.names, bytes)).transpose()?;
        Ok(writer)
    }

    fn new(output: &'a TokenOutput, width: TokenWidth) -> Result<Self> {
        let sides = if output.layout.split.is_some() { 2 } else { 1 };
        let streams = (0..sides).map(|_| SideShards::default()).collect();
        let names = output.names()?;
        Ok(TokenWriter { output, names, width, streams, shuffle: None, kept: None, documents: 0, open: None })
    }

    fn place(&self, side: usize) -> ShardPlace<'_> {
        let number = self.streams[side].done.len();
        ShardPlace { names: &self.names, layout: &self.output.layout, width: self.width, side, number }
    }

    /// Rows that follow those before.
    pub(crate) fn write(&mut self, rows: &EncodedRows) -> Result<()> {
        let EncodedRows { ids, ends, keys, kept } = *rows;
        let places = self.kept.as_mut().map(|store| store.append(kept)).transpose()?.unwrap_or_default();
        if self.kept.is_some() && places.len() != ends.len() {
            return Err(Error::Internal(format!("{} documents have {} kept rows", ends.len(), places.len())));
        }
        if self.streams.len() == 1 && self.shuffle.is_none() {
            return self.write_many(ids, ends, &places);
        }
        let mut places = places.into_iter();
        let mut keys = keys.iter();
        let mut start = 0;
        for &end in ends {
            self.write_part(&ids[start..end], &mut keys)?;
            self.end_document(places.next().unwrap_or_default())?;
            start = end;
        }
        // A document that begins here and has no ids yet has begun all the same.
        if start < ids.len() || keys.len() > 0 { self.write_part(&ids[start..], &mut keys) } else { Ok(()) }
    }

    /// Documents on the only side, as many as the shard takes at once.
    fn write_many(&mut self, ids: &[u32], ends: &[usize], places: &[KeptPlace]) -> Result<()> {
        let most = self.output.layout.shard_tokens.unwrap_or(u64::MAX);
        let (mut start, mut left) = (0, ends);
        let mut places = places.iter().copied();
        loop {
            if start == ids.len() && left.is_empty() {
                return Ok(());
            }
            let width = self.width;
            let shard = self.shard(0)?;
            let before = shard.tokens();
            let after = |end: usize| before + (end - start) as u64;
            // Ends grow, so that the first that is far enough is found by halving.
            let taken = left.partition_point(|&end| after(end) < most);
            let is_full = taken < left.len();
            let (these, rest) = left.split_at(taken + usize::from(is_full));
            let upto = if is_full { these[taken] } else { ids.len() };
            shard.write(&ids[start..upto], width)?;
            for &end in these {
                shard.end_document_at(after(end), places.next().unwrap_or_default())?;
            }
            (start, left) = (upto, rest);
            if is_full {
                self.finish_shard(0)?;
            }
        }
    }

    fn write_part(&mut self, ids: &[u32], keys: &mut std::slice::Iter<u64>) -> Result<()> {
        let key = match self.open {
            Some(key) => key,
            None => {
                let key = keys.next().copied().unwrap_or_default();
                (self.open, self.documents) = (Some(key), self.documents + 1);
                key
            }
        };
        let side = self.side(key);
        match &mut self.shuffle {
            Some(shuffle) => shuffle.write(ids, place_in_order(self.output.layout.seed, self.documents - 1)),
            None => {
                let width = self.width;
                self.shard(side)?.write(ids, width)
            }
        }
    }

    fn end_document(&mut self, kept: KeptPlace) -> Result<()> {
        let Some(key) = self.open.take() else {
            return Err(Error::Internal("a document ends that has not begun".into()));
        };
        let side = self.side(key);
        match &mut self.shuffle {
            Some(shuffle) => {
                shuffle.end_document(place_in_order(self.output.layout.seed, self.documents - 1), side, kept)
            }
            None => self.end_in_shard(side, kept),
        }
    }

    fn end_in_shard(&mut self, side: usize, kept: KeptPlace) -> Result<()> {
        let most = self.output.layout.shard_tokens.unwrap_or(u64::MAX);
        let shard = self.shard(side)?;
        shard.end_document_at(shard.tokens(), kept)?;
        if shard.tokens() >= most { self.finish_shard(side) } else { Ok(()) }
    }

    fn side(&self, key: u64) -> usize {
        // 2^-64 as a part of all keys; a key is as good as drawn at random.
        let part = key as f64 / 2f64.powi(64);
        usize::from(self.output.layout.split.is_some_and(|split| part < split))
    }

    fn shard(&mut self, side: usize) -> Result<&mut Shard> {
        if self.streams[side].shard.is_none() {
            self.streams[side].shard = Some(Shard::create(self.place(side))?);
        }
        self.streams[side].shard.as_mut().ok_or_else(|| Error::Internal("there is no shard".into()))
    }

    fn finish_shard(&mut self, side: usize) -> Result<()> {
        if let Some(store) = &mut self.kept {
            store.flush()?;
        }
        if let Some(shard) = self.streams[side].shard.take() {
            let done = shard.finish(self.place(side), self.output.convert)?;
            self.streams[side].done.push(done);
        }
        Ok(())
    }

    /// Everything so far reaches the disk.
    pub(crate) fn checkpoint(&mut self) -> Result<WriterState> {
        let mut streams = Vec::new();
        for stream in &mut self.streams {
            let shard = stream.shard.as_mut().map(Shard::checkpoint).transpose()?;
            streams.push(SideState { done: stream.done.clone(), shard });
        }
        let shuffle = self.shuffle.as_mut().map(Shuffle::checkpoint).transpose()?;
        let kept = self.kept.as_mut().map(KeptStore::checkpoint).transpose()?;
        Ok(WriterState { documents: self.documents, open: self.open, streams, shuffle, kept })
    }

    /// The documents in the order drawn, after all have come. `tick` is called now and then with how many there are, and
    /// how many are done; what it is given makes a checkpoint.
    pub(crate) fn put_in_order(&mut self, tick: &mut dyn FnMut(&mut Self, u64, u64) -> Result<()>) -> Result<()> {
        let Some(mut shuffle) = self.shuffle.take() else { return Ok(()) };
        let total = self.documents;
        let mut done = shuffle.placed();
        while let Some(bucket) = shuffle.next_bucket()? {
            for document in bucket.documents() {
                let (ids, side) = bucket.read(document)?;
                let width = self.width;
                self.shard(side)?.write(ids, width)?;
                self.end_in_shard(side, document.kept)?;
                shuffle.advance();
                done += 1;
                if done % 1024 == 0 {
                    self.shuffle = Some(shuffle);
                    tick(self, done, total)?;
                    shuffle = self.shuffle.take().ok_or_else(|| Error::Internal("the order was lost".into()))?;
                }
            }
            shuffle.finish_bucket();
        }
        self.shuffle = Some(shuffle);
        Ok(())
    }

    /// Finishes the last shards; returns all of them, side by side.
    pub(crate) fn finish(&mut self) -> Result<Vec<Vec<ShardFiles>>> {
        for side in 0..self.streams.len() {
            let is_first = self.streams[side].done.is_empty();
            if is_first {
                self.shard(side)?;
            }
            self.finish_shard(side)?;
            // Shards of an earlier run that had more of them.
            let mut stale = self.place(side);
            while self.output.layout.shard_tokens.is_some() && remove_shard(&stale.tokens()) {
                stale.number += 1;
            }
        }
        Ok(self.streams.iter().map(|stream| stream.done.clone()).collect())
    }

    /// Removes the work files that an earlier run may have left when all was done.
    pub(crate) fn remove_leftovers(names: &TokenFileNames) {
        shuffle::remove_leftovers(names);
        kept::remove_leftovers(names);
    }

    /// Removes the work files, when nobody needs to go on from them any more.
    pub(crate) fn clean_up(self) {
        if let Some(shuffle) = self.shuffle {
            shuffle.remove();
        }
        if let Some(kept) = self.kept {
            kept.remove();
        }
    }
}

/// Numbers that put documents in an order as good as drawn at random.
fn place_in_order(seed: u64, document: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&document.to_le_bytes(), seed)
}
