//! Byte-pair encoding: a piece starts as its bytes, and the pair of the lowest rank becomes one token, leftmost first, until no pair has a
//! rank. `naive` says it in a dozen lines; `linear` and `heap` do it for short and long pieces.

mod any_bytes;
mod byte_cuts;
pub(crate) mod concatenations;
mod derivations;
mod dropout;
mod heap;
mod linear;
#[cfg(test)]
mod naive;
mod pairs;
mod spaced;
#[cfg(test)]
mod tests;
mod trace;
mod units;
mod unused;
mod windows;
mod words;

use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::PieceSpan;
use super::cuts::{Cuts, Part, WaitingWords};
use super::memo::{GROUP, KnownWords, Remembered, SharedMemory};
use crate::definition::{Merging, Outline, Unit};
use crate::error::{Error, Result};
use crate::model::text_ends::TextEnds;
use crate::text::short_key as key;
use crate::text::span::{Span, Spans};
use crate::vocab::{TokenId, Vocab};

use crate::vocab::merges::{Merges, MergesView};
use byte_cuts::ByteCuts;
pub(crate) use dropout::Dropout;
use heap::Heap;
use pairs::{Ends, Pairs};
use spaced::Spaced;
pub use trace::Trace;
use units::MergeUnits;
use unused::{Parts, Unused};
use windows::Windows;

/// New pieces that are not ASCII, from which number on to look where they may be cut: finding that out takes as long as merging this many.
const WORTH_CUTTING: usize = if cfg!(test) { 1 } else { 2000 };

#[derive(Debug)]
pub struct Bpe {
    vocab: Arc<Vocab>,
    merges: Arc<Merges>,
    /// The token of each byte, where a piece starts as its bytes and each is a token, so that every text has ids.
    bytes: [TokenId; 256],
    /// What is known of every pair of bytes, in that case; made when the first piece is merged.
    pairs: OnceLock<Pairs>,
    /// Where a piece starts otherwise.
    units: Option<Box<MergeUnits>>,
    /// In SentencePiece, tokens that are made and not given.
    unused: Option<Unused>,
    /// A piece that is a token is that token, even where the merges would not make it.
    whole_pieces: bool,
    /// What short tokens become as pieces; made when many pieces were new.
    words: OnceLock<KnownWords>,
    no_words: KnownWords,
    /// Whether merges are a list that pieces' bytes go through, so that how a token is made can be followed through it.
    is_list: bool,
    /// Where a piece may be cut because no merge lies across: of pieces that are whole texts nearly everything is remembered then.
    cuts: Option<Box<Cuts>>,
    /// The same of models that start from bytes, for pieces that are new; made when the first one comes.
    byte_cuts: OnceLock<ByteCuts>,
    /// What merges words as they stand in a text, where these may be taken one by one.
    spaced: Option<Box<Spaced>>,
}

/// What a worker keeps for this model.
#[derive(Debug, Default)]
pub struct BpeScratch {
    /// Pieces, or words as they stand in a text.
    remembered: Remembered,
    /// What those that were new have been cut into.
    parts: Remembered,
    work: MergeWork,
    /// A word that the stages have changed.
    buffer: String,
    /// The start of a text, with a space before it.
    pub spaced: String,
    /// Words and parts of a group that is not full yet.
    waiting: WaitingWords<GROUP>,
}

/// What merging one piece writes to.
#[derive(Debug, Default)]
struct MergeWork {
    /// Pieces that were new and not ASCII.
    foreign: usize,
    heap: Heap,
    windows: Windows,
    symbols: Vec<TokenId>,
    widths: Vec<u32>,
    parts: Parts,
    /// A part of a word with its marks.
    marked: Vec<u8>,
}

impl BpeScratch {
    pub fn join(&mut self, [pieces, parts]: &[Arc<SharedMemory>; 2]) {
        self.remembered.join(pieces);
        self.parts.join(parts);
    }
}

impl Bpe {
    pub fn new(vocab: Arc<Vocab>, merges: Arc<Merges>, outline: &Outline) -> Result<Self> {
        let symbols = &outline.symbols;
        let mut bytes = [0; 256];
        let mut missing = None;
        for (byte, id) in (0..=255u8).zip(&mut bytes) {
            match vocab.id(&[byte]) {
                Some(found) => *id = found,
                // These are in no UTF-8, and some vocabularies do without them.
                None if matches!(byte, 0xC0 | 0xC1 | 0xF5..) => {}
                None => missing = missing.or(Some(byte)),
            }
        }
        if let Some(byte) = missing.filter(|_| outline.merging == Merging::Concatenations) {
            return Err(Error::Spec(format!(
                "the vocabulary has no token for the byte 0x{byte:02x}, as this way of merging needs"
            )));
        }
        let plain = symbols.unit == Unit::Bytes && !symbols.are_marked();
        let units =
            (missing.is_some() || !plain).then(|| MergeUnits::new(vocab.clone(), outline).map(Box::new)).transpose()?;
        let whole_pieces = outline.whole_pieces;
        let unused = outline.sentencepiece.as_ref().and_then(|model| Unused::new(vocab.len(), model));
        let cuts =
            units.as_ref().filter(|_| unused.is_none()).and_then(|units| units.cuts(&merges, true)).map(Box::new);
        let by_words = units.as_ref().zip(cuts.as_ref()).filter(|_| !whole_pieces);
        let spaced =
            by_words.and_then(|(units, cuts)| Spaced::new(&vocab, units, &merges, cuts, outline)).map(Box::new);
        let is_list = outline.merging == Merging::Pairs && !merges.view().has_orders();
        let bpe = Bpe {
            pairs: OnceLock::new(),
            units,
            unused,
            cuts,
            byte_cuts: OnceLock::new(),
            spaced,
            whole_pieces,
            words: OnceLock::new(),
            no_words: KnownWords::default(),
            is_list,
            bytes,
            merges,
            vocab,
        };
        if bpe.spaced.is_some() {
            // The stages are asked what they leave as it is, and they are not at hand later.
            let with_spaces = bpe.short_spaced_tokens(outline).collect();
            bpe.words.get_or_init(|| bpe.make_words(with_spaces));
        }
        Ok(bpe)
    }

    /// Whether other stages around it might make it another: only where pieces start from something else than bytes.
    pub fn looks_at_stages(&self) -> bool {
        self.units.is_some()
    }

    /// A bit for each token, set for the short ones that their own text gives: what `words` would have to find out again.
    pub fn selves(&self) -> Vec<u64> {
        let mut bits = vec![0; self.vocab.len().div_ceil(64)];
        let (mut work, mut ids) = (MergeWork::default(), Vec::new());
        for (id, text) in self.short_tokens() {
            ids.clear();
            self.compute(&self.vocab.view().arena[text], &mut work, &mut ids);
            bits[id as usize / 64] |= u64::from(ids == [id]) << (id % 64);
        }
        bits
    }

    /// The tokens whose text, without the mark of its place in a piece, has a key; and where that text lies in the vocabulary's arena.
    fn short_tokens(&self) -> impl Iterator<Item = (TokenId, Range<usize>)> {
        let vocab = self.vocab.view();
        (0..vocab.ends.len() as TokenId).filter_map(move |id| {
            let span = vocab.span(id)?;
            let token = &vocab.arena[span.clone()];
            let text = self.units.as_ref().map_or(token, |units| units.bare(token));
            (1..=key::MOST_BYTES).contains(&text.len()).then(|| (id, span.start..span.start + text.len()))
        })
    }

    /// Appends the ids of pieces of a text.
    pub fn segment(&self, pieces: Spans<[u8]>, scratch: &mut BpeScratch, ids: &mut Vec<TokenId>) {
        let Some(cuts) = &self.cuts else {
            return self.segment_many(pieces, &mut TextEnds::none(), scratch, ids);
        };
        let BpeScratch { remembered, parts, work, .. } = scratch;
        // What words of a text become is not to be taken for what the stages make of a text.
        let remembered = if self.spaced.is_some() { parts } else { remembered };
        let mut segment = |parts: Spans<[u8]>, ids: &mut Vec<TokenId>| {
            let words = self.words_after(remembered.new_pieces());
            let Ok(()) = remembered.segment(parts, &mut TextEnds::none(), words, ids, |part, ids| {
                self.compute(part, work, ids);
                Ok::<_, Infallible>(())
            });
        };
        for piece in pieces.iter() {
            if self.whole_pieces
                && let Some(id) = self.vocab.id(piece)
            {
                ids.push(id);
                continue;
            }
            cuts.split::<GROUP>(piece, |part| match part {
                Part::Words(starts, ends) => segment(Spans::new(piece, starts, ends), ids),
                Part::Alone(start, end) => {
                    self.segment_alone(piece, start, end, ids, |start, end, ids| {
                        segment(Spans::new(piece, &[start], &[end]), ids);
                    });
                }
            });
        }
    }

    /// Whether it is pieces that are remembered, and not their parts; and no piece can be wrong.
    pub fn takes_many_texts(&self) -> bool {
        self.cuts.is_none() && self.refusing().is_none()
    }

    /// What knows the units of pieces, where unknown ones are an error.
    fn refusing(&self) -> Option<&MergeUnits> {
        self.units.as_deref().filter(|units| units.refuse_unknown())
    }

    /// The first thing in pieces that nothing stands for, where that is an error.
    #[inline]
    pub fn refused(&self, pieces: Spans<[u8]>) -> Option<String> {
        let units = self.refusing()?;
        pieces.iter().filter(|piece| !self.is_whole(piece)).find_map(|piece| units.unknown(piece))
    }

    /// Appends the ids of pieces of many texts.
    pub fn segment_many(
        &self,
        pieces: Spans<[u8]>,
        texts: &mut TextEnds,
        scratch: &mut BpeScratch,
        ids: &mut Vec<TokenId>,
    ) {
        let BpeScratch { remembered, parts, work, .. } = scratch;
        let words = self.words_after(remembered.new_pieces());
        let Ok(()) = remembered.segment(pieces, texts, words, ids, |piece, ids| {
            self.compute_by_parts(piece, parts, work, ids);
            Ok::<_, Infallible>(())
        });
    }

    /// A piece that is not remembered. One that is not ASCII is cut if possible: most words are new in a script for which the vocabulary
    /// has few tokens, and their parts are not.
    fn compute_by_parts(&self, piece: &[u8], parts: &mut Remembered, work: &mut MergeWork, ids: &mut Vec<TokenId>) {
        if self.units.is_some() || piece.is_ascii() || self.is_whole(piece) {
            return self.compute(piece, work, ids);
        }
        work.foreign += 1;
        if work.foreign < WORTH_CUTTING && self.byte_cuts.get().is_none() {
            return self.merge(piece, work, ids);
        }
        let cuts = self.byte_cuts.get_or_init(|| ByteCuts::new(self.vocab.tokens().map(|(_, token)| token)));
        // A part is no piece, and so no token where the merges do not make it.
        let nothing = KnownWords::default();
        let words = if self.whole_pieces { &nothing } else { self.words() };
        cuts.split(piece, |starts, ends| {
            if (starts, ends) == (&[0], &[piece.len()]) {
                return self.merge(piece, work, ids);
            }
            let Ok(()) =
                parts.segment(Spans::new(piece, starts, ends), &mut TextEnds::none(), words, ids, |part, ids| {
                    self.merge(part, work, ids);
                    Ok::<_, Infallible>(())
                });
        });
    }

    /// Whether a piece is a token for being one.
    fn is_whole(&self, piece: &[u8]) -> bool {
        self.whole_pieces && self.vocab.id(piece).is_some()
    }

    /// The algorithm, without remembering; of a piece, or of a part where pieces are cut.
    fn compute(&self, piece: &[u8], work: &mut MergeWork, ids: &mut Vec<TokenId>) {
        let whole = self.whole_pieces && self.cuts.is_none();
        match whole.then(|| self.vocab.id(piece)).flatten() {
            Some(id) => ids.push(id),
            None => self.merge(piece, work, ids),
        }
    }

    fn merge(&self, piece: &[u8], work: &mut MergeWork, ids: &mut Vec<TokenId>) {
        let merges: MergesView = self.merges.view();
        if self.unused.is_some() {
            self.start(piece, work);
            self.merge_started(work, None);
            return self.give(work, |id, _| ids.push(id));
        }
        if let Some(units) = &self.units {
            let MergeWork { heap, symbols, .. } = work;
            symbols.clear();
            units.start(piece, |id, _| symbols.push(id));
            merge(merges, symbols, heap);
            return ids.extend_from_slice(symbols);
        }
        if piece.len() <= linear::MOST {
            return self.merge_short(piece, ids);
        }
        let MergeWork { heap, symbols, windows, .. } = work;
        let merge_window = |window: &[u8], ids: &mut Vec<TokenId>| {
            if window.len() <= linear::MOST {
                return self.merge_short(window, ids);
            }
            symbols.clear();
            symbols.extend(window.iter().map(|&byte| self.bytes[usize::from(byte)]));
            heap.merge(merges, symbols);
            ids.extend_from_slice(symbols);
        };
        let vocab = self.vocab.view();
        let width = |id| vocab.span(id).map_or(0, |span| span.len());
        windows.merge(piece, linear::MOST, merge_window, width, ids);
    }

    /// At most as many bytes as `linear` takes.
    fn merge_short(&self, piece: &[u8], ids: &mut Vec<TokenId>) {
        let merges = self.merges.view();
        let pairs = self.pairs.get_or_init(|| {
            let vocab = self.vocab.view();
            Pairs::new(merges, &self.bytes, |id| {
                vocab.span(id).map_or(Ends::Short, |span| Ends::of(&vocab.arena[span]))
            })
        });
        linear::merge_bytes(merges, pairs, &self.bytes, piece, ids);
    }

    /// The ids of one piece with their places in it.
    pub fn segment_placed(
        &self,
        piece: &[u8],
        dropout: Option<&mut Dropout>,
        scratch: &mut BpeScratch,
        ids: &mut Vec<TokenId>,
        spans: &mut Vec<PieceSpan>,
    ) {
        let from = ids.len();
        let Some(units) = &self.units else {
            let ends = [piece.len()];
            let whole = Spans::new(piece, &[0], &ends);
            match dropout {
                Some(dropout) => self.segment_dropping(whole, dropout, scratch, ids),
                None => self.segment(whole, scratch, ids),
            }
            let widths = ids[from..].iter().map(|&id| self.vocab.token(id).map_or(0, <[u8]>::len));
            return super::spans_of(piece.len(), widths, spans);
        };
        let whole = self.whole_pieces && dropout.is_none();
        if let Some(id) = self.vocab.id(piece).filter(|_| whole) {
            ids.push(id);
            return spans.push(PieceSpan::Inside(Span::new(0, piece.len())));
        }
        let BpeScratch { work, .. } = scratch;
        self.start(piece, work);
        self.merge_started(work, dropout);
        let mut merged = Vec::with_capacity(work.symbols.len());
        self.give(work, |id, width| {
            ids.push(id);
            merged.push(width);
        });
        units.spans(piece, merged.into_iter(), spans);
    }

    /// The tokens of a piece that was started and merged, each with its width. Unused ones fall apart.
    fn give(&self, work: &MergeWork, mut give: impl FnMut(TokenId, u32)) {
        let MergeWork { heap, symbols, widths, parts, .. } = work;
        let mut starts = heap.starts().peekable();
        for &id in symbols {
            if parts.contains_key(&id) {
                starts.next();
                let width = |part| self.vocab.token(part).map_or(0, |token| token.len() as u32);
                unused::each(id, parts, |part| give(part, width(part)));
                continue;
            }
            let start = starts.next().unwrap_or_default();
            let end = starts.peek().copied().unwrap_or(widths.len());
            give(id, widths[start..end].iter().sum());
        }
    }

    /// The symbols of a piece, and their widths, before anything is merged.
    fn start(&self, piece: &[u8], work: &mut MergeWork) {
        let MergeWork { symbols, widths, .. } = work;
        symbols.clear();
        widths.clear();
        let mut give = |id, width| {
            symbols.push(id);
            widths.push(width);
        };
        match &self.units {
            Some(units) => units.start(piece, give),
            None => piece.iter().for_each(|&byte| give(self.bytes[usize::from(byte)], 1)),
        }
    }
}

/// In the way that suits their number.
fn merge(merges: MergesView, symbols: &mut Vec<TokenId>, heap: &mut Heap) {
    match symbols.len() {
        0 | 1 => {}
        2..=linear::MOST => linear::merge(merges, symbols),
        _ => heap.merge(merges, symbols),
    }
}
