//! What encoding gives: ids, ids with their places, batches.

use crate::span::Span;
use crate::vocab::TokenId;

/// Where tokens go as they are found.
pub trait Sink {
    /// Whether spans are looked at; if not, nothing is spent on them.
    const SPANS: bool;

    /// A token, the stretch of the original text that it stands for, and the number of the piece it is part of.
    fn token(&mut self, id: TokenId, span: Span, piece: u32);

    /// An added token, which also has a surface: how it stands in the (normalized) text.
    fn added(&mut self, id: TokenId, span: Span, surface: &str, piece: u32) {
        let _ = surface;
        self.token(id, span, piece);
    }
}

impl Sink for Vec<TokenId> {
    const SPANS: bool = false;

    #[inline]
    fn token(&mut self, id: TokenId, _: Span, _: u32) {
        self.push(id);
    }
}

/// Counts tokens without keeping them.
#[derive(Debug, Default)]
pub struct Count(pub usize);

impl Sink for Count {
    const SPANS: bool = false;

    #[inline]
    fn token(&mut self, _: TokenId, _: Span, _: u32) {
        self.0 += 1;
    }
}

/// A token with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub id: TokenId,
    pub span: Span,
    pub piece: u32,
}

/// Everything there is to know of the tokens; their spans only where `SPANS`.
#[derive(Debug, Default)]
pub struct Detailed<const SPANS: bool> {
    pub tokens: Vec<Token>,
    /// The numbers of added tokens among them, and how each stands in the text: with the white space that it took along.
    pub surfaces: Vec<(usize, String)>,
}

impl<const SPANS: bool> Sink for Detailed<SPANS> {
    const SPANS: bool = SPANS;

    fn token(&mut self, id: TokenId, span: Span, piece: u32) {
        self.tokens.push(Token { id, span, piece });
    }

    fn added(&mut self, id: TokenId, span: Span, surface: &str, piece: u32) {
        self.surfaces.push((self.tokens.len(), surface.to_string()));
        self.token(id, span, piece);
    }
}

/// A model's input: the tokens of one text or pair in their template.
#[derive(Debug, Clone, Default)]
pub struct Encoding {
    pub ids: Vec<TokenId>,
    pub type_ids: Vec<u32>,
    /// None for the template's own tokens.
    pub places: Vec<Option<Place>>,
    /// The numbers of added tokens, and how each stood in the text or is named by the template.
    pub surfaces: Vec<(usize, String)>,
}

/// Where a token of a model's input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Whether it is the second text of a pair.
    pub second: bool,
    pub span: Span,
    pub piece: u32,
}

/// Rows of ids: all ids one after the other, and where each row ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ragged {
    pub ids: Vec<TokenId>,
    pub ends: Vec<usize>,
}
