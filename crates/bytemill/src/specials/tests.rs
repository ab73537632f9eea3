use super::*;

fn parts(specials: &Specials, choice: &Choice, text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    specials
        .split(choice, Stage::Raw, text, |id, span| {
            let text = &text[span.range()];
            parts.push(match id {
                Some(id) => format!("{id}:{text}"),
                None => text.to_string(),
            });
            Ok::<_, crate::error::Error>(())
        })
        .unwrap();
    parts
}

fn specials(tokens: Vec<AddedToken>) -> Specials {
    Specials::new(tokens, None, Policy::All).unwrap()
}

#[test]
fn the_longest_wins_and_policies_decide() {
    let specials =
        specials(vec![AddedToken::special(0, "<a>"), AddedToken::special(1, "<a><a>"), AddedToken::special(2, "<b>")]);
    let text = "x<a><a><a><b>";
    let all = Choice::Policy(Policy::All);
    assert_eq!(parts(&specials, &all, text), ["x", "1:<a><a>", "0:<a>", "2:<b>"]);
    assert_eq!(parts(&specials, &Choice::Policy(Policy::None), text), [text]);
    let only = specials.only(["<a>"]).unwrap();
    assert_eq!(parts(&specials, &only, text), ["x", "0:<a>", "0:<a>", "0:<a>", "<b>"]);
    let refused = specials.split(&Choice::Policy(Policy::Refuse), Stage::Raw, text, |_, _| Ok(()));
    assert!(matches!(refused, Err(Error::SpecialInText { token, offset: 1, .. }) if token == "<a><a>"));
    assert!(specials.only(["<c>"]).unwrap_err().to_string().contains("<a> <a><a> <b>"));
}

#[test]
fn every_token_but_white_space_and_single_characters_is_subject_to_the_policy() {
    let plain = |id, content: &str| AddedToken { special: false, ..AddedToken::special(id, content) };
    let specials = specials(vec![plain(0, "<think>"), plain(1, "  "), plain(2, "ö"), plain(3, "▁▁"), plain(4, "<ö>")]);
    let text = "ö  <think>▁▁<ö>";
    let all = ["2:ö", "1:  ", "0:<think>", "3:▁▁", "4:<ö>"];
    assert_eq!(parts(&specials, &Choice::Policy(Policy::All), text), all);
    // A control token that is plain text may hold a token that spells text.
    let none = ["2:ö", "1:  ", "<think>", "3:▁▁", "<", "2:ö", ">"];
    assert_eq!(parts(&specials, &Choice::Policy(Policy::None), text), none);
    assert_eq!(parts(&specials, &specials.only([]).unwrap(), text), none);
    let some = ["2:ö", "1:  ", "0:<think>", "3:▁▁", "<", "2:ö", ">"];
    assert_eq!(parts(&specials, &specials.only(["<think>"]).unwrap(), text), some);
    let refused = |text| specials.split(&Choice::Policy(Policy::Refuse), Stage::Raw, text, |_, _| Ok(()));
    assert!(refused("ö  ▁▁").is_ok());
    assert!(matches!(refused("ö  <think>"), Err(Error::SpecialInText { token, offset: 4, .. }) if token == "<think>"));
    let special = self::specials(vec![AddedToken::special(0, " ")]);
    assert!(special.split(&Choice::Policy(Policy::Refuse), Stage::Raw, "a b", |_, _| Ok::<_, Error>(())).is_err());
}

#[test]
fn strips_and_single_words() {
    let token = AddedToken::special(0, "M");
    let all = Choice::Policy(Policy::All);
    let stripping = specials(vec![AddedToken { lstrip: true, rstrip: true, ..token.clone() }]);
    assert_eq!(parts(&stripping, &all, "a M  M b"), ["a", "0: M  ", "0:M ", "b"]);
    let single = specials(vec![AddedToken { single_word: true, ..token }]);
    assert_eq!(parts(&single, &all, "aM M."), ["aM ", "0:M", "."]);
}

#[test]
fn tokens_that_span_a_position() {
    let specials = specials(vec![AddedToken::special(0, "a b")]);
    assert!(specials.spans("xa bx", 2) && specials.spans("xa bx", 3));
    assert!(!specials.spans("xa bx", 1) && !specials.spans("xa bx", 4));
    // One that lies across counts, whatever else would be found first.
    let overlapping = self::specials(vec![AddedToken::special(0, "aa")]);
    assert!((1..6).all(|at| overlapping.spans("aaaaaa", at)));
    let token = AddedToken::special(0, "M");
    let stripping = self::specials(vec![AddedToken { lstrip: true, ..token }]);
    assert!(stripping.spans("a     M b", 3) && stripping.spans("a  ", 2));
    assert!(!stripping.spans("a  b  M b", 2) && !stripping.spans("a M  b", 4));
}
