//! What comes of a training.

use serde_json::{Value, json};

use super::LearnedMerge;
use super::bpe::Built;
use super::counts::RankedPieces;
use crate::definition::Definition;
use crate::format::TokenText;

/// The result of a training, with what the user should know of it.
#[derive(Debug)]
pub struct Trained {
    pub definition: Definition,
    /// What byte-pair encoding has learned, by the ids of the definition.
    pub merges: Vec<LearnedMerge>,
    /// How the vocabulary of another family came about.
    pub history: History,
    pub notes: Vec<String>,
}

/// How a vocabulary came about, where its merges by their ids do not say it.
#[derive(Debug, Default)]
pub enum History {
    #[default]
    Nothing,
    /// Words or characters of the text, with their counts, the most frequent first.
    Tokens(RankedPieces),
    /// The merges of SentencePiece: two texts that became one, and how often they were side by side.
    Merges(Vec<TextMerge>),
    /// The rounds of Unigram.
    Rounds(Vec<Round>),
}

#[derive(Debug)]
pub struct TextMerge {
    pub left: String,
    pub right: String,
    pub count: u64,
}

/// How many pieces a round of Unigram has estimated, and how many it has kept.
#[derive(Debug)]
pub struct Round {
    pub estimated: usize,
    pub kept: usize,
}

impl From<Built> for Trained {
    fn from(built: Built) -> Self {
        let Built { definition, merges, notes, .. } = built;
        Trained { definition, merges, history: History::Nothing, notes }
    }
}

impl Trained {
    /// The merges, tokens or rounds in their order, a JSON object on each line.
    pub fn log(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for line in self.merge_lines().chain(self.history_lines()) {
            lines.extend_from_slice(line.to_string().as_bytes());
            lines.push(b'\n');
        }
        lines
    }

    fn merge_lines(&self) -> impl Iterator<Item = Value> {
        let token = |id| TokenText::new(self.definition.vocab.token(id).unwrap_or_default());
        self.merges.iter().map(move |&LearnedMerge { left, right, made, count }| {
            json!({"left": token(left), "right": token(right), "id": made, "count": count})
        })
    }

    fn history_lines(&self) -> Box<dyn Iterator<Item = Value> + '_> {
        // What the text spells like a special token is none of the model.
        let id = |text: &[u8]| self.definition.vocab.id(text);
        match &self.history {
            History::Nothing => Box::new(std::iter::empty()),
            History::Tokens(tokens) => {
                Box::new(tokens.iter().map(
                    move |(token, count)| json!({"token": TokenText::new(token), "id": id(token), "count": count}),
                ))
            }
            History::Merges(merges) => Box::new(merges.iter().map(move |TextMerge { left, right, count }| {
                let made = id((left.clone() + right).as_bytes());
                json!({"left": left, "right": right, "id": made, "count": count})
            })),
            History::Rounds(rounds) => Box::new(
                (1..)
                    .zip(rounds)
                    .map(|(number, round)| json!({"round": number, "estimated": round.estimated, "kept": round.kept})),
            ),
        }
    }
}
