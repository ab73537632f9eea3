//! Short texts: lines of a batch are put behind one another, and split and looked up together. One line is too short for that to pay: the
//! splitters take 64 bytes at a time, and the memory answers for the first piece while the last is asked for.

use crate::encode::scratch::Scratch;
use crate::encode::sink::Ragged;
use crate::encode::tokenizer::Tokenizer;
use crate::error::Result;
use crate::model::Model;
use crate::model::text_ends::TextEnds;
use crate::specials::{Choice, Stage};
use crate::text::gaps::Gaps;
use crate::vocab::TokenId;

/// Longer ones are taken alone.
const MOST_BYTES: usize = 1 << 10;
/// So much is put together: enough that it pays, little enough to stay in the first-level cache.
const ENOUGH: usize = 16 << 10;

/// If of so many texts one cannot be taken together with others, each is taken by itself.
const FEW: usize = 16;

/// Texts behind one another.
#[derive(Debug, Default)]
pub struct ShortTexts {
    text: String,
    /// Where one ends and the next begins: the byte between them, or the first of the next.
    gaps: Gaps,
    /// Where the pieces of each end.
    ends: Vec<usize>,
    /// What comes behind the ids of each.
    append: Option<TokenId>,
}

impl ShortTexts {
    pub fn clear(&mut self) {
        self.text.clear();
        self.gaps.clear();
        self.ends.clear();
    }

    /// With something behind it that is of no text.
    #[inline]
    pub fn push_before(&mut self, gap: char, text: &str) {
        self.text.push_str(text);
        self.gaps.push(self.text.len());
        self.ends.push(self.text.len());
        self.text.push(gap);
    }

    /// With a space before it that is a part of it.
    #[inline]
    pub fn push_behind_space(&mut self, text: &str) {
        self.gaps.push(self.text.len());
        self.text.push(' ');
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// One without any pieces.
    pub fn push_nothing(&mut self) {
        self.ends.push(self.text.len());
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    /// Where rows end is told to `rows`, and each ends with the id that was set.
    pub fn ends<'a>(&'a self, rows: &'a mut Vec<usize>) -> TextEnds<'a> {
        TextEnds::new(&self.ends, rows, self.append)
    }
}

impl Tokenizer {
    /// Texts one after the other, each of which is a row that ends with `append`.
    pub(crate) fn encode_rows(
        &self,
        texts: &[&str],
        choice: &Choice,
        append: Option<TokenId>,
        scratch: &mut Scratch,
        rows: &mut Ragged,
    ) -> Result<()> {
        debug_assert!(!scratch.model.is_random(), "what is at random is not remembered");
        scratch.belong_to(self.instance());
        scratch.short.append = append;
        let mut left = texts;
        while !left.is_empty() {
            let mut bytes = 0;
            let is_taken = |text: &&&str| {
                bytes += text.len();
                text.len() <= MOST_BYTES && bytes <= ENOUGH
            };
            let count = left.iter().take_while(is_taken).count().max(1);
            let (texts, rest) = left.split_at(count);
            left = rest;
            self.encode_short(texts, choice, scratch, rows)?;
        }
        Ok(())
    }

    /// Texts that are short, or one that is not.
    fn encode_short(&self, texts: &[&str], choice: &Choice, scratch: &mut Scratch, rows: &mut Ragged) -> Result<()> {
        let together = texts.len() > 1
            && (self.encode_short_by_pieces(texts, choice, scratch, rows)
                || match self.encode_short_by_words(texts, choice, scratch, rows) {
                    // One of them has a word that is not to be taken by itself, and keeps few others from being taken together.
                    Err(_) if texts.len() > FEW => {
                        let (some, others) = texts.split_at(texts.len() / 2);
                        self.encode_short(some, choice, scratch, rows)?;
                        return self.encode_short(others, choice, scratch, rows);
                    }
                    encoded => encoded.unwrap_or(false),
                });
        if !together {
            for text in texts {
                self.encode(text, choice, scratch, &mut rows.ids)?;
                rows.ids.extend(scratch.short.append);
                rows.ends.push(rows.ids.len());
            }
        }
        Ok(())
    }

    /// Encodes many texts by the pieces that one of the known patterns splits them into, if that can be done. False if not, and then nothing
    /// was.
    fn encode_short_by_pieces(
        &self,
        texts: &[&str],
        choice: &Choice,
        scratch: &mut Scratch,
        rows: &mut Ragged,
    ) -> bool {
        const GAP: char = '\0';
        let (Some(gpt), Model::Bpe(model)) = (self.pipeline().gpt(), self.model()) else { return false };
        if !model.takes_many_texts() {
            return false;
        }
        let Scratch { borders, model: work, short, .. } = scratch;
        short.clear();
        texts.iter().for_each(|text| short.push_before(GAP, text));
        if self.specials().are_found(choice, Stage::Raw, &short.text) {
            return false;
        }
        if let Some(normalizer) = self.pipeline().normalizer().filter(|normalizer| !normalizer.keeps_all(&short.text)) {
            short.clear();
            texts.iter().for_each(|text| short.push_before(GAP, normalizer.normalize(text, false).text()));
        }
        if self.specials().are_found(choice, Stage::Normalized, &short.text) {
            return false;
        }
        let Ragged { ids, ends } = rows;
        let mut ends = short.ends(ends).with_gaps_as_pieces();
        let text = short.text.as_bytes();
        let split = gpt.borders_of_many(&short.text, &short.gaps, &mut borders.window, |cuts| {
            model.segment_many((text, &cuts[..cuts.len() - 1], &cuts[1..]), &mut ends, &mut work.bpe, ids);
            Ok(())
        });
        split.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Definition, Outline, Symbols};
    use crate::normalize::Normalizer;
    use crate::pretokenize::PreTokenizer;
    use crate::specials::{AddedToken, Policy};
    use crate::vocab::Vocab;
    use crate::vocab::merges::Merges;
    use proptest::prelude::*;

    fn tokenizer(pretokenizer: PreTokenizer, normalizer: Option<Normalizer>) -> Tokenizer {
        let texts = [" a", "'s", "é", "\n\n", "<x>", "Ä"];
        let bytes = (0..=255u8).map(|byte| Some(vec![byte]));
        let vocab = Vocab::new(bytes.chain(texts.map(|text| Some(text.as_bytes().to_vec())))).unwrap();
        let pair = |text: &str| (text.as_bytes()[0].into(), text.as_bytes()[1].into());
        let pairs = texts.map(|text| (text.len() == 2).then(|| pair(text)));
        let merges = Merges::of_pairs(&vocab, &pairs.into_iter().flatten().collect::<Vec<_>>(), b"").unwrap();
        let added = |text: &str, normalized| {
            let id: TokenId = vocab.id(text.as_bytes()).unwrap();
            AddedToken { normalized, ..AddedToken::special(id, text) }
        };
        let outline = Outline {
            normalizer,
            pretokenizer: Some(pretokenizer),
            added: vec![added("<x>", false), added("Ä", true)],
            ..Outline::bpe(Symbols::default())
        };
        Tokenizer::new(Definition { outline, vocab: vocab.into(), merges: Some(merges.into()), scores: None }).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn rows_are_those_of_each_text(
            texts in proptest::collection::vec("[ a's\n1e\u{301}\0]{0,60}|<x>|A\u{308}|( a){0,700}", 0..30),
            append in proptest::option::of(0u32..9),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let normalizers = [None, Some(Normalizer::Nfc), Some(Normalizer::Lowercase)];
            let schemes = [PreTokenizer::Gpt2, PreTokenizer::O200k, PreTokenizer::Whitespace];
            for (scheme, normalizer) in schemes.iter().flat_map(|scheme| normalizers.iter().map(move |it| (scheme, it))) {
                let tokenizer = tokenizer(scheme.clone(), normalizer.clone());
                for choice in [Policy::None, Policy::All].map(Choice::Policy) {
                    let (mut rows, mut each) = (Ragged::default(), Ragged::default());
                    tokenizer.encode_rows(&texts, &choice, append, &mut Scratch::default(), &mut rows).unwrap();
                    for text in &texts {
                        tokenizer.encode(text, &choice, &mut Scratch::default(), &mut each.ids).unwrap();
                        each.ids.extend(append);
                        each.ends.push(each.ids.len());
                    }
                    prop_assert_eq!(rows, each);
                }
            }
        }
    }
}
