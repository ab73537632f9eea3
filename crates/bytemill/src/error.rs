//! Errors as data: what was found, where, and the way out. One match in the binding turns them into Python exceptions.

use std::path::PathBuf;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading or writing failed in the operating system.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },

    /// A file is not what it says, or says something we cannot reproduce exactly.
    #[error("{at}: {reason}")]
    Format { at: String, reason: String },

    /// A tokenizer uses something that the format asked for cannot express.
    #[error("{format} cannot express {feature}; {hint}")]
    Inexpressible { format: &'static str, feature: String, hint: String },

    /// A text contains a special token that this call refuses.
    #[error(
        "{what} contains the special token {token:?} at byte {offset}, and this call refuses special tokens. \
         To encode it as that token, pass specials={{{token:?}}} or specials=\"all\"; \
         to encode it as plain text, pass specials=\"none\""
    )]
    SpecialInText { what: String, token: String, offset: u64 },

    /// A text contains a symbol that the model itself finds in every text, and this call refuses such.
    #[error(
        "{what} contains {token:?} at byte {offset}, a user-defined symbol of the SentencePiece model, and this call refuses what plain \
         text could not spell. The model finds such symbols in every text: leave specials= out to encode it as that symbol, or take \
         it out of the text"
    )]
    SymbolInText { what: String, token: String, offset: u64 },

    /// Bytes that are not UTF-8, given to a family that works on text.
    #[error(
        "byte {offset} of {what} is 0x{byte:02x}, which is not valid UTF-8 there; \
         decode it with errors=\"replace\", or from the encoding that it is in"
    )]
    NotUtf8 { what: String, offset: u64, byte: u8 },

    /// A text of an interpreter with half of a surrogate pair, which is no character.
    #[error(
        "{what} has a lone surrogate at character {at}, which no encoding can express; replace it first, as in \
         text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
    )]
    Surrogate { what: String, at: usize },

    /// A piece that no token stands for, in a vocabulary without an unknown token.
    #[error(
        "{what} has {piece:?}, for which the vocabulary has no token, nor an unknown token to stand in for it; \
         train with unk_token set, or on text that contains it"
    )]
    UnknownPiece { what: String, piece: String },

    /// An id that the vocabulary does not have.
    #[error("id {id} is not in the vocabulary, whose ids are 0 to {last}")]
    UnknownId { id: u64, last: u32 },

    /// An argument or a training specification that makes no sense.
    #[error("{0}")]
    Spec(String),

    /// A name that is not among those that there are. The code that shows the message can add which one was probably meant.
    #[error("{message}")]
    UnknownName { message: String, name: String, known: Vec<String> },

    /// The grammar of a programming language is not there, or cannot be used.
    #[error("{0}")]
    Grammar(String),

    /// The caller asked the work to stop (an interrupt, or its progress callback failed).
    #[error("stopped")]
    Stopped,

    /// An allocation was refused: by a limit of the process, or by a system that has no more.
    #[error("not enough memory; pass less at a time, or raise the limit of the process")]
    Memory,

    /// A mistake of ours, caught before it could reach the caller as a panic.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

impl Error {
    /// The same error with its place in a longer text, in which `bytes` come before the text that it was found in.
    pub fn moved_by(mut self, bytes: u64) -> Self {
        if let Error::SpecialInText { offset, .. }
        | Error::SymbolInText { offset, .. }
        | Error::NotUtf8 { offset, .. } = &mut self
        {
            *offset += bytes;
        }
        self
    }

    /// The error of a text that is not the only one.
    pub fn of(mut self, name: impl ToString) -> Self {
        if let Error::SpecialInText { what, .. }
        | Error::SymbolInText { what, .. }
        | Error::NotUtf8 { what, .. }
        | Error::Surrogate { what, .. }
        | Error::UnknownPiece { what, .. } = &mut self
        {
            *what = name.to_string();
        }
        self
    }

    /// The error of one of several that came as `texts`, the name that Python has for them.
    pub fn of_number(self, number: usize) -> Self {
        self.of(format_args!("texts[{number}]"))
    }

    /// Whether encoding a text has found something wrong in it.
    pub fn is_of_text(&self) -> bool {
        matches!(
            self,
            Error::SpecialInText { .. }
                | Error::SymbolInText { .. }
                | Error::NotUtf8 { .. }
                | Error::UnknownPiece { .. }
        )
    }

    pub fn format(at: impl Into<String>, reason: impl Into<String>) -> Self {
        Error::Format { at: at.into(), reason: reason.into() }
    }

    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::Io { path: path.into(), source }
    }
}
