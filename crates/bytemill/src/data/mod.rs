//! Bytes in, bytes out: documents streamed from files of any size, and token files written so that a reader never sees
//! half of one. Nothing here knows what a token is; the one question about tokenizers, where a text may be cut, is asked
//! through [`Cut`].
//!
//! This file says which files a list of paths stands for.

pub(crate) mod atomic;
mod batch;
mod decompress;
mod delimited;
mod foreign;
mod input_format;
mod json_values;
mod jsonl;
mod kept;
mod lock;
mod records;
mod signature;
pub(crate) mod source;
mod text_file;
mod tokens;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

pub use atomic::write_atomically;
pub use batch::{Batch, batches, blocks_of};
pub(crate) use batch::{grouped, parts_of};
pub use foreign::{ForeignTables, OpenedRows, RowChunk, TableRow, TableRows, TableSchema, WantedColumns};
pub use input_format::InputFormat;
pub use kept::{Keep, KeepRequest, KeptColumn, KeptColumns, KeptPlace, KeptRows, KeptType};
pub use source::{BadRows, Blocks, Cut, FileText, Seam, SkippedRows, SourceOptions, TextBlock};
pub(crate) use source::{Chunk, ChunkCount, Chunks, OpenedChunk, PlacedBlock, Position, Tally, document_key};
pub use tokens::{
    Convert, KeptShard, Layout, Pack, RawShard, SPLITS, TokenFileNames, TokenFormat, TokenOutput, TokenWidth, may_be_of,
};
pub(crate) use tokens::{EncodedRows, ShardFiles, TokenWriter, WriterState, remove_partial, remove_shard, write_whole};

use crate::error::{Error, Result};
use decompress::is_binary;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub path: PathBuf,
    /// On disk, as it is (compressed) there; 0 for a pipe.
    pub bytes: u64,
}

/// The files to read, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub files: Vec<SourceFile>,
    /// Left out of the folders given: binary files, descriptions of token files, and links that lead nowhere.
    pub skipped: Vec<PathBuf>,
    pub total_bytes: u64,
}

/// A path to anything but a folder stands for itself. A folder stands for every file below it that is not hidden or
/// binary, in path order.
pub fn list(paths: &[PathBuf]) -> Result<Listing> {
    if paths.is_empty() {
        return Err(Error::Spec("there is no file to read: the list of paths is empty".into()));
    }
    let mut listing = Listing::default();
    for path in paths {
        let found = fs::metadata(path).map_err(|e| Error::io(path, e))?;
        if found.is_dir() {
            add_folder(path, &mut listing)?;
        } else {
            listing.files.push(SourceFile { path: path.clone(), bytes: found.len() });
        }
    }
    listing.total_bytes = listing.files.iter().map(|file| file.bytes).sum();
    Ok(listing)
}

fn add_folder(folder: &Path, listing: &mut Listing) -> Result<()> {
    let mut below = walk(folder)?;
    below.files.sort();
    below.dangling.sort();
    let (files_before, skipped_before) = (listing.files.len(), listing.skipped.len());
    for (path, bytes) in below.files {
        // What an output is described by lies beside it, and is no text of a corpus.
        let is_manifest = path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(b".bytemill.json"));
        if is_manifest || (!InputFormat::of_name(&path).is_foreign() && is_binary(&path)?) {
            listing.skipped.push(path);
        } else {
            listing.files.push(SourceFile { path, bytes });
        }
    }
    listing.skipped.extend(below.dangling);
    if listing.files.len() > files_before {
        return Ok(());
    }
    let skipped = match &listing.skipped[skipped_before..] {
        [] => String::new(),
        [only] => format!("; {} is skipped", only.display()),
        [first, rest @ ..] => format!("; {} and {} more are skipped", first.display(), rest.len()),
    };
    Err(Error::Spec(format!(
        "the folder {} has no text file in it (hidden files do not count{skipped}); name a file to read it whatever it is",
        folder.display()
    )))
}

#[derive(Default)]
struct FolderFiles {
    files: Vec<(PathBuf, u64)>,
    dangling: Vec<PathBuf>,
}

/// Every folder is entered once: under its own name if that is below `root`, else under the first link to it. So links
/// that lead in circles end, and no file is read twice because a link leads to its folder.
fn walk(root: &Path) -> Result<FolderFiles> {
    let mut below = FolderFiles::default();
    let mut entered = HashSet::new();
    let mut folders = vec![root.to_path_buf()];
    let mut linked_folders = Vec::new();
    loop {
        let Some(folder) = folders.pop() else {
            // Sorted in reverse: which link comes first must not depend on the order of directory entries.
            linked_folders.sort_by(|a, b| Ord::cmp(b, a));
            match linked_folders.pop() {
                Some(folder) => folders.push(folder),
                None => return Ok(below),
            }
            continue;
        };
        let real = fs::canonicalize(&folder).map_err(|e| Error::io(&folder, e))?;
        if !entered.insert(real) {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(|e| Error::io(&folder, e))? {
            let entry = entry.map_err(|e| Error::io(&folder, e))?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
            match fs::metadata(&path) {
                Ok(found) if found.is_file() => below.files.push((path, found.len())),
                Ok(found) if found.is_dir() && is_link => linked_folders.push(path),
                Ok(found) if found.is_dir() => folders.push(path),
                // Pipes, sockets and devices have no content that belongs to a folder.
                Ok(_) => {}
                Err(_) if is_link => below.dangling.push(path),
                Err(e) => return Err(Error::io(path, e)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree(tempfile::TempDir);

    impl Tree {
        /// A name that ends in `/` is a folder, any other a file with the given content.
        fn new(entries: &[(&str, &str)]) -> Self {
            let tree = Tree(tempfile::tempdir().unwrap());
            for (name, content) in entries {
                let path = tree.at(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                match name.ends_with('/') {
                    true => fs::create_dir_all(path).unwrap(),
                    false => fs::write(path, content).unwrap(),
                }
            }
            tree
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn names<'p>(&self, paths: impl Iterator<Item = &'p PathBuf>) -> Vec<String> {
            let name = |path: &PathBuf| path.strip_prefix(self.0.path()).unwrap().display().to_string();
            paths.map(name).collect()
        }

        fn message(&self, name: &str) -> String {
            let message = list(&[self.at(name)]).unwrap_err().to_string();
            message.replace(&format!("{}/", self.0.path().display()), "")
        }
    }

    #[test]
    fn folders_are_sorted_and_leave_out_hidden_and_binary_files() {
        let tree = Tree::new(&[
            ("d/b/2.txt", "22"),
            ("d/b/10.txt", "1"),
            ("d/a", ""),
            ("d/b.txt", "333"),
            ("d/.git/config", "hidden"),
            ("d/.hidden", "hidden"),
            ("d/x/image", "P\0G"),
            ("image", "P\0G!"),
        ]);
        // Named first, read first; and what is named is read whatever it is.
        let found = list(&[tree.at("image"), tree.at("d"), tree.at("d/.hidden")]).unwrap();
        assert_eq!(
            tree.names(found.files.iter().map(|file| &file.path)),
            ["image", "d/a", "d/b/10.txt", "d/b/2.txt", "d/b.txt", "d/.hidden"]
        );
        let sizes: Vec<u64> = found.files.iter().map(|file| file.bytes).collect();
        assert_eq!(sizes, [4, 0, 1, 2, 3, 6]);
        assert_eq!(found.total_bytes, 16);
        assert_eq!(tree.names(found.skipped.iter()), ["d/x/image"]);
    }

    #[test]
    fn what_cannot_be_listed_is_explained() {
        let tree = Tree::new(&[("empty/.hidden", "x"), ("one/a", "\0"), ("two/a", "\0"), ("two/b", "\0")]);
        match list(&[tree.at("one"), tree.at("missing")]).unwrap_err() {
            Error::Spec(_) => {}
            other => panic!("{other}"),
        }
        match list(&[tree.at("missing")]).unwrap_err() {
            Error::Io { path, source } => {
                assert_eq!(path, tree.at("missing"));
                assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
            }
            other => panic!("{other}"),
        }
        let message = |name: &str, why: &str| {
            format!(
                "the folder {name} has no text file in it (hidden files do not count{why}); \
                 name a file to read it whatever it is"
            )
        };
        assert_eq!(tree.message("empty"), message("empty", ""));
        assert_eq!(tree.message("one"), message("one", "; one/a is skipped"));
        assert_eq!(tree.message("two"), message("two", "; two/a and 1 more are skipped"));
        assert_eq!(list(&[]).unwrap_err().to_string(), "there is no file to read: the list of paths is empty");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_once_and_circles_end() {
        use std::os::unix::fs::symlink;
        let tree = Tree::new(&[("d/z/f", "1"), ("outside/g", "2"), ("outside/.h", "3")]);
        for (target, link) in [
            ("z", "d/a"),
            ("..", "d/z/up"),
            ("../outside", "d/far"),
            ("../outside", "d/far2"),
            ("../d", "outside/back"),
            ("z/f", "d/file"),
            ("nowhere", "d/dangling"),
            ("self", "d/self"),
        ] {
            symlink(target, tree.at(link)).unwrap();
        }
        let found = list(&[tree.at("d")]).unwrap();
        assert_eq!(tree.names(found.files.iter().map(|file| &file.path)), ["d/far/g", "d/file", "d/z/f"]);
        assert_eq!(tree.names(found.skipped.iter()), ["d/dangling", "d/self"]);
    }
}
