//! The file in parts: small values, and the two long lists `model.vocab` and `model.merges`.

use std::sync::Arc;

use serde_json::Value;

use super::super::json::{self, JsonNode};
use super::super::lexicon::Lexicon;
use super::super::scan::{JsonScanner, Strings};
use crate::definition::Unit;
use crate::error::Result;
use crate::vocab::{TokenId, Vocab};

/// A file. Where it was scanned, its lists stand beside it, and null in their places.
pub(super) struct File {
    pub root: Value,
    pub lists: Lists,
}

#[derive(Default)]
pub(super) struct Lists {
    vocab: Option<Listed>,
    /// The left and the right part of each merge, one after the other.
    merges: Option<Strings>,
    /// Whether the model is read apart from what is around it, and so before it is whole: it may name tokens that it does not have.
    apart: bool,
    /// Both lists of a model that was read before.
    known: Option<KnownLists>,
}

/// The lists of a model that was read before.
pub(super) struct KnownLists {
    pub lexicon: Lexicon,
    pub pairs: Vec<(TokenId, TokenId)>,
    pub scores: Option<Arc<[f64]>>,
}

#[derive(Debug, PartialEq)]
enum Listed {
    Ids(Entries),
    Scores(ScoredTokens),
}

/// Tokens as the file writes them, with their ids.
#[derive(Debug, Default, PartialEq)]
struct Entries {
    tokens: Strings,
    ids: Vec<TokenId>,
}

impl Entries {
    fn iter(&self) -> impl Iterator<Item = (&str, TokenId)> + Clone {
        self.tokens.iter().zip(self.ids.iter().copied())
    }
}

/// Tokens with their scores, in the order of their ids.
#[derive(Debug, Default, PartialEq)]
struct ScoredTokens {
    tokens: Strings,
    scores: Vec<f64>,
}

impl File {
    /// The file as values. All that is wrong with a file is told by reading it so.
    pub(super) fn of_values(bytes: &[u8]) -> Result<Self> {
        Ok(File { root: json::parse(bytes)?, lists: Lists::default() })
    }

    /// The same with lists, several times as fast; None where they are not as nearly all files have them.
    pub(super) fn scan(bytes: &[u8]) -> Option<Self> {
        let mut lists = Lists::default();
        let mut scanner = JsonScanner::new(bytes)?;
        let root = scanner.object(|key, scanner| match key {
            "model" => model(scanner, &mut lists),
            _ => scanner.value(),
        })?;
        scanner.is_done().then(|| File { root: root.into(), lists })
    }
}

fn model(scanner: &mut JsonScanner, lists: &mut Lists) -> Option<Value> {
    let model = scanner.object(|key, scanner| match key {
        "vocab" => {
            lists.vocab = Some(match scanner.peek()? {
                b'{' => Listed::Ids(entries(scanner)?),
                _ => Listed::Scores(scored(scanner)?),
            });
            Some(Value::Null)
        }
        "merges" => {
            lists.merges = Some(merges(scanner)?);
            Some(Value::Null)
        }
        _ => scanner.value(),
    })?;
    Some(model.into())
}

fn entries(scanner: &mut JsonScanner) -> Option<Entries> {
    let mut entries = Entries { tokens: Strings::with_room(scanner.left()), ids: Vec::new() };
    scanner.members(*b"{}", |scanner| {
        entries.tokens.push(&scanner.string()?);
        scanner.take(b':')?;
        entries.ids.push(scanner.number()?);
        Some(())
    })?;
    Some(entries)
}

fn scored(scanner: &mut JsonScanner) -> Option<ScoredTokens> {
    let mut scored = ScoredTokens { tokens: Strings::with_room(scanner.left()), scores: Vec::new() };
    scanner.members(*b"[]", |scanner| {
        scanner.take(b'[')?;
        scored.tokens.push(&scanner.string()?);
        scanner.take(b',')?;
        scored.scores.push(scanner.float()?);
        scanner.take(b']')
    })?;
    Some(scored)
}

fn merges(scanner: &mut JsonScanner) -> Option<Strings> {
    let mut parts = Strings::with_room(scanner.left());
    scanner.members(*b"[]", |scanner| {
        if scanner.peek()? == b'"' {
            let line = scanner.string()?;
            let (left, right) = in_two(&line)?;
            parts.push(left);
            parts.push(right);
            return Some(());
        }
        scanner.take(b'[')?;
        parts.push(&scanner.string()?);
        scanner.take(b',')?;
        parts.push(&scanner.string()?);
        scanner.take(b']')
    })?;
    Some(parts)
}

/// The parts of a line with one space.
fn in_two(line: &str) -> Option<(&str, &str)> {
    // The lines are short, and so byte by byte is faster than a search that is made for long texts.
    let mut spaces = line.bytes().enumerate().filter(|&(_, byte)| byte == b' ').map(|(at, _)| at);
    let (at, None) = (spaces.next()?, spaces.next()) else { return None };
    Some((&line[..at], &line[at + 1..]))
}

impl Lists {
    pub(super) fn of_known(known: KnownLists) -> Self {
        Lists { known: Some(known), apart: true, ..Lists::default() }
    }

    pub(super) fn apart(self) -> Self {
        Lists { apart: true, ..self }
    }

    pub(super) fn stands_apart(&self) -> bool {
        self.apart
    }

    /// `model.vocab` of most models.
    pub(super) fn lexicon(&mut self, node: &JsonNode, unit: Unit) -> Result<Lexicon> {
        match &self.known {
            Some(known) => Ok(known.lexicon.clone()),
            None => Lexicon::new(node, self.entries(node)?.iter(), unit),
        }
    }

    /// `model.vocab` of Unigram, with the score of each token.
    pub(super) fn scored_lexicon(&mut self, node: &JsonNode) -> Result<(Lexicon, Arc<[f64]>)> {
        if let Some(KnownLists { lexicon, scores: Some(scores), .. }) = &self.known {
            return Ok((lexicon.clone(), scores.clone()));
        }
        let ScoredTokens { tokens, scores } = self.scored(node)?;
        Ok((Lexicon::of_texts(Vocab::new(tokens.iter().map(Some))?), scores.into()))
    }

    fn entries(&mut self, node: &JsonNode) -> Result<Entries> {
        if let Some(Listed::Ids(entries)) = self.vocab.take() {
            return Ok(entries);
        }
        let mut entries = Entries::default();
        for (token, id) in node.map()? {
            entries.ids.push(node.at(token, id).number()?);
            entries.tokens.push(token);
        }
        Ok(entries)
    }

    fn scored(&mut self, node: &JsonNode) -> Result<ScoredTokens> {
        if let Some(Listed::Scores(scored)) = self.vocab.take() {
            return Ok(scored);
        }
        let mut scored = ScoredTokens::default();
        for entry in node.list()? {
            let parts: Vec<JsonNode> = entry.list()?.collect();
            let [token, score] = parts.as_slice() else {
                return Err(entry.error(format!("has {} parts, expected 2", parts.len())));
            };
            // As the library reads it, which rounds some of them otherwise than a careful reader would.
            scored.scores.push(score.value.as_f64().ok_or_else(|| score.error("expected a number"))?);
            scored.tokens.push(token.string()?);
        }
        Ok(scored)
    }

    /// `model.merges`.
    pub(super) fn merges(&self, node: &JsonNode, lexicon: &Lexicon) -> Result<Vec<(TokenId, TokenId)>> {
        if let Some(known) = &self.known {
            return Ok(known.pairs.clone());
        }
        let Some(parts) = &self.merges else {
            return node.list()?.map(|merge| read_merge(&merge, lexicon)).collect();
        };
        let ids = lexicon.ids(parts.iter()).ok_or_else(|| node.error("has a part that is not in the vocabulary"))?;
        Ok(ids.as_chunks().0.iter().map(|&[left, right]| (left, right)).collect())
    }
}

fn read_merge(node: &JsonNode, lexicon: &Lexicon) -> Result<(TokenId, TokenId)> {
    let [left, right] = parts(node)?;
    let id = |token| lexicon.id(token).ok_or_else(|| node.error(format!("{token:?} is not in the vocabulary")));
    Ok((id(left)?, id(right)?))
}

/// Either "left right" or ["left", "right"].
fn parts<'a>(node: &JsonNode<'a>) -> Result<[&'a str; 2]> {
    let parts: Vec<&str> = match node.value.as_str() {
        Some(line) => line.split(' ').collect(),
        None => node.list()?.map(|part| part.string()).collect::<Result<_>>()?,
    };
    parts.as_slice().try_into().map_err(|_| node.error(format!("has {} parts, expected 2", parts.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// The lists of a file as values have them, and null in their places.
    fn of_values(bytes: &[u8]) -> (Value, Option<Listed>, Option<Strings>) {
        let mut file = File::of_values(bytes).unwrap();
        let lists = |key: &str| file.root["model"].get(key).cloned();
        let (vocab, merges) = (lists("vocab"), lists("merges"));
        let vocab = vocab.map(|value| match value {
            Value::Object(_) => Listed::Ids(Lists::default().entries(&JsonNode::root(&value)).unwrap()),
            _ => Listed::Scores(Lists::default().scored(&JsonNode::root(&value)).unwrap()),
        });
        let merges = merges.map(|value| {
            let mut strings = Strings::default();
            for merge in JsonNode::root(&value).list().unwrap() {
                parts(&merge).unwrap().iter().for_each(|part| strings.push(part));
            }
            strings
        });
        let model = file.root.get_mut("model").and_then(Value::as_object_mut);
        for (_, value) in model.into_iter().flatten().filter(|(key, _)| matches!(key.as_str(), "vocab" | "merges")) {
            *value = Value::Null;
        }
        (file.root, vocab, merges)
    }

    fn check(text: &str) -> bool {
        let Some(file) = File::scan(text.as_bytes()) else { return false };
        if let Some(Listed::Ids(entries)) = &file.lists.vocab {
            // Which of two counts is told by reading values, to which a vocabulary with such entries comes.
            let different: HashSet<&str> = entries.tokens.iter().collect();
            if different.len() < entries.ids.len() {
                return false;
            }
        }
        let (root, vocab, merges) = of_values(text.as_bytes());
        assert_eq!((file.root, file.lists.vocab, file.lists.merges), (root, vocab, merges), "{text}");
        true
    }

    #[test]
    fn what_files_look_like_is_scanned() {
        for model in [
            r#"{"type": "BPE", "vocab": {"a": 0, "\u00e9\n": 1, "é\"": 4294967295}, "merges": ["a b", "\u0020b"]}"#,
            r#"{"vocab":{"a":0},"merges":[["a","b c"],[ "\"" , "" ]],"unk_token":null}"#,
            "{\n  \"vocab\" : [ [\"▁the\", -3.25] , [\"b\",0], [\"c\", 1E-2] ] }",
            r#"{"vocab": {}, "merges": []}"#,
            "{}",
        ] {
            assert!(
                check(&format!("{{\"version\": \"1.0\", \"model\": {model}, \"decoder\": [1, {{}}]}}\n")),
                "{model}"
            );
        }
    }

    #[test]
    fn what_is_not_as_in_nearly_all_files_is_left_to_values() {
        for model in [
            r#"{"vocab": {"a": 01}}"#,
            r#"{"vocab": {"a": 1.0}}"#,
            r#"{"vocab": {"a": 4294967296}}"#,
            r#"{"vocab": {"a": -1}}"#,
            r#"{"vocab": {"a": 1,}}"#,
            r#"{"vocab": {"a" 1}}"#,
            r#"{"vocab": null}"#,
            r#"{"vocab": [["a", 1, 2]]}"#,
            r#"{"vocab": [["a", 1e999]]}"#,
            r#"{"merges": ["a b c"]}"#,
            r#"{"merges": ["ab"]}"#,
            r#"{"merges": [["a"]]}"#,
            r#"{"vocab": {}, "vocab": {}}"#,
            r#"{"vocab": {"\ud800": 1}}"#,
            "{\"vocab\": {\"a\tb\": 1}}",
        ] {
            assert!(File::scan(format!("{{\"model\": {model}}}").as_bytes()).is_none(), "{model}");
        }
        assert!(File::scan(b"{\"model\": {}} 1").is_none());
        assert!(File::scan(b"{\"model\": {\"vocab\": {\"\xFF\": 1}}}").is_none());
    }

    proptest! {
        #[test]
        fn all_that_is_scanned_is_what_values_say(
            tokens in proptest::collection::vec(
                "[ab é🙂]{0,12}|[a\"]{1,2}|(a|\\\\n|\\\\u00e9|\\\\ud83d\\\\ude42|\\\\\"|\\\\x|\\\\ud800){0,3}|[a\u{1}\u{7f}]{0,9}",
                0..5,
            ),
            numbers in proptest::collection::vec("[0-9]{1,11}|-?[0-9]{1,3}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?|null|", 5),
            space in "[ \n\t\r]{0,2}",
            kind in 0..4,
            damage in proptest::option::weighted(0.3, (0..200usize, "[\\[\\]{},:\"0a ]?")),
        ) {
            let number = |i: usize| numbers[i % numbers.len()].as_str();
            let members: Vec<String> = tokens.iter().enumerate().map(|(i, token)| match kind {
                0 => format!("{space}\"{token}\"{space}:{space}{}{space}", number(i)),
                1 => format!("{space}[{space}\"{token}\"{space},{space}{}{space}]", number(i)),
                2 => format!("{space}\"{token} {token}\""),
                _ => format!("[\"{token}\",{space}\"{token}b\"]{space}"),
            }).collect();
            let list = members.join(",");
            let model = match kind {
                0 => format!("\"vocab\": {{{list}}}"),
                1 => format!("\"vocab\"{space}: [{list}]"),
                _ => format!("{space}\"merges\": [{list}]"),
            };
            let mut text = format!("{{\"version\":\"1.0\",{space}\"model\":{{{model},\"dropout\":{}}}{space}}}{space}", number(0));
            if let Some((at, new)) = damage {
                let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let at = at % places.len();
                let end = places.get(at + 1).copied().unwrap_or(text.len());
                text.replace_range(places[at]..end, &new);
            }
            check(&text);
        }
    }
}
