//! The symbols of a SentencePiece model that are no added tokens: those that its user has defined, which the model finds in every text, and
//! the unknown one, which no text becomes.

use aho_corasick::{AhoCorasick, MatchKind};

use super::spells_text;
use crate::error::{Error, Result};
use crate::text::search::search_for;

#[derive(Debug)]
pub struct RefusedSymbols {
    unknown: String,
    defined: Vec<String>,
    /// Finds those of the user's that plain text could not spell, and their numbers.
    refused: Option<(AhoCorasick, Vec<usize>)>,
}

impl RefusedSymbols {
    pub fn new(unknown: String, defined: Vec<String>) -> Result<Self> {
        let numbers: Vec<usize> = (0..defined.len()).filter(|&i| !spells_text(&defined[i])).collect();
        let patterns: Vec<&String> = numbers.iter().map(|&i| &defined[i]).collect();
        let search = search_for(&patterns, MatchKind::LeftmostLongest)?;
        let refused = (!numbers.is_empty()).then_some((search, numbers));
        Ok(RefusedSymbols { unknown, defined, refused })
    }

    /// Whether a call may name it, although nothing comes of that.
    pub fn knows(&self, name: &str) -> bool {
        self.unknown == name || self.defined.iter().any(|symbol| symbol == name)
    }

    /// The most bytes that one of the user's has.
    pub fn longest(&self) -> usize {
        self.defined.iter().map(String::len).max().unwrap_or(0)
    }

    /// An error if a text holds one that plain text could not spell.
    pub fn refuse(&self, text: &str) -> Result<()> {
        let found = self.refused.as_ref().and_then(|(search, numbers)| Some((search.find(text)?, numbers)));
        match found {
            None => Ok(()),
            Some((found, numbers)) => Err(Error::SymbolInText {
                what: "the text".into(),
                token: self.defined[numbers[found.pattern().as_usize()]].clone(),
                offset: found.start() as u64,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_refused_unless_they_spell_text() {
        let defined = ["<turn>", "\n\n", "é", "▁▁"].map(String::from).to_vec();
        let symbols = RefusedSymbols::new("<unk>".into(), defined).unwrap();
        assert!(symbols.refuse("a\n\né ▁▁<unk>").is_ok());
        let refused = symbols.refuse("é <turn>");
        assert!(matches!(refused, Err(Error::SymbolInText { token, offset: 3, .. }) if token == "<turn>"));
        assert!(symbols.knows("<unk>") && symbols.knows("é") && !symbols.knows("<s>"));
        assert!(RefusedSymbols::new("<unk>".into(), Vec::new()).unwrap().refuse("<turn>").is_ok());
    }
}
