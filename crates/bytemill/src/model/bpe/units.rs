//! The symbols that a piece starts as, where these are not simply its bytes: characters or bytes, those at the ends of a piece marked by a
//! prefix or suffix, and what stands for those that are no tokens.
//!
//! Widths are those of the text as the `tokenizers` library sees it, so that offsets are the library's: there, byte-level text is written in
//! the alphabet, a dropped character leaves no gap, and a token `<0xHH>` is one byte wide.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::definition::{Outline, SentencePieceModel, Unit};
use crate::error::{Error, Result};
use crate::model::PieceSpan;
use crate::model::byte_tokens::ByteTokens;
use crate::model::code_points::{CodePoints, single_character};
use crate::model::cuts::Cuts;
use crate::normalize::MARK;
use crate::text::byte_alphabet::{char_of, to_alphabet};
use crate::text::search::search_for;
use crate::text::span::Span;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

#[derive(Debug)]
pub(super) struct MergeUnits {
    vocab: Arc<Vocab>,
    known: Known,
    /// What the vocabulary has before all units but the first, and after the last.
    prefix: Vec<u8>,
    suffix: Vec<u8>,
    /// The unit that follows the last one of every piece, and its text.
    end: Option<(TokenId, Vec<u8>)>,
    unk: Option<TokenId>,
    fuse_unk: bool,
    /// Where they stand in for what is no token.
    fallback: Option<ByteTokens>,
    /// The same where all of them are there.
    every_byte: Option<Box<[TokenId; 256]>>,
    /// In SentencePiece, the user's own symbols, which are units wherever they stand.
    own: Option<Own>,
    /// In SentencePiece, the last of the bytes of a character stands for all of it, the others for nothing.
    last_byte_wide: bool,
    /// Whether text that nothing stands for is an error, and not left out.
    refuse_unknown: bool,
}

#[derive(Debug)]
struct Own {
    matcher: AhoCorasick,
    ids: Vec<TokenId>,
    /// Whether there are spaces in them, or marks of spaces.
    with_spaces: bool,
}

impl Own {
    fn new(vocab: &Vocab, model: &SentencePieceModel) -> Result<Option<Self>> {
        let ids = model.user_defined.clone();
        let texts: Vec<&[u8]> = ids.iter().map(|&id| vocab.token(id).unwrap_or_default()).collect();
        let matcher = search_for(&texts, MatchKind::LeftmostLongest)?;
        let has_space = |text: &[u8]| memchr::memmem::find(text, MARK.as_bytes()).is_some() || text.contains(&b' ');
        let with_spaces = texts.into_iter().any(has_space);
        Ok((!ids.is_empty()).then_some(Own { matcher, ids, with_spaces }))
    }
}

/// The units that are tokens.
#[derive(Debug)]
enum Known {
    /// Each byte inside a piece, at its start, at its end, and alone.
    Bytes(Box<[[Option<TokenId>; 256]; 4]>),
    /// The characters inside a piece; those at its ends are looked up.
    Characters(CodePoints),
}

impl MergeUnits {
    pub(super) fn new(vocab: Arc<Vocab>, outline: &Outline) -> Result<Self> {
        let Outline { symbols, unk, sentencepiece, .. } = outline;
        let (prefix, mut suffix) = (symbols.prefix.as_bytes().to_vec(), symbols.suffix.as_bytes().to_vec());
        let end = symbols.suffix_is_unit.then(|| std::mem::take(&mut suffix));
        let end = end.map(|text| end_unit(&vocab, text)).transpose()?;
        let known = match symbols.unit {
            Unit::Bytes => {
                let id = |at: usize, byte: u8| {
                    let (first, last) = (at & 1 != 0, at & 2 != 0);
                    vocab.id(&marked(&[byte], if first { b"" } else { &prefix }, if last { &suffix } else { b"" }))
                };
                let ids = |at| std::array::from_fn(|byte| id(at, byte as u8));
                Known::Bytes(Box::new(std::array::from_fn(ids)))
            }
            Unit::Characters => {
                let mut inner = CodePoints::default();
                let bare = |token| single_character(<[u8]>::strip_prefix(token, prefix.as_slice())?);
                // In SentencePiece the unknown token stands for unknown text alone, even where its own name is a character of the text.
                let named = |id| sentencepiece.is_none() || Some(id) != *unk;
                let tokens = vocab.tokens().filter(|&(id, _)| named(id));
                tokens.filter_map(|(id, token)| Some((id, bare(token)?))).for_each(|(id, c)| inner.insert(c, id));
                Known::Characters(inner)
            }
        };
        let fallback = ByteTokens::of(&vocab, symbols);
        let every_byte = fallback.as_ref().and_then(ByteTokens::complete);
        let own = sentencepiece.as_ref().map(|model| Own::new(&vocab, model)).transpose()?.flatten();
        let (fuse_unk, last_byte_wide) = (symbols.fuse_unk, sentencepiece.is_some());
        let refuse_unknown = symbols.refuse_unknown && unk.is_none() && every_byte.is_none();
        let unk = *unk;
        Ok(MergeUnits {
            known,
            prefix,
            suffix,
            end,
            unk,
            fuse_unk,
            fallback,
            every_byte,
            own,
            last_byte_wide,
            refuse_unknown,
            vocab,
        })
    }

    pub(super) fn refuse_unknown(&self) -> bool {
        self.refuse_unknown
    }

    /// The first unit of a piece that nothing stands for: a character, or a byte that is no token.
    pub(super) fn unknown(&self, piece: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(piece);
        let mut at = 0;
        text.chars().find_map(|c| {
            let unit = &piece[at..(at + c.len_utf8()).min(piece.len())];
            let (first, last) = (at == 0, at + unit.len() == piece.len());
            at += unit.len();
            (!self.is_known(c, unit, first, last)).then(|| c.to_string())
        })
    }

    fn is_known(&self, c: char, unit: &[u8], first: bool, last: bool) -> bool {
        match &self.known {
            Known::Bytes(ids) => unit.iter().enumerate().all(|(i, &byte)| {
                let (first, last) = (first && i == 0, last && i + 1 == unit.len());
                ids[usize::from(first) | usize::from(last) << 1][usize::from(byte)].is_some()
            }),
            Known::Characters(_) => self.vocab.id(&self.written(c, first, last)).is_some(),
        }
    }

    /// Gives the symbols of a piece, each with its width.
    pub(super) fn start(&self, piece: &[u8], mut give: impl FnMut(TokenId, u32)) {
        let mut unknown = None;
        match &self.known {
            Known::Bytes(ids) => {
                for (i, &byte) in piece.iter().enumerate() {
                    let (first, last) = (i == 0, i + 1 == piece.len());
                    let found = ids[usize::from(first) | usize::from(last) << 1][usize::from(byte)];
                    let written = || self.written(char_of(byte), first, last);
                    self.place(found, char_of(byte).len_utf8(), written, &mut unknown, &mut give);
                }
            }
            Known::Characters(inner) => {
                // What comes from a text is UTF-8; a token of a vocabulary need not be.
                let text = std::str::from_utf8(piece).unwrap_or_default();
                if self.own.is_none() && self.prefix.is_empty() && self.suffix.is_empty() {
                    for c in text.chars() {
                        let written = || c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
                        self.place(inner.get(c), c.len_utf8(), written, &mut unknown, &mut give);
                    }
                    return self.finish(unknown, give);
                }
                let mut own = self.own.iter().flat_map(|own| own.matcher.find_iter(text)).peekable();
                let mut done = 0;
                for (at, c) in text.char_indices() {
                    if at < done {
                        continue;
                    }
                    if let (Some(found), Some(own)) = (own.next_if(|found| found.start() == at), &self.own) {
                        done = found.end();
                        let id = own.ids[found.pattern().as_usize()];
                        self.place(Some(id), found.len(), Vec::new, &mut unknown, &mut give);
                        continue;
                    }
                    let (first, last) = (at == 0, at + c.len_utf8() == text.len());
                    let is_inner = (!first || self.prefix.is_empty()) && (!last || self.suffix.is_empty());
                    let written = || self.written(c, first, last);
                    let found = if is_inner { inner.get(c) } else { self.vocab.id(&written()) };
                    self.place(found, c.len_utf8(), written, &mut unknown, &mut give);
                }
            }
        }
        self.finish(unknown, give);
    }

    /// An unknown token that waits, and the end of the piece.
    fn finish(&self, unknown: Option<(TokenId, u32)>, mut give: impl FnMut(TokenId, u32)) {
        if let Some((unk, width)) = unknown {
            give(unk, width);
        }
        if let Some((end, _)) = self.end {
            give(end, 0);
        }
    }

    fn is_marked(&self) -> bool {
        !self.prefix.is_empty() || !self.suffix.is_empty() || self.end.is_some()
    }

    /// The token that a character starts as wherever it stands, if it always is one and no symbol of the user's own begins with it.
    pub(super) fn single(&self, c: char) -> Option<TokenId> {
        let begins_own = self.own_symbols().any(|symbol| symbol.starts_with(c.encode_utf8(&mut [0; 4]).as_bytes()));
        match &self.known {
            Known::Characters(inner) if !begins_own && !self.is_marked() => inner.get(c),
            _ => None,
        }
    }

    /// The user's own symbols, which are units wherever they stand.
    fn own_symbols(&self) -> impl Iterator<Item = &[u8]> {
        self.own.iter().flat_map(|own| &own.ids).filter_map(|&id| self.vocab.token(id))
    }

    pub(super) fn has_own(&self) -> bool {
        self.own.is_some()
    }

    /// Whether one of these may be in a text whose spaces become marks.
    pub(super) fn may_hold_own(&self, text: &str) -> bool {
        self.own.as_ref().is_some_and(|own| own.with_spaces || own.matcher.is_match(text))
    }

    /// Appends the ids of a character that is a piece by itself, if it is a token or becomes its bytes.
    #[inline]
    pub(super) fn alone(&self, c: char, bytes: &[u8], ids: &mut Vec<TokenId>) -> bool {
        let Known::Characters(inner) = &self.known else { return false };
        if let Some(id) = inner.get(c) {
            ids.push(id);
            return true;
        }
        let Some(tokens) = &self.every_byte else { return false };
        ids.extend(bytes.iter().map(|&byte| tokens[usize::from(byte)]));
        true
    }

    /// The same of all characters of three bytes that a text begins with, where every one is a token or becomes its bytes. Gives the length
    /// of these.
    #[inline]
    pub(super) fn alone_run(&self, text: &[u8], ids: &mut Vec<TokenId>) -> usize {
        let (Known::Characters(inner), Some(tokens)) = (&self.known, &self.every_byte) else { return 0 };
        ids.reserve(text.len());
        let from = ids.len();
        let room = ids.spare_capacity_mut().as_mut_ptr().cast::<TokenId>();
        let mut used = 0;
        let (characters, _) = text.as_chunks::<3>();
        let characters = characters.iter().take_while(|[first, ..]| first >> 4 == 0xE);
        let count = characters.fold(0, |count, bytes| {
            let &[first, second, third] = bytes;
            let code = u16::from(first & 0x0F) << 12 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F);
            match inner.get_basic(code) {
                Some(id) => {
                    // SAFETY: there is room for as many ids as bytes.
                    unsafe { room.add(used).write(id) };
                    used += 1;
                }
                None => {
                    // SAFETY: the same.
                    unsafe { room.add(used).cast::<[TokenId; 3]>().write(bytes.map(|byte| tokens[usize::from(byte)])) };
                    used += 3;
                }
            }
            count + 1
        });
        // SAFETY: `used` ids are written.
        unsafe { ids.set_len(from + used) };
        3 * count
    }

    /// One unit: its token, else its bytes, else an unknown token, which waits for those it may be fused with. Bytes go before an unknown
    /// token that waits, as in the library.
    fn place(
        &self,
        found: Option<TokenId>,
        width: usize,
        written: impl FnOnce() -> Vec<u8>,
        unknown: &mut Option<(TokenId, u32)>,
        give: &mut impl FnMut(TokenId, u32),
    ) {
        let width = width as u32;
        if let Some(id) = found {
            if let Some((unk, width)) = unknown.take() {
                give(unk, width);
            }
            return give(id, width);
        }
        let bytes = self.fallback.as_ref().and_then(|tokens| Some(tokens.all(&written())?.collect::<Vec<_>>()));
        match (bytes, self.unk, unknown.take()) {
            (Some(bytes), _, waiting) => {
                let each = if self.last_byte_wide { 0 } else { 1 };
                let last = if self.last_byte_wide { width } else { 1 };
                for (left, id) in (0..bytes.len()).rev().zip(bytes) {
                    give(id, if left == 0 { last } else { each });
                }
                *unknown = waiting;
            }
            (None, Some(unk), Some((_, before))) if self.fuse_unk => *unknown = Some((unk, before + width)),
            (None, Some(unk), waiting) => {
                if let Some((unk, width)) = waiting {
                    give(unk, width);
                }
                *unknown = Some((unk, width));
            }
            (None, None, _) => {}
        }
    }

    /// A unit as a file writes it.
    fn written(&self, c: char, first: bool, last: bool) -> Vec<u8> {
        let (prefix, suffix) = match self.known {
            Known::Bytes(_) => (to_alphabet(&self.prefix).into_bytes(), to_alphabet(&self.suffix).into_bytes()),
            Known::Characters(_) => (self.prefix.clone(), self.suffix.clone()),
        };
        let c = c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
        marked(&c, if first { b"" } else { &prefix }, if last { &suffix } else { b"" })
    }

    /// The places in a piece of tokens that follow one another, by their widths.
    pub(super) fn spans(&self, piece: &[u8], widths: impl Iterator<Item = u32>, spans: &mut Vec<PieceSpan>) {
        // The byte of the piece for each byte of the text as the library sees it, where the two differ.
        let seen: Option<Vec<usize>> = match self.known {
            Known::Characters(_) => None,
            Known::Bytes(_) => {
                let each = piece.iter().enumerate();
                Some(each.flat_map(|(i, &byte)| std::iter::repeat_n(i, char_of(byte).len_utf8())).collect())
            }
        };
        let length = seen.as_ref().map_or(piece.len(), Vec::len);
        let mut start = 0;
        for width in widths {
            let end = start + width as usize;
            spans.push(match &seen {
                _ if end > length => PieceSpan::Beyond(Span::new(start, end)),
                Some(seen) if start == end => {
                    let at = seen.get(start).copied().unwrap_or(piece.len());
                    PieceSpan::Inside(Span::new(at, at))
                }
                Some(seen) => PieceSpan::Inside(Span::new(seen[start], seen[end - 1] + 1)),
                None => PieceSpan::Inside(Span::new(start, end)),
            });
            start = end;
        }
    }

    /// Whether two units side by side that are no tokens may be parted, with the same ids for both as for the two.
    fn parts_unknown(&self) -> bool {
        self.knows_bytes() || self.fallback.is_none() && !self.fuse_unk
    }

    /// Whether every unit that is no token becomes its bytes.
    fn knows_bytes(&self) -> bool {
        self.every_byte.is_some()
    }

    /// Where a piece may be cut because no token that merges make lies across; and none of the user's own symbols, unless it has none.
    pub(super) fn cuts(&self, merges: &Merges, has_own: bool) -> Option<Cuts> {
        // What is dropped leaves its neighbours side by side.
        if self.unk.is_none() && !self.knows_bytes() {
            return None;
        }
        // A merge of tokens that stand in for other text does not tell which characters it joins.
        let mut stands_in = vec![false; self.vocab.len()];
        let instead = self.fallback.iter().flat_map(|tokens| tokens.iter().map(|(_, id)| id)).chain(self.unk);
        instead.for_each(|id| stands_in.iter_mut().skip(id as usize).take(1).for_each(|stands| *stands = true));
        if merges.pairs().iter().any(|&(left, right)| stands_in[left as usize] || stands_in[right as usize]) {
            return None;
        }
        let made = merges.view().made.iter().filter_map(|&id| self.vocab.token(id));
        let own = self.own_symbols().filter(|_| has_own);
        match &self.known {
            Known::Characters(inner) if !self.is_marked() => {
                Some(Cuts::new(made.chain(own), (!self.parts_unknown()).then(|| inner.clone())))
            }
            _ => None,
        }
    }

    /// The piece that a token most likely comes from: itself without its marks.
    pub(super) fn bare<'a>(&self, token: &'a [u8]) -> &'a [u8] {
        let suffix = self.end.as_ref().map_or(&self.suffix, |(_, text)| text);
        token.strip_suffix(suffix.as_slice()).unwrap_or(token)
    }
}

fn end_unit(vocab: &Vocab, text: Vec<u8>) -> Result<(TokenId, Vec<u8>)> {
    match vocab.id(&text) {
        Some(id) => Ok((id, text)),
        None => {
            let text = String::from_utf8_lossy(&text);
            Err(Error::Spec(format!("words end with the symbol {text:?}, and the vocabulary has no such token")))
        }
    }
}

fn marked(unit: &[u8], prefix: &[u8], suffix: &[u8]) -> Vec<u8> {
    [prefix, unit, suffix].concat()
}
