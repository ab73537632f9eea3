//! Decoders one after the other, as tokenizer.json composes them: each takes tokens and gives tokens, and the last ones are joined.
//!
//! Every step takes tokens as they come and gives what is certain by then, so the same code decodes at once and streams. What follows a
//! `Fuse` sees one text: such steps wait for its end, but for stripping its start, which needs no more than that.

use serde::{Deserialize, Serialize};

use super::cleanup::clean_up_all;
use crate::text::byte_alphabet::from_alphabet;
use crate::text::pattern::Search;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum DecodeStep {
    /// Every match of a pattern becomes `content`.
    Replace { pattern: Search, content: String },
    /// Tokens `<0x41>` are bytes, and those that are no text together are U+FFFD, each of them.
    ByteFallback,
    /// All tokens become one.
    Fuse,
    /// A character goes from the start of a token at most `start` times, and from its end at most `stop` times.
    Strip {
        content: char,
        start: usize,
        #[serde(default, skip_serializing_if = "is_zero")]
        stop: usize,
    },
    /// A mark is a space, and in the first token nothing, if it was put there.
    Metaspace { replacement: char, prepended: bool },
    /// Repetitions of a token and padding go, and a token is the space.
    Ctc { pad: String, delimiter: String, cleanup: bool },
    /// A space before every token without the prefix, and the prefix away.
    WordPiece { prefix: String, cleanup: bool },
    /// The suffix is a space, and in the last token nothing.
    Suffix { suffix: String },
    /// Tokens written in the alphabet of bytes are bytes; all become one.
    ByteLevel,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A step on its way through tokens.
#[derive(Debug, Clone)]
pub(super) struct DecodeStage {
    step: DecodeStep,
    /// The tokens that come are parts of one.
    parts: bool,
    /// What comes is passed on as it comes, since only parts of one token are wanted.
    passes: bool,
    first: bool,
    /// Bytes or text that wait for what follows.
    held: Vec<u8>,
    /// For `Ctc`, the token before; for `Suffix`, the one that waits.
    last: Option<String>,
    stripped: usize,
}

/// The stages of a chain, ready for the first token.
pub(super) fn stages(steps: &[DecodeStep]) -> Vec<DecodeStage> {
    let in_parts = |step: &DecodeStep| matches!(step, DecodeStep::Fuse | DecodeStep::Strip { stop: 0, .. });
    let mut parts = false;
    let mut stages = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate() {
        let passes = *step == DecodeStep::Fuse && steps[i..].iter().all(in_parts);
        let stage =
            DecodeStage { step: step.clone(), parts, passes, first: true, held: Vec::new(), last: None, stripped: 0 };
        stages.push(stage);
        parts |= passes;
    }
    stages
}

pub(super) fn push(stages: &mut [DecodeStage], token: String, out: &mut Vec<u8>) {
    match stages.split_first_mut() {
        None => out.extend_from_slice(token.as_bytes()),
        Some((stage, rest)) => stage.push(token, &mut |token| push(rest, token, out)),
    }
}

pub(super) fn finish(stages: &mut [DecodeStage], out: &mut Vec<u8>) {
    if let Some((stage, rest)) = stages.split_first_mut() {
        stage.finish(&mut |token| push(rest, token, out));
        finish(rest, out);
    }
}

impl DecodeStage {
    fn push(&mut self, token: String, give: &mut dyn FnMut(String)) {
        let first = std::mem::take(&mut self.first);
        match &self.step {
            DecodeStep::Replace { pattern, content } => give(replaced(pattern, content, &token)),
            DecodeStep::ByteFallback => match fallback_byte(&token) {
                Some(byte) => self.held.push(byte),
                None => {
                    self.give_bytes(give);
                    give(token);
                }
            },
            DecodeStep::Fuse if self.passes => give(token),
            DecodeStep::Fuse => self.held.extend_from_slice(token.as_bytes()),
            DecodeStep::ByteLevel => {
                let bytes = from_alphabet(&token).unwrap_or_else(|| token.into_bytes());
                self.held.extend_from_slice(&bytes);
            }
            DecodeStep::Strip { content, start, stop } => {
                let already = if self.parts { self.stripped } else { 0 };
                let most = start.saturating_sub(already);
                let matching = token.chars().take(most).take_while(|c| c == content).count();
                self.stripped = already + matching;
                let rest = &token[matching * content.len_utf8()..];
                if !rest.is_empty() {
                    // What begins with something else is past its start.
                    self.stripped = *start;
                }
                let at_end = rest.chars().rev().take(*stop).take_while(|c| c == content).count();
                give(rest[..rest.len() - at_end * content.len_utf8()].to_string());
            }
            DecodeStep::Metaspace { replacement, prepended } => {
                let space = if first && *prepended { "" } else { " " };
                give(token.replace(*replacement, space));
            }
            DecodeStep::Ctc { pad, delimiter, cleanup } => {
                if self.last.as_ref() == Some(&token) {
                    return;
                }
                let mut shown = token.replace(pad.as_str(), "");
                if *cleanup {
                    shown = clean_up_all(&shown).replace(delimiter.as_str(), " ");
                }
                self.last = Some(token);
                if !shown.is_empty() {
                    give(shown);
                }
            }
            DecodeStep::WordPiece { prefix, cleanup } => {
                let shown = match token.strip_prefix(prefix.as_str()) {
                    _ if first => token,
                    Some(rest) => rest.to_string(),
                    None => format!(" {token}"),
                };
                give(if *cleanup { clean_up_all(&shown) } else { shown });
            }
            DecodeStep::Suffix { suffix } => {
                if let Some(before) = self.last.replace(token) {
                    give(before.replace(suffix.as_str(), " "));
                }
            }
        }
    }

    fn finish(&mut self, give: &mut dyn FnMut(String)) {
        match &self.step {
            DecodeStep::ByteFallback => self.give_bytes(give),
            DecodeStep::Fuse if self.passes => {}
            DecodeStep::Fuse | DecodeStep::ByteLevel => {
                let held = std::mem::take(&mut self.held);
                give(String::from_utf8_lossy(&held).into_owned());
            }
            DecodeStep::Suffix { suffix } => {
                if let Some(last) = self.last.take() {
                    give(last.replace(suffix.as_str(), ""));
                }
            }
            _ => {}
        }
    }

    fn give_bytes(&mut self, give: &mut dyn FnMut(String)) {
        let held = std::mem::take(&mut self.held);
        match String::from_utf8(held) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => give(text),
            Err(error) => error.as_bytes().iter().for_each(|_| give("\u{FFFD}".to_string())),
        }
    }
}

fn replaced(pattern: &Search, content: &str, token: &str) -> String {
    let mut text = String::with_capacity(token.len());
    let mut done = 0;
    for found in pattern.matches(token) {
        text.push_str(&token[done..found.start]);
        text.push_str(content);
        done = found.end;
    }
    text + &token[done..]
}

/// `<0x41>` → 0x41
pub(super) fn fallback_byte(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    // As the library reads it: a sign counts as a digit.
    (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::pattern::Pattern;

    fn decoded(steps: &[DecodeStep], tokens: &[&str]) -> (Vec<String>, String) {
        let mut stages = stages(steps);
        let mut certain = Vec::new();
        for token in tokens {
            let mut out = Vec::new();
            push(&mut stages, token.to_string(), &mut out);
            certain.push(String::from_utf8(out).unwrap());
        }
        let mut rest = Vec::new();
        finish(&mut stages, &mut rest);
        let whole = certain.concat() + std::str::from_utf8(&rest).unwrap();
        (certain, whole)
    }

    #[test]
    fn text_with_bytes_streams_token_by_token() {
        let pattern = Search::try_from(Pattern::Text("▁".into())).unwrap();
        let steps = [
            DecodeStep::Replace { pattern, content: " ".into() },
            DecodeStep::ByteFallback,
            DecodeStep::Fuse,
            DecodeStep::Strip { content: ' ', start: 1, stop: 0 },
        ];
        let (certain, whole) = decoded(&steps, &["▁▁Hi", "<0xC3>", "<0xA9>", "▁x", "<0xFF>"]);
        assert_eq!(certain, [" Hi", "", "", "é x", ""]);
        assert_eq!(whole, " Hié x\u{FFFD}");
    }

    #[test]
    fn each_step_by_example() {
        let whole = |step: DecodeStep, tokens: &[&str]| decoded(&[step], tokens).1;
        let piece = |cleanup| DecodeStep::WordPiece { prefix: "##".into(), cleanup };
        assert_eq!(whole(piece(true), &["##un", "##able", ",", "it", "'s"]), "##unable, it's");
        assert_eq!(whole(piece(false), &["a", ","]), "a ,");
        assert_eq!(whole(DecodeStep::Suffix { suffix: "</w>".into() }, &["a</w>", "b", "c</w>"]), "a bc");
        assert_eq!(whole(DecodeStep::Metaspace { replacement: '▁', prepended: true }, &["▁a▁", "▁b"]), "a b");
        assert_eq!(whole(DecodeStep::Metaspace { replacement: '▁', prepended: false }, &["▁a"]), " a");
        let ctc = DecodeStep::Ctc { pad: "<pad>".into(), delimiter: "|".into(), cleanup: true };
        assert_eq!(whole(ctc, &["<pad>", "h", "h", "<pad>", "h", "|", "i"]), "hh i");
        let strip = DecodeStep::Strip { content: '_', start: 1, stop: 1 };
        assert_eq!(whole(strip.clone(), &["__a__", "b_", "_", ""]), "_a_b");
        assert_eq!(decoded(&[DecodeStep::Fuse, strip], &["_a", "b_"]).1, "ab");
        assert_eq!(whole(DecodeStep::ByteLevel, &["Ã", "©Ġ", "中"]), "é 中");
        assert_eq!(decoded(&[DecodeStep::Fuse, piece(false)], &["a", "b"]).1, "ab");
    }
}
