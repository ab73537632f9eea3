//! A model's input: the tokens of one text or pair, truncated, in their template, padded.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::definition::{Family, Unit};
use crate::encode::call::Call;
use crate::encode::sampling::Sampling;
use crate::encode::scratch::Scratch;
use crate::encode::sink::{Detailed, TokenPlace};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::postprocess::{Encoding, InputPlace, InputToken};
use crate::postprocess::{Padding, Slot, Trim, TruncatedParts, Truncation, spaces_of_text};
use crate::specials::Choice;
use crate::vocab::TokenId;

/// One of the texts of an input.
#[derive(Debug, Clone, Copy)]
pub enum InputText<'a> {
    Text(&'a str),
    /// Words that somebody has split already: each is encoded by itself, and places are places in a word.
    Words(&'a [&'a str]),
}

impl<'a> InputText<'a> {
    /// The text that the tokens of a piece have their place in.
    pub fn text(&self, piece: u32) -> &'a str {
        match self {
            InputText::Text(text) => text,
            InputText::Words(words) => words.get(piece as usize).copied().unwrap_or_default(),
        }
    }

    fn words(&self) -> &[&'a str] {
        match self {
            InputText::Text(text) => std::slice::from_ref(text),
            InputText::Words(words) => words,
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
    pub sampling: Option<Sampling>,
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
        text: InputText,
        pair: Option<InputText>,
        request: &Request,
        number: usize,
        scratch: &mut Scratch,
    ) -> Result<Encoding> {
        let sources = [text, pair.unwrap_or(InputText::Words(&[]))];
        if sources.iter().any(|source| source.len() >= u32::MAX as usize) {
            return Err(Error::Spec(
                "a text of 4 GiB or more cannot be one input; split it, or ask for its ids alone".into(),
            ));
        }
        let added = if request.add_special_tokens { self.template.added(pair.is_some()) } else { 0 };
        let room = request.truncation.map(|truncation| truncation.room(added)).transpose()?;
        let enough = match (request.truncation, room) {
            (Some(truncation), Some(room)) if !request.overflow => truncation.enough(room),
            _ => [None; 2],
        };
        let mut found = std::mem::take(&mut scratch.found);
        found.iter_mut().zip(enough).for_each(|(found, enough)| found.enough = enough);
        self.find(sources, request, number, &mut found, scratch)?;
        let mut parts = None;
        if let (Some(truncation), Some(room)) = (request.truncation, room) {
            let is_cut = |i: usize| enough[i] == Some(found[i].ids.len());
            if is_cut(0) && is_cut(1) && room % 2 == 1 {
                // Which one is longer decides which has one token more.
                found.iter_mut().for_each(|found| found.enough = None);
                self.find(sources, request, number, &mut found, scratch)?;
            }
            let lengths = [found[0].ids.len(), found[1].ids.len()];
            let kept = truncation.kept(room, lengths, pair.is_some())?;
            if kept != lengths {
                let parts_of = |i: usize| truncation.parts(lengths[i], kept[i], request.overflow);
                parts = Some([parts_of(0)?, parts_of(1)?]);
            }
        }
        let encoding = self.encoding(&mut found, parts.as_ref(), sources, pair.is_some(), request);
        scratch.found = found;
        Ok(encoding)
    }

    /// The tokens of both texts in their template; of their parts, if they were cut.
    fn encoding(
        &self,
        found: &mut [Found; 2],
        parts: Option<&[TruncatedParts; 2]>,
        sources: [InputText; 2],
        pair: bool,
        request: &Request,
    ) -> Encoding {
        let slots = self.template.slots(pair);
        let trim = self.definition().outline.trim.filter(|_| request.spans);
        let trim_all = |texts: &mut [Found], source: InputText| {
            if let Some(trim) = trim {
                texts.iter_mut().for_each(|text| self.trim(trim, source, text));
            }
        };
        let Some(parts) = parts else {
            let [first, second] = found;
            let mut texts = [std::slice::from_mut(first), std::slice::from_mut(second)];
            texts.iter_mut().zip(sources).for_each(|(text, source)| trim_all(text, source));
            let [first, second] = texts;
            return self.assemble(slots, |_| 0, [first, second], request.add_special_tokens);
        };
        let cut = [0, 1].map(|i| {
            let mut cut: Vec<Found> = parts[i].iter().map(|part| found[i].part(part)).collect();
            trim_all(&mut cut, sources[i]);
            cut
        });
        let texts = [cut[0].as_slice(), cut[1].as_slice()];
        let mut encoding = self.assemble(slots, |_| 0, texts, request.add_special_tokens);
        let others = combinations(slots, parts).into_iter();
        encoding.overflowing =
            others.map(|parts| self.assemble(slots, |slot| parts[slot], texts, request.add_special_tokens)).collect();
        encoding
    }

    /// The tokens of both texts, of each as many as are enough.
    fn find(
        &self,
        sources: [InputText; 2],
        request: &Request,
        number: usize,
        found: &mut [Found; 2],
        scratch: &mut Scratch,
    ) -> Result<()> {
        for (second, (found, source)) in found.iter_mut().zip(sources).enumerate() {
            found.clear();
            self.find_in(source, request, 2 * number + second, found, scratch)?;
        }
        Ok(())
    }

    fn find_in(
        &self,
        source: InputText,
        request: &Request,
        number: usize,
        found: &mut Found,
        scratch: &mut Scratch,
    ) -> Result<()> {
        for (i, word) in source.words().iter().enumerate() {
            let from = found.places.len();
            // Each word passes over merges of its own.
            let number = number | i << 32;
            self.found_in_text(word, request, number, found, scratch)?;
            if let InputText::Words(_) = source {
                found.places[from..].iter_mut().for_each(|place| place.piece = i as u32);
            }
            if let Some(enough) = found.enough.filter(|&enough| found.ids.len() >= enough) {
                found.ids.truncate(enough);
                found.places.truncate(enough);
                found.surfaces.retain(|&(at, _)| at < enough);
                break;
            }
        }
        Ok(())
    }

    fn found_in_text(
        &self,
        text: &str,
        request: &Request,
        number: usize,
        found: &mut Found,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let sampling = request.sampling.map(|sampling| (sampling, number));
        let call = Call { sampling, ..Call::from(request.choice) };
        if request.spans {
            return self.encode(text, call, scratch, found);
        }
        let Detailed { ids, places, surfaces, enough } = std::mem::take(found);
        let mut unplaced = Detailed::<false> { ids, places, surfaces, enough };
        let encoded = self.encode(text, call, scratch, &mut unplaced);
        let Detailed { ids, places, surfaces, enough } = unplaced;
        *found = Detailed { ids, places, surfaces, enough };
        encoded
    }

    /// The input in which each slot, by its number, has such a part of its text.
    fn assemble(
        &self,
        slots: &[Slot],
        part: impl Fn(usize) -> usize,
        texts: [&[Found]; 2],
        add_special_tokens: bool,
    ) -> Encoding {
        let tokens = |(number, slot): (usize, &Slot)| match slot {
            Slot::Special { ids, .. } => ids.len(),
            Slot::Text { second, .. } => texts[usize::from(*second)][part(number)].ids.len(),
        };
        let room = slots.iter().enumerate().map(tokens).sum();
        let mut encoding = Encoding { tokens: Vec::with_capacity(room), ..Encoding::default() };
        // The tokens do not tell of an empty text that it is there, nor of one that stands there twice that the last counts.
        let (mut sequences, mut tokens_tell) = (BTreeMap::new(), true);
        for (number, slot) in slots.iter().enumerate() {
            match slot {
                Slot::Special { ids, names, type_id, .. } if add_special_tokens => {
                    for (&id, name) in ids.iter().zip(names) {
                        if self.name(id) != Some(name.as_bytes()) {
                            encoding.surfaces.push((encoding.tokens.len(), name.clone()));
                        }
                        encoding.tokens.push(InputToken { id, type_id: *type_id, place: None });
                    }
                }
                Slot::Special { .. } => {}
                Slot::Text { second, type_id } => {
                    let Detailed { ids, places, surfaces, .. } = &texts[usize::from(*second)][part(number)];
                    let before = encoding.tokens.len();
                    encoding.surfaces.extend(surfaces.iter().map(|(i, surface)| (before + i, surface.clone())));
                    let token = |(&id, &TokenPlace { span, piece })| {
                        let place =
                            InputPlace { start: span.start as u32, end: span.end as u32, piece, second: *second };
                        InputToken { id, type_id: *type_id, place: Some(place) }
                    };
                    encoding.tokens.extend(ids.iter().zip(places).map(token));
                    let earlier = sequences.insert(u32::from(*second), before..encoding.tokens.len());
                    tokens_tell &= !ids.is_empty() && earlier.is_none();
                }
            }
        }
        if !tokens_tell {
            encoding.sequences = Some(sequences.into_iter().collect());
        }
        encoding
    }

    /// What an id is shown as in an input: what the model gave has the model's name, even where an added token of the same id is shown
    /// otherwise.
    pub fn name(&self, id: TokenId) -> Option<&[u8]> {
        self.definition().vocab.token(id).or_else(|| self.token(id))
    }

    fn trim(&self, trim: Trim, source: InputText, found: &mut Found) {
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

/// Which part of its text each slot has in the inputs of what was cut off: all combinations but that of the first parts, in the order of
/// the library.
fn combinations(slots: &[Slot], parts: &[TruncatedParts; 2]) -> Vec<Vec<usize>> {
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
    others
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
