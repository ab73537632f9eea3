//! Selection: these tokens are matched, those refused, and the rest are plain text. Making one takes longer than encoding a short text, so
//! that those of the latest calls are kept.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Choice, Matcher, Specials, SpecialsAutomaton};
use crate::error::{Error, Result};

/// As many are kept; a program has one or two.
const KEPT: usize = 8;

#[derive(Debug)]
pub struct Selection {
    matcher: Matcher,
    /// What no text may hold, wherever it stands.
    refused: Option<(Box<SpecialsAutomaton>, Vec<String>)>,
}

/// The latest, by the numbers of the tokens that are matched.
#[derive(Debug, Default)]
pub(super) struct Selections(Mutex<Vec<(Vec<usize>, Arc<Selection>)>>);

impl Selection {
    pub(super) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    pub(super) fn longest_refused(&self) -> usize {
        self.refused.iter().flat_map(|(_, contents)| contents).map(String::len).max().unwrap_or(0)
    }

    pub(super) fn refuse(&self, text: &str) -> Result<()> {
        let Some((automaton, contents)) = &self.refused else { return Ok(()) };
        let Some(from) = automaton.start.find(text.as_bytes()) else { return Ok(()) };
        match automaton.search.find(&text[from..]) {
            None => Ok(()),
            Some(found) => Err(Error::SpecialInText {
                what: "the text".into(),
                token: contents[found.pattern().as_usize()].clone(),
                offset: (from + found.start()) as u64,
            }),
        }
    }
}

impl Specials {
    /// Matches just the named tokens, and those that spell text.
    pub fn only<'a>(&self, contents: impl IntoIterator<Item = &'a str>) -> Result<Choice> {
        let wanted = self.numbers(contents)?;
        let mut kept = self.selections.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, selection)) = kept.iter().find(|(numbers, _)| *numbers == wanted) {
            return Ok(Choice::Picked(selection.clone()));
        }
        let selection = Arc::new(Selection { matcher: self.matcher_for(&wanted)?, refused: None });
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((wanted, selection.clone()));
        Ok(Choice::Picked(selection))
    }

    /// Matches just the named tokens, and those that spell text. A text that holds one of `refused`, which may be any texts, is an error;
    /// without them, one of the other tokens.
    pub fn select<'a>(
        &self,
        matched: impl IntoIterator<Item = &'a str>,
        refused: Option<Vec<String>>,
    ) -> Result<Arc<Selection>> {
        let wanted = self.numbers(matched)?;
        let refused = refused.unwrap_or_else(|| {
            let others = self.tokens.iter().enumerate().filter(|(i, _)| wanted.binary_search(i).is_err());
            let controls = others.filter(|(_, token)| token.is_control() && token.stands_for.is_none());
            controls.map(|(_, token)| token.content.clone()).collect()
        });
        let is_normalized = |content: &&String| self.by_content(content).is_some_and(|token| token.normalized);
        if let Some(content) = refused.iter().find(is_normalized) {
            return Err(Error::Spec(format!(
                "{content:?} is looked for in normalized text, in which it cannot be refused alone: \
                 specials=\"refuse\" refuses all special tokens"
            )));
        }
        let all: Vec<usize> = (0..refused.len()).collect();
        let automaton = SpecialsAutomaton::new(refused.iter(), &all)?;
        let matcher = self.matcher_for(&wanted)?;
        Ok(Arc::new(Selection { matcher, refused: automaton.map(|automaton| (Box::new(automaton), refused)) }))
    }

    /// The numbers of the named tokens, in order.
    fn numbers<'a>(&self, contents: impl IntoIterator<Item = &'a str>) -> Result<Vec<usize>> {
        let mut numbers = Vec::new();
        for content in contents {
            match self.by_content.get(content) {
                Some(&i) => numbers.push(i),
                None if self.symbols.as_ref().is_some_and(|symbols| symbols.knows(content)) => {}
                None => return Err(self.unknown(content)),
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }

    fn matcher_for(&self, wanted: &[usize]) -> Result<Matcher> {
        self.matcher(|i| !self.tokens[i].is_control() || wanted.binary_search(&i).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AddedToken, Policy, Stage};
    use super::*;

    fn specials() -> Specials {
        let tokens = ["<a>", "<b>", "<c>"].into_iter().zip(0..).map(|(content, id)| AddedToken::special(id, content));
        Specials::new(tokens.collect(), None, Policy::All).unwrap()
    }

    fn found(specials: &Specials, choice: &Choice, text: &str) -> Result<Vec<u32>> {
        let mut ids = Vec::new();
        specials.split(choice, Stage::Raw, text, |id, _| {
            ids.extend(id);
            Ok::<_, Error>(())
        })?;
        Ok(ids)
    }

    #[test]
    fn some_are_matched_some_refused_and_the_rest_plain() {
        let specials = specials();
        let choice = Choice::Picked(specials.select(["<a>"], Some(vec!["<b>".into(), "other".into()])).unwrap());
        assert_eq!(found(&specials, &choice, "x<a><c>").unwrap(), [0]);
        for (text, which, at) in [("<a>é<b>", "<b>", 5), ("one or other", "other", 7)] {
            let refused = found(&specials, &choice, text);
            assert!(
                matches!(refused, Err(Error::SpecialInText { token, offset, .. }) if (&*token, offset) == (which, at))
            );
        }
        assert!(specials.select(["<d>"], None).is_err());
        let others = Choice::Picked(specials.select(["<a>"], None).unwrap());
        assert!(found(&specials, &others, "<a>").is_ok() && found(&specials, &others, "<c>").is_err());
    }

    #[test]
    fn a_selection_is_made_once() {
        let specials = specials();
        let picked = |contents: &[&str]| match specials.only(contents.iter().copied()).unwrap() {
            Choice::Picked(selection) => selection,
            Choice::Policy(_) => unreachable!(),
        };
        let first = picked(&["<a>", "<b>"]);
        assert!(Arc::ptr_eq(&first, &picked(&["<b>", "<a>", "<b>"])));
        assert!(!Arc::ptr_eq(&first, &picked(&["<a>"])));
    }
}
