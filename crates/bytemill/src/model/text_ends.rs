//! TextEnds: where the rows of several texts end that are looked up together.

use crate::vocab::TokenId;

/// The texts whose last piece is still to come, and where rows end.
pub struct TextEnds<'a> {
    left: &'a [usize],
    rows: Option<&'a mut Vec<usize>>,
    append: Option<TokenId>,
    /// Pieces between two, which are of none: gaps, where these are pieces.
    between: usize,
}

impl<'a> TextEnds<'a> {
    /// Texts whose pieces end at `ends`. Each row's end goes to `rows`, after `append` was added to its ids.
    pub fn new(ends: &'a [usize], rows: &'a mut Vec<usize>, append: Option<TokenId>) -> Self {
        TextEnds { left: ends, rows: Some(rows), append, between: 0 }
    }

    /// For one text whose end nobody asks for.
    #[inline]
    pub fn none() -> Self {
        TextEnds { left: &[], rows: None, append: None, between: 0 }
    }

    /// The same where each gap between two texts is a piece of its own, to be passed over.
    pub fn with_gaps_as_pieces(self) -> Self {
        TextEnds { between: 1, ..self }
    }

    /// How many pieces are of the next text.
    #[inline]
    pub fn pieces_of_next(&self, starts: &[usize]) -> usize {
        let Some(&end) = self.left.first() else { return starts.len() };
        let mut count = 0;
        // Counted and not searched for: nothing could predict where a text ends.
        for few in starts.chunks(16) {
            let more = few.iter().filter(|&&start| start < end).count();
            count += more;
            if more < few.len() {
                break;
            }
        }
        count
    }

    /// Ends the row of the next text. Gives the number of pieces to pass over.
    #[inline]
    pub fn end(&mut self, ids: &mut Vec<TokenId>) -> usize {
        self.left = self.left.get(1..).unwrap_or_default();
        ids.extend(self.append);
        self.rows.iter_mut().for_each(|rows| rows.push(ids.len()));
        self.between
    }

    /// Whether there are texts that have no piece from this one on.
    pub fn ends_before(&self, start: usize) -> bool {
        self.left.first().is_some_and(|&end| end <= start)
    }

    /// Ends the rows of these.
    pub fn end_before(&mut self, start: usize, ids: &mut Vec<TokenId>) {
        while self.ends_before(start) {
            self.end(ids);
        }
    }

    pub fn end_all(&mut self, ids: &mut Vec<TokenId>) {
        self.end_before(usize::MAX, ids);
    }
}
