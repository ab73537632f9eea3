//! Classes of characters in a pattern: what stands in brackets, and escapes.

use super::parse::{DEEPEST, Refusal};
use super::set::Set;

pub(super) enum Escape {
    Char(char),
    Set(Set),
}

/// After a backslash, in brackets or `bare`.
pub(super) fn escape(rest: &mut &str, bare: bool) -> Result<Escape, Refusal> {
    let c = next(rest)?;
    let property = |name: &str| match Set::property(name) {
        Some(_) if bare && name.trim().eq_ignore_ascii_case("word") => Ok(Escape::Set(Set::bare_word())),
        Some(set) => Ok(Escape::Set(set)),
        None => Err(format!("the property {name:?} is not known here")),
    };
    match c {
        'n' => Ok(Escape::Char('\n')),
        't' => Ok(Escape::Char('\t')),
        'r' => Ok(Escape::Char('\r')),
        'f' => Ok(Escape::Char('\x0C')),
        'v' => Ok(Escape::Char('\x0B')),
        'a' => Ok(Escape::Char('\x07')),
        'e' => Ok(Escape::Char('\x1B')),
        'x' | 'u' => code_point(c, rest).map(Escape::Char),
        'd' => property("digit"),
        'w' => property("word"),
        's' => property("space"),
        'h' => property("xdigit"),
        'D' | 'W' | 'S' | 'H' => match escape(&mut c.to_ascii_lowercase().to_string().as_str(), bare)? {
            Escape::Set(set) => Ok(Escape::Set(set.complement())),
            Escape::Char(_) => Err(format!("\\{c} is not supported")),
        },
        'p' | 'P' => {
            let inside = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
            let Some((name, after)) = inside else {
                return Err(format!("\\{c} without braces is not supported"));
            };
            *rest = after;
            let plain = name.strip_prefix('^').unwrap_or(name);
            match property(plain)? {
                Escape::Set(set) if (c == 'P') != (plain.len() < name.len()) => Ok(Escape::Set(set.complement())),
                same => Ok(same),
            }
        }
        _ if c.is_ascii_punctuation() || c == ' ' => Ok(Escape::Char(c)),
        _ => Err(format!("\\{c} is not supported")),
    }
}

/// `\x41`, `\x{1F600}`, `\u0041`.
fn code_point(kind: char, rest: &mut &str) -> Result<char, Refusal> {
    let (digits, after) = match (kind, rest.strip_prefix('{')) {
        ('x', Some(inside)) => inside.split_once('}').unwrap_or(("", inside)),
        _ => {
            let length = if kind == 'x' { 2 } else { 4 };
            rest.split_at_checked(length).unwrap_or(("", rest))
        }
    };
    let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let braced = rest.starts_with('{');
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex).and_then(char::from_u32);
    *rest = after;
    match code {
        // Two digits are a byte, and bytes from 0x80 on are parts of characters.
        Some(c) if kind == 'x' && !braced && !c.is_ascii() => Err(format!("the byte \\x{digits} is not supported")),
        Some(c) => Ok(c),
        None => Err(format!("\\{kind} without the number of a character is not supported")),
    }
}

/// After an opening bracket, up to the closing one.
pub(super) fn bracketed(rest: &mut &str, ignore_case: bool) -> Result<Set, Refusal> {
    nested(rest, ignore_case, 1)
}

/// The same for a class that is nested `depth` deep; the outermost one has depth 1.
fn nested(rest: &mut &str, ignore_case: bool, depth: usize) -> Result<Set, Refusal> {
    if depth > DEEPEST {
        return Err(format!("more than {DEEPEST} classes inside one another are not supported"));
    }
    let negated = eat(rest, "^");
    let set = operands(rest, ignore_case, depth)?;
    let set = if ignore_case { folded(set)? } else { set };
    Ok(if negated { set.complement() } else { set })
}

/// What stands between `&&`.
fn operands(rest: &mut &str, ignore_case: bool, depth: usize) -> Result<Set, Refusal> {
    let mut all: Option<Set> = None;
    loop {
        let operand = items(rest, ignore_case, depth)?;
        let joined = match all {
            Some(left) => left.intersection(&operand),
            None => operand,
        };
        if eat(rest, "]") {
            return Ok(joined);
        }
        if ignore_case {
            return Err("\"&&\" in any case is not supported".into());
        }
        *rest = &rest[2..];
        all = Some(joined);
    }
}

/// Up to `]` or `&&`, which stay.
fn items(rest: &mut &str, ignore_case: bool, depth: usize) -> Result<Set, Refusal> {
    let mut sets = Vec::new();
    loop {
        if rest.starts_with(']') || rest.starts_with("&&") {
            return match sets.is_empty() {
                true => Err("a class without characters is not supported".into()),
                false => Ok(Set::of_all(&sets)),
            };
        }
        let item = match eat_class(rest) {
            true if ignore_case => return Err("a class in a class in any case is not supported".into()),
            true => nested(rest, false, depth + 1)?,
            false => item(rest, sets.is_empty())?,
        };
        sets.push(item);
    }
}

/// Whether a class in a class begins here, whose bracket is taken.
fn eat_class(rest: &mut &str) -> bool {
    !rest.starts_with("[:") && eat(rest, "[")
}

fn item(rest: &mut &str, first: bool) -> Result<Set, Refusal> {
    if eat(rest, "[:") {
        let (name, after) = rest.split_once(":]").ok_or("\"[:\" is not closed")?;
        *rest = after;
        let bare = name.strip_prefix('^').unwrap_or(name);
        let set = Set::posix(bare).ok_or_else(|| format!("the class \"[:{bare}:]\" is not known here"))?;
        return Ok(if bare.len() < name.len() { set.complement() } else { set });
    }
    if rest.starts_with('-') && !first && !rest.starts_with("-]") {
        return Err("\"-\" in the middle of a class is not supported: write \\-".into());
    }
    let start = match member(rest)? {
        Escape::Char(start) => start,
        // What follows may be a "-" only at the end: see above.
        Escape::Set(set) => return Ok(set),
    };
    if !rest.starts_with('-') || rest.starts_with("-]") {
        return Ok(Set::single(start));
    }
    *rest = &rest[1..];
    match member(rest)? {
        _ if start == '-' => Err("a range from \"-\" is not supported: write \\-".into()),
        Escape::Char(end) if start <= end => Ok(Set::range(start, end)),
        Escape::Char(_) => Err("a range whose end is below its start is not supported".into()),
        Escape::Set(_) => Err("a class at the end of a range is not supported".into()),
    }
}

fn member(rest: &mut &str) -> Result<Escape, Refusal> {
    match next(rest)? {
        '\\' => escape(rest, false),
        c => Ok(Escape::Char(c)),
    }
}

fn next(rest: &mut &str) -> Result<char, Refusal> {
    let mut characters = rest.chars();
    let c = characters.next().ok_or("the pattern ends too early")?;
    *rest = characters.as_str();
    Ok(c)
}

fn eat(rest: &mut &str, prefix: &str) -> bool {
    match rest.strip_prefix(prefix) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

/// Whether a character is the same in every case, and part of no sequence that folds to one character.
pub(super) fn has_no_case(c: char) -> bool {
    let same = c.to_lowercase().eq([c]) && c.to_uppercase().eq([c]);
    same && ["L", "M"].iter().all(|name| Set::property(name).is_some_and(|set| !set.contains(c)))
}

/// A set with the other cases of its letters, which must be ASCII: other letters may fold to several characters.
pub(super) fn folded(set: Set) -> Result<Set, Refusal> {
    // Those that have cases are among these: Ⅷ is a letter number, Ⓐ a symbol.
    let cased = ["L", "M", "Nl", "So"].iter().filter_map(|name| Set::property(name));
    let letters = set.intersection(&cased.fold(Set::default(), |all, some| all.union(&some)));
    let ascii = Set::range('\0', '\x7F');
    if !letters.intersection(&ascii.complement()).is_empty() {
        return Err("a class in any case with letters beyond ASCII is not supported: one may fold to several".into());
    }
    let mut folded = set.clone();
    for c in ('a'..='z').filter(|&c| set.contains(c) || set.contains(c.to_ascii_uppercase())) {
        folded = folded.union(&Set::single(c)).union(&Set::single(c.to_ascii_uppercase()));
        match c {
            's' => folded = folded.union(&Set::single('ſ')),
            'k' => folded = folded.union(&Set::single('\u{212A}')),
            _ => {}
        }
    }
    Ok(folded)
}
