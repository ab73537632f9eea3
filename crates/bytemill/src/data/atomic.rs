//! Files that appear whole or not at all: written beside the target under a temporary name, then renamed over it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use tempfile::NamedTempFile;

use super::lock::{Lock, lock};
use crate::error::{Error, Result};

/// As many as Linux follows.
const MAX_LINKS: usize = 40;

/// Hidden, so that a folder read as a corpus leaves out what a killed run left in it; short and fixed, so that a target
/// name of the longest allowed length still has a temporary one.
const TEMPORARY_PREFIX: &str = ".bytemill-";

/// Nobody writes a file for so long without adding to it.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

/// Replaces the file at `path` (or what it links to) with `bytes`, or leaves it untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write(bytes)?;
    file.commit()
}

/// A file on its way to `path`. Dropped before [`AtomicFile::commit`], it leaves nothing. What a killed process leaves is
/// removed by the next that writes into the folder.
pub(crate) struct AtomicFile {
    /// As the caller wrote it, for messages.
    path: PathBuf,
    /// Where the links from `path` end.
    target: PathBuf,
    temporary: NamedTempFile,
}

impl AtomicFile {
    /// Refuses, before any work is done, a target that could not be replaced at the end of it.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let target = follow_links(path)?;
        let folder = folder_of(path, &target)?;
        let existing = existing_file(path, &target)?;
        remove_abandoned(&folder);
        let temporary = locked_temporary(&folder).map_err(|e| Error::io(path, e))?;
        if let Some(existing) = existing {
            // Now rather than at the end: a private file's successor is private while it is being written.
            temporary.as_file().set_permissions(existing.permissions()).map_err(|e| Error::io(path, e))?;
        }
        Ok(AtomicFile { path: path.to_path_buf(), target, temporary })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.temporary.as_file_mut().write_all(bytes);
        written.map_err(|e| self.error(e))
    }

    /// The bytes reach the disk before the name does: after a crash the name holds the old file or the whole new one.
    pub(crate) fn commit(self) -> Result<()> {
        let synced = self.temporary.as_file().sync_all();
        synced.map_err(|e| self.error(e))?;
        match self.temporary.persist(&self.target) {
            Ok(_) => Ok(()),
            Err(e) => Err(Error::io(self.path, e.error)),
        }
    }

    /// The temporary name would mean nothing to the caller.
    fn error(&self, source: io::Error) -> Error {
        Error::io(&self.path, source)
    }
}

/// The path at the end of the links, which need not exist (`canonicalize` would refuse it).
pub(super) fn follow_links(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    let reason = io::Error::other(format!("more than {MAX_LINKS} symbolic links in a row"));
    Err(Error::io(path, reason))
}

pub(super) fn folder_of(path: &Path, target: &Path) -> Result<PathBuf> {
    let refuse = |kind, reason| Err(Error::io(path, io::Error::new(kind, reason)));
    let folder = match target.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None if target.is_dir() => Path::new("."),
        None => {
            return Err(Error::Spec("the path of the file to write is empty".to_string()));
        }
    };
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(folder.to_path_buf()),
        Ok(_) => refuse(io::ErrorKind::NotADirectory, format!("{} is not a folder", folder.display())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            refuse(io::ErrorKind::NotFound, format!("the folder {} does not exist; create it first", folder.display()))
        }
        Err(e) => Err(Error::io(path, e)),
    }
}

/// The file to be replaced, if there is one. Renaming over a device or a pipe would remove it from the system.
pub(super) fn existing_file(path: &Path, target: &Path) -> Result<Option<fs::Metadata>> {
    let found = match fs::metadata(target) {
        Ok(found) => found,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io(path, e)),
    };
    if found.is_dir() {
        let reason = io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; give the name of a file in it");
        Err(Error::io(path, reason))
    } else if found.is_file() {
        Ok(Some(found))
    } else {
        Err(Error::Spec(format!(
            "{} is a device or a pipe, which cannot be replaced by a file; give the name of a file",
            path.display()
        )))
    }
}

/// A temporary file whose lock says that its process is alive.
fn locked_temporary(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let temporary = new_temporary(folder)?;
        // Another process may have looked for abandoned files between the two steps, and taken this one for such.
        if lock(temporary.as_file(), temporary.path()) == Lock::Taken {
            return Ok(temporary);
        }
    }
}

/// How temporary files of this machine begin. On storage that machines share, a lock may be known to the system that it was taken on alone.
fn own_prefix() -> &'static str {
    static PREFIX: OnceLock<String> = OnceLock::new();
    PREFIX.get_or_init(|| {
        // Differs from machine to machine and from start to start, and is the same in all containers of one.
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        format!("{TEMPORARY_PREFIX}{}-", boot.chars().take(8).collect::<String>())
    })
}

/// Removes the temporary files of processes that were killed: nobody holds their lock. Those of other machines must be old, too. Names are
/// random, since predictable ones could be links that somebody else put there.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let begins_with = |prefix: &str| name.as_encoded_bytes().starts_with(prefix.as_bytes());
        if begins_with(TEMPORARY_PREFIX)
            && (begins_with(own_prefix()) || is_old(&entry))
            && entry.file_type().is_ok_and(|found| found.is_file())
            && let Ok(file) = fs::File::open(entry.path())
            // Only a lock that was really taken proves that nobody else has it.
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let written = entry.metadata().and_then(|found| found.modified());
    written.is_ok_and(|written| written.elapsed().is_ok_and(|age| age > OLD))
}

fn new_temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(own_prefix());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What every new file asks for and the umask narrows; tempfile would ask for 0600.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(without_temporary_name)
}

/// The system's error itself, by its kind: tempfile hides the number, and tells the temporary name, which means nothing to the user.
fn without_temporary_name(error: io::Error) -> io::Error {
    let code = match error.kind() {
        io::ErrorKind::NotFound => 2,
        io::ErrorKind::PermissionDenied => 13,
        io::ErrorKind::StorageFull => 28,
        io::ErrorKind::ReadOnlyFilesystem => 30,
        _ => return error,
    };
    // These numbers are those of every Unix.
    if cfg!(unix) { io::Error::from_raw_os_error(code) } else { error }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn writes_replaces_and_leaves_only_the_target() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write_atomically(&path, b"one, longer").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let longest = "n".repeat(255);
        write_atomically(&folder.path().join(&longest), b"").unwrap();
        assert_eq!(names(folder.path()), ["a.json", &longest]);
    }

    #[test]
    fn nothing_is_left_of_a_file_never_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write(b"new").unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        drop(file);
        assert_eq!(names(folder.path()), ["a.json"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_others_write_stays() {
        let folder = tempfile::tempdir().unwrap();
        let left = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, b"half").unwrap();
            path
        };
        let (own, others, old) = (left(&format!("{}x", own_prefix())), left(".bytemill-0-x"), left(".bytemill-0-y"));
        let day_before = SystemTime::now() - 2 * OLD;
        fs::File::options().write(true).open(&old).unwrap().set_modified(day_before).unwrap();
        let path = folder.path().join("a.json");
        let mut file = AtomicFile::create(&path).unwrap();
        assert_eq!([own, others, old].map(|path| path.exists()), [false, true, false]);
        write_atomically(&folder.path().join("b.json"), b"b").unwrap();
        file.write(b"a").unwrap();
        file.commit().unwrap();
        assert_eq!(names(folder.path()), [".bytemill-0-x", "a.json", "b.json"]);
        assert_eq!(fs::read(&path).unwrap(), b"a");
    }

    #[test]
    fn impossible_targets_are_refused_with_a_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), b"").unwrap();
        let message = |path: &Path| {
            let message = write_atomically(path, b"x").unwrap_err().to_string();
            message.replace(&folder.path().display().to_string(), "")
        };
        assert_eq!(message(&at("missing/a")), "/missing/a: the folder /missing does not exist; create it first");
        assert_eq!(message(&at("file/a")), "/file/a: /file is not a folder");
        assert_eq!(message(folder.path()), ": this is a folder; give the name of a file in it");
        assert_eq!(message(Path::new("/")), "/: this is a folder; give the name of a file in it");
        assert_eq!(message(Path::new("")), "the path of the file to write is empty");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::{PermissionsExt, symlink};

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o7777
        }

        #[test]
        fn permissions_are_those_of_a_new_file_or_of_the_one_replaced() {
            let folder = tempfile::tempdir().unwrap();
            let (path, plain) = (folder.path().join("a"), folder.path().join("plain"));
            fs::write(&plain, b"").unwrap();
            write_atomically(&path, b"").unwrap();
            assert_eq!(mode(&path), mode(&plain));
            for bits in [0o600, 0o666, 0o751, 0o444] {
                fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
                write_atomically(&path, b"x").unwrap();
                assert_eq!(mode(&path), bits);
            }
        }

        #[test]
        fn links_stay_and_what_they_point_to_is_replaced() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::create_dir(at("below")).unwrap();
            symlink("below/middle", at("link")).unwrap();
            symlink("end", at("below/middle")).unwrap();
            for content in ["dangling", "existing"] {
                write_atomically(&at("link"), content.as_bytes()).unwrap();
                assert_eq!(fs::read_to_string(at("below/end")).unwrap(), content);
            }
            assert_eq!(names(folder.path()), ["below", "link"]);
            assert_eq!(names(&at("below")), ["end", "middle"]);
            symlink("loop", at("loop")).unwrap();
            let error = write_atomically(&at("loop"), b"").unwrap_err().to_string();
            assert!(error.ends_with("loop: more than 40 symbolic links in a row"));
        }

        #[test]
        fn devices_are_not_replaced() {
            let error = write_atomically(Path::new("/dev/null"), b"").unwrap_err();
            assert_eq!(
                error.to_string(),
                "/dev/null is a device or a pipe, which cannot be replaced by a file; give the name of a file"
            );
        }

        #[cfg(target_os = "linux")]
        #[test]
        fn a_full_disk_is_reported_under_the_final_path() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a");
            let mut file = AtomicFile::create(&path).unwrap();
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let (_, name) = file.temporary.into_parts();
            file.temporary = NamedTempFile::from_parts(full, name);
            match file.write(b"x").unwrap_err() {
                Error::Io { path: at, source } => {
                    assert_eq!(at, path);
                    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
                }
                other => panic!("{other}"),
            }
            drop(file);
            assert_eq!(names(folder.path()), Vec::<String>::new());
        }
    }
}
