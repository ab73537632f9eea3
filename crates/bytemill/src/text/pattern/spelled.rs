//! What only fancy-regex writes so, spelled out: flags, names of groups and borders of words. The result means the same to it, and
//! `portable` can read it. Case is folded there one character to one, so that a letter in any case is a class.

use super::parse::Refusal;

/// Where words begin or end, and where they do not.
const BORDER: &str = r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))";
const NO_BORDER: &str = r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))";

#[derive(Clone, Copy, Default)]
struct SpelledFlags {
    ignore_case: bool,
    dot_is_all: bool,
}

struct Speller<'a> {
    rest: &'a str,
    written: String,
    /// Those of the group that is open, and of those around it.
    flags: Vec<SpelledFlags>,
    /// How many classes are open.
    classes: usize,
}

pub(super) fn spelled(pattern: &str) -> Result<String, Refusal> {
    let mut speller =
        Speller { rest: pattern, written: String::new(), flags: vec![SpelledFlags::default()], classes: 0 };
    while let Some(c) = speller.rest.chars().next() {
        speller.step(c)?;
    }
    Ok(speller.written)
}

impl Speller<'_> {
    fn step(&mut self, c: char) -> Result<(), Refusal> {
        let SpelledFlags { ignore_case, dot_is_all } = self.now();
        match (c, self.classes) {
            ('\\', _) => self.escape(),
            ('(', 0) => self.group(),
            (')', 0) => {
                // One that was not opened is for others to refuse.
                if self.flags.len() > 1 {
                    self.flags.pop();
                }
                self.copy(1);
                Ok(())
            }
            ('[', _) => {
                self.classes += 1;
                self.copy(if self.rest.starts_with("[^") { 2 } else { 1 });
                Ok(())
            }
            (']', 1..) => {
                self.classes -= 1;
                self.copy(1);
                Ok(())
            }
            ('&', 1..) if ignore_case && self.rest.starts_with("&&") => Err(not_in_any_case("\"&&\"")),
            ('.', 0) if dot_is_all => {
                self.replace(1, r"[\s\S]");
                Ok(())
            }
            _ if ignore_case => self.in_any_case(c),
            _ => {
                self.copy(c.len_utf8());
                Ok(())
            }
        }
    }

    fn now(&self) -> SpelledFlags {
        self.flags.last().copied().unwrap_or_default()
    }

    fn copy(&mut self, bytes: usize) {
        let (copied, rest) = self.rest.split_at(bytes);
        self.written.push_str(copied);
        self.rest = rest;
    }

    fn replace(&mut self, bytes: usize, by: &str) {
        self.written.push_str(by);
        self.rest = &self.rest[bytes..];
    }

    fn escape(&mut self) -> Result<(), Refusal> {
        let c = self.rest[1..].chars().next().ok_or("the pattern ends too early")?;
        let name = || self.rest[2..].strip_prefix('{').and_then(|inside| Some(inside.split_once('}')?.0));
        match c {
            'b' if self.classes == 0 => self.replace(2, BORDER),
            'B' if self.classes == 0 => self.replace(2, NO_BORDER),
            'p' | 'P' if self.now().ignore_case => {
                let name = name().ok_or_else(|| not_in_any_case(&format!("\\{c}")))?;
                let whole = name.len() + 4;
                match (name, c, self.classes) {
                    // The one mark that is a letter in another case.
                    ("L" | "Letter", 'p', 0) => self.replace(whole, r"[\p{L}\x{345}]"),
                    ("L" | "Letter", 'p', _) => self.replace(whole, r"\p{L}\x{345}"),
                    ("L" | "Letter", ..) => self.replace(whole, r"[^\p{L}\x{345}]"),
                    _ if name.starts_with(['N', 'P', 'S', 'Z']) && name.len() <= 2 => self.copy(whole),
                    _ => return Err(not_in_any_case(&format!("\\{c}{{{name}}}"))),
                }
            }
            'p' | 'P' => match name() {
                Some(name) => self.copy(name.len() + 4),
                None => self.copy(2),
            },
            'x' | 'u' | 'U' if self.now().ignore_case => return Err(not_in_any_case(&format!("\\{c}"))),
            _ => self.copy(1 + c.len_utf8()),
        }
        Ok(())
    }

    /// At an opening parenthesis.
    fn group(&mut self) -> Result<(), Refusal> {
        let mut flags = self.now();
        let looks = ["(?:", "(?=", "(?!", "(?<=", "(?<!"];
        if let Some(kind) = looks.iter().find(|kind| self.rest.starts_with(**kind)) {
            self.copy(kind.len());
        } else if let Some(named) = ["(?P<", "(?<"].iter().find_map(|kind| self.rest.strip_prefix(kind)) {
            let (_, after) = named.split_once('>').ok_or("the name of a group does not end")?;
            self.replace(self.rest.len() - after.len(), "(?:");
        } else if let Some(inside) = self.rest.strip_prefix("(?") {
            let end = inside.find([':', ')']).ok_or("a parenthesis is not closed")?;
            flags = changed(&inside[..end], flags)?;
            if inside[end..].starts_with(')') {
                // For the rest of the group that it is in.
                self.replace(end + 3, "");
                if let Some(last) = self.flags.last_mut() {
                    *last = flags;
                }
                return Ok(());
            }
            self.replace(end + 3, "(?:");
        } else {
            self.copy(1);
        }
        self.flags.push(flags);
        Ok(())
    }

    /// A character, or a range of them in a class, with all its cases.
    fn in_any_case(&mut self, first: char) -> Result<(), Refusal> {
        let mut after = self.rest[first.len_utf8()..].chars();
        let last = match (self.classes, after.next(), after.next()) {
            (1.., Some('-'), Some(last)) if !matches!(last, ']' | '[' | '\\') => last,
            _ => first,
        };
        let is_range = last != first;
        let width = first.len_utf8() + if is_range { 1 + last.len_utf8() } else { 0 };
        if !(first.is_ascii() && last.is_ascii()) {
            let has_no_case = !is_range && !first.is_alphabetic() && first != '\u{345}';
            return has_no_case.then(|| self.copy(width)).ok_or_else(|| not_in_any_case(&format!("{first:?}")));
        }
        let letters: Vec<char> = (first..=last).filter(char::is_ascii_alphabetic).collect();
        if letters.is_empty() {
            self.copy(width);
            return Ok(());
        }
        let mut all: String =
            (first..=last).filter(|c| !c.is_ascii_alphabetic()).map(|c| format!("\\x{{{:x}}}", c as u32)).collect();
        for letter in letters {
            all.extend([letter.to_ascii_lowercase(), letter.to_ascii_uppercase()]);
            all.extend(match letter.to_ascii_lowercase() {
                's' => Some('ſ'),
                'k' => Some('\u{212A}'),
                _ => None,
            });
        }
        let all = if self.classes == 0 { format!("[{all}]") } else { all };
        self.replace(width, &all);
        Ok(())
    }
}

fn changed(letters: &str, mut flags: SpelledFlags) -> Result<SpelledFlags, Refusal> {
    let mut on = true;
    for c in letters.chars() {
        match c {
            'i' => flags.ignore_case = on,
            's' => flags.dot_is_all = on,
            'u' if on => {}
            '-' => on = false,
            _ => return Err(format!("the group \"(?{letters}\" is not supported")),
        }
    }
    Ok(flags)
}

fn not_in_any_case(what: &str) -> Refusal {
    format!("{what} in any case is not supported: write out the characters that are meant")
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn what_is_spelled_out() {
        for (theirs, ours) in [
            (r"(?s:.)|.", r"(?:[\s\S])|."),
            (r"(?s)a.|(?-s).", r"a[\s\S]|."),
            (r"(?P<word>\w+)|(?<other>[(])", r"(?:\w+)|(?:[(])"),
            (r"(?i)\p{L}+|[^\s\p{L}\p{N}]", r"[\p{L}\x{345}]+|[^\s\p{L}\x{345}\p{N}]"),
            ("(?i)it's(?-i:s)", "[iI][tT]'[sSſ](?:s)"),
            ("(?i:[ak-l_])k", "(?:[aAkK\u{212A}lL_])k"),
            (r"\ba\B", &format!("{}a{}", super::BORDER, super::NO_BORDER)),
        ] {
            assert_eq!(spelled(theirs), Ok(ours.to_string()));
        }
        for refused in [r"(?i)\p{Lu}", "(?i)é", r"(?i)\x61", "(?x)a", "(?i)[a&&b]", r"a\", "(?i)[à-ü]"] {
            assert!(spelled(refused).is_err(), "{refused}");
        }
    }
}
