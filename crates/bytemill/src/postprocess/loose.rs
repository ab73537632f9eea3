//! Encodings apart from their tokenizer: cut, joined, and put into a template, by the rules of `tokenizers`. Their tokens have names.

use std::ops::Range;

use super::{Encoding, InputPlace, InputToken, Side, Slot, Trim, Truncation};
use crate::error::{Error, Result};

impl Encoding {
    /// The first of the parts of at most `most` tokens, each of which has `stride` in common with the one before; the others overflow. The
    /// texts of what is cut are one.
    pub fn truncated(mut self, most: usize, stride: usize, side: Side) -> Result<Self> {
        let length = self.tokens.len();
        if most >= length {
            return Ok(self);
        }
        if most == 0 {
            return Ok(Encoding { overflowing: vec![self], ..Encoding::named() });
        }
        if stride >= most {
            return Err(Error::Spec(format!(
                "`stride` must be strictly less than `max_len={most}` (note that `max_len` may be shorter than the max length \
                 of the original model, as it subtracts the number of special characters"
            )));
        }
        self.overflowing.clear();
        let mut parts = parts(length, most, stride, side).into_iter().map(|part| self.part(part));
        let first = parts.next().unwrap_or_else(Encoding::named);
        let overflowing = parts.collect();
        Ok(Encoding { overflowing, ..first })
    }

    /// One text, or two, cut down to a length together.
    pub fn all_truncated(texts: Vec<Self>, truncation: &Truncation) -> Result<Vec<Self>> {
        let length = |i: usize| texts.get(i).map_or(0, |text| text.tokens.len());
        let kept = truncation.kept(truncation.max_length, [length(0), length(1)], texts.len() > 1)?;
        let cut = |(text, kept): (Self, usize)| text.truncated(kept, truncation.stride, truncation.side);
        texts.into_iter().zip(kept).map(cut).collect()
    }

    /// One after the other. `growing`: offsets go on where those of the one before end.
    pub fn joined(encodings: impl IntoIterator<Item = Self>, growing: bool) -> Self {
        encodings.into_iter().fold(Encoding::named(), |joined, next| joined.with(&next, growing))
    }

    /// All tokens are of this text.
    pub fn of_sequence(mut self, id: u32) -> Self {
        let mut sequences = self.sequences().into_owned();
        sequences.retain(|&(other, _)| other != id);
        sequences.push((id, 0..self.tokens.len()));
        self.sequences = Some(sequences);
        self
    }

    /// One text, or two, in a template, of which special tokens can be left out.
    pub fn in_template(texts: &[Self], slots: &[Slot], add_special_tokens: bool) -> Self {
        let parts = slots.iter().filter_map(|slot| match slot {
            Slot::Text { second, type_id } => {
                let text = texts.get(usize::from(*second))?;
                Some(text.clone().of_text(u32::from(*second), *type_id))
            }
            Slot::Special { ids, names, type_id, .. } => add_special_tokens.then(|| {
                let tokens = ids.iter().map(|&id| InputToken { id, type_id: *type_id, place: None }).collect();
                Encoding { tokens, names: Some(names.clone()), sequences: Some(Vec::new()), ..Encoding::default() }
            }),
        });
        Self::joined(parts, false)
    }

    fn of_text(self, id: u32, type_id: u32) -> Self {
        let mut text = self.of_sequence(id);
        text.tokens.iter_mut().for_each(|token| token.type_id = type_id);
        let overflowing = std::mem::take(&mut text.overflowing);
        text.overflowing = overflowing.into_iter().map(|part| part.of_text(id, type_id)).collect();
        text
    }

    /// Leaves white space out of offsets, as far as the names of tokens show it.
    pub fn trim(&mut self, trim: Trim) {
        let names = self.names.as_deref().unwrap_or_default();
        for (at, (token, name)) in self.tokens.iter_mut().zip(names).enumerate() {
            let Some(InputPlace { start, end, .. }) = &mut token.place else { continue };
            let (before, after) = super::spaces_of_text(name);
            let was_put = trim.prefix_space && before == 1 && (at == 0 || *start == 0);
            *start = (*start + if was_put { 0 } else { before as u32 }).min(*end);
            if *end as usize >= after {
                *end = (*end - after as u32).max(*start);
            }
        }
        self.overflowing.iter_mut().for_each(|part| part.trim(trim));
    }

    fn named() -> Self {
        Encoding { names: Some(Vec::new()), sequences: Some(Vec::new()), ..Encoding::default() }
    }

    fn part(&self, part: Range<usize>) -> Self {
        let inside = |range: &Range<usize>| {
            let (start, end) = (range.start.max(part.start), range.end.min(part.end));
            (start < end).then(|| start - part.start..end - part.start)
        };
        Encoding {
            tokens: self.tokens[part.clone()].to_vec(),
            names: self.names.as_ref().map(|names| names[part.clone()].to_vec()),
            padding: self.padding.iter().filter_map(inside).collect(),
            sequences: Some(Vec::new()),
            ..Encoding::default()
        }
    }

    fn with(self, next: &Self, growing: bool) -> Self {
        let alone = |encoding: &Self| Encoding { overflowing: Vec::new(), ..encoding.clone() };
        let mut overflowing = Vec::new();
        for ours in &self.overflowing {
            overflowing.push(ours.clone().with(&alone(next), growing));
            overflowing.extend(next.overflowing.iter().map(|theirs| ours.clone().with(theirs, growing)));
        }
        overflowing.extend(next.overflowing.iter().map(|theirs| alone(&self).with(theirs, growing)));
        let mut joined = Encoding { overflowing, sequences: Some(self.sequences().into_owned()), ..self };
        joined.append(next, growing);
        joined
    }

    fn append(&mut self, next: &Self, growing: bool) {
        let before = self.tokens.len();
        let last = self.tokens.last().and_then(|token| token.place).map_or(0, |place| place.end);
        let offset = if growing { last } else { 0 };
        let moved = |place: InputPlace| InputPlace { start: place.start + offset, end: place.end + offset, ..place };
        self.tokens.extend(next.tokens.iter().map(|token| InputToken { place: token.place.map(moved), ..*token }));
        self.names.get_or_insert_default().extend_from_slice(next.names.as_deref().unwrap_or_default());
        let shifted = |range: &Range<usize>| before + range.start..before + range.end;
        self.padding.extend(next.padding.iter().map(shifted));
        let sequences = self.sequences.get_or_insert_default();
        for (id, range) in next.sequences().iter() {
            sequences.retain(|(known, _)| known != id);
            sequences.push((*id, shifted(range)));
        }
    }
}

/// The parts of `length` tokens, from the side that is kept.
fn parts(length: usize, most: usize, stride: usize, side: Side) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut done = 0;
    loop {
        let reached = (done + most).min(length);
        parts.push(match side {
            Side::Right => done..reached,
            Side::Left => length - reached..length - done,
        });
        if reached == length {
            return parts;
        }
        done += most - stride;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding(ids: Range<u32>) -> Encoding {
        let place = |id| InputPlace { start: id, end: id + 1, piece: id, second: false };
        Encoding {
            tokens: ids.clone().map(|id| InputToken { id, type_id: 0, place: Some(place(id)) }).collect(),
            names: Some(ids.map(|id| id.to_string()).collect()),
            ..Encoding::default()
        }
    }

    fn ids(encoding: &Encoding) -> Vec<u32> {
        encoding.tokens.iter().map(|token| token.id).collect()
    }

    #[test]
    fn what_is_cut_off_overflows_with_a_stride() {
        let cut = encoding(0..5).truncated(3, 1, Side::Right).unwrap();
        assert_eq!(ids(&cut), [0, 1, 2]);
        assert_eq!(cut.overflowing.iter().map(ids).collect::<Vec<_>>(), [[2, 3, 4]]);
        let cut = encoding(0..5).truncated(2, 0, Side::Left).unwrap();
        assert_eq!(ids(&cut), [3, 4]);
        assert_eq!(cut.overflowing.iter().map(ids).collect::<Vec<_>>(), [vec![1, 2], vec![0]]);
        assert!(encoding(0..5).truncated(2, 2, Side::Left).is_err());
        assert_eq!(ids(&encoding(0..5).truncated(0, 0, Side::Left).unwrap().overflowing[0]), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn offsets_grow_and_the_last_text_of_a_number_is_that_text() {
        let joined = Encoding::joined([encoding(0..2), encoding(0..2)], true);
        let ends: Vec<u32> = joined.tokens.iter().filter_map(|token| token.place).map(|place| place.end).collect();
        assert_eq!(ends, [1, 2, 3, 4]);
        assert_eq!(*joined.sequences(), [(0, 2..4)]);
        assert_eq!(*joined.of_sequence(1).sequences(), [(0, 2..4), (1, 0..4)]);
    }
}
