//! Models of SentencePiece word by word: what lies between two spaces is encoded and remembered as it stands in the text, and goes through
//! the stages only when it is new. For stages that make the same of a word wherever it stands, and models of which no token goes on behind
//! a word.

use crate::data::Seam;
use crate::definition::Outline;
use crate::encode::pipeline::Part;
use crate::encode::scratch::Scratch;
use crate::encode::sink::{Ragged, Sink};
use crate::encode::together::ShortTexts;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::model::bpe::{Bpe, BpeScratch};
use crate::model::memo::Words;
use crate::model::text_ends::TextEnds;
use crate::model::unigram::Row;
use crate::model::{Model, ModelScratch};
use crate::normalize::{MARK_CHARACTER, Normalizer, SentencePiece, is_apart};
use crate::pretokenize::runs::Borders;
use crate::pretokenize::spaces::Spaces;
use crate::pretokenize::{PreTokenizer, Prepend};
use crate::specials::{Choice, Policy, Specials, Stage};
use crate::text::gaps::Gaps;
use crate::text::white::White;
use crate::vocab::TokenId;

#[derive(Debug)]
pub struct ByWords {
    spaces: Spaces,
    way: Way,
    /// Whether added tokens are found in every text, not in those alone whose special tokens are wanted.
    added: bool,
}

#[derive(Debug)]
enum Way {
    /// A word has a mark before it, and the row of the text goes on from word to word.
    Marked(Box<SentencePiece>),
    /// The same, but a space at the start of the text is that mark.
    MarkedOnce(Box<SentencePiece>),
    /// Pieces of a tokenizer.json, each by itself.
    Pieces(Box<Pieces>),
}

/// What makes pieces of words.
#[derive(Debug)]
struct Pieces {
    normalizer: Option<Normalizer>,
    /// The marks that are put before each.
    marks: String,
}

impl ByWords {
    /// For stages that take words one by one.
    pub fn new(outline: &Outline) -> Result<Option<Self>> {
        let found = match (&outline.normalizer, &outline.pretokenizer) {
            (Some(Normalizer::SentencePiece(normalizer)), None) => {
                Spaces::of(normalizer).map(|spaces| (spaces, Way::Marked(normalizer.clone())))
            }
            (None, Some(PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend, split: false }))
                if *prepend != Prepend::Never =>
            {
                Some((Spaces::new(true, White::SPACE), Way::MarkedOnce(Box::new(SentencePiece::marks()?))))
            }
            (normalizer, Some(PreTokenizer::Sequence { steps }))
                if normalizer.as_ref().is_none_or(Normalizer::takes_words) =>
            {
                let pieces = |marks| Box::new(Pieces { normalizer: normalizer.clone(), marks });
                marks_between_spaces(steps).map(|marks| (Spaces::new(false, White::SPACE), Way::Pieces(pieces(marks))))
            }
            _ => None,
        };
        let added = outline.added.iter().any(|token| !token.is_control());
        Ok(found.map(|(spaces, way)| ByWords { spaces, way, added }))
    }

    /// Whether a model takes words in this way.
    fn suits(&self, model: &Model) -> bool {
        match (model, &self.way) {
            (Model::Bpe(model), Way::Marked(_) | Way::MarkedOnce(_)) => model.takes_marked_words(),
            (Model::Unigram(model), Way::Marked(_)) => model.takes_marked_words(),
            (Model::Unigram(model), Way::Pieces(_)) => model.takes_pieces(),
            _ => false,
        }
    }

    /// The model and the stages, where words are taken with the spaces before them.
    fn spaced<'a>(&'a self, model: &'a Model) -> Option<(&'a Bpe, &'a SentencePiece)> {
        match (model, &self.way) {
            (Model::Bpe(model), Way::Marked(stages) | Way::MarkedOnce(stages)) => Some((model, stages)),
            _ => None,
        }
    }

    /// Whether a text may be cut before a word.
    pub fn cuts(&self, model: &Model) -> bool {
        // Sums with few digits: which row has the highest depends on all that is before.
        let goes_on = matches!((model, &self.way), (Model::Unigram(_), Way::Marked(_)));
        self.suits(model) && !goes_on
    }

    /// The last place at which `text` may be cut, whatever follows it: before a space.
    pub fn last_cut(&self, text: &str, specials: &Specials) -> Option<Seam> {
        let longest = specials.longest();
        // A special token that begins in this text may end in the next.
        let last = text.len().checked_sub(1 + longest)?;
        if specials.may_hold(' ') {
            return None;
        }
        memchr::memrchr_iter(b' ', &text.as_bytes()[..last]).find_map(|at| {
            let (left, right) = (text[..at].chars().next_back()?, text[at + 1..].chars().next()?);
            let is_graphic = |c: char| c.is_ascii_graphic();
            let seam = match &self.way {
                // The mark before the second part stands for the space, unless there are two, or a special token is beside it, or what
                // becomes of the word before it ends with one.
                Way::Marked(stages) => {
                    let around = &text.as_bytes()[at.saturating_sub(longest)..at + 1 + longest];
                    let word = &text[memchr::memrchr(b' ', &text.as_bytes()[..at]).map_or(0, |space| space + 1)..at];
                    let is_alone = left != ' ' && right != ' ' && stages.keeps(word);
                    (is_alone && !specials.are_in(around)).then_some(Seam { end: at, start: at + 1 })
                }
                // Here it is the space itself that becomes the mark.
                Way::MarkedOnce(_) => (left != ' ' && left != MARK_CHARACTER).then_some(Seam::at(at)),
                // Nothing is composed with these.
                Way::Pieces(_) => (is_graphic(left) && is_graphic(right)).then_some(Seam::at(at)),
            };
            seam.filter(|_| !specials.spans(text.as_bytes(), at))
        })
    }

    /// A text by words with the spaces before them, the first of which has the mark of the text.
    fn encode_spaced(
        &self,
        text: &str,
        model: &Bpe,
        stages: &SentencePiece,
        borders: &mut Borders,
        work: &mut BpeScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let Some(taken) = self.without_extra_spaces(text) else { return Err(Error::Stopped) };
        let Some(words) = model.spaced_words(taken) else { return Err(Error::Stopped) };
        let (head, tail) = taken.split_at(head(taken.as_bytes(), self.spaces.white));
        let mut spaced = std::mem::take(&mut work.spaced);
        spaced.clear();
        spaced.push(' ');
        spaced.push_str(head);
        let result = [&spaced, tail].into_iter().filter(|text| !text.is_empty()).try_for_each(|text| {
            words.split((text, &Gaps::NONE), borders, |starts, ends| {
                model.segment_spaced((text, starts, ends), &mut TextEnds::none(), stages, work, ids)
            })
        });
        work.spaced = spaced;
        result
    }

    /// What is left of a text that gets a space before it. None of one that has no words.
    fn without_extra_spaces<'a>(&self, text: &'a str) -> Option<&'a str> {
        // Spaces at the end are a word if they are kept, and else nothing.
        let text = if self.spaces.kept { text } else { self.spaces.white.trim_end(text) };
        let taken = match self.way {
            Way::MarkedOnce(_) => text.strip_prefix(' ').unwrap_or(text),
            Way::Marked(_) | Way::Pieces(_) => text,
        };
        (!text.is_empty()).then_some(taken)
    }

    /// Puts texts behind one another, so that their words are those of each by itself. False if that cannot be done.
    fn put_together(&self, texts: &[&str], model: &Model, short: &mut ShortTexts) -> bool {
        if self.spaced(model).is_some() {
            texts.iter().for_each(|text| match self.without_extra_spaces(text) {
                Some(taken) => short.push_behind_space(taken),
                None => short.push_nothing(),
            });
            return true;
        }
        // Spaces behind one another would belong to the word behind them.
        let ends_words = |text: &&str| !text.is_empty() && !text.ends_with(' ');
        texts.iter().for_each(|text| short.push_before(' ', text));
        !self.spaces.kept || texts.iter().all(ends_words)
    }
}

/// What is copied of a long text, up to the next word, to have a space before it.
const HEAD: usize = 1 << 10;

/// Where the first word behind that begins, with the spaces before it.
fn head(text: &[u8], white: White) -> usize {
    let rest = text.get(HEAD..).unwrap_or_default();
    let mut spaces = memchr::memchr_iter(b' ', rest).map(|at| HEAD + at);
    spaces.find(|&at| !white.contains(text[at - 1])).unwrap_or(text.len())
}

/// The marks before each piece, where pieces are what lies between white space.
fn marks_between_spaces(steps: &[PreTokenizer]) -> Option<String> {
    let [PreTokenizer::WhitespaceSplit, rest @ ..] = steps else { return None };
    rest.iter().try_fold(String::new(), |marks, step| match step {
        // Not before what begins with it.
        PreTokenizer::Metaspace { replacement, prepend: Prepend::Always, .. } => {
            Some(if marks.starts_with(*replacement) { marks } else { format!("{replacement}{marks}") })
        }
        _ => None,
    })
}

impl Tokenizer {
    /// Encodes a text by its words, if that can be done. False if not, and then nothing was.
    #[inline]
    pub(crate) fn encode_by_words<S: Sink>(
        &self,
        text: &str,
        choice: &Choice,
        scratch: &mut Scratch,
        sink: &mut S,
    ) -> Result<bool> {
        match &self.words {
            Some(words) if !S::PLACES && !scratch.model.is_random() => {
                if !words.suits(self.model()) || self.has_added(text, choice, words.added) {
                    return Ok(false);
                }
                let first = sink.ids().len();
                let Scratch { borders, model: work, .. } = scratch;
                let encoded = match words.spaced(self.model()) {
                    Some((model, stages)) => {
                        words.encode_spaced(text, model, stages, borders, &mut work.bpe, sink.ids())
                    }
                    // Spaces at the end have no word behind them.
                    None if words.spaces.kept && text.ends_with(' ') => Err(Error::Stopped),
                    None => self.encode_words(text, &mut TextEnds::none(), words, borders, work, sink.ids()),
                };
                if encoded.is_err() {
                    // A word is not to be taken by itself, or there is an error, which the other way finds too.
                    sink.ids().truncate(first);
                    return Ok(false);
                }
                sink.close();
                if sink.is_full() { Err(Error::Stopped) } else { Ok(true) }
            }
            _ => Ok(false),
        }
    }

    /// Encodes many texts by their words, if that can be done. False if not, and an error if one of them has a word that is not to be taken by
    /// itself; then nothing was.
    pub(crate) fn encode_short_by_words(
        &self,
        texts: &[&str],
        choice: &Choice,
        scratch: &mut Scratch,
        rows: &mut Ragged,
    ) -> Result<bool> {
        let Some(words) = self.words.as_ref().filter(|words| words.suits(self.model())) else { return Ok(false) };
        let Scratch { borders, model: work, short, .. } = scratch;
        short.clear();
        if !words.put_together(texts, self.model(), short) || self.has_added(short.text(), choice, words.added) {
            return Ok(false);
        }
        let before = rows.mark();
        let Ragged { ids, ends } = rows;
        let mut ends = short.ends(ends);
        let text = short.text();
        let encoded = match words.spaced(self.model()) {
            Some((model, stages)) => {
                let words = model.spaced_words(text).ok_or(Error::Stopped);
                words.and_then(|words| {
                    words.split((text, short.gaps()), borders, |starts, word_ends| {
                        model.segment_spaced((text, starts, word_ends), &mut ends, stages, &mut work.bpe, ids)
                    })
                })
            }
            None => self.encode_words(text, &mut ends, words, borders, work, ids),
        };
        ends.end_all(ids);
        if encoded.is_err() {
            rows.cut_back(before);
        }
        encoded.map(|()| true)
    }

    /// Whether there are added tokens in a text, or may be.
    fn has_added(&self, text: &str, choice: &Choice, added: bool) -> bool {
        let none_is_wanted = matches!(choice, Choice::Policy(Policy::None)) && !added;
        let specials = self.specials();
        !none_is_wanted && (specials.looks_into_normalized(choice) || specials.are_found(choice, Stage::Raw, text))
    }

    fn encode_words(
        &self,
        text: &str,
        texts: &mut TextEnds,
        words: &ByWords,
        borders: &mut Borders,
        work: &mut ModelScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let mut row = Row::new(ids.len());
        words.spaces.split_together(text, borders, |starts, ends| match (&words.way, self.model()) {
            (Way::Marked(stages), Model::Unigram(model)) => {
                let mark = |word: &str, buffer: &mut String| stages.mark_word(word, buffer);
                match model.segment_marked((text, starts, ends), texts, &mut row, mark, &mut work.unigram, ids) {
                    true => Ok(()),
                    false => Err(Error::Stopped),
                }
            }
            (Way::Pieces(pieces), _) => self.encode_raw((text, starts, ends), texts, pieces, work, ids),
            _ => Err(Error::Stopped),
        })?;
        if let (Way::Marked(_), Model::Unigram(model)) = (&words.way, self.model()) {
            model.end_row(&row, ids);
        }
        Ok(())
    }

    /// Words that are pieces, or several, each by itself.
    fn encode_raw(
        &self,
        (text, starts, ends): (&str, &[usize], &[usize]),
        texts: &mut TextEnds,
        pieces: &Pieces,
        work: &mut ModelScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let ModelScratch { remembered, unigram, inner, characters, word: buffer, .. } = work;
        let Model::Unigram(model) = self.model() else { return Err(Error::Stopped) };
        let words = (text.as_bytes(), starts, ends);
        remembered.segment(words, texts, &Words::default(), ids, |word, ids| {
            debug_assert!(std::str::from_utf8(word).is_ok(), "cut at spaces");
            // SAFETY: a word is a stretch of a `str` between spaces.
            let word = unsafe { std::str::from_utf8_unchecked(word) };
            buffer.clear();
            buffer.push_str(&pieces.marks);
            // Where there is none before, each piece gets its marks.
            let takes = |c: char| !pieces.marks.contains(c);
            if characters.write(word, buffer, pieces.normalizer.as_ref(), takes) {
                let written = &buffer[pieces.marks.len()..];
                if !written.is_empty() && memchr::memchr(b' ', written.as_bytes()).is_none() {
                    return model.segment_new(buffer, unigram, ids);
                }
                let mut parts = written.split(' ').filter(|part| !part.is_empty());
                return parts.try_for_each(|part| model.segment_new(&[&pieces.marks, part].concat(), unigram, ids));
            }
            if !is_apart(word) {
                return Err(Error::Stopped);
            }
            self.pipeline().run(word, &Choice::Policy(Policy::None), false, inner, |part| match part {
                Part::Pieces(pieces) => pieces.iter().try_for_each(|piece| model.segment_new(piece.text, unigram, ids)),
                Part::Special(..) => Err(Error::Stopped),
            })
        })
    }
}

#[cfg(test)]
mod tests;
