//! The spaces that older models leave before punctuation and contractions, taken out by replacements, one after the other: as
//! `transformers` does under the name `clean_up_tokenization_spaces`, and, with one more, some decoders of `tokenizers`.

const DO_NOT: (&str, &str) = (" do not", " don't");

const REPLACEMENTS: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    DO_NOT,
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// As `transformers` does.
pub fn clean_up(text: &str) -> String {
    replaced(text, REPLACEMENTS.iter().filter(|&&replacement| replacement != DO_NOT))
}

/// As `tokenizers` does.
pub(super) fn clean_up_all(text: &str) -> String {
    replaced(text, REPLACEMENTS.iter())
}

fn replaced<'a>(text: &str, replacements: impl Iterator<Item = &'a (&'a str, &'a str)>) -> String {
    replacements.fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_replacement_and_their_order() {
        assert_eq!(clean_up("a . b ? c ! d , e ' f"), "a. b? c! d, e'f");
        assert_eq!(clean_up("do n't I 'm it 's we 've you 're"), "don't I'm it's we've you're");
        assert_eq!(clean_up("a ' 's  ."), "a''s .");
        assert_eq!((clean_up(" do not ."), clean_up_all(" do not .")), (" do not.".into(), " don't.".into()));
    }
}
