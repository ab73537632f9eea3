//! Files to ids: read, encoded on all cores and handed over in order, in constant memory. Here they stay in memory, one row
//! for each document, or only the number of tokens of each file is kept; `token_files.rs` writes them.

use std::borrow::Borrow;
use std::cell::{Cell, RefCell};

use crate::data::{
    BlockPlace, Blocks, FileText, Listing, Position, SkippedRows, SourceOptions, TextBlock, batches, document_key,
};
use crate::encode::call::Call;
use crate::encode::exchange::{Exchange, Member};
use crate::encode::gather::Gathering;
use crate::encode::scratch::Scratch;
use crate::encode::sink::Ragged;
use crate::encode::tokenizer::Tokenizer;
use crate::error::Result;
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

/// The ids of every document, as `encode_files` would write them.
pub fn encode_files_to_memory(
    tokenizer: &Tokenizer,
    job: Job,
    watch: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Ragged> {
    refuse_unknown(tokenizer, &job)?;
    let bytes = usize::try_from(job.listing.total_bytes).unwrap_or(usize::MAX);
    let gathering = Gathering::new(bytes, job.threads, tokenizer.spare());
    let run = Run { tokenizer, job: &job, seed: None, from: None };
    run.run(
        watch,
        |bytes| gathering.rows(bytes),
        |encoded, _| {
            gathering.give(encoded.rows);
            Ok(())
        },
    )?;
    Ok(gathering.finish())
}

/// What one file of a listing holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileCount {
    pub documents: u64,
    /// Of text, in UTF-8.
    pub bytes: u64,
    pub tokens: u64,
}

/// How many tokens each file of the listing has, in its order. Nothing is written.
pub fn count_files(
    tokenizer: &Tokenizer,
    job: Job,
    watch: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Vec<FileCount>> {
    refuse_unknown(tokenizer, &job)?;
    let spare = Pool::<Ragged>::default();
    let mut of_documents: Vec<u64> = Vec::new();
    let mut unfinished = 0;
    let run = Run { tokenizer, job: &job, seed: None, from: None };
    let (files, _) = run.run(watch, emptied(&spare), |Encoded { rows, .. }, _| {
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
    let counted = |FileText { documents, bytes, .. }| FileCount {
        documents,
        bytes,
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

/// What became of some blocks.
pub(super) struct Encoded {
    /// With the ends of the documents that end in them.
    pub rows: Ragged,
    /// The key of each document that begins in them, if a seed was given.
    pub keys: Vec<u64>,
    /// How far reading has come with them.
    pub after: Option<Position>,
}

pub(super) struct Run<'a> {
    pub tokenizer: &'a Tokenizer,
    pub job: &'a Job<'a>,
    /// For the keys of documents, if they are wanted.
    pub seed: Option<u64>,
    pub from: Option<ResumePoint>,
}

impl Run<'_> {
    /// Hands the ids over batch by batch, appended to what `rows` gives for so many bytes. Returns how many documents and
    /// bytes of text each file had, and which documents were left out.
    pub(super) fn run(
        self,
        watch: &mut dyn FnMut(u64) -> Result<()>,
        rows: impl Fn(usize) -> Ragged + Sync,
        mut take: impl FnMut(Encoded, &Blocks) -> Result<()>,
    ) -> Result<(Vec<FileText>, SkippedRows)> {
        let Run { tokenizer, job, seed, from } = self;
        let mut blocks = Blocks::open(job.listing, job.options.clone(), tokenizer);
        if let Some(ResumePoint { position, files, skipped }) = from {
            blocks.go_on(position, files, skipped);
        }
        let spare = blocks.spare();
        let blocks = RefCell::new(blocks);
        let read = Cell::new(0);
        let watched = std::iter::from_fn(|| {
            let mut blocks = blocks.borrow_mut();
            let block = blocks.next();
            read.set(blocks.bytes_read());
            Some(block?.map(|block| {
                let place = blocks.place();
                let key = seed.filter(|_| place.begins).map(|seed| document_key(&block.text, seed));
                Placed { place, key, after: blocks.reached(), block }
            }))
        });
        let exchange = Exchange::new(job.threads);
        let members = Team::with_caller(job.threads, &mut || watch(read.get())).run(
            || exchange.join(tokenizer.pool().take()),
            batches(watched),
            |member: &mut Member, batch: Vec<Placed>| {
                let mut rows = rows(batch.iter().map(|placed| placed.block.text.len()).sum());
                let after = batch.last().and_then(|placed| placed.after);
                let keys = batch.iter().filter_map(|placed| placed.key).collect();
                member.work(|scratch| {
                    // Where documents follow one another they are taken together; else each by itself.
                    for blocks in batch.chunk_by(|left, right| left.is_document() && right.is_document()) {
                        encode(tokenizer, blocks, job, scratch, &mut rows)?;
                    }
                    batch.into_iter().for_each(|placed| spare.give(placed.block.text));
                    Ok(Encoded { rows, keys, after })
                })
            },
            |encoded| take(encoded, &blocks.borrow()),
        )?;
        members.into_iter().for_each(|member| tokenizer.pool().give(member.leave()));
        Ok(blocks.into_inner().into_files())
    }
}

fn encode(tokenizer: &Tokenizer, blocks: &[Placed], job: &Job, scratch: &mut Scratch, rows: &mut Ragged) -> Result<()> {
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
    for Placed { block, place, .. } in blocks {
        let call = Call { language: block.language, ..Call::from(choice) };
        if place.begins {
            rows.ids.extend(prepend);
        }
        let encoded = tokenizer.encode(&block.text, call, scratch, &mut rows.ids);
        encoded.map_err(|error| error.behind(place.before).of(place))?;
        if block.ends_document {
            rows.ids.extend(append);
            rows.ends.push(rows.ids.len());
        }
    }
    Ok(())
}

/// A block that errors know the place of.
struct Placed {
    block: TextBlock,
    place: BlockPlace,
    key: Option<u64>,
    after: Option<Position>,
}

impl Placed {
    /// Whether it is, or ends, a document of which nothing else is known.
    fn is_document(&self) -> bool {
        self.block.ends_document && self.block.language.is_none()
    }
}

impl Borrow<TextBlock> for Placed {
    fn borrow(&self) -> &TextBlock {
        &self.block
    }
}

pub(super) fn refuse_unknown(tokenizer: &Tokenizer, job: &Job) -> Result<()> {
    let mut ids = job.prepend.into_iter().chain(job.append);
    match ids.find(|&id| tokenizer.token(id).is_none()) {
        Some(id) => Err(tokenizer.unknown_id(id.into())),
        None => Ok(()),
    }
}
