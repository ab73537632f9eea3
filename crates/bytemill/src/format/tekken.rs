//! tekken.json of Mistral: the tokens of byte-level BPE with their ranks, the pattern, and special tokens. The ids of the special tokens
//! come first and move all others up. Merging is that of tiktoken, on which `mistral-common` builds.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::json::Node;
use crate::definition::{Definition, Merging, Outline, Symbols};
use crate::error::{Error, Result};
use crate::model::bpe::merges::Merges;
use crate::pretokenize::PreTokenizer;
use crate::pretokenize::gpt::Scheme;
use crate::special::{AddedToken, Policy};
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

pub fn read(bytes: &[u8]) -> Result<Definition> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| Error::format("the file", format!("not valid JSON: {error}")))?;
    let root = Node::root(&value);
    // Of images and sound, which are no text.
    root.only(&["config", "vocab", "special_tokens", "version", "type", "image", "multimodal", "audio"])?;
    let config = root.get("config")?;
    config.only(&["pattern", "num_vocab_tokens", "default_vocab_size", "default_num_special_tokens", "version"])?;
    let pattern = config.get("pattern")?;
    if pattern.string()? != Scheme::Tekken.pattern() {
        return Err(pattern.unsupported("this way of splitting"));
    }
    let specials = special_tokens(&root, &config)?;
    let size = config.get("default_vocab_size")?;
    let own = size.number()?.checked_sub(specials.len() as u32);
    let own = own.ok_or_else(|| size.error("is less than the number of special tokens"))?;
    let tokens = tokens(&root.get("vocab")?, own as usize)?;
    let holes = std::iter::repeat_n(None, specials.len());
    let vocab = Vocab::new(holes.chain(tokens.into_iter().map(Some)))?;
    let merges = Merges::of_concatenations(&vocab)?;
    let outline = Outline {
        pretokenizer: Some(PreTokenizer::Tekken),
        whole_pieces: true,
        merging: Merging::Concatenations,
        added: (0..).zip(specials).map(|(id, name)| AddedToken::special(id, name)).collect(),
        // Control tokens come from the program and never from a text.
        specials: Policy::None,
        ..Outline::bpe(Symbols::default())
    };
    Ok(Definition { outline, vocab: vocab.into(), merges: Some(merges.into()) })
}

/// As many as the file says: those it lists, and fillers.
fn special_tokens(root: &Node, config: &Node) -> Result<Vec<String>> {
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

fn special_token(place: usize, node: &Node) -> Result<String> {
    node.only(&["rank", "token_str", "is_control"])?;
    in_order(place, node)?;
    Ok(node.get("token_str")?.string()?.to_string())
}

/// The first tokens of the list; a file may have more than are used.
fn tokens(node: &Node, count: usize) -> Result<Vec<Vec<u8>>> {
    let tokens = node.list()?.take(count).enumerate().map(|(i, node)| token(i, &node)).collect::<Result<Vec<_>>>()?;
    match tokens.len() == count {
        true => Ok(tokens),
        false => Err(node.error(format!("has {} tokens, and {count} are used", tokens.len()))),
    }
}

fn token(place: usize, node: &Node) -> Result<Vec<u8>> {
    node.only(&["rank", "token_bytes", "token_str"])?;
    in_order(place, node)?;
    let bytes = node.get("token_bytes")?;
    let token = STANDARD.decode(bytes.string()?).map_err(|error| bytes.error(format!("not base64: {error}")))?;
    if place < 256 && token != [place as u8] || token.is_empty() {
        return Err(bytes.error("the first 256 tokens are the bytes in their order, and none is empty"));
    }
    Ok(token)
}

fn in_order(place: usize, node: &Node) -> Result<()> {
    let rank = node.get("rank")?;
    match rank.number()? as TokenId as usize == place {
        true => Ok(()),
        false => Err(rank.error(format!("expected {place}, found {}", rank.value))),
    }
}
