//! Pattern text → tree. The syntax is Oniguruma's, which `tokenizers` uses, or rather the part of it whose meaning is settled here; the
//! rest is refused by name.

use super::classes::{self, Escape};
use super::set::Set;
use super::syntax::{Assertion, Greediness, Look, PatternNode, Repeat};

/// Groups in groups, and classes in classes; far more than anybody writes, and few enough for the stack.
pub(super) const DEEPEST: usize = 50;

pub(super) type Refusal = String;

pub(super) fn parse(pattern: &str) -> Result<PatternNode, Refusal> {
    let mut parser = Parser { rest: pattern, depth: 0 };
    let node = parser.alternatives(Flags::default())?;
    if !parser.rest.is_empty() {
        return Err("a parenthesis is closed that was not opened".into());
    }
    if let Some((left, right)) = node.ligature() {
        return Err(format!(
            "{left:?} and {right:?} one after the other in any case is not supported: one character can stand for both"
        ));
    }
    if node.hides_matches() {
        return Err(
            "a pattern that begins with \".*\" after an assertion is not supported: Oniguruma tries only the start of a line"
                .into(),
        );
    }
    Ok(node)
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    dot_is_all: bool,
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn eat(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn alternatives(&mut self, mut flags: Flags) -> Result<PatternNode, Refusal> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("more than {DEEPEST} groups inside one another are not supported"));
        }
        // Flags for the rest of a group are clear only at its start.
        while let Some((changed, rest)) = leading_flags(self.rest, flags) {
            (flags, self.rest) = (changed, rest);
        }
        let mut nodes = vec![self.sequence(flags)?];
        while self.eat("|") {
            nodes.push(self.sequence(flags)?);
        }
        self.depth -= 1;
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { PatternNode::Alternatives(nodes) })
    }

    fn sequence(&mut self, flags: Flags) -> Result<PatternNode, Refusal> {
        let mut nodes = Vec::new();
        while let Some(c) = self.peek()
            && !matches!(c, '|' | ')')
        {
            let atom = self.atom(flags)?;
            nodes.push(self.repeated(atom)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { PatternNode::Sequence(nodes) })
    }

    fn atom(&mut self, flags: Flags) -> Result<PatternNode, Refusal> {
        match self.next() {
            Some('.') if flags.dot_is_all => Ok(PatternNode::Set(Set::everything())),
            Some('.') => Ok(PatternNode::Set(Set::rest_of_line())),
            Some('^') => Ok(PatternNode::Assert(Assertion::LineStart)),
            Some('$') => Ok(PatternNode::Assert(Assertion::LineEnd)),
            Some('(') => self.group(flags),
            Some('[') => Ok(PatternNode::Set(classes::bracketed(&mut self.rest, flags.ignore_case)?)),
            Some('\\') => match assertion(self.rest) {
                Some(assertion) => {
                    self.next();
                    Ok(PatternNode::Assert(assertion))
                }
                None => match classes::escape(&mut self.rest, true)? {
                    Escape::Char(c) => character(c, flags),
                    Escape::Set(set) if flags.ignore_case => Ok(PatternNode::Set(classes::folded(set)?)),
                    Escape::Set(set) => Ok(PatternNode::Set(set)),
                },
            },
            Some(c @ ('*' | '+' | '?')) => Err(format!("{c:?} has nothing before it to repeat")),
            Some('{') if interval(self.rest).is_some() => Err("\"{\" has nothing before it to repeat".into()),
            Some(c) => character(c, flags),
            None => Err("the pattern ends too early".into()),
        }
    }

    /// After an opening parenthesis.
    fn group(&mut self, flags: Flags) -> Result<PatternNode, Refusal> {
        let look = [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];
        if let Some(&(_, behind, negated)) = look.iter().find(|(prefix, ..)| self.eat(prefix)) {
            let node = self.closed(flags)?;
            return Ok(PatternNode::Look(Box::new(Look { node, behind, negated })));
        }
        if self.eat("?:") || !self.rest.starts_with('?') {
            return self.closed(flags);
        }
        if self.rest.starts_with("?<") {
            let name = self.rest[2..].split('>').next().unwrap_or_default();
            let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if plain && self.eat(&format!("?<{name}>")) {
                return self.closed(flags);
            }
        }
        match flags_of(&self.rest[1..], flags) {
            Some((changed, rest)) if rest.starts_with(':') => {
                self.rest = &rest[1..];
                self.closed(changed)
            }
            Some((_, rest)) if rest.starts_with(')') => {
                Err("a flag in the middle of a group is not supported: write (?i: … ) around what it is for".into())
            }
            _ => {
                let kind: String = self.rest.chars().take(2).collect();
                Err(format!("the group \"({kind}\" is not supported"))
            }
        }
    }

    fn closed(&mut self, flags: Flags) -> Result<PatternNode, Refusal> {
        let node = self.alternatives(flags)?;
        if self.eat(")") { Ok(node) } else { Err("a parenthesis is not closed".into()) }
    }

    fn repeated(&mut self, atom: PatternNode) -> Result<PatternNode, Refusal> {
        let (least, most, fixed_or_interval) = match self.peek() {
            Some('*') => (0, None, false),
            Some('+') => (1, None, false),
            Some('?') => (0, Some(1), false),
            Some('{') => match interval(&self.rest[1..]) {
                Some((least, most, rest)) => {
                    self.rest = rest;
                    (least, most, true)
                }
                None => return Ok(atom),
            },
            _ => return Ok(atom),
        };
        if !fixed_or_interval {
            self.next();
        }
        if most.is_some_and(|most| most < least) {
            return Err("an interval whose end is below its start is not supported".into());
        }
        let kind = match self.peek() {
            Some('?') if most == Some(least) => return Err("\"{n}?\" is not supported: write {n} or {0,n}".into()),
            Some('?') => Greediness::Lazy,
            // After an interval a plus repeats the interval.
            Some('+') if !fixed_or_interval => Greediness::Possessive,
            _ => Greediness::Greedy,
        };
        if kind != Greediness::Greedy {
            self.next();
        }
        let mut node = repeat(atom, least, most, kind)?;
        if fixed_or_interval && kind == Greediness::Greedy && self.eat("+") {
            node = repeat(node, 1, None, Greediness::Greedy)?;
        }
        let stacked = match self.peek() {
            Some('*' | '+' | '?') => true,
            Some('{') => interval(&self.rest[1..]).is_some(),
            _ => false,
        };
        if stacked {
            Err("a repetition of a repetition is not supported: put it into (?: … )".into())
        } else {
            Ok(node)
        }
    }
}

fn repeat(node: PatternNode, least: u32, most: Option<u32>, kind: Greediness) -> Result<PatternNode, Refusal> {
    if matches!(node, PatternNode::Look(_) | PatternNode::Assert(_)) {
        return Err("a repetition of what has no width is not supported".into());
    }
    if most != Some(1) && node.may_be_empty() {
        return Err(
            "a repetition of what may be empty is not supported: engines differ on how often it is tried".into()
        );
    }
    if kind == Greediness::Possessive && !matches!(node, PatternNode::Set(_) | PatternNode::Folded(_)) {
        return Err("a possessive repetition of more than one class of characters is not supported".into());
    }
    Ok(PatternNode::Repeat(Box::new(Repeat { node, least, most, kind })))
}

fn character(c: char, flags: Flags) -> Result<PatternNode, Refusal> {
    match c {
        _ if !flags.ignore_case || classes::has_no_case(c) => Ok(PatternNode::Set(Set::single(c))),
        _ if c.is_ascii_alphabetic() => Ok(PatternNode::Folded(c.to_ascii_lowercase())),
        _ => Err(format!("{c:?} in any case is not supported: letters of other alphabets have more than two cases")),
    }
}

fn assertion(rest: &str) -> Option<Assertion> {
    Some(match rest.chars().next()? {
        'A' => Assertion::TextStart,
        'z' => Assertion::TextEnd,
        'Z' => Assertion::TextEndOrLastLine,
        'b' => Assertion::WordBorder,
        'B' => Assertion::NoWordBorder,
        _ => return None,
    })
}

/// `(?i)` and the like: the flags and what follows.
fn leading_flags(rest: &str, flags: Flags) -> Option<(Flags, &str)> {
    let (flags, rest) = flags_of(rest.strip_prefix("(?")?, flags)?;
    Some((flags, rest.strip_prefix(')')?))
}

/// `i`, `m-i` and the like: the flags and what follows.
fn flags_of(rest: &str, mut flags: Flags) -> Option<(Flags, &str)> {
    let end = rest.find(|c| !matches!(c, 'i' | 'm' | '-'))?;
    let mut on = true;
    for c in rest[..end].chars() {
        match c {
            'i' => flags.ignore_case = on,
            // In this syntax, what others call s.
            'm' => flags.dot_is_all = on,
            _ => on = false,
        }
    }
    (end > 0).then_some((flags, &rest[end..]))
}

/// After an opening brace: the least and the most times and what follows, or None where the brace is a character.
fn interval(rest: &str) -> Option<(u32, Option<u32>, &str)> {
    let (inside, after) = rest.split_once('}')?;
    let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(least) || !is_number(most) || least.is_empty() && most.is_empty() {
        return None;
    }
    // Far too many is as good as even more: such a program is refused.
    let number = |text: &str| text.parse().unwrap_or(u32::MAX);
    let least = if least.is_empty() { 0 } else { number(least) };
    Some((least, (!most.is_empty()).then(|| number(most)), after))
}
