//! Patterns: regular expressions as `tokenizers` understands them, which is as Oniguruma does.
//!
//! `parse` accepts the part of the syntax whose meaning is settled and refuses the rest; `program` writes it out as steps; `search` runs
//! them. The characters of classes are the library's own (`properties`, generated).

mod classes;
mod parse;
mod portable;
mod program;
mod properties;
mod search;
mod set;
mod spelled;
mod syntax;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::text::span::Span;
use program::Program;
use search::Searcher;
use set::Set;
use syntax::PatternNode;

const MAY_BE_EMPTY: &str = "a pattern that may match nothing is not supported here";

/// What to look for, as files hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Exactly this text.
    Text(String),
    Regex(String),
}

/// A pattern, ready to run.
#[derive(Debug, Clone)]
pub struct PatternMatcher {
    program: Arc<Program>,
    may_be_empty: bool,
}

impl Pattern {
    pub fn compile(&self) -> Result<PatternMatcher> {
        let refused = |reason: String| self.refused(reason);
        let node = match self {
            Pattern::Text(text) => {
                PatternNode::Sequence(text.chars().map(|c| PatternNode::Set(Set::single(c))).collect())
            }
            Pattern::Regex(pattern) => parse::parse(pattern).map_err(refused)?,
        };
        let program = Arc::new(Program::new(&node).map_err(refused)?);
        Ok(PatternMatcher { program, may_be_empty: node.may_be_empty() })
    }

    /// What `tiktoken` means by a pattern.
    pub fn of_tiktoken(pattern: &str) -> Result<Self> {
        let refused = |reason: String| Error::Spec(format!("the pattern {pattern:?}: {reason}"));
        let own = |written: &str| {
            let own = portable::from_tiktoken(written).map_err(refused)?;
            let node = parse::parse(&own).map_err(refused)?;
            Program::new(&node).map_err(refused)?;
            match node.may_be_empty() {
                true => Err(refused(MAY_BE_EMPTY.into())),
                false => Ok(Pattern::Regex(own)),
            }
        };
        // As it stands, if that can be read: then it may be one of those that are known by their text.
        own(pattern).or_else(|as_written| match spelled::spelled(pattern).map_err(refused)? {
            spelled if spelled == pattern => Err(as_written),
            spelled => own(&spelled),
        })
    }

    /// The steps that a backtracking engine takes to find every match in a text; it gives up at about `limit`.
    ///
    /// The engine here remembers what it tried, and its steps grow with the text alone. Those of other libraries do not.
    pub fn backtracking_steps(&self, text: &str, limit: usize) -> Result<usize> {
        Ok(search::forgetful_steps(&self.compile()?.program, text, limit))
    }

    /// Refuses what is not the same pattern to `tiktoken`.
    pub fn check_portable(&self) -> Result<()> {
        self.refuse_empty()?;
        match self {
            Pattern::Text(_) => Ok(()),
            Pattern::Regex(pattern) => portable::check(pattern).map_err(|reason| self.refused(reason)),
        }
    }

    /// Refuses what may match nothing, for which `tiktoken` has no answer.
    fn refuse_empty(&self) -> Result<()> {
        match self.compile()?.may_be_empty {
            true => Err(self.refused(MAY_BE_EMPTY.into())),
            false => Ok(()),
        }
    }

    fn refused(&self, reason: String) -> Error {
        Error::Spec(format!("the pattern {:?}: {reason}", self.source()))
    }

    pub fn source(&self) -> &str {
        match self {
            Pattern::Text(source) | Pattern::Regex(source) => source,
        }
    }
}

/// A pattern that is compiled when it is read, for stages that are used as they are.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Pattern", into = "Pattern")]
pub struct Search {
    pattern: Pattern,
    matcher: PatternMatcher,
}

impl Search {
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Every match, in order; none is empty.
    pub fn matches(&self, text: &str) -> Vec<Span> {
        match &self.pattern {
            Pattern::Text(needle) => {
                let found = memchr::memmem::find_iter(text.as_bytes(), needle.as_bytes());
                found.map(|start| Span::new(start, start + needle.len())).collect()
            }
            Pattern::Regex(_) => self.matcher.matches(text).filter(|span| span.start < span.end).collect(),
        }
    }
}

impl TryFrom<Pattern> for Search {
    type Error = Error;

    fn try_from(pattern: Pattern) -> Result<Self> {
        let matcher = pattern.compile()?;
        match matcher.may_be_empty {
            // The library puts the replacement into every gap then, and the offsets of those have no place.
            true => Err(Error::Spec(format!(
                "replacing what may be empty, as {:?} may, is not supported by this version",
                pattern.source()
            ))),
            false => Ok(Search { pattern, matcher }),
        }
    }
}

impl From<Search> for Pattern {
    fn from(search: Search) -> Self {
        search.pattern
    }
}

impl PartialEq for Search {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for Search {}

impl PatternMatcher {
    /// Every match, in order. As in the library, an empty match right after another match does not count.
    pub fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Span> + 'a {
        let mut searcher = Searcher::new(&self.program, text);
        let mut from = Some(0);
        let mut last = None;
        std::iter::from_fn(move || {
            loop {
                let (start, end) = searcher.find(from?)?;
                if start == end && last == Some(end) {
                    from = text[end..].chars().next().map(|c| end + c.len_utf8());
                    continue;
                }
                (from, last) = (Some(end), Some(end));
                return Some(Span::new(start, end));
            }
        })
    }

    /// All of a text: the matches, and what lies between them.
    pub fn parts(&self, text: &str) -> Vec<(Span, bool)> {
        let mut parts = Vec::new();
        let mut done = 0;
        for found in self.matches(text) {
            if done < found.start {
                parts.push((Span::new(done, found.start), false));
            }
            parts.push((found, true));
            done = found.end;
        }
        if done < text.len() {
            parts.push((Span::new(done, text.len()), false));
        }
        parts
    }
}

#[cfg(test)]
mod tests;
