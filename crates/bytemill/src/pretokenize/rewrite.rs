//! Steps that change the text of pieces: a mark before them, spaces made visible, bytes as characters.

use serde::{Deserialize, Serialize};

use crate::normalize::Normalized;
use crate::text::byte_alphabet as alphabet;
use crate::text::span::Span;

/// Which pieces get a mark before them, unless they start with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prepend {
    /// The one at the very start of the text.
    First,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewriter {
    /// Turns spaces into the mark, then puts it before pieces.
    Mark { mark: char, prepend: Prepend },
    /// Writes every byte as a character of the alphabet of byte-level tokens.
    Alphabet,
}

impl Rewriter {
    /// The text that comes of the pieces of a text, and where each is in it. `at_start`: the text begins where the original does.
    pub fn apply(self, text: &Normalized, pieces: &[Span], at_start: bool) -> (Normalized<'static>, Vec<Span>) {
        let mut builder = text.builder();
        let mut rewritten = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let start = builder.len();
            let first = text.text()[piece.range()].chars().next();
            if let (Rewriter::Mark { mark, prepend }, Some(first)) = (self, first)
                && self.changed(first) != mark
                && (prepend == Prepend::Always
                    || prepend == Prepend::First && at_start && text.origin(piece.start) == 0)
            {
                builder.push(mark, piece.start);
            }
            if let (Rewriter::Mark { mark, .. }, false) = (self, text.is_aligned()) {
                builder.push_marked(&text.text()[piece.range()], mark);
                rewritten.push(Span::new(start, builder.len()));
                continue;
            }
            for (at, c) in text.text()[piece.range()].char_indices() {
                match self {
                    Rewriter::Mark { .. } => builder.push(self.changed(c), piece.start + at),
                    Rewriter::Alphabet => {
                        for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
                            builder.push(alphabet::char_of(byte), piece.start + at);
                        }
                    }
                }
            }
            rewritten.push(Span::new(start, builder.len()));
        }
        (builder.finish(), rewritten)
    }

    /// What becomes of a character under a mark.
    pub fn changed(self, c: char) -> char {
        match self {
            Rewriter::Mark { mark, .. } if c == ' ' => mark,
            _ => c,
        }
    }

    /// What a piece begins with afterwards that begins with a character.
    pub fn start_of_piece(self, first: char) -> char {
        match self {
            Rewriter::Mark { mark, prepend: Prepend::Always } => mark,
            Rewriter::Mark { .. } => self.changed(first),
            Rewriter::Alphabet => alphabet::char_of(first.encode_utf8(&mut [0; 4]).as_bytes()[0]),
        }
    }

    /// Whether a text that begins with a character gets no mark that it would not get inside a longer text. `border`: it is the start of
    /// a piece there too.
    pub fn leaves_start(self, first: char, border: bool) -> bool {
        match self {
            // The steps after it see other characters: a border between those is not looked for.
            Rewriter::Alphabet => border,
            Rewriter::Mark { prepend: Prepend::Never, .. } => true,
            Rewriter::Mark { prepend: Prepend::Always, .. } if border => true,
            Rewriter::Mark { mark, .. } => self.changed(first) == mark,
        }
    }
}
