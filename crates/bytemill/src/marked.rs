//! Models of SentencePiece word by word: what lies between two spaces is encoded and remembered as it stands in the text, and goes through
//! the stages only when it is new. For stages that make the same of a word wherever it stands, and models of which no token goes on behind
//! a word.

use crate::definition::Outline;
use crate::encoding::Sink;
use crate::error::{Error, Result};
use crate::model::memo::Words;
use crate::model::{Model, ModelScratch, Scratch};
use crate::normalize::{MARK_CHARACTER, Normalizer, SentencePiece, is_apart};
use crate::pipeline::Part;
use crate::pretokenize::runs::Borders;
use crate::pretokenize::spaces::Spaces;
use crate::pretokenize::{PreTokenizer, Prepend};
use crate::special::{Choice, Policy, Stage};
use crate::tokenizer::Tokenizer;
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
                normalizer.words().map(|spaces| (spaces, Way::Marked(normalizer.clone())))
            }
            (None, Some(PreTokenizer::Metaspace { replacement: MARK_CHARACTER, prepend, split: false }))
                if *prepend != Prepend::Never =>
            {
                Some((Spaces::new(true), Way::MarkedOnce(Box::new(SentencePiece::marks()?))))
            }
            (normalizer, Some(PreTokenizer::Sequence { steps }))
                if normalizer.as_ref().is_none_or(Normalizer::takes_words) =>
            {
                let pieces = |marks| Box::new(Pieces { normalizer: normalizer.clone(), marks });
                marks_between_spaces(steps).map(|marks| (Spaces::new(false), Way::Pieces(pieces(marks))))
            }
            _ => None,
        };
        let added = outline.added.iter().any(|token| !token.special);
        Ok(found.map(|(spaces, way)| ByWords { spaces, way, added }))
    }
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
                let takes = match (self.model(), &words.way) {
                    (Model::Bpe(model), Way::Marked(_) | Way::MarkedOnce(_)) => model.takes_marked_words(),
                    (Model::Unigram(model), Way::Marked(_)) => model.takes_marked_words(),
                    (Model::Unigram(model), Way::Pieces(_)) => model.takes_pieces(),
                    _ => false,
                };
                if !takes || self.has_added(text, choice, words.added) {
                    return Ok(false);
                }
                let first = sink.ids().len();
                let Scratch { borders, model: work, .. } = scratch;
                if self.encode_words(text, words, first, borders, work, sink.ids()).is_err() {
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

    /// Whether there are added tokens in a text, or may be.
    fn has_added(&self, text: &str, choice: &Choice, added: bool) -> bool {
        if matches!(choice, Choice::Policy(Policy::None)) && !added {
            return false;
        }
        let mut found = self.specials().looks_into_normalized(choice);
        let split = self.specials().split(choice, Stage::Raw, text, |id, _| {
            found |= id.is_some();
            Ok(())
        });
        found || split.is_err()
    }

    fn encode_words(
        &self,
        text: &str,
        words: &ByWords,
        first: usize,
        borders: &mut Borders,
        work: &mut ModelScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        // Spaces at the end have no word behind them.
        let trimmed = if words.spaces.kept { text.trim_end_matches(' ') } else { text };
        let behind = text.len() - trimmed.len();
        let taken = match &words.way {
            Way::MarkedOnce(_) => trimmed.strip_prefix(' ').unwrap_or(trimmed),
            Way::Marked(_) | Way::Pieces(_) => trimmed,
        };
        let mut sum = 0.0;
        words.spaces.split_together(taken, borders, |starts, ends| match (&words.way, self.model()) {
            (Way::Marked(normalizer) | Way::MarkedOnce(normalizer), model) => {
                let mark = |word: &str, buffer: &mut String| normalizer.mark_word(word, buffer);
                let alone = match model {
                    Model::Bpe(model) => model.segment_marked(taken, starts, ends, mark, &mut work.bpe, ids),
                    Model::Unigram(model) => {
                        model.segment_marked((taken, starts, ends), (&mut sum, first), mark, &mut work.unigram, ids)
                    }
                    _ => false,
                };
                if alone { Ok(()) } else { Err(Error::Stopped) }
            }
            (Way::Pieces(pieces), _) => self.encode_raw((taken, starts, ends), pieces, work, ids),
        })?;
        match self.model() {
            _ if behind == 0 => Ok(()),
            Model::Bpe(model) if !trimmed.is_empty() => {
                model.segment_spaces(behind, &mut work.bpe, ids);
                Ok(())
            }
            _ => Err(Error::Stopped),
        }
    }

    /// Words that are pieces, or several, each by itself.
    fn encode_raw(
        &self,
        (text, starts, ends): (&str, &[usize], &[usize]),
        pieces: &Pieces,
        work: &mut ModelScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let ModelScratch { remembered, unigram, inner, characters, word: buffer, .. } = work;
        let Model::Unigram(model) = self.model() else { return Err(Error::Stopped) };
        remembered.segment(text.as_bytes(), starts, ends, &Words::default(), ids, |word, ids| {
            // Words are cut at spaces, and so between characters.
            let word = simdutf8::basic::from_utf8(word).unwrap_or_default();
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
