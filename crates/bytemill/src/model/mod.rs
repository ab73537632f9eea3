//! Model: a piece of text → ids. One module a family.

pub(crate) mod bpe;
mod byte_tokens;
mod chance;
pub(crate) mod chars;
mod code_points;
pub(crate) mod cuts;
pub(crate) mod marked_words;
pub(crate) mod memo;
mod scratch;
pub(crate) mod text_ends;
pub(crate) mod trie;
pub(crate) mod unigram;
pub(crate) mod wordpiece;
pub(crate) mod words;

use crate::definition::Outline;
use crate::error::{Error, Result};
use crate::pretokenize::pieces::Pieces;
use crate::text::span::Span;
use crate::vocab::TokenId;

use bpe::Bpe;
pub(crate) use chance::Chance;
use chars::Chars;
pub(crate) use code_points::single_character;
use marked_words::MarkedWords;
pub(crate) use scratch::{Memories, ModelScratch};
use unigram::Unigram;
use wordpiece::WordPiece;
use words::Words;

/// A word cannot be segmented by itself: what it becomes depends on its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAlone;

/// A trained model: immutable, shared by all threads.
#[derive(Debug)]
pub enum Model {
    Chars(Chars),
    Words(Words),
    MarkedWords(MarkedWords),
    Bpe(Box<Bpe>),
    WordPiece(Box<WordPiece>),
    Unigram(Box<Unigram>),
}

impl Model {
    /// Appends the ids of pieces. The tokens' bytes concatenate to the piece, or stand for what is unknown; never panics; the same answer
    /// from every implementation of a family.
    #[inline]
    pub fn segment(
        &self,
        pieces: &Pieces,
        chance: Option<&mut Chance>,
        scratch: &mut ModelScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        match self {
            Model::Chars(chars) => pieces.iter().try_for_each(|piece| chars.segment(piece.text, ids)),
            Model::Words(words) => pieces.iter().try_for_each(|piece| words.segment(piece.text, ids)),
            Model::MarkedWords(words) => {
                pieces.iter().for_each(|piece| words.segment(piece.text, ids, |_| {}));
                Ok(())
            }
            Model::Bpe(bpe) => {
                refuse_giants(pieces)?;
                refuse_unknown(bpe, pieces)?;
                match chance.and_then(Chance::dropout) {
                    Some(dropout) => bpe.segment_dropping(pieces.spans.bytes(), dropout, &mut scratch.bpe, ids),
                    None => bpe.segment(pieces.spans.bytes(), &mut scratch.bpe, ids),
                }
                Ok(())
            }
            Model::WordPiece(model) => model.segment(pieces.spans, &mut scratch.remembered, ids),
            Model::Unigram(unigram) => {
                refuse_giants(pieces)?;
                match chance.and_then(Chance::rows) {
                    Some(rows) => unigram.segment_at_random(pieces.spans, rows, &mut scratch.unigram, ids),
                    None => unigram.segment(pieces.spans, &mut scratch.unigram, ids),
                }
            }
        }
    }

    /// The same for pieces that come one by one, with the place of each token in its piece.
    pub fn segment_placed(
        &self,
        piece: &Pieces,
        chance: Option<&mut Chance>,
        scratch: &mut ModelScratch,
        ids: &mut Vec<TokenId>,
        spans: &mut Vec<PieceSpan>,
    ) -> Result<()> {
        let text = piece.iter().next().map_or("", |piece| piece.text);
        match self {
            Model::Chars(_) => {
                self.segment(piece, chance, scratch, ids)?;
                spans_of(text.len(), text.chars().map(char::len_utf8), spans);
            }
            Model::Words(_) => {
                self.segment(piece, chance, scratch, ids)?;
                spans.push(PieceSpan::Inside(Span::new(0, text.len())));
            }
            Model::MarkedWords(words) => words.segment(text, ids, |span| spans.push(span)),
            Model::Bpe(bpe) => {
                refuse_giants(piece)?;
                refuse_unknown(bpe, piece)?;
                bpe.segment_placed(text.as_bytes(), chance.and_then(Chance::dropout), &mut scratch.bpe, ids, spans);
            }
            Model::Unigram(unigram) => {
                refuse_giants(piece)?;
                unigram.segment_placed(text, chance.and_then(Chance::rows), &mut scratch.unigram, ids, spans)?;
            }
            Model::WordPiece(model) => model.segment_placed(text, &mut scratch.remembered, ids, spans)?,
        }
        Ok(())
    }

    /// Whether a model that was made for one outline is the same for another, in which the model itself is the same.
    pub fn stands(&self, made_for: &Outline, other: &Outline) -> bool {
        match self {
            // What was worked out ahead of time depends on what becomes of a word before it comes here.
            Model::Bpe(bpe) => {
                !bpe.looks_at_stages()
                    || made_for.normalizer == other.normalizer && made_for.pretokenizer == other.pretokenizer
            }
            Model::MarkedWords(_) => made_for.added == other.added,
            Model::Chars(_) | Model::Words(_) | Model::WordPiece(_) | Model::Unigram(_) => true,
        }
    }

    /// Whether a piece may be cut anywhere with the same ids for both parts as for the whole.
    pub fn is_indifferent_to_cuts(&self) -> bool {
        matches!(self, Model::Chars(_))
    }
}

/// A family whose pieces may be met as stretches of the text as it came.
pub(crate) trait PieceModel {
    /// Pieces that are tokens, and that BERT's normalizer and splitter leave as they are.
    fn known(&self) -> &memo::KnownWords;

    /// Appends the ids of a piece.
    fn compute(&self, piece: &[u8], ids: &mut Vec<TokenId>) -> Result<()>;

    /// The same with their places in it.
    fn compute_placed(&self, piece: &str, ids: &mut Vec<TokenId>, spans: &mut Vec<PieceSpan>) -> Result<()>;

    /// Calls `each` with the number of bytes that each token of a piece covers, given ids of which the first are its own; gives their
    /// number. Not where the unknown token is a word.
    fn widths(&self, piece: &[u8], ids: &[TokenId], each: impl FnMut(usize)) -> usize;

    /// Whether a word may begin with the text of the unknown token, so that the id does not tell whether it is unknown.
    fn unk_is_a_word(&self) -> bool;
}

/// Positions in a piece of byte-pair encoding and of Unigram are 32 bits wide.
#[inline]
fn refuse_giants(pieces: &Pieces) -> Result<()> {
    let is_giant = |piece: &str| piece.len() >= u32::MAX as usize;
    if pieces.spans.text.len() >= u32::MAX as usize && pieces.spans.iter().any(is_giant) {
        return Err(Error::Spec("a piece of 4 GiB or more cannot be encoded; split the text".into()));
    }
    Ok(())
}

/// Byte-pair encoding itself cannot fail, so what it would leave out is found before.
#[inline]
pub(crate) fn refuse_unknown(bpe: &Bpe, pieces: &Pieces) -> Result<()> {
    match bpe.refused(pieces.spans.bytes()) {
        Some(unit) => unknown(None, &unit).map(drop),
        None => Ok(()),
    }
}

/// The place of a token in its piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceSpan {
    Inside(Span),
    /// Past the end: the bytes that a token stands for need not be all of the text. The library gives such a place as it is, and so do we.
    Beyond(Span),
}

impl PieceSpan {
    pub fn span(self) -> Span {
        match self {
            PieceSpan::Inside(span) | PieceSpan::Beyond(span) => span,
        }
    }
}

/// The places of tokens that follow one another.
fn spans_of(length: usize, widths: impl Iterator<Item = usize>, spans: &mut Vec<PieceSpan>) {
    let mut at = 0;
    for width in widths {
        // A damaged file may hold tokens that do not fit together; they must not lead out of the piece.
        let end = (at + width).min(length);
        spans.push(PieceSpan::Inside(Span::new(at, end)));
        at = end;
    }
}

/// The id for a piece that is not in the vocabulary.
#[cold]
fn unknown(unk: Option<TokenId>, piece: &str) -> Result<TokenId> {
    unk.ok_or_else(|| Error::UnknownPiece { what: "the text".into(), piece: piece.to_string() })
}
