//! A SentencePiece model in the stages of `tokenizers`: the same ids, but for texts of which `differences` tells.

use std::collections::HashSet;
use std::sync::Arc;

use crate::decode::{DecodeStep, Decoder};
use crate::definition::{Definition, Family, Merging, Outline, SentencePieceModel};
use crate::error::{Error, Result};
use crate::model::bpe::{Bpe, BpeScratch};
use crate::normalize::{Charsmap, MARK, MARK_CHARACTER, Normalizer, SentencePieceRules};
use crate::pretokenize::{Behavior, PreTokenizer, Prepend};
use crate::specials::{AddedToken, Policy};
use crate::text::pattern::Pattern;
use crate::text::span::Spans;
use crate::vocab::merges::{Merges, in_order_of_scores};
use crate::vocab::{TokenId, Vocab};

/// White space that SentencePiece takes away at the ends of a text, where it takes any: marks too, where spaces become marks.
pub(crate) const ENDS: &str = r"\A +|[ ▁]+\z";
const ENDS_WITHOUT_MARKS: &str = r"\A +| +\z";
/// What it takes for one space.
pub(crate) const SPACES: &str = " {2,}";

fn inexpressible(feature: impl Into<String>) -> Error {
    Error::Inexpressible { format: super::NAME, feature: feature.into(), hint: "write .mill or .model instead".into() }
}

pub(crate) fn definition(definition: &Definition) -> Result<Definition> {
    let (pieces, rules) = parts(definition)?;
    let outline = &definition.outline;
    if outline.family == Family::Word {
        return Err(inexpressible("a model of words of SentencePiece, in which unknown words side by side are one"));
    }
    if let Some(&id) = pieces.unused.first() {
        return Err(inexpressible(format!("the unused piece {:?}", text(&definition.vocab, id))));
    }
    if rules.add_dummy_prefix && rules.whitespace_as_suffix {
        return Err(inexpressible("a mark after the text (treat_whitespace_as_suffix)"));
    }
    let normalizer = normalizer(rules)?;
    refuse_changed_symbols(definition, pieces, rules, &normalizer)?;
    let how = SymbolSearch::of(definition, pieces, rules);
    let mut added = outline.added.clone();
    if how == SymbolSearch::Added {
        let symbol = |&id: &TokenId| AddedToken {
            special: false,
            normalized: true,
            ..AddedToken::special(id, text(&definition.vocab, id))
        };
        added.extend(pieces.user_defined.iter().map(symbol));
    }
    let merges = definition.merges.as_deref().map(|merges| listed(definition, merges)).transpose()?;
    Ok(Definition {
        outline: Outline {
            normalizer: Some(normalizer),
            pretokenizer: pretokenizer(definition, pieces, rules, &how)?,
            whole_pieces: how == SymbolSearch::Split,
            merging: Merging::Pairs,
            sentencepiece: None,
            added,
            decoder: decoder(outline, rules)?,
            specials: Policy::All,
            ..outline.clone()
        },
        vocab: definition.vocab.clone(),
        merges: merges.map(Arc::new),
        scores: scores(definition, pieces),
    })
}

fn parts(definition: &Definition) -> Result<(&SentencePieceModel, &SentencePieceRules)> {
    match (&definition.outline.sentencepiece, &definition.outline.normalizer) {
        (Some(pieces), Some(Normalizer::SentencePiece(normalizer))) => Ok((pieces, normalizer.rules())),
        _ => Err(Error::Internal("a model of SentencePiece has its normalizer".into())),
    }
}

fn text(vocab: &Vocab, id: TokenId) -> String {
    String::from_utf8_lossy(vocab.token(id).unwrap_or_default()).into_owned()
}

/// How the user's own symbols are found.
#[derive(PartialEq)]
enum SymbolSearch {
    /// By their scores, or there are none.
    Scored,
    /// As added tokens in the normalized text, which must not have a mark put before it: a symbol would get one too.
    Added,
    /// By a pattern, and as pieces that are tokens.
    Split,
}

impl SymbolSearch {
    fn of(definition: &Definition, pieces: &SentencePieceModel, rules: &SentencePieceRules) -> Self {
        match definition.merges {
            Some(_) if pieces.user_defined.is_empty() => SymbolSearch::Scored,
            Some(_) if rules.add_dummy_prefix => SymbolSearch::Split,
            Some(_) => SymbolSearch::Added,
            None => SymbolSearch::Scored,
        }
    }
}

fn replace(pattern: Pattern, content: &str) -> Result<Normalizer> {
    Ok(Normalizer::Replace { pattern: pattern.try_into()?, content: content.into() })
}

fn normalizer(rules: &SentencePieceRules) -> Result<Normalizer> {
    let mut steps = Vec::new();
    if let Some(map) = &rules.charsmap {
        steps.extend(composes(map)?.then_some(Normalizer::Nfc));
        steps.push(Normalizer::Precompiled { charsmap: map.clone() });
    }
    if rules.remove_extra_whitespaces {
        let ends = if rules.escape_whitespaces { ENDS } else { ENDS_WITHOUT_MARKS };
        steps.push(replace(Pattern::Regex(ends.into()), "")?);
        steps.push(replace(Pattern::Regex(SPACES.into()), " ")?);
    }
    let mark = if rules.escape_whitespaces { MARK } else { " " };
    if rules.add_dummy_prefix {
        steps.push(Normalizer::Prepend { content: mark.into() });
    }
    if rules.escape_whitespaces {
        steps.push(replace(Pattern::Text(" ".into()), MARK)?);
    }
    Ok(Normalizer::Sequence { steps })
}

/// Whether a map makes the same of a character and of the letter and marks that it is made of, as those of NFKC do. `tokenizers` looks
/// at no more than five bytes of these at a time, so that composing them first comes nearer to the map.
pub(crate) fn composes(map: &Charsmap) -> Result<bool> {
    let bare = SentencePieceRules {
        charsmap: Some(map.clone()),
        add_dummy_prefix: false,
        whitespace_as_suffix: false,
        remove_extra_whitespaces: false,
        escape_whitespaces: false,
        kept: Vec::new(),
    };
    let map = Normalizer::SentencePiece(Box::new(bare.try_into()?));
    let (mut composed, mut all) = (0, 0);
    for character in ('\u{80}'..'\u{20000}').map(String::from) {
        let parts = Normalizer::Nfd.normalize(&character, false);
        if parts.text().chars().nth(1).is_some() {
            all += 1;
            let same = map.normalize(parts.text(), false).text() == map.normalize(&character, false).text();
            composed += usize::from(same);
        }
    }
    // Some are newer than the map.
    Ok(composed > all * 9 / 10)
}

/// SentencePiece keeps symbols from being normalized.
fn refuse_changed_symbols(
    definition: &Definition,
    pieces: &SentencePieceModel,
    rules: &SentencePieceRules,
    normalizer: &Normalizer,
) -> Result<()> {
    let mark = if rules.escape_whitespaces { MARK } else { " " };
    for &id in &pieces.user_defined {
        let symbol = text(&definition.vocab, id);
        let normalized = normalizer.normalize(&symbol, false);
        let bare = normalized.text().strip_prefix(mark).filter(|_| rules.add_dummy_prefix);
        // One of marks alone is found among those of a text, which are not taken away there.
        let only_marks = symbol.chars().all(|c| c == MARK_CHARACTER) && rules.charsmap.is_none();
        if bare.unwrap_or(normalized.text()) != symbol && !only_marks {
            return Err(inexpressible(format!("the user-defined symbol {symbol:?}, which normalizing changes")));
        }
    }
    Ok(())
}

fn pretokenizer(
    definition: &Definition,
    pieces: &SentencePieceModel,
    rules: &SentencePieceRules,
    how: &SymbolSearch,
) -> Result<Option<PreTokenizer>> {
    if *how == SymbolSearch::Split {
        let mut symbols: Vec<String> = pieces.user_defined.iter().map(|&id| text(&definition.vocab, id)).collect();
        // The first alternative that matches counts, and the longest symbol.
        symbols.sort_by_key(|symbol| std::cmp::Reverse(symbol.len()));
        let symbols: Vec<String> = symbols.iter().map(|symbol| escaped(symbol)).collect();
        let pattern = Pattern::Regex(symbols.join("|"));
        if pattern.compile().is_err() {
            return Err(inexpressible(format!("{} user-defined symbols of byte-pair encoding", symbols.len())));
        }
        return Ok(Some(PreTokenizer::Split { pattern, behavior: Behavior::Isolated, invert: false }));
    }
    let is_text = |id: TokenId| pieces.reserved.binary_search(&id).is_err();
    let is_inside = |token: &[u8]| token.len() > 1 && memchr::memmem::find(&token[1..], MARK.as_bytes()).is_some();
    // Unknown characters on both sides of a mark that is no piece are one unknown token.
    let knows_marks = definition.vocab.id(MARK.as_bytes()).is_some_and(is_text);
    let lies_across = definition.vocab.tokens().any(|(id, token)| is_text(id) && is_inside(token));
    let words = PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend: Prepend::Never, split: true };
    Ok((rules.escape_whitespaces && knows_marks && !lies_across).then_some(words))
}

/// A text as a pattern that matches it.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| c.is_ascii_punctuation().then_some('\\').into_iter().chain([c])).collect()
}

fn decoder(outline: &Outline, rules: &SentencePieceRules) -> Result<Decoder> {
    let spaces = DecodeStep::Replace { pattern: Pattern::Text(MARK.into()).try_into()?, content: " ".into() };
    let strips = rules.add_dummy_prefix || rules.remove_extra_whitespaces;
    let steps = [
        Some(spaces),
        outline.symbols.byte_fallback.then_some(DecodeStep::ByteFallback),
        Some(DecodeStep::Fuse),
        strips.then_some(DecodeStep::Strip { content: ' ', start: 1, stop: 0 }),
    ];
    Ok(Decoder::Chain(steps.into_iter().flatten().collect()))
}

/// Those of Unigram, the user's symbols with what SentencePiece gives them.
fn scores(definition: &Definition, pieces: &SentencePieceModel) -> Option<Arc<[f64]>> {
    if definition.outline.family != Family::Unigram {
        return None;
    }
    let mut scores = definition.scores.as_deref()?.to_vec();
    for &id in &pieces.user_defined {
        let length = definition.vocab.token(id).unwrap_or_default().len();
        scores[id as usize] = f64::from((0.1 * (length as f64 - 1.0)) as f32);
    }
    Some(scores.into())
}

fn listed(definition: &Definition, merges: &Merges) -> Result<Merges> {
    let scores = definition.scores.as_deref().unwrap_or_default();
    Merges::of_pairs(&definition.vocab, &in_order_of_scores(&definition.vocab, merges, scores), b"")
}

/// What `tokenizers` does otherwise with such a model, where it does: which texts may have other ids.
pub(crate) fn differences(original: &Definition) -> Result<Vec<String>> {
    let (pieces, rules) = parts(original)?;
    let outline = &original.outline;
    let mut named: Vec<String> = outline.added.iter().map(|token| token.content.clone()).collect();
    if let Some(unk) = outline.unk.filter(|_| outline.family == Family::Unigram) {
        named.push(text(&original.vocab, unk));
        named.extend(outline.symbols.byte_fallback.then(|| "<0x00>".to_string()));
    }
    let mut found = Vec::new();
    if !named.is_empty() {
        let others = if named.len() > 3 { ", …" } else { "" };
        named.truncate(3);
        found.push(format!("what is written like a special token ({}{others}) is that token", named.join(", ")));
    }
    if rules.charsmap.is_some() {
        found.push("a letter with marks may be normalized otherwise".into());
    }
    if outline.family == Family::Unigram {
        found.push("of rows of tokens with nearly the same sum, another may be taken".into());
    }
    if SymbolSearch::of(original, pieces, rules) == SymbolSearch::Split {
        let defined: HashSet<TokenId> = pieces.user_defined.iter().copied().collect();
        let is_text = |id: TokenId| pieces.reserved.binary_search(&id).is_err() && !defined.contains(&id);
        let unmade = unmade(original, outline, is_text)?;
        if unmade > 0 {
            found.push(format!("a text between two symbols may be one of {unmade} pieces that merging does not make"));
        }
    }
    if original.merges.as_deref().is_some_and(|merges| has_ties(original, merges)) {
        found.push("of pieces with the same score, others may merge first".into());
    }
    Ok(found)
}

/// How many pieces that are text are not what merging makes of their text.
pub(crate) fn unmade(definition: &Definition, outline: &Outline, is_text: impl Fn(TokenId) -> bool) -> Result<usize> {
    let Some(merges) = &definition.merges else { return Ok(0) };
    let bpe = Bpe::new(definition.vocab.clone(), merges.clone(), outline)?;
    let (mut scratch, mut ids) = (BpeScratch::default(), Vec::new());
    let mut unmade = 0;
    for (id, token) in definition.vocab.tokens().filter(|&(id, _)| is_text(id)) {
        ids.clear();
        bpe.segment(Spans::new(token, &[0], &[token.len()]), &mut scratch, &mut ids);
        unmade += usize::from(ids != [id]);
    }
    Ok(unmade)
}

/// Whether different pieces of the same score compete for a part. For runs of one character, the order of the list is right.
fn has_ties(original: &Definition, merges: &Merges) -> bool {
    let scores = original.scores.as_deref().unwrap_or_default();
    let view = merges.view();
    let pairs: Vec<(TokenId, TokenId, TokenId)> =
        merges.pairs().into_iter().map(|(left, right)| (view.made(view.rank(left, right)), left, right)).collect();
    let is_run = |id: TokenId| {
        let token = text(&original.vocab, id);
        token.chars().all(|c| token.starts_with(c))
    };
    pairs.chunk_by(|one, other| scores[one.0 as usize] == scores[other.0 as usize]).any(|tied| {
        let lefts: HashSet<TokenId> = tied.iter().map(|&(_, left, _)| left).collect();
        let several = tied.iter().any(|&(made, ..)| made != tied[0].0);
        several && tied.iter().any(|&(made, _, right)| lefts.contains(&right) && !is_run(made))
    })
}
