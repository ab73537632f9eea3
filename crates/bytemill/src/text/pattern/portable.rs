//! Patterns of `tiktoken`, whose engine is fancy-regex, as Oniguruma reads them, after which `parse` goes. Most are the same to both. What has
//! another meaning there is written otherwise, if it can be: `^` and `$` are the ends of a text there and of a line here, an interval with a
//! plus never gives back or repeats, and words are not made of the same characters. The rest is refused by name.

use super::parse::Refusal;

/// Properties of which the two have other characters, or one of them none; of all others of ours both have the same
/// (`tests/differential/test_tiktoken_patterns.py` asks for every character).
const OTHERS: [&str; 5] = ["graph", "print", "word", "xdigit", "bareword"];

/// What words are made of there.
const WORD: &str = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}";

/// Refuses a pattern, which `parse` has accepted, if the other engine might read it otherwise.
pub(super) fn check(pattern: &str) -> Result<(), Refusal> {
    translated(pattern, |what| Err(differs(what))).map(drop)
}

/// What `parse` reads as the other engine reads this.
pub(super) fn from_tiktoken(pattern: &str) -> Result<String, Refusal> {
    translated(pattern, |_| Ok(()))
}

/// Calls `change` before something is written otherwise.
fn translated(pattern: &str, change: impl Fn(&str) -> Result<(), Refusal>) -> Result<String, Refusal> {
    let (mut written, mut rest) = (String::new(), pattern);
    let (mut groups, mut classes) = (0usize, 0usize);
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let mut new = None;
        let next = match (c, classes) {
            ('\\', _) if after.starts_with(['w', 'W']) => {
                change(&rest[..2])?;
                new = Some(match (&after[..1], classes) {
                    ("w", 0) => format!("[{WORD}]"),
                    ("w", _) => WORD.into(),
                    _ => format!("[^{WORD}]"),
                });
                &after[1..]
            }
            ('\\', _) => escape(after)?,
            ('[', 1..) if after.starts_with(':') => return Err(differs("\"[:\" in a class")),
            ('[', _) => {
                classes += 1;
                after.strip_prefix('^').unwrap_or(after)
            }
            (']', 1..) => {
                classes -= 1;
                after
            }
            ('-' | '~', 1..) if after.starts_with(c) => return Err(differs(&format!("\"{c}{c}\" in a class"))),
            ('^' | '$', 0) => {
                change(&format!("{c:?}"))?;
                new = Some(if c == '^' { r"\A" } else { r"\z" }.into());
                after
            }
            ('{', 0) => match interval(after)?.strip_prefix('+') {
                Some(after) => {
                    // At the end of an alternative nothing asks it to give back.
                    change("\"}+\"")?;
                    if groups > 0 || !(after.is_empty() || after.starts_with('|')) {
                        return Err(differs("\"}+\""));
                    }
                    new = Some(rest[..rest.len() - after.len() - 1].into());
                    after
                }
                None => interval(after)?,
            },
            ('(', 0) => {
                groups += 1;
                group(after)?
            }
            (')', 0) => {
                groups = groups.saturating_sub(1);
                after
            }
            _ => after,
        };
        match new {
            Some(new) => written.push_str(&new),
            None => written.push_str(&rest[..rest.len() - next.len()]),
        }
        rest = next;
    }
    Ok(written)
}

fn differs(what: &str) -> Refusal {
    format!("{what} does not mean the same to every engine, and is not supported here")
}

fn escape(rest: &str) -> Result<&str, Refusal> {
    let c = rest.chars().next().ok_or("the pattern ends too early")?;
    let after = &rest[c.len_utf8()..];
    match c {
        'n' | 'r' | 't' | 'f' | 'v' | 's' | 'S' | 'd' | 'D' | 'A' | 'z' => Ok(after),
        'p' | 'P' => match after.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            Some((name, after)) if has_property(name) => Ok(after),
            Some((name, _)) => Err(differs(&format!("\\{c}{{{name}}}"))),
            None => Err(differs(&format!("\\{c}"))),
        },
        'x' if after.starts_with('{') => Ok(after.split_once('}').map_or("", |(_, after)| after)),
        'u' if after.bytes().take(4).filter(u8::is_ascii_hexdigit).count() == 4 => Ok(&after[4..]),
        '<' | '>' => Err(differs(&format!("\\{c}"))),
        _ if c.is_ascii_punctuation() || c == ' ' => Ok(after),
        _ => Err(differs(&format!("\\{c}"))),
    }
}

/// Whether the two mean the same characters by the name of a property, if `parse` knows it.
fn has_property(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    !(name.starts_with('^') || plain.starts_with("posix") || OTHERS.contains(&&*plain))
}

/// After an opening brace, which must begin `{n}`, `{n,}` or `{n,m}`.
fn interval(rest: &str) -> Result<&str, Refusal> {
    let (inside, after) = rest.split_once('}').ok_or_else(|| differs("\"{\""))?;
    let starts_with_number = inside.starts_with(|c: char| c.is_ascii_digit());
    let is_interval = inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    if starts_with_number && is_interval { Ok(after) } else { Err(differs("\"{\"")) }
}

/// After an opening parenthesis.
fn group(rest: &str) -> Result<&str, Refusal> {
    if !rest.starts_with('?') {
        return Ok(rest);
    }
    let kinds = ["?:", "?i:", "?=", "?!", "?<=", "?<!"];
    let after = kinds.iter().find_map(|kind| rest.strip_prefix(kind));
    after.ok_or_else(|| differs(&format!("the group \"({}\"", rest.chars().take(2).collect::<String>())))
}

#[cfg(test)]
mod tests {
    use super::{WORD, check, from_tiktoken};
    use crate::pretokenize::gpt::Scheme;

    #[test]
    fn what_both_engines_agree_on() {
        for scheme in Scheme::ALL {
            assert_eq!(check(scheme.pattern()), Ok(()), "{scheme:?}");
        }
        assert_eq!(check(r"\p{L}{2,3}?|[^\p{N}\-a-z{$^]+|\x{1F600}|(?i:'s)++|.(?<!\S)(?<=a)"), Ok(()));
        assert_eq!(check(r"[\p{Lu}\p{M}&&[^\p{Han}]]+|[a[b]]\z|[\u4e00-\u9fa5]"), Ok(()));
    }

    #[test]
    fn what_is_written_otherwise() {
        for (theirs, ours) in [
            (r"\p{N}{1,3}+|\s++$|^a", r"\p{N}{1,3}|\s++\z|\Aa"),
            (r"[$^]\$|a{2}+", r"[$^]\$|a{2}"),
            (r"\w[\w-]\W[^\W]", &format!("[{WORD}][{WORD}-][^{WORD}][^[^{WORD}]]")),
        ] {
            assert_eq!(from_tiktoken(theirs), Ok(ours.to_string()));
            assert!(check(theirs).is_err());
        }
        for pattern in ["(a{2}+|b)c", "a{2}+b"] {
            assert!(from_tiktoken(pattern).is_err());
        }
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
            (r"\p{Print}", r"\p{Print}"),
            (r"\p{^L}", r"\p{^L}"),
            (r"a{2}+", "\"}+\""),
            (r"a{,2}", "\"{\""),
            (r"a{", "\"{\""),
            ("[[:alpha:]]", "\"[:\" in a class"),
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
