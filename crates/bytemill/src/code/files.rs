//! The source files below folders, without what `.gitignore` names.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::{Language, of_file_name};
use crate::error::{Error, Result};

/// A file stands for itself. A folder stands for every file below it whose name tells a language, but for hidden and ignored ones, in
/// the order of their paths. Files of a language whose grammar comes from a wheel count only if that language is `asked` for.
pub fn files(paths: &[PathBuf], asked: Option<Language>) -> Result<Vec<PathBuf>> {
    let is_of_asked = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        asked.zip(ending).is_some_and(|(asked, ending)| asked.endings().contains(&ending.as_str()))
    };
    let is_source = |path: &Path| of_file_name(path).is_some() || is_of_asked(path);
    let mut all = Vec::new();
    for path in paths {
        if !std::fs::metadata(path).map_err(|e| Error::io(path, e))?.is_dir() {
            all.push(path.clone());
            continue;
        }
        let mut below = Vec::new();
        // Not only in repositories, and nothing that is set up outside of the folder.
        let walk = WalkBuilder::new(path).require_git(false).git_global(false).git_exclude(false).parents(true).build();
        for entry in walk {
            let entry = entry.map_err(|e| {
                Error::io(path, e.into_io_error().unwrap_or_else(|| std::io::Error::other("cannot be listed")))
            })?;
            if entry.file_type().is_some_and(|kind| kind.is_file()) && is_source(entry.path()) {
                below.push(entry.into_path());
            }
        }
        if below.is_empty() {
            return Err(Error::Spec(format!(
                "the folder {} has no source file in it whose name tells a language (hidden and ignored files do not count); \
                 name files to read them whatever they are",
                path.display()
            )));
        }
        below.sort();
        all.append(&mut below);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_hidden_and_unknown_files_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [
            (".gitignore", "build/\n*.gen.py\n"),
            ("b.py", ""),
            ("a/c.rs", ""),
            ("a/x.gen.py", ""),
            ("build/d.py", ""),
            (".hidden/e.py", ""),
            ("notes.txt", ""),
            ("e.LUA", ""),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        let names = |asked| {
            let found = files(&[folder.path().to_path_buf(), folder.path().join("notes.txt")], asked).unwrap();
            let name = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_string();
            found.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names(None), ["a/c.rs", "b.py", "notes.txt"]);
        assert_eq!(names(Some(Language::Lua)), ["a/c.rs", "b.py", "e.LUA", "notes.txt"]);
        let empty = tempfile::tempdir().unwrap();
        let error = files(&[empty.path().to_path_buf()], None).unwrap_err();
        assert!(error.to_string().contains("has no source file in it"));
        assert!(files(&[folder.path().join("missing")], None).is_err());
    }
}
