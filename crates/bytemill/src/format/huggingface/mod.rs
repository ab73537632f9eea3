//! tokenizer.json, the format of the `tokenizers` library: the models WordLevel, WordPiece and BPE. Read so that ids are those of
//! version 0.23.3, written so that it loads there and encodes identically.

mod added;
pub(super) mod bpe;
mod decoders;
mod file;
pub(super) mod from_sentencepiece;
mod lengths;
mod normalizers;
mod pretokenizers;
mod processors;
pub(super) mod staged;
pub mod stages;
mod unigram;
mod wordpiece;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::json::JsonNode;
use super::lexicon::Lexicon;
use super::scan::JsonScanner;
use crate::definition::{Definition, Family, Merging, Outline, Subwords, Symbols, Unit};
use crate::error::{Error, Result};
use crate::machine::storage::give_back_freed;
use crate::pretokenize::Splitter;
use crate::specials::AddedToken;
use crate::vocab::TokenId;
use crate::vocab::merges::Merges;
use file::{File, Lists};

const NAME: &str = "tokenizer.json";

/// The bytes of a file from which on it matters what its values leave behind.
const LARGE: usize = 1 << 20;

/// What a file may hold; `model` is the last for the library.
const KEYS: [&str; 9] = [
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
];

/// The bytes of a file in which its model is looked for: in files of the library it comes after some kilobytes, or half a megabyte.
const START: usize = 1 << 20;

/// Whether a file has keys of this format alone up to its model, which is not looked into: it is nearly all of the file.
pub(super) fn begins_like_one(bytes: &[u8]) -> bool {
    let mut is_one = false;
    JsonScanner::of_start(bytes, START).and_then(|mut scanner| {
        scanner.members(*b"{}", |scanner| {
            let key = scanner.string()?;
            scanner.take(b':')?;
            is_one = key == "model" && scanner.peek()? == b'{';
            (KEYS.contains(&&*key) && !is_one).then(|| scanner.value::<IgnoredAny>())?.map(drop)
        })
    });
    is_one
}

/// What is wrong with a file is told by reading it as values, which takes several times as long.
pub(super) fn read(bytes: &[u8]) -> Result<Definition> {
    if let Some(definition) = File::scan(bytes).and_then(|file| define(file).ok()) {
        return Ok(definition);
    }
    let definition = define(File::of_values(bytes)?);
    if bytes.len() >= LARGE {
        give_back_freed();
    }
    definition
}

fn define(file: File) -> Result<Definition> {
    let root = JsonNode::root(&file.root);
    let model = read_model(&root, file.lists)?;
    let outline = around(model.outline(), &root, &model.lexicon, added::AddedNumbers::OfLibrary)?;
    Ok(model.definition(outline))
}

/// The outline of a model with the stages that a file has around it.
fn around(model: Outline, root: &JsonNode, lexicon: &Lexicon, numbers: added::AddedNumbers) -> Result<Outline> {
    root.only(&KEYS)?;
    let version = root.get("version")?;
    if version.string()? != "1.0" {
        return Err(version.error(format!("expected \"1.0\", found {}", version.value)));
    }
    let unit = (model.family == Family::Bpe).then_some(model.symbols.unit);
    let added = match root.find("added_tokens")? {
        Some(node) => added::read(&node, lexicon, numbers)?,
        None => Vec::new(),
    };
    refuse_lost_tokens(root, lexicon, &added)?;
    let processing = root.find("post_processor")?.map(|node| processors::read(&node)).transpose()?.unwrap_or_default();
    Ok(Outline {
        normalizer: root.find("normalizer")?.map(|node| normalizers::read(&node)).transpose()?,
        pretokenizer: pretokenizers::read_for(unit, root)?,
        template: processing.template,
        trim: processing.trim,
        truncation: root.find("truncation")?.map(|node| lengths::read_truncation(&node)).transpose()?,
        padding: root.find("padding")?.map(|node| lengths::read_padding(&node)).transpose()?,
        decoder: decoders::read(unit, root, &added)?,
        added,
        ..model
    })
}

struct ModelParts {
    lexicon: Lexicon,
    unk: Option<TokenId>,
    merges: Option<Arc<Merges>>,
    whole_pieces: bool,
    symbols: Symbols,
    subwords: Option<Subwords>,
    scores: Option<Arc<[f64]>>,
}

impl ModelParts {
    /// With nothing around the model.
    fn outline(&self) -> Outline {
        let family = match (&self.merges, &self.subwords, &self.scores) {
            (Some(_), _, _) => Family::Bpe,
            (None, Some(_), _) => Family::WordPiece,
            (None, None, Some(_)) => Family::Unigram,
            (None, None, None) => Family::Word,
        };
        Outline {
            family,
            unk: self.unk,
            whole_pieces: self.whole_pieces,
            subwords: self.subwords.clone(),
            ..Outline::bpe(self.symbols.clone())
        }
    }

    fn definition(self, outline: Outline) -> Definition {
        Definition { outline, vocab: self.lexicon.vocab, merges: self.merges, scores: self.scores }
    }
}

fn read_model(root: &JsonNode, lists: Lists) -> Result<ModelParts> {
    let node = &root.get("model")?;
    let unit = || pretokenizers::unit(root);
    let kind = node.find("type")?.map(|kind| kind.string()).transpose()?;
    match kind.map_or_else(|| kind_without_type(node), Ok)? {
        "WordLevel" => read_words(node, lists),
        "WordPiece" => wordpiece::read(node, lists),
        "BPE" => bpe::read(node, lists, unit()?),
        "Unigram" => unigram::read(node, lists),
        other => Err(node.find("type")?.unwrap_or_else(|| node.clone()).unsupported(&format!("the model {other}"))),
    }
}

/// Old files leave the type out, and what else they hold tells, in the library's order.
fn kind_without_type(node: &JsonNode) -> Result<&'static str> {
    let has = |keys: &[&str]| -> Result<bool> {
        let map = node.map()?;
        Ok(keys.iter().all(|&key| map.contains_key(key)))
    };
    match () {
        () if has(&["vocab", "merges"])? => Ok("BPE"),
        () if has(&["vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"])? => Ok("WordPiece"),
        () if has(&["vocab", "unk_token"])? => Ok("WordLevel"),
        () if has(&["vocab", "unk_id"])? => Ok("Unigram"),
        () => Err(node.error("has no \"type\", and nothing else that tells it")),
    }
}

fn read_words(node: &JsonNode, mut lists: Lists) -> Result<ModelParts> {
    node.only(&["type", "vocab", "unk_token"])?;
    let lexicon = read_texts(node, &mut lists)?;
    let unk = lexicon.id(node.get("unk_token")?.string()?);
    Ok(ModelParts {
        lexicon,
        unk,
        merges: None,
        whole_pieces: false,
        symbols: Symbols::default(),
        subwords: None,
        scores: None,
    })
}

/// The vocabulary of a model whose tokens are written as they are.
fn read_texts(node: &JsonNode, lists: &mut Lists) -> Result<Lexicon> {
    lists.lexicon(&node.get("vocab")?, Unit::Characters)
}

/// A token that is not text of the model's alphabet can only be an added one.
fn refuse_lost_tokens(root: &JsonNode, lexicon: &Lexicon, added: &[AddedToken]) -> Result<()> {
    let added: HashSet<&str> = added.iter().map(|token| token.content.as_str()).collect();
    match lexicon.lost(|token| added.contains(token)) {
        Some((token, id)) => Err(root.get("model")?.error(format!("token {id}, {token:?}, is not byte-level"))),
        None => Ok(()),
    }
}

pub(super) fn write(definition: &Definition) -> Result<Vec<u8>> {
    let outline = &definition.outline;
    if outline.merging == Merging::Concatenations
        && definition.merges.as_ref().is_some_and(|merges| !merges.are_a_list())
    {
        return Err(Error::Inexpressible {
            format: NAME,
            feature: "several pairs of tokens that make the same with the same priority, as tiktoken merges them"
                .into(),
            hint: "write .mill or .tiktoken instead".into(),
        });
    }
    if outline.sentencepiece.is_some() {
        return write(&from_sentencepiece::definition(definition)?);
    }
    let mut ids: HashMap<String, TokenId> = HashMap::new();
    for (id, token) in definition.vocab.tokens() {
        let written = match definition.merges {
            Some(_) => bpe::write_token(outline.symbols.unit, id, token)?,
            None => text(id, token)?.to_string(),
        };
        ids.insert(written, id);
    }
    refuse_leaks(definition)?;
    added::settle(&outline.added, outline.unk, &mut ids)?;
    let mut by_id: Vec<(&String, &TokenId)> = ids.iter().collect();
    by_id.sort_by_key(|&(_, id)| id);
    let vocab: serde_json::Map<String, Value> =
        by_id.into_iter().map(|(token, &id)| (token.clone(), id.into())).collect();
    let file = json!({
        "version": "1.0",
        "truncation": outline.truncation.as_ref().map(lengths::write_truncation),
        "padding": outline.padding.as_ref().map(lengths::write_padding),
        "added_tokens": added::write(&outline.added),
        "normalizer": outline.normalizer.as_ref().map(normalizers::write).transpose()?,
        "pre_tokenizer": pretokenizers::write_all(outline)?,
        "post_processor": processors::write(outline)?,
        "decoder": decoders::write(outline)?,
        "model": match (&definition.merges, &outline.subwords) {
            (Some(merges), _) => bpe::write(definition, merges, vocab)?,
            (None, Some(subwords)) => wordpiece::write(subwords, vocab, &unk_token(definition, &ids)?),
            (None, None) if outline.family == Family::Unigram => unigram::write(definition)?,
            (None, None) => json!({"type": "WordLevel", "vocab": vocab, "unk_token": unk_token(definition, &ids)?}),
        },
    });
    serde_json::to_vec_pretty(&file).map_err(|error| Error::Internal(error.to_string()))
}

/// In this format special tokens are words of the model as well. Where normalized text can become such a word, plain text would become a
/// special token, which it never does here.
fn refuse_leaks(definition: &Definition) -> Result<()> {
    let outline = &definition.outline;
    let Some(normalizer) = &outline.normalizer else {
        // Text that equals a special token was matched as one before.
        return Ok(());
    };
    let splitter = pretokenizers::all(outline).as_ref().map(Splitter::new).transpose()?;
    for token in outline.added.iter().filter(|token| definition.vocab.token(token.id).is_none()) {
        let content = normalizer.normalize(&token.content, false).text().to_string();
        let pieces = match &splitter {
            Some(splitter) => splitter.pieces(&content).into_iter().map(|(piece, _)| piece).collect(),
            None => vec![content],
        };
        if outline.family != Family::Bpe && pieces == [token.content.as_str()] {
            return Err(Error::Inexpressible {
                format: NAME,
                feature: format!(
                    "the special token {:?}, which other text becomes when it is normalized",
                    token.content
                ),
                hint: "write .mill instead, or train with a special token that normalizing or splitting changes".into(),
            });
        }
    }
    Ok(())
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
