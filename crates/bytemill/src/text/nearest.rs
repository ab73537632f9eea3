//! Names that are misspelt: which known one was probably meant. The rule is that of `bytemill._arguments.names` in the Python package, which
//! has one of its own because the command line suggests names before anything compiled is loaded.

/// A suggestion to end a message with, or nothing where no known name is near.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}

/// The known name that is near: one that goes on after four letters, or differs in one letter of five, two of eight, three of more, and in
/// less than half of them.
fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = folded(name);
    let known: Vec<(&str, Vec<char>)> = known.into_iter().map(|other| (other, folded(other))).collect();
    if letters.len() >= 4 {
        let longer = known.iter().filter(|(_, other)| other.starts_with(&letters));
        if let Some((other, _)) = longer.min_by_key(|(other, letters)| (letters.len(), *other)) {
            return Some(other);
        }
    }
    let ranked = known.iter().map(|(other, found)| (distance(&letters, found), *other, found.len()));
    let (edits, other, length) = ranked.min()?;
    let shorter = length.min(letters.len());
    let allowed = match shorter {
        ..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    (edits <= allowed && 2 * edits < shorter).then_some(other)
}

fn folded(name: &str) -> Vec<char> {
    name.to_lowercase().chars().collect()
}

/// How many letters must be put in, taken out, exchanged for another, or swapped with a neighbour.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before_that: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut best = (before[j + 1] + 1).min(row[j] + 1).min(before[j] + usize::from(a != b));
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                best = best.min(before_that[j - 1] + 1);
            }
            row.push(best);
        }
        before_that = std::mem::replace(&mut before, row);
    }
    before.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_suggested_and_nothing_else() {
        let near = |name, known: &[&'static str]| nearest(name, known.iter().copied());
        assert_eq!(near("txt", &["id", "text"]), Some("text"));
        assert_eq!(near("tetx", &["id", "text"]), Some("text"));
        assert_eq!(near("TEXT", &["id", "text"]), Some("text"));
        assert_eq!(near("cont", &["content", "contents"]), Some("content"));
        assert_eq!(near("js", &["json", "c"]), None);
        assert_eq!(near("whitespce", &["bert", "whitespace"]), Some("whitespace"));
        assert_eq!(near("a", &[]), None);
        assert_eq!(did_you_mean("bret", ["bert"]), "; did you mean \"bert\"?");
        assert_eq!(did_you_mean("x", ["bert"]), "");
    }

    #[test]
    fn letters_are_counted() {
        let edits = |one: &str, other: &str| distance(&folded(one), &folded(other));
        assert_eq!((edits("bret", "bert"), edits("cl100k", "cl10k"), edits("", "abc"), edits("abc", "")), (1, 1, 3, 3));
        assert_eq!((edits("kitten", "sitting"), edits("ab", "ba"), edits("é", "e")), (3, 1, 1));
    }
}
