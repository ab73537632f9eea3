//! Models of SentencePiece on plain text: words are encoded and remembered as they stand in it, and no text with marks is written. For words
//! that stay as they are, with one space between two, and models of which no token goes on behind a word.

use crate::definition::Outline;
use crate::encoding::Sink;
use crate::error::{Error, Result};
use crate::model::{Model, Scratch};
use crate::normalize::Normalizer;
use crate::pretokenize::{PreTokenizer, Splitter};
use crate::special::{Choice, Policy};
use crate::tokenizer::Tokenizer;

/// What splits texts into words, for stages after which a text may be words with marks and nothing else.
pub fn splitter(outline: &Outline) -> Result<Option<Splitter>> {
    let is_plain = outline.pretokenizer.is_none() && outline.added.iter().all(|token| token.special);
    match outline.normalizer {
        Some(Normalizer::SentencePiece(_)) if is_plain => Splitter::new(&PreTokenizer::WhitespaceSplit).map(Some),
        _ => Ok(None),
    }
}

impl Tokenizer {
    /// What splits a text into its words, if that is all there is to do before the model.
    #[inline]
    pub(crate) fn marked_words<S: Sink>(&self, text: &str, choice: &Choice, scratch: &Scratch) -> Option<&Splitter> {
        let is_plain = !S::PLACES && matches!(choice, Choice::Policy(Policy::None)) && !scratch.model.is_random();
        let words = self.words.as_ref().filter(|_| is_plain)?;
        let Some(Normalizer::SentencePiece(normalizer)) = &self.definition().outline.normalizer else { return None };
        let takes = match self.model() {
            Model::Bpe(model) => model.takes_marked_words(),
            Model::Unigram(model) => model.takes_marked_words(text.len()),
            _ => false,
        };
        (takes && normalizer.marks_words(text)).then_some(words)
    }

    pub(crate) fn encode_marked<S: Sink>(
        &self,
        text: &str,
        words: &Splitter,
        scratch: &mut Scratch,
        sink: &mut S,
    ) -> Result<()> {
        let Scratch { borders, model: work, .. } = scratch;
        let (mut sum, first) = (0.0, sink.ids().len());
        words.split_together(text, borders, |starts, ends| {
            match self.model() {
                Model::Bpe(model) => model.segment_marked(text.as_bytes(), starts, ends, &mut work.bpe, sink.ids()),
                Model::Unigram(model) => {
                    model.segment_marked(text, starts, ends, (&mut sum, first), &mut work.unigram, sink.ids());
                }
                _ => {}
            }
            Ok(())
        })?;
        sink.close();
        if sink.is_full() { Err(Error::Stopped) } else { Ok(()) }
    }
}
