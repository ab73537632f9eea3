//! Source code → ids, each with what it is of the syntax: any tokenizer, any bytes.

use crate::code::{self, CodePiece, Language};
use crate::decode::Decoder;
use crate::definition::{Definition, Family, Unit};
use crate::encode::call::Call;
use crate::encode::scratch::Scratch;
use crate::encode::sink::Detailed;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::pretokenize::PreTokenizer;
use crate::specials::Choice;
use crate::text::span::Span;
use crate::vocab::TokenId;

#[derive(Debug, Default)]
pub struct CodeEncoding {
    pub language: Option<Language>,
    pub ids: Vec<TokenId>,
    /// What each id stands for in the source, in bytes.
    pub spans: Vec<Span>,
    /// The pieces of the source.
    pub pieces: Vec<CodePiece>,
    /// The number of the piece that the end of each token is in; for an empty source there are no tokens.
    pub piece_of: Vec<usize>,
}

impl Tokenizer {
    /// The language that the tokenizer's own splitter insists on, then the one given, then the one that the source looks like.
    pub fn code_language(&self, source: &[u8], language: Option<Language>) -> Option<Language> {
        let own = match &self.definition().outline.pretokenizer {
            Some(PreTokenizer::Code(options)) => options.language,
            _ => None,
        };
        own.or(language).or_else(|| code::detect(None, source))
    }

    /// Bytes that are not UTF-8 become their own tokens, where there are such; what lies between them is encoded by itself.
    pub fn encode_code(
        &self,
        source: &[u8],
        language: Option<Language>,
        choice: &Choice,
        scratch: &mut Scratch,
    ) -> Result<CodeEncoding> {
        let language = self.code_language(source, language);
        let mut found = CodeEncoding { language, ..CodeEncoding::default() };
        let call = Call { language, ..Call::from(choice) };
        let mut at = 0;
        for chunk in source.utf8_chunks() {
            let mut detailed = Detailed::<true>::default();
            self.encode(chunk.valid(), call, scratch, &mut detailed)?;
            found.ids.append(&mut detailed.ids);
            found.spans.extend(detailed.places.iter().map(|place| place.span.shifted(at)));
            at += chunk.valid().len();
            for &byte in chunk.invalid() {
                found.ids.push(self.byte_token(byte, at)?);
                found.spans.push(Span::new(at, at + 1));
                at += 1;
            }
        }
        found.pieces = scratch.borders.code.split(source, language).to_vec();
        let last = |span: &Span| span.end.max(span.start + 1) - 1;
        let piece_of = |span| found.pieces.partition_point(|piece| piece.span.end <= last(span));
        let most = found.pieces.len().saturating_sub(1);
        found.piece_of = found.spans.iter().map(|span| piece_of(span).min(most)).collect();
        Ok(found)
    }

    fn byte_token(&self, byte: u8, offset: usize) -> Result<TokenId> {
        let Definition { outline, vocab, .. } = self.definition();
        let token = match outline.family {
            Family::Bpe if outline.symbols.unit == Unit::Bytes => vocab.id(&[byte]),
            _ if outline.decoder == Decoder::Bytes => vocab.id(format!("<0x{byte:02X}>").as_bytes()),
            _ => None,
        };
        token.ok_or_else(|| Error::NotUtf8 { what: "the source".into(), offset: offset as u64, byte })
    }
}
