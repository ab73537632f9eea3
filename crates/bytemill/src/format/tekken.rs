//! tekken.json of Mistral: the tokens of byte-level BPE with their ranks, the pattern, and special tokens. The ids of the special tokens
//! come first and move all others up. Merging is that of tiktoken, on which `mistral-common` builds, and so is the meaning of the pattern.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::json::JsonNode;
use crate::definition::{Definition, Merging, Outline, Symbols};
use crate::error::{Error, Result};
use crate::model::bpe::concatenations::{of_concatenations, ranked};
use crate::pretokenize::{Behavior, PreTokenizer};
use crate::specials::{AddedToken, Policy};
use crate::text::pattern::Pattern;
use crate::vocab::{MAX_ID, TokenId, Vocab};

/// The special tokens of files that list none, as `mistral-common` has them.
const DEFAULT_SPECIALS: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// The last version whose files may leave their special tokens out.
const LAST_WITH_DEFAULTS: u32 = 7;

pub(super) fn read(bytes: &[u8]) -> Result<Definition> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| Error::format("the file", format!("not valid JSON: {error}")))?;
    let root = JsonNode::root(&value);
    // For images and sound, which are no text.
    root.only(&["config", "vocab", "special_tokens", "version", "type", "image", "multimodal", "audio"])?;
    let config = root.get("config")?;
    config.only(&["pattern", "num_vocab_tokens", "default_vocab_size", "default_num_special_tokens", "version"])?;
    let pretokenizer = splitting(&config.get("pattern")?)?;
    let specials = special_tokens(&root, &config)?;
    let size = config.get("default_vocab_size")?;
    let own = size.number()?.checked_sub(specials.len() as u32);
    let own = own.ok_or_else(|| size.error("is less than the number of special tokens"))?;
    let tokens = tokens(&root.get("vocab")?, own as usize)?;
    let holes = std::iter::repeat_n(None, specials.len());
    let vocab = Vocab::new(holes.chain(tokens.into_iter().map(Some)))?;
    let merges = of_concatenations(&vocab)?;
    let outline = Outline {
        pretokenizer: Some(pretokenizer),
        whole_pieces: true,
        merging: Merging::Concatenations,
        added: (0..).zip(specials).map(|(id, name)| AddedToken::special(id, name)).collect(),
        // Control tokens come from the program and never from a text.
        specials: Policy::None,
        ..Outline::bpe(Symbols::default())
    };
    Ok(Definition { outline, vocab: vocab.into(), merges: Some(merges.into()), scores: None })
}

fn splitting(node: &JsonNode) -> Result<PreTokenizer> {
    PreTokenizer::of_matches(node.string()?).map_err(|error| match error {
        Error::Spec(reason) => node.error(reason),
        other => other,
    })
}

/// As many as the file says: those it lists, and fillers.
fn special_tokens(root: &JsonNode, config: &JsonNode) -> Result<Vec<String>> {
    let count = config.get("default_num_special_tokens")?;
    let version = config.get("version")?;
    let number = version.string()?.strip_prefix('v').and_then(|number| number.parse::<u32>().ok());
    let number = number.ok_or_else(|| version.error(format!("{} is no version", version.value)))?;
    let mut names: Vec<String> = match root.find("special_tokens")? {
        Some(listed) => listed.list()?.enumerate().map(|(i, node)| special_token(i, &node)).collect::<Result<_>>()?,
        None if number > LAST_WITH_DEFAULTS => {
            return Err(root.error(format!("a file of version v{number} lists its special tokens")));
        }
        None => DEFAULT_SPECIALS.map(String::from).to_vec(),
    };
    let wanted = count.number()?;
    if wanted >= MAX_ID || names.len() > wanted as usize {
        return Err(count.error(format!("{wanted} does not fit {} special tokens", names.len())));
    }
    names.extend((names.len()..wanted as usize).map(|id| format!("<SPECIAL_{id}>")));
    Ok(names)
}

fn special_token(place: usize, node: &JsonNode) -> Result<String> {
    node.only(&["rank", "token_str", "is_control"])?;
    in_order(place, node)?;
    Ok(node.get("token_str")?.string()?.to_string())
}

/// The first tokens of the list; a file may have more than are used.
fn tokens(node: &JsonNode, count: usize) -> Result<Vec<Vec<u8>>> {
    let tokens = node.list()?.take(count).enumerate().map(|(i, node)| token(i, &node)).collect::<Result<Vec<_>>>()?;
    match tokens.len() == count {
        true => Ok(tokens),
        false => Err(node.error(format!("has {} tokens, and {count} are used", tokens.len()))),
    }
}

fn token(place: usize, node: &JsonNode) -> Result<Vec<u8>> {
    node.only(&["rank", "token_bytes", "token_str"])?;
    in_order(place, node)?;
    let bytes = node.get("token_bytes")?;
    let token = STANDARD.decode(bytes.string()?).map_err(|error| bytes.error(format!("not base64: {error}")))?;
    if place < 256 && token != [place as u8] || token.is_empty() {
        return Err(bytes.error("the first 256 tokens are the bytes in their order, and none is empty"));
    }
    Ok(token)
}

fn in_order(place: usize, node: &JsonNode) -> Result<()> {
    let rank = node.get("rank")?;
    match rank.number()? as TokenId as usize == place {
        true => Ok(()),
        false => Err(rank.error(format!("expected {place}, found {}", rank.value))),
    }
}

const NAME: &str = "tekken.json";
/// The first version with files of this kind. Later ones differ in how `mistral-common` writes conversations.
const WRITTEN_VERSION: &str = "v3";

pub(super) fn write(definition: &Definition) -> Result<Vec<u8>> {
    let pattern = expressible_pattern(definition).map_err(inexpressible)?;
    let specials = expressible_specials(&definition.outline).map_err(inexpressible)?;
    let moved = specials.len() as TokenId;
    let size = definition.vocab.len() as TokenId;
    let mut tokens = Vec::with_capacity(definition.vocab.len());
    for id in moved..size {
        let token = definition.vocab.token(id).filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| inexpressible(format!("that no token has the id {id}")))?;
        let rank = id - moved;
        if rank < 256 && token != [rank as u8] {
            return Err(inexpressible("tokens that do not begin with the 256 bytes in their order".into()));
        }
        let text = std::str::from_utf8(token).ok();
        tokens.push(json!({"rank": rank, "token_bytes": STANDARD.encode(token), "token_str": text}));
    }
    if tokens.len() < 256 || (0..moved).any(|id| definition.vocab.token(id).is_some()) {
        return Err(inexpressible("tokens that do not begin with the 256 bytes after the special tokens".into()));
    }
    let listed = (0..)
        .zip(specials)
        .map(|(rank, name): (TokenId, &str)| json!({"rank": rank, "token_str": name, "is_control": true}));
    let file = json!({
        "config": {
            "pattern": pattern,
            "num_vocab_tokens": tokens.len(),
            "default_vocab_size": size,
            "default_num_special_tokens": moved,
            "version": WRITTEN_VERSION,
        },
        "vocab": tokens,
        "special_tokens": listed.collect::<Vec<_>>(),
    });
    serde_json::to_vec(&file).map_err(|error| Error::Internal(error.to_string()))
}

fn inexpressible(feature: String) -> Error {
    Error::Inexpressible { format: NAME, feature, hint: "write .mill instead".into() }
}

/// The pattern, if the file can say all that there is besides tokens.
fn expressible_pattern(definition: &Definition) -> std::result::Result<&str, String> {
    let outline = &definition.outline;
    let plain = Outline::bpe(Symbols::default());
    if outline.family != plain.family || !matches!(ranked(definition), Ok(Some(_))) {
        return Err("anything but merging by the bytes of the concatenation, as tiktoken does".into());
    }
    if outline.normalizer.is_some() || outline.template.is_some() || outline.trim.is_some() {
        return Err("a normalizer or a post-processor".into());
    }
    // A list of merges that says the same makes every token, whether or not these are looked up first.
    let looks_up = outline.whole_pieces || outline.merging == Merging::Pairs;
    let model = (&outline.symbols, outline.unk, &outline.decoder, looks_up);
    if model != (&plain.symbols, plain.unk, &plain.decoder, true) {
        return Err("a model that is not that of tiktoken".into());
    }
    match &outline.pretokenizer {
        Some(PreTokenizer::Split {
            pattern: pattern @ Pattern::Regex(regex),
            behavior: Behavior::Removed,
            invert: true,
        }) => pattern.check_portable().map_err(|error| error.to_string()).map(|()| regex.as_str()),
        splitting => splitting
            .as_ref()
            .and_then(PreTokenizer::pattern)
            .ok_or_else(|| "a splitting that is not by the matches of one pattern".to_string()),
    }
}

/// The names of the special tokens in the order of their ids, which are the first.
fn expressible_specials(outline: &Outline) -> std::result::Result<Vec<&str>, String> {
    let mut added: Vec<&AddedToken> = outline.added.iter().collect();
    added.sort_by_key(|token| token.id);
    for (id, token) in (0..).zip(&added) {
        if token.id != id {
            return Err(format!(
                "that the special token {:?} has the id {}: they have the first ones, and one of a reserved token can be \
                 taken (reserved=True of bytemill.surgery.add_tokens)",
                token.content, token.id
            ));
        }
        if **token != AddedToken::special(id, token.content.as_str()) {
            return Err(format!("how the added token {:?} is matched", token.content));
        }
    }
    if !added.is_empty() && outline.specials != Policy::None {
        return Err("that special tokens are found in a text by default".into());
    }
    Ok(added.into_iter().map(|token| token.content.as_str()).collect())
}
