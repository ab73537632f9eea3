//! The lock on a file that is being written under another name than its own. It ends with the process, however that ends.

use std::fs::{File, TryLockError};
use std::path::Path;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lock {
    Taken,
    /// Another process, or another call, is writing the file.
    Others,
    /// Somebody renamed or removed the file between its opening and its locking: open it again.
    Gone,
}

/// Locks an opened file. File systems without locks are trusted: nothing can be done about them.
pub(super) fn lock(file: &File, path: &Path) -> Lock {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Lock::Others,
        _ if is_named(file, path) => Lock::Taken,
        _ => Lock::Gone,
    }
}

/// Whether the name still stands for the file.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(opened), Ok(named)) => (opened.dev(), opened.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// A file that is open keeps its name elsewhere.
#[cfg(not(unix))]
fn is_named(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn one_has_it_and_a_name_that_went_on_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        let open = || fs::OpenOptions::new().write(true).create(true).truncate(false).open(&path).unwrap();
        let first = open();
        assert_eq!(lock(&first, &path), Lock::Taken);
        let second = open();
        assert_eq!(lock(&second, &path), Lock::Others);
        // The first writer gives the file its own name and ends: the second must not write into it.
        fs::rename(&path, &other).unwrap();
        drop(first);
        if cfg!(unix) {
            assert_eq!(lock(&second, &path), Lock::Gone);
        }
        assert_eq!(lock(&open(), &path), Lock::Taken);
    }
}
