use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::data::Seam;
use crate::definition::{Definition, Family, Merging, Outline, SentencePieceModel as Pieces, Symbols, Unit};
use crate::encode::scratch::Scratch;
use crate::encode::sink::{Detailed, Ragged};
use crate::encode::tokenizer::Tokenizer;
use crate::machine::effort::one_in;
use crate::normalize::{MARK, Normalizer, SentencePiece, SentencePieceRules, charsmap};
use crate::pretokenize::{Behavior, PreTokenizer, Prepend};
use crate::specials::{AddedToken, Choice, Policy};
use crate::text::pattern::Pattern;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

/// The tokens of a model, what is unknown first.
fn vocab(tokens: &BTreeMap<String, i32>) -> (Vocab, Vec<f64>) {
    let names = ["<unk>".to_string()].into_iter().chain(tokens.keys().cloned());
    let scores = [0.0].into_iter().chain(tokens.values().map(|&score| f64::from(score) / 4.0));
    (Vocab::new(names.map(Some)).unwrap(), scores.collect())
}

fn tokenizer(tokens: &BTreeMap<String, i32>, outline: Outline) -> Tokenizer {
    let (vocab, scores) = vocab(tokens);
    // One of the characters is special.
    let strips = tokens.len() % 3;
    let special = |id| AddedToken { lstrip: strips == 1, rstrip: strips == 2, ..AddedToken::special(id, "x") };
    let outline = Outline { added: vocab.id(b"x").map(special).into_iter().collect(), ..outline };
    let own = outline.sentencepiece.as_ref().map(|pieces| pieces.user_defined.clone()).unwrap_or_default();
    let mergeable = |id| id > 0 && !own.contains(&id);
    let merges = (outline.family == Family::Bpe).then(|| Merges::of_scores(&vocab, &scores, mergeable).unwrap());
    let has_scores = outline.family == Family::Unigram || outline.sentencepiece.is_some();
    let (merges, scores) = (merges.map(Into::into), has_scores.then(|| scores.into()));
    Tokenizer::new(Definition { outline, vocab: vocab.into(), merges, scores }).unwrap()
}

/// A text has the same ids twice by the fast path, with places, and on the general road.
fn check(tokenizer: &Tokenizer, texts: &[String]) -> std::result::Result<(), TestCaseError> {
    let general = tokenizer.without_fast_path().unwrap();
    for choice in [Policy::None, Policy::All].map(Choice::Policy) {
        let mut scratch = Scratch::default();
        for text in texts.iter().chain(texts) {
            let (mut ids, mut placed, mut slow) = (vec![7], Detailed::<false>::default(), Vec::new());
            tokenizer.encode(text, &choice, &mut scratch, &mut ids).unwrap();
            tokenizer.encode(text, &choice, &mut Scratch::default(), &mut placed).unwrap();
            general.encode(text, &choice, &mut Scratch::default(), &mut slow).unwrap();
            prop_assert_eq!(&ids[1..], &placed.ids, "{:?}", text);
            prop_assert_eq!(&ids[1..], &slow, "{:?}", text);
        }
    }
    check_rows(tokenizer, texts)?;
    texts.iter().zip(texts.iter().skip(1)).try_for_each(|(text, next)| check_cut(tokenizer, text, next))
}

/// Texts that are taken together, whole ones and short ones, have the ids of each.
fn check_rows(tokenizer: &Tokenizer, texts: &[String]) -> std::result::Result<(), TestCaseError> {
    let whole = texts.iter().map(String::as_str);
    let texts: Vec<&str> = whole.chain(texts.iter().flat_map(|text| text.split(['b', 'か']))).collect();
    for choice in [Policy::None, Policy::All].map(Choice::Policy) {
        let mut each = Ragged::default();
        for text in &texts {
            tokenizer.encode(text, &choice, &mut Scratch::default(), &mut each.ids).unwrap();
            each.ends.push(each.ids.len());
        }
        for _ in 0..2 {
            prop_assert_eq!(
                &tokenizer.encode_batch(&texts, &choice, None, 1, &mut || Ok(())).unwrap(),
                &each,
                "{:?}",
                &texts
            );
        }
    }
    Ok(())
}

/// The parts of a text have the ids of the whole, whatever follows.
fn check_cut(tokenizer: &Tokenizer, text: &str, next: &str) -> std::result::Result<(), TestCaseError> {
    let encode = |texts: &[&str], ids: &mut Vec<TokenId>| {
        tokenizer.encode(&texts.concat(), &Choice::Policy(Policy::All), &mut Scratch::default(), ids).unwrap();
    };
    let Some(Seam { end, start }) = tokenizer.last_cut(text) else { return Ok(()) };
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    encode(&[text, next], &mut whole);
    encode(&[&text[..end]], &mut parts);
    encode(&[&text[start..], next], &mut parts);
    prop_assert_eq!(whole, parts, "{:?} and {:?}", &text[..end], &text[start..]);
    Ok(())
}

fn tokens() -> impl Strategy<Value = BTreeMap<String, i32>> {
    let token = "▁{0,2}[abcé中か]{1,4}|▁{1,3}|[ab]▁[ab]|[abcé中かx]|[ab▁]?\n[a中\n]?";
    // Marks after other characters are rare in models, and then nothing goes by words; nor by lines where their ends are in tokens.
    let flags = proptest::array::uniform2(any::<bool>());
    (proptest::collection::btree_map(token, -40i32..-1, 1..40), flags).prop_map(|(mut tokens, [marks, lines])| {
        tokens.retain(|token, _| marks || !token.trim_start_matches('▁').contains('▁'));
        tokens.retain(|token, _| lines || !token.contains('\n') || token == "\n");
        tokens
    })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let text = "( {0,3}[abcéABx中か\u{301}\u{600}\t\n▁]{0,5}){0,12}| *([abc]{1,4} ){0,9}|[abc中か \n]{0,9}( [abcA中か\n▁]{9,30}){0,4} *|([ab]{1,3} {1,2}){500,600}";
    proptest::collection::vec(text, 1..4)
}

/// Some tokens that lie across the borders of letters, signs and digits, or none.
fn signs() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::btree_set("[ab.;1▁ ]{2,3}|▁1|[.1]", 0..3)
        .prop_flat_map(|signs| prop_oneof![Just(Vec::new()), Just(signs.into_iter().collect::<Vec<_>>())])
}

fn map(rules: &BTreeMap<String, String>, folds: bool) -> BTreeMap<String, String> {
    let capitals = ('A'..='Z').filter(|_| folds).map(|c| (c.to_string(), c.to_ascii_lowercase().to_string()));
    rules.clone().into_iter().chain(capitals).collect()
}

fn rules() -> impl Strategy<Value = BTreeMap<String, String>> {
    let rule = "[\téc中か1;\u{301}]|[ab.\n]\u{301}|[ab][ab]|か\u{3099}|a[b \n]c";
    let rules = proptest::collection::btree_map(rule, "[abc ]{0,2}|é|\u{301}", 0..5);
    // The usual maps make spaces of line ends.
    (rules, any::<bool>()).prop_map(|(mut rules, lines)| {
        rules.extend(lines.then(|| ("\n".into(), " ".into())));
        rules
    })
}

proptest! {
    // A map of characters takes long to look through without optimization.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn words_of_sentencepiece_are_what_they_are_in_the_text(
        tokens in tokens(), texts in texts(), rules in rules(), flags in proptest::array::uniform4(any::<bool>()),
    ) {
        let [merged, folds, remove, fallback] = flags;
        let map = map(&rules, folds);
        let normalizer = SentencePiece::try_from(SentencePieceRules {
            charsmap: (!map.is_empty()).then(|| charsmap(&map)),
            add_dummy_prefix: true,
            whitespace_as_suffix: false,
            remove_extra_whitespaces: remove,
            escape_whitespaces: true,
            kept: Vec::new(),
        }).unwrap();
        let unigram = Outline::unigram(Some(0), fallback);
        let outline = Outline {
            family: if merged { Family::Bpe } else { Family::Unigram },
            merging: if merged { Merging::Scores } else { Merging::Pairs },
            normalizer: Some(Normalizer::SentencePiece(Box::new(normalizer))),
            sentencepiece: Some(Box::new(Pieces { reserved: vec![0], ..Pieces::default() })),
            ..unigram
        };
        let mut tokens = tokens;
        if fallback {
            tokens.extend((0..=255u8).map(|byte| (format!("<0x{byte:02X}>"), -40)));
        }
        check(&tokenizer(&tokens, outline), &texts)?;
    }

    #[test]
    fn words_end_between_letters_and_signs_and_beside_what_is_alone(
        tokens in tokens(), joins in signs(), own in signs(), rules in rules(),
        [fallback, folds, remove, maps, knows] in proptest::array::uniform5(any::<bool>()),
        texts in proptest::collection::vec("([ ▁\u{301}]{0,3}[abA.;1中\t\n]{0,6}){0,20}|( {0,2}[ab.;1]{12,20}){0,9}", 1..4),
    ) {
        // Where rules have ASCII after their first character, nothing is cut.
        let within = |rule: &String| rule.chars().skip(1).any(|c| c.is_ascii());
        let map = map(&rules.into_iter().filter(|(rule, _)| maps && !within(rule)).collect(), folds);
        let mut tokens = tokens;
        tokens.extend([".", ";", "1"].into_iter().filter(|_| knows).map(|token| (token.to_string(), -7)));
        tokens.extend(joins.into_iter().map(|token| (token, -3)));
        tokens.extend(own.iter().cloned().map(|token| (token, -9)));
        if fallback {
            tokens.extend((0..=255u8).map(|byte| (format!("<0x{byte:02X}>"), -40)));
        }
        let (vocab, _) = vocab(&tokens);
        let user_defined: Vec<TokenId> = own.iter().filter_map(|token| vocab.id(token.as_bytes())).collect();
        let stages = SentencePieceRules {
            charsmap: (!map.is_empty()).then(|| charsmap(&map)),
            kept: own,
            remove_extra_whitespaces: remove,
            ..SentencePiece::marks().unwrap().into()
        };
        let outline = Outline {
            family: Family::Bpe,
            merging: Merging::Scores,
            normalizer: Some(Normalizer::SentencePiece(Box::new(stages.try_into().unwrap()))),
            sentencepiece: Some(Box::new(Pieces { reserved: vec![0], user_defined, ..Pieces::default() })),
            ..Outline::unigram(Some(0), fallback)
        };
        check(&tokenizer(&tokens, outline), &texts)?;
    }

    #[test]
    fn words_of_a_tokenizer_json_are_what_they_are_in_the_text(
        tokens in tokens(), texts in texts(), rules in rules(), flags in proptest::array::uniform4(any::<bool>()),
    ) {
        let [folds, strips, replaces, maps] = flags;
        let map = map(&rules, folds);
        let steps = [
            replaces.then(|| Normalizer::Replace { pattern: Pattern::Text("bb".into()).try_into().unwrap(), content: "a".into() }),
            strips.then_some(Normalizer::Nfkd),
            strips.then_some(Normalizer::StripAccents),
            (maps && !map.is_empty()).then(|| Normalizer::Precompiled { charsmap: charsmap(&map) }),
        ];
        let mark = PreTokenizer::Metaspace { replacement: '▁', prepend: Prepend::Always, split: true };
        let outline = Outline {
            normalizer: Some(Normalizer::Sequence { steps: steps.into_iter().flatten().collect() }),
            pretokenizer: Some(PreTokenizer::Sequence { steps: vec![PreTokenizer::WhitespaceSplit, mark] }),
            ..Outline::unigram(Some(0), false)
        };
        check(&tokenizer(&tokens, outline), &texts)?;
    }

    #[test]
    fn a_space_that_nothing_marks_is_no_mark(
        tokens in tokens(), texts in texts(), normalized in any::<bool>(), fuse_unk in any::<bool>(),
    ) {
        let stages = SentencePieceRules { escape_whitespaces: false, ..SentencePiece::marks().unwrap().into() };
        let stages = Normalizer::SentencePiece(Box::new(stages.try_into().unwrap()));
        let symbols = Symbols { unit: Unit::Characters, fuse_unk, ..Symbols::default() };
        let outline = Outline { unk: Some(0), normalizer: normalized.then_some(stages), ..Outline::bpe(symbols) };
        check(&tokenizer(&tokens, outline), &texts)?;
    }

    #[test]
    fn a_space_at_the_start_is_the_mark_of_metaspace(
        tokens in tokens(), texts in texts(), fuse_unk in any::<bool>(),
        prepend in proptest::sample::select(vec![Prepend::Always, Prepend::First, Prepend::Never]),
    ) {
        let symbols = Symbols { unit: Unit::Characters, fuse_unk, ..Symbols::default() };
        let outline = Outline {
            unk: Some(0),
            pretokenizer: Some(PreTokenizer::Metaspace { replacement: '▁', prepend, split: false }),
            ..Outline::bpe(symbols)
        };
        check(&tokenizer(&tokens, outline), &texts)?;
    }

    #[test]
    fn marks_may_be_made_by_the_steps_of_a_normalizer(
        tokens in tokens(), texts in texts(), fuse_unk in any::<bool>(), fallback in any::<bool>(),
        [prepends, last, splits] in proptest::array::uniform3(any::<bool>()),
    ) {
        let space = || Pattern::Text(" ".into());
        let prepend = prepends.then(|| Normalizer::Prepend { content: "▁".into() });
        let replace = Normalizer::Replace { pattern: space().try_into().unwrap(), content: "▁".into() };
        let mut steps: Vec<Normalizer> = prepend.into_iter().chain([replace]).collect();
        if last {
            steps.reverse();
        }
        let split = PreTokenizer::Split { pattern: space(), behavior: Behavior::MergedWithPrevious, invert: false };
        let symbols = Symbols { unit: Unit::Characters, fuse_unk, byte_fallback: fallback, ..Symbols::default() };
        let outline = Outline {
            unk: Some(0),
            normalizer: Some(Normalizer::Sequence { steps }),
            pretokenizer: splits.then_some(split),
            ..Outline::bpe(symbols)
        };
        let mut tokens = tokens;
        if fallback {
            tokens.extend((0..=255u8).map(|byte| (format!("<0x{byte:02X}>"), -40)));
        }
        check(&tokenizer(&tokens, outline), &texts)?;
    }
}

#[test]
fn sums_that_begin_anew_are_those_of_the_whole_text() {
    let tokens = [("▁a", -36), ("b", -32), ("▁", -38), ("a", -38), ("▁ab", -69), ("bb", -64)];
    let tokens = tokens.into_iter().map(|(token, score)| (token.to_string(), score)).collect();
    let outline = Outline {
        normalizer: Some(Normalizer::SentencePiece(Box::new(SentencePiece::marks().unwrap()))),
        sentencepiece: Some(Box::new(Pieces { reserved: vec![0], ..Pieces::default() })),
        ..Outline::unigram(Some(0), false)
    };
    let tokenizer = tokenizer(&tokens, outline);
    // Words, and characters that stand alone: of two bytes, of three, and others between them.
    let texts = ["ab a  bbb abbb", "中", "é", "中文 é中aé", "é中b"].map(|text| text.repeat(10_000 / one_in(5)));
    check(&tokenizer, &texts).unwrap();
}

#[test]
fn a_mark_that_is_a_part_is_no_space_at_the_end() {
    let tokens =
        [("▁", -1), ("a", -2), ("b", -3)].into_iter().map(|(token, score)| (token.to_string(), score)).collect();
    let stages = SentencePieceRules { remove_extra_whitespaces: true, ..SentencePiece::marks().unwrap().into() };
    let outline = Outline {
        family: Family::Bpe,
        merging: Merging::Scores,
        normalizer: Some(Normalizer::SentencePiece(Box::new(stages.try_into().unwrap()))),
        sentencepiece: Some(Box::new(Pieces { reserved: vec![0], ..Pieces::default() })),
        ..Outline::unigram(Some(0), false)
    };
    let texts = ["a ", "abababababababababab", "  a  abababababababababab  ", "  "].map(String::from);
    check(&tokenizer(&tokens, outline), &texts).unwrap();
}

#[test]
fn a_mark_at_the_start_and_a_space_after_it_may_be_one_token() {
    let tokens = ["▁", "▁▁", "▁a", "a"].into_iter().map(|token| (token.to_string(), -3)).collect();
    let replace = Normalizer::Replace { pattern: Pattern::Text(" ".into()).try_into().unwrap(), content: MARK.into() };
    let outline = Outline {
        unk: Some(0),
        normalizer: Some(Normalizer::Sequence { steps: vec![replace] }),
        ..Outline::bpe(Symbols { unit: Unit::Characters, ..Symbols::default() })
    };
    let texts = ["▁ ", "▁ a", "▁▁ a ▁", "▁a a", " ▁ a"].map(String::from);
    check(&tokenizer(&tokens, outline), &texts).unwrap();
}
