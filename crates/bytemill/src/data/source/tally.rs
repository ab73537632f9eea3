//! What was read of each file, and what was left out: told chunk by chunk, in their order.

use super::{FileText, Position, SkippedRows};

/// What one chunk held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChunkCount {
    /// The number of the file in the listing.
    pub file: usize,
    /// Documents that end in it, and bytes of text; the checksum of the file, if it ends here.
    pub text: FileText,
    pub skipped: SkippedRows,
    /// How far reading has come with it, but for what only a tally knows. None in a text whose bytes were replaced,
    /// where nobody can tell.
    pub after: Option<Position>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    files: Vec<FileText>,
    skipped: SkippedRows,
}

impl Tally {
    /// That of reading which goes on at a position. `files` is what was read of the files before.
    pub(crate) fn from(position: Position, mut files: Vec<FileText>, skipped: SkippedRows) -> Self {
        if position.text != FileText::default() {
            files.push(position.text);
        }
        Tally { files, skipped }
    }

    pub(crate) fn add(&mut self, count: &ChunkCount) {
        while self.files.len() <= count.file {
            self.files.push(FileText::default());
        }
        let file = &mut self.files[count.file];
        file.documents += count.text.documents;
        file.bytes += count.text.bytes;
        file.skipped += count.skipped.count;
        file.checksum = count.text.checksum.or(file.checksum);
        self.skipped.add(&count.skipped);
    }

    /// Where to go on after a chunk that was told just now.
    pub(crate) fn position(&self, after: Position) -> Position {
        let text = self.files.get(after.file).copied().unwrap_or_default();
        Position { text, skipped: self.skipped.count, ..after }
    }

    /// What was read of the files before a position, and what was left out.
    pub(crate) fn before(&self, position: &Position) -> (Vec<FileText>, SkippedRows) {
        (self.files[..position.file.min(self.files.len())].to_vec(), self.skipped.clone())
    }

    /// How much text each file held that was read so far, and which documents were left out.
    pub(crate) fn into_files(self) -> (Vec<FileText>, SkippedRows) {
        (self.files, self.skipped)
    }
}
