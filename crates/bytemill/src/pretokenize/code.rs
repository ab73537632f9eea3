//! Source code as pieces for a model: those of the syntax tree, with names and prose taken apart further, and the places of reserved tokens.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::gpt::{GptSplitter, Scheme};
use super::runs::Borders;
use crate::code::{self, DocSection, GRAMMARS, Kind, Language};
use crate::error::{Error, Result};
use crate::text::span::Span;
use crate::vocab::TokenId;

/// What stands at a place in a source, and decodes to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Marker {
    /// A line is further in than the one that it belongs to.
    Indent,
    /// Lines of that kind have ended.
    Dedent,
    Newline,
    Comment,
    Docstring,
    Str,
    CommentEnd,
    DocstringEnd,
    StrEnd,
    /// The sections of docstrings, a token for each kind.
    Section,
}

impl Marker {
    /// Its tokens, as the vocabulary writes them.
    fn contents(self) -> Vec<&'static str> {
        match self {
            Marker::Section => DocSection::ALL.map(DocSection::content).to_vec(),
            Marker::Indent => vec!["<indent>"],
            Marker::Dedent => vec!["<dedent>"],
            Marker::Newline => vec!["<newline>"],
            Marker::Comment => vec!["<comment>"],
            Marker::Docstring => vec!["<docstring>"],
            Marker::Str => vec!["<str>"],
            Marker::CommentEnd => vec!["<comment_end>"],
            Marker::DocstringEnd => vec!["<docstring_end>"],
            Marker::StrEnd => vec!["<str_end>"],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeOptions {
    /// None: by the name of the file, if it has one, or by what the text looks like.
    pub language: Option<Language>,
    /// Whether names are taken apart into words.
    pub identifiers: bool,
    /// Whether each keyword is a token of its own, with a space before it and without.
    pub keywords: bool,
    /// Whether each usual width of indentation is a token of its own.
    pub indentation: bool,
    pub markers: Vec<Marker>,
    pub grammars: u32,
    /// The version of the wheel that the language's grammar is of, if it is from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheel: Option<String>,
}

/// A token that this splitter puts, and what it stands for in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    pub content: String,
    pub stands_for: String,
}

const MOST_SPACES: usize = 32;
const MOST_TABS: usize = 8;
/// Columns between the stops of tabs.
const TAB: usize = 8;

impl CodeOptions {
    /// The reserved tokens, in the order of their ids.
    pub fn reserved(&self) -> Result<Vec<Reserved>> {
        self.bring_grammar()?;
        let mut all = Vec::new();
        let mut add = |content: String, stands_for: String| all.push(Reserved { content, stands_for });
        for content in self.markers.iter().flat_map(|marker| marker.contents()) {
            add(content.into(), String::new());
        }
        if self.indentation {
            (1..=MOST_SPACES).for_each(|n| add(format!("<spaces:{n}>"), " ".repeat(n)));
            (1..=MOST_TABS).for_each(|n| add(format!("<tabs:{n}>"), "\t".repeat(n)));
        }
        if self.keywords {
            let languages = self.language.as_ref().map_or(Language::ALL, std::slice::from_ref);
            let mut words: Vec<String> = languages.iter().flat_map(|&language| code::keywords(language)).collect();
            words.sort_unstable();
            words.dedup();
            for word in words {
                add(format!("<kw:{word}>"), word.clone());
                add(format!("<kw: {word}>"), format!(" {word}"));
            }
        }
        Ok(all)
    }

    /// Loads the grammar of a language that comes from a wheel, before anything is parsed with it.
    fn bring_grammar(&self) -> Result<()> {
        let Some(language) = self.language else { return Ok(()) };
        let is_of_wheel = Language::OF_WHEELS.contains(&language);
        if is_of_wheel != self.wheel.is_some() {
            let name = language.name();
            return Err(Error::Spec(match is_of_wheel {
                true => {
                    format!("the grammar of {name} is from a wheel, and the pretokenizer does not say which version")
                }
                false => {
                    format!("the grammar of {name} is not from a wheel, and the pretokenizer says a version of one")
                }
            }));
        }
        code::bring(language, self.wheel.as_deref()).map(drop)
    }
}

#[derive(Debug, Clone)]
pub struct CodeSplitter {
    options: CodeOptions,
    prose: GptSplitter,
    /// Reserved tokens by what they stand for.
    words: HashMap<String, usize>,
    /// Those of each marker, which follow one another.
    markers: HashMap<Marker, usize>,
}

/// What a source is made of for a model.
pub enum Event<'a> {
    Pieces(&'a [usize], &'a [usize]),
    /// A reserved token, and the stretch that it stands for.
    Reserved(TokenId, Span),
}

impl CodeSplitter {
    pub fn new(options: &CodeOptions) -> Result<Self> {
        if options.grammars != GRAMMARS {
            return Err(Error::Spec(format!(
                "this tokenizer splits code by the grammars number {}, and this version of bytemill has number {GRAMMARS}; \
                 with others its ids would be others",
                options.grammars
            )));
        }
        if (1..options.markers.len()).any(|i| options.markers[..i].contains(&options.markers[i])) {
            return Err(Error::Spec("a marker is there twice".into()));
        }
        // The tokens of markers come first.
        let mut first = 0;
        let markers = options.markers.iter().map(|&marker| {
            let index = first;
            first += marker.contents().len();
            (marker, index)
        });
        let markers = markers.collect();
        let words = (0..).zip(options.reserved()?).skip(first).map(|(i, token)| (token.stands_for, i)).collect();
        Ok(CodeSplitter { options: options.clone(), prose: GptSplitter::new(Scheme::Cl100k), words, markers })
    }

    /// Calls `each` with the pieces of a source and the reserved tokens among them.
    pub fn events<E>(
        &self,
        source: CodeText,
        borders: &mut Borders,
        each: &mut dyn FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scratch = std::mem::take(&mut borders.code);
        let CodeText { text, ids, language } = source;
        let language = self.options.language.or(language);
        let language = language.or_else(|| code::detect(None, text.as_bytes()));
        let pieces = scratch.split(text.as_bytes(), language);
        let result =
            CodeWalk { splitter: self, text, ids, borders, each, starts: Vec::new(), ends: Vec::new() }.all(pieces);
        borders.code = scratch;
        result
    }
}

/// Source code that is split.
#[derive(Clone, Copy)]
pub struct CodeText<'a> {
    pub text: &'a str,
    /// The ids of the reserved tokens; where one has none, its text goes to the model.
    pub ids: &'a [Option<TokenId>],
    /// The language that the caller knows it to be in.
    pub language: Option<Language>,
}

/// Pieces that wait for the next reserved token are handed over at this number.
const TOGETHER: usize = 256;

struct CodeWalk<'a, E> {
    splitter: &'a CodeSplitter,
    text: &'a str,
    ids: &'a [Option<TokenId>],
    borders: &'a mut Borders,
    each: &'a mut dyn FnMut(Event) -> Result<(), E>,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl<E> CodeWalk<'_, E> {
    fn all(mut self, pieces: &[code::CodePiece]) -> Result<(), E> {
        let mut levels = vec![0];
        let mut line_start = true;
        let mut width = 0;
        let mut start = 0;
        for (i, piece) in pieces.iter().enumerate() {
            let end = piece.span.end;
            // A single space goes with what follows it.
            let joins = piece.kind == Kind::Whitespace && end - start == 1 && self.text.as_bytes()[start] == b' ';
            let next = pieces.get(i + 1).map(|next| next.kind);
            let joins = joins && next.is_some_and(|next| !is_blank(next)) || joins_newline(piece.kind, next);
            if joins || !self.text.is_char_boundary(end) {
                continue;
            }
            if line_start && !is_blank(piece.kind) {
                self.levels(&mut levels, width, start)?;
                line_start = false;
            }
            let [before, after] = markers_of(piece.kind);
            self.put(before, start)?;
            self.piece(piece.kind, Span::new(start, end))?;
            self.put(after, end)?;
            if piece.kind == Kind::Newline {
                (line_start, width) = (true, 0);
            } else if piece.kind == Kind::Indentation {
                width = columns(&self.text[start..end]);
            }
            start = end;
        }
        if start < self.text.len() {
            self.push(start, self.text.len())?;
        }
        self.levels(&mut levels, 0, self.text.len())?;
        self.flush()
    }

    fn piece(&mut self, kind: Kind, span: Span) -> Result<(), E> {
        let text = &self.text[span.range()];
        match kind {
            Kind::Keyword | Kind::Indentation => match self.splitter.words.get(text) {
                Some(&index) if self.id(index).is_some() => self.reserved(index, span),
                _ => self.push(span.start, span.end),
            },
            Kind::Identifier if self.splitter.options.identifiers => {
                let space = usize::from(text.starts_with(' '));
                let first = self.starts.len();
                code::split_identifier(&text[space..], |part| {
                    self.starts.push(span.start + space + part.start);
                    self.ends.push(span.start + space + part.end);
                });
                match self.starts.get_mut(first) {
                    Some(start) => *start = span.start,
                    None => return self.push(span.start, span.end),
                }
                self.flush_if_many()
            }
            Kind::String | Kind::Comment | Kind::Docstring | Kind::Other => {
                let (open, close) = delimiters(text, kind);
                let (inner, outer) = (span.start + open, span.end - close);
                self.push(span.start, inner)?;
                match kind {
                    Kind::Docstring => self.documentation(span, inner, outer)?,
                    _ => self.prose(inner, outer)?,
                }
                self.push(outer, span.end)
            }
            _ => self.push(span.start, span.end),
        }
    }

    fn prose(&mut self, start: usize, end: usize) -> Result<(), E> {
        let (starts, ends) = (&mut self.starts, &mut self.ends);
        self.splitter.prose.split(&self.text[start..end], &mut self.borders.window, |span| {
            starts.push(start + span.start);
            ends.push(start + span.end);
            Ok(())
        })?;
        self.flush_if_many()
    }

    /// The prose of a docstring, with its sections marked. These begin with a line, at which prose is split as well, so that the pieces are
    /// the same with marks and without.
    fn documentation(&mut self, span: Span, inner: usize, outer: usize) -> Result<(), E> {
        let Some(&first) = self.splitter.markers.get(&Marker::Section) else { return self.prose(inner, outer) };
        let mut done = inner;
        for (at, section) in code::sections(&self.text[span.range()]) {
            let at = (span.start + at).clamp(done, outer);
            self.prose(done, at)?;
            self.put_token(first + section as usize, at)?;
            done = at;
        }
        self.prose(done, outer)
    }

    /// How far in a line is, compared with the lines before it.
    fn levels(&mut self, levels: &mut Vec<usize>, width: usize, at: usize) -> Result<(), E> {
        while levels.last().is_some_and(|&level| level > width) {
            levels.pop();
            self.put(Some(Marker::Dedent), at)?;
        }
        if levels.last().is_some_and(|&level| level < width) {
            levels.push(width);
            self.put(Some(Marker::Indent), at)?;
        }
        Ok(())
    }

    fn put(&mut self, marker: Option<Marker>, at: usize) -> Result<(), E> {
        match marker.and_then(|marker| self.splitter.markers.get(&marker)) {
            Some(&index) => self.put_token(index, at),
            None => Ok(()),
        }
    }

    fn put_token(&mut self, index: usize, at: usize) -> Result<(), E> {
        match self.id(index) {
            Some(_) => self.reserved(index, Span::new(at, at)),
            None => Ok(()),
        }
    }

    fn id(&self, index: usize) -> Option<TokenId> {
        self.ids.get(index).copied().flatten()
    }

    fn reserved(&mut self, index: usize, span: Span) -> Result<(), E> {
        self.flush()?;
        match self.id(index) {
            Some(id) => (self.each)(Event::Reserved(id, span)),
            None => Ok(()),
        }
    }

    fn push(&mut self, start: usize, end: usize) -> Result<(), E> {
        if start == end {
            return Ok(());
        }
        self.starts.push(start);
        self.ends.push(end);
        self.flush_if_many()
    }

    fn flush_if_many(&mut self) -> Result<(), E> {
        if self.starts.len() >= TOGETHER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), E> {
        if !self.starts.is_empty() {
            (self.each)(Event::Pieces(&self.starts, &self.ends))?;
            self.starts.clear();
            self.ends.clear();
        }
        Ok(())
    }
}

/// What marks the beginning of a piece, and its end.
fn markers_of(kind: Kind) -> [Option<Marker>; 2] {
    match kind {
        Kind::Newline => [Some(Marker::Newline), None],
        Kind::Comment => [Some(Marker::Comment), Some(Marker::CommentEnd)],
        Kind::Docstring => [Some(Marker::Docstring), Some(Marker::DocstringEnd)],
        Kind::String => [Some(Marker::Str), Some(Marker::StrEnd)],
        _ => [None, None],
    }
}

fn is_blank(kind: Kind) -> bool {
    matches!(kind, Kind::Whitespace | Kind::Newline | Kind::Indentation)
}

/// Line ends side by side are one piece.
fn joins_newline(kind: Kind, next: Option<Kind>) -> bool {
    kind == Kind::Newline && next == Some(Kind::Newline)
}

fn columns(indentation: &str) -> usize {
    indentation.chars().fold(0, |column, c| if c == '\t' { (column / TAB + 1) * TAB } else { column + 1 })
}

/// How long the signs are that a comment or a string begins and ends with, the space before them included.
fn delimiters(text: &str, kind: Kind) -> (usize, usize) {
    let bytes = text.as_bytes();
    let space = usize::from(bytes.first() == Some(&b' '));
    let own = &bytes[space..];
    let run = |belongs: &dyn Fn(u8) -> bool| own.iter().take_while(|&&byte| belongs(byte)).count();
    let (open, close) = if kind == Kind::Comment || own.starts_with(b"/") {
        let close = match own {
            [b'/', b'*', ..] => own.iter().rev().take_while(|&&byte| byte == b'*' || byte == b'/').count(),
            [b'<', b'!', ..] if own.ends_with(b"-->") => 3,
            _ => 0,
        };
        (run(&|byte| b"/*#!<-;%=".contains(&byte)), close)
    } else {
        let prefix = run(&|byte| byte.is_ascii_alphabetic());
        match own.get(prefix) {
            Some(&quote @ (b'"' | b'\'' | b'`')) if prefix <= 3 => {
                let quotes = own[prefix..].iter().take_while(|&&byte| byte == quote).count();
                let quotes = if quotes == 2 { 1 } else { quotes.min(3) };
                let ends = own.iter().rev().take_while(|&&byte| byte == quote).count().min(quotes);
                (prefix + quotes, ends)
            }
            _ => (0, usize::from(kind == Kind::String && own.ends_with(b"\""))),
        }
    };
    let close = close.min(own.len() - open);
    (if open > 0 { space + open } else { 0 }, close)
}
