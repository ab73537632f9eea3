//! Files to a token file: read, encoded on all cores and written in order, in constant memory. Or to ids in memory, one
//! row for each document; or to the number of tokens of each file.

use std::borrow::Borrow;
use std::cell::Cell;
use std::path::Path;

use crate::data::{BlockPlace, Blocks, FileText, Listing, SourceOptions, TextBlock, TokenFile, TokenWidth, batches};
use crate::encode::call::Call;
use crate::encode::exchange::{Exchange, Member};
use crate::encode::gather::Gathering;
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
    /// Written after every document.
    pub append: Option<TokenId>,
    pub threads: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    pub documents: u64,
    pub bytes: u64,
    pub tokens: u64,
    pub width: TokenWidth,
}

/// `watch` is told now and then how many bytes of the listing have been read; an error from it stops the work.
pub fn encode_files(
    tokenizer: &Tokenizer,
    job: Job,
    output: &Path,
    watch: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Report> {
    refuse_unknown(tokenizer, job.append)?;
    refuse_to_overwrite_a_source(job.listing, output)?;
    let width = TokenWidth::for_vocab_size(tokenizer.size());
    let mut file = TokenFile::create(output, width)?;
    let spare = Pool::<Ragged>::default();
    let files = run(tokenizer, job, watch, emptied(&spare), |rows| {
        file.write(&rows.ids)?;
        spare.give(rows);
        Ok(())
    })?;
    let documents = files.iter().map(|file| file.documents).sum();
    let bytes = files.iter().map(|file| file.bytes).sum();
    Ok(Report { documents, bytes, tokens: file.finish()?, width })
}

/// The ids of every document, as `encode_files` would write them.
pub fn encode_files_to_memory(
    tokenizer: &Tokenizer,
    job: Job,
    watch: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Ragged> {
    refuse_unknown(tokenizer, job.append)?;
    let bytes = usize::try_from(job.listing.total_bytes).unwrap_or(usize::MAX);
    let gathering = Gathering::new(bytes, job.threads, tokenizer.spare());
    run(
        tokenizer,
        job,
        watch,
        |bytes| gathering.rows(bytes),
        |rows| {
            gathering.give(rows);
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
    refuse_unknown(tokenizer, job.append)?;
    let spare = Pool::<Ragged>::default();
    let mut of_documents: Vec<u64> = Vec::new();
    let mut unfinished = 0;
    let files = run(tokenizer, job, watch, emptied(&spare), |rows| {
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
    let counted = |FileText { documents, bytes }| FileCount {
        documents,
        bytes,
        tokens: tokens.by_ref().take(usize::try_from(documents).unwrap_or(usize::MAX)).sum(),
    };
    Ok(files.into_iter().map(counted).collect())
}

/// Rows to be filled, whose memory was used before: fresh memory is slower, as every page of it is a fault.
fn emptied(spare: &Pool<Ragged>) -> impl Fn(usize) -> Ragged + Sync {
    |_| {
        let mut rows = spare.take();
        rows.clear();
        rows
    }
}

/// Hands the ids over batch by batch, appended to what `rows` gives for so many bytes, with the ends of the documents
/// that end in it. Returns how many documents and bytes of text each file had.
fn run(
    tokenizer: &Tokenizer,
    job: Job,
    watch: &mut dyn FnMut(u64) -> Result<()>,
    rows: impl Fn(usize) -> Ragged + Sync,
    take: impl FnMut(Ragged) -> Result<()>,
) -> Result<Vec<FileText>> {
    let mut blocks = Blocks::open(job.listing, job.options, tokenizer);
    let spare = blocks.spare();
    let read = Cell::new(0);
    let watched = std::iter::from_fn(|| {
        let block = blocks.next();
        read.set(blocks.bytes_read());
        Some(block?.map(|block| Placed { place: blocks.place(), block }))
    });
    let exchange = Exchange::new(job.threads);
    let members = Team::with_caller(job.threads, &mut || watch(read.get())).run(
        || exchange.join(tokenizer.pool().take()),
        batches(watched),
        |member: &mut Member, batch: Vec<Placed>| {
            let mut rows = rows(batch.iter().map(|placed| placed.block.text.len()).sum());
            member.work(|scratch| {
                // Where documents follow one another they are taken together; else each by itself.
                for blocks in batch.chunk_by(|left, right| left.is_document() && right.is_document()) {
                    encode(tokenizer, blocks, job.choice, job.append, scratch, &mut rows)?;
                }
                batch.into_iter().for_each(|placed| spare.give(placed.block.text));
                Ok(rows)
            })
        },
        take,
    )?;
    members.into_iter().for_each(|member| tokenizer.pool().give(member.leave()));
    Ok(blocks.into_files())
}

fn encode(
    tokenizer: &Tokenizer,
    blocks: &[Placed],
    choice: &Choice,
    append: Option<TokenId>,
    scratch: &mut Scratch,
    rows: &mut Ragged,
) -> Result<()> {
    if let [_, _, ..] = blocks {
        let texts: Vec<&str> = blocks.iter().map(|placed| placed.block.text.as_str()).collect();
        let before = rows.mark();
        if tokenizer.encode_rows(&texts, choice.into(), append, scratch, rows).is_ok() {
            return Ok(());
        }
        // Which of them it was, and where, is found out one by one.
        rows.cut_back(before);
    }
    for Placed { block, place } in blocks {
        let call = Call { language: block.language, ..Call::from(choice) };
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

fn refuse_unknown(tokenizer: &Tokenizer, append: Option<TokenId>) -> Result<()> {
    match append.filter(|&id| tokenizer.token(id).is_none()) {
        Some(id) => Err(tokenizer.unknown_id(id.into())),
        None => Ok(()),
    }
}

fn refuse_to_overwrite_a_source(listing: &Listing, output: &Path) -> Result<()> {
    let Ok(output) = output.canonicalize() else {
        return Ok(());
    };
    match listing.files.iter().find(|file| file.path.canonicalize().is_ok_and(|path| path == output)) {
        Some(file) => {
            Err(Error::Spec(format!("{} is among the files to read; write to another one", file.path.display())))
        }
        None => Ok(()),
    }
}
