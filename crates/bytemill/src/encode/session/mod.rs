//! Session: the tokens of a text that grows and changes. The text is kept in chunks that end at cuts. An edit encodes the chunks that it
//! touches, and those after them up to the first cut that is still one; all others stay as they are.

mod answers;
mod edit;
mod tree;

use std::sync::Arc;

use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::machine::parallel::Watch;
use crate::specials::Choice;
use crate::text::span::Span;
use crate::vocab::TokenId;

pub use answers::From;
pub use tree::{ChunkTree, Extent};

/// Bytes of a chunk that is cut off, where there is a cut, unless tests want other ones.
pub const CHUNK_BYTES: usize = 1 << 10;
/// A chunk with more bytes than this was not cut for want of cuts, and edits in it take long.
const BOUND_BYTES: usize = 64 << 10;
/// A cut is one whatever comes later than this after it, and after what the longest special token might take.
const LOOK_BYTES: usize = 64;

/// A text and its ids. Copies share what they have in common.
#[derive(Debug, Clone)]
pub struct Session {
    tokenizer: Arc<Tokenizer>,
    choice: Arc<Choice>,
    chunk_bytes: usize,
    chunks: ChunkTree,
}

impl Session {
    /// `choice`: what happens to special tokens in the text.
    pub fn new(
        tokenizer: Arc<Tokenizer>,
        choice: Choice,
        chunk_bytes: usize,
        text: &str,
        watch: &mut Watch,
    ) -> Result<Self> {
        let choice = Arc::new(choice);
        let mut session = Session { tokenizer, choice, chunk_bytes, chunks: ChunkTree::default() };
        session.replace(Span::new(0, 0), text, watch)?;
        Ok(session)
    }

    /// How much there is of it.
    pub fn extent(&self) -> Extent {
        self.chunks.extent()
    }

    pub fn text(&self) -> String {
        self.chunks.text(0, self.extent().chunks)
    }

    /// The chunks with their ids, as they are now whatever happens to the session.
    pub fn chunks(&self) -> &ChunkTree {
        &self.chunks
    }

    /// The bytes between two characters of the text; an error where it has no such characters.
    pub fn span_of(&self, from: usize, to: usize) -> Result<Span> {
        let characters = self.extent().characters;
        if from > to || to > characters {
            return Err(Error::Spec(format!(
                "the span ({from}, {to}) is not one of the text, which has {characters} characters: \
                 give a start and an end with 0 <= start <= end <= {characters}"
            )));
        }
        Ok(Span::new(self.byte_of(from), self.byte_of(to)))
    }

    fn byte_of(&self, character: usize) -> usize {
        let found = self.chunks.find(|extent| extent.characters, character);
        found.map_or(0, |found| found.before.bytes + found.chunk.byte_of(character - found.before.characters))
    }

    /// The number of characters before a byte of the text.
    pub fn character_of(&self, byte: usize) -> usize {
        let found = self.chunks.find(|extent| extent.bytes, byte);
        found.map_or(0, |found| {
            let text = found.chunk.text.as_bytes().iter().take(byte - found.before.bytes);
            found.before.characters + text.filter(|&&byte| byte as i8 >= -64).count()
        })
    }

    /// Why edits may take as long as encoding the text; None where they do not.
    pub fn unbounded(&self) -> Option<String> {
        if let Some(reason) = self.tokenizer.uncut() {
            return Some(reason.into());
        }
        let longest = self.extent().longest;
        (longest > BOUND_BYTES).then(|| {
            format!(
                "a stretch of {longest} bytes has no place at which it can be cut, and an edit in it encodes all of it"
            )
        })
    }

    /// A chunk with fewer bytes is joined to the next one.
    fn least_bytes(&self) -> usize {
        self.chunk_bytes / 4
    }

    /// Bytes after a cut that were looked at to find that it is one.
    fn look(&self) -> usize {
        let specials = self.tokenizer.specials();
        specials.longest().max(specials.longest_refused(&self.choice)) + LOOK_BYTES
    }

    /// The ids of a text alone.
    fn encoded(&self, text: &str) -> Result<Vec<TokenId>> {
        let mut ids = Vec::new();
        self.tokenizer.pool().with(|scratch| self.tokenizer.encode(text, &*self.choice, scratch, &mut ids))?;
        Ok(ids)
    }
}
