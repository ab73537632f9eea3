//! What a user says of a SentencePiece model, and what follows from it.

use serde::Deserialize;

use crate::decode::{Decoder, Leading, SentencePieces};
use crate::definition::{Merging, Outline, SentencePieceModel, Symbols, Unit};
use crate::error::{Error, Result};
use crate::format::sentencepiece::TrainerMessage;
use crate::normalize::{Charsmap, Forms, MARK, MARK_CHARACTER, Normalizer, Replacements, SentencePieceRules};
use crate::pretokenize::{Behavior, PreTokenizer, Prepend};
use crate::specials::{AddedToken, Policy};
use crate::text::pattern::Pattern;
use crate::text::search::check_length;
use crate::vocab::TokenId;

/// How a text becomes pieces; the numbers are those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    Unigram = 1,
    Bpe = 2,
    Word = 3,
    Char = 4,
}

/// What happens to characters first.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normalization {
    Identity,
    Nfkc,
    NmtNfkc,
    NfkcCf,
    NmtNfkcCf,
    /// The text of a table of rules.
    Tsv(String),
}

impl Normalization {
    fn name(&self) -> &'static str {
        match self {
            Normalization::Identity => "identity",
            Normalization::Nfkc => "nfkc",
            Normalization::NmtNfkc => "nmt_nfkc",
            Normalization::NfkcCf => "nfkc_cf",
            Normalization::NmtNfkcCf => "nmt_nfkc_cf",
            Normalization::Tsv(_) => "user_defined",
        }
    }

    pub fn charsmap(&self) -> Result<Option<Charsmap>> {
        let named = |nmt, folded| Forms { nmt, folded }.charsmap().map(Some);
        match self {
            Normalization::Identity => Ok(None),
            Normalization::Nfkc => named(false, false),
            Normalization::NmtNfkc => named(true, false),
            Normalization::NfkcCf => named(false, true),
            Normalization::NmtNfkcCf => named(true, true),
            Normalization::Tsv(text) => Replacements::from_tsv(text)?.charsmap().map(Some),
        }
    }
}

/// Whose Unigram is trained. The two libraries weigh seeds differently, and choose the last pieces differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipe {
    #[default]
    SentencePiece,
    /// That of `tokenizers`, whose number of pieces counts the special tokens as well.
    Tokenizers { vocab_size: usize },
}

impl Recipe {
    pub fn is_of_tokenizers(self) -> bool {
        self != Recipe::SentencePiece
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentencePieceOptions {
    pub model: ModelKind,
    pub normalization: Normalization,
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
    pub split_by_whitespace: bool,
    pub allow_whitespace_only_pieces: bool,
    pub treat_whitespace_as_suffix: bool,
    pub add_dummy_prefix: bool,
    pub remove_extra_whitespaces: bool,
    /// What an unknown piece is in decoded text.
    pub unk_surface: String,
    #[serde(default)]
    pub recipe: Recipe,
    /// What words begin with. A space where pieces are those of a pretokenizer.
    #[serde(skip, default = "mark")]
    pub mark: char,
}

fn mark() -> char {
    MARK_CHARACTER
}

/// The names of the tokens that have a role.
#[derive(Debug, Clone, Copy)]
pub struct RoleNames<'a> {
    pub unk: &'a str,
    pub bos: Option<&'a str>,
    pub eos: Option<&'a str>,
    pub pad: Option<&'a str>,
}

impl SentencePieceOptions {
    pub fn check(&self, unk_token: Option<&str>) -> Result<()> {
        let wrong = |what: &str| Err(Error::Spec(what.to_string()));
        match () {
            () if unk_token.is_none() => wrong("SentencePiece and Unigram need an unk_token"),
            () if !(0.0 < self.character_coverage && self.character_coverage <= 1.0) => {
                wrong(&format!("character_coverage is above 0 and at most 1, not {}", self.character_coverage))
            }
            () if !(0.0 < self.shrinking_factor && self.shrinking_factor < 1.0) => {
                wrong(&format!("shrinking_factor is between 0 and 1, not {}", self.shrinking_factor))
            }
            () if !(1..=512).contains(&self.max_piece_length) => {
                wrong(&format!("max_piece_length is from 1 to 512, not {}", self.max_piece_length))
            }
            () if self.seed_size == 0 => wrong("seed_size is at least 1"),
            // Each reads all words again.
            () if !(1..=1000).contains(&self.sub_iterations) => {
                wrong(&format!("sub_iterations is from 1 to 1000, not {}", self.sub_iterations))
            }
            () if self.user_defined_symbols.iter().any(|symbol| symbol.is_empty() || symbol.contains('\0')) => {
                wrong("a symbol of user_defined_symbols is not empty and has no zero in it")
            }
            () if self.model == ModelKind::Bpe && self.allow_whitespace_only_pieces => {
                wrong("allow_whitespace_only_pieces goes with model=\"unigram\"")
            }
            () => Ok(()),
        }
    }

    /// Everything but the pieces. `added` are the special tokens; the unknown one is a piece here.
    pub fn outline(&self, added: Vec<AddedToken>, unk: &str) -> Result<Outline> {
        // Before a text is read: the training searches it for all of these.
        let symbols = self.user_defined_symbols.iter().chain(added.iter().map(|token| &token.content));
        check_length(symbols.map(String::len).max().unwrap_or(0))?;
        let rules = SentencePieceRules {
            charsmap: self.normalization.charsmap()?,
            add_dummy_prefix: self.add_dummy_prefix,
            whitespace_as_suffix: self.treat_whitespace_as_suffix,
            remove_extra_whitespaces: self.remove_extra_whitespaces,
            escape_whitespaces: true,
            kept: self.symbols(),
        };
        let leading = match (self.remove_extra_whitespaces, self.add_dummy_prefix) {
            (true, _) => Leading::Each,
            (false, true) => Leading::One,
            (false, false) => Leading::Kept,
        };
        let unk_id = added.iter().find(|token| token.content == unk).map(|token| token.id);
        let controls: Vec<AddedToken> = added.iter().filter(|token| Some(token.id) != unk_id).cloned().collect();
        let specials = added.len() as TokenId;
        let symbols = specials..specials + self.symbols().len() as TokenId;
        let bytes = symbols.end..symbols.end + if self.byte_fallback { 256 } else { 0 };
        let base = match self.model {
            ModelKind::Unigram => Outline::unigram(unk_id, self.byte_fallback),
            ModelKind::Bpe | ModelKind::Char => {
                let byte_fallback = self.byte_fallback;
                let symbols = Symbols { unit: Unit::Characters, fuse_unk: true, byte_fallback, ..Symbols::default() };
                Outline { merging: Merging::Scores, unk: unk_id, ..Outline::bpe(symbols) }
            }
            ModelKind::Word => Outline::marked_words(unk_id, self.byte_fallback),
        };
        Ok(Outline {
            normalizer: Some(Normalizer::SentencePiece(Box::new(rules.try_into()?))),
            pretokenizer: None,
            decoder: Decoder::SentencePiece(SentencePieces {
                unk: unk.to_string(),
                unk_surface: self.unk_surface.clone(),
                byte_fallback: self.byte_fallback,
                leading,
            }),
            added: controls,
            specials: Policy::None,
            sentencepiece: Some(Box::new(SentencePieceModel {
                reserved: (0..specials).chain(bytes).collect(),
                user_defined: symbols.collect(),
                normalizer_name: Some(self.normalization.name().into()),
                ..SentencePieceModel::default()
            })),
            ..base
        })
    }

    /// The options for words that are the pieces of a pretokenizer, spaces and all.
    pub fn within_pieces(&self) -> Self {
        SentencePieceOptions { mark: ' ', allow_whitespace_only_pieces: true, ..self.clone() }
    }

    /// What Unigram is where a pretokenizer makes the pieces: `tokenizers`' kind, with bytes that no text is taken for.
    pub fn symbols_within_pieces(&self) -> Symbols {
        let byte_fallback = self.byte_fallback;
        Symbols { bytes_reserved: byte_fallback, ..Outline::unigram(None, byte_fallback).symbols }
    }

    /// The outline for counting: words, which the tokenizer itself does not see, in a text in which nothing is special yet.
    pub fn counted(&self, outline: &Outline) -> Outline {
        Outline { pretokenizer: self.words(), added: Vec::new(), ..outline.clone() }
    }

    fn words(&self) -> Option<PreTokenizer> {
        let at = |pattern: Pattern, behavior| Some(PreTokenizer::Split { pattern, behavior, invert: false });
        let (mark, marks) = (|| Pattern::Text(MARK.into()), || Pattern::Regex(format!("{MARK}+")));
        let before_marks =
            PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend: Prepend::Never, split: true };
        match (self.split_by_whitespace, self.treat_whitespace_as_suffix, self.allow_whitespace_only_pieces) {
            // Words are that, whatever the options say.
            _ if self.model == ModelKind::Word => Some(before_marks),
            (false, ..) => None,
            (true, false, false) => Some(before_marks),
            (true, false, true) => at(marks(), Behavior::MergedWithNext),
            (true, true, false) => at(mark(), Behavior::MergedWithPrevious),
            (true, true, true) => at(marks(), Behavior::MergedWithPrevious),
        }
    }

    /// The user's symbols; as a word, each stands after a space as well.
    fn symbols(&self) -> Vec<String> {
        let marked = |symbol: &String| {
            let wanted = self.model == ModelKind::Word && !symbol.starts_with(MARK);
            [Some(symbol.clone()), wanted.then(|| format!("{MARK}{symbol}"))]
        };
        self.user_defined_symbols.iter().flat_map(marked).flatten().collect()
    }

    /// The tokens before the pieces, in the order of their ids.
    pub fn reserved(&self, outline: &Outline) -> Vec<String> {
        let mut names: Vec<(Option<TokenId>, String)> =
            outline.added.iter().map(|token| (Some(token.id), token.content.clone())).collect();
        if let Decoder::SentencePiece(how) = &outline.decoder {
            names.push((outline.unk, how.unk.clone()));
        }
        names.sort();
        let names = names.into_iter().map(|(_, name)| name).chain(self.symbols());
        let bytes = (0..256).filter(|_| self.byte_fallback).map(|byte| format!("<0x{byte:02X}>"));
        names.chain(bytes).collect()
    }

    /// What the file says of the training.
    pub fn message(&self, vocab_size: usize, outline: &Outline, roles: RoleNames) -> TrainerMessage {
        let id_of = |role: Option<&str>| {
            let token = outline.added.iter().find(|token| Some(token.content.as_str()) == role);
            Some(token.map_or(-1, |token| token.id as i32))
        };
        let named = |name: &str| [roles.bos, roles.eos, roles.pad].contains(&Some(name));
        let controls = outline.added.iter().map(|token| token.content.clone()).filter(|name| !named(name));
        TrainerMessage {
            model_type: Some(self.model as i32),
            vocab_size: Some(vocab_size as i32),
            character_coverage: Some(self.character_coverage as f32),
            seed_sentencepiece_size: Some(self.seed_size as i32),
            shrinking_factor: Some(self.shrinking_factor as f32),
            num_sub_iterations: Some(self.sub_iterations as i32),
            max_sentencepiece_length: Some(self.max_piece_length as i32),
            split_by_unicode_script: Some(self.split_by_unicode_script),
            split_by_whitespace: Some(self.split_by_whitespace),
            split_by_number: Some(self.split_by_number),
            treat_whitespace_as_suffix: Some(self.treat_whitespace_as_suffix),
            split_digits: Some(self.split_digits),
            allow_whitespace_only_pieces: Some(self.allow_whitespace_only_pieces),
            control_symbols: controls.collect(),
            user_defined_symbols: self.user_defined_symbols.clone(),
            required_chars: Some(self.required_chars.clone()),
            byte_fallback: Some(self.byte_fallback),
            unk_id: outline.unk.map(|id| id as i32),
            bos_id: id_of(roles.bos),
            eos_id: id_of(roles.eos),
            pad_id: id_of(roles.pad),
            unk_surface: Some(self.unk_surface.clone()),
            unk_piece: Some(roles.unk.to_string()),
            bos_piece: roles.bos.map(str::to_string),
            eos_piece: roles.eos.map(str::to_string),
            pad_piece: roles.pad.map(str::to_string),
        }
    }
}
