use super::derivations::Derivations;
use super::*;
use crate::definition::Symbols;
use crate::text::span::Spans;
use proptest::prelude::*;

/// All bytes, then random merges of what is there already.
fn model(alphabet: &str, choices: &[(u16, u16)], whole_pieces: bool) -> Bpe {
    model_in_order(alphabet, choices, whole_pieces, |_| {})
}

/// The same, with the merges in another order.
fn model_in_order(
    alphabet: &str,
    choices: &[(u16, u16)],
    whole_pieces: bool,
    arrange: impl FnOnce(&mut [(TokenId, TokenId)]),
) -> Bpe {
    let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    let mut pairs = Vec::new();
    // The bytes that the texts below consist of, and what they merge into.
    let mut usable: Vec<TokenId> = alphabet.bytes().map(TokenId::from).collect();
    for &(left, right) in choices {
        let (left, right) = (usable[left as usize % usable.len()], usable[right as usize % usable.len()]);
        let made = [&tokens[left as usize][..], &tokens[right as usize][..]].concat();
        if !tokens.contains(&made) {
            usable.push(tokens.len() as TokenId);
            tokens.push(made);
        }
        pairs.push((left, right));
    }
    arrange(&mut pairs);
    let vocab = Vocab::new(tokens.iter().map(Some)).unwrap();
    let merges = Merges::of_pairs(&vocab, &pairs, b"").unwrap();
    Bpe::new(vocab.into(), merges.into(), &Outline { whole_pieces, ..Outline::bpe(Symbols::default()) }).unwrap()
}

fn naive(bpe: &Bpe, piece: &str) -> Vec<TokenId> {
    if let Some(id) = bpe.vocab.id(piece.as_bytes()).filter(|_| bpe.whole_pieces) {
        return vec![id];
    }
    let mut ids: Vec<TokenId> = piece.bytes().map(|byte| bpe.bytes[usize::from(byte)]).collect();
    naive::merge(bpe.merges.view(), &mut ids);
    ids
}

/// Each text twice, so that the second comes from what is remembered.
fn assert_like_naive(bpe: &Bpe, texts: &[String]) {
    let mut scratch = BpeScratch::default();
    for text in texts.iter().chain(texts) {
        let mut ids = Vec::new();
        bpe.segment(Spans::new(text.as_bytes(), &[0], &[text.len()]), &mut scratch, &mut ids);
        assert_eq!(ids, naive(bpe, text), "{text:?}");
    }
}

/// By the rule of tiktoken: all bytes, then these tokens. Says whether each is made of one pair.
fn assert_concatenations_like_naive(tokens: Vec<Vec<u8>>, texts: &[String]) -> bool {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let vocab = Arc::new(Vocab::new(bytes.chain(tokens).map(Some)).unwrap());
    let outline = Outline { merging: Merging::Concatenations, ..Outline::bpe(Symbols::default()) };
    let model = |merges: Merges| Bpe::new(vocab.clone(), merges.into(), &outline).unwrap();
    let bpe = model(concatenations::of_concatenations(&vocab).unwrap());
    let all = model(concatenations::all(&vocab).unwrap());
    for text in texts {
        assert_eq!(naive(&bpe, text), naive(&all, text), "{text:?}");
    }
    assert_like_naive(&bpe, texts);
    bpe.merges.pairs().len() == vocab.tokens().filter(|(_, token)| token.len() > 1).count()
}

/// What has a derivation is what merging makes of its bytes. Gives how many of more than one byte have, and how many are made so.
fn assert_derivations_like_naive(bpe: &Bpe) -> (usize, usize) {
    let derivations = Derivations::new(&bpe.vocab, &bpe.merges);
    let (mut derived, mut made) = (0, 0);
    for (id, token) in bpe.vocab.tokens().filter(|(_, token)| token.len() > 1) {
        let mut ids: Vec<TokenId> = token.iter().map(|&byte| bpe.bytes[usize::from(byte)]).collect();
        naive::merge(bpe.merges.view(), &mut ids);
        assert!(
            !derivations.has(id) || ids == [id],
            "{:?} has a derivation, and becomes {ids:?}",
            String::from_utf8_lossy(token)
        );
        derived += usize::from(derivations.has(id));
        made += usize::from(ids == [id]);
    }
    (derived, made)
}

#[test]
fn a_pair_that_meets_at_the_border_merges_if_its_turn_comes() {
    let model = |pairs: &[(&str, &str)]| {
        let bytes = (0..=255u8).map(|byte| vec![byte]);
        let made: Vec<Vec<u8>> =
            pairs.iter().map(|(left, right)| [left.as_bytes(), right.as_bytes()].concat()).collect();
        let mut tokens: Vec<Vec<u8>> = bytes.collect();
        made.into_iter().for_each(|token| {
            if !tokens.contains(&token) {
                tokens.push(token)
            }
        });
        let vocab = Vocab::new(tokens.iter().map(Some)).unwrap();
        let id = |text: &str| vocab.id(text.as_bytes()).unwrap();
        let pairs: Vec<_> = pairs.iter().map(|(left, right)| (id(left), id(right))).collect();
        let merges = Merges::of_pairs(&vocab, &pairs, b"").unwrap();
        Bpe::new(vocab.into(), merges.into(), &Outline::bpe(Symbols::default())).unwrap()
    };
    // All are made by rising ranks.
    assert_eq!(assert_derivations_like_naive(&model(&[("a", "b"), ("c", "d"), ("ab", "cd")])), (3, 3));
    // `bc` goes first, and `abcd` is never made.
    assert_eq!(assert_derivations_like_naive(&model(&[("b", "c"), ("a", "b"), ("c", "d"), ("ab", "cd")])), (3, 3));
    // Among equal pairs the leftmost goes first: `aaa` is `aa` and `a`, and not the other way round.
    assert_eq!(assert_derivations_like_naive(&model(&[("a", "a"), ("aa", "a")])), (2, 2));
    assert_eq!(assert_derivations_like_naive(&model(&[("a", "a"), ("a", "aa")])), (1, 1));
    assert_eq!(
        assert_derivations_like_naive(&model(&[("a", "a"), ("aa", "aa"), ("aaaa", "aa"), ("aa", "aaaa")])),
        (3, 3)
    );
    // A pair that is there twice has its later rank; what it makes is made all the same.
    assert_eq!(assert_derivations_like_naive(&model(&[("a", "b"), ("ab", "c"), ("a", "b")])).1, 2);
}

proptest! {
    /// In the order in which a trainer finds them, and in any other.
    #[test]
    fn derivations_are_those_of_the_naive_ones(
        alphabet in "ab|abc|a|abcd",
        choices in proptest::collection::vec(any::<(u16, u16)>(), 0..60),
        turn in proptest::option::of(0..60usize),
    ) {
        let bpe = model_in_order(&alphabet, &choices, false, |pairs| {
            pairs.rotate_left(turn.unwrap_or(0) % choices.len().max(1));
        });
        assert_derivations_like_naive(&bpe);
    }

    /// With tokens that are parts of characters, or several.
    #[test]
    fn what_is_cut_gives_the_same(
        choices in proptest::collection::vec(any::<(u16, u16)>(), 0..40),
        texts in proptest::collection::vec("[aéя漢字🙂]{0,20}|[é漢]{0,99}", 1..20),
        whole_pieces in any::<bool>(),
    ) {
        let bpe = model("aéя漢字🙂", &choices, whole_pieces);
        assert_like_naive(&bpe, &texts);
    }

    /// Whatever follows from a merge may come before it in the order, so that what is certain of two bytes depends on more than them.
    #[test]
    fn merges_in_any_order_give_what_the_naive_ones_give(
        choices in proptest::collection::vec(any::<(u16, u16)>(), 0..40),
        (turn, backwards) in (0..40usize, any::<bool>()),
        texts in proptest::collection::vec("[abcd]{0,32}|[ab]{0,70}|(ab|cd|a|é){0,20}", 1..20),
    ) {
        let bpe = model_in_order("abcdé", &choices, false, |pairs| {
            pairs.rotate_left(turn % choices.len().max(1));
            if backwards {
                pairs.reverse();
            }
        });
        assert_like_naive(&bpe, &texts);
    }

    /// By the rule of tiktoken, of tokens with random ranks.
    #[test]
    fn concatenations_give_what_the_naive_ones_give(
        tokens in proptest::collection::btree_set("[abc]{2,5}", 0..40),
        turn in 0..40usize,
        texts in proptest::collection::vec("[abc]{0,32}|[ab]{0,70}", 1..20),
    ) {
        let mut tokens: Vec<String> = tokens.into_iter().collect();
        let count = tokens.len().max(1);
        tokens.rotate_left(turn % count);
        assert_concatenations_like_naive(tokens.into_iter().map(String::into_bytes).collect(), &texts);
    }

    /// By the same rule, of tokens as a trainer makes them: each from two neighbours in a text, merged wherever they are.
    #[test]
    fn one_pair_for_each_token_is_enough(
        text in "[abc]{2,60}",
        choices in proptest::collection::vec(any::<u16>(), 0..30),
        texts in proptest::collection::vec("[abc]{0,32}|[ab]{0,70}", 1..20),
    ) {
        let mut symbols: Vec<Vec<u8>> = text.bytes().map(|byte| vec![byte]).collect();
        let mut tokens = Vec::new();
        for choice in choices {
            let at = choice as usize % symbols.len();
            let Some([left, right]) = symbols.get(at..at + 2).map(|two| [two[0].clone(), two[1].clone()]) else { continue };
            let made = [&left[..], &right[..]].concat();
            prop_assert!(!tokens.contains(&made));
            let mut at = 0;
            while at + 1 < symbols.len() {
                if symbols[at] == left && symbols[at + 1] == right {
                    symbols.splice(at..at + 2, [made.clone()]);
                }
                at += 1;
            }
            tokens.push(made);
        }
        prop_assert!(assert_concatenations_like_naive(tokens, &texts));
    }

    /// Small windows grow, and then may change what those before them were joined to.
    #[test]
    fn windows_of_any_size_give_what_the_naive_one_gives(
        choices in proptest::collection::vec(any::<(u16, u16)>(), 0..30),
        texts in proptest::collection::vec("[ab]{0,60}|(a{0,3}ba{0,30}){0,3}", 1..20),
        size in 1..12usize,
    ) {
        let bpe = model("ab", &choices, false);
        let merge = |window: &[u8], ids: &mut Vec<TokenId>| {
            let mut symbols = window.iter().map(|&byte| bpe.bytes[usize::from(byte)]).collect();
            naive::merge(bpe.merges.view(), &mut symbols);
            ids.extend(symbols);
        };
        let width = |id| bpe.vocab.token(id).map_or(0, <[u8]>::len);
        for text in texts {
            let mut ids = vec![7];
            Windows::default().merge(text.as_bytes(), size, merge, width, &mut ids);
            prop_assert_eq!(&ids[1..], naive(&bpe, &text), "{:?}", text);
        }
    }

    #[test]
    fn every_way_gives_what_the_naive_one_gives(
        choices in proptest::collection::vec(any::<(u16, u16)>(), 0..30),
        text in "[abc]{0,80}|[ab]{0,400}|(a{0,90}b{0,9}){0,5}|(ab){0,99}c{0,99}",
        whole_pieces in any::<bool>(),
    ) {
        let bpe = model("abc", &choices, whole_pieces);
        let expected = naive(&bpe, &text);
        let mut scratch = BpeScratch::default();
        for _ in 0..2 {
            let mut ids = Vec::new();
            bpe.segment(Spans::new(text.as_bytes(), &[0], &[text.len()]), &mut scratch, &mut ids);
            prop_assert_eq!(&ids, &expected);
        }
        let mut symbols: Vec<TokenId> = text.bytes().map(|byte| bpe.bytes[usize::from(byte)]).collect();
        if !whole_pieces {
            Heap::default().merge(bpe.merges.view(), &mut symbols);
            prop_assert_eq!(&symbols, &expected);
        }
    }
}
