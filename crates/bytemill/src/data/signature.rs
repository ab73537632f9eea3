//! Files that are not text, told by their first bytes, and what to do with each.

use std::path::Path;

use crate::error::{Error, Result};

/// First bytes, the name of the format, and the way to text.
const SIGNATURES: [(&[u8], &str, &str); 17] = [
    (b"PAR1\x15", "a Parquet file", "pass input_format=\"parquet\", or give it a name that ends in .parquet"),
    (b"ARROW1\0\0", "an Arrow file", "pass input_format=\"arrow\", or give it a name that ends in .arrow"),
    (b"\x1f\x8b", "compressed with gzip, and its name does not end in .gz", "rename it, or unpack it: gzip -dc"),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed with zstd, and its name does not end in .zst",
        "rename it, or unpack it: zstd -dc",
    ),
    (b"\xfd7zXZ\0", "compressed with xz, and its name does not end in .xz", "rename it, or unpack it: xz -dc"),
    (b"BZh91AY&SY", "compressed with bzip2, and its name does not end in .bz2", "rename it, or unpack it: bzip2 -dc"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"PK\x03\x04", "a zip archive (as are .docx, .xlsx and .npz files)", "unpack it first, or export it as text"),
    (b"%PDF-", "a PDF document", "extract its text first: pdftotext"),
    (b"SQLite format 3\0", "an SQLite database", "write its text column as JSON lines first"),
    (b"\x93NUMPY", "a numpy array", "token files are read by `decode`, not by what reads text"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "write its texts as JSON lines first"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image", "it holds no text"),
    (b"\xff\xd8\xff", "a JPEG image", "it holds no text"),
    (b"\x7fELF", "a program", "it holds no text"),
    (b"\xff\xfe", "UTF-16 text", "convert it first: iconv -f UTF-16 -t UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "convert it first: iconv -f UTF-16 -t UTF-8"),
];

/// Whether a file that begins like this is known not to be text.
pub(super) fn is_known_binary(head: &[u8]) -> bool {
    found(head).is_some()
}

/// An error that names the format and the way out, for what is known not to be text. Replacing what is not UTF-8 would
/// turn it into garbage, so this does not depend on that option.
pub(super) fn refuse_binary(head: &[u8], path: &Path) -> Result<()> {
    match found(head) {
        Some((_, what, way_out)) => {
            Err(Error::format(path.display().to_string(), format!("this is {what}, not text; {way_out}")))
        }
        None => Ok(()),
    }
}

fn found(head: &[u8]) -> Option<&'static (&'static [u8], &'static str, &'static str)> {
    SIGNATURES.iter().find(|(bytes, ..)| head.starts_with(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named_with_a_way_out() {
        let told = |head: &[u8]| refuse_binary(head, Path::new("d/x")).unwrap_err().to_string();
        assert_eq!(
            told(b"PAR1\x15\x04"),
            "d/x: this is a Parquet file, not text; pass input_format=\"parquet\", or give it a name that ends in .parquet"
        );
        assert_eq!(told(b"%PDF-1.7"), "d/x: this is a PDF document, not text; extract its text first: pdftotext");
        assert!(told(b"\xff\xfea\0").contains("UTF-16"));
    }

    #[test]
    fn text_is_not_refused() {
        for text in ["", "PAR1: the first", "PK", "BZh91", "a\0b", "\u{feff}a", "%PD", "7z"] {
            assert!(!is_known_binary(text.as_bytes()), "{text}");
        }
    }
}
