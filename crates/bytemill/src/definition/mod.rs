//! Definition: the whole tokenizer as plain data. Formats read it and write it; a `Tokenizer` is built from it.

pub(crate) mod roles;
mod training_stats;

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::decode::Decoder;
use crate::error::{Error, Result};
use crate::normalize::Normalizer;
use crate::postprocess::{Padding, Slot, Template, Trim, Truncation};
use crate::pretokenize::PreTokenizer;
use crate::specials::{AddedToken, Policy};
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

use roles::Roles;
pub(crate) use training_stats::{Phases, TrainingStats};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    Char,
    Word,
    Bpe,
    #[serde(rename = "wordpiece")]
    WordPiece,
    Unigram,
}

impl Family {
    pub fn name(self) -> &'static str {
        match self {
            Family::Char => "char",
            Family::Word => "word",
            Family::Bpe => "bpe",
            Family::WordPiece => "wordpiece",
            Family::Unigram => "unigram",
        }
    }
}

/// The two rules of byte-pair encoding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merging {
    /// A list of pairs, in its order: tokenizer.json.
    #[default]
    Pairs,
    /// Any two tokens whose bytes together are a token, in the order of its id: tiktoken.
    Concatenations,
    /// Any two tokens whose text together is a token, the one with the highest score first: SentencePiece.
    Scores,
}

impl Merging {
    fn is_default(&self) -> bool {
        *self == Merging::default()
    }
}

/// What a piece is before anything is merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    #[default]
    Bytes,
    Characters,
}

/// What byte-pair encoding starts from, and what becomes of text that no token stands for. `Outline::unk` belongs to it: without one, such
/// text is dropped, as in `tokenizers`, or refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Symbols {
    pub unit: Unit,
    /// Stands before every unit of a piece but the first.
    pub prefix: String,
    /// Stands after the last unit of a piece: at its end, or as a unit of its own.
    pub suffix: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suffix_is_unit: bool,
    /// Whether unknown units side by side are one unknown token.
    pub fuse_unk: bool,
    /// Whether a unit that is no token becomes its bytes, written `<0xHH>`, where all of these are tokens.
    pub byte_fallback: bool,
    /// Whether a unit that nothing stands for is an error. What was trained here refuses it; a file of another library has its own rule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refuse_unknown: bool,
    /// Whether these tokens of bytes are nothing else: the text `<0x41>` becomes others (Unigram).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bytes_reserved: bool,
    /// The probability with which a merge is passed over.
    pub dropout: f32,
}

impl Symbols {
    /// Whether units are written differently, or others are beside them, at the start or the end of a piece.
    pub fn are_marked(&self) -> bool {
        !self.prefix.is_empty() || !self.suffix.is_empty()
    }

    fn is_default(&self) -> bool {
        *self == Symbols::default()
    }
}

/// How WordPiece takes words apart. `Outline::unk` belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subwords {
    /// Stands before every token of a word but the first.
    pub prefix: String,
    /// A word of more characters is unknown.
    pub max_chars: usize,
}

impl Default for Subwords {
    /// As BERT has it.
    fn default() -> Self {
        Subwords { prefix: "##".into(), max_chars: 100 }
    }
}

/// What the pieces of a SentencePiece model are, where they are not just tokens; and what its file says beyond what is used here, kept so
/// that it is written as it was read. A model that has this is SentencePiece's, and does all as SentencePiece does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SentencePieceModel {
    /// Found in a text before anything else, and never part of another token.
    pub user_defined: Vec<TokenId>,
    /// Not given for any text.
    pub unused: Vec<TokenId>,
    /// What is unknown, controls and bytes: no text.
    pub reserved: Vec<TokenId>,
    /// Messages of the file, in base64.
    pub trainer_spec: String,
    pub normalizer_name: Option<String>,
    pub normalizer_tsv: Option<String>,
    pub self_test_data: Option<String>,
    pub denormalizer_spec: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Definition {
    pub outline: Outline,
    pub vocab: Arc<Vocab>,
    /// For byte-pair encoding only.
    pub merges: Option<Arc<Merges>>,
    /// The score of each token, for Unigram and for all models that SentencePiece made.
    pub scores: Option<Arc<[f64]>>,
}

/// Everything but the vocabulary: small, and the same in both of our formats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outline {
    pub family: Family,
    pub normalizer: Option<Normalizer>,
    pub pretokenizer: Option<PreTokenizer>,
    /// What stands for pieces that the vocabulary does not have.
    pub unk: Option<TokenId>,
    /// A piece that is a token is that token, even where merges would not make it (byte-pair encoding).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_pieces: bool,
    /// Which pairs merge, and in what order (byte-pair encoding).
    #[serde(default, skip_serializing_if = "Merging::is_default")]
    pub merging: Merging,
    /// What merging starts from (byte-pair encoding).
    #[serde(default, skip_serializing_if = "Symbols::is_default")]
    pub symbols: Symbols,
    /// For WordPiece only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subwords: Option<Subwords>,
    /// For a SentencePiece model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentencepiece: Option<Box<SentencePieceModel>>,
    pub added: Vec<AddedToken>,
    pub template: Option<Template>,
    /// Whether offsets leave out the white space of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<Trim>,
    /// What becomes of inputs that are too long, or too short, when the caller does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<Padding>,
    /// Which tokens have which roles, where that differs from what is inferred (`Roles::inferred`). Not part of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Roles>,
    pub decoder: Decoder,
    /// What happens to special tokens in a text when the caller does not say.
    pub specials: Policy,
    /// What it was trained on. Not part of the content: two trainings that come to the same end are the same tokenizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<TrainingStats>,
}

impl Outline {
    /// Byte-pair encoding with nothing around it.
    pub fn bpe(symbols: Symbols) -> Self {
        Outline {
            family: Family::Bpe,
            normalizer: None,
            pretokenizer: None,
            unk: None,
            whole_pieces: false,
            merging: Merging::Pairs,
            symbols,
            subwords: None,
            sentencepiece: None,
            added: Vec::new(),
            template: None,
            trim: None,
            truncation: None,
            padding: None,
            roles: None,
            decoder: Decoder::Concat,
            specials: Policy::All,
            training: None,
        }
    }
}

impl Outline {
    /// Unigram with nothing around it.
    pub fn unigram(unk: Option<TokenId>, byte_fallback: bool) -> Self {
        let symbols = Symbols { unit: Unit::Characters, fuse_unk: true, byte_fallback, ..Symbols::default() };
        Outline { family: Family::Unigram, unk, ..Outline::bpe(symbols) }
    }

    /// Whether the model of another outline would be made in the same way from the same vocabulary.
    pub fn has_the_model_of(&self, other: &Self) -> bool {
        self.family == other.family
            && self.unk == other.unk
            && self.whole_pieces == other.whole_pieces
            && self.merging == other.merging
            && self.symbols == other.symbols
            && self.subwords == other.subwords
            && self.sentencepiece == other.sentencepiece
    }

    /// Words of SentencePiece with nothing around them.
    pub fn marked_words(unk: Option<TokenId>, byte_fallback: bool) -> Self {
        Outline { family: Family::Word, ..Outline::unigram(unk, byte_fallback) }
    }
}

impl Definition {
    /// One more than the largest id.
    pub fn size(&self) -> usize {
        let added = self.outline.added.iter().map(|token| token.id as usize + 1).max();
        self.vocab.len().max(added.unwrap_or(0))
    }

    /// The bytes that an id stands for, added tokens first.
    pub fn token(&self, id: TokenId) -> Option<&[u8]> {
        let added = self.outline.added.iter().find(|token| token.id == id);
        added.map(|token| token.content.as_bytes()).or_else(|| self.vocab.token(id))
    }

    /// The added tokens by their ids, the first of those that share one: for callers that ask about many.
    pub fn added_by_id(&self) -> HashMap<TokenId, &AddedToken> {
        self.outline.added.iter().rev().map(|token| (token.id, token)).collect()
    }

    /// The same, where the normalizer of SentencePiece leaves a text as it is.
    pub fn keeping(&self, text: &str) -> Result<Self> {
        let Some(Normalizer::SentencePiece(normalizer)) = &self.outline.normalizer else {
            return Err(Error::Spec("only the normalizer of SentencePiece can be told to leave a text alone".into()));
        };
        let mut rules = normalizer.rules().clone();
        rules.kept.push(text.to_string());
        let normalizer = Some(Normalizer::SentencePiece(Box::new(rules.try_into()?)));
        Ok(Definition { outline: Outline { normalizer, ..self.outline.clone() }, ..self.clone() })
    }

    /// Refuses what no file should say, and no tokenizer can be built from.
    pub fn check(&self) -> Result<()> {
        for token in &self.outline.added {
            let clash = self.vocab.token(token.id).filter(|&other| other != token.content.as_bytes());
            if let Some(other) = clash {
                return Err(Error::Spec(format!(
                    "id {} belongs to the added token {:?} and to {:?} of the vocabulary",
                    token.id,
                    token.content,
                    String::from_utf8_lossy(other)
                )));
            }
        }
        self.check_parts()
    }

    /// Refuses what no tokenizer can be built from. An added token may have the id of another: `tokenizers` numbers them so where the
    /// vocabulary has holes.
    pub fn check_parts(&self) -> Result<()> {
        let outline = &self.outline;
        if self.merges.is_some() != (outline.family == Family::Bpe) {
            return Err(Error::Spec("byte-pair encoding, and no other family, has merges".into()));
        }
        if outline.subwords.is_some() != (outline.family == Family::WordPiece) {
            return Err(Error::Spec("WordPiece, and no other family, has subwords".into()));
        }
        let scored = outline.family == Family::Unigram || outline.sentencepiece.is_some();
        if self.scores.as_ref().map(|scores| scores.len()) != scored.then_some(self.vocab.len()) {
            return Err(Error::Spec(
                "every token of Unigram and of SentencePiece, and of nothing else, has a score".into(),
            ));
        }
        let pieces =
            outline.sentencepiece.iter().flat_map(|pieces| [&pieces.user_defined, &pieces.unused, &pieces.reserved]);
        if let Some(id) = pieces.flatten().find(|&&id| self.vocab.token(id).is_none()) {
            return Err(Error::Spec(format!("id {id} is used, but no token has it")));
        }
        for pair in sorted_by(&outline.added, |token| token.content.as_str()).windows(2) {
            if pair[0].content == pair[1].content {
                return Err(Error::Spec(format!("the added token {:?} is there twice", pair[0].content)));
            }
        }
        for pair in sorted_by(&outline.added, |token| token.id).windows(2) {
            // One of OpenAI's encodings has two names for an id; the first is shown.
            if pair[0].id == pair[1].id && outline.merging != Merging::Concatenations {
                return Err(Error::Spec(format!(
                    "the added tokens {:?} and {:?} share the id {}",
                    pair[0].content, pair[1].content, pair[0].id
                )));
            }
        }
        outline.decoder.check()?;
        if !(0.0..=1.0).contains(&outline.symbols.dropout) {
            return Err(Error::Spec(format!("dropout is from 0 to 1, not {}", outline.symbols.dropout)));
        }
        if self.size() > crate::vocab::MAX_ID as usize {
            return Err(Error::Spec(format!("ids must be below {}", crate::vocab::MAX_ID)));
        }
        let single = outline.template.iter().flat_map(|template| &template.single);
        if single.clone().any(|slot| matches!(slot, Slot::Text { second: true, .. })) {
            return Err(Error::Spec("the template for a single text asks for a second one".into()));
        }
        // A template has names of its own, and may put an id that is no token.
        let roles = outline.roles.iter().flat_map(Roles::iter).map(|(_, id)| id);
        match outline.unk.into_iter().chain(roles).find(|&id| self.token(id).is_none()) {
            Some(id) => Err(Error::Spec(format!("id {id} is used, but no token has it"))),
            None => Ok(()),
        }
    }

    /// A name for the content: SHA-256 over everything that decides what the tokenizer does.
    pub fn fingerprint(&self) -> Result<String> {
        let content = Outline { training: None, roles: None, ..self.outline.clone() };
        let outline = serde_json::to_vec(&content).map_err(|e| Error::Internal(e.to_string()))?;
        let mut digest = Sha256::new();
        digest.update((outline.len() as u64).to_le_bytes());
        digest.update(&outline);
        for (id, token) in self.vocab.tokens() {
            digest.update(id.to_le_bytes());
            digest.update((token.len() as u32).to_le_bytes());
            digest.update(token);
        }
        // Those of the other rule follow from the vocabulary.
        let listed = self.merges.iter().filter(|_| self.outline.merging == Merging::Pairs);
        for (left, right) in listed.flat_map(|merges| merges.pairs()) {
            digest.update(left.to_le_bytes());
            digest.update(right.to_le_bytes());
        }
        for score in self.scores.iter().flat_map(|scores| scores.iter()) {
            digest.update(score.to_le_bytes());
        }
        Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn sorted_by<'a, K: Ord>(tokens: &'a [AddedToken], key: impl Fn(&'a AddedToken) -> K) -> Vec<&'a AddedToken> {
    let mut tokens: Vec<&AddedToken> = tokens.iter().collect();
    tokens.sort_by_key(|&token| key(token));
    tokens
}
