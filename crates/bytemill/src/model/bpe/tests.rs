use super::*;
use crate::definition::Symbols;
use proptest::prelude::*;

/// All bytes, then random merges of what is there already.
fn model(alphabet: &str, choices: &[(u16, u16)], whole_pieces: bool) -> Bpe {
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

proptest! {
    /// With tokens that are parts of characters, or several.
    #[test]
    fn what_is_cut_gives_the_same(
        choices in proptest::collection::vec(any::<(u16, u16)>(), 0..40),
        texts in proptest::collection::vec("[aéя漢字🙂]{0,20}|[é漢]{0,99}", 1..20),
        whole_pieces in any::<bool>(),
    ) {
        let bpe = model("aéя漢字🙂", &choices, whole_pieces);
        let mut scratch = BpeScratch::default();
        for text in texts.iter().chain(&texts) {
            let mut ids = Vec::new();
            bpe.segment(text.as_bytes(), &[0], &[text.len()], &mut scratch, &mut ids);
            prop_assert_eq!(ids, naive(&bpe, text));
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
            bpe.segment(text.as_bytes(), &[0], &[text.len()], &mut scratch, &mut ids);
            prop_assert_eq!(&ids, &expected);
        }
        let mut symbols: Vec<TokenId> = text.bytes().map(|byte| bpe.bytes[usize::from(byte)]).collect();
        if !whole_pieces {
            Heap::default().merge(bpe.merges.view(), &mut symbols);
            prop_assert_eq!(&symbols, &expected);
        }
    }
}

#[test]
fn the_grid_of_bytes_is_what_the_pairs_say() {
    let choices: Vec<(u16, u16)> = (0..40).flat_map(|i| [(i, i + 3), (7 * i, i), (i, i)]).collect();
    let merges = model("abcdé漢", &choices, false).merges;
    let order: [TokenId; 256] = std::array::from_fn(|i| i as TokenId);
    let mut shuffled = order;
    shuffled.rotate_left(97);
    let mut twice = order;
    twice[200] = u32::from(b'a');
    for bytes in [order, shuffled, twice] {
        let asked = bytes.iter().flat_map(|&left| bytes.map(|right| merges.view().rank(left, right)));
        assert!(merges.grid(&bytes).into_iter().eq(asked));
    }
}
