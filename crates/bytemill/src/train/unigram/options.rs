//! What a user says of a Unigram model, and what follows from it.

use serde::Deserialize;

use crate::decode::{Decoder, Leading, SentencePieces};
use crate::definition::{Outline, SentencePiece};
use crate::error::{Error, Result};
use crate::format::sentencepiece::{TrainerMessage, UNK_SURFACE};
use crate::normalize::{MARK_CHARACTER, Normalizer, Rules};
use crate::pretokenize::{PreTokenizer, Prepend};
use crate::special::{AddedToken, Policy};
use crate::vocab::TokenId;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnigramOptions {
    pub character_coverage: f64,
    pub required_chars: String,
    pub user_defined_symbols: Vec<String>,
    pub byte_fallback: bool,
    pub max_piece_length: usize,
    pub seed_size: usize,
    pub shrinking_factor: f64,
    pub sub_iterations: usize,
    pub split_by_unicode_script: bool,
    pub split_by_number: bool,
    pub split_digits: bool,
    pub add_dummy_prefix: bool,
    pub remove_extra_whitespaces: bool,
}

impl UnigramOptions {
    pub fn check(&self, unk_token: Option<&str>) -> Result<()> {
        let wrong = |what: &str| Err(Error::Spec(what.to_string()));
        match () {
            () if unk_token.is_none() => wrong("Unigram needs an unk_token"),
            () if !(0.0 < self.character_coverage && self.character_coverage <= 1.0) => {
                wrong(&format!("character_coverage is above 0 and at most 1, not {}", self.character_coverage))
            }
            () if !(0.0 < self.shrinking_factor && self.shrinking_factor < 1.0) => {
                wrong(&format!("shrinking_factor is between 0 and 1, not {}", self.shrinking_factor))
            }
            () if !(1..=512).contains(&self.max_piece_length) => {
                wrong(&format!("max_piece_length is from 1 to 512, not {}", self.max_piece_length))
            }
            () if self.sub_iterations == 0 || self.seed_size == 0 => {
                wrong("sub_iterations and seed_size are at least 1")
            }
            () if self.user_defined_symbols.iter().any(|symbol| symbol.is_empty() || symbol.contains('\0')) => {
                wrong("a symbol of user_defined_symbols is not empty and has no zero in it")
            }
            () => Ok(()),
        }
    }

    /// Everything but the pieces. `added` are the special tokens; the unknown one is a piece here.
    pub fn outline(&self, added: Vec<AddedToken>, unk: &str) -> Result<Outline> {
        let rules = Rules {
            charsmap: None,
            add_dummy_prefix: self.add_dummy_prefix,
            whitespace_as_suffix: false,
            remove_extra_whitespaces: self.remove_extra_whitespaces,
            escape_whitespaces: true,
            kept: self.user_defined_symbols.clone(),
        };
        let leading = match (self.remove_extra_whitespaces, self.add_dummy_prefix) {
            (true, _) => Leading::Each,
            (false, true) => Leading::One,
            (false, false) => Leading::Kept,
        };
        let unk_id = added.iter().find(|token| token.content == unk).map(|token| token.id);
        let controls: Vec<AddedToken> = added.iter().filter(|token| Some(token.id) != unk_id).cloned().collect();
        let specials = added.len() as TokenId;
        let symbols = specials..specials + self.user_defined_symbols.len() as TokenId;
        let bytes = symbols.end..symbols.end + if self.byte_fallback { 256 } else { 0 };
        Ok(Outline {
            normalizer: Some(Normalizer::SentencePiece(Box::new(rules.try_into()?))),
            // For counting words; the tokenizer itself sees whole texts.
            pretokenizer: Some(PreTokenizer::Metaspace {
                replacement: MARK_CHARACTER,
                prepend: Prepend::Never,
                split: true,
            }),
            decoder: Decoder::SentencePiece(SentencePieces {
                unk: unk.to_string(),
                unk_surface: UNK_SURFACE.to_string(),
                byte_fallback: self.byte_fallback,
                leading,
            }),
            added: controls,
            specials: Policy::None,
            sentencepiece: Some(Box::new(SentencePiece {
                reserved: (0..specials).chain(bytes).collect(),
                user_defined: symbols.collect(),
                normalizer_name: Some("identity".into()),
                ..SentencePiece::default()
            })),
            ..Outline::unigram(unk_id, self.byte_fallback)
        })
    }

    /// The tokens before the pieces, in the order of their ids.
    pub fn reserved(&self, outline: &Outline) -> Vec<String> {
        let unk = match &outline.decoder {
            Decoder::SentencePiece(how) => how.unk.clone(),
            _ => String::new(),
        };
        let mut names: Vec<(Option<TokenId>, String)> =
            outline.added.iter().map(|token| (Some(token.id), token.content.clone())).collect();
        names.push((outline.unk, unk));
        names.sort();
        let names = names.into_iter().map(|(_, name)| name).chain(self.user_defined_symbols.iter().cloned());
        let bytes = (0..256).filter(|_| self.byte_fallback).map(|byte| format!("<0x{byte:02X}>"));
        names.chain(bytes).collect()
    }

    /// What the file says of the training.
    pub fn message(&self, vocab_size: usize, outline: &Outline) -> TrainerMessage {
        let id_of =
            |name: &str| outline.added.iter().find(|token| token.content == name).map_or(-1, |token| token.id as i32);
        TrainerMessage {
            model_type: Some(1),
            vocab_size: Some(vocab_size as i32),
            character_coverage: Some(self.character_coverage as f32),
            seed_sentencepiece_size: Some(self.seed_size as i32),
            shrinking_factor: Some(self.shrinking_factor as f32),
            num_sub_iterations: Some(self.sub_iterations as i32),
            max_sentencepiece_length: Some(self.max_piece_length as i32),
            split_by_unicode_script: Some(self.split_by_unicode_script),
            split_by_number: Some(self.split_by_number),
            split_digits: Some(self.split_digits),
            user_defined_symbols: self.user_defined_symbols.clone(),
            required_chars: Some(self.required_chars.clone()),
            byte_fallback: Some(self.byte_fallback),
            unk_id: outline.unk.map(|id| id as i32),
            bos_id: Some(id_of("<s>")),
            eos_id: Some(id_of("</s>")),
            pad_id: Some(id_of("<pad>")),
        }
    }
}
