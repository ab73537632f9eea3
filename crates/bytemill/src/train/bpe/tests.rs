use proptest::prelude::*;

use super::arrange::arrange;
use super::budget::Means;
use super::inventory::TokenInventory;
use super::merging::{self, LearnedMerge};
use super::naive;
use super::pieces::TrainingPieces;
use super::rule::{MergeRules, Ties};

const ALL: [Ties; 6] =
    [Ties::Bytemill, Ties::RustBpe, Ties::HuggingFace, Ties::Tiktoken, Ties::Cs336, Ties::SentencePiece];

const ALONE: Means = Means { memory: None, threads: 1 };

fn letters(number: u8) -> TokenInventory {
    let mut tokens = TokenInventory::default();
    for letter in b'a'..b'a' + number {
        tokens.insert(&[letter], 1);
    }
    tokens
}

fn both(
    words: &[(Vec<u32>, u64)],
    rules: &MergeRules,
    room: usize,
    means: Means,
) -> [(Vec<LearnedMerge>, Vec<Vec<u8>>); 2] {
    let all = |tokens: &TokenInventory| (0..tokens.len() as u32).map(|id| tokens.token(id).to_vec()).collect();
    let mut slow_tokens = letters(4);
    let slow = naive::learn(&mut words.to_vec(), &mut slow_tokens, rules, room);
    let mut tokens = letters(4);
    let spelled = |symbols: &[u32]| symbols.iter().map(|&symbol| b'a' + symbol as u8).collect();
    let pieces = words.iter().map(|(symbols, count)| (spelled(symbols), *count)).collect();
    let pieces = TrainingPieces::Listed { pieces, are_ordered: rules.ties == Ties::Tiktoken };
    let spell = |piece: &[u8], give: &mut dyn FnMut(&[u32])| {
        give(&piece.iter().map(|letter| u32::from(letter - b'a')).collect::<Vec<u32>>());
    };
    let mut arranged = arrange(&pieces, tokens.lengths(), means, &mut || Ok(()), spell).unwrap();
    // Threads share what they would not share otherwise, so little is it.
    arranged.budget.worth_a_thread = 2;
    arranged.budget.worth_a_reader = 2;
    let (fast, _) = merging::learn(arranged, &mut tokens, rules, room, &mut |_, _| Ok(())).unwrap();
    [(slow, all(&slow_tokens)), (fast, all(&tokens))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_fast_one_learns_what_the_slow_one_learns(
        words in proptest::collection::vec((proptest::collection::vec(0..4u32, 0..14), 1..9u64), 0..12),
        ties in proptest::sample::select(ALL.to_vec()),
        min_frequency in 1..6u64,
        max_token_length in proptest::option::of(1..7usize),
        room in 4..40usize,
    ) {
        let rules = MergeRules { ties, min_frequency, max_token_length, prefix: Vec::new() };
        let [slow, fast] = both(&words, &rules, room, ALONE);
        prop_assert_eq!(slow, fast);
    }

    /// Counts so far apart that rare pairs are left out at first.
    #[test]
    fn so_it_does_where_counts_are_far_apart(
        words in proptest::collection::vec((proptest::collection::vec(0..4u32, 2..9), 0..14u32), 1..12),
        ties in proptest::sample::select(ALL.to_vec()),
        room in 4..60usize,
    ) {
        let words: Vec<(Vec<u32>, u64)> = words.iter().map(|(symbols, power)| (symbols.clone(), 2u64.pow(*power))).collect();
        let rules = MergeRules { ties, min_frequency: 1, max_token_length: None, prefix: Vec::new() };
        let [slow, fast] = both(&words, &rules, room, ALONE);
        prop_assert_eq!(slow, fast);
    }

    /// Runs of one letter make the same token in several ways.
    #[test]
    fn so_it_does_on_runs(
        words in proptest::collection::vec((proptest::collection::vec((0..2u32, 1..9usize), 1..4), 1..2000u64), 0..12),
        ties in proptest::sample::select(ALL.to_vec()),
        min_frequency in 1..3u64,
        room in 4..60usize,
    ) {
        let spelled = |runs: &[(u32, usize)]| runs.iter().flat_map(|&(letter, times)| vec![letter; times]).collect();
        let words: Vec<(Vec<u32>, u64)> = words.iter().map(|(runs, count)| (spelled(runs), *count)).collect();
        let rules = MergeRules { ties, min_frequency, max_token_length: None, prefix: Vec::new() };
        let [slow, fast] = both(&words, &rules, room, ALONE);
        prop_assert_eq!(slow, fast);
    }
}

proptest! {
    // Each makes some files, or starts threads for nearly every merge.
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn so_it_does_on_any_number_of_threads(
        words in proptest::collection::vec((proptest::collection::vec(0..3u32, 2..9), 1..9u64), 1..60),
        ties in proptest::sample::select(ALL.to_vec()),
        room in 4..30usize,
        threads in 2..6usize,
    ) {
        let rules = MergeRules { ties, min_frequency: 1, max_token_length: None, prefix: Vec::new() };
        let [slow, fast] = both(&words, &rules, room, Means { threads, ..ALONE });
        prop_assert_eq!(slow, fast);
    }

    /// Budgets so small that everything is in files, few pairs are remembered, and each page is let go of at once.
    #[test]
    fn so_it_does_in_files(
        words in proptest::collection::vec((proptest::collection::vec(0..4u32, 2..14), 0..10u32), 1..16),
        ties in proptest::sample::select(ALL.to_vec()),
        room in 4..60usize,
        memory in proptest::sample::select(vec![1, 1000, 5000, 100_000]),
    ) {
        let words: Vec<(Vec<u32>, u64)> = words.iter().map(|(symbols, power)| (symbols.clone(), 2u64.pow(*power))).collect();
        let rules = MergeRules { ties, min_frequency: 1, max_token_length: None, prefix: Vec::new() };
        let [slow, fast] = both(&words, &rules, room, Means { memory: Some(memory), ..ALONE });
        prop_assert_eq!(slow, fast);
    }
}
