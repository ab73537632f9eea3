//! The names that other crates can reach are those of `public_api.txt`, so that nothing becomes public by accident. After a change that is
//! meant, `BYTEMILL_UPDATE_SNAPSHOTS=1 cargo test --test public_api` writes the file anew.

use std::path::{Path, PathBuf};
use std::{env, fs};

const ITEMS: [&str; 8] = ["fn", "const fn", "struct", "enum", "trait", "type", "const", "macro"];

#[test]
fn public_names_are_those_of_the_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = Vec::new();
    collect(&folder.join("src/lib.rs"), "bytemill", &mut names);
    names.sort();
    names.dedup();
    let found = names.join("\n") + "\n";
    let list = folder.join("tests/public_api.txt");
    if env::var_os("BYTEMILL_UPDATE_SNAPSHOTS").is_some() {
        fs::write(&list, &found).unwrap();
    }
    let listed = fs::read_to_string(&list).unwrap();
    let only = |left: &str, right: &str| {
        left.lines().filter(|name| right.lines().all(|other| other != *name)).collect::<Vec<_>>().join(", ")
    };
    let (new, gone) = (only(&found, &listed), only(&listed, &found));
    assert!(new.is_empty() && gone.is_empty(), "public and not in public_api.txt: {new}; in it and not public: {gone}");
}

#[test]
fn names_are_found_in_statements() {
    let names = |statement: &str| public_names(statement);
    assert_eq!(names("pub use a::{B, c::D as E};"), ["B", "E"]);
    assert_eq!(names("pub use a::b;"), ["b"]);
    assert_eq!(names("pub fn f<T>(a: T) {"), ["f"]);
    assert_eq!(names("pub struct S(u32);"), ["S"]);
    assert_eq!(names("pub(crate) use a::b;"), [""; 0]);
}

/// The public names of a module and of the public modules in it. Items stand at the left edge, which is rustfmt's doing.
fn collect(file: &Path, path: &str, names: &mut Vec<String>) {
    let source = fs::read_to_string(file).unwrap();
    let mut is_test = false;
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let after_test = std::mem::replace(&mut is_test, line == "#[cfg(test)]");
        if after_test || !line.starts_with("pub ") {
            continue;
        }
        if let Some(module) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) {
            collect(&module_file(file, module), &format!("{path}::{module}"), names);
        }
        let mut statement = line.to_string();
        while line.starts_with("pub use ") && !statement.ends_with(';') {
            statement.push_str(lines.next().unwrap().trim());
        }
        names.extend(public_names(&statement).iter().map(|name| format!("{path}::{name}")));
    }
}

fn module_file(parent: &Path, module: &str) -> PathBuf {
    let folder = match parent.file_stem().and_then(|name| name.to_str()) {
        Some("lib" | "mod") => parent.parent().unwrap().to_path_buf(),
        _ => parent.with_extension(""),
    };
    let file = folder.join(module).with_extension("rs");
    if file.exists() { file } else { folder.join(module).join("mod.rs") }
}

/// The names that a statement makes public; a module is only what is in it.
fn public_names(statement: &str) -> Vec<String> {
    let Some(rest) = statement.strip_prefix("pub ") else { return Vec::new() };
    if let Some(imports) = rest.strip_prefix("use ") {
        let leaves = imports.trim_end_matches(';').split(['{', ',', '}']).map(str::trim);
        let leaves = leaves.filter(|leaf| !leaf.is_empty() && !leaf.ends_with("::"));
        return leaves.map(|leaf| leaf.rsplit([' ', ':']).next().unwrap_or(leaf).to_string()).collect();
    }
    let named = ITEMS.iter().find_map(|item| rest.strip_prefix(item)?.strip_prefix(' '));
    let end = |name: &str| name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    named.map(|name| name[..end(name)].to_string()).into_iter().collect()
}
