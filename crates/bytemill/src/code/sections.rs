//! The sections of docstrings and documentation comments: where each begins, and what it is about.
//!
//! Four styles are known: the titles of Google and NumPy, the fields of Sphinx, and the tags of Javadoc, JSDoc and Doxygen. The twin that
//! says more of them, and is slower, is `bytemill.code.documentation`.

/// What a section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocSection {
    Args,
    Attributes,
    Examples,
    Methods,
    Notes,
    Raises,
    References,
    Returns,
    Todo,
    Warnings,
    Yields,
    /// A tag or field that is none of these.
    Other,
}

impl DocSection {
    pub(crate) const ALL: [DocSection; 12] = [
        DocSection::Args,
        DocSection::Attributes,
        DocSection::Examples,
        DocSection::Methods,
        DocSection::Notes,
        DocSection::Raises,
        DocSection::References,
        DocSection::Returns,
        DocSection::Todo,
        DocSection::Warnings,
        DocSection::Yields,
        DocSection::Other,
    ];

    /// The token that marks where it begins.
    pub(crate) fn content(self) -> &'static str {
        match self {
            DocSection::Args => "<doc:args>",
            DocSection::Attributes => "<doc:attributes>",
            DocSection::Examples => "<doc:examples>",
            DocSection::Methods => "<doc:methods>",
            DocSection::Notes => "<doc:notes>",
            DocSection::Raises => "<doc:raises>",
            DocSection::References => "<doc:references>",
            DocSection::Returns => "<doc:returns>",
            DocSection::Todo => "<doc:todo>",
            DocSection::Warnings => "<doc:warnings>",
            DocSection::Yields => "<doc:yields>",
            DocSection::Other => "<doc:other>",
        }
    }

    /// The section that a title begins.
    fn titled(title: &str) -> Option<DocSection> {
        Some(match title {
            "Args" | "Arguments" | "Keyword Args" | "Keyword Arguments" | "Parameters" | "Other Parameters" => {
                DocSection::Args
            }
            "Attributes" => DocSection::Attributes,
            "Example" | "Examples" => DocSection::Examples,
            "Methods" => DocSection::Methods,
            "Note" | "Notes" => DocSection::Notes,
            "Raises" | "Except" | "Exceptions" => DocSection::Raises,
            "References" | "See Also" => DocSection::References,
            "Return" | "Returns" => DocSection::Returns,
            "Todo" => DocSection::Todo,
            "Warning" | "Warnings" | "Warns" => DocSection::Warnings,
            "Yield" | "Yields" | "Receives" => DocSection::Yields,
            _ => return None,
        })
    }

    /// The section that a field of Sphinx or a tag is of.
    fn tagged(tag: &str) -> DocSection {
        match tag {
            "param" | "parameter" | "tparam" | "arg" | "argument" | "type" | "template" | "key" | "keyword" => {
                DocSection::Args
            }
            "property" | "prop" | "ivar" | "cvar" | "var" | "vartype" => DocSection::Attributes,
            "example" | "examples" => DocSection::Examples,
            "note" | "notes" | "remark" | "remarks" => DocSection::Notes,
            "throws" | "throw" | "exception" | "raises" | "raise" | "except" => DocSection::Raises,
            "see" | "sa" | "link" | "seealso" => DocSection::References,
            "return" | "returns" | "rtype" | "result" => DocSection::Returns,
            "todo" => DocSection::Todo,
            "warning" | "deprecated" | "attention" => DocSection::Warnings,
            "yield" | "yields" | "ytype" => DocSection::Yields,
            _ => DocSection::Other,
        }
    }
}

/// A line of a comment without the signs before it.
struct ProseLine<'a> {
    /// Where the whole line begins in the comment.
    start: usize,
    text: &'a str,
    /// Columns of white space before its text, beyond those of all lines.
    indent: usize,
}

/// Which section begins at a line, in the manner of one tool.
type SectionStyle = fn(&[ProseLine], usize) -> Option<DocSection>;

/// Where sections begin, in bytes, each at the start of its line. Fields and tags of one section side by side are one.
pub(crate) fn sections(comment: &str) -> Vec<(usize, DocSection)> {
    let lines = prose_lines(comment);
    let styles: [SectionStyle; 4] = [numpy, google, sphinx, tag];
    // As in the twin, the first of these that finds one decides for all lines.
    let found = styles.iter().map(|style| {
        let places = (0..lines.len()).filter_map(|i| Some((lines[i].start, style(&lines, i)?)));
        places.collect::<Vec<_>>()
    });
    let mut found = found.into_iter().find(|places| !places.is_empty()).unwrap_or_default();
    found.dedup_by_key(|(_, section)| *section);
    found
}

/// `Args`, with dashes below it.
fn numpy(lines: &[ProseLine], i: usize) -> Option<DocSection> {
    let below = lines.get(i + 1)?.text.trim();
    (below.len() >= 3 && below.bytes().all(|byte| byte == b'-')).then_some(())?;
    DocSection::titled(lines[i].text.trim())
}

/// `Args:`, as far out as the comment is.
fn google(lines: &[ProseLine], i: usize) -> Option<DocSection> {
    let line = &lines[i];
    (line.indent == 0).then_some(())?;
    DocSection::titled(line.text.trim().strip_suffix(':')?)
}

/// `:param name: …`
fn sphinx(lines: &[ProseLine], i: usize) -> Option<DocSection> {
    let (head, _) = lines[i].text.trim().strip_prefix(':')?.split_once(':')?;
    let tag = head.split_whitespace().next()?;
    let is_word = head.starts_with(tag) && tag.chars().all(|c| c == '_' || c.is_alphanumeric());
    is_word.then(|| DocSection::tagged(tag))
}

/// `@param name …`, `\param[in] name …`
fn tag(lines: &[ProseLine], i: usize) -> Option<DocSection> {
    let rest = lines[i].text.trim().strip_prefix(['@', '\\'])?;
    let word = rest.split(|c: char| !(c == '_' || c.is_alphanumeric())).next()?;
    word.starts_with(|c: char| c.is_ascii_lowercase()).then_some(())?;
    let after_word = &rest[word.len()..];
    // Doxygen writes directions: `@param[in,out] name`.
    let after_tag = match after_word.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((inner, after)) if inner.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b',') => after,
        _ => after_word,
    };
    (after_tag.is_empty() || after_tag.starts_with(char::is_whitespace)).then(|| DocSection::tagged(word))
}

/// The lines of a comment, without its quotes or signs and with its common indentation measured.
fn prose_lines(comment: &str) -> Vec<ProseLine<'_>> {
    let blank = comment.len() - comment.trim_start().len();
    let own = comment.trim();
    let signs = CommentSigns::of(own);
    let (open, close) = signs.around(own);
    let mut lines = Vec::new();
    let mut start = blank + open;
    let inner = &own[open..own.len() - close.min(own.len() - open)];
    for (i, line) in inner.split('\n').enumerate() {
        let text = if i == 0 { line.trim_start() } else { signs.strip(line) };
        let indent = columns(text);
        lines.push(ProseLine { start: if i == 0 { 0 } else { start }, text, indent });
        start += line.len() + 1;
    }
    if signs != CommentSigns::Line {
        // The first line begins after the opening quotes, and says nothing of how far in the others are.
        let rest = lines.iter().skip(1).filter(|line| !line.text.trim().is_empty());
        let margin = rest.map(|line| line.indent).min().unwrap_or(0);
        lines.iter_mut().for_each(|line| line.indent = line.indent.saturating_sub(margin));
    }
    lines
}

/// What stands around a comment, and before each of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommentSigns {
    Quotes,
    Block,
    Line,
    None,
}

const LINE_SIGNS: [char; 8] = ['/', '!', '<', '#', '-', ';', '%', '*'];

impl CommentSigns {
    fn of(comment: &str) -> Self {
        match comment.as_bytes() {
            [b'/', b'*', ..] => CommentSigns::Block,
            [b'/', b'/', ..] | [b'#' | b';' | b'%', ..] | [b'-', b'-', ..] => CommentSigns::Line,
            bytes if bytes.iter().take(4).any(|byte| matches!(byte, b'"' | b'\'')) => CommentSigns::Quotes,
            _ => CommentSigns::None,
        }
    }

    /// How long the signs before and after all of it are.
    fn around(self, comment: &str) -> (usize, usize) {
        let run = |belongs: &dyn Fn(char) -> bool| comment.chars().take_while(|&c| belongs(c)).count();
        match self {
            CommentSigns::Quotes => {
                let prefix = run(&|c| c.is_ascii_alphabetic());
                let three = ["\"\"\"", "'''"].iter().any(|quotes| comment[prefix..].starts_with(quotes));
                let length = if three { 3 } else { 1 };
                (prefix + length, length)
            }
            CommentSigns::Block => {
                let close = comment.chars().rev().take_while(|&c| c == '*' || c == '/').count();
                (run(&|c| "/*!<".contains(c)), close)
            }
            CommentSigns::Line => (run(&|c| LINE_SIGNS.contains(&c)), 0),
            CommentSigns::None => (0, 0),
        }
    }

    /// A further line without its own sign.
    fn strip(self, line: &str) -> &str {
        let bare = line.trim_start();
        match self {
            CommentSigns::Block if bare.starts_with('*') => one_space_less(bare.trim_start_matches('*')),
            CommentSigns::Line => one_space_less(bare.trim_start_matches(LINE_SIGNS)),
            _ => line,
        }
    }
}

fn one_space_less(text: &str) -> &str {
    text.strip_prefix(' ').unwrap_or(text)
}

/// How many columns the white space takes that a text begins with, tabs reaching to the next of the stops.
fn columns(text: &str) -> usize {
    const STOP: usize = 8;
    let blank = text.chars().take_while(|c| c.is_whitespace());
    blank.fold(0, |column, c| if c == '\t' { (column / STOP + 1) * STOP } else { column + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(comment: &str) -> Vec<(&str, DocSection)> {
        let line = |at: usize| comment[at..].lines().next().unwrap_or_default();
        sections(comment).into_iter().map(|(at, section)| (line(at), section)).collect()
    }

    #[test]
    fn each_style_by_example() {
        let google =
            "\"\"\"Gets.\n\n    Args:\n        a: One.\n            Returns:\n\n    Returns:\n        It.\n    \"\"\"";
        assert_eq!(found(google), [("    Args:", DocSection::Args), ("    Returns:", DocSection::Returns)]);
        let numpy = "'''Gets.\n\nParameters\n----------\na : int\n\nSee Also\n---\nb\n'''";
        assert_eq!(found(numpy), [("Parameters", DocSection::Args), ("See Also", DocSection::References)]);
        let sphinx = "\"\"\"Gets.\n\n    :param int a: One.\n    :param b: Two.\n    :raises: No.\n    \"\"\"";
        assert_eq!(
            found(sphinx),
            [("    :param int a: One.", DocSection::Args), ("    :raises: No.", DocSection::Raises)]
        );
        let tags = "/**\n * Gets.\n * @param {int} a One.\n * @return It.\n * @author X\n */";
        let lines = [" * @param {int} a One.", " * @return It.", " * @author X"];
        let kinds = [DocSection::Args, DocSection::Returns, DocSection::Other];
        assert_eq!(found(tags), lines.into_iter().zip(kinds).collect::<Vec<_>>());
        assert_eq!(found("/// \\param[in] x One."), [("/// \\param[in] x One.", DocSection::Args)]);
    }

    #[test]
    fn prose_has_none() {
        for prose in
            ["\"\"\"Args: the first.\"\"\"", "# note: nothing", "// Returns: it", "/* me@home */", "\"", "", "/**/"]
        {
            assert_eq!(sections(prose), [], "{prose}");
        }
    }
}
