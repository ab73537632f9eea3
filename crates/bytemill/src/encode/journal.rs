//! The journal of work under way: how far the source was read, and how long the files were then.

use std::fs;
use std::io::ErrorKind;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::data::{
    FileText, Position, SkippedRows, TokenFileNames, TokenOutput, WriterState, remove_partial, write_whole,
};
use crate::encode::files::Job;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};

#[derive(Serialize, Deserialize)]
pub(super) struct Journal {
    /// Which work it is of.
    pub job: String,
    /// None if all documents have been read.
    pub position: Option<Position>,
    /// What was read of the files before.
    pub files: Vec<FileText>,
    pub skipped: SkippedRows,
    pub writer: WriterState,
}

impl Journal {
    /// That of this job, if there is one. That of another is an error.
    pub(super) fn read(names: &TokenFileNames, job: &str) -> Result<Option<Self>> {
        let path = names.journal();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(path, e)),
        };
        let journal: Journal = serde_json::from_slice(&bytes).map_err(|e| {
            Error::format(
                path.display().to_string(),
                format!("no journal of this version ({e}); start anew, without resume"),
            )
        })?;
        match journal.job == job {
            true => Ok(Some(journal)),
            false => Err(Error::Spec(format!(
                "what was left beside {} is of other work: another tokenizer, other options, or sources that have changed; \
                 start anew, without resume",
                names.manifest().display()
            ))),
        }
    }

    pub(super) fn write(&self, names: &TokenFileNames) -> Result<()> {
        let bytes = serde_json::to_vec(self).map_err(|e| Error::Internal(e.to_string()))?;
        write_whole(&names.journal(), &bytes)
    }

    pub(super) fn remove(names: &TokenFileNames) {
        let _ = fs::remove_file(names.journal());
        remove_partial(&names.journal());
    }
}

/// A name for everything that decides which bytes are written.
pub(super) fn identity(tokenizer: &Tokenizer, job: &Job, output: &TokenOutput) -> Result<String> {
    let mut hash = Sha256::new();
    let version = env!("CARGO_PKG_VERSION");
    let Job { options, choice, prepend, append, .. } = job;
    let (format, field, separator, bad) = (options.format, &options.field, &options.separator, options.bad_rows);
    hash.update(format!("{version} {} {choice:?} {prepend:?} {append:?} ", tokenizer.fingerprint()?));
    hash.update(format!("{format:?} {field:?} {separator:?} {bad:?} {:?} {:?}", output.path, output.layout));
    for file in &job.listing.files {
        let changed = fs::metadata(&file.path).and_then(|found| found.modified()).ok();
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|time| time.as_nanos());
        hash.update(format!("{:?} {} {changed:?}\n", file.path, file.bytes));
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
