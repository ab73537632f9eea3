//! What is special about HTML: how deep its elements are in one another, and the language of what is embedded in it.

use memchr::{memchr, memmem};

use super::Language;

/// The scanner of the grammar reads its stack of open elements anew for every token, so that more of them would take too long.
const DEEPEST: usize = 1000;

const EMPTY: [&str; 23] = [
    "area", "base", "basefont", "bgsound", "br", "col", "command", "embed", "frame", "hr", "image", "img", "input",
    "isindex", "keygen", "link", "menuitem", "meta", "nextid", "param", "source", "track", "wbr",
];
const ENDS_PARAGRAPHS: [&str; 26] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "details",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
];

/// Whether more elements are open at once than the grammar has time for; they are followed as its scanner does it.
pub(super) fn is_too_deep(source: &[u8]) -> bool {
    let mut open: Vec<&[u8]> = Vec::new();
    let (mut at, mut next_end) = (0, 0);
    while let Some(found) = memchr(b'<', &source[at..]) {
        at += found + 1;
        let rest = &source[at..];
        if rest.starts_with(b"!--") {
            at += memmem::find(rest, b"-->").unwrap_or(rest.len());
            continue;
        }
        if let Some(name) = rest.strip_prefix(b"/").map(name_of) {
            if let Some(last) = open.iter().rposition(|other| other.eq_ignore_ascii_case(name)) {
                open.truncate(last);
            }
            continue;
        }
        let name = name_of(rest);
        if name.is_empty() {
            continue;
        }
        while open.last().is_some_and(|parent| !may_contain(parent, name)) {
            open.pop();
        }
        if next_end < at {
            next_end = memchr(b'>', rest).map_or(usize::MAX, |end| at + end);
        }
        let closes_itself = next_end < source.len() && source[next_end - 1] == b'/';
        if is_raw(name) && !closes_itself {
            at += raw_length(rest, name);
        } else if !closes_itself && !is_one_of(name, &EMPTY) {
            open.push(name);
            if open.len() > DEEPEST {
                return true;
            }
        }
    }
    false
}

fn name_of(rest: &[u8]) -> &[u8] {
    let length = rest.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':')).count();
    &rest[..length]
}

fn is_one_of(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|other| name.eq_ignore_ascii_case(other.as_bytes()))
}

fn is_raw(name: &[u8]) -> bool {
    is_one_of(name, &["script", "style"])
}

/// How far it is to the end tag of a script or style.
fn raw_length(rest: &[u8], name: &[u8]) -> usize {
    let ends = |&at: &usize| rest[at + 2..].get(..name.len()).is_some_and(|other| other.eq_ignore_ascii_case(name));
    memmem::find_iter(rest, b"</").find(ends).unwrap_or(rest.len())
}

fn may_contain(parent: &[u8], child: &[u8]) -> bool {
    let (is, has) = (|names: &[&str]| is_one_of(parent, names), |names: &[&str]| is_one_of(child, names));
    match () {
        () if is(&["li"]) => !has(&["li"]),
        () if is(&["dt", "dd"]) => !has(&["dt", "dd"]),
        () if is(&["p"]) => !has(&ENDS_PARAGRAPHS),
        () if is(&["colgroup"]) => has(&["col"]),
        () if is(&["rb", "rt", "rp"]) => !has(&["rb", "rt", "rp"]),
        () if is(&["optgroup"]) => !has(&["optgroup"]),
        () if is(&["tr"]) => !has(&["tr"]),
        () if is(&["td", "th"]) => !has(&["td", "th", "tr"]),
        () => true,
    }
}

/// The language of what is in a script or style that begins with this tag, if there is a grammar for it.
pub(super) fn embedded(start_tag: &[u8]) -> Option<Language> {
    let kind = attribute(start_tag, "type").or_else(|| attribute(start_tag, "lang")).unwrap_or_default();
    let says = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    if name_of(start_tag.get(1..)?).eq_ignore_ascii_case(b"style") {
        return (kind.is_empty() || says(&["css"]) && !says(&["scss"])).then_some(Language::Css);
    }
    match kind.as_str() {
        "" | "module" => Some(Language::JavaScript),
        "ts" => Some(Language::TypeScript),
        "tsx" => Some(Language::Tsx),
        _ if says(&["json", "importmap", "speculationrules"]) => Some(Language::Json),
        _ if says(&["typescript"]) => Some(Language::TypeScript),
        _ if says(&["javascript", "ecmascript", "jsx", "babel"]) => Some(Language::JavaScript),
        _ => None,
    }
}

/// The value of an attribute, in lower case.
fn attribute(tag: &[u8], name: &str) -> Option<String> {
    let tag = String::from_utf8_lossy(tag).to_ascii_lowercase();
    let mut words = tag.match_indices(name).filter(|&(at, _)| tag[..at].ends_with(|c: char| c.is_ascii_whitespace()));
    words.find_map(|(at, _)| {
        let value = tag[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        let end = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => return value[1..].split(quote).next().map(|value| value.trim().to_string()),
            _ => value.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(value.len()),
        };
        Some(value[..end].to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_that_of_open_elements() {
        let deep = |part: &str| is_too_deep(part.repeat(5000).as_bytes());
        assert!(deep("<a>") && deep("<DIV class='x'>\n") && deep("<li><ul>") && deep("<li><dt>") && deep("<x-y"));
        assert!(!deep("<br>") && !deep("<p>x") && !deep("<li>") && !deep("<tr><td>x<td>y") && !deep("<p><div></div>"));
        assert!(!deep("<a></A>") && !deep("<a/>") && !deep("<b><i></b>") && !deep("</a>") && !deep("a < b"));
        assert!(!deep("<!-- <a> -->") && !deep("<script>'<a>'</script>") && !deep("<script><a>"));
    }

    #[test]
    fn scripts_say_what_they_are() {
        let of = |tag: &str| embedded(tag.as_bytes()).map(Language::name);
        assert_eq!(of("<script>"), Some("javascript"));
        assert_eq!(of("<SCRIPT src=x data-type='a' TYPE = 'Text/JavaScript' >"), Some("javascript"));
        assert_eq!(of("<script type=module>"), Some("javascript"));
        assert_eq!(of("<script type=\"application/ld+json\">"), Some("json"));
        assert_eq!(of("<script lang=ts>"), Some("typescript"));
        assert_eq!(of("<script type=text/x-template>"), None);
        assert_eq!(of("<style media=\"print\">"), Some("css"));
        assert_eq!(of("<style lang=scss>"), None);
    }
}
