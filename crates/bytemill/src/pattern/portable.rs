//! Patterns that mean the same to Oniguruma, after which `parse` goes, and to the engine of `tiktoken` (fancy-regex). Where a syntax means
//! two things it is refused by name: lines are those of a text here and of a line there, an interval with a plus repeats or never gives
//! back, and words are not made of the same characters.

use super::parse::Refusal;

/// Categories as both write them.
const CATEGORIES: [&str; 34] = [
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe", "Pi",
    "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "Cc", "Cf", "Co",
];

/// Refuses a pattern, which `parse` has accepted, if the other engine might read it otherwise.
pub fn check(pattern: &str) -> Result<(), Refusal> {
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = match (c, in_class) {
            ('\\', _) => escape(behind)?,
            ('[', false) => {
                in_class = true;
                behind.strip_prefix('^').unwrap_or(behind)
            }
            (']', true) => {
                in_class = false;
                behind
            }
            ('[', true) => return Err(differs("a class inside a class")),
            ('&' | '-' | '~', true) if behind.starts_with(c) => return Err(differs(&format!("\"{c}{c}\" in a class"))),
            ('^' | '$', false) => return Err(differs(&format!("{c:?}"))),
            ('{', false) => interval(behind)?,
            ('(', false) => group(behind)?,
            _ => behind,
        };
    }
    Ok(())
}

fn differs(what: &str) -> Refusal {
    format!("{what} does not mean the same to every engine, and is not supported here")
}

fn escape(rest: &str) -> Result<&str, Refusal> {
    let c = rest.chars().next().ok_or("the pattern ends too early")?;
    let behind = &rest[c.len_utf8()..];
    match c {
        'n' | 'r' | 't' | 'f' | 'v' | 's' | 'S' | 'd' | 'D' => Ok(behind),
        'p' | 'P' => match behind.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            Some((name, behind)) if CATEGORIES.contains(&name) => Ok(behind),
            _ => Err(differs("a property that is no general category")),
        },
        'x' if behind.starts_with('{') => Ok(behind.split_once('}').map_or("", |(_, behind)| behind)),
        '<' | '>' => Err(differs(&format!("\\{c}"))),
        _ if c.is_ascii_punctuation() || c == ' ' => Ok(behind),
        _ => Err(differs(&format!("\\{c}"))),
    }
}

/// Behind an opening brace, which must begin `{n}`, `{n,}` or `{n,m}`.
fn interval(rest: &str) -> Result<&str, Refusal> {
    let (inside, behind) = rest.split_once('}').ok_or_else(|| differs("\"{\""))?;
    let starts_with_number = inside.starts_with(|c: char| c.is_ascii_digit());
    let is_interval = inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    match behind.starts_with('+') {
        true => Err(differs("\"}+\"")),
        false if starts_with_number && is_interval => Ok(behind),
        false => Err(differs("\"{\"")),
    }
}

/// Behind an opening parenthesis.
fn group(rest: &str) -> Result<&str, Refusal> {
    if !rest.starts_with('?') {
        return Ok(rest);
    }
    let kinds = ["?:", "?i:", "?=", "?!", "?<=", "?<!"];
    let behind = kinds.iter().find_map(|kind| rest.strip_prefix(kind));
    behind.ok_or_else(|| differs(&format!("the group \"({}\"", rest.chars().take(2).collect::<String>())))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::pretokenize::gpt::Scheme;

    #[test]
    fn what_both_engines_agree_on() {
        for scheme in [Scheme::Gpt2, Scheme::Cl100k, Scheme::O200k, Scheme::Qwen2, Scheme::Tekken] {
            assert_eq!(check(scheme.pattern()), Ok(()), "{scheme:?}");
        }
        assert_eq!(check(r"\p{L}{2,3}?|[^\p{N}\-a-z{$^]+|\x{1F600}|(?i:'s)++|.(?<!\S)(?<=a)"), Ok(()));
    }

    #[test]
    fn what_they_may_read_otherwise() {
        for (pattern, part) in [
            ("^a", "'^'"),
            ("a$", "'$'"),
            (r"\w+", r"\w"),
            (r"\ba", r"\b"),
            (r"\h", r"\h"),
            (r"\<a", r"\<"),
            (r"\p{Greek}", "a property that is no general category"),
            (r"\p{^L}", "a property that is no general category"),
            (r"a{2}+", "\"}+\""),
            (r"a{,2}", "\"{\""),
            (r"a{", "\"{\""),
            ("[a[b]]", "a class inside a class"),
            ("[[:alpha:]]", "a class inside a class"),
            ("[a-z&&b]", "\"&&\" in a class"),
            ("[a~~b]", "\"~~\" in a class"),
            ("(?m:.)", "the group \"(?m\""),
            ("(?<name>a)", "the group \"(?<\""),
            ("(?i)a", "the group \"(?i\""),
        ] {
            let refusal = check(pattern).unwrap_err();
            assert!(refusal.starts_with(&format!("{part} does not mean")), "{pattern}: {refusal}");
        }
    }
}
