//! WordPiece and words behind BERT's stages: stretches of the text as it came are encoded and remembered. What is new is normalized and
//! split first.

use crate::encode::pipeline::{Part, Raw};
use crate::encode::scratch::Scratch;
use crate::encode::sink::{Sink, TokenPlace};
use crate::encode::tokenizer::{Tokenizer, place};
use crate::error::{Error, Result};
use crate::model::text_ends::TextEnds;
use crate::model::{ModelScratch, PieceModel, PieceSpan};
use crate::pretokenize::stretches::Stretches;
use crate::specials::Choice;
use crate::text::span::Span;
use crate::vocab::TokenId;

impl Tokenizer {
    pub(crate) fn encode_stretches<S: Sink>(
        &self,
        text: &str,
        choice: &Choice,
        model: &impl PieceModel,
        stretches: &Stretches,
        scratch: &mut Scratch,
        sink: &mut S,
    ) -> Result<()> {
        let Scratch { borders, model: work, spans, .. } = scratch;
        let mut number = 0;
        self.pipeline().run_stretches(stretches, text, choice, borders, |raw| {
            match raw {
                Raw::Special(id, span) => {
                    sink.surface(&text[span.range()]);
                    sink.ids().push(id);
                    sink.place(TokenPlace { span, piece: number });
                    sink.close();
                    number += 1;
                }
                Raw::Stretches { text, at, starts, ends } if S::PLACES => {
                    let whole = Group { text, at, starts, ends };
                    self.place_stretches(whole, model, stretches, work, spans, &mut number, sink)?;
                }
                Raw::Stretches { text, starts, ends, .. } => {
                    self.segment_stretches(model, stretches, text, starts, ends, work, sink.ids())?;
                    sink.close();
                }
            }
            if sink.is_full() {
                return Err(Error::Stopped);
            }
            Ok(())
        })
    }

    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn segment_stretches(
        &self,
        model: &impl PieceModel,
        stretches: &Stretches,
        text: &str,
        starts: &[usize],
        ends: &[usize],
        work: &mut ModelScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let ModelScratch { remembered, lower, inner, .. } = work;
        remembered.segment(
            (text.as_bytes(), starts, ends),
            &mut TextEnds::none(),
            model.known(),
            ids,
            |stretch, ids| {
                if Stretches::is_plain(stretch) {
                    return model.compute(stretches.piece(stretch, lower), ids);
                }
                let stretch = std::str::from_utf8(stretch).map_err(|error| Error::Internal(error.to_string()))?;
                self.pipeline().run_stretch(stretch, 0, false, inner, &mut |part| match part {
                    Part::Pieces(pieces) => {
                        pieces.iter().try_for_each(|piece| model.compute(piece.text.as_bytes(), ids))
                    }
                    Part::Special(..) => Ok(()),
                })
            },
        )
    }

    /// The same with the place of each token. Stretches that are plain or one character are segmented together, each of the others alone.
    #[allow(clippy::too_many_arguments)]
    fn place_stretches<S: Sink>(
        &self,
        group: Group,
        model: &impl PieceModel,
        stretches: &Stretches,
        work: &mut ModelScratch,
        spans: &mut Vec<PieceSpan>,
        number: &mut u32,
        sink: &mut S,
    ) -> Result<()> {
        let Group { text, at, starts, ends } = group;
        let bytes = text.as_bytes();
        let together = !model.unk_is_a_word();
        let (Some(&from), Some(&to)) = (starts.first(), ends.last()) else { return Ok(()) };
        let all_plain = Stretches::are_plain(&bytes[from..to]);
        let is_plain = |i: usize| {
            let stretch = starts[i]..ends[i];
            let is_one = || Stretches::is_plain(&bytes[stretch.clone()]) || stretches.is_alone(&text[stretch.clone()]);
            together && (all_plain || is_one())
        };
        let mut first = 0;
        while first < starts.len() {
            let plain = (first..starts.len()).take_while(|&i| is_plain(i)).count();
            if plain > 0 {
                let from = sink.ids().len();
                let (starts, ends) = (&starts[first..first + plain], &ends[first..first + plain]);
                self.segment_stretches(model, stretches, text, starts, ends, work, sink.ids())?;
                work.ids.clear();
                work.ids.extend_from_slice(&sink.ids()[from..]);
                place_plain(Group { text, at, starts, ends }, model, &work.ids, number, sink);
                first += plain;
                continue;
            }
            let stretch = &text[starts[first]..ends[first]];
            self.pipeline().run_stretch(stretch, at + starts[first], S::SPANS, &mut work.inner, &mut |part| {
                let Part::Pieces(pieces) = part else { return Ok(()) };
                for piece in pieces.one_by_one() {
                    spans.clear();
                    let alone = piece.iter().next().map_or("", |piece| piece.text);
                    model.compute_placed(alone, sink.ids(), spans)?;
                    place(&piece, *number, spans, sink);
                    *number += 1;
                }
                Ok(())
            })?;
            first += 1;
        }
        Ok(())
    }
}

/// Where the ids of stretches stand that are plain or one character.
fn place_plain<S: Sink>(group: Group, model: &impl PieceModel, ids: &[TokenId], number: &mut u32, sink: &mut S) {
    let Group { text, at, starts, ends } = group;
    let mut next = 0;
    for (&start, &end) in starts.iter().zip(ends) {
        let mut place = at + start;
        let mut give = |width: usize| {
            sink.place(TokenPlace { span: Span::new(place, place + width), piece: *number });
            place += width;
        };
        let stretch = &text.as_bytes()[start..end];
        if stretch[0].is_ascii() {
            next += model.widths(stretch, &ids[next..], give);
        } else {
            give(stretch.len());
            next += 1;
        }
        *number += 1;
    }
}

/// Stretches of a part of the text that starts at `at`.
#[derive(Clone, Copy)]
struct Group<'a> {
    text: &'a str,
    at: usize,
    starts: &'a [usize],
    ends: &'a [usize],
}
