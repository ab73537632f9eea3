use super::*;
use crate::train::sentencepiece::{counted, options};

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

const TEXT: [(&str, u64); 6] = [("▁abab", 3), ("▁aba", 2), ("▁é漢é", 1), ("▁漢é", 1), ("▁b", 1), ("▁ababab", 2)];

fn texts() -> TrainingWords {
    counted(&TEXT, "▁abé漢")
}

#[test]
fn seeds_weigh_what_all_their_occurrences_weigh() {
    let (words, all) = (texts(), stretches(&TEXT));
    let (inventory, _) = first(&words, &options(), &mut Team::new(2, &mut || Ok(()))).unwrap();
    let seeds = Seeds::new(&words, &options(), 0, &mut Team::new(2, &mut || Ok(()))).unwrap();
    let texts: Vec<&str> = (0..inventory.len()).map(|number| inventory.text(&words, number)).collect();
    assert!(texts.contains(&"▁aba") && texts.contains(&"漢"));
    for (seed, text) in seeds.found.iter().rev().zip(texts.iter().rev()) {
        assert_eq!(seed.weight, all[*text] * text.chars().count() as u64, "{text}");
    }
}

#[test]
fn the_lattice_has_every_piece_wherever_it_stands() {
    let words = texts();
    let (mut inventory, mut lattice) = first(&words, &options(), &mut Team::new(1, &mut || Ok(()))).unwrap();
    for round in 0..3 {
        let pieces: Vec<&str> = (0..inventory.len()).map(|number| inventory.text(&words, number)).collect();
        for (word, &from) in words.each().zip(&words.starts) {
            for (at, _) in word.0.char_indices() {
                let mut here: Vec<&str> =
                    pieces.iter().copied().filter(|piece| word.0[at..].starts_with(piece)).collect();
                here.sort_by_key(|piece| piece.len());
                let found = lattice.at(from as usize + at).iter().map(|&number| pieces[number as usize]);
                assert_eq!(found.collect::<Vec<_>>(), here, "{at} of {word:?}");
            }
        }
        let kept: Vec<usize> = (0..inventory.len()).filter(|number| number % 3 != round).collect();
        inventory.keep(&mut lattice, &kept);
    }
}

#[test]
fn what_is_expected_is_what_all_rows_say() {
    let words = texts();
    let (inventory, lattice) = first(&words, &options(), &mut Team::new(1, &mut || Ok(()))).unwrap();
    let texts: Vec<&str> = (0..inventory.len()).map(|number| inventory.text(&words, number)).collect();
    let scores: HashMap<&str, f64> = texts.iter().copied().zip(inventory.scores.iter().copied()).collect();
    let all = naive::expected(&TEXT, &scores);
    for threads in [1, 2] {
        let found =
            expectation::expected(&words, &lattice, &inventory, &mut Team::new(threads, &mut || Ok(()))).unwrap();
        for (text, count) in texts.iter().zip(found) {
            assert!((count - all.get(text).copied().unwrap_or(0.0)).abs() < 1e-4, "{text} {count} {all:?}");
        }
    }
}

/// Each has two places, whatever the counts of their words, and is followed by different things there; the last of the equal ones is first.
#[test]
fn seeds_of_tokenizers_are_counted_by_words() {
    let options = SentencePieceOptions { recipe: Recipe::Tokenizers { vocab_size: 9 }, ..options() };
    let text = [("this is a", 5), ("his", 1), ("thin", 1)];
    let words = counted(&text, " ahinst");
    let (inventory, _) = first(&words, &options, &mut Team::new(1, &mut || Ok(()))).unwrap();
    let seeds: Vec<&str> = (7..inventory.len()).map(|number| inventory.text(&words, number)).collect();
    // "this" is in one place, and "s" alone is a character.
    assert_eq!(seeds, ["thi", "is ", "is", "his", "hi", "s "]);
}
