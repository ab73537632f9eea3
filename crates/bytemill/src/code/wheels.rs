//! Grammars that are not linked. Somebody outside brings them when a language is named (the Python package takes them from wheels), and
//! they stay for as long as the process does.

use std::sync::OnceLock;

use bytemill_syntax::{ABI_VERSIONS, Grammar};

use super::Language;
use crate::error::{Error, Result};

/// A grammar as a wheel has it.
#[derive(Debug)]
pub struct WheelGrammar {
    pub grammar: Grammar,
    /// The version of the wheel.
    pub version: String,
}

/// Finds the grammar of a language; told the version of the wheel that a tokenizer was made with, if there is one, so that it can say where
/// that is another.
pub type GrammarSource = fn(Language, Option<&str>) -> Result<WheelGrammar>;

static SOURCE: OnceLock<GrammarSource> = OnceLock::new();

/// In the order of `Language::OF_WHEELS`. They are set and never computed in place: the function that brings one may wait for an interpreter,
/// and must not be waited for by threads that hold it.
static BROUGHT: [OnceLock<WheelGrammar>; Language::OF_WHEELS.len()] =
    [const { OnceLock::new() }; Language::OF_WHEELS.len()];

/// Says where grammars come from. The first one to say so counts.
pub fn set_grammar_source(source: GrammarSource) {
    SOURCE.get_or_init(|| source);
}

/// Sees to it that the grammar of a language is there, and gives the version of its wheel; None if it is linked or there is none. Everything
/// that takes a language from outside calls this first.
pub fn bring(language: Language, made_with: Option<&str>) -> Result<Option<&'static str>> {
    let Some(place) = place_of(language) else { return Ok(None) };
    if let Some(brought) = place.get()
        && made_with.is_none_or(|version| version == brought.version)
    {
        return Ok(Some(&brought.version));
    }
    let source = SOURCE.get().ok_or_else(|| {
        Error::Grammar(format!(
            "the grammar of {} is not linked into bytemill, and nothing was set that brings it",
            language.name()
        ))
    })?;
    let found = source(language, made_with)?;
    check(language, &found)?;
    Ok(Some(&place.get_or_init(|| found).version))
}

/// The grammar that was brought.
pub(super) fn grammar(language: Language) -> Option<Grammar> {
    place_of(language)?.get().map(|brought| brought.grammar)
}

fn place_of(language: Language) -> Option<&'static OnceLock<WheelGrammar>> {
    let index = Language::OF_WHEELS.iter().position(|&other| other == language)?;
    Some(&BROUGHT[index])
}

fn check(language: Language, found: &WheelGrammar) -> Result<()> {
    let abi = found.grammar.abi_version();
    if ABI_VERSIONS.contains(&abi) {
        return Ok(());
    }
    Err(Error::Grammar(format!(
        "the grammar in tree-sitter-{} {} has the ABI version {abi}, and bytemill takes {} to {}; install another version of it",
        language.name(),
        found.version,
        ABI_VERSIONS.start(),
        ABI_VERSIONS.end(),
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A language that no other test brings, by the grammar of another.
    fn source(language: Language, made_with: Option<&str>) -> Result<WheelGrammar> {
        match (language, made_with) {
            (Language::Zig, None | Some("1.0")) => {
                Ok(WheelGrammar { grammar: tree_sitter_c::LANGUAGE.into(), version: "1.0".into() })
            }
            (Language::Zig, Some(other)) => Err(Error::Grammar(format!("made with {other}"))),
            _ => Err(Error::Grammar("missing".into())),
        }
    }

    #[test]
    fn a_grammar_is_brought_once_and_stays() {
        assert_eq!(bring(Language::C, None).unwrap(), None);
        assert_eq!(bring(Language::Text, None).unwrap(), None);
        assert!(bring(Language::Zig, None).unwrap_err().to_string().contains("nothing was set that brings it"));
        set_grammar_source(source);
        assert!(grammar(Language::Zig).is_none());
        assert_eq!(bring(Language::Zig, None).unwrap(), Some("1.0"));
        assert!(grammar(Language::Zig).is_some());
        assert_eq!(bring(Language::Zig, Some("1.0")).unwrap(), Some("1.0"));
        // Another version is for the source to judge, each time.
        assert_eq!(bring(Language::Zig, Some("0.9")).unwrap_err().to_string(), "made with 0.9");
        assert_eq!(bring(Language::Lua, None).unwrap_err().to_string(), "missing");
        assert!(grammar(Language::Lua).is_none());
    }
}
