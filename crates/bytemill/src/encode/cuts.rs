//! Cuts: where a text may be divided so that the ids of both parts together are those of the whole.

use super::tokenizer::Tokenizer;
use crate::data::{Cut, Seam};
use crate::model::Model;

impl Tokenizer {
    /// The last place at which `text` may be cut, with the same ids for both parts as for the whole, whatever follows the text.
    pub fn last_cut(&self, text: &str) -> Option<Seam> {
        if !self.plan.cuts_at_spaces() {
            return self.pipeline().last_cut(text, self.model().is_indifferent_to_cuts()).map(Seam::at);
        }
        // A special token that begins in this text may end in the next.
        let last = text.len().checked_sub(1 + self.specials().longest())?;
        let mut spaces =
            memchr::memrchr_iter(b' ', &text.as_bytes()[..last]).filter(|_| !self.specials().may_hold(' '));
        spaces.find_map(|at| self.plan.seam_at_space(text, at, self.specials()))
    }

    /// How `text` may be cut at a place, by the same rule.
    pub(super) fn seam_at(&self, text: &str, at: usize) -> Option<Seam> {
        let reaches = at + self.specials().longest() < text.len();
        if !reaches || !text.is_char_boundary(at) {
            return None;
        }
        if self.plan.cuts_at_spaces() {
            let is_space = text.as_bytes()[at] == b' ' && !self.specials().may_hold(' ');
            return is_space.then(|| self.plan.seam_at_space(text, at, self.specials())).flatten();
        }
        let pipeline = self.pipeline();
        let may_cut = pipeline.is_local() && pipeline.may_cut_at(text, at, self.model().is_indifferent_to_cuts());
        may_cut.then_some(Seam::at(at))
    }

    /// Why no text is ever cut; None where some are.
    pub(super) fn uncut(&self) -> Option<&'static str> {
        let pipeline = self.pipeline();
        if self.plan.cuts_at_spaces() {
            let reason = "an added token that is looked for in normalized text holds a space";
            return self.specials().may_hold(' ').then_some(reason);
        }
        match self.model() {
            Model::Unigram(model) if !model.takes_pieces() => {
                Some("a SentencePiece Unigram model adds up its scores over the whole text, and rounds each sum")
            }
            _ if !pipeline.is_local() => Some("the normalizer may look at the whole text"),
            model if pipeline.cuts_somewhere(model.is_indifferent_to_cuts()) => None,
            _ => Some("nothing splits a text in a way that is the same wherever it stands"),
        }
    }
}

impl Cut for Tokenizer {
    fn last_cut(&self, text: &str) -> Option<Seam> {
        Tokenizer::last_cut(self, text)
    }
}
