use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::definition::Outline;
use crate::text::span::Spans;

fn model(tokens: &[(String, f32)], user_defined: Vec<TokenId>, byte_fallback: bool) -> Unigram {
    let names = ["<unk>".to_string()].into_iter().chain(tokens.iter().map(|(token, _)| token.clone()));
    let vocab: Arc<Vocab> = Vocab::new(names.map(Some)).unwrap().into();
    let scores: Vec<f64> = [0.0].into_iter().chain(tokens.iter().map(|(_, score)| f64::from(*score))).collect();
    let mut outline = Outline::unigram(Some(0), byte_fallback);
    outline.sentencepiece =
        Some(Box::new(SentencePieceModel { reserved: vec![0], user_defined, ..SentencePieceModel::default() }));
    Unigram::new(vocab, &scores, &outline).unwrap()
}

proptest! {
    #[test]
    fn one_pass_words_and_memory_give_what_the_naive_way_gives(
        tokens in proptest::collection::btree_map("▁?[abcé]{1,4}|▁", (-40i32..-1).prop_map(|n| n as f32 / 4.0), 1..40),
        text in "[▁abcéx]{0,30}|(▁[abc]{1,5}){0,40}",
    ) {
        let tokens: Vec<(String, f32)> = tokens.into_iter().collect();
        let unigram = model(&tokens, Vec::new(), false);
        let known: HashMap<&str, (u32, f32)> =
            (1..).zip(&tokens).map(|(id, (token, score))| (token.as_str(), (id, *score))).collect();
        let lowest = tokens.iter().map(|&(_, score)| score).fold(f32::MAX, f32::min);
        let mut expected: Vec<TokenId> =
            naive::best(&known, lowest - 10.0, &text).into_iter().map(|(.., id)| id.unwrap_or(0)).collect();
        expected.dedup_by(|left, right| *left == 0 && *right == 0);
        let mut scratch = UnigramScratch::default();
        for _ in 0..2 {
            let mut ids = Vec::new();
            unigram.segment(Spans::new(&text, &[0], &[text.len()]), &mut scratch, &mut ids).unwrap();
            prop_assert_eq!(&ids, &expected);
        }
        let (mut ids, mut spans) = (Vec::new(), Vec::new());
        unigram.segment_placed(&text, None, &mut scratch, &mut ids, &mut spans).unwrap();
        prop_assert_eq!(&ids, &expected);
        let places: Vec<Span> = spans.iter().map(|span| match *span { PieceSpan::Inside(span) | PieceSpan::Beyond(span) => span }).collect();
        prop_assert!(places.windows(2).all(|pair| pair[0].end == pair[1].start));
        prop_assert_eq!(places.iter().map(|span| span.end - span.start).sum::<usize>(), text.len());
    }
}

#[test]
fn the_users_own_symbols_are_above_all_others() {
    let tokens =
        [("a", -1.0), ("b", -1.0), ("ab", -1.5), ("ba", -30.0)].map(|(token, score)| (token.to_string(), score));
    let mut ids = Vec::new();
    let scratch = &mut UnigramScratch::default();
    model(&tokens, vec![4], false).segment(Spans::new("abab", &[0], &[4]), scratch, &mut ids).unwrap();
    assert_eq!(ids, [1, 4, 2]);
}

#[test]
fn sums_that_begin_anew_change_nothing_where_all_is_clear() {
    let tokens = [("▁a", -9.0), ("b", -8.0), ("▁", -9.5), ("a", -9.5)].map(|(token, score)| (token.to_string(), score));
    let unigram = model(&tokens, Vec::new(), false);
    let text = "▁ab".repeat(40_000);
    let (mut ids, mut placed, mut spans) = (Vec::new(), Vec::new(), Vec::new());
    let scratch = &mut UnigramScratch::default();
    unigram.segment(Spans::new(&text, &[0], &[text.len()]), scratch, &mut ids).unwrap();
    unigram.segment_placed(&text, None, scratch, &mut placed, &mut spans).unwrap();
    assert_eq!((ids.len(), &ids), (80_000, &placed));
}
