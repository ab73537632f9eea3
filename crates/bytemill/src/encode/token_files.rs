//! Files to token files: the documents of files, encoded and written in order. Now and then a journal is kept of how far the
//! work is, from which it can go on to exactly the bytes that it would have written undisturbed.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::data::{
    EncodedRows, FileText, Position, ShardFiles, SkippedRows, Tally, TokenFileNames, TokenOutput, TokenWidth,
    TokenWriter,
};
use crate::encode::files::{Encoded, FileProgress, Job, ResumePoint, Run, emptied, refuse_unknown};
use crate::encode::journal::{Journal, identity};
use crate::encode::manifest::Manifest;
pub use crate::encode::manifest::OutputFile;
use crate::encode::sink::Ragged;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::machine::pool::Pool;

/// How token files are written, beside what is in them.
pub struct Writing<'a> {
    pub output: TokenOutput<'a>,
    /// Go on with what an interrupted run of the same job has left.
    pub resume: bool,
    /// How often it is noted how far the work is.
    pub checkpoint: Duration,
    /// What the manifest says of the options, as JSON.
    pub described: String,
    /// Whether this is one of several shards, which may leave out all of its documents.
    pub is_shard: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub documents: u64,
    /// Of text, in UTF-8.
    pub bytes: u64,
    pub tokens: u64,
    pub width: TokenWidth,
    pub files: Vec<OutputFile>,
    pub manifest: PathBuf,
    pub skipped: SkippedRows,
}

/// What is told of work under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStage {
    Encoding(FileProgress),
    /// Documents that are in their place, and all of them.
    Ordering(u64, u64),
}

/// `watch` is told now and then how far the work is; an error from it stops the work.
pub fn encode_files(
    tokenizer: &Tokenizer,
    job: &Job,
    writing: &Writing,
    watch: &mut dyn FnMut(FileStage) -> Result<()>,
) -> Result<Report> {
    refuse_unknown(tokenizer, job)?;
    let output = &writing.output;
    let names = output.names()?;
    refuse_to_overwrite_a_source(job, &names)?;
    let width = width_of(tokenizer, output)?;
    let job_id = identity(tokenizer, job, output)?;
    let mut keeper =
        Keeper { names: &names, job: job_id, every: writing.checkpoint, last: Instant::now(), kept: false };
    let journal = match writing.resume {
        false => None,
        true => match Journal::read(&names, &keeper.job)? {
            Some(journal) => Some(journal),
            None => match Manifest::read(&names.manifest())?.filter(|manifest| manifest.job == keeper.job) {
                // All of it was done, but for what the last steps leave to remove.
                Some(manifest) => {
                    TokenWriter::remove_leftovers(&names);
                    return manifest.report(&names, width);
                }
                None => None,
            },
        },
    };
    let mut writer = match &journal {
        Some(journal) => {
            keeper.kept = true;
            TokenWriter::reopen(output, width, &journal.writer)?
        }
        None => {
            Journal::remove(&names);
            TokenWriter::create(output, width)?
        }
    };
    let (files, skipped) =
        keeper.encode(Run { tokenizer, job, seed: seed_of(output), from: None }, journal, &mut writer, watch)?;
    if !writing.is_shard {
        refuse_nothing(&files, &skipped)?;
    }
    writer.put_in_order(&mut |writer, done, total| {
        watch(FileStage::Ordering(done, total))?;
        keeper.keep(|| Ok((None, files.clone(), skipped.clone())), writer)
    })?;
    let shards = writer.finish()?;
    let manifest = Manifest::new(tokenizer, job, writing, &keeper.job, WrittenData { files, skipped, shards })?;
    manifest.write(&names)?;
    Journal::remove(&names);
    writer.clean_up();
    manifest.report(&names, width)
}

/// What the manifest tells.
pub(super) struct WrittenData {
    pub files: Vec<FileText>,
    pub skipped: SkippedRows,
    /// The shards of each side of the split.
    pub shards: Vec<Vec<ShardFiles>>,
}

/// Notes now and then how far the work is.
struct Keeper<'a> {
    names: &'a TokenFileNames,
    job: String,
    every: Duration,
    last: Instant,
    kept: bool,
}

type ReadSoFar = (Option<Position>, Vec<FileText>, SkippedRows);

impl Keeper<'_> {
    /// Documents to the writer, up to the last.
    fn encode(
        &mut self,
        mut run: Run,
        journal: Option<Journal>,
        writer: &mut TokenWriter,
        watch: &mut dyn FnMut(FileStage) -> Result<()>,
    ) -> Result<(Vec<FileText>, SkippedRows)> {
        if let Some(Journal { position, files, skipped, .. }) = journal {
            let Some(position) = position else {
                return Ok((files, skipped));
            };
            run.from = Some(ResumePoint { position, files, skipped });
        }
        let spare = Pool::<Ragged>::default();
        let take = |Encoded { rows, keys, kept, .. }: Encoded, read: &Tally, after: Option<Position>| {
            writer.write(&EncodedRows { ids: &rows.ids, ends: &rows.ends, keys: &keys, kept: &kept })?;
            spare.give(rows);
            let Some(after) = after else { return Ok(()) };
            let known = || {
                let (files, skipped) = read.before(&after);
                Ok((Some(after), files, skipped))
            };
            self.keep(known, writer)
        };
        run.run(&mut |done| watch(FileStage::Encoding(done)), emptied(&spare), take)
    }

    /// If it is time to: everything so far reaches the disk, and then the journal says so.
    fn keep(&mut self, known: impl FnOnce() -> Result<ReadSoFar>, writer: &mut TokenWriter) -> Result<()> {
        if self.last.elapsed() < self.every {
            return Ok(());
        }
        let (position, files, skipped) = known()?;
        Journal { job: self.job.clone(), position, files, skipped, writer: writer.checkpoint()? }.write(self.names)?;
        (self.last, self.kept) = (Instant::now(), true);
        Ok(())
    }
}

fn width_of(tokenizer: &Tokenizer, output: &TokenOutput) -> Result<TokenWidth> {
    let needed = TokenWidth::for_vocab_size(tokenizer.size());
    match output.layout.width {
        Some(TokenWidth::U16) if needed == TokenWidth::U32 => Err(Error::Spec(format!(
            "the ids of this tokenizer go up to {}, which does not fit into uint16; leave out dtype=, or pass \"uint32\"",
            tokenizer.size() - 1
        ))),
        width => Ok(width.unwrap_or(needed)),
    }
}

/// Documents have keys where they are split.
fn seed_of(output: &TokenOutput) -> Option<u64> {
    (output.layout.split.is_some() || output.layout.shuffle).then_some(output.layout.seed)
}

/// A policy that leaves out everything hides a mistake, such as the wrong name of a field.
fn refuse_nothing(files: &[FileText], skipped: &SkippedRows) -> Result<()> {
    let documents: u64 = files.iter().map(|file| file.documents).sum();
    match skipped.first.first() {
        Some(first) if documents == 0 => Err(Error::Spec(format!(
            "there is no document left: all {} were skipped; the first one: {first}",
            skipped.count
        ))),
        _ => Ok(()),
    }
}

fn refuse_to_overwrite_a_source(job: &Job, names: &TokenFileNames) -> Result<()> {
    for output in [names.tokens(0, 0), names.tokens(1, 0), names.manifest()] {
        let Ok(output) = output.canonicalize() else { continue };
        let is_output = |path: &PathBuf| path.canonicalize().is_ok_and(|path| path == output);
        if let Some(file) = job.listing.files.iter().find(|file| is_output(&file.path)) {
            let path = file.path.display();
            return Err(Error::Spec(format!("{path} is among the files to read; write to another one")));
        }
    }
    Ok(())
}
