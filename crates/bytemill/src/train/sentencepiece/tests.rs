use super::words::Text;
use super::*;
use crate::specials::AddedToken;

pub(crate) fn options() -> SentencePieceOptions {
    SentencePieceOptions {
        model: ModelKind::Unigram,
        normalization: options::Normalization::Identity,
        character_coverage: 1.0,
        required_chars: String::new(),
        user_defined_symbols: Vec::new(),
        byte_fallback: false,
        max_piece_length: 16,
        seed_size: 1000,
        shrinking_factor: 0.75,
        sub_iterations: 2,
        recipe: Recipe::SentencePiece,
        split_by_unicode_script: true,
        split_by_number: true,
        split_digits: false,
        split_by_whitespace: true,
        allow_whitespace_only_pieces: false,
        treat_whitespace_as_suffix: false,
        add_dummy_prefix: true,
        remove_extra_whitespaces: true,
        unk_surface: " ⁇ ".into(),
        mark: '▁',
    }
}

fn counts(words: &[(&str, u64)]) -> PieceCounts {
    let pairs = words.iter().map(|(word, count)| (word.as_bytes().to_vec(), *count));
    PieceCounts::from_pairs(pairs, None).unwrap()
}

/// Words of these characters.
pub(crate) fn counted(words: &[(&str, u64)], characters: &str) -> TrainingWords {
    let required: Vec<(char, u64)> = characters.chars().map(|c| (c, 1)).collect();
    Text::new(&counts(words), &[]).unwrap().words(&required, |word| vec![word]).unwrap()
}

fn trained(
    options: &SentencePieceOptions,
    vocab_size: usize,
    words: &[(&str, u64)],
    threads: usize,
) -> Result<(Definition, Vec<String>)> {
    let names = ["<unk>", "<s>", "</s>"];
    let added = (0..).zip(names).map(|(id, name)| AddedToken::special(id, name)).collect();
    let outline = options.outline(added, "<unk>").unwrap();
    let roles = RoleNames { unk: "<unk>", bos: Some("<s>"), eos: Some("</s>"), pad: None };
    let (means, numbering) = (Means { threads, memory: None }, &Numbering::default());
    let task = SentencePieceTask { options, vocab_size: Some(vocab_size), roles, numbering, means };
    let trained = build(&task, &outline, &counts(words), &mut Phases::default(), &mut |_, _| Ok(()))?;
    Ok((trained.definition, trained.notes))
}

#[test]
fn characters_cover_the_text() {
    let counts = counts(&[("▁aab", 10), ("▁<x>c", 1), ("▁\t", 1)]);
    let text = Text::new(&counts, &["<x>".into()]).unwrap();
    let covering =
        |share, also: &str| text.characters(share, also, false).unwrap().iter().map(|&(c, _)| c).collect::<String>();
    assert_eq!(covering(1.0, ""), "a▁bc");
    assert_eq!(covering(0.7, ""), "a▁");
    assert_eq!(covering(0.7, "cz"), "a▁cz");
}

#[test]
fn pairs_whose_text_is_a_piece_do_not_merge() {
    let options = SentencePieceOptions { model: ModelKind::Bpe, ..options() };
    let words = [("aab", 9), ("xaab", 5), ("xa", 20), ("ab", 1), ("xab", 1)];
    let (definition, _) = trained(&options, 10, &words, 1).unwrap();
    let tokens: Vec<_> =
        definition.vocab.tokens().map(|(_, token)| String::from_utf8_lossy(token).into_owned()).collect();
    assert_eq!(tokens[3..], ["xa", "ab", "aab", "xaab", "a", "x", "b"]);
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
        let (definition, notes) = trained(&options, 40, &text, threads).unwrap();
        assert_eq!((definition.vocab.len(), notes.len()), (40, 0));
        assert!("▁abcdefgh".chars().all(|c| definition.vocab.id(c.to_string().as_bytes()).is_some()));
        crate::Tokenizer::new(definition).unwrap();
    }
}

#[test]
fn long_words_do_not_underflow() {
    let long = "▁".to_string() + &"abcdefgh".repeat(400);
    let options = options();
    let (definition, _) = trained(&options, 30, &[(&long, 2), ("▁abc", 5)], 1).unwrap();
    assert!(definition.scores.unwrap().iter().all(|score| score.is_finite()));
}

#[test]
fn too_small_a_vocabulary_is_refused() {
    let options = options();
    let error = trained(&options, 5, &[("▁abc", 2)], 1).unwrap_err();
    assert!(error.to_string().contains("vocab_size=5 does not hold the 4 required characters and 3 other tokens"));
}
