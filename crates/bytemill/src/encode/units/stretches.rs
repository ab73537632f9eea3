//! Stretches between BERT's separators, for WordPiece and word models. The only units whose tokens can be placed, too.

use super::{Flow, Halt, Units, Work};
use crate::encode::call::Call;
use crate::encode::pipeline::{Pipeline, RawPart, TextPart};
use crate::encode::sink::{Sink, TokenPlace, place};
use crate::encode::together::ShortTexts;
use crate::error::{Error, Result};
use crate::model::text_ends::TextEnds;
use crate::model::{ModelScratch, PieceModel, PieceSpan};
use crate::pretokenize::stretches::Stretches;
use crate::specials::{Choice, Policy};
use crate::text::span::{Span, Spans};
use crate::vocab::TokenId;

pub(crate) struct StretchUnits<'t, M> {
    pub stretches: &'t Stretches,
    pub pipeline: &'t Pipeline,
    pub model: &'t M,
}

/// No token is looked for in normalized text: the plan is not taken where one could be found.
const ALL: Choice = Choice::Policy(Policy::All);

/// Stretches of a part of the text that starts at `at`.
#[derive(Clone, Copy)]
struct Group<'a> {
    spans: Spans<'a>,
    at: usize,
}

impl<M: PieceModel> StretchUnits<'_, M> {
    /// Stretches that are plain or one character are segmented together, each of the others alone.
    fn place_group<S: Sink>(&self, group: Group, work: &mut PlacedWork, sink: &mut S) -> Result<()> {
        let PlacedWork { model: work, spans, pieces } = work;
        let number = &mut **pieces;
        let Group { spans: stretches, at } = group;
        let Spans { text, starts, ends } = stretches;
        let bytes = text.as_bytes();
        let together = !self.model.unk_is_a_word();
        let (Some(&from), Some(&to)) = (starts.first(), ends.last()) else { return Ok(()) };
        let all_plain = Stretches::are_plain(&bytes[from..to]);
        let is_plain = |i: usize| {
            let stretch = starts[i]..ends[i];
            let is_one =
                || Stretches::is_plain(&bytes[stretch.clone()]) || self.stretches.is_alone(&text[stretch.clone()]);
            together && (all_plain || is_one())
        };
        let mut first = 0;
        while first < starts.len() {
            let plain = (first..starts.len()).take_while(|&i| is_plain(i)).count();
            if plain > 0 {
                let from = sink.ids().len();
                let plain = first..first + plain;
                let stretches = stretches.some(plain.clone());
                self.segment(stretches, work, sink.ids())?;
                work.ids.clear();
                work.ids.extend_from_slice(&sink.ids()[from..]);
                self.place_plain(Group { spans: stretches, at }, &work.ids, number, sink);
                first = plain.end;
                continue;
            }
            let (start, end) = (starts[first], ends[first]);
            let stretch = RawPart { text: &text[start..end], offset: at + start, spans: S::SPANS };
            self.pipeline.run_part(stretch, Call::from(&ALL), &mut work.inner, &mut |part| {
                let TextPart::Pieces(pieces) = part else { return Ok(()) };
                for piece in pieces.one_by_one() {
                    spans.clear();
                    let alone = piece.iter().next().map_or("", |piece| piece.text);
                    self.model.compute_placed(alone, sink.ids(), spans)?;
                    place(&piece, *number, spans, sink);
                    *number += 1;
                }
                Ok::<_, Error>(())
            })?;
            first += 1;
        }
        Ok(())
    }

    /// Where the ids of stretches stand that are plain or one character.
    fn place_plain<S: Sink>(&self, group: Group, ids: &[TokenId], number: &mut u32, sink: &mut S) {
        let Group { spans: Spans { text, starts, ends }, at } = group;
        let mut next = 0;
        for (&start, &end) in starts.iter().zip(ends) {
            let mut place = at + start;
            let mut give = |width: usize| {
                sink.place(TokenPlace { span: Span::new(place, place + width), piece: *number });
                place += width;
            };
            let stretch = &text.as_bytes()[start..end];
            if stretch[0].is_ascii() {
                next += self.model.widths(stretch, &ids[next..], give);
            } else {
                give(stretch.len());
                next += 1;
            }
            *number += 1;
        }
    }

    #[inline]
    fn segment(&self, stretches: Spans, work: &mut ModelScratch, ids: &mut Vec<TokenId>) -> Result<()> {
        let ModelScratch { remembered, lower, inner, .. } = work;
        remembered.segment(stretches.bytes(), &mut TextEnds::none(), self.model.known(), ids, |stretch, ids| {
            if Stretches::is_plain(stretch) {
                return self.model.compute(self.stretches.piece(stretch, lower), ids);
            }
            let text = std::str::from_utf8(stretch).map_err(|error| Error::Internal(error.to_string()))?;
            let stretch = RawPart { text, offset: 0, spans: false };
            self.pipeline.run_part(stretch, Call::from(&ALL), inner, &mut |part| match part {
                TextPart::Pieces(pieces) => {
                    pieces.iter().try_for_each(|piece| self.model.compute(piece.text.as_bytes(), ids))
                }
                TextPart::Special(..) => Ok(()),
            })
        })
    }
}

/// What placing works with: `Work` without the borders, which are in use.
struct PlacedWork<'a> {
    model: &'a mut ModelScratch,
    spans: &'a mut Vec<PieceSpan>,
    pieces: &'a mut u32,
}

impl<M: PieceModel> Units for StretchUnits<'_, M> {
    #[inline]
    fn encode<S: Sink>(&self, text: &str, offset: usize, work: &mut Work, sink: &mut S) -> Flow {
        let Work { borders, model, spans, pieces, .. } = work;
        self.stretches.split(text, borders, |starts, ends| {
            let stretches = Spans::new(text, starts, ends);
            if S::PLACES {
                let mut work = PlacedWork { model, spans, pieces: &mut *pieces };
                self.place_group(Group { spans: stretches, at: offset }, &mut work, sink)?;
            } else {
                self.segment(stretches, model, sink.ids())?;
                sink.close();
            }
            if sink.is_full() { Err(Halt::Full) } else { Ok(()) }
        })
    }

    /// A stretch is seldom longer than a word, and texts of this kind are encoded one by one as fast.
    fn join(&self, _: &[&str], _: Call, _: &mut ShortTexts) -> bool {
        false
    }

    fn encode_joined(&self, _: &ShortTexts, _: TextEnds, _: &mut Work, _: &mut Vec<TokenId>) -> Flow {
        Err(Halt::NotAlone)
    }
}
