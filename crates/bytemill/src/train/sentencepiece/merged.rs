//! Byte-pair encoding as SentencePiece trains it: merges first, the best with the highest score, and the characters after them.

use super::PieceTask;
use crate::definition::Phases;
use crate::error::Result;
use crate::train::bpe::{self, BpeOptions, EndOfWord, MergeWatch, Ties, TrainingPieces};
use crate::train::counts::PieceCounts;
use crate::train::{History, LearnedMerge, TextMerge};

/// The pieces with their scores, in the order of their ids; and the merges that make them.
pub(super) fn pieces(
    task: &PieceTask,
    phases: &mut Phases,
    watch: &mut MergeWatch,
) -> Result<(Vec<(String, f64)>, History)> {
    let &PieceTask { options, prepared, words, means } = task;
    let merging = BpeOptions {
        ties: Ties::SentencePiece,
        score: Default::default(),
        max_token_length: Some(options.max_piece_length),
        initial_alphabet: Some(prepared.required.iter().map(|(c, _)| c.to_string()).collect()),
        limit_alphabet: None,
        end_of_word_suffix: None,
        end_of_word: EndOfWord::Suffix,
        continuing_subword_prefix: None,
        byte_level: false,
        byte_fallback: false,
        may_exceed: false,
    };
    let counts = PieceCounts::from_pairs(words.each().map(|(word, count)| (word.as_bytes().to_vec(), count)), None)?;
    let task = bpe::BpeTask { options: &merging, vocab_size: Some(prepared.room), min_frequency: 1, means };
    let (tokens, merges) = bpe::learned(&task, &TrainingPieces::new(&counts, Ties::SentencePiece)?, phases, watch)?;
    let text = |id| String::from_utf8_lossy(tokens.token(id)).into_owned();
    let merged = merges.iter().map(|merge| text(merge.made));
    let characters = prepared.required.iter().map(|(c, _)| c.to_string());
    let free = |text: &String| !prepared.reserved.contains(text);
    let pieces = (0..).zip(merged.chain(characters).filter(free)).map(|(i, text)| (text, -f64::from(i))).collect();
    let merges = merges.iter().map(|&LearnedMerge { left, right, count, .. }| TextMerge {
        left: text(left),
        right: text(right),
        count,
    });
    Ok((pieces, History::Merges(merges.collect())))
}
