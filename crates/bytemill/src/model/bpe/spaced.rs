//! Words of SentencePiece as they stand in a text, each with the spaces before it: a space stands for the mark that it becomes, and a word
//! goes through the stages only if it is new and these would change it. It is words that are remembered, and the parts that new and long ones
//! are cut into.

use std::convert::Infallible;

use super::linear;
use super::pairs::{Ends, Pairs};
use super::units::MergeUnits;
use super::{Bpe, BpeScratch, MergeWork};
use crate::definition::Outline;
use crate::model::NotAlone;
use crate::model::cuts::{Cuts, FEW, Part, characters};
use crate::model::memo::{KnownWords, Remembered};
use crate::model::text_ends::TextEnds;
use crate::normalize::{MARK, MARK_CHARACTER, SentencePiece};
use crate::pretokenize::marked::MarkedStages;
use crate::pretokenize::spaced::SpacedWords;
use crate::text::short_key as key;
use crate::text::span::Spans;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

/// Longer words seldom come again, and are not remembered: their parts are.
const MOST_REMEMBERED: usize = linear::MOST;
const MISSING: TokenId = TokenId::MAX;

/// What parts of ASCII are merged by.
#[derive(Debug)]
pub(super) struct Spaced {
    /// The token that each byte starts as, for a space that of the mark; missing where it is not one.
    ids: [TokenId; 256],
    /// What is known of every pair of ASCII characters.
    pairs: Pairs,
    /// Whether the stages leave every token as it is, so that a word of a text that is one becomes it.
    keeps_tokens: bool,
    /// What finds words in a text, and in one without the user's own symbols.
    words: SpacedWords,
    plain_words: SpacedWords,
}

impl Spaced {
    /// For stages that put a mark before the text and for every space, and models of which no token goes on after a word.
    pub(super) fn new(
        vocab: &Vocab,
        units: &MergeUnits,
        merges: &Merges,
        cuts: &Cuts,
        outline: &Outline,
    ) -> Option<Self> {
        let marked = MarkedStages::of(outline.normalizer.as_ref(), outline.pretokenizer.as_ref());
        let MarkedStages { stages, .. } = marked.ok()??;
        // A token with a space in it would be taken for one with a mark.
        if !cuts.are_before_marks() || vocab.tokens().any(|(_, token)| token.contains(&b' ')) {
            return None;
        }
        let id = |byte: usize| match byte as u8 {
            b' ' => units.single(MARK_CHARACTER),
            byte if byte.is_ascii() => units.single(byte.into()),
            _ => None,
        };
        let ids: [TokenId; 256] = std::array::from_fn(|byte| id(byte).unwrap_or(MISSING));
        let mut text = Vec::new();
        let pairs = Pairs::new(merges.view(), &ids, |id| {
            text.clear();
            write_spaced(vocab.token(id).unwrap_or_default(), &mut text);
            Ends::of(&text)
        });
        let words = SpacedWords::whole(stages.white());
        let plain_words = match units.has_own() {
            false => cuts.words(&stages),
            // If a text is changed, nobody knows whether it will have some.
            true if stages.rules().charsmap.is_some() => words.clone(),
            true => units.cuts(merges, false).as_ref().unwrap_or(cuts).words(&stages),
        };
        let mut buffer = String::new();
        let mut keeps = |token: &str| stages.mark_word(token, &mut buffer) && buffer.strip_prefix(MARK) == Some(token);
        // No word begins with a mark that was none.
        let may_be_word = |token: &[u8]| token.len() <= key::MOST_BYTES && !token.starts_with(MARK.as_bytes());
        let keeps_tokens =
            vocab.tokens().all(|(_, token)| !may_be_word(token) || std::str::from_utf8(token).is_ok_and(&mut keeps));
        Some(Spaced { ids, pairs, keeps_tokens, words, plain_words })
    }

    /// Whether all of a part is ASCII that is known, and not too much.
    #[inline]
    fn is_known(&self, part: &[u8]) -> bool {
        part.len() <= linear::MOST && part.iter().all(|&byte| self.ids[usize::from(byte)] != MISSING)
    }
}

/// Appends the text of a token, with spaces for its marks.
fn write_spaced(mut token: &[u8], text: &mut Vec<u8>) {
    while let Some((&first, rest)) = token.split_first() {
        let after_mark = token.strip_prefix(MARK.as_bytes());
        text.push(if after_mark.is_some() { b' ' } else { first });
        token = after_mark.unwrap_or(rest);
    }
}

/// A text with spaces for its marks.
pub(super) fn spaced(token: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(token).ok()?;
    text.contains(MARK_CHARACTER).then(|| text.replace(MARK_CHARACTER, " "))
}

impl Bpe {
    /// Whether words with the mark of a space before each may be segmented one by one.
    pub fn takes_marked_words(&self) -> bool {
        self.spaced.is_some()
    }

    /// What finds these in a text.
    pub fn spaced_words(&self, text: &str) -> Option<&SpacedWords> {
        let spaced = self.spaced.as_deref()?;
        let has_own = self.units.as_ref().is_some_and(|units| units.may_hold_own(text));
        Some(if has_own { &spaced.words } else { &spaced.plain_words })
    }

    /// Appends the ids of words, each of which begins with a space or is a part of such a word. If one is not to be taken by itself, what was
    /// appended is of no use.
    pub fn segment_spaced(
        &self,
        words: Spans,
        texts: &mut TextEnds,
        stages: &SentencePiece,
        scratch: &mut BpeScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<(), NotAlone> {
        let (Some(cuts), Some(spaced)) = (&self.cuts, &self.spaced) else { return Err(NotAlone) };
        let BpeScratch { remembered, parts, work, buffer, waiting, .. } = scratch;
        let new = New { bpe: self, keeps_tokens: spaced.keeps_tokens, cuts, stages, parts, work, buffer };
        let mut run = WordRun { remembered, new, ids, texts, result: Ok(()) };
        let Spans { text, starts, ends } = words;
        if starts.iter().zip(ends).all(|(&start, &end)| end - start <= MOST_REMEMBERED) {
            run.words(words.bytes());
            return run.result;
        }
        // Nobody waits, unless an error of ours came between.
        waiting.clear();
        for (&start, &end) in starts.iter().zip(ends) {
            let until = &text.as_bytes()[..end];
            let mut take = |part: Part| run.take(text.as_bytes(), part);
            if end - start <= MOST_REMEMBERED {
                waiting.push(start, end, &mut take);
            } else if stages.keeps(&text[start..end]) {
                cuts.split_from(until, start, waiting, &mut take);
            } else {
                waiting.flush(&mut take);
                run.texts.end_before(start, run.ids);
                run.new.segment(&until[start..], run.ids)?;
            }
        }
        waiting.flush(&mut |part: Part| run.take(text.as_bytes(), part));
        run.result
    }

    /// Merges a part that has no cut in it and is not remembered.
    fn merge_spaced(&self, part: &[u8], work: &mut MergeWork, ids: &mut Vec<TokenId>) {
        if let Some(spaced) = &self.spaced
            && spaced.is_known(part)
        {
            return linear::merge_bytes(self.merges.view(), &spaced.pairs, &spaced.ids, part, ids);
        }
        let mut marked = std::mem::take(&mut work.marked);
        marked.clear();
        for (number, word) in part.split(|&byte| byte == b' ').enumerate() {
            marked.extend_from_slice(if number > 0 { MARK.as_bytes() } else { b"" });
            marked.extend_from_slice(word);
        }
        self.merge(&marked, work, ids);
        work.marked = marked;
    }

    /// Appends the ids of characters each of which is a part by itself; `other` is told of those that are neither tokens nor bytes.
    #[inline]
    pub(super) fn segment_alone(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        ids: &mut Vec<TokenId>,
        mut other: impl FnMut(usize, usize, &mut Vec<TokenId>),
    ) {
        let run = self.units.as_ref().map_or(0, |units| units.alone_run(&text[start..end], ids));
        for (c, start, end) in characters(text, start + run, end) {
            let is_known = self.units.as_ref().is_some_and(|units| units.alone(c, &text[start..end], ids));
            if !is_known {
                other(start, end, ids);
            }
        }
    }
}

/// Words of a text one after the other.
struct WordRun<'a, 't> {
    remembered: &'a mut Remembered,
    new: New<'a>,
    ids: &'a mut Vec<TokenId>,
    texts: &'a mut TextEnds<'t>,
    /// An error once a word was not alone, after which nothing counts.
    result: Result<(), NotAlone>,
}

impl WordRun<'_, '_> {
    #[inline]
    fn words(&mut self, words: Spans<[u8]>) {
        let WordRun { remembered, new, ids, texts, result } = self;
        let none = KnownWords::default();
        let known = if new.keeps_tokens { new.bpe.words() } else { &none };
        let done = remembered.segment(words, texts, known, ids, |word, ids| new.segment(word, ids));
        if done.is_err() {
            *result = done;
        }
    }

    #[inline]
    fn take(&mut self, text: &[u8], part: Part) {
        match part {
            Part::Words(starts, ends) => self.words(Spans::new(text, starts, ends)),
            Part::Alone(start, end) => {
                self.texts.end_before(start, self.ids);
                self.new.alone(text, start, end, self.ids);
            }
        }
    }
}

/// What words that are not remembered go through.
struct New<'a> {
    bpe: &'a Bpe,
    keeps_tokens: bool,
    cuts: &'a Cuts,
    stages: &'a SentencePiece,
    parts: &'a mut Remembered,
    work: &'a mut MergeWork,
    buffer: &'a mut String,
}

impl New<'_> {
    /// A word, or a part of a long one.
    fn segment(&mut self, word: &[u8], ids: &mut Vec<TokenId>) -> Result<(), NotAlone> {
        debug_assert!(std::str::from_utf8(word).is_ok(), "cut between characters");
        // SAFETY: a word is a stretch of a `str` between spaces, and a part of one is cut off between two characters. (To check it again takes
        // a thirtieth of the time of a text that is new.)
        let text = unsafe { std::str::from_utf8_unchecked(word) };
        if self.stages.keeps(text) {
            self.segment_parts(word, ids);
            return Ok(());
        }
        let mut buffer = std::mem::take(self.buffer);
        let result = self.stages.word(text, &mut buffer).ok_or(NotAlone);
        let result = result.map(|becomes| self.segment_parts(becomes.as_bytes(), ids));
        *self.buffer = buffer;
        result
    }

    fn segment_parts(&mut self, word: &[u8], ids: &mut Vec<TokenId>) {
        let New { bpe, cuts, parts, work, .. } = self;
        cuts.split::<FEW>(word, |part| match part {
            Part::Words(&[0], &[end]) if end == word.len() => bpe.merge_spaced(word, work, ids),
            Part::Words(starts, ends) => {
                let merge = |part: &[u8], ids: &mut Vec<TokenId>| {
                    bpe.merge_spaced(part, work, ids);
                    Ok::<_, Infallible>(())
                };
                let Ok(()) =
                    parts.segment(Spans::new(word, starts, ends), &mut TextEnds::none(), bpe.words(), ids, merge);
            }
            Part::Alone(start, end) => {
                bpe.segment_alone(word, start, end, ids, |start, end, ids| {
                    bpe.merge_spaced(&word[start..end], work, ids);
                });
            }
        });
    }

    fn alone(&mut self, text: &[u8], start: usize, end: usize, ids: &mut Vec<TokenId>) {
        let New { bpe, work, .. } = self;
        bpe.segment_alone(text, start, end, ids, |start, end, ids| bpe.merge_spaced(&text[start..end], work, ids));
    }
}
