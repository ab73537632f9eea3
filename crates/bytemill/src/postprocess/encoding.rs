//! Encoding: a model's input, the tokens of a text or a pair in their template.

use std::borrow::Cow;
use std::ops::Range;

use crate::vocab::TokenId;

/// A model's input: the tokens of one text or pair in their template.
#[derive(Debug, Clone, Default)]
pub struct Encoding {
    pub tokens: Vec<InputToken>,
    /// The numbers of added tokens, and how each stood in the text or is named by the template.
    pub surfaces: Vec<(usize, String)>,
    /// Which tokens are padding, and what they are shown as.
    pub padding: Vec<Range<usize>>,
    pub pad_token: String,
    /// Inputs of what truncation cut off.
    pub overflowing: Vec<Encoding>,
    /// What all tokens are shown as, where that is known apart from a tokenizer: of an encoding that was cut, joined or pickled.
    pub names: Option<Vec<String>>,
    /// The tokens of each text, where these do not follow from the tokens: of an encoding that was cut or joined.
    pub sequences: Option<Vec<(u32, Range<usize>)>>,
}

impl Encoding {
    /// The texts that tokens are of, each with its tokens.
    pub fn sequences(&self) -> Cow<'_, [(u32, Range<usize>)]> {
        if let Some(sequences) = &self.sequences {
            return Cow::Borrowed(sequences);
        }
        let mut sequences: Vec<(u32, Range<usize>)> = Vec::with_capacity(2);
        for (at, token) in self.tokens.iter().enumerate() {
            let Some(place) = token.place else { continue };
            let id = u32::from(place.second);
            match sequences.iter_mut().find(|(known, _)| *known == id) {
                Some((_, range)) => range.end = at + 1,
                None => sequences.push((id, at..at + 1)),
            }
        }
        Cow::Owned(sequences)
    }

    pub fn is_padding(&self, token: usize) -> bool {
        self.padding.iter().any(|range| range.contains(&token))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputToken {
    pub id: TokenId,
    pub type_id: u32,
    /// None for the template's own tokens and for padding.
    pub place: Option<InputPlace>,
}

/// Where a token of a model's input comes from. There are as many as tokens in a batch, so that places are 32 bits wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputPlace {
    pub start: u32,
    pub end: u32,
    pub piece: u32,
    /// Whether it is the second text of a pair.
    pub second: bool,
}
