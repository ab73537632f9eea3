//! How the files of an output are called: `train.bin`, `train.bin.docs`; in shards `train-00000.bin`.

use std::path::{Path, PathBuf};

use super::super::decompress::has_extension;
use super::format::TokenFormat;
use crate::error::{Error, Result};

/// The two sides of a split. `val` is what the scripts of trainers call it.
pub const SPLITS: [&str; 2] = ["train", "val"];

const PLACE_OF_SPLIT: &str = "{split}";

const MANIFEST: &str = "bytemill.json";
/// What an output is called whose name is nothing but the place of the split.
const UNNAMED: &str = "tokens";

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
        with(&self.whole(), MANIFEST)
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
            "" => self.stem.with_file_name(UNNAMED),
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

/// Whether a run whose manifest is called so may have called a file with ids so, in shards or split or not. What a manifest says of
/// files decides what is removed, and somebody else may have put it there.
pub fn may_be_of(manifest: &str, file: &str) -> bool {
    let whole = manifest.strip_suffix(MANIFEST).and_then(|whole| whole.strip_suffix('.'));
    let Some((whole, extension)) = whole.and_then(|whole| whole.rsplit_once('.')) else { return false };
    // The longest that file systems take is 255.
    let file = if file.len() < 1024 { file } else { "" };
    let stem = file.strip_suffix(extension).and_then(|stem| stem.strip_suffix('.'));
    let Some(stem) = stem else { return false };
    let is_number = |number: &str| number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit());
    let stem = stem.rsplit_once('-').filter(|(_, number)| is_number(number)).map_or(stem, |(stem, _)| stem);
    let is_side_of_whole = |side: &str| {
        stem.match_indices(side).any(|(at, _)| {
            let rest = [&stem[..at], &stem[at + side.len()..]].concat();
            let rest = rest.trim_matches(['-', '_', '.']);
            whole == if rest.is_empty() { UNNAMED } else { rest }
        })
    };
    stem == whole || SPLITS.iter().any(|side| is_side_of_whole(side))
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
        for file in
            ["a.bin", "a-00000.bin", "a-100000.bin", "a-val.bin", "a-train-00001.bin", "a_val.bin", "train.a.bin"]
        {
            assert!(may_be_of("a.bin.bytemill.json", file), "{file}");
        }
        assert!(may_be_of("tokens.bin.bytemill.json", "val-00001.bin") && may_be_of("a.b.ds.bytemill.json", "a.b.ds"));
        for file in [
            "b.bin",
            "a.npy",
            "a.bin.docs",
            "aa.bin",
            "../a.bin",
            "/a.bin",
            "x/a.bin",
            "a",
            "",
            ".bin",
            "a-0.bin",
            "a-old.bin",
        ] {
            assert!(!may_be_of("a.bin.bytemill.json", file), "{file}");
        }
        assert!(!may_be_of("a.bin", "a.bin") && !may_be_of("bytemill.json", "") && !may_be_of(".bytemill.json", "."));
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
