use super::*;

fn found<'a>(pattern: &str, text: &'a str) -> Vec<&'a str> {
    let matcher = Pattern::Regex(pattern.into()).compile().unwrap();
    matcher.matches(text).map(|span| &text[span.range()]).collect()
}

fn refusal(pattern: &str) -> String {
    Pattern::Regex(pattern.into()).compile().unwrap_err().to_string()
}

#[test]
fn alternatives_in_their_order_and_repetitions_as_written() {
    assert_eq!(found("ab|abc|b", "abcb"), ["ab", "b"]);
    assert_eq!(found("a{1,3}", "aaaaa"), ["aaa", "aa"]);
    assert_eq!(found("a{1,3}+", "aaaaa"), ["aaaaa"]);
    assert_eq!(found("a+?", "aa"), ["a", "a"]);
    assert_eq!(found("a++a|b", "aaab"), ["b"]);
    assert_eq!(found("x{,2}y", "xxxy"), ["xxy"]);
    assert_eq!(found("a{|b}", "a{b}"), ["a{", "b}"]);
}

#[test]
fn looking_around() {
    assert_eq!(found(r"\s+(?!\S)|\s+", "a   b "), ["  ", " ", " "]);
    assert_eq!(found("(?<=a|bc)d", "ad bcd cd"), ["d", "d"]);
    assert_eq!(found("(?<!a)d", "ad d"), ["d"]);
    assert_eq!(found(r"\b\w", "ab cd"), ["a", "c"]);
    assert_eq!(found("^.|.$", "ab\ncd\n"), ["a", "b", "c", "d"]);
}

#[test]
fn classes() {
    assert_eq!(found("[a-z&&[^b-y]]+", "abz"), ["a", "z"]);
    assert_eq!(found(r"[^\s\p{L}]", "a 1"), ["1"]);
    assert_eq!(found("[[:alpha:]-]+", "a-b 1"), ["a-b"]);
    assert_eq!(found(r"\p{^L}+|\x{e9}|\u00e8", "12éè"), ["12", "é", "è"]);
    assert_eq!(found("(?i:'S|k)", "'s 'ſ \u{212A}"), ["'s", "'ſ", "\u{212A}"]);
}

#[test]
fn empty_matches_count_unless_they_touch_the_last() {
    assert_eq!(found("a*", "baac"), ["", "aa", ""]);
    assert_eq!(found("", "ab"), ["", "", ""]);
    assert_eq!(found("a", ""), [""; 0]);
}

#[test]
fn what_is_not_settled_is_refused_by_name() {
    for (pattern, reason) in [
        (r"(a)\1", r#"the pattern "(a)\\1": \1 is not supported"#),
        (r"\K", r"\K is not supported"),
        ("(?>a)", "the group \"(?>\" is not supported"),
        ("a(?i)b", "a flag in the middle of a group"),
        ("(?i:ss)", "'s' and 's' one after the other in any case"),
        ("(?i:é)", "'é' in any case"),
        (r"(?i:[\p{L}])", "letters beyond ASCII"),
        ("(a*)*", "a repetition of what may be empty"),
        ("a**", "a repetition of a repetition"),
        ("a{2}?", "\"{n}?\""),
        ("(?=a+)", "quadratic"),
        (r"\b.*\n", "begins with \".*\" after an assertion"),
        (r"(?:$(?i:.++)a|\B.*)b", "begins with \".*\""),
        (r"(?:(?=a)(?m:.*)\n)+", "begins with \".*\""),
        (r"\b(?:.+)?\n", "begins with \".*\""),
        (r"\b(?:.+?)+\n", "begins with \".*\""),
        ("(ab)++", "possessive"),
        (r"\p{Klingon}", "the property \"Klingon\" is not known"),
        ("[]", "without characters"),
        ("[z-a]", "below its start"),
        ("(a", "not closed"),
        ("a)", "not opened"),
        ("*a", "nothing before it"),
        ("a{1000}{1000}", "a repetition of a repetition"),
        ("a{5000}", "4096 steps"),
        ("a{99999999999}", "4096 steps"),
        ("(a?b){300}", "256 choices"),
    ] {
        assert!(refusal(pattern).contains(reason), "{pattern}: {}", refusal(pattern));
    }
    assert!(refusal(&"(".repeat(60)).contains("groups inside one another"));
}

#[test]
fn a_rest_of_a_line_that_is_found_wherever_it_begins() {
    for pattern in [
        ".*a",
        r"^.*a",
        r"\A(?m:.*)a",
        r"\b.*?a",
        r"\ba?.*a",
        r"c|\b.*a",
        r"(?:\b.*a)?a",
        "(?<=a).*",
        "(?!a).*a",
        "(?<!a)(?m:.*)",
    ] {
        assert!(Pattern::Regex(pattern.into()).compile().is_ok(), "{pattern}");
    }
}

#[test]
fn depth_is_limited_wherever_a_pattern_nests() {
    for (open, close) in [("[", "]"), ("[^", "]"), ("[a&&[", "]]"), ("(", ")"), ("(?=", ")"), ("(?:", ")?")] {
        let nested = |times: usize| format!("{}a{}", open.repeat(times), close.repeat(times));
        assert!(refusal(&nested(20_000)).contains("inside one another"), "{open}");
        assert!(parse::parse(&nested(10)).is_ok(), "{open}: {:?}", parse::parse(&nested(10)));
    }
}

#[test]
fn time_is_linear_where_backtracking_alone_is_not() {
    let text = "a".repeat(200_000);
    assert_eq!(found("(?:a+)+b|a", &text).len(), 200_000);
    assert_eq!(found("a*b|a", &text).len(), 200_000);
    let spaces = " ".repeat(200_000) + "x";
    assert_eq!(found(r"\s++$|\s+(?!\S)", &spaces).len(), 1);
    assert_eq!(found(r"\s++$", &spaces).len(), 0);
}

#[test]
fn the_steps_of_a_backtracking_engine_are_counted() {
    let steps = |pattern: &str, text: &str| Pattern::Regex(pattern.into()).backtracking_steps(text, 1_000_000).unwrap();
    let run = |length: usize| "a".repeat(length);
    assert!(steps("a+|b", &run(400)) < 3 * steps("a+|b", &run(200)));
    // Each start goes through the rest of the run and back.
    assert!(steps("a+!|a", &run(400)) > 3 * steps("a+!|a", &run(200)));
    assert!(steps("a++!|a", &run(400)) > 3 * steps("a++!|a", &run(200)));
    // Every way to divide the run is tried.
    assert!(steps("(?:a+)+!|a", &run(40)) > 1_000_000);
}
