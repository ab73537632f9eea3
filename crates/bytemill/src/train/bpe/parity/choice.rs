//! LanguageChoice: which language the next merge is for.

use std::collections::VecDeque;

use super::options::{ParityOptions, ParityWindow};

pub(super) struct LanguageChoice {
    ratio: Option<Vec<f64>>,
    /// The lengths before the first merge.
    initial: Vec<i64>,
    /// Languages that had no pair left.
    exhausted: Vec<bool>,
    window: Option<LastMerges>,
}

/// The languages of the last merges.
struct LastMerges {
    size: usize,
    /// The share of them that a language may have had.
    share: f64,
    last: VecDeque<usize>,
    /// How many of them each language has had.
    counts: Vec<usize>,
}

/// A language that is not taken, or cannot be compared.
const NEVER: f64 = f64::NEG_INFINITY;

impl LanguageChoice {
    pub(super) fn new(options: &ParityOptions, initial: Vec<i64>) -> Self {
        let languages = initial.len();
        let window = |window: ParityWindow| LastMerges {
            size: window.size,
            share: window.alpha / languages as f64,
            last: VecDeque::new(),
            counts: vec![0; languages],
        };
        LanguageChoice {
            ratio: options.ratio.clone(),
            initial,
            exhausted: vec![false; languages],
            window: options.window.map(window),
        }
    }

    pub(super) fn all_are_exhausted(&self) -> bool {
        self.exhausted.iter().all(|&exhausted| exhausted)
    }

    /// The language for the next merge, by the lengths that the texts have now.
    pub(super) fn next(&mut self, lengths: &[i64]) -> usize {
        let needs = self.needs(lengths);
        match &mut self.window {
            None => greatest(&needs),
            Some(window) => window.next(&needs),
        }
    }

    /// Notes that a language had no pair left. False if this is so for good: the library would look at that language again and again.
    pub(super) fn exhaust(&mut self, language: usize, lengths: &[i64]) -> bool {
        let is_new = !std::mem::replace(&mut self.exhausted[language], true);
        is_new || self.needs(lengths).iter().any(|&need| need > NEVER)
    }

    /// How much each language needs the next merge.
    fn needs(&self, lengths: &[i64]) -> Vec<f64> {
        let need = |language: usize| {
            let now = lengths[language] as f64;
            match &self.ratio {
                _ if self.exhausted[language] => NEVER,
                None => now,
                // A language without text is no number, and never the greatest.
                Some(ratio) => -(self.initial[language] as f64 / now / ratio[language]),
            }
        };
        (0..lengths.len()).map(need).collect()
    }
}

/// The first of the greatest; the first of all if there is none.
fn greatest(needs: &[f64]) -> usize {
    let mut best = (0, NEVER);
    for (language, &need) in needs.iter().enumerate() {
        if need > best.1 {
            best = (language, need);
        }
    }
    best.0
}

impl LastMerges {
    fn next(&mut self, needs: &[f64]) -> usize {
        let language = self.choose(needs);
        self.counts[language] += 1;
        self.last.push_back(language);
        if self.last.len() > self.size
            && let Some(first) = self.last.pop_front()
        {
            self.counts[first] -= 1;
        }
        language
    }

    /// The one in the greatest need of those that have not had their share; if all have had it, the one in the least need.
    fn choose(&self, needs: &[f64]) -> usize {
        let mut open = needs.to_vec();
        let mut has_waited = vec![false; needs.len()];
        loop {
            let best = greatest(&open);
            let had = self.counts[best] as f64 / self.size as f64;
            // The library comes here again and again if those that are left are exhausted.
            if had <= self.share || has_waited[best] {
                return best;
            }
            has_waited[best] = true;
            open[best] = NEVER;
            if has_waited.iter().all(|&waited| waited) {
                return best;
            }
        }
    }
}
