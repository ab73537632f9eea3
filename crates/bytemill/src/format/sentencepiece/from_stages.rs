//! A SentencePiece model of a tokenizer whose stages do what such a model does: Unigram or BPE over characters, with spaces as marks.

use std::collections::HashSet;

use prost::Message as _;

use super::proto::{ModelProto, NormalizerSpec, PieceKind, PieceProto, TrainerMessage};
use super::{BPE, UNIGRAM, ranks, symbols};
use crate::definition::{Definition, Family, Merging, Outline, Unit};
use crate::error::{Error, Result};
use crate::format::huggingface::from_sentencepiece::{ENDS, SPACES, composes, unmade};
use crate::normalize::{Charsmap, MARK, MARK_CHARACTER, Normalizer};
use crate::pretokenize::{PreTokenizer, Prepend};
use crate::text::pattern::Pattern;
use crate::vocab::TokenId;

pub(crate) fn inexpressible(feature: impl Into<String>) -> Error {
    Error::Inexpressible {
        format: super::NAME,
        feature: feature.into(),
        hint: "write .mill or tokenizer.json instead".into(),
    }
}

pub(crate) fn model(definition: &Definition) -> Result<ModelProto> {
    let outline = &definition.outline;
    let (family, symbols) = (outline.family, &outline.symbols);
    match family {
        Family::Unigram => {}
        Family::Bpe if outline.merging == Merging::Pairs && symbols.unit == Unit::Characters => {}
        Family::Bpe => return Err(inexpressible("byte-pair encoding that does not start from characters")),
        _ => return Err(inexpressible(format!("a tokenizer of {}s that is not SentencePiece's", family.name()))),
    }
    let unk = outline.unk.ok_or_else(|| inexpressible("a model without an unknown token"))?;
    match () {
        () if symbols.are_marked() => {
            return Err(inexpressible("a mark of the place in a word (a prefix or suffix of tokens)"));
        }
        () if symbols.dropout > 0.0 => return Err(inexpressible("dropout as a part of the model")),
        () if family == Family::Bpe && !symbols.fuse_unk && !symbols.byte_fallback => {
            return Err(inexpressible("an unknown token for each unknown character (fuse_unk)"));
        }
        () => {}
    }
    let stages = ExpressibleStages::of(outline)?;
    if outline.whole_pieces && stages.symbols.is_empty() {
        return Err(inexpressible("pieces that are tokens for being one (ignore_merges)"));
    }
    let mut pieces = pieces(definition, unk, &stages)?;
    if let Some(merges) = &definition.merges {
        ranks::score(&mut pieces, merges)?;
    }
    let trainer = TrainerMessage {
        model_type: Some(if family == Family::Unigram { UNIGRAM } else { BPE }),
        vocab_size: Some(pieces.len() as i32),
        byte_fallback: Some(symbols.byte_fallback),
        unk_id: Some(unk as i32),
        unk_piece: pieces[unk as usize].piece.clone(),
        ..TrainerMessage::default()
    };
    let charsmap = stages.charsmap.as_ref().map(|map| map.bytes().to_vec()).unwrap_or_default();
    Ok(ModelProto {
        pieces,
        trainer_spec: Some(trainer.encode_to_vec()),
        normalizer_spec: Some(NormalizerSpec {
            name: Some(if charsmap.is_empty() { "identity" } else { "user_defined" }.into()),
            precompiled_charsmap: Some(charsmap),
            add_dummy_prefix: Some(stages.prefix),
            remove_extra_whitespaces: Some(stages.trims_left && stages.collapses),
            escape_whitespaces: Some(stages.escapes),
            normalization_rule_tsv: None,
        }),
        self_test_data: None,
        denormalizer_spec: None,
    })
}

/// What the stages before a model do, as far as SentencePiece does it too.
#[derive(Default)]
struct ExpressibleStages {
    charsmap: Option<Charsmap>,
    trims_left: bool,
    trims_right: bool,
    collapses: bool,
    prefix: bool,
    escapes: bool,
    /// Pieces begin with a mark, and have none inside.
    splits: bool,
    /// The mark before the text stands for a space that is there.
    joins_first: bool,
    /// Any white space is dropped, not just spaces.
    drops_all: bool,
    /// The user's own, at which a text is split.
    symbols: Vec<String>,
}

impl ExpressibleStages {
    fn of(outline: &Outline) -> Result<Self> {
        let mut stages = ExpressibleStages::default();
        let mut steps = Vec::new();
        flatten(outline.normalizer.as_ref(), &mut steps);
        let mut last = 0;
        for step in steps {
            let place = stages.normalize(step)?.filter(|&place| place > last || place == 1);
            let name = || serde_json::to_value(step).ok().and_then(|step| step["type"].as_str().map(str::to_string));
            last = place.ok_or_else(|| {
                inexpressible(format!("the normalizer {} where it stands", name().unwrap_or_default()))
            })?;
        }
        match &outline.pretokenizer {
            None => {}
            Some(PreTokenizer::Sequence { steps }) => match steps.as_slice() {
                [PreTokenizer::WhitespaceSplit, metaspace] => {
                    (stages.trims_left, stages.trims_right, stages.collapses) = (true, true, true);
                    stages.drops_all = true;
                    stages.mark(metaspace)?;
                }
                _ => return Err(inexpressible("a pretokenizer of these steps")),
            },
            Some(pretokenizer) => match symbols::of(outline)? {
                Some(symbols) => stages.symbols = symbols,
                None => stages.mark(pretokenizer)?,
            },
        }
        if stages.collapses && stages.joins_first {
            // The mark before the text is the first space.
            stages.trims_left = true;
        }
        match (stages.trims_left, stages.trims_right, stages.collapses) {
            (true, true, true) | (false, false, false) => Ok(stages),
            _ => Err(inexpressible("white space that goes in some places and stays in others")),
        }
    }

    /// The place of a step among those of SentencePiece, if it is one.
    fn normalize(&mut self, step: &Normalizer) -> Result<Option<u32>> {
        let pattern = |step: &Normalizer| match step {
            Normalizer::Replace { pattern, content } => Some((pattern.pattern().clone(), content.clone())),
            _ => None,
        };
        Ok(match step {
            // Before a map that composes as well.
            Normalizer::Nfc => Some(1),
            Normalizer::Precompiled { charsmap } => {
                self.charsmap = Some(charsmap.clone());
                Some(2)
            }
            Normalizer::Strip { left, right: true } => {
                (self.trims_left, self.trims_right, self.drops_all) = (*left, true, true);
                Some(3)
            }
            Normalizer::Prepend { content } if content == MARK => {
                self.prefix = true;
                Some(5)
            }
            step => match pattern(step) {
                Some((Pattern::Regex(ends), content)) if ends == ENDS && content.is_empty() => {
                    (self.trims_left, self.trims_right) = (true, true);
                    Some(3)
                }
                Some((Pattern::Regex(spaces), content)) if spaces == SPACES && [" ", MARK].contains(&&*content) => {
                    self.collapses = true;
                    Some(4)
                }
                Some((Pattern::Text(space), content)) if space == " " && content == MARK => {
                    self.escapes = true;
                    Some(6)
                }
                _ => None,
            },
        })
    }

    fn mark(&mut self, pretokenizer: &PreTokenizer) -> Result<()> {
        let PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend, split } = pretokenizer else {
            return Err(inexpressible("a pretokenizer that is no Metaspace with \"▁\""));
        };
        self.escapes = true;
        self.splits = *split;
        if *prepend != Prepend::Never {
            self.joins_first = true;
            self.prefix = true;
        }
        Ok(())
    }

    /// SentencePiece composes by its map or not at all.
    fn check_forms(&self, outline: &Outline) -> Result<()> {
        let mut steps = Vec::new();
        flatten(outline.normalizer.as_ref(), &mut steps);
        let is_composed = self.charsmap.as_ref().is_some_and(|map| composes(map).unwrap_or(false));
        match steps.contains(&&Normalizer::Nfc) && !is_composed {
            true => Err(inexpressible("the normalizer nfc without a map of characters that composes")),
            false => Ok(()),
        }
    }
}

fn flatten<'a>(normalizer: Option<&'a Normalizer>, steps: &mut Vec<&'a Normalizer>) {
    match normalizer {
        Some(Normalizer::Sequence { steps: inner }) => inner.iter().for_each(|step| flatten(Some(step), steps)),
        step => steps.extend(step),
    }
}

fn pieces(definition: &Definition, unk: TokenId, stages: &ExpressibleStages) -> Result<Vec<PieceProto>> {
    let outline = &definition.outline;
    stages.check_forms(outline)?;
    let scores = definition.scores.as_deref().unwrap_or_default();
    let is_byte = |text: &str| {
        let named = |byte: u8| text == format!("<0x{byte:02X}>");
        outline.symbols.byte_fallback && text.starts_with("<0x") && (0..=255).any(named)
    };
    if let Some(symbol) = stages.symbols.iter().find(|symbol| definition.vocab.id(symbol.as_bytes()).is_none()) {
        return Err(inexpressible(format!("a split at {symbol:?}, which is no token")));
    }
    let symbols: HashSet<&str> = stages.symbols.iter().map(String::as_str).collect();
    let by_id = definition.added_by_id();
    (0..definition.size() as TokenId)
        .map(|id| {
            let added = by_id.get(&id);
            let token = added.map(|token| token.content.as_bytes()).or_else(|| definition.vocab.token(id));
            let token = token.ok_or_else(|| inexpressible(format!("the id {id}, which has no token")))?;
            let text = std::str::from_utf8(token).ok().filter(|text| !text.is_empty() && !text.contains('\0'));
            let text = text.ok_or_else(|| inexpressible(format!("token {id}, which is no text")))?;
            if added.is_some_and(|token| !token.special && (token.single_word || token.lstrip || token.rstrip)) {
                return Err(inexpressible(format!("the added token {text:?} that looks at what is around it")));
            }
            let kind = match added {
                _ if id == unk => PieceKind::Unknown,
                Some(token) if token.special => PieceKind::Control,
                Some(_) => PieceKind::UserDefined,
                None if is_byte(text) => PieceKind::Byte,
                None if symbols.contains(text) => PieceKind::UserDefined,
                None => PieceKind::Normal,
            };
            // Marks side by side are met nowhere if there is one space at a time.
            let is_met =
                text.chars().skip(1).any(|c| c == MARK_CHARACTER) && !(stages.collapses && text.contains("▁▁"));
            if kind == PieceKind::Normal && stages.splits && is_met {
                return Err(inexpressible(format!("{text:?}, which the pretokenizer keeps from being a token")));
            }
            Ok(PieceProto {
                piece: Some(text.to_string()),
                score: Some(scores.get(id as usize).map_or(0.0, |&score| score as f32)),
                kind: Some(kind).filter(|&kind| kind != PieceKind::Normal).map(i32::from),
            })
        })
        .collect()
}

/// What SentencePiece does otherwise with such a tokenizer, where it does: which texts may have other ids, and what is left out.
pub(crate) fn differences(definition: &Definition) -> Result<Vec<String>> {
    let outline = &definition.outline;
    let stages = ExpressibleStages::of(outline)?;
    let mut found = Vec::new();
    if outline.added.iter().any(|token| token.special) {
        found.push("special tokens are never found in a text");
    }
    if outline.added.iter().any(|token| !token.special) {
        found.push("spaces around added tokens may count otherwise");
    }
    if stages.charsmap.is_some() {
        found.push("a letter with marks may be normalized otherwise");
    }
    if let (false, Some(unk)) = (stages.symbols.is_empty(), outline.unk) {
        let (merged, pieces) = (Outline { whole_pieces: false, ..outline.clone() }, pieces(definition, unk, &stages)?);
        if unmade(definition, &merged, |id| pieces[id as usize].kind.is_none())? > 0 {
            found.push("a token between two symbols that merging does not make is cut into others");
        }
    }
    if outline.family == Family::Unigram {
        found.push("of rows of tokens with nearly the same sum, another may be taken");
    }
    if stages.joins_first && !stages.collapses {
        found.push("a text that begins with a space has one more");
    }
    if stages.drops_all {
        found.push("white space other than spaces counts as the map of characters says");
    }
    if outline.template.is_some() {
        found.push("nothing is put around a text, since a .model has no template");
    }
    if outline.truncation.is_some() || outline.padding.is_some() {
        found.push("nothing is truncated or padded");
    }
    Ok(found.into_iter().map(str::to_string).collect())
}
