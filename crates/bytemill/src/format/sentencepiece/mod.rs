//! `.model`, the file of SentencePiece: read so that ids are those of version 0.2.2, written so that it loads there and encodes identically.

pub(crate) mod from_stages;
mod proto;
mod ranks;
mod self_test;
mod symbols;

use std::collections::HashSet;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost::Message as _;

use crate::decode::{Decoder, Leading, SentencePieces};
use crate::definition::roles::Role;
use crate::definition::{Definition, Family, Merging, Outline, SentencePieceModel, Symbols, Unit};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::normalize::{Charsmap, Normalizer, SentencePieceRules};
use crate::specials::{AddedToken, Policy};
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};
pub(crate) use proto::TrainerMessage;
use proto::{ModelProto, NormalizerSpec, PieceKind, PieceProto, TrainerSpec};

const NAME: &str = ".model";
/// What an unknown piece becomes in decoded text, unless a file says otherwise.
pub(crate) const UNK_SURFACE: &str = " \u{2047} ";

const UNIGRAM: i32 = 1;
const BPE: i32 = 2;
const WORDS: i32 = 3;
const CHARACTERS: i32 = 4;

/// Whether bytes are a model: its first field is a piece, whose first field is its text.
pub(crate) fn is_model(bytes: &[u8]) -> bool {
    let [0x0A, rest @ ..] = bytes else { return false };
    let length = prost::decode_length_delimiter(rest).ok().filter(|&length| length < rest.len());
    length.is_some_and(|length| rest.get(prost::length_delimiter_len(length)) == Some(&0x0A))
}

pub(crate) fn read(bytes: &[u8]) -> Result<Tokenizer> {
    let damaged = |error: prost::DecodeError| Error::format("the file", format!("not a SentencePiece model: {error}"));
    let model = ModelProto::decode(bytes).map_err(damaged)?;
    let trainer = TrainerSpec::decode(model.trainer_spec.as_deref().unwrap_or_default()).map_err(damaged)?;
    let self_test = model.self_test_data.clone();
    let tokenizer = Tokenizer::new(definition(model, &trainer)?)?;
    match self_test {
        Some(data) => self_test::verify(tokenizer, &proto::SelfTestData::decode(data.as_slice()).map_err(damaged)?),
        None => Ok(tokenizer),
    }
}

fn definition(model: ModelProto, trainer: &TrainerSpec) -> Result<Definition> {
    let kinds = Kinds::of(&model.pieces, trainer)?;
    if let Some(spec) = &model.denormalizer_spec
        && NormalizerSpec::decode(spec.as_slice())
            .is_ok_and(|spec| spec.precompiled_charsmap.is_some_and(|map| !map.is_empty()))
    {
        return Err(Error::format("denormalizer_spec", "rules for decoding are not supported by this version"));
    }
    let vocab = Vocab::new(model.pieces.iter().map(|piece| Some(piece.piece())))?;
    let scores: Arc<[f64]> = model.pieces.iter().map(|piece| f64::from(piece.score())).collect();
    let byte_fallback = trainer.byte_fallback();
    let merges = match trainer.model_type.unwrap_or(UNIGRAM) {
        UNIGRAM | WORDS => None,
        BPE => Some(kinds.merges(&vocab, &scores)?),
        CHARACTERS => Some(Merges::of_pairs(&vocab, &[], b"")?),
        other => return Err(Error::format("trainer_spec.model_type", format!("{other} is no type of model"))),
    };
    let spec = model.normalizer_spec.unwrap_or_default();
    let symbols = Symbols { unit: Unit::Characters, fuse_unk: true, byte_fallback, ..Symbols::default() };
    let base = match merges {
        None if trainer.model_type == Some(WORDS) => Outline::marked_words(None, byte_fallback),
        None => Outline::unigram(None, byte_fallback),
        Some(_) => Outline { merging: Merging::Scores, ..Outline::bpe(symbols) },
    };
    let unk = model.pieces[kinds.unk as usize].piece().to_string();
    let leading = match (spec.remove_extra_whitespaces.unwrap_or(true), spec.add_dummy_prefix.unwrap_or(true)) {
        (true, _) => Leading::Each,
        (false, true) => Leading::One,
        (false, false) => Leading::Kept,
    };
    let mut outline = Outline {
        normalizer: Some(normalizer(&spec, trainer, &model.pieces, &kinds)?),
        unk: Some(kinds.unk),
        added: kinds.control.iter().map(|&id| AddedToken::special(id, model.pieces[id as usize].piece())).collect(),
        decoder: Decoder::SentencePiece(SentencePieces {
            unk,
            unk_surface: trainer.unk_surface.clone().unwrap_or_else(|| UNK_SURFACE.to_string()),
            byte_fallback,
            leading,
        }),
        // Control symbols come from the program and never from a text.
        specials: Policy::None,
        sentencepiece: Some(Box::new(SentencePieceModel {
            reserved: kinds.reserved(),
            user_defined: kinds.user_defined,
            unused: kinds.unused,
            trainer_spec: STANDARD.encode(model.trainer_spec.unwrap_or_default()),
            normalizer_name: spec.name,
            normalizer_tsv: spec.normalization_rule_tsv,
            self_test_data: model.self_test_data.map(|data| STANDARD.encode(data)),
            denormalizer_spec: model.denormalizer_spec.map(|data| STANDARD.encode(data)),
        })),
        ..base
    };
    // As SentencePiece finds them: control symbols of these names.
    let named = [
        (Role::Bos, trainer.bos_piece.as_deref().unwrap_or("<s>")),
        (Role::Eos, trainer.eos_piece.as_deref().unwrap_or("</s>")),
        (Role::Pad, trainer.pad_piece.as_deref().unwrap_or("<pad>")),
    ];
    let id_of = |name: &str| outline.added.iter().find(|token| token.content == name).map(|token| token.id);
    let roles = named.map(|(role, name)| (role, id_of(name)));
    outline.set_roles(roles);
    Ok(Definition { outline, vocab: vocab.into(), merges: merges.map(Arc::new), scores: Some(scores) })
}

fn normalizer(
    spec: &NormalizerSpec,
    trainer: &TrainerSpec,
    pieces: &[PieceProto],
    kinds: &Kinds,
) -> Result<Normalizer> {
    let charsmap = spec.precompiled_charsmap.as_deref().filter(|map| !map.is_empty()).map(Charsmap::new).transpose()?;
    let rules = SentencePieceRules {
        charsmap,
        add_dummy_prefix: spec.add_dummy_prefix.unwrap_or(true),
        whitespace_as_suffix: trainer.treat_whitespace_as_suffix(),
        remove_extra_whitespaces: spec.remove_extra_whitespaces.unwrap_or(true),
        escape_whitespaces: spec.escape_whitespaces.unwrap_or(true),
        kept: kinds.user_defined.iter().map(|&id| pieces[id as usize].piece().to_string()).collect(),
    };
    Ok(Normalizer::SentencePiece(Box::new(rules.try_into()?)))
}

/// The pieces by their type, those that are just text aside.
struct Kinds {
    unk: TokenId,
    control: Vec<TokenId>,
    user_defined: Vec<TokenId>,
    unused: Vec<TokenId>,
    bytes: Vec<TokenId>,
}

impl Kinds {
    fn of(pieces: &[PieceProto], trainer: &TrainerSpec) -> Result<Self> {
        let mut kinds = Kinds {
            unk: TokenId::MAX,
            control: Vec::new(),
            user_defined: Vec::new(),
            unused: Vec::new(),
            bytes: Vec::new(),
        };
        for (id, piece) in (0..).zip(pieces) {
            let wrong = |reason: &str| Error::format(format!("piece {id}, {:?}", piece.piece()), reason);
            if piece.piece().is_empty() || piece.piece().contains('\0') {
                return Err(wrong("a piece is not empty and has no zero in it"));
            }
            match piece.kind() {
                PieceKind::Normal => {}
                PieceKind::Unknown if kinds.unk == TokenId::MAX => kinds.unk = id,
                PieceKind::Unknown => return Err(wrong("there is an unknown piece already")),
                PieceKind::Control => kinds.control.push(id),
                PieceKind::UserDefined => kinds.user_defined.push(id),
                PieceKind::Unused => kinds.unused.push(id),
                PieceKind::Byte if trainer.byte_fallback() => kinds.bytes.push(id),
                PieceKind::Byte => return Err(wrong("a byte piece, although `byte_fallback` is false")),
            }
        }
        if kinds.unk == TokenId::MAX {
            return Err(Error::format("pieces", "none is the unknown piece"));
        }
        if trainer.byte_fallback() {
            let named =
                |byte: usize| kinds.bytes.iter().any(|&id| pieces[id as usize].piece() == format!("<0x{byte:02X}>"));
            if kinds.bytes.len() != 256 || !(0..256).all(named) {
                return Err(Error::format("pieces", "`byte_fallback` is true, and there are not just the 256 bytes"));
            }
        }
        Ok(kinds)
    }

    fn reserved(&self) -> Vec<TokenId> {
        let mut reserved: Vec<TokenId> = [self.unk].iter().chain(&self.control).chain(&self.bytes).copied().collect();
        reserved.sort_unstable();
        reserved
    }

    /// Text that merges may make or start from. What SentencePiece does with other models than those it trains is refused here.
    fn merges(&self, vocab: &Vocab, scores: &[f64]) -> Result<Merges> {
        let mut mergeable = vec![true; vocab.len()];
        for &id in self.reserved().iter().chain(&self.user_defined) {
            mergeable[id as usize] = false;
        }
        for (id, text) in makeable(vocab, &mergeable) {
            let known = |c: char| vocab.id(c.encode_utf8(&mut [0; 4]).as_bytes()).is_some();
            if let Some(c) = text.chars().find(|&c| !known(c)) {
                let reason =
                    format!("{text:?} has the character {c:?}, which is no piece: not supported by this version");
                return Err(Error::format(format!("piece {id}"), reason));
            }
        }
        Merges::of_scores(vocab, scores, |id| mergeable[id as usize])
    }
}

/// The pieces of several characters that merging can make: of two parts, each of which is a character or such a piece.
fn makeable<'a>(vocab: &'a Vocab, mergeable: &[bool]) -> Vec<(TokenId, &'a str)> {
    let texts = vocab.tokens().filter(|&(id, _)| mergeable[id as usize]);
    let mut texts: Vec<(TokenId, &str)> =
        texts.filter_map(|(id, token)| Some((id, std::str::from_utf8(token).ok()?))).collect();
    texts.sort_by_key(|(_, text)| text.len());
    let mut made: HashSet<&str> = HashSet::new();
    texts.retain(|&(_, text)| {
        let is_part = |part: &str| made.contains(part) || part.chars().nth(1).is_none();
        let mut splits = text.char_indices().skip(1).map(|(at, _)| text.split_at(at));
        splits.any(|(left, right)| is_part(left) && is_part(right)) && made.insert(text)
    });
    texts
}

pub(crate) fn write(definition: &Definition) -> Result<Vec<u8>> {
    let inexpressible = |feature: &str| Error::Inexpressible {
        format: NAME,
        feature: feature.into(),
        hint: "write .mill or tokenizer.json instead".into(),
    };
    let outline = &definition.outline;
    let (Some(pieces), Some(scores), Some(Normalizer::SentencePiece(normalizer))) =
        (&outline.sentencepiece, &definition.scores, &outline.normalizer)
    else {
        return from_stages::model(definition).map(|model| model.encode_to_vec());
    };
    let raw =
        |text: &str| STANDARD.decode(text).map_err(|_| Error::Spec("a message of SentencePiece is no base64".into()));
    let kinds = kinds(outline, pieces, scores.len());
    let listed = (0..).zip(scores.iter()).zip(kinds).map(|((id, &score), kind)| {
        let text = definition.vocab.token(id).and_then(|token| String::from_utf8(token.to_vec()).ok());
        let kind = Some(kind).filter(|&kind| kind != PieceKind::Normal).map(i32::from);
        Ok(PieceProto {
            piece: Some(text.ok_or_else(|| inexpressible(&format!("token {id}")))?),
            score: Some(score as f32),
            kind,
        })
    });
    let rules = normalizer.rules();
    let model = ModelProto {
        pieces: listed.collect::<Result<_>>()?,
        trainer_spec: Some(raw(&pieces.trainer_spec)?),
        normalizer_spec: Some(NormalizerSpec {
            name: pieces.normalizer_name.clone(),
            precompiled_charsmap: Some(rules.charsmap.as_ref().map(|map| map.bytes().to_vec()).unwrap_or_default()),
            add_dummy_prefix: Some(rules.add_dummy_prefix),
            remove_extra_whitespaces: Some(rules.remove_extra_whitespaces),
            escape_whitespaces: Some(rules.escape_whitespaces),
            normalization_rule_tsv: pieces.normalizer_tsv.clone(),
        }),
        self_test_data: pieces.self_test_data.as_deref().map(raw).transpose()?,
        denormalizer_spec: pieces.denormalizer_spec.as_deref().map(raw).transpose()?,
    };
    Ok(model.encode_to_vec())
}

/// The types of all pieces, as the file has them.
fn kinds(outline: &Outline, pieces: &SentencePieceModel, size: usize) -> Vec<PieceKind> {
    let mut kinds = vec![PieceKind::Normal; size];
    let controls: Vec<TokenId> = outline.added.iter().map(|token| token.id).collect();
    let unknown: Vec<TokenId> = outline.unk.into_iter().collect();
    // What is reserved and nothing else is a byte.
    for (ids, kind) in [
        (&pieces.reserved, PieceKind::Byte),
        (&pieces.unused, PieceKind::Unused),
        (&pieces.user_defined, PieceKind::UserDefined),
        (&controls, PieceKind::Control),
        (&unknown, PieceKind::Unknown),
    ] {
        for &id in ids.iter().filter(|&&id| (id as usize) < size) {
            kinds[id as usize] = kind;
        }
    }
    kinds
}

/// The number of the type of each piece, and its score; None if it is no model of SentencePiece.
pub(crate) fn types_and_scores(definition: &Definition) -> Option<Vec<(i32, f64)>> {
    let (pieces, scores) = (definition.outline.sentencepiece.as_ref()?, definition.scores.as_ref()?);
    let kinds = kinds(&definition.outline, pieces, scores.len());
    Some(kinds.into_iter().map(i32::from).zip(scores.iter().copied()).collect())
}

/// A tokenizer that was trained here, with what its file is to say of the training.
pub(crate) fn trained(mut definition: Definition, message: &TrainerMessage) -> Result<Definition> {
    let Definition { outline, vocab, merges, scores } = &mut definition;
    if let Some(pieces) = &mut outline.sentencepiece {
        pieces.trainer_spec = STANDARD.encode(message.encode_to_vec());
        let scores = scores.as_deref().unwrap_or_default();
        *merges = merges_of(outline.family, vocab, scores, pieces)?.map(Arc::new);
    }
    Ok(definition)
}

/// Whether byte-pair encoding or Unigram; for callers that read the file back.
pub(crate) fn merges_of(
    family: Family,
    vocab: &Vocab,
    scores: &[f64],
    pieces: &SentencePieceModel,
) -> Result<Option<Merges>> {
    if family != Family::Bpe {
        return Ok(None);
    }
    let trainer = STANDARD.decode(&pieces.trainer_spec).ok().and_then(|spec| TrainerSpec::decode(spec.as_slice()).ok());
    if trainer.is_some_and(|trainer| trainer.model_type == Some(CHARACTERS)) {
        return Merges::of_pairs(vocab, &[], b"").map(Some);
    }
    let defined: HashSet<TokenId> = pieces.user_defined.iter().copied().collect();
    let free = |id: TokenId| pieces.reserved.binary_search(&id).is_err() && !defined.contains(&id);
    Merges::of_scores(vocab, scores, free).map(Some)
}
