//! Pipeline: the stages before the model, shared by encoding and training. Text → special tokens and pieces.

use crate::definition::Outline;
use crate::error::Result;
use crate::model::Scratch;
use crate::normalize::{Normalized, Normalizer};
use crate::pretokenize::Splitter;
use crate::span::Span;
use crate::special::{Choice, Specials, Stage};
use crate::vocab::TokenId;

#[derive(Debug)]
pub struct Pipeline {
    pub specials: Specials,
    normalizer: Option<Normalizer>,
    splitter: Option<Splitter>,
}

/// What a text is made of.
pub enum Part<'a> {
    /// An added token, its place in the original text, and how it stands where it was found.
    Special(TokenId, Span, &'a str),
    Piece(Piece<'a>),
}

/// What a model sees at a time.
pub struct Piece<'a> {
    pub text: &'a str,
    /// Where it starts in the normalized text, which starts at `offset` of the original.
    start: usize,
    normalized: &'a Normalized<'a>,
    offset: usize,
}

impl Piece<'_> {
    /// What a stretch of the piece stands for in the original text; right only where the pipeline was asked for spans.
    pub fn original(&self, span: Span) -> Span {
        self.normalized.original(span.shifted(self.start)).shifted(self.offset)
    }
}

impl Pipeline {
    pub fn new(outline: &Outline) -> Result<Self> {
        let normalizer = outline.normalizer.clone();
        Ok(Pipeline {
            specials: Specials::new(outline.added.clone(), normalizer.as_ref(), outline.specials)?,
            splitter: outline.pretokenizer.as_ref().map(Splitter::new).transpose()?,
            normalizer,
        })
    }

    /// Special tokens, then normalize, then the added tokens of the normalized text, then split.
    #[inline]
    pub fn run(
        &self,
        text: &str,
        choice: &Choice,
        spans: bool,
        scratch: &mut Scratch,
        mut each: impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        self.specials.split(choice, Stage::Raw, text, |id, span| match id {
            Some(id) => each(Part::Special(id, span, &text[span.range()])),
            None => {
                let raw = &text[span.range()];
                let normalized = match &self.normalizer {
                    Some(normalizer) => normalizer.normalize(raw, spans),
                    None => Normalized::new(raw, false),
                };
                self.run_normalized(&normalized, span.start, choice, scratch, &mut each)
            }
        })
    }

    #[inline]
    fn run_normalized(
        &self,
        normalized: &Normalized,
        offset: usize,
        choice: &Choice,
        scratch: &mut Scratch,
        each: &mut impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        let text = normalized.text();
        self.specials.split(choice, Stage::Normalized, text, |id, part| {
            if let Some(id) = id {
                let original = normalized.original(part).shifted(offset);
                return each(Part::Special(id, original, &text[part.range()]));
            }
            let piece = |span: Span| {
                let span = span.shifted(part.start);
                each(Part::Piece(Piece { text: &text[span.range()], start: span.start, normalized, offset }))
            };
            self.split(&text[part.range()], scratch, piece)
        })
    }

    fn split(&self, text: &str, scratch: &mut Scratch, mut each: impl FnMut(Span) -> Result<()>) -> Result<()> {
        match &self.splitter {
            Some(splitter) => splitter.split(text, &mut scratch.borders, each),
            None if text.is_empty() => Ok(()),
            None => each(Span::new(0, text.len())),
        }
    }

    /// The last position at which `text` may be cut, with the same parts on both sides as in the whole, whatever follows the text.
    /// `anywhere`: the model sees no difference between one piece and two.
    pub fn last_cut(&self, text: &str, anywhere: bool) -> Option<usize> {
        if !self.normalizer.as_ref().is_none_or(Normalizer::is_local) {
            return None;
        }
        let separates =
            |left, right| anywhere || self.splitter.as_ref().is_some_and(|splitter| splitter.separates(left, right));
        // What the classes of a character depend on is the character alone as long as it is one of these.
        let plain = |byte: u8| matches!(byte, b'\n' | b' '..=b'~');
        let bytes = text.as_bytes();
        // A special token that begins in this text may end in the next.
        let last = bytes.len().checked_sub(1 + self.specials.longest())?;
        (1..=last).rev().find(|&at| {
            let (left, right) = (bytes[at - 1], bytes[at]);
            plain(left) && plain(right) && separates(left, right) && !self.specials.spans(bytes, at)
        })
    }
}
