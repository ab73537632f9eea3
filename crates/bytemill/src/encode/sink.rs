//! What encoding gives: ids, ids with their places, batches.

use crate::machine::memory::make_room;
use crate::machine::spare::Spare;
use crate::machine::storage::reserve_large;
use crate::model::PieceSpan;
use crate::pretokenize::pieces::Pieces;
use crate::text::span::Span;
use crate::vocab::TokenId;

/// Where ids go as they are found.
pub trait Sink {
    /// Whether each token's place is wanted; if not, nothing is spent on it.
    const PLACES: bool;
    /// Whether a place needs its span in the original text.
    const SPANS: bool;

    /// Where models append ids.
    fn ids(&mut self) -> &mut Vec<TokenId>;

    /// Makes room for the ids of pieces of this many bytes, or ends the call: an id is seldom of less than a byte.
    #[inline]
    fn make_room(&mut self, bytes: usize) {
        make_room(self.ids(), expected(bytes));
    }

    /// The ids of some pieces, or of an added token, are complete.
    fn close(&mut self) {}

    /// Whether it has had enough; encoding then ends where it is.
    #[inline]
    fn is_full(&self) -> bool {
        false
    }

    /// The place of the next id that has none yet.
    fn place(&mut self, place: TokenPlace) {
        let _ = place;
    }

    /// The id at this place has a surface: how an added token, or what is unknown, stands in the (normalized) text.
    fn surface(&mut self, at: usize, surface: &str) {
        let _ = (at, surface);
    }
}

/// How many ids room is made for. A text that is one long piece would take too much of it: few of its ids are of one byte.
fn expected(bytes: usize) -> usize {
    const LONG: usize = 1 << 20;
    if bytes < LONG { bytes } else { bytes / 2 }
}

/// Where a token stands: the stretch of the original text that it stands for, and the number of the piece that it is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPlace {
    pub span: Span,
    pub piece: u32,
}

impl Sink for Vec<TokenId> {
    const PLACES: bool = false;
    const SPANS: bool = false;

    #[inline]
    fn ids(&mut self) -> &mut Vec<TokenId> {
        self
    }
}

/// Counts tokens without keeping them.
#[derive(Debug, Default)]
pub struct Count {
    pub tokens: usize,
    /// Since the last `close`.
    latest: Vec<TokenId>,
}

impl Sink for Count {
    const PLACES: bool = false;
    const SPANS: bool = false;

    #[inline]
    fn ids(&mut self) -> &mut Vec<TokenId> {
        &mut self.latest
    }

    #[inline]
    fn close(&mut self) {
        self.tokens += self.latest.len();
        self.latest.clear();
    }
}

/// Everything there is to know of the tokens; their spans only where `SPANS`.
#[derive(Debug, Default)]
pub struct Detailed<const SPANS: bool> {
    pub ids: Vec<TokenId>,
    pub places: Vec<TokenPlace>,
    /// The numbers of added and of unknown tokens among them, and how each stands in the text: with the white space that it took along.
    pub surfaces: Vec<(usize, String)>,
    /// More tokens than this are not needed.
    pub enough: Option<usize>,
}

impl<const SPANS: bool> Detailed<SPANS> {
    pub fn clear(&mut self) {
        self.ids.clear();
        self.places.clear();
        self.surfaces.clear();
    }
}

impl<const SPANS: bool> Sink for Detailed<SPANS> {
    const PLACES: bool = true;
    const SPANS: bool = SPANS;

    fn ids(&mut self) -> &mut Vec<TokenId> {
        &mut self.ids
    }

    fn make_room(&mut self, bytes: usize) {
        make_room(&mut self.ids, expected(bytes));
        make_room(&mut self.places, expected(bytes));
    }

    fn place(&mut self, place: TokenPlace) {
        self.places.push(place);
    }

    fn surface(&mut self, at: usize, surface: &str) {
        self.surfaces.push((at, surface.to_string()));
    }

    fn is_full(&self) -> bool {
        self.enough.is_some_and(|enough| self.ids.len() >= enough)
    }
}

/// Ids that room is made for at once, at most.
const MOST_ROOM: usize = 1 << 28;

/// Rows of ids: all ids one after the other, and where each row ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ragged {
    pub ids: Vec<TokenId>,
    pub ends: Vec<usize>,
}

impl Ragged {
    /// Room for the ids of about `bytes` bytes of text: an id seldom stands for less than one.
    pub fn with_room_for(bytes: usize, spare: &Spare) -> Self {
        Ragged { ids: spare.take(bytes.min(MOST_ROOM)), ends: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.ids.clear();
        self.ends.clear();
    }

    /// The complete rows.
    pub fn iter(&self) -> impl Iterator<Item = &[TokenId]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.ids[start..end])
    }

    /// How much there is, for `cut_back`.
    pub fn mark(&self) -> (usize, usize) {
        (self.ids.len(), self.ends.len())
    }

    /// Leaves what there was when the mark was made.
    pub fn cut_back(&mut self, (ids, ends): (usize, usize)) {
        self.ids.truncate(ids);
        self.ends.truncate(ends);
    }

    /// Puts an id before each complete row after a mark that `wanted` accepts.
    pub(crate) fn prepend(&mut self, (ids, ends): (usize, usize), id: TokenId, wanted: impl Iterator<Item = bool>) {
        let rows: Vec<TokenId> = self.ids.split_off(ids);
        let mut start = 0;
        for (end, wanted) in self.ends[ends..].iter_mut().zip(wanted) {
            self.ids.extend(wanted.then_some(id));
            let row = &rows[start..*end - ids];
            start = *end - ids;
            self.ids.extend_from_slice(row);
            *end = self.ids.len();
        }
    }

    /// Puts these rows after those that are there. Ids after the last end begin a row that a later part ends.
    pub fn append(&mut self, rows: &Ragged) {
        let before = self.ids.len();
        reserve_large(&mut self.ids, rows.ids.len());
        self.ids.extend_from_slice(&rows.ids);
        self.ends.extend(rows.ends.iter().map(|end| before + end));
    }
}

/// An added token that was found in the text, with its place and how it stands there.
pub(crate) fn put_added<S: Sink>(id: TokenId, (span, surface): (Span, &str), pieces: &mut u32, sink: &mut S) {
    let at = sink.ids().len();
    sink.surface(at, surface);
    sink.ids().push(id);
    sink.place(TokenPlace { span, piece: *pieces });
    *pieces += 1;
}

/// The places of the ids that a piece was segmented into.
pub(crate) fn place<S: Sink>(piece: &Pieces, number: u32, spans: &[PieceSpan], sink: &mut S) {
    let Some(piece) = piece.iter().next() else { return };
    for &span in spans {
        let span = match span {
            PieceSpan::Inside(span) if S::SPANS => piece.original(span),
            PieceSpan::Inside(span) | PieceSpan::Beyond(span) => span,
        };
        sink.place(TokenPlace { span, piece: number });
    }
}
