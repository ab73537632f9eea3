//! Pipeline: the stages before the model, shared by encoding and training. Text → special tokens and pieces.

use std::collections::HashMap;

use crate::decode::Decoder;
use crate::definition::Outline;
use crate::error::{Error, Result};
use crate::normalize::{Normalized, Normalizer};
use crate::pretokenize::code::Event;
use crate::pretokenize::gpt::GptSplitter;
use crate::pretokenize::pieces::Pieces;
use crate::pretokenize::runs::Borders;
use crate::pretokenize::stretches::Stretches;
use crate::pretokenize::{PreTokenizer, Splitter};
use crate::specials::{Choice, Policy, Specials, Stage, Symbols};
use crate::text::span::Span;
use crate::vocab::TokenId;

#[derive(Debug)]
pub struct Pipeline {
    pub specials: Specials,
    normalizer: Option<Normalizer>,
    splitter: Option<Splitter>,
    stretches: Option<Stretches>,
    /// The ids of the tokens that the splitter puts.
    reserved: Vec<Option<TokenId>>,
}

/// What a text is made of.
pub enum Part<'a> {
    /// An added token, its place in the original text, and how it stands where it was found.
    Special(TokenId, Span, &'a str),
    Pieces(Pieces<'a>),
}

/// What a text is made of before anything is normalized.
pub enum Raw<'a> {
    Special(TokenId, Span),
    /// As many as are found at a time, in a part of the text that starts at `at`.
    Stretches {
        text: &'a str,
        at: usize,
        starts: &'a [usize],
        ends: &'a [usize],
    },
}

impl Pipeline {
    pub fn new(outline: &Outline) -> Result<Self> {
        let normalizer = outline.normalizer.clone();
        let mut specials = Specials::new(outline.added.clone(), normalizer.as_ref(), outline.specials)?;
        if let (Decoder::SentencePiece(how), Some(Normalizer::SentencePiece(stages))) = (&outline.decoder, &normalizer)
        {
            specials = specials.with_symbols(Symbols::new(how.unk.clone(), stages.rules().kept.clone())?);
        }
        Ok(Pipeline {
            specials,
            splitter: outline.pretokenizer.as_ref().map(Splitter::new).transpose()?,
            stretches: Stretches::new(normalizer.as_ref(), outline.pretokenizer.as_ref()),
            reserved: reserved_ids(outline),
            normalizer,
        })
    }

    pub fn normalizer(&self) -> Option<&Normalizer> {
        self.normalizer.as_ref()
    }

    /// What splits a text, if that is all there is.
    pub fn gpt(&self) -> Option<&GptSplitter> {
        match &self.splitter {
            Some(Splitter::Gpt(gpt)) => Some(gpt),
            _ => None,
        }
    }

    /// Special tokens, then normalize, then the added tokens of the normalized text, then split.
    #[inline]
    pub fn run(
        &self,
        text: &str,
        choice: &Choice,
        spans: bool,
        borders: &mut Borders,
        mut each: impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        self.specials.split(choice, Stage::Raw, text, |id, span| match id {
            Some(id) => each(Part::Special(id, span, &text[span.range()])),
            None => {
                let raw = &text[span.range()];
                let rewrites = self.rewriter().is_some();
                let tracked =
                    self.rewriter().is_some_and(|splitter| splitter.needs_alignment(self.normalizer.is_some()));
                let normalized = match &self.normalizer {
                    Some(normalizer) => normalizer.normalize(raw, spans || tracked),
                    None => Normalized::new(raw, rewrites && spans || tracked),
                };
                let run = self.run_normalized(&normalized, span.start, choice, borders, &mut each);
                run.map_err(|error| self.found_in_original(error, raw, span.start))
            }
        })
    }

    /// The error of a token that was found in normalized text, with its place in the original one, of which `raw` is the part at `start`.
    #[cold]
    fn found_in_original(&self, error: Error, raw: &str, start: usize) -> Error {
        let Error::SpecialInText { what, token, offset } = error else { return error };
        let at = offset as usize;
        let offset = match &self.normalizer {
            Some(normalizer) => normalizer.normalize(raw, true).original(Span::new(at, at + 1)).start,
            None => at,
        };
        Error::SpecialInText { what, token, offset: (start + offset) as u64 }
    }

    /// The stretches that can be encoded by themselves, unless a call looks for tokens in normalized text.
    #[inline]
    pub fn stretches(&self, choice: &Choice) -> Option<&Stretches> {
        self.stretches.as_ref().filter(|_| !self.specials.looks_into_normalized(choice))
    }

    /// Special tokens, and the stretches between them.
    #[inline]
    pub fn run_stretches(
        &self,
        stretches: &Stretches,
        text: &str,
        choice: &Choice,
        borders: &mut Borders,
        mut each: impl FnMut(Raw) -> Result<()>,
    ) -> Result<()> {
        self.specials.split(choice, Stage::Raw, text, |id, span| match id {
            Some(id) => each(Raw::Special(id, span)),
            None => {
                let part = &text[span.range()];
                stretches.split(part, borders, |starts, ends| {
                    each(Raw::Stretches { text: part, at: span.start, starts, ends })
                })
            }
        })
    }

    /// The pieces of a stretch that starts at `offset`.
    pub fn run_stretch(
        &self,
        stretch: &str,
        offset: usize,
        spans: bool,
        borders: &mut Borders,
        each: &mut impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        let normalized = match &self.normalizer {
            Some(normalizer) => normalizer.normalize(stretch, spans),
            None => Normalized::new(stretch, false),
        };
        // Stretches are taken only where nothing is looked for in normalized text.
        self.run_normalized(&normalized, offset, &Choice::Policy(Policy::None), borders, each)
    }

    #[inline]
    fn run_normalized(
        &self,
        normalized: &Normalized,
        offset: usize,
        choice: &Choice,
        borders: &mut Borders,
        each: &mut impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        let text = normalized.text();
        self.specials.split(choice, Stage::Normalized, text, |id, part| {
            if let Some(id) = id {
                let original = normalized.original(part).shifted(offset);
                return each(Part::Special(id, original, &text[part.range()]));
            }
            if let Some(splitter) = self.rewriter() {
                return Self::run_rewritten(splitter, normalized, part, offset, borders, each);
            }
            let (text, at) = (&text[part.range()], part.start);
            if let Some(Splitter::Code(code)) = &self.splitter {
                return code.events(text, &self.reserved, borders, &mut |event| match event {
                    Event::Pieces(starts, ends) => {
                        each(Part::Pieces(Pieces { text, starts, ends, at, normalized, offset }))
                    }
                    Event::Reserved(id, span) => {
                        let content = self.specials.by_id(id).map_or("", |token| &token.content);
                        let original = normalized.original(span.shifted(at)).shifted(offset);
                        each(Part::Special(id, original, content))
                    }
                });
            }
            let mut pieces = |starts: &[usize], ends: &[usize]| {
                each(Part::Pieces(Pieces { text, starts, ends, at, normalized, offset }))
            };
            match &self.splitter {
                Some(splitter) => splitter.split_together(text, borders, pieces),
                None if text.is_empty() => Ok(()),
                None => pieces(&[0], &[text.len()]),
            }
        })
    }

    /// The splitter, if it changes the text of pieces.
    fn rewriter(&self) -> Option<&Splitter> {
        self.splitter.as_ref().filter(|splitter| splitter.rewrites())
    }

    fn run_rewritten(
        splitter: &Splitter,
        normalized: &Normalized,
        part: Span,
        offset: usize,
        borders: &mut Borders,
        each: &mut impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        // Where track was kept, what was put there by a normalizer begins where that began which it stands for.
        let at_start = offset == 0 && (part.start == 0 || normalized.is_aligned());
        let (rewritten, pieces) = splitter.rewrite(normalized.slice(part), at_start, borders)?;
        let (starts, ends): (Vec<usize>, Vec<usize>) = pieces.iter().map(|span| (span.start, span.end)).unzip();
        let text = rewritten.text();
        each(Part::Pieces(Pieces { text, starts: &starts, ends: &ends, at: 0, normalized: &rewritten, offset }))
    }

    /// The last position at which `text` may be cut, with the same parts on both sides as in the whole, whatever follows the text.
    /// `anywhere`: the model sees no difference between one piece and two.
    pub fn last_cut(&self, text: &str, anywhere: bool) -> Option<usize> {
        if !self.normalizer.as_ref().is_none_or(Normalizer::is_local) {
            return None;
        }
        let anywhere = anywhere && self.splitter.as_ref().is_none_or(Splitter::takes_each_alone);
        // A special token that begins in this text may end in the next.
        let last = text.len().checked_sub(1 + self.specials.longest())?;
        let mut ends = text[..text.floor_char_boundary(last)].char_indices().rev();
        ends.find_map(|(start, left)| {
            let at = start + left.len_utf8();
            let mut behind = text[at..].chars();
            let (right, after) = (behind.next()?, behind.next());
            let clear = || !self.specials.may_hold(right) && !self.specials.spans(text.as_bytes(), at);
            (self.may_cut(left, right, after, anywhere) && clear()).then_some(at)
        })
    }

    fn may_cut(&self, left: char, right: char, after: Option<char>, anywhere: bool) -> bool {
        // Normalizers change other characters, and what comes of them may depend on their neighbours; on these nothing depends,
        let plain = |c: char| matches!(c, '\n' | ' '..='~');
        // as long as no mark follows that makes one character with them, which none does with white space.
        let settled = matches!(right, ' ' | '\n') || plain(right) && after.is_some_and(plain);
        let separates = |left, right| self.splitter.as_ref().is_some_and(|splitter| splitter.separates(left, right));
        match &self.normalizer {
            None => anywhere || separates(left, right),
            Some(_) if !settled => false,
            Some(_) if plain(left) => anywhere || separates(left, right),
            // Whatever comes of the character to the left, the one to the right belongs to no piece.
            Some(_) => anywhere || self.splitter.as_ref().is_some_and(|splitter| splitter.drops(right)),
        }
    }
}

fn reserved_ids(outline: &Outline) -> Vec<Option<TokenId>> {
    let put = outline.added.iter().filter(|token| token.stands_for.is_some());
    let ids: HashMap<&str, TokenId> = put.map(|token| (token.content.as_str(), token.id)).collect();
    let tokens = outline.pretokenizer.iter().flat_map(PreTokenizer::reserved);
    tokens.map(|token| ids.get(token.content.as_str()).copied()).collect()
}
