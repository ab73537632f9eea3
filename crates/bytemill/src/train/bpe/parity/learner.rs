//! ParityLearner: the words of all languages as merged so far.

use super::super::inventory::TokenInventory;
use super::super::merging::MergeWatch;
use super::super::options::BpeOptions;
use super::super::pieces::{Pause, TrainingPieces};
use super::super::rule::{MergeRules, PairKey, parts};
use super::choice::LanguageChoice;
use super::corpus::{Corpus, PairMerge};
use super::options::ParityOptions;
use super::pairs::PairTable;
use super::units::{first_tokens, spell, spell_known};
use crate::error::Result;

pub(super) struct ParityLearner<'a> {
    options: &'a ParityOptions,
    rules: MergeRules,
    pub tokens: TokenInventory,
    train: Vec<Corpus>,
    /// Words that nothing is learned from; none, or those of each language.
    dev: Vec<Corpus>,
    /// The pairs of all languages together, as long as they decide.
    all: Option<PairTable>,
}

impl<'a> ParityLearner<'a> {
    pub(super) fn new(
        options: &'a ParityOptions,
        bpe: &BpeOptions,
        train: &[TrainingPieces],
        dev: &[TrainingPieces],
        pause: &mut Pause,
    ) -> Result<Self> {
        let pieces: Vec<&TrainingPieces> = train.iter().chain(dev).collect();
        let mut tokens = first_tokens(bpe, &options.special_tokens, &pieces, pause)?;
        let train = train.iter().map(|pieces| spelled(bpe, &mut tokens, pieces, pause)).collect::<Result<_>>()?;
        // Lengths by a ratio are those of the text that is learned from.
        let dev = if options.ratio.is_some() { &[] } else { dev };
        let dev = dev.iter().map(|pieces| spelled_again(bpe, &tokens, pieces, pause)).collect::<Result<_>>()?;
        let mut learner =
            ParityLearner { options, rules: bpe.rules(options.min_frequency), tokens, train, dev, all: None };
        learner.rank();
        Ok(learner)
    }

    /// Lets all pairs wait.
    fn rank(&mut self) {
        if self.options.global_merges > 0 {
            let mut all = PairTable::ranked();
            self.train.iter().flat_map(|corpus| corpus.pairs.counts()).for_each(|(key, by)| all.change(key, by, None));
            self.all = Some(all);
        }
        self.settle();
    }

    fn settle(&mut self) {
        let ranked = self.train.iter_mut().map(|corpus| &mut corpus.pairs).chain(&mut self.all);
        ranked.for_each(|pairs| pairs.settle(&self.tokens, &self.rules));
    }

    /// All merges, in their order.
    pub(super) fn learn(&mut self, watch: &mut MergeWatch) -> Result<Vec<(u32, u32)>> {
        let known = if self.options.total_symbols { self.tokens.len() } else { 0 };
        let wanted = self.options.num_merges.saturating_sub(known);
        let mut choice = LanguageChoice::new(self.options, self.lengths());
        let mut merges = Vec::new();
        while merges.len() < wanted && !choice.all_are_exhausted() {
            watch(merges.len() as u64, wanted as u64)?;
            let best = match self.best_of_all(merges.len()) {
                Some(None) => break,
                Some(best) => best,
                None => {
                    let lengths = self.lengths();
                    let language = choice.next(&lengths);
                    let best = self.train[language].pairs.best(&self.tokens, &self.rules);
                    if best.is_none() && !choice.exhaust(language, &lengths) {
                        break;
                    }
                    best
                }
            };
            if let Some(pair) = best {
                merges.push(parts(pair));
                self.merge(pair);
            }
        }
        Ok(merges)
    }

    /// The best pair of all languages together, as long as they decide.
    fn best_of_all(&mut self, merges: usize) -> Option<Option<PairKey>> {
        if merges >= self.options.global_merges {
            self.all = None;
        }
        self.all.as_mut().map(|all| all.best(&self.tokens, &self.rules))
    }

    fn lengths(&self) -> Vec<i64> {
        let texts = if self.dev.is_empty() { &self.train } else { &self.dev };
        texts.iter().map(|corpus| corpus.length).collect()
    }

    fn merge(&mut self, pair: PairKey) {
        let (left, right) = parts(pair);
        let made = self.tokens.join(left, right, &self.rules);
        let limit = self.rules.max_token_length.unwrap_or(usize::MAX);
        let merged = PairMerge { left, right, made, limit };
        for corpus in &mut self.train {
            corpus.merge(&merged, self.all.as_mut());
        }
        for corpus in &mut self.dev {
            corpus.merge(&PairMerge { limit: usize::MAX, ..merged }, None);
        }
        self.settle();
    }
}

fn spelled(
    options: &BpeOptions,
    tokens: &mut TokenInventory,
    pieces: &TrainingPieces,
    pause: &mut Pause,
) -> Result<Corpus> {
    let (mut corpus, mut symbols, mut pushed) = (Corpus::ranked(), Vec::new(), Ok(()));
    pieces.each(pause, |word, count| {
        spell(options, tokens, word, &mut symbols);
        if pushed.is_ok() {
            pushed = corpus.push(&symbols, count);
        }
    })?;
    pushed.map(|()| corpus)
}

/// The words that are made of known tokens alone.
fn spelled_again(
    options: &BpeOptions,
    tokens: &TokenInventory,
    pieces: &TrainingPieces,
    pause: &mut Pause,
) -> Result<Corpus> {
    let (mut corpus, mut symbols, mut pushed) = (Corpus::default(), Vec::new(), Ok(()));
    pieces.each(pause, |word, count| {
        if pushed.is_ok() && spell_known(options, tokens, word, &mut symbols) {
            pushed = corpus.push(&symbols, count);
        }
    })?;
    pushed.map(|()| corpus)
}
