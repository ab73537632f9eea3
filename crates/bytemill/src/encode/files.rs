//! Files to ids: read, encoded on all cores and handed over in order, in constant memory. Here they stay in memory, one row
//! for each document, or only the number of tokens of each file is kept; `token_files.rs` writes them.

use std::cell::Cell;

use crate::data::{
    Chunk, ChunkCount, Chunks, FileText, KeptRows, Listing, OpenedChunk, PlacedBlock, Position, SkippedRows,
    SourceOptions, Tally, document_key, grouped,
};
use crate::encode::call::Call;
use crate::encode::gather::gather;
use crate::encode::scratch::Scratch;
use crate::encode::sink::Ragged;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::machine::parallel::Team;
use crate::machine::pool::Pool;
use crate::specials::Choice;
use crate::vocab::TokenId;

pub struct Job<'a> {
    pub listing: &'a Listing,
    pub options: SourceOptions,
    pub choice: &'a Choice,
    /// Written before every document.
    pub prepend: Option<TokenId>,
    /// Written after every document.
    pub append: Option<TokenId>,
    pub threads: usize,
}

/// How far work on files is: bytes of the listing that were read, and what was made of those that this call has read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileProgress {
    pub bytes: u64,
    pub documents: u64,
    pub tokens: u64,
}

/// The ids of every document, as `encode_files` would write them.
pub fn encode_files_to_memory(
    tokenizer: &Tokenizer,
    job: Job,
    watch: &mut dyn FnMut(FileProgress) -> Result<()>,
) -> Result<Ragged> {
    refuse_unknown(tokenizer, &job)?;
    let bytes = usize::try_from(job.listing.total_bytes).unwrap_or(usize::MAX);
    let run = Run { tokenizer, job: &job, seed: None, from: None };
    gather(bytes, job.threads, tokenizer.spare(), |gathering| {
        let give = |encoded: Encoded, _: &Tally, _| {
            gathering.give(encoded.rows);
            Ok(())
        };
        run.run(watch, |bytes| gathering.rows(bytes), give).map(|_| ())
    })
}

/// What one file of a listing holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileCount {
    pub documents: u64,
    /// Of text, in UTF-8.
    pub bytes: u64,
    pub tokens: u64,
    /// Documents that were left out because they are none.
    pub skipped: u64,
}

/// How many tokens each file of the listing has, in its order. Nothing is written.
pub fn count_files(
    tokenizer: &Tokenizer,
    job: Job,
    watch: &mut dyn FnMut(FileProgress) -> Result<()>,
) -> Result<Vec<FileCount>> {
    refuse_unknown(tokenizer, &job)?;
    let spare = Pool::<Ragged>::default();
    let mut of_documents: Vec<u64> = Vec::new();
    let mut unfinished = 0;
    let run = Run { tokenizer, job: &job, seed: None, from: None };
    let (files, _) = run.run(watch, emptied(&spare), |Encoded { rows, .. }, _, _| {
        let mut start = 0;
        for &end in &rows.ends {
            of_documents.push(unfinished + (end - start) as u64);
            (unfinished, start) = (0, end);
        }
        unfinished += (rows.ids.len() - start) as u64;
        spare.give(rows);
        Ok(())
    })?;
    let mut tokens = of_documents.into_iter();
    let counted = |FileText { documents, bytes, skipped, .. }| FileCount {
        documents,
        bytes,
        skipped,
        tokens: tokens.by_ref().take(usize::try_from(documents).unwrap_or(usize::MAX)).sum(),
    };
    Ok(files.into_iter().map(counted).collect())
}

/// Rows to be filled, whose memory was used before: fresh memory is slower, as every page of it is a fault.
pub(super) fn emptied(spare: &Pool<Ragged>) -> impl Fn(usize) -> Ragged + Sync {
    |_| {
        let mut rows = spare.take();
        rows.clear();
        rows
    }
}

/// Where work goes on that was interrupted.
pub(super) struct ResumePoint {
    pub position: Position,
    pub files: Vec<FileText>,
    pub skipped: SkippedRows,
}

/// What became of some chunks.
pub(super) struct Encoded {
    /// With the ends of the documents that end in them.
    pub rows: Ragged,
    /// The key of each document that begins in them, if a seed was given.
    pub keys: Vec<u64>,
    /// What is kept of each document.
    pub kept: KeptRows,
    tokens: u64,
    counts: Vec<ChunkCount>,
}

impl Encoded {
    fn added_to(&self, done: FileProgress) -> FileProgress {
        let documents = self.counts.iter().map(|count| count.text.documents).sum::<u64>();
        FileProgress { documents: done.documents + documents, tokens: done.tokens + self.tokens, ..done }
    }
}

pub(super) struct Run<'a> {
    pub tokenizer: &'a Tokenizer,
    pub job: &'a Job<'a>,
    /// For the keys of documents, if they are wanted.
    pub seed: Option<u64>,
    pub from: Option<ResumePoint>,
}

impl Run<'_> {
    /// Hands the ids over batch by batch, appended to what `rows` gives for that many bytes, with what was read so far and
    /// where to go on after it. Returns how many documents and bytes of text each file had, and which documents were
    /// left out.
    pub(super) fn run(
        self,
        watch: &mut dyn FnMut(FileProgress) -> Result<()>,
        rows: impl Fn(usize) -> Ragged + Sync,
        mut take: impl FnMut(Encoded, &Tally, Option<Position>) -> Result<()>,
    ) -> Result<(Vec<FileText>, SkippedRows)> {
        let Run { tokenizer, job, seed, from } = self;
        let mut chunks = Chunks::open(job.listing, job.options.clone(), tokenizer);
        let mut tally = Tally::default();
        if let Some(ResumePoint { position, files, skipped }) = from {
            chunks.go_on(position);
            tally = Tally::from(position, files, skipped);
        }
        let spare = chunks.spare();
        let done = Cell::new(FileProgress::default());
        let watched = std::iter::from_fn(|| {
            let chunk = chunks.next();
            done.set(FileProgress { bytes: chunks.bytes_read(), ..done.get() });
            chunk
        });
        let scratches = Team::with_caller(job.threads, &mut || watch(done.get())).run(
            || tokenizer.pool().take(),
            grouped(watched, Chunk::bytes),
            |scratch: &mut Box<Scratch>, group: Vec<Chunk>| {
                let OpenedGroup { blocks, kept, counts, failed } = OpenedGroup::new(group, &spare);
                let mut rows = rows(blocks.iter().map(|placed| placed.block.text.len()).sum());
                let before = rows.ids.len();
                let keys = seed.map(|seed| keys_of(&blocks, seed)).unwrap_or_default();
                // Where documents follow one another they are taken together; else each by itself.
                for blocks in blocks.chunk_by(|left, right| is_document(left) && is_document(right)) {
                    encode(tokenizer, blocks, job, scratch, &mut rows)?;
                }
                blocks.into_iter().for_each(|placed| spare.give(placed.block.text.into_bytes()));
                failed.map_or(Ok(()), Err)?;
                Ok(Encoded { tokens: (rows.ids.len() - before) as u64, rows, keys, kept, counts })
            },
            |encoded| {
                encoded.counts.iter().for_each(|count| tally.add(count));
                done.set(encoded.added_to(done.get()));
                let after = encoded.counts.last().and_then(|count| count.after);
                let after = after.map(|after| tally.position(after));
                take(encoded, &tally, after)
            },
        )?;
        scratches.into_iter().for_each(|scratch| tokenizer.pool().give(scratch));
        Ok(tally.into_files())
    }
}

/// Chunks that one worker has opened.
struct OpenedGroup {
    blocks: Vec<PlacedBlock>,
    kept: KeptRows,
    counts: Vec<ChunkCount>,
    /// The error that follows these blocks.
    failed: Option<Error>,
}

impl OpenedGroup {
    fn new(group: Vec<Chunk>, spare: &Pool<Vec<u8>>) -> Self {
        let (blocks, counts) = (Vec::new(), Vec::with_capacity(group.len()));
        let mut all = OpenedGroup { blocks, kept: KeptRows::default(), counts, failed: None };
        for chunk in group {
            let OpenedChunk { blocks, kept, failed, count } = chunk.open(spare);
            if all.blocks.is_empty() {
                all.blocks = blocks;
            } else {
                all.blocks.extend(blocks);
            }
            if all.kept.places.is_empty() {
                all.kept = kept;
            } else {
                all.kept.extend(&kept, 0..kept.places.len());
            }
            all.counts.push(count);
            all.failed = failed;
            if all.failed.is_some() {
                break;
            }
        }
        all
    }
}

/// The keys of the documents that begin in these blocks.
fn keys_of(blocks: &[PlacedBlock], seed: u64) -> Vec<u64> {
    let beginnings = blocks.iter().filter(|placed| placed.place.begins);
    beginnings.map(|placed| document_key(&placed.block.text, seed)).collect()
}

/// Whether it is, or ends, a document of which nothing else is known.
fn is_document(placed: &PlacedBlock) -> bool {
    placed.block.ends_document && placed.block.language.is_none()
}

fn encode(
    tokenizer: &Tokenizer,
    blocks: &[PlacedBlock],
    job: &Job,
    scratch: &mut Scratch,
    rows: &mut Ragged,
) -> Result<()> {
    let Job { choice, prepend, append, .. } = *job;
    if let [_, _, ..] = blocks {
        let texts: Vec<&str> = blocks.iter().map(|placed| placed.block.text.as_str()).collect();
        let before = rows.mark();
        if tokenizer.encode_rows(&texts, choice.into(), append, scratch, rows).is_ok() {
            if let Some(id) = prepend {
                rows.prepend(before, id, blocks.iter().map(|placed| placed.place.begins));
            }
            return Ok(());
        }
        // Which of them it was, and where, is found out one by one.
        rows.cut_back(before);
    }
    for PlacedBlock { block, place } in blocks {
        let call = Call { language: block.language, ..Call::from(choice) };
        if place.begins {
            rows.ids.extend(prepend);
        }
        let encoded = tokenizer.encode(&block.text, call, scratch, &mut rows.ids);
        encoded.map_err(|error| error.moved_by(place.before).of(place))?;
        if block.ends_document {
            rows.ids.extend(append);
            rows.ends.push(rows.ids.len());
        }
    }
    Ok(())
}

pub(super) fn refuse_unknown(tokenizer: &Tokenizer, job: &Job) -> Result<()> {
    let mut ids = job.prepend.into_iter().chain(job.append);
    match ids.find(|&id| tokenizer.token(id).is_none()) {
        Some(id) => Err(tokenizer.unknown_id(id.into())),
        None => Ok(()),
    }
}
