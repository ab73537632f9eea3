//! A file that grows under a hidden name and gets its own when it is whole. Unlike a temporary file it can be found again,
//! by its name, after the process was killed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::super::atomic::{existing_file, folder_of, follow_links};
use super::super::lock::{Lock, lock};
use super::names::hidden;
use crate::error::{Error, Result};

/// Bytes gathered before they are handed to the operating system. Also of many files at once this is not much memory.
const BUFFER_BYTES: usize = 1 << 18;

pub(super) struct PartialFile {
    /// As the caller wrote it, for messages.
    path: PathBuf,
    /// Where the links from `path` end.
    target: PathBuf,
    partial: PathBuf,
    file: File,
    pending: Vec<u8>,
    /// How much is in the file, without `pending`.
    written: u64,
    /// Whether it stays when it is dropped: somebody knows how to go on with it.
    kept: bool,
}

impl PartialFile {
    /// A new one, in place of what was left of another.
    pub(super) fn create(path: &Path) -> Result<Self> {
        let mut file = Self::open(path, true)?;
        file.cut(0)?;
        Ok(file)
    }

    /// Reopens a file that an earlier run left, cut back to `bytes`. None if the file is gone because it has its final name.
    pub(super) fn reopen(path: &Path, bytes: u64) -> Result<Option<Self>> {
        let mut file = match Self::open(path, false) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let found = file.file.metadata().map_err(|e| Error::io(path, e))?.len();
        if found < bytes {
            return Err(Error::format(
                file.partial.display().to_string(),
                format!(
                    "this file had {bytes} bytes when the work was interrupted and has {found} now; start anew, without resume"
                ),
            ));
        }
        file.cut(bytes)?;
        file.kept = true;
        Ok(Some(file))
    }

    fn open(path: &Path, create: bool) -> Result<Self> {
        let target = follow_links(path)?;
        folder_of(path, &target)?;
        let existing = existing_file(path, &target)?;
        let partial = partial_name(&target);
        let file = locked(path, &partial, create)?;
        if let Some(existing) = existing {
            file.set_permissions(existing.permissions()).map_err(|e| Error::io(path, e))?;
        }
        Ok(PartialFile { path: path.into(), target, partial, file, pending: Vec::new(), written: 0, kept: false })
    }

    fn cut(&mut self, bytes: u64) -> Result<()> {
        let cut = self.file.set_len(bytes).and_then(|()| self.file.seek(SeekFrom::Start(bytes)));
        cut.map_err(|e| Error::io(&self.path, e))?;
        self.written = bytes;
        Ok(())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(bytes);
        self.flush_if_full()
    }

    /// Where bytes may be appended, before [`PartialFile::flush_if_full`] is called.
    pub(super) fn pending(&mut self) -> &mut Vec<u8> {
        &mut self.pending
    }

    /// How long the file is with what is pending.
    pub(super) fn len(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    pub(super) fn flush_if_full(&mut self) -> Result<()> {
        if self.pending.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.file.write_all(&self.pending).map_err(|e| self.error(e))?;
        self.written += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Writes over the first bytes.
    pub(super) fn overwrite_start(&mut self, bytes: &[u8]) -> Result<()> {
        self.flush()?;
        let patch = |file: &mut File| {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(bytes)?;
            file.seek(SeekFrom::End(0)).map(|_| ())
        };
        patch(&mut self.file).map_err(|e| self.error(e))
    }

    /// Everything so far reaches the disk. Returns how many bytes that are.
    pub(super) fn sync(&mut self) -> Result<u64> {
        self.flush()?;
        self.file.sync_data().map_err(|e| self.error(e))?;
        Ok(self.written)
    }

    /// From now on it stays when it is dropped.
    pub(super) fn keep(&mut self) {
        self.kept = true;
    }

    /// Where the bytes are until they have their name.
    pub(super) fn partial(&self) -> &Path {
        &self.partial
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// The bytes reach the disk before the name does.
    pub(super) fn commit(mut self) -> Result<()> {
        self.flush()?;
        let found = self.file.metadata().map_err(|e| self.error(e))?.len();
        if found != self.written {
            let shown = self.path.display();
            return Err(Error::Internal(format!("{shown} would hold {found} bytes instead of {}", self.written)));
        }
        self.file.sync_all().map_err(|e| self.error(e))?;
        fs::rename(&self.partial, &self.target).map_err(|e| self.error(e))?;
        self.kept = true;
        Ok(())
    }

    /// Gives the final name to a file that somebody else wrote under its hidden name.
    pub(super) fn commit_what_others_wrote(mut self) -> Result<()> {
        self.written = self.file.metadata().map_err(|e| self.error(e))?.len();
        self.commit()
    }

    /// Removes a file that is not needed any more.
    pub(super) fn remove(mut self) {
        self.kept = false;
    }

    /// The hidden name would mean nothing to the caller.
    fn error(&self, source: io::Error) -> Error {
        Error::io(&self.path, source)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// A small file as a whole. What a kill leaves of it has a name by which the next run finds it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = PartialFile::create(path)?;
    file.write(bytes)?;
    file.commit()
}

/// Removes what an earlier run may have left of a file.
pub(crate) fn remove_partial(path: &Path) {
    if let Ok(partial) = partial_path(path) {
        let _ = fs::remove_file(partial);
    }
}

/// Opens the file that grows, for one writer at a time.
fn locked(path: &Path, partial: &Path, create: bool) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create).truncate(false);
    // The name can be guessed: somebody else may have put a link there.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
    loop {
        let file = options.open(partial).map_err(|e| Error::io(path, e))?;
        match lock(&file, partial) {
            Lock::Taken => return Ok(file),
            Lock::Others => {
                return Err(Error::Spec(format!("another process is writing {}; wait for it to end", path.display())));
            }
            Lock::Gone => {}
        }
    }
}

/// The hidden name under which a file grows.
pub(super) fn partial_path(path: &Path) -> Result<PathBuf> {
    follow_links(path).map(|target| partial_name(&target))
}

fn partial_name(target: &Path) -> PathBuf {
    let mut name = hidden(target).into_os_string();
    name.push(".partial");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_goes_on_and_gets_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = PartialFile::create(&path).unwrap();
        file.write(b"....body").unwrap();
        assert_eq!(file.sync().unwrap(), 8);
        file.write(b"lost").unwrap();
        file.flush().unwrap();
        file.keep();
        drop(file);
        assert!(!path.exists());
        let mut file = PartialFile::reopen(&path, 8).unwrap().unwrap();
        file.write(b"tail").unwrap();
        file.overwrite_start(b"head").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"headbodytail");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(PartialFile::reopen(&path, 8).unwrap().is_none());
    }

    #[test]
    fn dropped_it_leaves_nothing_and_two_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let file = PartialFile::create(&path).unwrap();
        let error = PartialFile::create(&path).err().unwrap().to_string();
        assert!(error.starts_with("another process is writing "), "{error}");
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_lost_bytes_is_not_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        PartialFile::create(&path).unwrap().keep();
        let mut file = PartialFile::create(&path).unwrap();
        file.keep();
        drop(file);
        let error = PartialFile::reopen(&path, 9).err().unwrap().to_string();
        assert!(error.ends_with("had 9 bytes when the work was interrupted and has 0 now; start anew, without resume"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported_under_the_final_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = PartialFile::create(&path).unwrap();
        file.file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        file.write(b"x").unwrap();
        match file.flush().unwrap_err() {
            Error::Io { path: at, source } => {
                assert_eq!((at, source.kind()), (path, io::ErrorKind::StorageFull));
            }
            other => panic!("{other}"),
        }
    }
}
