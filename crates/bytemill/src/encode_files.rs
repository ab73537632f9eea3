//! Files to a token file: read, encode on all cores, written in order, in constant memory.

use std::cell::Cell;
use std::path::Path;

use crate::data::{Blocks, Listing, SourceOptions, TokenFile, TokenWidth, batches};
use crate::error::{Error, Result};
use crate::model::Scratch;
use crate::parallel;
use crate::special::Choice;
use crate::tokenizer::Tokenizer;
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
    if let Some(id) = job.append.filter(|&id| tokenizer.token(id).is_none()) {
        return Err(tokenizer.unknown_id(id.into()));
    }
    refuse_to_overwrite_a_source(job.listing, output)?;
    let width = TokenWidth::for_vocab_size(tokenizer.size());
    let mut file = TokenFile::create(output, width)?;
    let mut blocks = Blocks::open(job.listing, job.options, tokenizer);
    let read = Cell::new(0);
    let watched = std::iter::from_fn(|| {
        let block = blocks.next();
        read.set(blocks.bytes_read());
        block
    });
    let scratches = parallel::run(
        job.threads,
        &mut || watch(read.get()),
        || tokenizer.pool().take(),
        batches(watched),
        |scratch: &mut Scratch, batch| {
            let mut ids: Vec<TokenId> = Vec::new();
            for block in batch {
                tokenizer.encode(&block.text, job.choice, scratch, &mut ids)?;
                ids.extend(job.append.filter(|_| block.ends_document));
            }
            Ok(ids)
        },
        |ids| file.write(&ids),
    )?;
    scratches.into_iter().for_each(|scratch| tokenizer.pool().give(scratch));
    let (documents, bytes) = (blocks.documents(), blocks.text_bytes());
    Ok(Report { documents, bytes, tokens: file.finish()?, width })
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
