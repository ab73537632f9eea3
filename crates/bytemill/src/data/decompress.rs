//! The bytes of a file as its writer meant them: `.gz`, `.zst`, `.xz` and `.bz2` are decompressed on the way, all else is
//! passed through.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use xxhash_rust::xxh3::Xxh3;

use super::signature::is_known_binary;
use crate::error::{Error, Result};

/// What git looks at too: enough to meet a NUL in every common binary format.
const SNIFF_BYTES: u64 = 8 * 1024;

const COMPRESSED_BUFFER_BYTES: usize = 64 * 1024;

/// `zstd --long=31` writes windows that the library refuses by default (over 2^27 bytes). The window is memory that the
/// file's author asked for, and only such files cost it.
const ZSTD_WINDOW_LOG_MAX: u32 = if cfg!(target_pointer_width = "32") { 30 } else { 31 };

/// Whether `path` ends in `.extension`, in any letter case.
pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The path without the ending of a compressed file, which says what the decompressed bytes are.
pub(super) fn without_compression(path: &Path) -> PathBuf {
    let is_compressed = ["gz", "zst", "xz", "bz2"].into_iter().any(|extension| has_extension(path, extension));
    if is_compressed { path.with_extension("") } else { path.to_path_buf() }
}

/// A file that counts what was taken from the disk, for progress against its size there.
pub(super) struct CountedFile {
    file: File,
    bytes_read: u64,
    /// Of these bytes; boxed, as it needs an alignment that not everything that holds a reader can give.
    checksum: Box<Xxh3>,
}

impl Read for CountedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.bytes_read += count as u64;
        self.checksum.update(&into[..count]);
        Ok(count)
    }
}

enum CompressedStream {
    Plain(CountedFile),
    Gzip(Box<MultiGzDecoder<BufReader<CountedFile>>>),
    Zstd(Box<zstd::Decoder<'static, BufReader<CountedFile>>>),
    Xz(Box<XzReader<BufReader<CountedFile>>>),
    Bzip2(Box<MultiBzDecoder<BufReader<CountedFile>>>),
}

pub(super) struct DecompressedFile {
    path: PathBuf,
    stream: CompressedStream,
}

impl DecompressedFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        let counted = CountedFile { file, bytes_read: 0, checksum: Box::new(Xxh3::new()) };
        let buffered = |file| BufReader::with_capacity(COMPRESSED_BUFFER_BYTES, file);
        let stream = if has_extension(path, "gz") {
            CompressedStream::Gzip(Box::new(MultiGzDecoder::new(buffered(counted))))
        } else if has_extension(path, "zst") {
            let mut decoder = zstd::Decoder::with_buffer(buffered(counted)).map_err(|e| Error::io(path, e))?;
            decoder.window_log_max(ZSTD_WINDOW_LOG_MAX).map_err(|e| Error::io(path, e))?;
            CompressedStream::Zstd(Box::new(decoder))
        } else if has_extension(path, "xz") {
            CompressedStream::Xz(Box::new(XzReader::new(buffered(counted), true)))
        } else if has_extension(path, "bz2") {
            CompressedStream::Bzip2(Box::new(MultiBzDecoder::new(buffered(counted))))
        } else {
            CompressedStream::Plain(counted)
        };
        Ok(DecompressedFile { path: path.to_path_buf(), stream })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// On-disk bytes taken so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.on_disk().bytes_read
    }

    /// The checksum of the on-disk bytes read so far.
    pub(super) fn checksum(&self) -> u128 {
        self.on_disk().checksum.digest128()
    }

    fn on_disk(&self) -> &CountedFile {
        match &self.stream {
            CompressedStream::Plain(file) => file,
            CompressedStream::Gzip(decoder) => decoder.get_ref().get_ref(),
            CompressedStream::Zstd(decoder) => decoder.get_ref().get_ref(),
            CompressedStream::Xz(decoder) => decoder.inner().get_ref(),
            CompressedStream::Bzip2(decoder) => decoder.get_ref().get_ref(),
        }
    }

    /// Skips this many decompressed bytes.
    pub(super) fn skip(&mut self, bytes: u64) -> Result<()> {
        let skipped = io::copy(&mut self.by_ref().take(bytes), &mut io::sink());
        match skipped {
            Ok(count) if count == bytes => Ok(()),
            Ok(_) => Err(Error::format(self.path.display().to_string(), "this file is shorter than it was")),
            Err(e) => Err(self.explain(e)),
        }
    }

    /// What an error met while reading says about the file. The decoders pass the operating system's errors through with
    /// their number; an error without one is the decoder's own opinion of the bytes.
    pub(super) fn explain(&self, error: io::Error) -> Error {
        let name = match &self.stream {
            CompressedStream::Gzip(_) => "gzip",
            CompressedStream::Zstd(_) => "zstd",
            CompressedStream::Xz(_) => "xz",
            CompressedStream::Bzip2(_) => "bzip2",
            CompressedStream::Plain(_) => return Error::io(&self.path, error),
        };
        if error.raw_os_error().is_some() {
            return Error::io(&self.path, error);
        }
        let reason = if error.kind() == io::ErrorKind::UnexpectedEof {
            format!("truncated {name} stream")
        } else {
            format!("corrupt {name} stream ({error})")
        };
        Error::format(self.path.display().to_string(), reason)
    }
}

impl Read for DecompressedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.stream {
            CompressedStream::Plain(file) => file.read(into),
            CompressedStream::Gzip(decoder) => decoder.read(into),
            CompressedStream::Zstd(decoder) => decoder.read(into),
            CompressedStream::Xz(decoder) => decoder.read(into),
            CompressedStream::Bzip2(decoder) => decoder.read(into),
        }
    }
}

/// Whether the first bytes are those of a format that is not text, or have a NUL among them, which text has no use for. A file too damaged to tell is not called
/// binary: leaving it out would hide the damage that reading it reports.
pub(super) fn is_binary(path: &Path) -> Result<bool> {
    let file = DecompressedFile::open(path)?;
    let mut head = Vec::new();
    match file.take(SNIFF_BYTES).read_to_end(&mut head) {
        Ok(_) => Ok(is_known_binary(&head) || memchr::memchr(0, &head).is_some()),
        Err(_) => Ok(false),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Write;

    pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    pub(crate) fn zstd_frame(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Writes `bytes` under `name` and reads them back: the text of the error, or the bytes and the on-disk count.
    fn round(name: &str, bytes: &[u8]) -> std::result::Result<(Vec<u8>, u64), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let mut file = DecompressedFile::open(&path).unwrap();
        let mut read = Vec::new();
        match file.read_to_end(&mut read) {
            Ok(_) => Ok((read, file.bytes_read())),
            Err(e) => {
                let message = file.explain(e).to_string();
                let shown = path.display().to_string();
                Err(message.strip_prefix(&shown).unwrap().to_string())
            }
        }
    }

    /// Does not compress to nothing, so that half of the stream is half of the text.
    fn noise() -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..300_000).map(|_| next()).collect()
    }

    #[test]
    fn members_and_frames_are_joined_and_every_disk_byte_is_counted() {
        let (one, two) = (noise(), b"second".to_vec());
        let whole = [one.clone(), two.clone()].concat();
        let gz = [gzip(&one), gzip(b""), gzip(&two)].concat();
        assert_eq!(round("a.gz", &gz), Ok((whole.clone(), gz.len() as u64)), "gzip members");
        let zst = [zstd_frame(&one), zstd_frame(b""), zstd_frame(&two)].concat();
        assert_eq!(round("a.ZST", &zst), Ok((whole, zst.len() as u64)));
        assert_eq!(round("a.txt", &zst), Ok((zst.clone(), zst.len() as u64)));
    }

    #[test]
    fn xz_and_bzip2_are_read() {
        let whole = [noise(), b"second".to_vec()].concat();
        let bz2 = |bytes: &[u8]| {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), Default::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let both = [bz2(&noise()), bz2(b"second")].concat();
        assert_eq!(round("a.bz2", &both), Ok((whole, both.len() as u64)));
        assert_eq!(round("a.bz2", &both[..both.len() / 2]), Err(": truncated bzip2 stream".into()));
        // Two xz streams, one after the other, as Python's lzma compresses "naïve" and "!".
        let digits = [
            "fd377a585a0000016922de360200210116000000742fe5a30100056e61c3af766500000066810fd500011a06c5eac8799042",
            "990d010000000001595afd377a585a0000016922de360200210116000000742fe5a30100002100000000d3ff6b9e00011501",
            "a96334609042990d010000000001595a",
        ]
        .concat();
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
        let xz: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
        assert_eq!(round("a.xz", &xz), Ok(("naïve!".as_bytes().to_vec(), xz.len() as u64)));
        let error = round("a.xz", &xz[..40]).unwrap_err();
        assert!(error.contains("xz stream"), "{error}");
    }

    #[test]
    fn truncated_streams_are_named() {
        let (gz, zst) = (gzip(&noise()), zstd_frame(&noise()));
        for cut in [0, 5, 1000, gz.len() / 2, gz.len() - 1] {
            let found = round("a.gz", &gz[..cut]);
            assert_eq!(found, Err(": truncated gzip stream".into()), "{cut}");
        }
        for cut in [0, 3, 1000, zst.len() / 2, zst.len() - 1] {
            let found = round("a.zst", &zst[..cut]);
            assert_eq!(found, Err(": truncated zstd stream".into()), "{cut}");
        }
        let second = [gzip(b"whole"), gz[..500].to_vec()].concat();
        assert_eq!(round("a.gz", &second), Err(": truncated gzip stream".into()));
    }

    #[test]
    fn corrupt_streams_are_named() {
        let mut gz = gzip(&noise());
        let checksum = gz.len() - 6;
        gz[checksum] ^= 1;
        let error = round("a.gz", &gz).unwrap_err();
        assert!(error.starts_with(": corrupt gzip stream ("), "{error}");
        let mut zst = zstd_frame(&noise());
        let checksum = zst.len() - 2;
        zst[checksum] ^= 1;
        let error = round("a.zst", &zst).unwrap_err();
        assert!(error.starts_with(": corrupt zstd stream ("), "{error}");
        let error = round("a.gz", b"plain text, wrongly named").unwrap_err();
        assert!(error.starts_with(": corrupt gzip stream ("), "{error}");
    }

    #[test]
    fn long_zstd_windows_are_read() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(28).unwrap();
        encoder.write_all(b"far ").unwrap();
        encoder.flush().unwrap();
        encoder.write_all(b"away").unwrap();
        let frame = encoder.finish().unwrap();
        assert_eq!(round("a.zst", &frame), Ok((b"far away".to_vec(), frame.len() as u64)));
    }

    #[test]
    fn binary_is_judged_after_decompression_and_damage_is_not_binary() {
        let folder = tempfile::tempdir().unwrap();
        let judge = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            is_binary(&path).unwrap()
        };
        assert!(judge("a", b"MZ\0"));
        assert!(judge("p", b"%PDF-1.7"));
        assert!(!judge("b", "naïve".as_bytes()));
        assert!(!judge("c.gz", &gzip(b"text")));
        assert!(judge("d.gz", &gzip(b"a\0b")));
        assert!(!judge("e.gz", b"\0\0not gzip"));
        let late = [vec![b'a'; SNIFF_BYTES as usize], vec![0]].concat();
        assert!(!judge("f", &late));
        assert!(judge("g", &late[1..]));
    }
}
