//! The manifest beside token files: what they are made of, by which tokenizer, and how.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::{
    FileText, SPLITS, SkippedRows, SourceFile, TokenFileNames, TokenWidth, may_be_of, remove_shard, write_whole,
};
use crate::encode::files::Job;
use crate::encode::token_files::{Report, Writing, WrittenData};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The version that wrote the files.
    bytemill: String,
    format: String,
    dtype: String,
    documents: u64,
    tokens: u64,
    text_bytes: u64,
    /// The length of packed rows.
    row: Option<usize>,
    tokenizer: TokenizerNamed,
    options: Value,
    files: Vec<OutputFile>,
    inputs: Vec<InputFile>,
    skipped_rows: SkippedRows,
    pub job: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct TokenizerNamed {
    fingerprint: String,
    vocab_size: usize,
}

/// A token file, in the order in which they follow one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputFile {
    /// The name of the file with the ids, which is in the folder of the manifest.
    pub name: String,
    /// The side of the split.
    pub split: Option<String>,
    pub documents: u64,
    pub tokens: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct InputFile {
    path: PathBuf,
    bytes: u64,
    documents: u64,
    text_bytes: u64,
    /// xxh3 of 128 bits, in hexadecimal digits.
    xxh3: Option<String>,
}

impl Manifest {
    pub(super) fn new(
        tokenizer: &Tokenizer,
        job: &Job,
        writing: &Writing,
        id: &str,
        found: WrittenData,
    ) -> Result<Self> {
        let layout = &writing.output.layout;
        let width = layout.width.unwrap_or(TokenWidth::for_vocab_size(tokenizer.size()));
        let WrittenData { files, skipped, shards } = found;
        let sides = shards.iter().zip(SPLITS).flat_map(|(shards, side)| shards.iter().map(move |shard| (shard, side)));
        let outputs: Vec<OutputFile> = sides
            .map(|(shard, side)| OutputFile {
                name: shard.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                split: layout.split.map(|_| side.to_string()),
                documents: shard.documents,
                tokens: shard.tokens,
            })
            .collect();
        let fingerprint = tokenizer.fingerprint()?.to_string();
        Ok(Manifest {
            bytemill: env!("CARGO_PKG_VERSION").into(),
            format: layout.format.name().into(),
            dtype: width.name().into(),
            documents: outputs.iter().map(|file| file.documents).sum(),
            tokens: outputs.iter().map(|file| file.tokens).sum(),
            text_bytes: files.iter().map(|file| file.bytes).sum(),
            row: layout.pack.map(|pack| pack.length),
            tokenizer: TokenizerNamed { fingerprint, vocab_size: tokenizer.size() },
            options: serde_json::from_str(&writing.described).map_err(|e| Error::Internal(e.to_string()))?,
            files: outputs,
            inputs: job.listing.files.iter().zip(files).map(InputFile::new).collect(),
            skipped_rows: skipped,
            job: id.into(),
        })
    }

    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        match fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io(path, e)),
        }
    }

    /// In place of that of an earlier run, whose other files are removed: a program that takes all files of a folder would read them.
    /// A manifest that somebody else has put there names whatever they like: files that no run has written stay.
    pub(super) fn write(&self, names: &TokenFileNames) -> Result<()> {
        let path = names.manifest();
        if let Some(earlier) = Manifest::read(&path)? {
            let is_gone = |name: &str| self.files.iter().all(|file| file.name != name);
            let gone = earlier.files.iter().map(|file| &file.name[..]).filter(|name| is_gone(name));
            let own = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            for name in gone.filter(|name| may_be_of(own, name)) {
                remove_shard(&path.with_file_name(name));
            }
        }
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|e| Error::Internal(e.to_string()))?;
        bytes.push(b'\n');
        write_whole(&path, &bytes)
    }

    pub(super) fn report(self, names: &TokenFileNames, width: TokenWidth) -> Result<Report> {
        let Manifest { documents, tokens, text_bytes, files, skipped_rows, .. } = self;
        Ok(Report {
            documents,
            bytes: text_bytes,
            tokens,
            width,
            files,
            manifest: names.manifest(),
            skipped: skipped_rows,
        })
    }
}

impl InputFile {
    fn new((file, text): (&SourceFile, FileText)) -> Self {
        let FileText { documents, bytes, checksum, .. } = text;
        InputFile {
            path: file.path.clone(),
            bytes: file.bytes,
            documents,
            text_bytes: bytes,
            xxh3: checksum.map(|checksum| format!("{checksum:032x}")),
        }
    }
}
