//! vocab.txt: the tokens of a WordPiece model, one a line, the id of each being the number of its line. The stages around it are BERT's, as
//! in `BertWordPieceTokenizer` of the library, unless the caller says otherwise.

use std::collections::HashMap;

use serde_json::Value;

use super::Given;
use super::json::JsonNode;
use super::lexicon::Lexicon;
use crate::decode::{DecodeStep, Decoder};
use crate::definition::{Definition, Family, Outline, Subwords, Symbols, Unit};
use crate::error::{Error, Result};
use crate::normalize::{Bert, Normalizer};
use crate::postprocess::Template;
use crate::pretokenize::PreTokenizer;
use crate::specials::AddedToken;
use crate::vocab::TokenId;

const NAME: &str = "vocab.txt";
const UNKNOWN: &str = "[UNK]";
const SEPARATOR: &str = "[SEP]";
const CLASS: &str = "[CLS]";
/// Those of them that a vocabulary has are special.
const SPECIALS: [&str; 5] = [UNKNOWN, SEPARATOR, CLASS, "[PAD]", "[MASK]"];

pub(super) fn read(bytes: &[u8], given: &Given) -> Result<Definition> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Error::format(NAME, format!("byte {} is not valid UTF-8 there", error.valid_up_to())))?;
    // If a token is there twice, its last line counts, as for the library.
    let ids: HashMap<String, TokenId> =
        (0..).zip(text.lines()).map(|(id, line)| (line.trim_end().to_string(), id)).collect();
    let id = |token: &str| ids.get(token).copied();
    let unk = given.unk_token.as_deref().unwrap_or(UNKNOWN);
    let Some(unk_id) = id(unk) else {
        let reason = format!("has no token {unk:?} for what is unknown; pass unk_token= if it has another");
        return Err(Error::format(NAME, reason));
    };
    let added = match &given.special_tokens {
        Some(given) => given.iter().map(|(token, id)| AddedToken::special(*id, token)).collect(),
        None => {
            let known = SPECIALS.iter().filter(|&&token| token != UNKNOWN || token == unk);
            let mut added: Vec<AddedToken> =
                known.filter_map(|token| Some(AddedToken::special(id(token)?, *token))).collect();
            if unk != UNKNOWN {
                added.push(AddedToken::special(unk_id, unk));
            }
            added.sort_by_key(|token| token.id);
            added
        }
    };
    let template = match (id(CLASS), id(SEPARATOR)) {
        (Some(class), Some(separator)) => Some(Template::bert((CLASS.into(), class), (SEPARATOR.into(), separator))),
        _ => None,
    };
    let root = Value::Null;
    let node = JsonNode::root(&root).at(NAME, &root);
    let entries = ids.iter().map(|(token, &id)| (token.as_str(), id));
    let vocab = Lexicon::new(&node, entries, Unit::Characters)?.vocab;
    let subwords = Subwords::default();
    let outline = Outline {
        family: Family::WordPiece,
        normalizer: Some(given.normalizer.clone().unwrap_or_else(|| bert(is_lower_case(ids.keys(), &added)))),
        pretokenizer: Some(given.pretokenizer().unwrap_or(PreTokenizer::Bert)),
        unk: Some(unk_id),
        decoder: Decoder::Chain(vec![DecodeStep::WordPiece { prefix: subwords.prefix.clone(), cleanup: true }]),
        subwords: Some(subwords),
        added,
        template,
        ..Outline::bpe(Symbols::default())
    };
    Ok(Definition { outline, vocab, merges: None, scores: None })
}

fn bert(lowercase: bool) -> Normalizer {
    Normalizer::Bert(Bert { clean_text: true, split_cjk: true, strip_accents: None, lowercase })
}

/// Whether no token needs an upper-case letter: such a vocabulary is one of lower-cased text.
fn is_lower_case<'a>(mut tokens: impl Iterator<Item = &'a String>, added: &[AddedToken]) -> bool {
    let special = |token: &str| added.iter().any(|added| added.content == token) || token.starts_with("[unused");
    tokens.all(|token| !token.contains(|c: char| c.is_ascii_uppercase()) || special(token))
}

/// Whether a file's content looks like one: among its lines is the token for the unknown.
pub(super) fn is_vocab_txt(bytes: &[u8]) -> bool {
    bytes.split(|&byte| byte == b'\n').any(|line| line.trim_ascii_end() == UNKNOWN.as_bytes())
}

/// Whether a file is named like one.
pub(super) fn is_named_so(name: &str) -> bool {
    name.strip_suffix(NAME).is_some_and(|stem| stem.is_empty() || stem.ends_with(['-', '.', '_']))
}

pub(super) fn write(definition: &Definition) -> Result<Vec<u8>> {
    let inexpressible = |feature: String| Error::Inexpressible {
        format: NAME,
        feature,
        hint: "write tokenizer.json or .mill instead".into(),
    };
    if definition.outline.family != Family::WordPiece {
        return Err(inexpressible("anything but WordPiece".into()));
    }
    let mut lines = Vec::new();
    let added = definition.added_by_id();
    for id in 0..definition.size() as TokenId {
        let added = added.get(&id).map(|token| token.content.as_bytes());
        let Some(token) = added.or_else(|| definition.vocab.token(id)) else {
            return Err(inexpressible(format!("a vocabulary without a token for the id {id}")));
        };
        let text = std::str::from_utf8(token).ok().filter(|text| text.trim_end() == *text && !text.contains('\n'));
        let Some(text) = text else {
            let shown = String::from_utf8_lossy(token);
            return Err(inexpressible(format!("token {id}, {shown:?}, which is no line of text")));
        };
        lines.extend_from_slice(text.as_bytes());
        lines.push(b'\n');
    }
    Ok(lines)
}
