//! Tokenizer: the stages joined. Frozen; every call brings its own options and scratch.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::call::Call;
use super::plan::{FastPath, Plan};
use super::units::{Flow, Halt, Units, Work};
use crate::decode::{Decoder, Joiner, ShortTokens, Stream, concat};
use crate::definition::roles::{Role, Roles};
use crate::definition::{Definition, Family, Outline, Unit};
use crate::encode::pipeline::{Pipeline, RawPart, TextPart};
use crate::encode::scratch::Scratch;
use crate::encode::sink::{Sink, place, put_added};
use crate::error::{Error, Result};
use crate::machine::memory::{ask, check, make_room};
use crate::machine::pool::Pool;
use crate::machine::spare::Spare;
use crate::model::bpe::Bpe;
use crate::model::chars::Chars;
use crate::model::marked_words::MarkedWords;
use crate::model::unigram::Unigram;
use crate::model::wordpiece::WordPiece;
use crate::model::words::Words;
use crate::model::{Memories, Model, PieceSpan};
use crate::postprocess::Template;
use crate::pretokenize::pieces::Pieces;
use crate::specials::{AddedToken, Specials, Stage};
use crate::text::byte_alphabet::{from_alphabet, to_alphabet};
use crate::text::span::Span;
use crate::vocab::TokenId;
use crate::vocab::notation;

/// The next instance's number; 0 is nobody's.
static INSTANCES: AtomicU64 = AtomicU64::new(1);

#[derive(Debug)]
pub struct Tokenizer {
    definition: Definition,
    pipeline: Pipeline,
    /// Shared with the tokenizers that were made from this one by exchanging what is around the model.
    model: Arc<Model>,
    pub(crate) template: Template,
    roles: Roles,
    /// The fast path that texts take, if there is one.
    pub(super) plan: Plan,
    /// Tells the scratches of tokenizers apart.
    instance: u64,
    /// What its scratches remember together.
    memories: Memories,
    /// In boxes, since a scratch is kilobytes, and a short call is over before one has been moved twice.
    pool: Pool<Box<Scratch>>,
    spare: Arc<Spare>,
    fingerprint: OnceLock<String>,
    /// How many ids have been decoded; from some number on it pays to have their tokens at hand.
    decoded: AtomicUsize,
    short_tokens: OnceLock<ShortTokens>,
    /// The ids of the model's tokens, in the order of their bytes; made when they are first asked for.
    sorted_tokens: OnceLock<Vec<TokenId>>,
}

impl Tokenizer {
    pub fn new(definition: Definition) -> Result<Self> {
        definition.check()?;
        Self::with_shared_ids(definition)
    }

    /// The same where an added token may have the id of another token.
    pub fn with_shared_ids(definition: Definition) -> Result<Self> {
        definition.check_parts()?;
        let model = Arc::new(model_of(&definition)?);
        Self::around(model, definition)
    }

    /// The stages of a definition that was checked, around its model.
    fn around(model: Arc<Model>, definition: Definition) -> Result<Self> {
        let outline = &definition.outline;
        let pipeline = Pipeline::new(outline)?;
        Ok(Tokenizer {
            plan: Plan::new(outline, &pipeline, &model)?,
            pipeline,
            template: outline.template.clone().unwrap_or_else(Template::bare),
            roles: Roles::of(outline),
            instance: INSTANCES.fetch_add(1, Ordering::Relaxed),
            memories: Memories::default(),
            pool: Pool::default(),
            spare: Arc::default(),
            fingerprint: OnceLock::new(),
            decoded: AtomicUsize::new(0),
            short_tokens: OnceLock::new(),
            sorted_tokens: OnceLock::new(),
            model,
            definition,
        })
    }

    /// A tokenizer with the same vocabulary and another outline. The model itself is shared where the outline leaves it as it is, which makes
    /// this a matter of microseconds for most changes.
    pub fn with_outline(&self, outline: Outline) -> Result<Self> {
        let kept =
            outline.has_the_model_of(&self.definition.outline) && self.model.stands(&self.definition.outline, &outline);
        let definition = Definition { outline, ..self.definition.clone() };
        definition.check_parts()?;
        let model = if kept { self.model.clone() } else { Arc::new(model_of(&definition)?) };
        Self::around(model, definition)
    }

    /// A tokenizer with further added tokens, each with whether it is special. A token of the vocabulary keeps its id, the others have the
    /// ids after the last one.
    pub fn with_tokens(&self, tokens: impl IntoIterator<Item = (String, bool)>) -> Result<Self> {
        let mut outline = self.definition.outline.clone();
        let mut next = self.size() as TokenId;
        for (content, special) in tokens {
            if content.is_empty() {
                return Err(Error::Spec("an added token cannot be empty".into()));
            }
            if let Some(known) = outline.added.iter_mut().find(|token| token.content == content) {
                known.special = special;
                continue;
            }
            let id = self.definition.vocab.id(content.as_bytes()).unwrap_or(next);
            next = next.max(id + 1);
            outline.added.push(AddedToken { special, ..AddedToken::special(id, content) });
        }
        self.with_outline(outline)
    }

    /// The same tokenizer without its fast path: the slow twin that tests compare it with.
    pub fn without_fast_path(&self) -> Result<Self> {
        Ok(Tokenizer { plan: Plan::General, ..Tokenizer::new(self.definition.clone())? })
    }

    /// The same tokenizer, in which tokens have other roles. None takes a role away.
    pub fn with_roles(mut self, known: impl IntoIterator<Item = (Role, Option<TokenId>)>) -> Self {
        self.definition.outline.set_roles(known);
        self.roles = Roles::of(&self.definition.outline);
        self
    }

    /// The tokens that have a role, each with its id.
    pub fn roles(&self) -> impl Iterator<Item = (Role, TokenId)> {
        // A file may pad with an id that is no token.
        self.roles.iter().filter(|&(_, id)| self.token(id).is_some())
    }

    pub fn role(&self, role: Role) -> Option<TokenId> {
        self.roles().find(|&(known, _)| known == role).map(|(_, id)| id)
    }

    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// What tells the scratches of tokenizers apart.
    pub(crate) fn instance(&self) -> u64 {
        self.instance
    }

    pub(crate) fn memories(&self) -> &Memories {
        &self.memories
    }

    pub fn specials(&self) -> &Specials {
        &self.pipeline.specials
    }

    /// What inputs are put into.
    pub fn template(&self) -> &Template {
        &self.template
    }

    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The scratches of calls that have ended.
    pub fn pool(&self) -> &Pool<Box<Scratch>> {
        &self.pool
    }

    /// Where to give the ids of large results that nobody reads any more.
    pub fn spare(&self) -> &Arc<Spare> {
        &self.spare
    }

    pub fn fingerprint(&self) -> Result<&str> {
        if let Some(known) = self.fingerprint.get() {
            return Ok(known);
        }
        let computed = self.definition.fingerprint()?;
        Ok(self.fingerprint.get_or_init(|| computed))
    }

    /// Text → ids.
    #[inline]
    pub fn encode<'c, S: Sink>(
        &self,
        text: &str,
        call: impl Into<Call<'c>>,
        scratch: &mut Scratch,
        sink: &mut S,
    ) -> Result<()> {
        let call = call.into();
        // The normalized text, the ids, and where they stand: about what they take.
        ask(text.len().saturating_mul(if S::PLACES { 12 } else { 4 }))?;
        scratch.belong_to(self);
        ended(self.encode_between_specials(text, call, scratch, sink))
    }

    #[inline]
    fn encode_between_specials<S: Sink>(&self, text: &str, call: Call, scratch: &mut Scratch, sink: &mut S) -> Flow {
        let road = Road::new::<S>(self, text, call);
        let mut work = Work::new(scratch, call);
        self.specials().split(call.choice, Stage::Raw, text, |id, span| road.take(id, span, &mut work, sink))
    }

    /// The general road, for a part of a text without special tokens.
    #[inline]
    fn encode_part<S: Sink>(&self, part: RawPart, call: Call, work: &mut Work, sink: &mut S) -> Flow {
        let Work { borders, model, spans, pieces: number, chance } = work;
        self.pipeline.run_part(part, call, borders, &mut |part| {
            match part {
                TextPart::Special(id, span, surface) => put_added(id, (span, surface), number, sink),
                TextPart::Pieces(pieces) if S::PLACES => {
                    check()?;
                    sink.make_room(pieces.spans.covered());
                    for piece in pieces.one_by_one() {
                        spans.clear();
                        let first = sink.ids().len();
                        self.model.segment_placed(&piece, chance.as_mut(), model, sink.ids(), spans)?;
                        self.show_unknown(&piece, first, spans, sink);
                        place(&piece, *number, spans, sink);
                        *number += 1;
                    }
                }
                TextPart::Pieces(pieces) => self.model.segment(&pieces, chance.as_mut(), model, sink.ids())?,
            }
            close(sink)
        })
    }

    /// What a Unigram model does not know is shown as it stands in the text.
    fn show_unknown<S: Sink>(&self, piece: &Pieces, first: usize, spans: &[PieceSpan], sink: &mut S) {
        let (Model::Unigram(_), Some(unk)) = (&*self.model, self.definition.outline.unk) else { return };
        let Some(piece) = piece.iter().next() else { return };
        for (at, span) in (first..).zip(spans) {
            if let PieceSpan::Inside(span) = span
                && sink.ids().get(at) == Some(&unk)
            {
                sink.surface(at, &piece.text[span.range()]);
            }
        }
    }

    #[inline]
    pub(crate) fn fast_path(&self, call: Call) -> Option<FastPath<'_>> {
        self.plan.fast_path(&self.pipeline, &self.model, call)
    }

    /// The bytes that ids stand for, joined as this tokenizer joins tokens.
    pub fn decode(&self, ids: &[TokenId], skip_special: bool) -> Result<Vec<u8>> {
        if self.definition.outline.decoder == Decoder::Concat {
            let shown = |id| Ok(self.shown(id, skip_special)?.unwrap_or_default());
            let none = ShortTokens::default();
            return concat(ids, self.short_tokens(ids.len()).unwrap_or(&none), shown);
        }
        let mut joiner = Joiner::new(&self.definition.outline.decoder);
        let mut bytes = Vec::new();
        for &id in ids {
            match self.joined(id, skip_special)? {
                Some(token) => {
                    // More than a joiner makes of a token.
                    make_room(&mut bytes, 4 * token.len() + 16);
                    joiner.push(&token, &mut bytes);
                }
                None => joiner.pass(&mut bytes),
            }
        }
        joiner.finish(&mut bytes);
        Ok(bytes)
    }

    /// For decoding `ids` more ids. A table takes as long to make as some thousand ids to decode without it.
    fn short_tokens(&self, ids: usize) -> Option<&ShortTokens> {
        if let Some(made) = self.short_tokens.get() {
            return Some(made);
        }
        let vocab = &self.definition.vocab;
        let decoded = self.decoded.fetch_add(ids, Ordering::Relaxed).saturating_add(ids);
        (decoded > vocab.len() / 32).then(|| {
            let view = vocab.view();
            let spans = (0..vocab.len() as TokenId).filter_map(|id| Some((id, view.span(id)?)));
            let plain = spans.filter(|&(id, _)| !self.specials().has_id(id));
            self.short_tokens.get_or_init(|| ShortTokens::new(vocab.len(), view.arena, plain))
        })
    }

    pub fn stream(&self) -> Stream {
        Stream::new(&self.definition.outline.decoder)
    }

    /// What decoding shows for an id: None for a special token that is skipped.
    pub fn shown(&self, id: TokenId, skip_special: bool) -> Result<Option<&[u8]>> {
        match self.specials().by_id(id) {
            Some(token) => {
                let shown = self.specials().shown(token);
                if token.stands_for.is_some() {
                    return Ok(Some(shown.as_bytes()));
                }
                // Like `tokenizers`, by the text that would be shown: a special token that normalization changed is not skipped.
                let special = self.specials().by_content(shown).is_some_and(|token| token.special);
                Ok((!skip_special || !special).then_some(shown.as_bytes()))
            }
            None => match self.definition.vocab.token(id) {
                Some(token) => Ok(Some(token)),
                None => Err(self.unknown_id(id.into())),
            },
        }
    }

    /// What a joiner, or a stream, is given for an id.
    pub fn joined(&self, id: TokenId, skip_special: bool) -> Result<Option<Cow<'_, [u8]>>> {
        let shown = self.shown(id, skip_special)?;
        if !matches!(self.definition.outline.decoder, Decoder::Written(_)) || self.specials().has_id(id) {
            return Ok(shown.map(Cow::Borrowed));
        }
        Ok(shown.map(|token| to_alphabet(token).into_bytes().into()))
    }

    pub fn unknown_id(&self, id: u64) -> Error {
        Error::UnknownId { id, last: (self.size() as u32).saturating_sub(1) }
    }

    /// One more than the largest id.
    pub fn size(&self) -> usize {
        self.definition.size()
    }

    /// What an id stands for.
    pub fn token(&self, id: TokenId) -> Option<&[u8]> {
        match self.specials().by_id(id) {
            Some(token) if token.stands_for.is_some() => Some(token.content.as_bytes()),
            Some(token) => Some(self.specials().shown(token).as_bytes()),
            None => self.definition.vocab.token(id),
        }
    }

    /// An id as tokenizer.json writes it: an added token as it is, one of byte-level BPE in the alphabet of bytes.
    pub fn written(&self, id: TokenId) -> Option<Cow<'_, str>> {
        match self.specials().by_id(id) {
            Some(token) => Some(token.content.as_str().into()),
            None => self.definition.vocab.token(id).map(|token| self.written_name(token)),
        }
    }

    /// What a token is shown as in an input whose tokens are as tokenizer.json writes them.
    pub fn written_in_input(&self, id: TokenId) -> Option<Cow<'_, str>> {
        self.definition.vocab.token(id).map(|token| self.written_name(token)).or_else(|| self.written(id))
    }

    fn written_name<'a>(&self, token: &'a [u8]) -> Cow<'a, str> {
        let outline = &self.definition.outline;
        match outline.family == Family::Bpe && outline.symbols.unit == Unit::Bytes {
            true => to_alphabet(token).into(),
            false => notation::shown(token),
        }
    }

    /// The id of a token that tokenizer.json writes so.
    pub fn id_of_written(&self, token: &str) -> Option<TokenId> {
        let outline = &self.definition.outline;
        let bytes = match outline.family == Family::Bpe && outline.symbols.unit == Unit::Bytes {
            true => from_alphabet(token),
            false => Some(token.as_bytes().to_vec()),
        };
        let added = self.specials().by_content(token).map(|token| token.id);
        added.or_else(|| self.definition.vocab.id(&bytes?))
    }

    /// The id of a token, by its bytes.
    pub fn id(&self, token: &[u8]) -> Option<TokenId> {
        let added = std::str::from_utf8(token).ok().and_then(|token| self.specials().by_content(token));
        added.map(|token| token.id).or_else(|| self.definition.vocab.id(token))
    }

    /// The id of a token, by what it is shown as.
    pub fn id_of_shown(&self, shown: &str) -> Option<TokenId> {
        self.id(shown.as_bytes()).or_else(|| self.id(&notation::bytes_of(shown)?))
    }

    /// Every token with its id, in the order of the ids; `id` finds them all.
    pub fn tokens(&self) -> impl Iterator<Item = (TokenId, &[u8])> {
        let token = |id| match self.specials().by_id(id) {
            Some(token) => Some(token.content.as_bytes()),
            None => self.definition.vocab.token(id),
        };
        (0..self.size() as TokenId).filter_map(move |id| Some((id, token(id)?)))
    }

    pub(super) fn sorted_tokens(&self) -> &[TokenId] {
        self.sorted_tokens.get_or_init(|| {
            let mut tokens: Vec<(TokenId, &[u8])> = self.definition.vocab.tokens().collect();
            tokens.sort_unstable_by_key(|&(_, token)| token);
            tokens.into_iter().map(|(id, _)| id).collect()
        })
    }
}

fn model_of(definition: &Definition) -> Result<Model> {
    let Definition { outline, vocab, merges, scores } = definition;
    Ok(match (outline.family, merges) {
        (Family::Char, _) => Model::Chars(Chars::new(vocab, outline.unk)?),
        (Family::Bpe, Some(merges)) => Model::Bpe(Box::new(Bpe::new(vocab.clone(), merges.clone(), outline)?)),
        (Family::WordPiece, _) => {
            let subwords = outline.subwords.clone().unwrap_or_default();
            Model::WordPiece(Box::new(WordPiece::new(vocab.clone(), outline.unk, subwords)))
        }
        (Family::Unigram, _) => {
            let scores = scores.as_deref().unwrap_or_default();
            Model::Unigram(Box::new(Unigram::new(vocab.clone(), scores, outline)?))
        }
        (Family::Word, _) if outline.sentencepiece.is_some() => {
            Model::MarkedWords(MarkedWords::new(vocab.clone(), outline))
        }
        // `check` has seen to it that what has merges is not a word model, and the other way round.
        (Family::Word | Family::Bpe, _) => Model::Words(Words::new(vocab.clone(), outline.unk)),
    })
}

/// The one road through a text: special tokens go to the sink, and what is between them through the fast path, or the stages and the model.
pub(super) struct Road<'a> {
    tokenizer: &'a Tokenizer,
    text: &'a str,
    call: Call<'a>,
    fast: Option<FastPath<'a>>,
}

impl<'a> Road<'a> {
    #[inline]
    pub(super) fn new<S: Sink>(tokenizer: &'a Tokenizer, text: &'a str, call: Call<'a>) -> Self {
        let fast = tokenizer.fast_path(call).filter(|path| path.takes_one_text(S::PLACES));
        Road { tokenizer, text, call, fast }
    }

    /// The next stretch of the text: a special token, or text without one.
    #[inline]
    pub(super) fn take<S: Sink>(&self, id: Option<TokenId>, span: Span, work: &mut Work, sink: &mut S) -> Flow {
        let part = &self.text[span.range()];
        if let Some(id) = id {
            put_added(id, (span, part), &mut work.pieces, sink);
            return close(sink);
        }
        if let Some(fast) = &self.fast {
            let first = sink.ids().len();
            match fast.encode(part, span.start, work, sink) {
                Err(Halt::NotAlone) => sink.ids().truncate(first),
                Ok(()) => return close(sink),
                halted => return halted,
            }
        }
        let part = RawPart { text: part, offset: span.start, spans: S::SPANS };
        self.tokenizer.encode_part(part, self.call, work, sink)
    }
}

/// The end of a text, for callers to whom a full sink is as good as the end.
pub(super) fn ended(flow: Flow) -> Result<()> {
    match flow {
        Ok(()) | Err(Halt::Full) => Ok(()),
        Err(Halt::Failed(error)) => Err(error),
        Err(Halt::NotAlone) => Err(Error::Internal("the general road takes every text".into())),
    }
}

/// The ids so far are complete; ends the text where the sink has had enough.
#[inline]
fn close<S: Sink>(sink: &mut S) -> Flow {
    sink.close();
    if sink.is_full() { Err(Halt::Full) } else { Ok(()) }
}
