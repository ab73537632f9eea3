//! Spec: what to train, as the user says it, and the outline of a tokenizer that follows from it.

use serde::Deserialize;

use super::bpe::BpeOptions;
use super::counts::MadeBy;
use super::sentencepiece::{ModelKind, RoleNames, SentencePieceOptions};
use super::wordpiece::WordPieceOptions;
use crate::decode::Decoder;
use crate::definition::roles::Role;
use crate::definition::{Family, Merging, Outline, Symbols};
use crate::error::{Error, Result};
use crate::normalize::{Bert, Normalizer};
use crate::postprocess::Template;
use crate::pretokenize::PreTokenizer;
use crate::specials::{AddedToken, Policy};
use crate::vocab::TokenId;

/// The families that counted pieces make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trainable {
    Char,
    Word,
    Bpe,
    #[serde(rename = "wordpiece")]
    WordPiece,
    #[serde(rename = "sentencepiece")]
    SentencePiece,
}

impl From<Trainable> for Family {
    fn from(family: Trainable) -> Self {
        match family {
            Trainable::Char => Family::Char,
            Trainable::Word => Family::Word,
            Trainable::Bpe => Family::Bpe,
            Trainable::WordPiece => Family::WordPiece,
            // Its outline says which family its model is.
            Trainable::SentencePiece => Family::Unigram,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    pub family: Trainable,
    /// The size of the whole vocabulary, special tokens included; None for no limit.
    pub vocab_size: Option<usize>,
    pub min_frequency: u64,
    pub lowercase: bool,
    pub strip_accents: bool,
    #[serde(default)]
    pub split_cjk: bool,
    pub pad_token: Option<String>,
    pub unk_token: Option<String>,
    pub bos_token: Option<String>,
    pub eos_token: Option<String>,
    pub add_bos: bool,
    pub add_eos: bool,
    /// For byte-pair encoding only.
    #[serde(default)]
    pub bpe: Option<BpeOptions>,
    /// For WordPiece only.
    #[serde(default)]
    pub wordpiece: Option<WordPieceOptions>,
    /// For SentencePiece only, Unigram among its models.
    #[serde(default)]
    pub sentencepiece: Option<SentencePieceOptions>,
}

/// Stages that take the place of what the spec would set up.
#[derive(Debug, Clone, Default)]
pub struct Stages {
    pub normalizer: Option<Normalizer>,
    pub pretokenizer: Option<PreTokenizer>,
}

impl Spec {
    pub fn parse(json: &str) -> Result<Self> {
        let spec: Spec = serde_json::from_str(json).map_err(|error| Error::Spec(error.to_string()))?;
        if spec.min_frequency == 0 {
            return Err(Error::Spec("min_frequency must be at least 1, not 0".into()));
        }
        match (spec.family, &spec.bpe, &spec.wordpiece, &spec.sentencepiece) {
            (Trainable::Bpe, Some(options), None, None) => options.check(spec.unk_token.as_deref())?,
            (Trainable::WordPiece, None, Some(options), None) => options.check(spec.unk_token.as_deref())?,
            (Trainable::SentencePiece, None, None, Some(options)) => options.check(spec.unk_token.as_deref())?,
            (Trainable::Char | Trainable::Word, None, None, None) => {}
            _ => {
                return Err(Error::Spec(
                    "the options of BPE, WordPiece and SentencePiece go with these families".into(),
                ));
            }
        }
        Ok(spec)
    }

    /// Everything of the tokenizer that does not depend on the text.
    pub fn outline(&self, special_tokens: &[String], stages: Stages) -> Result<Outline> {
        let mut outline = self.stages_and_tokens(special_tokens, stages)?;
        let id_of = |name: &Option<String>| outline.added.iter().find(|token| Some(&token.content) == name.as_ref());
        let named = self.named_roles().into_iter().filter_map(|(role, name)| Some((role, Some(id_of(name)?.id))));
        let named: Vec<(Role, Option<TokenId>)> = named.collect();
        outline.set_roles(named);
        Ok(outline)
    }

    fn named_roles(&self) -> Vec<(Role, &Option<String>)> {
        let shared = [(Role::Pad, &self.pad_token), (Role::Bos, &self.bos_token), (Role::Eos, &self.eos_token)];
        let of_bert = self.wordpiece.iter().map(WordPieceOptions::roles);
        let of_bert = of_bert.flat_map(|names| [Role::Cls, Role::Sep, Role::Mask].into_iter().zip(names));
        shared.into_iter().chain(of_bert).collect()
    }

    fn stages_and_tokens(&self, special_tokens: &[String], stages: Stages) -> Result<Outline> {
        let mut added = self.added(special_tokens)?;
        let reserved = stages.pretokenizer.as_ref().map(PreTokenizer::reserved).transpose()?.unwrap_or_default();
        for token in reserved {
            if added.iter().any(|known| known.content == token.content) {
                return Err(Error::Spec(format!(
                    "{:?} is a token of the pretokenizer; leave it out of the special tokens",
                    token.content
                )));
            }
            added.push(AddedToken::reserved(added.len() as TokenId, token));
        }
        let id_of = |token: &Option<String>| {
            added.iter().find(|known| Some(&known.content) == token.as_ref()).map(|known| known.id)
        };
        let inserted = |add: bool, role: &str, token: &'_ Option<String>| match (token, id_of(token)) {
            (Some(token), Some(id)) if add => Ok(Some((token.clone(), id))),
            _ if add => Err(Error::Spec(format!("add_{role}=True needs a {role}_token, which is None"))),
            _ => Ok(None),
        };
        let bos = inserted(self.add_bos, "bos", &self.bos_token)?;
        let eos = inserted(self.add_eos, "eos", &self.eos_token)?;
        let template = match &self.wordpiece {
            Some(options) => options.template(id_of),
            None => (self.add_bos || self.add_eos).then(|| Template::around(bos, eos)),
        };
        if let (Some(options), Some(unk)) = (&self.sentencepiece, &self.unk_token) {
            match (&stages.normalizer, &stages.pretokenizer) {
                (None, None) => return Ok(Outline { template, ..options.outline(added, unk)? }),
                _ if options.model == ModelKind::Unigram => {}
                _ => {
                    return Err(Error::Spec(
                        "SentencePiece has a normalizer of its own, normalization=…, and splits no further; leave normalizer \
                         and pretokenizer out (Unigram takes them)"
                            .into(),
                    ));
                }
            }
        }
        let pretokenizer = match (self.family, stages.pretokenizer) {
            (_, Some(given)) => Some(given),
            (Trainable::Word | Trainable::WordPiece, None) => Some(PreTokenizer::Bert),
            (Trainable::Char, None) => None,
            (Trainable::Bpe, None) => self.bpe.as_ref().map(BpeOptions::pretokenizer),
            (Trainable::SentencePiece, None) => None,
        };
        Ok(Outline {
            family: self.family.into(),
            normalizer: stages.normalizer.or_else(|| self.normalizer()),
            decoder: self.decoder(pretokenizer.as_ref()),
            pretokenizer,
            unk: id_of(&self.unk_token),
            whole_pieces: false,
            merging: Merging::Pairs,
            symbols: match (&self.bpe, &self.sentencepiece) {
                (Some(options), _) => {
                    let refuse_unknown = self.unk_token.is_none() && options.may_miss_units();
                    Symbols { refuse_unknown, ..options.symbols() }
                }
                (None, Some(options)) => options.symbols_within_pieces(),
                (None, None) => Symbols::default(),
            },
            subwords: self.wordpiece.as_ref().map(WordPieceOptions::subwords),
            sentencepiece: None,
            added,
            template,
            trim: None,
            truncation: None,
            padding: None,
            roles: None,
            specials: Policy::All,
            training: None,
        })
    }

    /// The special tokens: the four roles first, then those of the user.
    fn added(&self, special_tokens: &[String]) -> Result<Vec<AddedToken>> {
        let mut roles = [&self.pad_token, &self.unk_token, &self.bos_token, &self.eos_token];
        if self.sentencepiece.is_some() {
            // The order of SentencePiece.
            roles.rotate_left(1);
        }
        let mut added: Vec<AddedToken> = Vec::new();
        let of_bert = self.wordpiece.iter().flat_map(WordPieceOptions::roles);
        for token in roles.into_iter().chain(of_bert).flatten().chain(special_tokens) {
            if token.is_empty() {
                return Err(Error::Spec("a special token cannot be empty".into()));
            }
            if added.iter().all(|other| other.content != *token) {
                added.push(AddedToken::special(added.len() as TokenId, token));
            }
        }
        Ok(added)
    }

    fn normalizer(&self) -> Option<Normalizer> {
        let clean_text = self.family == Trainable::WordPiece;
        let wanted = self.lowercase || self.strip_accents || self.split_cjk || clean_text;
        wanted.then_some(Normalizer::Bert(Bert {
            clean_text,
            split_cjk: self.split_cjk,
            strip_accents: Some(self.strip_accents),
            lowercase: self.lowercase,
        }))
    }

    fn decoder(&self, pretokenizer: Option<&PreTokenizer>) -> Decoder {
        if let Some(options) = &self.bpe {
            return options.decoder(pretokenizer);
        }
        if let Some(options) = &self.wordpiece {
            return options.decoder();
        }
        if self.sentencepiece.as_ref().is_some_and(|options| options.byte_fallback) {
            return Decoder::Bytes;
        }
        match (self.family, pretokenizer) {
            // Where the pieces hold the white space, words need no more of it.
            (Trainable::Word, Some(pretokenizer)) if !pretokenizer.covers() => Decoder::Words,
            _ => Decoder::Concat,
        }
    }

    /// What SentencePiece names the tokens that have a role.
    pub fn roles(&self) -> RoleNames<'_> {
        RoleNames {
            unk: self.unk_token.as_deref().unwrap_or_default(),
            bos: self.bos_token.as_deref(),
            eos: self.eos_token.as_deref(),
            pad: self.pad_token.as_deref(),
        }
    }

    /// Whether pieces are counted character by character.
    pub fn counts_characters(&self) -> bool {
        self.family == Trainable::Char
    }

    /// The outline where counts say how the text became pieces; what contradicts them is refused.
    pub fn outline_of(&self, made_by: &MadeBy, special_tokens: &[String], stages: Stages) -> Result<Outline> {
        // That of WordPiece is a default.
        let asked = stages.normalizer.or_else(|| self.normalizer().filter(|_| self.wordpiece.is_none()));
        if asked.is_some() && asked != made_by.normalizer {
            return Err(contradiction("normalizer"));
        }
        if stages.pretokenizer.is_some() && stages.pretokenizer != made_by.pretokenizer {
            return Err(contradiction("pretokenizer"));
        }
        let mut tokens = special_tokens;
        if tokens.is_empty() {
            tokens = &made_by.special_tokens;
        }
        let asked = MadeBy { special_tokens: tokens.to_vec(), ..made_by.clone() };
        if asked.difference(made_by).is_some() {
            return Err(contradiction("special_tokens"));
        }
        let stages = Stages { normalizer: made_by.normalizer.clone(), pretokenizer: made_by.pretokenizer.clone() };
        let outline = self.outline(tokens, stages)?;
        match outline.pretokenizer == made_by.pretokenizer {
            true => Ok(outline),
            false => Err(contradiction("pretokenizer")),
        }
    }
}

fn contradiction(argument: &str) -> Error {
    Error::Spec(format!(
        "{argument}= says something else than the counts, whose pieces were made with another; leave it out, or count the \
         text again with it"
    ))
}
