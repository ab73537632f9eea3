//! tokenizer.json, the format of the `tokenizers` library: model type WordLevel. Read so that ids are those of version 0.23.3, written so
//! that it loads there and encodes identically.

mod added;
mod decoders;
mod normalizers;
mod pretokenizers;
mod processors;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::json::Node;
use crate::definition::{Definition, Family, Outline};
use crate::error::{Error, Result};
use crate::special::Policy;
use crate::vocab::{MAX_ID, TokenId, Vocab};

const NAME: &str = "tokenizer.json";

pub fn read(bytes: &[u8]) -> Result<Definition> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| Error::format("the file", format!("not valid JSON: {error}")))?;
    let root = Node::root(&value);
    root.only(&[
        "version",
        "truncation",
        "padding",
        "added_tokens",
        "normalizer",
        "pre_tokenizer",
        "post_processor",
        "decoder",
        "model",
    ])?;
    let version = root.get("version")?;
    if version.string()? != "1.0" {
        return Err(version.error(format!("expected \"1.0\", found {}", version.value)));
    }
    for key in ["truncation", "padding"] {
        if let Some(node) = root.find(key)? {
            return Err(node.unsupported(key));
        }
    }
    let model = read_model(&root.get("model")?)?;
    let outline = Outline {
        family: Family::Word,
        normalizer: root.find("normalizer")?.map(|node| normalizers::read(&node)).transpose()?,
        pretokenizer: root.find("pre_tokenizer")?.map(|node| pretokenizers::read(&node)).transpose()?,
        unk: model.unk,
        added: match root.find("added_tokens")? {
            Some(node) => added::read(&node, &model.ids)?,
            None => Vec::new(),
        },
        template: root.find("post_processor")?.map(|node| processors::read(&node)).transpose()?,
        decoder: decoders::read(root.find("decoder")?)?,
        specials: Policy::All,
        training: None,
    };
    Ok(Definition { outline, vocab: model.vocab.into() })
}

struct Model {
    vocab: Vocab,
    ids: HashMap<String, TokenId>,
    unk: Option<TokenId>,
}

fn read_model(node: &Node) -> Result<Model> {
    let kind = node.find("type")?.map(|kind| kind.string()).transpose()?;
    match kind {
        Some("WordLevel") => {}
        Some(other) => return Err(node.get("type")?.unsupported(&format!("the model {other}"))),
        // Old files leave the type out; what else they hold tells.
        None if node.map()?.contains_key("merges") => return Err(node.unsupported("a BPE model")),
        None => return Err(node.error("has no \"type\"")),
    }
    node.only(&["type", "vocab", "unk_token"])?;
    let entries = node.get("vocab")?;
    let mut ids = HashMap::new();
    for (token, id) in entries.map()? {
        ids.insert(token.clone(), entries.at(token, id).number()?);
    }
    let vocab = vocab_of(&entries, &ids)?;
    let unk = ids.get(node.get("unk_token")?.string()?).copied();
    Ok(Model { vocab, ids, unk })
}

fn vocab_of(node: &Node, ids: &HashMap<String, TokenId>) -> Result<Vocab> {
    let last = ids.values().copied().max();
    // Holes are allowed; a number that is out of all proportion is a mistake, and would fill the memory.
    if last.is_some_and(|last| last >= MAX_ID || last as usize > 64 * ids.len() + (1 << 20)) {
        return Err(node.error(format!("the id {} is too large for {} tokens", last.unwrap_or(0), ids.len())));
    }
    let mut tokens: Vec<Option<&str>> = vec![None; last.map_or(0, |last| last as usize + 1)];
    for (token, &id) in ids {
        if let Some(other) = tokens[id as usize].replace(token) {
            let (first, second) =
                if other < token.as_str() { (other, token.as_str()) } else { (token.as_str(), other) };
            return Err(node.error(format!("{first:?} and {second:?} share the id {id}")));
        }
    }
    Vocab::new(tokens)
}

pub fn write(definition: &Definition) -> Result<Vec<u8>> {
    let outline = &definition.outline;
    let mut ids: HashMap<String, TokenId> = HashMap::new();
    for (id, token) in definition.vocab.tokens() {
        ids.insert(text(id, token)?.to_string(), id);
    }
    added::settle(&outline.added, &mut ids)?;
    let mut by_id: Vec<(&String, &TokenId)> = ids.iter().collect();
    by_id.sort_by_key(|&(_, id)| id);
    let vocab: serde_json::Map<String, Value> =
        by_id.into_iter().map(|(token, &id)| (token.clone(), id.into())).collect();
    let file = json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": added::write(&outline.added),
        "normalizer": outline.normalizer.as_ref().map(normalizers::write),
        "pre_tokenizer": pretokenizers::write_all(outline),
        "post_processor": outline.template.as_ref().map(processors::write).transpose()?,
        "decoder": decoders::write(outline.decoder),
        "model": {
            "type": "WordLevel",
            "vocab": vocab,
            "unk_token": unk_token(definition, &ids)?,
        },
    });
    serde_json::to_vec_pretty(&file).map_err(|error| Error::Internal(error.to_string()))
}

fn text(id: TokenId, token: &[u8]) -> Result<&str> {
    std::str::from_utf8(token).map_err(|_| Error::Inexpressible {
        format: NAME,
        feature: format!("token {id}, which is not UTF-8"),
        hint: "write .mill instead".into(),
    })
}

/// The unknown token's text; where there is none, a text that no token has, since the format insists on one.
fn unk_token(definition: &Definition, ids: &HashMap<String, TokenId>) -> Result<String> {
    match definition.outline.unk {
        Some(id) => Ok(text(id, definition.token(id).unwrap_or_default())?.to_string()),
        None => {
            let mut absent = "<no unknown token>".to_string();
            while ids.contains_key(&absent) {
                absent.push('>');
            }
            Ok(absent)
        }
    }
}
