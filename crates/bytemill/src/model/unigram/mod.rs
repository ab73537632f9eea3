//! Unigram: a text becomes the row of tokens with the highest sum of scores. `naive` says it in a dozen lines; `viterbi` finds it in one
//! pass; what words are is remembered, where their row is the best by more than rounding could change (`margin`).
//!
//! Two libraries define it, and a model follows the one that it comes from. SentencePiece adds 32-bit scores over a whole text;
//! `tokenizers` adds 64-bit ones over each piece.

pub(crate) mod lattice;
mod margin;
mod marked;
#[cfg(test)]
mod naive;
mod nbest;
mod parts;
mod random;
mod scores;
#[cfg(test)]
mod tests;
mod viterbi;
mod words;

use std::sync::{Arc, OnceLock};

use super::byte_tokens::ByteTokens;
use super::code_points::{CodePoints, single_character};
use super::cuts::{Cuts, FEW, Part, character, characters};
use super::memo::{GROUP, Memory, NewPiece, Recall, SharedMemory};
use super::text_ends::TextEnds;
use super::trie::{NONE, Trie};
use super::{PieceSpan, unknown};
use crate::definition::{Outline, SentencePieceModel};
use crate::error::{Error, Result};
use crate::text::plane::Plane;
use crate::text::search::check_length;
use crate::text::span::{Span, Spans};
use crate::vocab::{TokenId, Vocab};
use lattice::Lattice;
pub(crate) use parts::Row;
pub(crate) use random::RandomRows;
use scores::is_continuation;
use viterbi::Node;
pub(crate) use viterbi::{ScoredTrie, Segment, width};

/// The sum at which SentencePiece starts counting anew, so that its 32 bits do not run out.
const RESTART: f32 = 100_000.0;
/// How much less likely than the least likely token an unknown character is.
const UNKNOWN_PENALTY: f64 = 10.0;

#[derive(Debug)]
pub struct Unigram {
    vocab: Arc<Vocab>,
    /// Of the tokens that texts may become; made when the first text comes, unless it might not fit.
    trie: OnceLock<Trie>,
    /// Which tokens these are.
    usable: Vec<bool>,
    numbers: Numbers,
    unk: Option<TokenId>,
    /// Where they stand in for what is unknown.
    fallback: Option<ByteTokens>,
    /// Whether no text becomes these tokens otherwise.
    bytes_reserved: bool,
    /// The characters that no token has.
    strangers: Plane,
    /// The most bytes that a token has.
    longest: usize,
}

#[derive(Debug)]
enum Numbers {
    /// SentencePiece.
    Single {
        scores: Vec<f32>,
        unknown: f32,
        cuts: Box<Cuts>,
        largest: f32,
        own: Vec<TokenId>,
        /// The characters that are tokens.
        characters: CodePoints,
    },
    /// `tokenizers`.
    Double { scores: Vec<f64>, unknown: f64, cuts: Box<Cuts>, characters: CodePoints },
}

/// What a worker keeps for this model.
#[derive(Debug, Default)]
pub struct UnigramScratch {
    memory: Memory,
    single: Vec<Node<f32>>,
    double: Vec<Node<f64>>,
    two: Vec<margin::Two<f32>>,
    wide_two: Vec<margin::Two<f64>>,
    /// The words of pieces that are not remembered as they are.
    words: Memory,
    row: Vec<Segment>,
    /// Words as they stand in a text, before it is normalized.
    marked: Memory,
    buffer: String,
    /// Whether a word came up that is not sure to be the same wherever it stands.
    unsure: bool,
    lattice: Lattice,
}

impl UnigramScratch {
    pub fn join(&mut self, [pieces, words, marked]: &[Arc<SharedMemory>; 3]) {
        self.memory.join(pieces);
        self.words.join(words);
        self.marked.join(marked);
    }
}

impl Unigram {
    pub fn new(vocab: Arc<Vocab>, scores: &[f64], outline: &Outline) -> Result<Self> {
        if scores.len() != vocab.len() || scores.iter().any(|score| !score.is_finite()) {
            return Err(Error::Spec("every token of a Unigram model has a score, which is a finite number".into()));
        }
        check_length(vocab.tokens().map(|(_, token)| token.len()).max().unwrap_or(0))?;
        let fallback = ByteTokens::of(&vocab, &outline.symbols);
        let mut usable = vec![true; vocab.len()];
        let numbers = match &outline.sentencepiece {
            Some(pieces) => {
                pieces.unused.iter().chain(&pieces.reserved).for_each(|&id| usable[id as usize] = false);
                single(&vocab, scores, pieces, &usable, instead(outline.unk, fallback.as_ref()))
            }
            None => {
                let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
                let bytes = fallback.iter().filter(|_| outline.symbols.bytes_reserved);
                bytes.flat_map(ByteTokens::iter).for_each(|(_, id)| usable[id as usize] = false);
                let unknown = lowest - UNKNOWN_PENALTY;
                let (cuts, characters) = parts(usable_tokens(&vocab, &usable));
                Numbers::Double { scores: scores.to_vec(), unknown, cuts, characters }
            }
        };
        let trie = match Trie::surely_holds(vocab.tokens().map(|(_, token)| token.len()).sum()) {
            true => OnceLock::new(),
            false => Trie::new(usable_tokens(&vocab, &usable))?.into(),
        };
        let bytes_reserved = outline.symbols.bytes_reserved;
        let (Numbers::Single { cuts, characters, .. } | Numbers::Double { cuts, characters, .. }) = &numbers;
        let strangers = Plane::of(|c| !cuts.is_joined(c) && characters.get(c).is_none());
        let longest = vocab.tokens().map(|(_, token)| token.len()).max().unwrap_or(0);
        Ok(Unigram { trie, usable, numbers, unk: outline.unk, fallback, bytes_reserved, strangers, longest, vocab })
    }

    fn trie(&self) -> &Trie {
        // It fits: `new` has made those that might not.
        self.trie.get_or_init(|| Trie::new(usable_tokens(&self.vocab, &self.usable)).unwrap_or_default())
    }

    /// Appends the ids of pieces of a text.
    pub fn segment(&self, pieces: Spans, scratch: &mut UnigramScratch, ids: &mut Vec<TokenId>) -> Result<()> {
        match &self.numbers {
            Numbers::Single { cuts, .. } => {
                pieces.iter().for_each(|piece| self.segment_parts(piece, cuts, scratch, ids));
                Ok(())
            }
            Numbers::Double { .. } => {
                let mut whole = WholePieces { model: self, text: pieces.text, scratch };
                whole.recall(pieces.bytes(), &mut TextEnds::none(), ids)
            }
        }
    }

    /// The row for a piece: the best, or one at random where that is asked for.
    fn fill_row(&self, piece: &str, random: Option<&mut RandomRows>, scratch: &mut UnigramScratch) {
        let UnigramScratch { single, double, row, lattice, .. } = scratch;
        row.clear();
        match (&self.numbers, random) {
            (_, Some(random)) => self.random_row(piece, random, lattice, row),
            (Numbers::Single { scores, unknown, .. }, None) => {
                ScoredTrie { trie: self.trie(), scores, unknown: *unknown }.best(piece, 0.0, single, row);
            }
            (Numbers::Double { scores, unknown, .. }, None) => {
                ScoredTrie { trie: self.trie(), scores, unknown: *unknown }.best(piece, 0.0, double, row);
            }
        }
    }

    /// The ids of a row of a piece as `tokenizers` gives them, each with its place.
    fn emit_pieces(
        &self,
        piece: &str,
        row: &[Segment],
        ids: &mut Vec<TokenId>,
        mut place: impl FnMut(Span),
    ) -> Result<()> {
        let is_unknown = |segment: &Segment| segment.id == NONE || Some(segment.id) == self.unk;
        // Unknown characters side by side are one, and the token that stands for them counts as one of them.
        for together in row.chunk_by(|left, right| is_unknown(left) && is_unknown(right)) {
            let (Some(first), Some(last)) = (together.first(), together.last()) else { continue };
            let span = Span::new(first.start, last.end);
            let bytes = &piece.as_bytes()[span.range()];
            let known = match is_unknown(first) {
                // All of it together may be a token that no character of it is.
                true if bytes.len() > self.longest || self.bytes_reserved => None,
                true => self.vocab.id(bytes),
                false => Some(first.id),
            };
            let fallback = self.fallback.as_ref().filter(|_| known.is_none());
            match fallback.and_then(|tokens| tokens.all(bytes)) {
                Some(tokens) => {
                    ids.extend(tokens);
                    bytes.iter().for_each(|_| place(span));
                }
                None => {
                    ids.push(known.map_or_else(|| unknown(self.unk, piece), Ok)?);
                    place(span);
                }
            }
        }
        Ok(())
    }

    /// The ids of one piece with their places in it.
    pub fn segment_placed(
        &self,
        piece: &str,
        random: Option<&mut RandomRows>,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
        spans: &mut Vec<PieceSpan>,
    ) -> Result<()> {
        if random.is_none() && self.place_remembered(piece, scratch, ids, spans)? {
            return Ok(());
        }
        self.fill_row(piece, random, scratch);
        if let Numbers::Double { .. } = self.numbers {
            return self.emit_pieces(piece, &scratch.row, ids, |span| spans.push(PieceSpan::Inside(span)));
        }
        self.emit_placed(piece, &scratch.row, ids, spans);
        Ok(())
    }

    /// The same by the memory of pieces, where the tokens themselves say where they stand: the piece is made of them. Where some token
    /// stands for other text, nothing is appended.
    fn place_remembered(
        &self,
        piece: &str,
        scratch: &mut UnigramScratch,
        ids: &mut Vec<TokenId>,
        spans: &mut Vec<PieceSpan>,
    ) -> Result<bool> {
        let Numbers::Double { .. } = self.numbers else { return Ok(false) };
        let from = ids.len();
        self.segment(Spans::new(piece, &[0], &[piece.len()]), scratch, ids)?;
        let width = |&id: &TokenId| self.vocab.token(id).map_or(0, <[u8]>::len);
        let own = &ids[from..];
        // A byte's token is longer than the byte, so the sum tells.
        let is_whole =
            own.iter().map(width).sum::<usize>() == piece.len() && !own.iter().any(|&id| Some(id) == self.unk);
        match is_whole {
            true => super::spans_of(piece.len(), own.iter().map(width), spans),
            false => ids.truncate(from),
        }
        Ok(is_whole)
    }

    /// Appends the ids of a row of SentencePiece, and the place of each.
    pub fn emit_placed(&self, piece: &str, row: &[Segment], ids: &mut Vec<TokenId>, spans: &mut Vec<PieceSpan>) {
        let first = ids.len();
        for segment in row {
            let is_unknown = segment.id == NONE && self.fallback.is_none();
            match spans.last_mut() {
                // One unknown token stands for several characters in a row.
                Some(PieceSpan::Inside(span)) if is_unknown && ids[first..].last().copied() == self.unk => {
                    span.end = segment.end;
                }
                _ => self.emit(piece, *segment, ids, |span| spans.push(PieceSpan::Inside(span))),
            }
        }
    }
}

/// Pieces as `tokenizers` sees them, each by itself.
struct WholePieces<'a> {
    model: &'a Unigram,
    text: &'a str,
    scratch: &'a mut UnigramScratch,
}

impl Recall for WholePieces<'_> {
    type Error = Error;

    #[inline]
    fn memory(&mut self) -> &mut Memory {
        &mut self.scratch.memory
    }

    fn compute(&mut self, piece: NewPiece, ids: &mut Vec<TokenId>) -> Result<()> {
        let from = ids.len();
        self.model.segment_new(&self.text[piece.range()], self.scratch, ids)?;
        self.scratch.memory.remember(&piece.hashed, piece.bytes, &ids[from..]);
        Ok(())
    }
}

/// The tokens that stand for an unknown character, and whether each is the first of those that do.
fn instead(unk: Option<TokenId>, fallback: Option<&ByteTokens>) -> Vec<(TokenId, bool)> {
    let bytes = fallback.into_iter().flat_map(ByteTokens::iter).map(|(byte, id)| (id, !is_continuation(byte)));
    bytes.chain(unk.map(|unk| (unk, true))).collect()
}

/// The tokens that a text may become, their scores, and where no token lies across. What stands for an unknown character has the score of
/// one, so that a row that is remembered is added up as it was.
fn single(
    vocab: &Vocab,
    scores: &[f64],
    pieces: &SentencePieceModel,
    usable: &[bool],
    instead: Vec<(TokenId, bool)>,
) -> Numbers {
    let mut scores: Vec<f32> = scores.iter().map(|&score| score as f32).collect();
    let mut normal = usable.to_vec();
    for &id in &pieces.user_defined {
        normal[id as usize] = false;
        // Above all others, and the longest first.
        let length = vocab.token(id).unwrap_or_default().len();
        scores[id as usize] = (0.1 * (length as f64 - 1.0)) as f32;
    }
    let lowest = scores.iter().zip(&normal).filter(|(_, normal)| **normal).map(|(&score, _)| score);
    let unknown = lowest.fold(f32::MAX, f32::min) - UNKNOWN_PENALTY as f32;
    instead.into_iter().for_each(|(id, first)| scores[id as usize] = if first { unknown } else { 0.0 });
    let (cuts, characters) = parts(usable_tokens(vocab, usable));
    let largest = scores.iter().fold(unknown.abs(), |largest, score| largest.max(score.abs()));
    Numbers::Single { scores, unknown, cuts, largest, own: pieces.user_defined.clone(), characters }
}

/// The tokens that texts may become.
fn usable_tokens<'a>(vocab: &'a Vocab, usable: &[bool]) -> impl Iterator<Item = (TokenId, &'a [u8])> {
    vocab.tokens().filter(|&(id, token)| !token.is_empty() && usable[id as usize])
}

/// Where no token lies across, and the characters that are tokens.
fn parts<'a>(tokens: impl Iterator<Item = (TokenId, &'a [u8])>) -> (Box<Cuts>, CodePoints) {
    let mut characters = CodePoints::default();
    let texts = tokens.map(|(id, token)| {
        single_character(token).into_iter().for_each(|c| characters.insert(c, id));
        token
    });
    (Box::new(Cuts::new(texts, None)), characters)
}
