//! Merge: several bodies into one. Equal pieces come together because all are sorted; what is merged is never all in memory.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::block::Record;
use super::body::{Body, Cursor};
use super::writer::{Target, Writer};
use crate::error::{Error, Result};
use crate::machine::parallel::{Team, Watch};

/// Bodies that are merged at a time: each has a block in memory.
const MOST_AT_ONCE: usize = 128;
/// Records between two questions whether to go on.
const PATIENCE: u64 = 1 << 14;

/// Blocks that one thread merges at a time: few enough for a stop to be prompt, since it waits for those under way.
const BLOCKS_IN_A_RANGE: usize = 64;

/// Where the result of a merge goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    Memory,
    File,
}

/// How a merge runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct How<'a> {
    pub into: Destination,
    pub ordered: bool,
    pub threads: usize,
    /// Counts the pieces that were read, for callers that watch.
    pub done: &'a AtomicU64,
}

/// One body with all pieces of the given ones. Places of a piece give way to the least of them.
pub(super) fn merge(mut bodies: Vec<Body>, how: How, watch: &mut Watch) -> Result<Body> {
    while bodies.len() > MOST_AT_ONCE {
        let rest = bodies.split_off(MOST_AT_ONCE);
        let merged = merge_in_one(&bodies, how, watch)?;
        bodies = rest;
        bodies.push(merged);
    }
    match (bodies.len(), how.into) {
        (1, _) if bodies[0].ordered == how.ordered => Ok(bodies.remove(0)),
        (_, Destination::Memory) if how.threads > 1 => merge_ranges(&bodies, how, watch),
        _ => merge_in_one(&bodies, how, watch),
    }
}

/// The same with ranks in the order of appearance, 0 for the first piece, in place of places. Takes 8 bytes of memory for each piece.
pub(super) fn ranked(body: &Body, into: Destination, watch: &mut Watch) -> Result<Body> {
    let mut places = Vec::with_capacity(body.distinct as usize);
    each(body, watch, |record| {
        places.push(record.place);
        Ok(())
    })?;
    places.sort_unstable();
    let mut writer = Writer::new(target(into)?, true);
    each(body, watch, |record| {
        let rank = places.partition_point(|&place| place < record.place);
        writer.push(Record { place: rank as u64, ..record })
    })?;
    Ok(writer.finish()?.0)
}

fn each(body: &Body, watch: &mut Watch, mut each: impl FnMut(Record) -> Result<()>) -> Result<()> {
    let mut cursor = body.cursor();
    let mut done = 0u64;
    while cursor.advance()? {
        done += 1;
        if done.is_multiple_of(PATIENCE) {
            watch()?;
        }
        each(cursor.record())?;
    }
    Ok(())
}

pub(super) fn target(into: Destination) -> Result<Target> {
    Ok(match into {
        Destination::Memory => Target::Memory,
        Destination::File => Target::File(Arc::new(temporary_file()?), 0),
    })
}

/// A file without a name: however the process ends, nothing is left of it.
pub(crate) fn temporary_file() -> Result<std::fs::File> {
    tempfile::tempfile().map_err(|error| Error::io(std::env::temp_dir(), error))
}

fn merge_in_one(bodies: &[Body], how: How, watch: &mut Watch) -> Result<Body> {
    let cursors = bodies.iter().map(Body::cursor).collect();
    let mut writer = Writer::new(target(how.into)?, how.ordered);
    let mut merged = 0u64;
    merge_cursors(cursors, None, how.done, |record| {
        merged += 1;
        if merged.is_multiple_of(PATIENCE) {
            watch()?;
        }
        writer.push(record)
    })?;
    Ok(writer.finish()?.0)
}

/// Ranges of pieces are merged each by itself, and the results stand one after the other.
fn merge_ranges(bodies: &[Body], how: How, watch: &mut Watch) -> Result<Body> {
    let How { ordered, threads, done, .. } = how;
    let mut pieces: Vec<&[u8]> = bodies.iter().flat_map(Body::borders).collect();
    pieces.sort_unstable();
    // The first of all is the start of the first range.
    let ranges = threads.max(pieces.len() / BLOCKS_IN_A_RANGE);
    let borders = (1..ranges).map(|i| pieces.get(i * pieces.len() / ranges).copied().unwrap_or_default());
    let mut starts: Vec<&[u8]> = [&[][..]].into_iter().chain(borders).collect();
    starts.dedup();
    let ranges = starts.iter().enumerate().map(|(i, &start)| Ok((start, starts.get(i + 1).copied())));
    let mut all: Option<Body> = None;
    Team::new(threads, watch).run(
        || (),
        ranges,
        |(), (start, end)| {
            let cursors = bodies.iter().map(|body| body.cursor_from(start)).collect::<Result<_>>()?;
            let mut writer = Writer::new(Target::Memory, ordered);
            merge_cursors(cursors, end, done, |record| writer.push(record))?;
            writer.finish()
        },
        |(body, _)| {
            match &mut all {
                Some(all) => all.append(body),
                None => all = Some(body),
            }
            Ok(())
        },
    )?;
    all.map_or_else(|| Writer::new(Target::Memory, ordered).finish().map(|(body, _)| body), Ok)
}

/// Calls `each` with the records of all cursors up to `end`, those of equal pieces as one.
fn merge_cursors(
    mut cursors: Vec<Cursor>,
    end: Option<&[u8]>,
    done: &AtomicU64,
    mut each: impl FnMut(Record) -> Result<()>,
) -> Result<()> {
    // A heap of those that have a record, the least piece on top.
    let mut heap: Vec<Top> = Vec::with_capacity(cursors.len());
    for (number, cursor) in cursors.iter_mut().enumerate() {
        if cursor.advance()? {
            heap.push(Top { start: start(cursor.record().piece), number });
        }
    }
    heap.sort_unstable_by(|a, b| compare(&cursors, a, b));
    let mut piece = Vec::new();
    let mut read = 0;
    while let Some(top) = heap.first() {
        let Record { piece: least, mut count, mut place } = cursors[top.number].record();
        if end.is_some_and(|end| least >= end) {
            break;
        }
        piece.clear();
        piece.extend_from_slice(least);
        step(&mut heap, &mut cursors)?;
        read += 1;
        while let Some(top) = heap.first()
            && cursors[top.number].record().piece == piece
        {
            let also = cursors[top.number].record();
            count = count.checked_add(also.count).ok_or_else(too_many)?;
            place = place.min(also.place);
            step(&mut heap, &mut cursors)?;
            read += 1;
        }
        if read >= PATIENCE {
            done.fetch_add(std::mem::take(&mut read), Relaxed);
        }
        each(Record { piece: &piece, count, place })?;
    }
    Ok(())
}

/// Counts that together do not fit into a number.
pub(crate) fn too_many() -> Error {
    Error::Spec("the counts of a piece together are more than 18,446,744,073,709,551,615".into())
}

/// A cursor in the heap, with the start of its piece, which decides nearly always.
#[derive(Debug, Clone, Copy)]
struct Top {
    start: u128,
    number: usize,
}

/// The first bytes of a piece as a number; those of a greater piece are no less.
fn start(piece: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    let length = piece.len().min(16);
    bytes[..length].copy_from_slice(&piece[..length]);
    u128::from_be_bytes(bytes)
}

fn compare(cursors: &[Cursor], a: &Top, b: &Top) -> Ordering {
    let rest = || cursors[a.number].record().piece.cmp(cursors[b.number].record().piece);
    a.start.cmp(&b.start).then_with(rest)
}

/// Goes on with the cursor on top and gives it its place in the heap.
fn step(heap: &mut Vec<Top>, cursors: &mut [Cursor]) -> Result<()> {
    let cursor = &mut cursors[heap[0].number];
    if cursor.advance()? {
        heap[0].start = start(cursor.record().piece);
    } else {
        heap.swap_remove(0);
    }
    let mut at = 0;
    loop {
        let mut least = at;
        for child in [2 * at + 1, 2 * at + 2] {
            if child < heap.len() && compare(cursors, &heap[child], &heap[least]) == Ordering::Less {
                least = child;
            }
        }
        if least == at {
            return Ok(());
        }
        heap.swap(at, least);
        at = least;
    }
}
