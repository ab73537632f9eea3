//! From counts to a tokenizer.

use std::collections::{HashMap, HashSet};

use super::BpeOptions;
use super::base::Base;
use super::budget::Means;
use super::inventory::TokenInventory;
use super::likelihood;
use super::merging::{self, LearnedMerge, MergeWatch};
use super::pieces::TrainingPieces;
use super::rule::{MergeRules, PairScore, Ties};
use crate::definition::Phases;
use crate::definition::{Definition, Merging, Outline};
use crate::error::{Error, Result};
use crate::model::bpe::concatenations::of_concatenations;
use crate::specials::Policy;
use crate::text::byte_alphabet::from_alphabet;
use crate::train::vocabulary::described;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

/// A tokenizer, what the user should know of its training, and how many tokens the text has.
pub(crate) struct Built {
    pub definition: Definition,
    pub merges: Vec<LearnedMerge>,
    pub notes: Vec<String>,
    pub tokens: u64,
}

/// What to learn, and what it may take.
pub(crate) struct BpeTask<'a> {
    pub options: &'a BpeOptions,
    pub vocab_size: Option<usize>,
    pub min_frequency: u64,
    pub means: Means,
}

impl BpeTask<'_> {
    pub(crate) fn rules(&self) -> MergeRules {
        self.options.rules(self.min_frequency)
    }
}

pub(crate) fn build(
    outline: &Outline,
    task: &BpeTask,
    pieces: &TrainingPieces,
    phases: &mut Phases,
    watch: &mut MergeWatch,
) -> Result<Built> {
    let &BpeTask { options, vocab_size, means, .. } = task;
    let mut tokens = TokenInventory::default();
    let specials = outline.added.len();
    if !options.specials_last() {
        for added in &outline.added {
            reserve(options, &added.content, &mut tokens);
        }
    }
    if options.byte_fallback {
        for byte in 0..=255 {
            tokens.push(format!("<0x{byte:02X}>").as_bytes(), 1);
        }
    }
    let room =
        vocab_size.map_or(usize::MAX, |size| size.saturating_sub(if options.specials_last() { specials } else { 0 }));
    let mut pause = || watch(0, room as u64);
    let base = phases.time("arranging", || Base::new(options, pieces, &mut tokens, &mut pause))?;
    if tokens.len() > room && !options.may_exceed {
        let least = tokens.len() + if options.specials_last() { specials } else { 0 };
        return Err(too_small(options, vocab_size.unwrap_or_default(), outline, least));
    }
    let room = room.max(tokens.len());
    let rules = task.rules();
    let first = tokens.len();
    let (merges, tokens_in_text) = match options.score {
        PairScore::Frequency => {
            let arranged = phases.time("arranging", || base.arrange(pieces, &tokens, means, &mut pause))?;
            phases.time("merging", || merging::learn(arranged, &mut tokens, &rules, room, watch))?
        }
        PairScore::Likelihood => {
            let spelled = phases.time("arranging", || base.spell(pieces, &mut pause))?;
            phases.time("merging", || likelihood::learn(spelled, &mut tokens, &rules, room, watch))?
        }
    };
    let last = if options.specials_last() { specials } else { 0 };
    let mut notes = shortfall(vocab_size, tokens.len() + last, &merges, &rules);
    let same = duplicates(&tokens, first);
    if !same.is_empty() {
        notes.push(format!(
            "{} tokens came about in a second way and are tokens of their own in rustbpe; here they are the first of that text",
            same.len()
        ));
    }
    let mut outline = outline.clone();
    outline.merging = options.merging();
    if options.ties == Ties::Tiktoken {
        outline.whole_pieces = true;
        outline.specials = Policy::Refuse;
    }
    if options.specials_last() {
        move_specials(&mut outline, tokens.len() as i64);
    }
    let special: HashSet<TokenId> = outline.added.iter().map(|added| added.id).collect();
    // Special tokens that the text spells: under the library's rule they are tokens of the model, too.
    let spelled: HashSet<TokenId> = merges.iter().map(|merge| merge.made).chain(base.ids()).collect();
    let each = (0..tokens.len() as TokenId).map(|id| {
        let is_own = !same.contains_key(&id) && (!special.contains(&id) || spelled.contains(&id));
        is_own.then(|| tokens.token(id))
    });
    let (definition, merges) = phases.time("building", || join_definition(outline, each, Vec::new(), merges, &same))?;
    Ok(Built { definition, merges, notes, tokens: tokens_in_text })
}

/// The tokens and merges alone, of pieces without special tokens.
pub(crate) fn learned(
    task: &BpeTask,
    pieces: &TrainingPieces,
    phases: &mut Phases,
    watch: &mut MergeWatch,
) -> Result<(TokenInventory, Vec<LearnedMerge>)> {
    let mut tokens = TokenInventory::default();
    let room = task.vocab_size.unwrap_or(usize::MAX);
    let mut pause = || watch(0, room as u64);
    let arranged = phases.time("arranging", || {
        let base = Base::new(task.options, pieces, &mut tokens, &mut pause)?;
        base.arrange(pieces, &tokens, task.means, &mut pause)
    })?;
    let (merges, _) = phases.time("merging", || merging::learn(arranged, &mut tokens, &task.rules(), room, watch))?;
    Ok((tokens, merges))
}

/// Why the vocabulary is smaller than it should be, if it is.
pub(super) fn shortfall(
    vocab_size: Option<usize>,
    reached: usize,
    merges: &[LearnedMerge],
    rules: &MergeRules,
) -> Vec<String> {
    let short = vocab_size.filter(|&size| reached < size).map(|size| {
        format!(
            "vocab_size={size} was asked for and {reached} is what there is: after {} {} no pair of tokens occurs {}",
            merges.len(),
            if merges.len() == 1 { "merge" } else { "merges" },
            if rules.min_frequency == 1 { "at all".into() } else { format!("at least {} times", rules.min_frequency) }
        )
    });
    short.into_iter().collect()
}

/// An id for a special token. The library takes a merge that spells it for the same token.
fn reserve(options: &BpeOptions, content: &str, tokens: &mut TokenInventory) {
    let spelled = match (options.ties, options.byte_level) {
        (Ties::HuggingFace, true) => from_alphabet(content),
        (Ties::HuggingFace, false) => Some(content.as_bytes().to_vec()),
        _ => None,
    };
    match spelled {
        Some(spelled) => tokens.insert(&spelled, 1),
        None => tokens.push(content.as_bytes(), 1),
    };
}

fn too_small(options: &BpeOptions, size: usize, outline: &Outline, least: usize) -> Error {
    let (units, others) = match options.byte_level {
        true => ("bytes", "byte_level=False starts from the characters of the text instead"),
        false => ("characters", "limit_alphabet=… keeps only the most frequent characters"),
    };
    let counted = least - outline.added.len();
    let tokens = described(outline);
    Error::Spec(format!(
        "vocab_size={size} does not hold the {counted} {units} and {tokens} to begin with; it must be at least {least}, or {others}"
    ))
}

/// Merged tokens that have the bytes of an earlier one, which only one rule makes: each with that one.
pub(super) fn duplicates(tokens: &TokenInventory, first: usize) -> HashMap<u32, u32> {
    let mut seen: HashMap<&[u8], u32> = (0..first as u32).map(|id| (tokens.token(id), id)).collect();
    let mut same = HashMap::new();
    for id in first as u32..tokens.len() as u32 {
        let earlier = *seen.entry(tokens.token(id)).or_insert(id);
        if earlier != id {
            same.insert(id, earlier);
        }
    }
    same
}

/// Gives the special tokens other ids, which are higher by `by`.
pub(super) fn move_specials(outline: &mut Outline, by: i64) {
    outline.renumber(|id| (i64::from(id) + by) as TokenId);
}

/// The tokens of each id and the merges that make them, as a tokenizer; and the merges that were learned, by these ids.
pub(super) fn join_definition<'a>(
    outline: Outline,
    tokens: impl Iterator<Item = Option<&'a [u8]>>,
    earlier: Vec<(TokenId, TokenId)>,
    mut learned: Vec<LearnedMerge>,
    same: &HashMap<TokenId, TokenId>,
) -> Result<(Definition, Vec<LearnedMerge>)> {
    let vocab = Vocab::new(tokens)?;
    for merge in &mut learned {
        let LearnedMerge { left, right, made, .. } = *merge;
        let [left, right, made] = [left, right, made].map(|id| same.get(&id).copied().unwrap_or(id));
        *merge = LearnedMerge { left, right, made, ..*merge };
    }
    let merges = match outline.merging {
        Merging::Scores => return Err(of_scores()),
        Merging::Concatenations => of_concatenations(&vocab)?,
        Merging::Pairs => {
            let pairs: Vec<_> =
                earlier.into_iter().chain(learned.iter().map(|merge| (merge.left, merge.right))).collect();
            Merges::of_pairs(&vocab, &pairs, outline.symbols.prefix.as_bytes())?
        }
    };
    Ok((Definition { outline, vocab: vocab.into(), merges: Some(merges.into()), scores: None }, learned))
}

/// What training and cutting back say of a SentencePiece model.
pub(super) fn of_scores() -> Error {
    Error::Spec(
        "the merges of a SentencePiece model follow from its scores; none can be learned or taken out here".into(),
    )
}
