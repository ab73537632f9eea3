//! The spaces that older models leave before punctuation and contractions, taken out as `transformers` does under the name
//! `clean_up_tokenization_spaces`: ten replacements, one after the other.

const REPLACEMENTS: [(&str, &str); 10] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

pub fn clean_up(text: &str) -> String {
    REPLACEMENTS.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_replacement_and_their_order() {
        assert_eq!(clean_up("a . b ? c ! d , e ' f"), "a. b? c! d, e'f");
        assert_eq!(clean_up("do n't I 'm it 's we 've you 're"), "don't I'm it's we've you're");
        assert_eq!(clean_up("a ' 's  ."), "a''s .");
    }
}
