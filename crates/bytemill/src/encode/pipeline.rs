//! Pipeline: the stages before the model, shared by encoding and training. Text → special tokens and pieces.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::call::Call;
use crate::decode::Decoder;
use crate::definition::Outline;
use crate::error::{Error, Result};
use crate::normalize::{Normalized, Normalizer};
use crate::pretokenize::code::{self, Event};
use crate::pretokenize::gpt::GptSplitter;
use crate::pretokenize::pieces::Pieces;
use crate::pretokenize::runs::Borders;
use crate::pretokenize::{PreTokenizer, Splitter};
use crate::specials::{Choice, Policy, RefusedSymbols, Specials, Stage};
use crate::text::span::{Span, Spans};
use crate::vocab::TokenId;

#[derive(Debug)]
pub struct Pipeline {
    pub specials: Specials,
    normalizer: Option<Normalizer>,
    splitter: Option<Splitter>,
    /// The ids of the tokens that the splitter puts.
    reserved: Vec<Option<TokenId>>,
    /// What the normalizer makes of each ASCII character by itself; made when somebody looks for a cut.
    normalized_ascii: OnceLock<Box<[char; 128]>>,
}

/// What a text is made of.
pub enum TextPart<'a> {
    /// An added token, its place in the original text, and how it stands where it was found.
    Special(TokenId, Span, &'a str),
    Pieces(Pieces<'a>),
}

/// Takes the parts. It is called once for many pieces, so that nothing is gained by compiling all that splits anew for each caller.
pub type Each<'a, E> = dyn FnMut(TextPart) -> Result<(), E> + 'a;

/// What a part of the text became, and where that part starts in the whole.
#[derive(Clone, Copy)]
struct NormalizedPart<'a> {
    normalized: &'a Normalized<'a>,
    offset: usize,
}

/// A part of the raw text between special tokens.
#[derive(Clone, Copy)]
pub struct RawPart<'a> {
    pub text: &'a str,
    /// Where it starts in the whole text.
    pub offset: usize,
    /// Whether anybody asks what a piece stands for in the whole text.
    pub spans: bool,
}

impl Pipeline {
    pub fn new(outline: &Outline) -> Result<Self> {
        let normalizer = outline.normalizer.clone();
        let mut specials = Specials::new(outline.added.clone(), normalizer.as_ref(), outline.specials)?;
        if let (Decoder::SentencePiece(how), Some(Normalizer::SentencePiece(stages))) = (&outline.decoder, &normalizer)
        {
            specials = specials.with_symbols(RefusedSymbols::new(how.unk.clone(), stages.rules().kept.clone())?);
        }
        Ok(Pipeline {
            specials,
            splitter: outline.pretokenizer.as_ref().map(Splitter::new).transpose()?,
            reserved: reserved_ids(outline)?,
            normalized_ascii: OnceLock::new(),
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
    pub fn run<E: From<Error>>(
        &self,
        text: &str,
        call: Call,
        spans: bool,
        borders: &mut Borders,
        each: &mut Each<E>,
    ) -> Result<(), E> {
        self.specials.split(call.choice, Stage::Raw, text, |id, span| match id {
            Some(id) => each(TextPart::Special(id, span, &text[span.range()])),
            None => {
                let part = RawPart { text: &text[span.range()], offset: span.start, spans };
                self.run_part(part, call, borders, each)
            }
        })
    }

    /// Refuses tokens that a call refuses and that stand in normalized text, with their place in the original one.
    #[cold]
    fn refuse_in_normalized(&self, part: RawPart, normalized: &Normalized, choice: &Choice) -> Result<()> {
        let refused = self.specials.split(choice, Stage::Normalized, normalized.text(), |_, _| Ok(()));
        refused.map_err(|error| match (error, &self.normalizer) {
            (Error::SpecialInText { what, token, offset }, Some(normalizer)) => {
                let at = offset as usize;
                let original = normalizer.normalize(part.text, true).original(Span::new(at, at + 1));
                Error::SpecialInText { what, token, offset: (part.offset + original.start) as u64 }
            }
            (Error::SpecialInText { what, token, offset }, None) => {
                Error::SpecialInText { what, token, offset: part.offset as u64 + offset }
            }
            (other, _) => other,
        })
    }

    /// The same for a part of a text that has no special tokens, unless normalizing makes some.
    #[inline]
    pub fn run_part<E: From<Error>>(
        &self,
        part: RawPart,
        call: Call,
        borders: &mut Borders,
        each: &mut Each<E>,
    ) -> Result<(), E> {
        let RawPart { text, offset, spans } = part;
        let tracked = self.rewriter().is_some_and(|splitter| splitter.needs_alignment(self.normalizer.is_some()));
        let normalized = match &self.normalizer {
            Some(normalizer) => normalizer.normalize(text, spans || tracked),
            None => Normalized::new(text, self.rewriter().is_some() && spans || tracked),
        };
        if matches!(call.choice, Choice::Policy(Policy::Refuse)) && self.specials.looks_into_normalized(call.choice) {
            self.refuse_in_normalized(part, &normalized, call.choice)?;
        }
        self.run_normalized(NormalizedPart { normalized: &normalized, offset }, call, borders, each)
    }

    #[inline]
    fn run_normalized<E: From<Error>>(
        &self,
        source: NormalizedPart,
        call: Call,
        borders: &mut Borders,
        each: &mut Each<E>,
    ) -> Result<(), E> {
        let NormalizedPart { normalized, offset } = source;
        let text = normalized.text();
        self.specials.split(call.choice, Stage::Normalized, text, |id, part| {
            if let Some(id) = id {
                let original = normalized.original(part).shifted(offset);
                return each(TextPart::Special(id, original, &text[part.range()]));
            }
            if let Some(splitter) = self.rewriter() {
                return Self::run_rewritten(splitter, source, part, borders, each);
            }
            let (text, at) = (&text[part.range()], part.start);
            if let Some(Splitter::Code(code)) = &self.splitter {
                let source = code::CodeText { text, ids: &self.reserved, language: call.language };
                return code.events(source, borders, &mut |event| match event {
                    Event::Pieces(starts, ends) => {
                        each(TextPart::Pieces(Pieces { spans: Spans::new(text, starts, ends), at, normalized, offset }))
                    }
                    Event::Reserved(id, span) => {
                        let content = self.specials.by_id(id).map_or("", |token| &token.content);
                        let original = normalized.original(span.shifted(at)).shifted(offset);
                        each(TextPart::Special(id, original, content))
                    }
                });
            }
            let mut pieces = |starts: &[usize], ends: &[usize]| {
                each(TextPart::Pieces(Pieces { spans: Spans::new(text, starts, ends), at, normalized, offset }))
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

    fn run_rewritten<E: From<Error>>(
        splitter: &Splitter,
        NormalizedPart { normalized, offset }: NormalizedPart,
        part: Span,
        borders: &mut Borders,
        each: &mut Each<E>,
    ) -> Result<(), E> {
        // Where track was kept, what was put there by a normalizer begins where that began which it stands for.
        let at_start = offset == 0 && (part.start == 0 || normalized.is_aligned());
        let (rewritten, pieces) = splitter.rewrite(normalized.slice(part), at_start, borders);
        let (starts, ends): (Vec<usize>, Vec<usize>) = pieces.iter().map(|span| (span.start, span.end)).unzip();
        let text = rewritten.text();
        each(TextPart::Pieces(Pieces {
            spans: Spans::new(text, &starts, &ends),
            at: 0,
            normalized: &rewritten,
            offset,
        }))
    }

    /// The last position at which `text` may be cut, with the same parts on both sides as in the whole, whatever follows the text.
    /// `anywhere`: the model sees no difference between one piece and two.
    pub fn last_cut(&self, text: &str, anywhere: bool) -> Option<usize> {
        if !self.is_local() {
            return None;
        }
        // A special token that begins in this text may end in the next.
        let last = text.len().checked_sub(1 + self.specials.longest())?;
        let characters = text[..text.floor_char_boundary(last)].char_indices().rev();
        characters.map(|(start, c)| start + c.len_utf8()).find(|&at| self.may_cut_at(text, at, anywhere))
    }

    /// Whether a text may be cut at a position inside it, whatever follows the text, which reaches beyond the position by more than the
    /// longest special token.
    pub(super) fn may_cut_at(&self, text: &str, at: usize, anywhere: bool) -> bool {
        let mut following = text[at..].chars();
        let (Some(left), Some(right)) = (text[..at].chars().next_back(), following.next()) else { return false };
        let anywhere = anywhere && self.splitter.as_ref().is_none_or(Splitter::takes_each_alone);
        let clear = || !self.specials.may_hold(right) && !self.specials.spans(text, at);
        self.may_cut(left, right, following.next(), anywhere) && clear()
    }

    /// Whether there are two ASCII characters between which a text may be cut.
    pub(super) fn cuts_somewhere(&self, anywhere: bool) -> bool {
        let anywhere = anywhere && self.splitter.as_ref().is_none_or(Splitter::takes_each_alone);
        let ascii = || (0..128u8).rev().map(char::from);
        ascii().any(|left| ascii().any(|right| self.may_cut(left, right, Some('a'), anywhere)))
    }

    /// Whether the normalizer looks no further than at neighbours, without which there are no cuts.
    pub(super) fn is_local(&self) -> bool {
        self.normalizer.as_ref().is_none_or(Normalizer::is_local)
    }

    fn may_cut(&self, left: char, right: char, after: Option<char>, anywhere: bool) -> bool {
        let separates = |left, right| self.splitter.as_ref().is_some_and(|splitter| splitter.separates(left, right));
        let Some(normalizer) = &self.normalizer else { return anywhere || separates(left, right) };
        // Normalizers change other characters, and what comes of them may depend on their neighbours; on these nothing depends,
        let plain = |c: char| matches!(c, '\n' | ' '..='~');
        // as long as no mark follows that makes one character with them, which none does with white space.
        let settled = matches!(right, ' ' | '\n') || plain(right) && after.is_some_and(plain);
        if !settled || anywhere {
            return settled;
        }
        // A line feed may have become a space, which a splitter takes otherwise.
        let table = self.normalized_ascii.get_or_init(|| normalized_ascii(normalizer));
        let became = |c: char| table[c as usize % 128];
        match plain(left) {
            true => separates(became(left), became(right)),
            // Whatever comes of the character to the left, the one to the right belongs to no piece.
            false => self.splitter.as_ref().is_some_and(|splitter| splitter.drops(became(right))),
        }
    }
}

fn normalized_ascii(normalizer: &Normalizer) -> Box<[char; 128]> {
    Box::new(std::array::from_fn(|code| {
        let c = char::from(code as u8);
        normalizer.normalize(c.encode_utf8(&mut [0; 4]), false).text().chars().next().unwrap_or(c)
    }))
}

fn reserved_ids(outline: &Outline) -> Result<Vec<Option<TokenId>>> {
    let put = outline.added.iter().filter(|token| token.stands_for.is_some());
    let ids: HashMap<&str, TokenId> = put.map(|token| (token.content.as_str(), token.id)).collect();
    let tokens = outline.pretokenizer.as_ref().map(PreTokenizer::reserved).transpose()?.unwrap_or_default();
    Ok(tokens.iter().map(|token| ids.get(token.content.as_str()).copied()).collect())
}
