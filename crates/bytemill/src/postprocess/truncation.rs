//! Truncation: which tokens of a text or pair a model's input has room for, and the parts that the others make.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Side;
use crate::error::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truncation {
    /// The most tokens of an input, those of the template included.
    pub max_length: usize,
    pub strategy: Strategy,
    /// How many tokens a part of what is cut off has in common with the part before.
    pub stride: usize,
    /// Where tokens are cut off.
    pub side: Side,
}

/// Which text of a pair is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// The longer one down to the length of the other, then both.
    LongestFirst,
    OnlyFirst,
    OnlySecond,
}

/// The tokens of one text: those that stay, then parts with what is cut off.
pub(crate) type TruncatedParts = Vec<Range<usize>>;

/// One part.
fn undivided(tokens: Range<usize>) -> TruncatedParts {
    std::iter::once(tokens).collect()
}

impl Truncation {
    /// How many tokens the texts may have beside those of the template.
    pub fn room(&self, template: usize) -> Result<usize> {
        self.max_length.checked_sub(template).ok_or_else(|| {
            Error::Spec(format!("max_length={} has no room for the {template} tokens of the template", self.max_length))
        })
    }

    /// How many tokens of each text are to be known, beyond which more of them change nothing but what is cut off; None for all.
    pub fn enough(&self, room: usize) -> [Option<usize>; 2] {
        let limit = (self.side == Side::Right).then_some(room + 1);
        match self.strategy {
            Strategy::LongestFirst => [limit; 2],
            // All of the other text is kept.
            Strategy::OnlyFirst => [limit, None],
            Strategy::OnlySecond => [None, limit],
        }
    }

    /// How many tokens each text keeps, given how many it has.
    pub fn kept(&self, room: usize, lengths: [usize; 2], pair: bool) -> Result<[usize; 2]> {
        let [first, second] = lengths;
        let too_many = (first + second).saturating_sub(room);
        if too_many == 0 {
            return Ok(lengths);
        }
        if room == 0 {
            return Ok([0, 0]);
        }
        let only = |length: usize, name: &str| match length > too_many {
            true => Ok(length - too_many),
            false => Err(Error::Spec(format!(
                "max_length={} cannot be reached by cutting the {name} text alone, which has {length} tokens where \
                 {too_many} are too many",
                self.max_length
            ))),
        };
        match self.strategy {
            Strategy::LongestFirst if !pair => Ok([room, 0]),
            Strategy::LongestFirst => Ok(longest_first(room, lengths)),
            Strategy::OnlyFirst => Ok([only(first, "first")?, second]),
            Strategy::OnlySecond if pair => Ok([first, only(second, "second")?]),
            Strategy::OnlySecond => Err(Error::Spec(format!(
                "the text has {first} tokens where there is room for {room}, and strategy=\"only_second\" cuts the second \
                 text of a pair, which was not given"
            ))),
        }
    }

    /// The tokens of a text that stay, and if wanted the parts that the others make.
    pub fn parts(&self, length: usize, kept: usize, overflow: bool) -> Result<TruncatedParts> {
        if kept >= length {
            return Ok(undivided(0..length));
        }
        let stays = match self.side {
            Side::Right => 0..kept,
            Side::Left => length - kept..length,
        };
        if !overflow {
            return Ok(undivided(stays));
        }
        if kept == 0 {
            return Ok(vec![stays, 0..length]);
        }
        if self.stride >= kept {
            return Err(Error::Spec(format!(
                "stride={} must be less than the {kept} tokens that a text has room for here",
                self.stride
            )));
        }
        let mut parts = undivided(stays);
        while let Some(last) = parts.last() {
            let next = match self.side {
                Side::Right if last.end < length => {
                    let start = last.end - self.stride;
                    start..(start + kept).min(length)
                }
                Side::Left if last.start > 0 => {
                    let end = last.start + self.stride;
                    end.saturating_sub(kept)..end
                }
                _ => break,
            };
            parts.push(next);
        }
        Ok(parts)
    }
}

/// The shorter text stays whole if the longer one can make room; else each has half, and the longer one what is left over.
fn longest_first(room: usize, [first, second]: [usize; 2]) -> [usize; 2] {
    let shorter = first.min(second);
    let kept = match room.saturating_sub(shorter) {
        longer if shorter <= room && longer >= shorter => [shorter, longer],
        _ => [room / 2, room - room / 2],
    };
    if first > second { [kept[1], kept[0]] } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEVEN: Truncation =
        Truncation { max_length: 7, strategy: Strategy::LongestFirst, stride: 0, side: Side::Right };

    #[test]
    fn the_longer_text_is_cut_first() {
        let kept = |first, second| SEVEN.kept(7, [first, second], true).unwrap();
        assert_eq!([kept(0, 2), kept(0, 9), kept(2, 8), kept(8, 2)], [[0, 2], [0, 7], [2, 5], [5, 2]]);
        assert_eq!([kept(4, 4), kept(4, 8), kept(8, 4), kept(8, 8)], [[3, 4], [3, 4], [4, 3], [3, 4]]);
        assert_eq!(SEVEN.kept(7, [9, 0], false).unwrap(), [7, 0]);
        assert_eq!(SEVEN.kept(0, [9, 3], true).unwrap(), [0, 0]);
    }

    #[test]
    fn one_text_alone_may_be_too_short() {
        let first = Truncation { strategy: Strategy::OnlyFirst, ..SEVEN };
        assert_eq!(first.kept(7, [8, 3], true).unwrap(), [4, 3]);
        let error = first.kept(7, [2, 9], true).unwrap_err().to_string();
        assert!(error.contains("cutting the first text alone, which has 2 tokens where 4 are too many"), "{error}");
        let second = Truncation { strategy: Strategy::OnlySecond, ..SEVEN };
        assert_eq!(second.kept(7, [3, 8], true).unwrap(), [3, 4]);
        assert!(second.kept(7, [8, 0], false).unwrap_err().to_string().contains("which was not given"));
        assert_eq!(second.kept(7, [7, 0], false).unwrap(), [7, 0]);
    }

    #[test]
    fn parts_overlap_by_the_stride_and_end_at_the_end() {
        let stride = Truncation { stride: 1, ..SEVEN };
        assert_eq!(stride.parts(7, 3, true).unwrap(), [0..3, 2..5, 4..7]);
        assert_eq!(stride.parts(6, 3, true).unwrap(), [0..3, 2..5, 4..6]);
        let left = Truncation { side: Side::Left, ..stride };
        assert_eq!(left.parts(7, 3, true).unwrap(), [4..7, 2..5, 0..3]);
        assert_eq!(left.parts(6, 3, true).unwrap(), [3..6, 1..4, 0..2]);
        assert_eq!(left.parts(6, 3, false).unwrap(), undivided(3..6));
        assert_eq!(stride.parts(3, 3, true).unwrap(), undivided(0..3));
        assert_eq!(stride.parts(3, 0, true).unwrap(), [0..0, 0..3]);
        assert!(Truncation { stride: 3, ..SEVEN }.parts(7, 3, true).unwrap_err().to_string().contains("stride=3"));
    }
}
