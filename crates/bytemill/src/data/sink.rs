//! Token files: ids one after the other, in two bytes each where the vocabulary allows it and in four where not.
//!
//! `.bin` is the ids alone, little-endian. `.npy` puts a header of numpy's format 1.0 before them, so that `numpy.load`
//! (with `mmap_mode="r"` too) knows width and count.

use std::path::Path;

use super::atomic::AtomicFile;
use super::decompress::has_extension;
use crate::error::{Error, Result};

/// Bytes gathered before they are handed to the operating system.
const BUFFER_BYTES: usize = 1 << 20;

/// A multiple of 64, as the format wants for aligned mapping, with room for any count: the header can be written before
/// the count is known and again after.
const NPY_HEADER_BYTES: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenWidth {
    U16,
    U32,
}

impl TokenWidth {
    /// The narrowest width that holds every id of a vocabulary.
    pub fn for_vocab_size(size: usize) -> Self {
        if size <= 1 << 16 { TokenWidth::U16 } else { TokenWidth::U32 }
    }

    pub fn bytes(self) -> usize {
        match self {
            TokenWidth::U16 => 2,
            TokenWidth::U32 => 4,
        }
    }
}

#[derive(Clone, Copy)]
enum TokenFileFormat {
    Bin,
    Npy,
}

/// A token file being written. It appears under its name in [`TokenFile::finish`]; dropped before, it leaves nothing.
pub(crate) struct TokenFile {
    file: AtomicFile,
    format: TokenFileFormat,
    width: TokenWidth,
    /// Ids as bytes, not yet in the file.
    pending: Vec<u8>,
    tokens: u64,
}

impl TokenFile {
    pub(crate) fn create(path: &Path, width: TokenWidth) -> Result<Self> {
        let format = if has_extension(path, "bin") {
            TokenFileFormat::Bin
        } else if has_extension(path, "npy") {
            TokenFileFormat::Npy
        } else {
            return Err(Error::Spec(format!(
                "{}: a token file's name ends in .npy (for numpy.load) or in .bin (raw little-endian ids)",
                path.display()
            )));
        };
        let mut file = AtomicFile::create(path)?;
        if let TokenFileFormat::Npy = format {
            file.write(&npy_header(width, 0))?;
        }
        Ok(TokenFile { file, format, width, pending: Vec::new(), tokens: 0 })
    }

    /// Appends all of `ids`, or none of them when one is too wide.
    pub(crate) fn write(&mut self, ids: &[u32]) -> Result<()> {
        if self.width == TokenWidth::U16 {
            check_two_bytes(ids)?;
        }
        for block in ids.chunks(BUFFER_BYTES / self.width.bytes()) {
            match self.width {
                TokenWidth::U16 => append(&mut self.pending, block, |id| (id as u16).to_le_bytes()),
                TokenWidth::U32 => append(&mut self.pending, block, u32::to_le_bytes),
            }
            self.tokens += block.len() as u64;
            if self.pending.len() >= BUFFER_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Puts the file in its place; returns how many tokens are in it.
    pub(crate) fn finish(mut self) -> Result<u64> {
        self.flush()?;
        let mut expected = self.tokens * self.width.bytes() as u64;
        if let TokenFileFormat::Npy = self.format {
            self.file.overwrite_start(&npy_header(self.width, self.tokens))?;
            expected += NPY_HEADER_BYTES as u64;
        }
        // Part of a block is in the file when a caller went on after a failed write.
        let found = self.file.len()?;
        if found != expected {
            return Err(Error::Internal(format!(
                "{} would hold {found} bytes instead of {expected}",
                self.file.path().display()
            )));
        }
        self.file.commit()?;
        Ok(self.tokens)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write(&self.pending)?;
        self.pending.clear();
        Ok(())
    }
}

fn check_two_bytes(ids: &[u32]) -> Result<()> {
    // The or of all ids is too wide when one of them is, and is a loop without branches.
    if ids.iter().fold(0, |all, id| all | id) <= u32::from(u16::MAX) {
        return Ok(());
    }
    let widest = ids.iter().max().copied().unwrap_or_default();
    Err(Error::Internal(format!("id {widest} does not fit the two bytes of this token file")))
}

fn append<const N: usize>(to: &mut Vec<u8>, ids: &[u32], bytes: impl Fn(u32) -> [u8; N]) {
    let start = to.len();
    to.resize(start + ids.len() * N, 0);
    for (place, &id) in to[start..].chunks_exact_mut(N).zip(ids) {
        place.copy_from_slice(&bytes(id));
    }
}

fn npy_header(width: TokenWidth, tokens: u64) -> Vec<u8> {
    let fields = format!("{{'descr': '<u{}', 'fortran_order': False, 'shape': ({tokens},), }}", width.bytes());
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((NPY_HEADER_BYTES as u16 - 10).to_le_bytes());
    header.extend(fields.as_bytes());
    header.resize(NPY_HEADER_BYTES - 1, b' ');
    header.push(b'\n');
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn written(name: &str, width: TokenWidth, parts: &[Vec<u32>]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let mut file = TokenFile::create(&path, width).unwrap();
        for part in parts {
            file.write(part).unwrap();
        }
        let tokens = parts.iter().map(Vec::len).sum::<usize>() as u64;
        assert_eq!(file.tokens, tokens);
        assert!(!path.exists());
        assert_eq!(file.finish().unwrap(), tokens);
        fs::read(&path).unwrap()
    }

    #[test]
    fn widths() {
        assert_eq!(TokenWidth::for_vocab_size(0), TokenWidth::U16);
        assert_eq!(TokenWidth::for_vocab_size(65_536), TokenWidth::U16);
        assert_eq!(TokenWidth::for_vocab_size(65_537), TokenWidth::U32);
    }

    #[test]
    fn npy_bytes_are_numpys() {
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend(b"{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }");
        expected.extend([b' '; 60]);
        expected.extend(b"\n\x01\x00\xff\xff\x00\x02");
        let ids = [vec![1], vec![], vec![65_535, 512]];
        assert_eq!(written("a.npy", TokenWidth::U16, &ids), expected);
        assert_eq!(expected.len(), 128 + 6);
        assert_eq!(written("a.npy", TokenWidth::U32, &[]), npy_header(TokenWidth::U32, 0));
        let fullest = npy_header(TokenWidth::U32, u64::MAX);
        assert_eq!(fullest.len(), 128);
        assert!(fullest.ends_with(b" \n"));
    }

    #[test]
    fn more_than_one_buffer_arrives_in_order() {
        let ids: Vec<u32> = (0..700_001).collect();
        let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        let parts = [ids[..5].to_vec(), ids[5..].to_vec()];
        assert!(written("a.BIN", TokenWidth::U32, &parts) == bytes);
    }

    #[test]
    fn an_id_too_wide_is_our_mistake_and_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let mut file = TokenFile::create(&path, TokenWidth::U16).unwrap();
        let error = file.write(&[1, 65_536, 2]).unwrap_err().to_string();
        assert_eq!(error, "internal error: id 65536 does not fit the two bytes of this token file; please report it");
        file.write(&[7]).unwrap();
        assert_eq!(file.finish().unwrap(), 1);
        assert_eq!(fs::read(&path).unwrap(), [7, 0]);
    }

    #[test]
    fn bad_targets_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("d.bin")).unwrap();
        let message = |name: &str| {
            let path = folder.path().join(name);
            let error = TokenFile::create(&path, TokenWidth::U16).err().unwrap();
            error.to_string().replace(&folder.path().display().to_string(), "")
        };
        let names = "a token file's name ends in .npy (for numpy.load) or in .bin (raw little-endian ids)";
        assert_eq!(message("a.txt"), format!("/a.txt: {names}"));
        assert_eq!(message("npy"), format!("/npy: {names}"));
        assert_eq!(message("d.bin"), "/d.bin: this is a folder; give the name of a file in it");
        assert_eq!(message("x/a.bin"), "/x/a.bin: the folder /x does not exist; create it first");
    }

    #[test]
    fn dropped_files_leave_nothing_and_damaged_ones_are_not_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        drop(TokenFile::create(&path, TokenWidth::U16).unwrap());
        let mut file = TokenFile::create(&path, TokenWidth::U16).unwrap();
        file.file.write(b"?").unwrap();
        let error = file.finish().unwrap_err().to_string();
        assert!(error.contains("would hold 129 bytes instead of 128"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn bin_is_every_id_in_little_endian(parts: Vec<Vec<u16>>) {
            let parts: Vec<Vec<u32>> =
                parts.iter().map(|part| part.iter().map(|&id| id.into()).collect()).collect();
            let ids = parts.concat();
            let two: Vec<u8> = ids.iter().flat_map(|&id| (id as u16).to_le_bytes()).collect();
            let four: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
            prop_assert_eq!(written("a.bin", TokenWidth::U16, &parts), two);
            prop_assert_eq!(written("a.bin", TokenWidth::U32, &parts), four);
        }
    }
}
