//! Explain: what became of a text, piece by piece and merge by merge. For people; encoding does not use it.

use crate::encode::pipeline::TextPart;
use crate::encode::scratch::Scratch;
use crate::encode::tokenizer::Tokenizer;
use crate::error::Result;
use crate::machine::memory::{check, make_room};
use crate::model::bpe::Trace;
use crate::model::{Model, refuse_unknown};
use crate::specials::Choice;
use crate::text::span::Span;

/// A piece, or an added token, and how it became its tokens.
#[derive(Debug, Clone)]
pub struct Explained {
    /// As the model saw it.
    pub text: String,
    /// What it stands for in the original text.
    pub span: Span,
    pub added: bool,
    pub trace: Trace,
}

impl Tokenizer {
    pub fn explain(&self, text: &str, choice: &Choice, scratch: &mut Scratch) -> Result<Vec<Explained>> {
        let Scratch { borders, model: work, .. } = scratch;
        let mut explained = Vec::new();
        self.pipeline().run(text, choice.into(), true, borders, &mut |part| {
            match part {
                TextPart::Special(id, span, surface) => {
                    let trace = Trace { ids: vec![id], ..Trace::default() };
                    explained.push(Explained { text: surface.to_string(), span, added: true, trace });
                }
                TextPart::Pieces(pieces) => {
                    for alone in pieces.one_by_one() {
                        check()?;
                        make_room(&mut explained, 1);
                        let Some(piece) = alone.iter().next() else { continue };
                        let mut trace = Trace::default();
                        match self.model() {
                            Model::Bpe(model) => {
                                refuse_unknown(model, &alone)?;
                                trace = model.trace(piece.text.as_bytes(), &mut work.bpe);
                            }
                            model => model.segment(&alone, None, work, &mut trace.ids)?,
                        }
                        let span = piece.original(Span::new(0, piece.text.len()));
                        explained.push(Explained { text: piece.text.to_string(), span, added: false, trace });
                    }
                }
            }
            Ok(())
        })?;
        Ok(explained)
    }
}
