use proptest::prelude::*;

use super::naive::{self, SlowWords};
use super::options::{ParityOptions, ParityWindow};
use super::{ParityLearned, TrainingPieces, last_of_each, learn};

type Counted = Vec<(String, u64)>;

fn learned(options: &ParityOptions, train: &[Counted], dev: &[Counted]) -> crate::error::Result<ParityLearned> {
    let listed = |words: &Counted| {
        let pieces = words.iter().map(|(word, count)| (word.clone().into_bytes(), *count)).collect();
        TrainingPieces::Listed { pieces, are_ordered: false }
    };
    let [train, dev] = [train, dev].map(|languages| languages.iter().map(listed).collect::<Vec<_>>());
    learn(options, &train, &dev, &mut |_, _| Ok(()))
}

/// The merges as strings.
fn merges(options: &ParityOptions, train: &[Counted], dev: &[Counted]) -> Vec<(String, String)> {
    let ParityLearned { tokens, merges } = learned(options, train, dev).unwrap();
    let token = |id: u32| tokens[id as usize].clone();
    merges.into_iter().map(|(left, right)| (token(left), token(right))).collect()
}

fn slow(options: &ParityOptions, train: &[Counted], dev: &[Counted]) -> Vec<(String, String)> {
    let words = |words: &Counted| -> SlowWords {
        words.iter().map(|(word, count)| (word.chars().map(String::from).collect(), *count)).collect()
    };
    let [mut train, mut dev] = [train, dev].map(|languages| languages.iter().map(words).collect::<Vec<_>>());
    last_of_each(naive::learn(options, &mut train, &mut dev))
}

fn counted(words: &[(&str, u64)]) -> Counted {
    words.iter().map(|&(word, count)| (word.into(), count)).collect()
}

fn words() -> impl Strategy<Value = Counted> {
    proptest::collection::btree_map("[abc]{0,8}", 1..20u64, 0..8).prop_map(|words| words.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_fast_one_learns_what_the_slow_one_learns(
        languages in proptest::collection::vec((words(), words(), 0.1..9.0f64), 1..5),
        kind in 0..3u8,
        window in proptest::option::of((1..5usize, 0.1..4.0f64)),
        global_merges in prop_oneof![Just(0), 0..9usize],
        min_frequency in 0..8u64,
        num_merges in 0..60usize,
    ) {
        let train: Vec<Counted> = languages.iter().map(|(train, ..)| train.clone()).collect();
        let dev: Vec<Counted> = languages.iter().filter(|_| kind == 1).map(|(_, dev, _)| dev.clone()).collect();
        let ratio = (kind == 2).then(|| languages.iter().map(|(.., ratio)| *ratio).collect());
        let window = window.map(|(size, alpha)| ParityWindow { size, alpha });
        // All letters, so that no word of `dev` is left out.
        let initial_alphabet = ["a", "b", "c"].map(String::from).to_vec();
        let options = ParityOptions {
            num_merges, window, min_frequency, ratio, global_merges, initial_alphabet, ..ParityOptions::default()
        };
        prop_assert_eq!(merges(&options, &train, &dev), slow(&options, &train, &dev));
    }
}

/// The library looks at the first language again and again here, and a language without text is never one to merge for.
#[test]
fn training_ends_where_no_language_is_left() {
    let train = [counted(&[("ab", 2)]), counted(&[])];
    let window = Some(ParityWindow { size: 2, alpha: 0.5 });
    for window in [None, window] {
        let ratio = Some(vec![1.0, 1.0]);
        let options = ParityOptions { num_merges: 9, ratio, window, ..ParityOptions::default() };
        assert_eq!(merges(&options, &train, &[]), [("a".into(), "b".into())]);
    }
}

#[test]
fn a_language_that_has_had_its_share_waits() {
    let train = [counted(&[("abcde", 9)]), counted(&[("xyz", 1)])];
    let asked = |window| {
        let options = ParityOptions { num_merges: 3, window, ..ParityOptions::default() };
        merges(&options, &train, &[]).into_iter().map(|(left, _)| left).collect::<Vec<_>>()
    };
    assert_eq!(asked(None), ["d", "c", "b"]);
    assert_eq!(asked(Some(ParityWindow { size: 2, alpha: 1.0 })), ["d", "c", "y"]);
}

#[test]
fn options_that_do_not_go_together_are_refused_in_the_words_of_the_library() {
    let message = |options: &ParityOptions, languages: usize| {
        learned(options, &vec![Counted::new(); languages], &[]).unwrap_err().to_string()
    };
    let none = ParityOptions::default();
    assert_eq!(message(&none, 0), "No language data has been fed");
    let ratio = ParityOptions { ratio: Some(vec![1.0, -1.0]), ..none.clone() };
    assert_eq!(message(&ratio, 1), "ratio length (2) does not match number of languages (1)");
    assert_eq!(message(&ratio, 2), "ratio[1] must be a positive finite number (got -1)");
    let window = ParityOptions { window: Some(ParityWindow { size: 3, alpha: f64::NAN }), ..none };
    assert_eq!(message(&window, 1), "alpha must be a positive finite number when variant is Window (got NaN)");
}
