//! How the files of an output are called: `train.bin`, `train.bin.docs`; in shards `train-00000.bin`.

use std::path::{Path, PathBuf};

use super::super::decompress::has_extension;
use super::format::TokenFormat;
use crate::error::{Error, Result};

/// The two sides of a split. `val` is what the scripts of trainers call it.
pub const SPLITS: [&str; 2] = ["train", "val"];

const PLACE_OF_SPLIT: &str = "{split}";

/// What to call the files of one output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFileNames {
    /// The path without the ending of its format.
    stem: PathBuf,
    extension: String,
    sharded: bool,
    split: bool,
}

impl TokenFileNames {
    pub fn new(output: &Path, format: TokenFormat, sharded: bool, split: bool) -> Result<Self> {
        let is_index = format == TokenFormat::Megatron && has_extension(output, "idx");
        let ending =
            if is_index || has_extension(output, format.extension()) { format.extension().len() + 1 } else { 0 };
        let Some(name) = output.file_name().filter(|name| name.len() > ending) else {
            return Err(Error::Spec(format!("{:?} is no name of a file to write", output.display().to_string())));
        };
        let Some(name) = name.to_str() else {
            return Err(Error::Spec(format!("the name {} is not UTF-8; choose another one", output.display())));
        };
        if name.contains(PLACE_OF_SPLIT) && !split {
            return Err(Error::Spec(format!("{name} has a place for the split, and there is none; pass split=")));
        }
        // `.idx` is as long as `.bin`.
        let (stem, given) = name.split_at(name.len() - ending);
        let extension = if given.is_empty() || is_index { format.extension() } else { &given[1..] };
        Ok(TokenFileNames { stem: output.with_file_name(stem), extension: extension.into(), sharded, split })
    }

    /// The file with the ids of a shard; `side` is a number in [`SPLITS`].
    pub fn tokens(&self, side: usize, shard: usize) -> PathBuf {
        with(&self.shard(side, shard), &self.extension)
    }

    /// A file beside that with the ids, whose name goes on.
    pub(super) fn beside(&self, side: usize, shard: usize, extension: &str) -> PathBuf {
        with(&self.tokens(side, shard), extension)
    }

    /// A file beside that with the ids, whose name ends otherwise.
    pub(super) fn instead(&self, side: usize, shard: usize, extension: &str) -> PathBuf {
        with(&self.shard(side, shard), extension)
    }

    /// What is known of the whole output.
    pub fn manifest(&self) -> PathBuf {
        with(&self.whole(), "bytemill.json")
    }

    /// Whether a run with this manifest may have called a file with ids so, in shards or split or not.
    pub fn may_have_written(&self, file: &str) -> bool {
        let whole = self.whole_stem();
        let whole = whole.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // The longest that file systems take is 255.
        let file = if file.len() < 1024 { file } else { "" };
        let Some(stem) = file.strip_suffix(&self.extension).and_then(|stem| stem.strip_suffix('.')) else {
            return false;
        };
        let unsharded = stem.rsplit_once('-').filter(|(_, number)| number.len() >= 5 && number.bytes().all(is_digit));
        let unsharded = unsharded.map_or(stem, |(stem, _)| stem);
        let sides = SPLITS.iter().flat_map(|side| {
            unsharded.match_indices(side).map(move |(at, _)| [&unsharded[..at], &unsharded[at + side.len()..]].concat())
        });
        let mut stems = sides.map(|rest| match rest.trim_matches(['-', '_', '.']) {
            "" => "tokens".to_string(),
            rest => rest.to_string(),
        });
        unsharded == whole || stems.any(|stem| stem == whole)
    }

    /// What is known of work that is not done.
    pub fn journal(&self) -> PathBuf {
        hidden(&with(&self.whole(), "bytemill-journal"))
    }

    /// A work file of the whole output.
    pub(super) fn work(&self, name: &str) -> PathBuf {
        hidden(&with(&self.whole(), name))
    }

    fn whole(&self) -> PathBuf {
        with(&self.whole_stem(), &self.extension)
    }

    fn whole_stem(&self) -> PathBuf {
        let name = self.name();
        match name.replace(PLACE_OF_SPLIT, "").trim_matches(['-', '_', '.']) {
            "" => self.stem.with_file_name("tokens"),
            _ if !name.contains(PLACE_OF_SPLIT) => self.stem.clone(),
            rest => self.stem.with_file_name(rest),
        }
    }

    fn shard(&self, side: usize, shard: usize) -> PathBuf {
        let split = SPLITS[side.min(1)];
        let mut name = match self.name() {
            name if name.contains(PLACE_OF_SPLIT) => name.replace(PLACE_OF_SPLIT, split),
            name if self.split => format!("{name}-{split}"),
            name => name.to_string(),
        };
        if self.sharded {
            name += &format!("-{shard:05}");
        }
        self.stem.with_file_name(name)
    }

    fn name(&self) -> &str {
        self.stem.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Appended, whatever dots the name has.
fn with(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// Hidden files are left out where a folder is read as a corpus.
pub(super) fn hidden(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(output: &str, format: TokenFormat, sharded: bool, split: bool) -> [String; 3] {
        let names = TokenFileNames::new(Path::new(output), format, sharded, split).unwrap();
        [names.tokens(1, 7), names.manifest(), names.journal()].map(|path| path.display().to_string())
    }

    #[test]
    fn names_say_what_is_in_a_file() {
        let bin = TokenFormat::Bin;
        assert_eq!(
            names("d/a.b.bin", bin, false, false),
            ["d/a.b.bin", "d/a.b.bin.bytemill.json", "d/.a.b.bin.bytemill-journal"]
        );
        assert_eq!(names("a.BIN", bin, true, false)[0], "a-00007.BIN");
        assert_eq!(names("a.bin", bin, true, true)[0], "a-val-00007.bin");
        assert_eq!(
            names("d/{split}.bin", bin, false, true),
            ["d/val.bin", "d/tokens.bin.bytemill.json", "d/.tokens.bin.bytemill-journal"]
        );
        assert_eq!(names("x_{split}", bin, false, true)[..2], ["x_val.bin", "x.bin.bytemill.json"]);
        assert_eq!(names("a", TokenFormat::Megatron, false, false)[0], "a.bin");
        assert_eq!(names("a.idx", TokenFormat::Megatron, false, false)[0], "a.bin");
        assert_eq!(names("a.ds", TokenFormat::Datatrove, false, false)[0], "a.ds");
        assert_eq!(names("a.tokens", TokenFormat::Npy, false, false)[0], "a.tokens.npy");
    }

    #[test]
    fn what_a_run_before_may_have_written_is_known_by_its_name() {
        let written = |output: &str, split: bool, file: &str| {
            TokenFileNames::new(Path::new(output), TokenFormat::Bin, false, split).unwrap().may_have_written(file)
        };
        for file in
            ["a.bin", "a-00000.bin", "a-100000.bin", "a-val.bin", "a-train-00001.bin", "a_val.bin", "train.a.bin"]
        {
            assert!(written("d/a.bin", false, file) && written("d/a_{split}.bin", true, file), "{file}");
        }
        assert!(written("{split}.bin", true, "val-00001.bin") && written("tokens.bin", false, "train.bin"));
        for file in
            ["b.bin", "a.npy", "a.bin.docs", "aa.bin", "../a.bin", "x/a.bin", "a", "", ".bin", "a-0.bin", "a-old.bin"]
        {
            assert!(!written("d/a.bin", false, file), "{file}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let refused = |output: &str| {
            TokenFileNames::new(Path::new(output), TokenFormat::Bin, false, false).unwrap_err().to_string()
        };
        assert_eq!(refused(""), "\"\" is no name of a file to write");
        assert_eq!(refused("{split}.bin"), "{split}.bin has a place for the split, and there is none; pass split=");
    }
}
