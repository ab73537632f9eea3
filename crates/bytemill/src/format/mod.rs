//! Formats: `read(bytes) → Definition`, `write(Definition) → bytes`. One file a format; none knows another.

mod beside;
mod binary;
mod huggingface;
mod json;
mod lexicon;
mod native;
mod scan;
mod self_test;
pub(crate) mod sentencepiece;
mod sniff;
mod tekken;
mod tiktoken;
mod vocab_merges;
mod vocab_txt;

pub(crate) use native::TokenText;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

pub use huggingface::staged::StagedModel;
pub use huggingface::stages;
pub use sniff::{Format, sniff};

use crate::data::write_atomically;
use crate::definition::Outline;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::machine::memory::ask;
use crate::machine::storage::FileBytes;
use crate::normalize::Normalizer;
use crate::pretokenize::{Behavior, PreTokenizer};
use crate::specials::AddedToken;
use crate::text::pattern::Pattern;
use crate::vocab::TokenId;

/// What the caller says of a file, where the file does not say it itself.
#[derive(Debug, Clone, Default)]
pub struct Given {
    pub format: Option<Format>,
    /// How text is split before the model of a `.tiktoken` file, of vocab.json and merges.txt, or of vocab.txt.
    pub splitting: Option<Splitting>,
    /// The special tokens of these.
    pub special_tokens: Option<Vec<(String, TokenId)>>,
    /// What happens to text before it is split; of the last two.
    pub normalizer: Option<Normalizer>,
    /// What stands for the unknown in these.
    pub unk_token: Option<String>,
    /// Whether the tokens of vocab.json are written in the alphabet of bytes.
    pub byte_level: Option<bool>,
    /// Which of OpenAI's encodings a `.tiktoken` file is, where its name does not say it.
    pub encoding: Option<String>,
}

/// How a caller says that text is split.
#[derive(Debug, Clone)]
pub enum Splitting {
    /// By a regular expression, as the library reads it that the file is for.
    Pattern(String),
    Stage(PreTokenizer),
}

impl Splitting {
    /// Of a string of JSON, which is a pattern, or the definition of a stage.
    pub fn from_json(json: &str) -> serde_json::Result<Self> {
        match json.starts_with('"') {
            true => serde_json::from_str(json).map(Splitting::Pattern),
            false => serde_json::from_str(json).map(Splitting::Stage),
        }
    }

    /// Before the model of a file that is for `tokenizers`.
    fn of_tokenizers(&self) -> PreTokenizer {
        match self {
            Splitting::Pattern(regex) => PreTokenizer::of_pattern(regex).unwrap_or_else(|| PreTokenizer::Split {
                pattern: Pattern::Regex(regex.clone()),
                behavior: Behavior::Isolated,
                invert: false,
            }),
            Splitting::Stage(stage) => stage.clone(),
        }
    }

    /// Before that of a `.tiktoken` file.
    fn of_tiktoken(&self) -> Result<PreTokenizer> {
        match self {
            Splitting::Pattern(regex) => PreTokenizer::of_matches(regex),
            Splitting::Stage(stage) => Ok(stage.clone()),
        }
    }
}

impl Given {
    /// How text is split before the model of vocab.json or vocab.txt.
    fn pretokenizer(&self) -> Option<PreTokenizer> {
        self.splitting.as_ref().map(Splitting::of_tokenizers)
    }

    /// Refuses what the file of a format says itself, or has no place for.
    fn check(&self, format: Format) -> Result<()> {
        let of_both = self.splitting.is_some() || self.special_tokens.is_some();
        let of_merges = self.normalizer.is_some() || self.byte_level.is_some() || self.unk_token.is_some();
        match format {
            Format::VocabMerges => Ok(()),
            Format::VocabTxt if self.byte_level.is_none() => Ok(()),
            Format::Tiktoken if !of_merges => Ok(()),
            _ if of_merges => Err(Error::Spec(
                "normalizer and unk_token are given for vocab.json with merges.txt and for vocab.txt, byte_level for the former, \
                 and all three for nothing else"
                    .into(),
            )),
            _ if of_both => Err(Error::Spec(
                "a pattern and special tokens are given for .tiktoken files, for vocab.json with merges.txt and for vocab.txt; \
                 this one says them itself"
                    .into(),
            )),
            _ => Ok(()),
        }
    }
}

/// Reads a file, or finds the tokenizer in a folder.
pub fn load(path: &Path, given: &Given) -> Result<Tokenizer> {
    let path = &tokenizer_in(path)?;
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    let length = file.metadata().map_err(|error| Error::io(path, error))?.len();
    if length == 0 {
        // An empty file cannot be mapped.
        return Err(Error::format(path.display().to_string(), "the file is empty"));
    }
    // What a file describes takes some times its size in memory.
    ask(usize::try_from(length).unwrap_or(usize::MAX).saturating_mul(6))?;
    // SAFETY: the map is read-only. A file changed in place while it is mapped would change under us; our own `save` never does that (it
    // renames a new file over the old one), and docs/formats.md asks others not to.
    let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io(path, error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (tokenizer, format) =
        parse(FileBytes::Map(Arc::new(map)), Some(path), &name, given).map_err(|error| named(error, path))?;
    match format {
        // These say it themselves.
        Format::Mill | Format::MillJson => Ok(tokenizer),
        _ => beside::with_roles(tokenizer, path),
    }
}

/// Reads a tokenizer that is in memory.
pub fn load_bytes(bytes: &[u8], given: &Given) -> Result<Tokenizer> {
    parse(FileBytes::Bytes(bytes), None, "", given).map(|(tokenizer, _)| tokenizer)
}

fn parse(source: FileBytes, path: Option<&Path>, name: &str, given: &Given) -> Result<(Tokenizer, Format)> {
    if let Some(inflated) = sniff::inflate(source.bytes())? {
        return parse(FileBytes::Bytes(&inflated), path, name.trim_end_matches(".gz"), given);
    }
    let found = || match name {
        _ if vocab_merges::is_merges(name) => Ok(Format::VocabMerges),
        _ if vocab_txt::is_named_so(name) => Ok(Format::VocabTxt),
        _ => sniff(source.bytes()),
    };
    let format = given.format.map_or_else(found, Ok)?;
    given.check(format)?;
    let read = match format {
        Format::Mill => binary::read(&source),
        Format::MillJson => native::read(source.bytes()),
        Format::HuggingFace => Tokenizer::new(huggingface::read(source.bytes())?),
        Format::Tiktoken => Tokenizer::new(tiktoken::read(source.bytes(), encoding(name, given)?)?),
        Format::Tekken => Tokenizer::new(tekken::read(source.bytes())?),
        Format::SentencePiece => sentencepiece::read(source.bytes()),
        Format::VocabMerges => match path {
            Some(path) => Tokenizer::new(vocab_merges::read(source.bytes(), path, given)?),
            None => Err(two_files()),
        },
        Format::VocabTxt => Tokenizer::new(vocab_txt::read(source.bytes(), given)?),
    };
    Ok((read?, format))
}

/// A tokenizer of ranks that are in memory, as a `.tiktoken` file has them.
pub fn of_ranks<'a>(
    ranks: impl IntoIterator<Item = (&'a [u8], TokenId)>,
    splitting: &Splitting,
    special_tokens: Vec<(String, TokenId)>,
) -> Result<Tokenizer> {
    let encoding = tiktoken::TiktokenEncoding { pretokenizer: splitting.of_tiktoken()?, special_tokens };
    Tokenizer::new(tiktoken::of_ranks(ranks, encoding)?)
}

/// The encoding of a `.tiktoken` file: as given, and for the rest as the name of the file says.
fn encoding(name: &str, given: &Given) -> Result<tiktoken::TiktokenEncoding> {
    let name = given.encoding.as_deref().unwrap_or(name);
    let known = tiktoken::TiktokenEncoding::named(name.trim_end_matches(".tiktoken"));
    let pretokenizer = match &given.splitting {
        Some(splitting) => Some(splitting.of_tiktoken()?),
        None => known.as_ref().map(|known| known.pretokenizer.clone()),
    };
    let special_tokens = given.special_tokens.clone().or_else(|| known.map(|known| known.special_tokens));
    match pretokenizer {
        Some(pretokenizer) => {
            Ok(tiktoken::TiktokenEncoding { pretokenizer, special_tokens: special_tokens.unwrap_or_default() })
        }
        None => Err(Error::format(
            "the file",
            format!(
                "a .tiktoken file does not hold its pattern, and its name is none of {}; pass pattern= and special_tokens=",
                tiktoken::NAMES.join(", ")
            ),
        )),
    }
}

/// The bytes of a tokenizer in a format.
pub fn write(tokenizer: &Tokenizer, format: Format) -> Result<Vec<u8>> {
    refuse_code(tokenizer, format)?;
    match format {
        Format::Mill => binary::write(tokenizer),
        Format::MillJson => native::write(tokenizer),
        Format::HuggingFace => huggingface::write(tokenizer.definition()),
        Format::Tiktoken => tiktoken::write(tokenizer.definition()),
        Format::Tekken => tekken::write(tokenizer.definition()),
        Format::SentencePiece => sentencepiece::write(tokenizer.definition()),
        Format::VocabMerges => Err(two_files()),
        Format::VocabTxt => vocab_txt::write(tokenizer.definition()),
    }
}

/// The type of each piece of a SentencePiece model, by the number that its file has for it, and its score; None for another tokenizer.
pub fn types_and_scores(tokenizer: &Tokenizer) -> Option<Vec<(i32, f64)>> {
    sentencepiece::types_and_scores(tokenizer.definition())
}

/// What the library of a format does otherwise with a tokenizer of another library, where the format can hold it.
pub fn differences(tokenizer: &Tokenizer, format: Format) -> Result<Vec<String>> {
    let definition = tokenizer.definition();
    let outline = &definition.outline;
    match (format, outline.sentencepiece.is_some()) {
        (Format::HuggingFace, true) => huggingface::from_sentencepiece::differences(definition),
        (Format::SentencePiece, false) => sentencepiece::from_stages::differences(definition),
        (Format::SentencePiece, true) if outline.template.is_some() => Ok(vec![
            "a text gets the tokens around it only where a call asks for them: add_bos=True, add_eos=True".into(),
        ]),
        (Format::HuggingFace | Format::VocabMerges, false) if outline.symbols.refuse_unknown => {
            Ok(vec!["a character that the vocabulary does not have is left out without an error".into()])
        }
        _ => Ok(Vec::new()),
    }
}

/// The outline of a tokenizer whose file does not say how texts are split and what is special, if the name of the file does not tell.
pub fn left_out<'a>(tokenizer: &'a Tokenizer, path: &Path, format: Format) -> Option<&'a Outline> {
    let outline = &tokenizer.definition().outline;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let known = || tiktoken::TiktokenEncoding::named(name.trim_end_matches(".tiktoken"));
    let is_told = |known: tiktoken::TiktokenEncoding| {
        let special = |token: &AddedToken| (token.content.clone(), token.id);
        let (mut one, mut other) = (known.special_tokens, outline.added.iter().map(special).collect::<Vec<_>>());
        one.sort();
        other.sort();
        Some(known.pretokenizer) == outline.pretokenizer && one == other
    };
    (format == Format::Tiktoken && !known().is_some_and(is_told)).then_some(outline)
}

/// Nobody else has such a pretokenizer, and without it the vocabulary would split another text.
fn refuse_code(tokenizer: &Tokenizer, format: Format) -> Result<()> {
    let own = matches!(format, Format::Mill | Format::MillJson);
    let parses = tokenizer.definition().outline.pretokenizer.as_ref().is_some_and(PreTokenizer::parses_code);
    match parses && !own {
        true => Err(Error::Inexpressible {
            format: format.name(),
            feature: "a pretokenizer that parses source code".into(),
            hint: "write .mill instead".into(),
        }),
        false => Ok(()),
    }
}

fn two_files() -> Error {
    Error::Spec("vocab.json and merges.txt are two files; save and load them by their path or folder".into())
}

/// Writes a file, whole or not at all; without a format, the one that the file name says.
pub fn save(tokenizer: &Tokenizer, path: &Path, format: Option<Format>) -> Result<()> {
    let format = format.map_or_else(|| Format::of_name(path), Ok)?;
    refuse_code(tokenizer, format)?;
    match format {
        Format::VocabMerges => vocab_merges::save(tokenizer.definition(), path),
        _ => write_atomically(path, &write(tokenizer, format)?),
    }
}

/// The file to read: the path itself, or what a folder holds under one of the usual names.
pub fn tokenizer_in(path: &Path) -> Result<PathBuf> {
    const USUAL: [&str; 10] = [
        "tokenizer.mill",
        "tokenizer.mill.json",
        "tokenizer.json",
        "tokenizer.json.gz",
        "tekken.json",
        "vocab.json",
        "vocab.txt",
        "tokenizer.model",
        "spiece.model",
        "sentencepiece.bpe.model",
    ];
    if !path.is_dir() {
        return Ok(path.to_path_buf());
    }
    USUAL.iter().map(|name| path.join(name)).find(|file| file.is_file()).ok_or_else(|| {
        Error::format(
            path.display().to_string(),
            format!("the folder has none of {}; name the file itself", USUAL.join(", ")),
        )
    })
}

/// Errors inside a file say which file.
fn named(error: Error, path: &Path) -> Error {
    match error {
        Error::Format { at, reason } => Error::format(format!("{}: {at}", path.display()), reason),
        Error::Spec(reason) => Error::format(path.display().to_string(), reason),
        other => other,
    }
}
