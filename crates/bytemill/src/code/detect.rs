//! Which language a source is written in: by the name of its file, its first line, or what stands in it.

use std::path::Path;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::Language;

/// This many bytes of a source are looked at.
const LOOKED_AT: usize = 16 << 10;
/// What must be found, for each 1,000 bytes and in all, before a language is believed.
const LEAST: u32 = 4;

/// By name, then by the first line, then by content. None: nobody knows.
pub fn detect(name: Option<&Path>, source: &[u8]) -> Option<Language> {
    name.and_then(of_file_name).or_else(|| of_first_line(source)).or_else(|| of_content(source))
}

pub(crate) fn of_file_name(path: &Path) -> Option<Language> {
    let mut name = path.file_name()?.to_str()?;
    for compressed in [".gz", ".zst"] {
        name = name.strip_suffix(compressed).unwrap_or(name);
    }
    let by_name = Language::ALL.iter().find(|language| language.files().contains(&name));
    let ending = || name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let by_ending = || {
        let ending = ending()?;
        Language::ALL.iter().find(|language| language.endings().contains(&ending.as_str()))
    };
    by_name.or_else(by_ending).copied()
}

/// `#!/usr/bin/env python3`, `<?php`, `<!DOCTYPE html>`.
fn of_first_line(source: &[u8]) -> Option<Language> {
    let source = source.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source);
    let end = memchr::memchr(b'\n', source).unwrap_or(source.len()).min(256);
    let line = String::from_utf8_lossy(&source[..end]);
    if let Some(command) = line.strip_prefix("#!") {
        let words = command.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.filter(|word| *word != "env" && !word.starts_with('-')).find(|word| !word.contains('='))?;
        let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let runs = |language: &&Language| language.programs().contains(&program);
        return Language::ALL.iter().find(runs).copied();
    }
    let start = line.trim_start().to_ascii_lowercase();
    match () {
        () if start.starts_with("<?php") => Some(Language::Php),
        () if start.starts_with("<!doctype html") || start.starts_with("<html") => Some(Language::Html),
        () => None,
    }
}

/// What is seen in sources of a language, and how much it says.
const SIGNS: &[(Language, &[(&str, u32)])] = &[
    (
        Language::Python,
        &[
            ("\ndef ", 8),
            ("    def ", 6),
            ("\nimport ", 3),
            ("\nfrom ", 5),
            ("self.", 4),
            ("elif ", 5),
            ("\"\"\"", 5),
            ("__init__", 9),
            (" None", 3),
            ("):\n", 5),
            ("class ", 1),
            ("    return ", 1),
            (" is not ", 3),
            (" not in ", 3),
            ("except ", 5),
            ("True", 1),
            ("print(", 1),
            ("lambda ", 3),
        ],
    ),
    (
        Language::JavaScript,
        &[
            ("function ", 4),
            ("function(", 6),
            ("var ", 3),
            ("const ", 3),
            ("let ", 3),
            (" === ", 6),
            (" !== ", 6),
            ("=> {", 5),
            ("require(", 4),
            ("module.exports", 12),
            ("undefined", 4),
            ("console.log", 8),
            ("\nexport ", 4),
            ("typeof ", 3),
            ("};\n", 2),
            ("/**", 1),
            ("return ", 1),
        ],
    ),
    (
        Language::TypeScript,
        &[
            ("interface ", 5),
            (": string", 9),
            (": number", 9),
            (": boolean", 9),
            (": any", 9),
            ("export type ", 12),
            ("import type ", 14),
            ("export interface ", 14),
            ("readonly ", 4),
            (" as any", 12),
            ("const ", 3),
            ("=> {", 5),
            (" === ", 6),
            (" !== ", 6),
            ("\nexport ", 4),
            ("?: ", 6),
            ("function ", 3),
            ("Record<", 8),
            ("undefined", 4),
            ("expect(", 3),
            ("import {", 3),
        ],
    ),
    (
        Language::Java,
        &[
            ("public class ", 9),
            ("package ", 3),
            ("import java", 14),
            ("import com.", 12),
            ("import org.", 10),
            ("@Override", 12),
            ("public static void ", 6),
            ("private final ", 8),
            ("throws ", 6),
            (" extends ", 3),
            (" implements ", 8),
            ("public void ", 5),
            ("new ", 1),
            ("String ", 4),
            ("final ", 4),
            ("@Test", 8),
            ("System.out", 10),
            ("instanceof ", 3),
            ("@param ", 1),
        ],
    ),
    (
        Language::C,
        &[
            ("#include <", 6),
            ("#include \"", 6),
            ("#define ", 6),
            ("#ifdef ", 6),
            ("#endif", 6),
            ("struct ", 4),
            ("->", 3),
            ("NULL", 5),
            ("static ", 2),
            ("const char *", 8),
            ("int ", 2),
            ("void ", 1),
            ("sizeof(", 5),
            ("unsigned ", 4),
            ("size_t ", 4),
            ("typedef ", 4),
            (" *)", 4),
            ("return ", 1),
        ],
    ),
    (
        Language::Cpp,
        &[
            ("#include <", 5),
            ("#include \"", 4),
            ("std::", 9),
            ("template", 7),
            ("typename ", 9),
            ("namespace ", 5),
            ("public:", 7),
            ("private:", 7),
            ("const auto", 10),
            ("nullptr", 8),
            ("::", 1),
            ("#define ", 4),
            ("#if", 4),
            ("#endif", 5),
            ("class ", 1),
            ("constexpr", 6),
            ("noexcept", 10),
            ("static_cast<", 12),
            ("using ", 2),
            ("operator", 2),
            ("virtual ", 4),
            ("override", 3),
            ("->", 1),
        ],
    ),
    (
        Language::CSharp,
        &[
            ("using System", 16),
            ("namespace ", 5),
            ("public class ", 5),
            ("{ get; ", 14),
            ("get;", 8),
            ("set;", 6),
            ("string ", 3),
            ("private readonly ", 9),
            ("public static ", 3),
            ("internal ", 7),
            ("/// <summary>", 14),
            ("#region", 10),
            (" override ", 5),
            ("[Test]", 12),
            ("var ", 2),
            ("Assert.", 5),
            ("new ", 1),
            ("#if", 2),
            ("#endif", 3),
            ("public async ", 9),
            ("out ", 3),
            ("object ", 4),
        ],
    ),
    (
        Language::Go,
        &[
            ("\npackage ", 8),
            ("package main", 14),
            ("func ", 8),
            (":= ", 6),
            ("import (", 10),
            ("err != nil", 14),
            ("nil", 2),
            ("func (", 9),
            ("type ", 2),
            ("struct {", 8),
            ("interface{}", 10),
            ("map[", 7),
            ("fmt.", 7),
            ("defer ", 6),
            ("chan ", 5),
            ("range ", 4),
            ("t.Run(", 5),
            ("string)", 2),
        ],
    ),
    (
        Language::Rust,
        &[
            ("fn ", 6),
            ("let mut ", 12),
            ("let ", 2),
            ("impl ", 8),
            ("pub fn ", 10),
            ("&self", 12),
            ("&mut ", 9),
            ("::new(", 4),
            ("use ", 2),
            ("crate::", 12),
            ("#[derive(", 14),
            ("#[", 3),
            ("Option<", 7),
            ("Result<", 5),
            ("match ", 3),
            ("-> ", 3),
            ("Some(", 7),
            (".unwrap()", 12),
            ("mod ", 3),
            ("pub(crate)", 14),
            ("struct ", 1),
            ("&str", 9),
            ("::", 1),
        ],
    ),
    (
        Language::Ruby,
        &[
            ("\nend\n", 10),
            ("  end\n", 8),
            ("def ", 3),
            ("require '", 10),
            ("require_relative", 14),
            ("attr_", 12),
            (" do |", 10),
            (".each ", 5),
            ("module ", 2),
            ("unless ", 5),
            ("elsif ", 8),
            ("nil?", 8),
            ("puts ", 6),
            ("@", 1),
            ("class ", 1),
            (" => ", 2),
            ("end\n", 4),
            (".new(", 1),
        ],
    ),
    (
        Language::Php,
        &[
            ("<?php", 30),
            ("$this->", 14),
            ("function ", 2),
            ("namespace ", 3),
            ("use ", 1),
            ("echo ", 5),
            ("array(", 6),
            ("public function ", 12),
            ("::class", 6),
            ("$_", 8),
            (" => ", 2),
            ("?>", 8),
            ("; $", 4),
            ("($", 4),
        ],
    ),
    (
        Language::Bash,
        &[
            ("fi\n", 8),
            ("then\n", 9),
            ("; then", 11),
            ("done\n", 7),
            ("esac", 12),
            ("echo ", 5),
            ("local ", 5),
            ("if [ ", 12),
            ("[[ ", 7),
            ("${", 4),
            ("\"$", 6),
            ("$(", 4),
            ("exit ", 4),
            ("export ", 3),
            ("#!/", 4),
            ("|| ", 2),
            ("() {\n", 6),
            ("function ", 1),
            ("case \"", 6),
            (";;\n", 8),
            ("set -e", 9),
        ],
    ),
    (
        Language::Html,
        &[
            ("<div", 9),
            ("</div>", 9),
            ("<a href", 9),
            ("<span", 6),
            ("</a>", 6),
            ("<p>", 7),
            ("</p>", 7),
            ("<head", 12),
            ("<body", 12),
            ("<li>", 7),
            ("</li>", 7),
            ("<td", 6),
            ("<tr", 6),
            ("<meta ", 9),
            ("<link ", 8),
            ("<html", 14),
            ("<script", 8),
            ("class=\"", 4),
            ("<!--", 2),
        ],
    ),
    (
        Language::Css,
        &[
            ("px;", 9),
            ("color:", 8),
            ("margin", 6),
            ("padding", 6),
            ("font-", 7),
            ("display:", 8),
            ("background", 5),
            ("width:", 6),
            ("@media", 12),
            (" {\n  ", 1),
            ("em;", 6),
            ("!important", 10),
            (": #", 5),
            ("border", 5),
            (":hover", 10),
        ],
    ),
];

struct Signs {
    search: AhoCorasick,
    /// The language and the weight of each pattern.
    meaning: Vec<Vec<(Language, u32)>>,
}

static PATTERNS: LazyLock<Option<Signs>> = LazyLock::new(|| {
    let mut texts: Vec<&str> = Vec::new();
    let mut meaning: Vec<Vec<(Language, u32)>> = Vec::new();
    for &(language, signs) in SIGNS {
        for &(text, weight) in signs {
            let at = texts.iter().position(|known| *known == text).unwrap_or_else(|| {
                texts.push(text);
                meaning.push(Vec::new());
                texts.len() - 1
            });
            meaning[at].push((language, weight));
        }
    }
    let search = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&texts).ok()?;
    Some(Signs { search, meaning })
});

fn of_content(source: &[u8]) -> Option<Language> {
    let looked_at = &source[..source.len().min(LOOKED_AT)];
    if let Some(data) = of_data(looked_at) {
        return Some(data);
    }
    let signs = PATTERNS.as_ref()?;
    let mut scores = [0u32; Language::ALL.len()];
    for found in signs.search.find_overlapping_iter(looked_at) {
        for &(language, weight) in &signs.meaning[found.pattern().as_usize()] {
            scores[language as usize] += weight;
        }
    }
    let best = Language::ALL.iter().copied().max_by_key(|&language| scores[language as usize])?;
    let least = LEAST * (1 + looked_at.len() as u32 / 1000);
    (scores[best as usize] >= 2 * LEAST && scores[best as usize] >= least).then_some(best)
}

/// Formats of data, which have no words of their own.
fn of_data(source: &[u8]) -> Option<Language> {
    let text = String::from_utf8_lossy(source);
    let first = text.trim_start();
    let second = || first[1..].trim_start().chars().next();
    match first.chars().next()? {
        '{' if matches!(second(), Some('"' | '}')) => return Some(Language::Json),
        '[' if matches!(second(), Some('{' | '"' | ']' | '[')) && !first.starts_with("[[") => {
            return Some(Language::Json);
        }
        _ => {}
    }
    let lines = || text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_key = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.\"".contains(c));
    let table = |line: &str| line.starts_with('[') && line.ends_with(']') && is_key(line.trim_matches(['[', ']']));
    let setting = |line: &str| line.split_once(" = ").is_some_and(|(key, _)| is_key(key));
    let looked_at = || lines().take(60);
    let known = looked_at().filter(|line| table(line) || setting(line)).count();
    (looked_at().any(table) && known * 10 >= looked_at().count() * 7).then_some(Language::Toml)
}
