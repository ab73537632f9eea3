//! `.tiktoken`: a token in base64 and its rank on each line. The file holds neither the pattern nor the special tokens; those of OpenAI's
//! encodings are known here by name.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::decode::Decoder;
use crate::definition::{Definition, Family, Merging, Outline, Symbols};
use crate::error::{Error, Result};
use crate::model::bpe::concatenations::{of_concatenations, ranked};
use crate::pretokenize::PreTokenizer;
use crate::specials::{AddedToken, Policy};
use crate::vocab::{MAX_ID, TokenId, Vocab};

/// What a file of this format leaves to be known.
#[derive(Debug, Clone)]
pub(super) struct TiktokenEncoding {
    pub pretokenizer: PreTokenizer,
    pub special_tokens: Vec<(String, TokenId)>,
}

/// The token of no bytes.
const EMPTY: &[u8] = b"=";

const END_OF_TEXT: &str = "<|endoftext|>";
const END_OF_PROMPT: &str = "<|endofprompt|>";
const FILL_IN: [&str; 3] = ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"];

/// The encodings that are known by name.
pub(super) const NAMES: [&str; 7] =
    ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"];

impl TiktokenEncoding {
    pub(super) fn named(name: &str) -> Option<Self> {
        let special = |name: &str, id| (name.to_string(), id);
        let fill_in = |first| FILL_IN.iter().zip(first..).map(|(name, id)| special(name, id)).collect::<Vec<_>>();
        let (pretokenizer, special_tokens) = match name {
            "gpt2" | "r50k_base" | "p50k_base" => (PreTokenizer::Gpt2, vec![special(END_OF_TEXT, 50256)]),
            "p50k_edit" => (PreTokenizer::Gpt2, [vec![special(END_OF_TEXT, 50256)], fill_in(50281)].concat()),
            "cl100k_base" => {
                let ends = [vec![special(END_OF_TEXT, 100_257)], fill_in(100_258)].concat();
                (PreTokenizer::Cl100k, [ends, vec![special(END_OF_PROMPT, 100_276)]].concat())
            }
            "o200k_base" => (PreTokenizer::O200k, vec![special(END_OF_TEXT, 199_999), special(END_OF_PROMPT, 200_018)]),
            "o200k_harmony" => (PreTokenizer::O200k, harmony()),
            _ => return None,
        };
        Some(TiktokenEncoding { pretokenizer, special_tokens })
    }
}

/// Two names share the id 200018, as in the original.
fn harmony() -> Vec<(String, TokenId)> {
    let named = |id: TokenId| match id {
        199_998 => "<|startoftext|>".to_string(),
        199_999 => END_OF_TEXT.to_string(),
        200_002 => "<|return|>".to_string(),
        200_003 => "<|constrain|>".to_string(),
        200_005 => "<|channel|>".to_string(),
        200_006 => "<|start|>".to_string(),
        200_007 => "<|end|>".to_string(),
        200_008 => "<|message|>".to_string(),
        200_012 => "<|call|>".to_string(),
        _ => format!("<|reserved_{id}|>"),
    };
    let prompt = (END_OF_PROMPT.to_string(), 200_018);
    [prompt].into_iter().chain((199_998..201_088).map(|id| (named(id), id))).collect()
}

pub(super) fn read(bytes: &[u8], encoding: TiktokenEncoding) -> Result<Definition> {
    let mut tokens = Ranks::default();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let wrong = |reason: String| Error::format(format!("line {}", number + 1), reason);
        let (token, rank) = parse(line).map_err(wrong)?;
        tokens.add(token, rank).map_err(wrong)?;
    }
    tokens.definition(encoding)
}

/// Makes a tokenizer from ranks in memory.
pub(super) fn of_ranks<'a>(
    ranks: impl IntoIterator<Item = (&'a [u8], TokenId)>,
    encoding: TiktokenEncoding,
) -> Result<Definition> {
    let mut tokens = Ranks::default();
    for (token, rank) in ranks {
        tokens.add(token.to_vec(), rank).map_err(Error::Spec)?;
    }
    tokens.definition(encoding)
}

/// The tokens, each in the place of its rank.
#[derive(Default)]
struct Ranks(Vec<Option<Vec<u8>>>);

impl Ranks {
    fn add(&mut self, token: Vec<u8>, rank: TokenId) -> std::result::Result<(), String> {
        if rank >= MAX_ID {
            return Err(format!("the rank {rank} is too large"));
        }
        let place = rank as usize;
        if place >= self.0.len() {
            self.0.resize(place + 1, None);
        }
        match self.0[place].replace(token) {
            Some(_) => Err(format!("the rank {rank} is there twice")),
            None => Ok(()),
        }
    }

    fn definition(self, encoding: TiktokenEncoding) -> Result<Definition> {
        definition(Vocab::new(self.0)?, encoding)
    }
}

fn definition(vocab: Vocab, encoding: TiktokenEncoding) -> Result<Definition> {
    let merges = of_concatenations(&vocab)?;
    let specials = encoding.special_tokens.into_iter();
    let outline = Outline {
        family: Family::Bpe,
        normalizer: None,
        pretokenizer: Some(encoding.pretokenizer),
        unk: None,
        whole_pieces: true,
        merging: Merging::Concatenations,
        symbols: Symbols::default(),
        subwords: None,
        sentencepiece: None,
        added: specials.map(|(content, id)| AddedToken::special(id, content)).collect(),
        template: None,
        trim: None,
        truncation: None,
        padding: None,
        roles: None,
        decoder: Decoder::Concat,
        specials: Policy::Refuse,
        training: None,
    };
    Ok(Definition { outline, vocab: vocab.into(), merges: Some(merges.into()), scores: None })
}

fn parse(line: &[u8]) -> std::result::Result<(Vec<u8>, TokenId), String> {
    let mut parts = line.split(|&byte| byte == b' ');
    let (Some(token), Some(rank), None) = (parts.next(), parts.next(), parts.next()) else {
        return Err("expected a token in base64, a space and a rank".into());
    };
    let token = match token {
        b"" => return Err("an empty token".into()),
        // How Whisper's file writes a token of no bytes, which keeps an id from being used.
        EMPTY => Vec::new(),
        _ => STANDARD.decode(token).map_err(|error| format!("not base64: {error}"))?,
    };
    let rank = std::str::from_utf8(rank).ok().and_then(|rank| rank.parse().ok());
    rank.map(|rank| (token, rank)).ok_or_else(|| "the rank is not a whole number".into())
}

/// The ranks alone: that is all the format holds. A reader is told separately how texts are split and what is special.
pub(super) fn write(definition: &Definition) -> Result<Vec<u8>> {
    let inexpressible = |feature: &str| Error::Inexpressible {
        format: ".tiktoken",
        feature: feature.into(),
        hint: "write tokenizer.json or .mill instead".into(),
    };
    let Outline { normalizer, template, trim, decoder, .. } = &definition.outline;
    let vocab = ranked(definition)?
        .ok_or_else(|| inexpressible("anything but merging by the bytes of the concatenation, lowest id first"))?;
    if normalizer.is_some() || template.is_some() || trim.is_some() || *decoder != Decoder::Concat {
        return Err(inexpressible("a normalizer, a post-processor or a decoder"));
    }
    let mut lines = Vec::new();
    for (id, token) in vocab.tokens() {
        let token = if token.is_empty() { EMPTY.to_vec() } else { STANDARD.encode(token).into_bytes() };
        lines.extend_from_slice(&token);
        lines.extend_from_slice(format!(" {id}\n").as_bytes());
    }
    Ok(lines)
}
