//! A model's input: the tokens of one text or pair, truncated, in their template, padded.

use std::ops::Range;

use crate::alphabet;
use crate::definition::{Family, Unit};
use crate::encoding::{Detailed, Encoding, Place, TokenPlace};
use crate::error::{Error, Result};
use crate::model::Scratch;
use crate::postprocess::{Padding, Parts, Slot, Trim, Truncation, undivided};
use crate::sampling::Drops;
use crate::special::Choice;
use crate::tokenizer::Tokenizer;
use crate::vocab::TokenId;

/// One of the texts of an input.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    Text(&'a str),
    /// Words that somebody has split already: each is encoded by itself, and places are places in a word.
    Words(&'a [&'a str]),
}

impl<'a> Source<'a> {
    /// The text that the tokens of a piece have their place in.
    pub fn text(&self, piece: u32) -> &'a str {
        match self {
            Source::Text(text) => text,
            Source::Words(words) => words.get(piece as usize).copied().unwrap_or_default(),
        }
    }

    fn words(&self) -> &[&'a str] {
        match self {
            Source::Text(text) => std::slice::from_ref(text),
            Source::Words(words) => words,
        }
    }

    pub fn len(&self) -> usize {
        self.words().iter().map(|word| word.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What is asked for, beside the texts.
#[derive(Debug)]
pub struct Request<'a> {
    pub add_special_tokens: bool,
    /// Whether places have spans; if not, they mean nothing.
    pub spans: bool,
    pub choice: &'a Choice,
    pub drops: Option<Drops>,
    pub truncation: Option<&'a Truncation>,
    /// Whether what truncation cuts off is wanted.
    pub overflow: bool,
    pub padding: Option<&'a Padding>,
}

/// The tokens of one text.
type Found = Detailed<true>;

impl Tokenizer {
    /// The input, but for padding, which is of a batch.
    pub fn input(
        &self,
        text: Source,
        pair: Option<Source>,
        request: &Request,
        number: usize,
        scratch: &mut Scratch,
    ) -> Result<Encoding> {
        let sources = [text, pair.unwrap_or(Source::Words(&[]))];
        let added = if request.add_special_tokens { self.template.added(pair.is_some()) } else { 0 };
        let room = request.truncation.map(|truncation| truncation.room(added)).transpose()?;
        let enough = match (request.truncation, room) {
            (Some(truncation), Some(room)) if !request.overflow => truncation.enough(room),
            _ => [None; 2],
        };
        let mut found = self.found(sources, request, number, enough, scratch)?;
        let parts = match (request.truncation, room) {
            (Some(truncation), Some(room)) => {
                let is_cut = |i: usize| enough[i] == Some(found[i].ids.len());
                if is_cut(0) && is_cut(1) && room % 2 == 1 {
                    // Which one is longer decides who has one token more.
                    found = self.found(sources, request, number, [None; 2], scratch)?;
                }
                let lengths = [found[0].ids.len(), found[1].ids.len()];
                let kept = truncation.kept(room, lengths, pair.is_some())?;
                let parts = |i: usize| truncation.parts(lengths[i], kept[i], request.overflow);
                [parts(0)?, parts(1)?]
            }
            _ => [0, 1].map(|i| undivided(0..found[i].ids.len())),
        };
        let slots = self.template.slots(pair.is_some());
        let [first, second] = found;
        let texts = [
            self.in_parts(first, &parts[0], sources[0], request.spans),
            self.in_parts(second, &parts[1], sources[1], request.spans),
        ];
        let (main, others) = combinations(slots, &parts);
        let mut encoding = self.assemble(slots, &main, &texts, request.add_special_tokens);
        encoding.overflowing =
            others.iter().map(|parts| self.assemble(slots, parts, &texts, request.add_special_tokens)).collect();
        Ok(encoding)
    }

    fn found(
        &self,
        sources: [Source; 2],
        request: &Request,
        number: usize,
        enough: [Option<usize>; 2],
        scratch: &mut Scratch,
    ) -> Result<[Found; 2]> {
        let [first, second] = sources;
        Ok([
            self.found_in(first, request, 2 * number, enough[0], scratch)?,
            self.found_in(second, request, 2 * number + 1, enough[1], scratch)?,
        ])
    }

    fn found_in(
        &self,
        source: Source,
        request: &Request,
        number: usize,
        enough: Option<usize>,
        scratch: &mut Scratch,
    ) -> Result<Found> {
        // Tokens have three bytes or more of most texts.
        let room = (source.len() / 3 + 8).min(enough.unwrap_or(usize::MAX));
        let mut found =
            Found { ids: Vec::with_capacity(room), places: Vec::with_capacity(room), enough, ..Found::default() };
        for (i, word) in source.words().iter().enumerate() {
            let from = found.places.len();
            // Each word passes over merges of its own.
            let number = number | i << 32;
            match self.found_in_text(word, request, number, &mut found, scratch) {
                Err(Error::Stopped) => {}
                other => other?,
            }
            if let Source::Words(_) = source {
                found.places[from..].iter_mut().for_each(|place| place.piece = i as u32);
            }
            if let Some(enough) = enough.filter(|&enough| found.ids.len() >= enough) {
                found.ids.truncate(enough);
                found.places.truncate(enough);
                found.surfaces.retain(|&(at, _)| at < enough);
                break;
            }
        }
        Ok(found)
    }

    fn found_in_text(
        &self,
        text: &str,
        request: &Request,
        number: usize,
        found: &mut Found,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if request.spans {
            return self.encode_sampled(text, request.choice, request.drops, number, scratch, found);
        }
        let Detailed { ids, places, surfaces, enough } = std::mem::take(found);
        let mut unplaced = Detailed::<false> { ids, places, surfaces, enough };
        let encoded = self.encode_sampled(text, request.choice, request.drops, number, scratch, &mut unplaced);
        let Detailed { ids, places, surfaces, enough } = unplaced;
        *found = Detailed { ids, places, surfaces, enough };
        encoded
    }

    /// The parts of a text, each with its offsets trimmed by itself.
    fn in_parts(&self, found: Found, parts: &Parts, source: Source, spans: bool) -> Vec<Found> {
        let mut cut: Vec<Found> = match parts.as_slice() {
            [all] if *all == (0..found.ids.len()) => vec![found],
            parts => parts.iter().map(|part| found.part(part)).collect(),
        };
        if let (true, Some(trim)) = (spans, self.definition().outline.trim) {
            cut.iter_mut().for_each(|part| self.trim(trim, source, part));
        }
        cut
    }

    fn assemble(&self, slots: &[Slot], parts: &[usize], texts: &[Vec<Found>; 2], add_special_tokens: bool) -> Encoding {
        let tokens = |slot: &Slot, part: usize| match slot {
            Slot::Special { ids, .. } => ids.len(),
            Slot::Text { second, .. } => texts[usize::from(*second)][part].ids.len(),
        };
        let mut encoding = Encoding::with_room(slots.iter().zip(parts).map(|(slot, &part)| tokens(slot, part)).sum());
        for (slot, &part) in slots.iter().zip(parts) {
            match slot {
                Slot::Special { ids, names, type_id, .. } if add_special_tokens => {
                    for (&id, name) in ids.iter().zip(names) {
                        if self.name(id) != Some(name.as_bytes()) {
                            encoding.surfaces.push((encoding.ids.len(), name.clone()));
                        }
                        encoding.push(id, *type_id, None);
                    }
                }
                Slot::Special { .. } => {}
                Slot::Text { second, type_id } => {
                    let Detailed { ids, places, surfaces, .. } = &texts[usize::from(*second)][part];
                    let before = encoding.ids.len();
                    encoding.surfaces.extend(surfaces.iter().map(|(i, surface)| (before + i, surface.clone())));
                    encoding.ids.extend_from_slice(ids);
                    encoding.type_ids.extend(std::iter::repeat_n(*type_id, ids.len()));
                    let place = |&TokenPlace { span, piece }| Some(Place { second: *second, span, piece });
                    encoding.places.extend(places.iter().map(place));
                }
            }
        }
        encoding
    }

    /// What an id is shown as in an input: what the model gave has the model's name, even where an added token of the same id is shown
    /// otherwise.
    pub fn name(&self, id: TokenId) -> Option<&[u8]> {
        self.definition().vocab.token(id).or_else(|| self.token(id))
    }

    fn trim(&self, trim: Trim, source: Source, found: &mut Found) {
        let mut surfaces = found.surfaces.iter().peekable();
        for (i, (&id, place)) in found.ids.iter().zip(&mut found.places).enumerate() {
            let spaces = match surfaces.next_if(|(number, _)| *number == i) {
                Some((_, surface)) => spaces_of_text(surface),
                None => self.spaces_of(id),
            };
            place.span = trim.apply(source.text(place.piece), place.span, spaces, i == 0);
        }
    }

    /// How many spaces a token of the model begins and ends with.
    fn spaces_of(&self, id: TokenId) -> (usize, usize) {
        let definition = self.definition();
        let token = definition.vocab.token(id).unwrap_or_default();
        match (definition.outline.family, definition.outline.symbols.unit) {
            (Family::Bpe, Unit::Bytes) => {
                let is_space = |byte: &&u8| **byte == b' ';
                (token.iter().take_while(is_space).count(), token.iter().rev().take_while(is_space).count())
            }
            _ => spaces_of_text(&String::from_utf8_lossy(token)),
        }
    }
}

/// White space at both ends; the space of the byte-level alphabet counts, as it does for `tokenizers`.
fn spaces_of_text(token: &str) -> (usize, usize) {
    let is_space = |c: &char| c.is_whitespace() || *c == alphabet::char_of(b' ');
    (token.chars().take_while(is_space).count(), token.chars().rev().take_while(is_space).count())
}

/// Which part of its text each slot has: in the input itself, and in those of what was cut off, which are all other combinations, in the
/// order of the library.
fn combinations(slots: &[Slot], parts: &[Parts; 2]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut main = Vec::with_capacity(slots.len());
    let mut others: Vec<Vec<usize>> = Vec::new();
    for slot in slots {
        let count = match slot {
            Slot::Text { second, .. } => parts[usize::from(*second)].len(),
            Slot::Special { .. } => 1,
        };
        let with = |before: &Vec<usize>, part| before.iter().copied().chain([part]).collect::<Vec<_>>();
        let mut longer: Vec<Vec<usize>> =
            others.iter().flat_map(|other| (0..count).map(move |part| with(other, part))).collect();
        longer.extend((1..count).map(|part| with(&main, part)));
        others = longer;
        main.push(0);
    }
    (main, others)
}

impl Found {
    fn part(&self, part: &Range<usize>) -> Self {
        let surfaces = self.surfaces.iter().filter(|(at, _)| part.contains(at));
        Found {
            ids: self.ids[part.clone()].to_vec(),
            places: self.places[part.clone()].to_vec(),
            surfaces: surfaces.map(|(at, surface)| (at - part.start, surface.clone())).collect(),
            enough: None,
        }
    }
}

impl Encoding {
    fn with_room(tokens: usize) -> Self {
        Encoding {
            ids: Vec::with_capacity(tokens),
            type_ids: Vec::with_capacity(tokens),
            places: Vec::with_capacity(tokens),
            ..Encoding::default()
        }
    }

    fn push(&mut self, id: TokenId, type_id: u32, place: Option<Place>) {
        self.ids.push(id);
        self.type_ids.push(type_id);
        self.places.push(place);
    }
}
