//! Segmentations: every row of tokens that a text may become, for Unigram. The best of them, random ones, and how sure the best is.

use crate::encode::pipeline::TextPart;
use crate::encode::placed::PlacedRow;
use crate::encode::sampling::not_an_alpha;
use crate::encode::scratch::Scratch;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::machine::memory::{ask, check, room_for};
use crate::machine::random::{RandomStream, document};
use crate::model::unigram::lattice::{Arc, Lattice};
use crate::model::unigram::{Segment, Unigram};
use crate::model::{Model, PieceSpan};
use crate::normalize::Normalized;
use crate::specials::Choice;
use crate::text::span::Span;
use crate::vocab::TokenId;

/// The most rows that are given at once, as in SentencePiece.
pub const MOST: usize = 1024;
/// The limit for sampling with replacement, where every sample costs the same.
const MOST_DRAWN: usize = 1_000_000;

/// A row as ids, and what is known of it: a score, or the logarithm of a probability.
pub type ScoredIds = (Vec<TokenId>, f64);

/// Of one text.
pub struct Segmentations<'a> {
    model: &'a Unigram,
    lattice: Lattice,
    /// What the lattice is of: pieces one after the other; an added token has the room of one byte.
    text: String,
    parts: Vec<(usize, Option<TokenId>)>,
}

impl Tokenizer {
    fn unigram(&self) -> Result<&Unigram> {
        match self.model() {
            Model::Unigram(model) => Ok(model),
            _ => {
                let family = self.definition().outline.family.name();
                Err(Error::Spec(format!("segmentations are of Unigram, and this is a {family} tokenizer")))
            }
        }
    }

    pub fn segmentations(&self, text: &str, choice: &Choice, scratch: &mut Scratch) -> Result<Segmentations<'_>> {
        let model = self.unigram()?;
        ask(text.len().saturating_mul(4))?;
        let mut all = Segmentations { model, lattice: Lattice::default(), text: String::new(), parts: Vec::new() };
        self.pipeline().run(text, choice.into(), false, &mut scratch.borders, &mut |part| {
            match part {
                TextPart::Special(id, ..) => {
                    all.lattice.add_token(id);
                    all.text.push('\0');
                    all.parts.push((all.text.len(), Some(id)));
                }
                TextPart::Pieces(pieces) => {
                    for piece in pieces.iter() {
                        model.add_to(&mut all.lattice, piece.text);
                        all.text.push_str(piece.text);
                        all.parts.push((all.text.len(), None));
                    }
                }
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// The sum of the scores of ids.
    pub fn score(&self, ids: &[TokenId]) -> Result<f64> {
        let model = self.unigram()?;
        match ids.iter().find(|&&id| self.token(id).is_none()) {
            Some(&id) => Err(self.unknown_id(id.into())),
            None => Ok(model.score_of(ids)),
        }
    }
}

/// Which segmentations are wanted.
#[derive(Debug, Clone, Copy)]
pub enum Draw {
    /// The `n` best with their scores, the best first; fewer where there are fewer.
    Best { n: usize },
    /// `n` at random, each by its probability and with the logarithm of it.
    Sample { n: usize, alpha: f64, seed: u64 },
    /// `n` different ones at random, with the logarithm of the probability that each of them is among `n`. `best` puts the best
    /// before them, which is then sure to be there.
    Distinct { n: usize, alpha: f64, seed: u64, best: bool },
}

impl Segmentations<'_> {
    /// As ids.
    pub fn drawn(&self, draw: Draw) -> Result<Vec<ScoredIds>> {
        let ids = |(row, score): (Vec<Arc>, f64)| check().and_then(|()| Ok((self.ids(&row)?, score)));
        self.rows(draw)?.into_iter().map(ids).collect()
    }

    /// With the place of each token in the normalized text, which is all that the segmentations are of, and in the original.
    pub(super) fn placed(&self, draw: Draw, normalized: &Normalized) -> Result<Vec<PlacedRow>> {
        let placed = |(row, score): (Vec<Arc>, f64)| {
            let row: Vec<Segment> = segments(&row).collect();
            let (mut ids, mut spans) = (Vec::new(), Vec::new());
            self.model.emit_placed(&self.text, &row, &mut ids, &mut spans);
            let inside: Vec<Span> = spans.into_iter().map(PieceSpan::span).collect();
            let original = inside.iter().map(|&span| normalized.original(span)).collect();
            PlacedRow { ids, normalized: inside, original, score }
        };
        Ok(self.rows(draw)?.into_iter().map(placed).collect())
    }

    fn rows(&self, draw: Draw) -> Result<Vec<(Vec<Arc>, f64)>> {
        match draw {
            Draw::Best { n } => Ok(self.model.nbest(&self.lattice, within("n", n, MOST)?)),
            Draw::Sample { n, alpha, seed } => {
                let forward = self.lattice.forward(valid(alpha)?);
                let mut stream = RandomStream::of_piece(document(seed, 0), 0);
                let mut rows = room_for(within("n", n, MOST_DRAWN)?)?;
                for _ in 0..n {
                    check()?;
                    let row = forward.sample(&mut stream);
                    let probability = forward.probability(&row);
                    rows.push((row, probability));
                }
                Ok(rows)
            }
            Draw::Distinct { n, alpha, seed, best } => self.distinct(n, alpha, seed, best),
        }
    }

    fn distinct(&self, n: usize, alpha: f64, seed: u64, best: bool) -> Result<Vec<(Vec<Arc>, f64)>> {
        let forward = self.lattice.forward(valid(alpha)?);
        let mut stream = RandomStream::of_piece(document(seed, 0), 0);
        // One more than is wanted: its perturbed score is what the others are above.
        let mut drawn = self.lattice.distinct(within("n", n, MOST)? + 1, &forward, &mut stream);
        let mut rows = Vec::new();
        if best {
            let first = self.model.nbest(&self.lattice, 1).into_iter().map(|(row, _)| row).next().unwrap_or_default();
            drawn.retain(|(row, _)| segments(row).ne(segments(&first)));
            drawn.truncate(n);
            rows.push((first, 0.0));
        }
        let wanted = n - usize::from(best);
        // Where there are no more rows than are wanted, each is sure to be there.
        let limit = drawn.get(wanted).map(|(_, perturbed)| *perturbed);
        for (row, _) in drawn.into_iter().take(wanted) {
            let inclusion = limit.map_or(0.0, |limit| log_inclusion(forward.probability(&row) - limit));
            rows.push((row, inclusion));
        }
        Ok(rows)
    }

    /// How much there is to choose, in natural units: 0 where there is one row alone.
    pub fn entropy(&self, alpha: f64) -> Result<f64> {
        Ok(self.lattice.forward(valid(alpha)?).entropy())
    }

    /// The logarithm of the summed probabilities of all rows.
    pub fn log_probability(&self) -> f64 {
        self.lattice.forward(1.0).total()
    }

    fn ids(&self, row: &[Arc]) -> Result<Vec<TokenId>> {
        let (mut ids, mut rest, mut start) = (Vec::new(), row, 0);
        for &(end, token) in &self.parts {
            let (here, after) = rest.split_at(rest.partition_point(|arc| arc.segment.start < end));
            rest = after;
            if let Some(id) = token {
                ids.push(id);
            } else {
                let shifted = |it: Segment| Segment { start: it.start - start, end: it.end - start, ..it };
                let row: Vec<Segment> = segments(here).map(shifted).collect();
                self.model.emit_row(&self.text[start..end], &row, &mut ids)?;
            }
            start = end;
        }
        Ok(ids)
    }
}

fn segments(row: &[Arc]) -> impl Iterator<Item = Segment> {
    row.iter().map(|arc| arc.segment)
}

/// log(1 − exp(−exp x)): that of a number of the Gumbel distribution around x to be above 0.
fn log_inclusion(x: f64) -> f64 {
    let y = x.exp();
    // The series where rounding leaves nothing of the difference.
    if x <= -10.0 { x - y / 2.0 + y * y / 24.0 } else { (-(-y).exp_m1()).ln() }
}

fn within(name: &str, n: usize, most: usize) -> Result<usize> {
    if !(1..=most).contains(&n) {
        return Err(Error::Spec(format!("{name} is from 1 to {most}, not {n}")));
    }
    Ok(n)
}

fn valid(alpha: f64) -> Result<f64> {
    if alpha >= 0.0 && alpha.is_finite() { Ok(alpha) } else { Err(not_an_alpha(alpha)) }
}
