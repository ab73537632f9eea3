use super::*;
use crate::definition::Outline;
use crate::special::AddedToken;

fn options() -> UnigramOptions {
    UnigramOptions {
        character_coverage: 1.0,
        required_chars: String::new(),
        user_defined_symbols: Vec::new(),
        byte_fallback: false,
        max_piece_length: 16,
        seed_size: 1000,
        shrinking_factor: 0.75,
        sub_iterations: 2,
        split_by_unicode_script: true,
        split_by_number: true,
        split_digits: false,
        add_dummy_prefix: true,
        remove_extra_whitespaces: true,
    }
}

fn counts(words: &[(&str, u64)]) -> PieceCounts {
    let pairs = words.iter().map(|(word, count)| (word.as_bytes().to_vec(), *count));
    PieceCounts::from_pairs(pairs, None).unwrap()
}

fn outline(options: &UnigramOptions) -> Outline {
    let names = ["<unk>", "<s>", "</s>"];
    options.outline((0..).zip(names).map(|(id, name)| AddedToken::special(id, name)).collect(), "<unk>").unwrap()
}

/// Every stretch of every word, counted by looking.
fn stretches(words: &[(&str, u64)]) -> HashMap<String, u64> {
    let mut all = HashMap::new();
    for (word, count) in words {
        let places: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        for (i, &start) in places.iter().enumerate() {
            places[i + 1..].iter().for_each(|&end| *all.entry(word[start..end].to_string()).or_default() += count);
        }
    }
    all
}

#[test]
fn seeds_weigh_what_all_their_occurrences_weigh() {
    let text = [("▁abab", 3), ("▁aba", 2), ("▁é漢é", 1), ("▁漢é", 1), ("▁b", 1)];
    let words = Words::new(&counts(&text), &"▁abé漢".chars().collect(), &[]).unwrap();
    let all = stretches(&text);
    let found = seeds::seeds(&words, &options(), &mut || Ok(())).unwrap();
    assert!(found.iter().any(|(seed, _)| seed == "▁aba"));
    for (seed, weight) in found {
        assert_eq!(weight, all[&seed] * seed.chars().count() as u64, "{seed}");
    }
}

/// Parts that come again in other words.
fn word(number: u64) -> String {
    let parts = ["ab", "cde", "fgh", "a", "heb", "ced", "gaf"];
    let part = |divisor: u64| parts[(number / divisor) as usize % parts.len()];
    format!("▁{}{}{}", part(1), part(7), part(49))
}

#[test]
fn the_vocabulary_has_its_size_and_every_required_character() {
    let text: Vec<(String, u64)> = (0..400u64).map(|i| (word(i), 1 + i % 5)).collect();
    let text: Vec<(&str, u64)> = text.iter().map(|(word, count)| (word.as_str(), *count)).collect();
    for threads in [1, 3] {
        let options = options();
        let (definition, notes) =
            build(&options, 40, &outline(&options), &counts(&text), threads, &mut |_, _| Ok(())).unwrap();
        assert_eq!((definition.vocab.len(), notes.len()), (40, 0));
        assert!("▁abcdefgh".chars().all(|c| definition.vocab.id(c.to_string().as_bytes()).is_some()));
        crate::Tokenizer::new(definition).unwrap();
    }
}

#[test]
fn long_words_do_not_underflow() {
    let long = "▁".to_string() + &"abcdefgh".repeat(400);
    let options = options();
    let (definition, _) =
        build(&options, 30, &outline(&options), &counts(&[(&long, 2), ("▁abc", 5)]), 1, &mut |_, _| Ok(())).unwrap();
    assert!(definition.scores.unwrap().iter().all(|score| score.is_finite()));
}

#[test]
fn too_small_a_vocabulary_is_refused() {
    let options = options();
    let error = build(&options, 5, &outline(&options), &counts(&[("▁abc", 2)]), 1, &mut |_, _| Ok(())).unwrap_err();
    assert!(error.to_string().contains("vocab_size=5 does not hold the 4 required characters and 3 other tokens"));
}
