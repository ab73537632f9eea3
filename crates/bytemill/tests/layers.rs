//! The folders of the core are layers, so that there is an order to read them in: a folder imports only the folders that this table grants.
//! And a name of a type tells which type it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every folder with those that it may import. All of these stand before it.
const LAYERS: [(&str, &str); 16] = [
    ("error", ""),
    ("machine", "error"),
    ("vocab", "error machine"),
    ("text", "error machine"),
    ("code", "error machine text"),
    ("normalize", "error machine vocab text"),
    ("pretokenize", "error machine vocab text code normalize"),
    ("postprocess", "error vocab text"),
    ("decode", "error machine vocab text normalize"),
    ("specials", "error machine vocab text normalize pretokenize"),
    ("definition", "error vocab text normalize pretokenize postprocess decode specials"),
    ("model", "error machine vocab text code normalize pretokenize specials definition"),
    ("data", "error machine text code"),
    ("encode", "error machine vocab text code normalize pretokenize postprocess decode specials definition model data"),
    (
        "format",
        "error machine vocab text code normalize pretokenize postprocess decode specials definition model data encode",
    ),
    (
        "train",
        "error machine vocab text code normalize pretokenize postprocess decode specials definition model data encode \
         format",
    ),
];

#[test]
fn the_table_has_every_folder_and_points_down() {
    let listed: Vec<&str> = LAYERS.iter().map(|(folder, _)| *folder).collect();
    let mut found: Vec<String> = modules_of_the_root();
    found.sort();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, found);
    for (place, (folder, granted)) in LAYERS.iter().enumerate() {
        for name in granted.split_whitespace() {
            assert!(listed[..place].contains(&name), "{folder} may import {name}, which does not stand before it");
        }
    }
}

#[test]
fn no_folder_imports_what_stands_above_it() {
    let mut wrong = Vec::new();
    for file in sources(&root()) {
        let path = file.strip_prefix(root()).unwrap().with_extension("");
        let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).filter(|&name| name != "mod").collect();
        let Some((_, granted)) = LAYERS.iter().find(|(folder, _)| *folder == names[0]) else { continue };
        for (number, line) in without_tests(&fs::read_to_string(&file).unwrap()) {
            let refused = imports(&line, names.len())
                .into_iter()
                .find(|name| *name != names[0] && !granted.split_whitespace().any(|granted| granted == *name));
            if let Some(name) = refused {
                wrong.push(format!("{}:{number}: {} may not import {name}: {line}", file.display(), names[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_name_stands_for_one_type() {
    for folder in [root(), root().join("../../bytemill-python/src")] {
        let mut places = BTreeMap::<String, Vec<String>>::new();
        for file in sources(&folder) {
            for (number, line) in without_tests(&fs::read_to_string(&file).unwrap()) {
                let place = format!("{}:{number}", file.display());
                declared_type(&line).into_iter().for_each(|name| places.entry(name).or_default().push(place.clone()));
            }
        }
        assert!(places.len() > 20, "no types were found in {}", folder.display());
        places.retain(|_, places| places.len() > 1);
        assert!(places.is_empty(), "{places:#?}");
    }
}

#[test]
fn types_are_found_in_a_line() {
    assert_eq!(declared_type("pub(crate) struct Spans<'a, T: ?Sized = str> {").as_deref(), Some("Spans"));
    assert_eq!(declared_type("enum Known {").as_deref(), Some("Known"));
    assert_eq!(declared_type("    type Error = Infallible;"), None);
    assert_eq!(declared_type("impl Known {"), None);
}

#[test]
fn imports_are_found_in_a_line() {
    assert_eq!(imports("use crate::text::span::Span;", 2), ["text"]);
    assert_eq!(imports("fn f(a: crate::vocab::TokenId) -> crate::error::Result<()>", 2), ["vocab", "error"]);
    assert_eq!(imports("pub(crate) use super::super::json::JsonNode;", 3), [""; 0]);
    assert_eq!(imports("use super::super::text::span;", 2), ["text"]);
    assert_eq!(imports("use crate::{", 2), ["{"]);
    let source = "a\n#[cfg(test)]\nmod tests {\n    b\n}\nc // d\n";
    assert_eq!(without_tests(source), [(1, "a".to_string()), (6, "c ".to_string())]);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn modules_of_the_root() -> Vec<String> {
    let entries = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let names = entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string());
    names.filter(|name| name != "lib").collect()
}

/// The files below a folder, without those that hold tests alone.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.file_stem().and_then(|name| name.to_str()) {
            Some("tests") => {}
            _ if path.is_dir() => files.extend(sources(&path)),
            _ if path.extension().is_some_and(|ending| ending == "rs") => files.push(path),
            _ => {}
        }
    }
    files.sort();
    files
}

/// The lines that are compiled into the library, numbered from 1 and without comments. The item after `#[cfg(test)]` ends with the first
/// line that is indented as the attribute is and closes it, which relies on rustfmt.
fn without_tests(source: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut skipped: Option<usize> = None;
    for (number, line) in (1..).zip(source.lines()) {
        let code = line.split("//").next().unwrap_or_default();
        let indent = code.len() - code.trim_start().len();
        match skipped {
            Some(outer) => {
                let closes = code.trim_start().starts_with('}') || code.trim_end().ends_with([';', ',', '}']);
                skipped = skipped.filter(|_| indent != outer || !closes || code.trim().is_empty());
            }
            None if code.trim_start().starts_with("#[cfg(test)]") => skipped = Some(indent),
            None => lines.push((number, code.to_string())),
        }
    }
    lines
}

/// The type that a line at the root of a module declares.
fn declared_type(line: &str) -> Option<String> {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let kinds = ["struct", "enum", "trait", "type", "union"];
    let visibility = ["pub", "crate", "super", "in"];
    let is_nested = line.starts_with(' ');
    let kind = words.find(|word| !visibility.contains(word)).filter(|kind| !is_nested && kinds.contains(kind));
    kind.and(words.next()).map(str::to_string)
}

/// The names at the root of the crate that a line of code mentions, in a file whose module is `depth` names deep. A group of imports from
/// the root is `{`, which no folder may import: its names could be on other lines.
fn imports(line: &str, depth: usize) -> Vec<&str> {
    let to_root = "super::".repeat(depth);
    let prefixes = ["crate::", to_root.as_str()];
    let paths =
        prefixes.iter().flat_map(|prefix| line.match_indices(prefix).map(|(at, found)| &line[at + found.len()..]));
    let names = paths.map(|path| {
        let end = path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
        &path[..if path.starts_with('{') { 1 } else { end }]
    });
    names.filter(|name| !name.is_empty()).collect()
}
