//! Short texts: lines of a batch are put one after the other, and split and looked up together. One line is too short for that to pay: the
//! splitters take 64 bytes at a time, and the memory answers for the first piece while the last is asked for.

use super::call::Call;
use super::scratch::Scratch;
use super::sink::Ragged;
use super::tokenizer::Tokenizer;
use super::units::{Halt, Units, Work};
use crate::error::Result;
use crate::model::text_ends::TextEnds;
use crate::text::gaps::Gaps;
use crate::vocab::TokenId;

/// Longer ones are taken alone.
const MOST_BYTES: usize = 1 << 10;
/// This many bytes are put together: enough that it pays, little enough to stay in the first-level cache.
const ENOUGH: usize = 16 << 10;

/// If one of at most this many texts cannot be taken together with the others, each is taken by itself.
const FEW: usize = 16;

/// Texts one after the other.
#[derive(Debug, Default)]
pub struct ShortTexts {
    text: String,
    /// Where one ends and the next begins: the byte between them, or the first of the next.
    gaps: Gaps,
    /// Where the pieces of each end.
    ends: Vec<usize>,
}

impl ShortTexts {
    pub fn clear(&mut self) {
        self.text.clear();
        self.gaps.clear();
        self.ends.clear();
    }

    /// Followed by a character that belongs to no text.
    #[inline]
    pub fn push_before(&mut self, gap: char, text: &str) {
        self.text.push_str(text);
        self.gaps.push(self.text.len());
        self.ends.push(self.text.len());
        self.text.push(gap);
    }

    /// With a space before it that is a part of it.
    #[inline]
    pub fn push_after_space(&mut self, text: &str) {
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

    /// Joins texts with a space after each. False if that would make other words of them.
    pub fn join_at_spaces(&mut self, texts: &[&str], spaces_are_kept: bool) -> bool {
        texts.iter().for_each(|text| self.push_before(' ', text));
        // Where spaces are kept, those at the end of a text would belong to the first word of the next.
        let ends_with_word = |text: &&str| !text.is_empty() && !text.ends_with(' ');
        !spaces_are_kept || texts.iter().all(ends_with_word)
    }
}

impl Tokenizer {
    /// Texts one after the other, each of which is a row that ends with `append`.
    pub(crate) fn encode_rows(
        &self,
        texts: &[&str],
        call: Call,
        append: Option<TokenId>,
        scratch: &mut Scratch,
        rows: &mut Ragged,
    ) -> Result<()> {
        scratch.belong_to(self);
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
            Together { tokenizer: self, call, append }.encode(texts, scratch, rows)?;
        }
        Ok(())
    }
}

/// How texts are encoded, one after the other or joined.
#[derive(Clone, Copy)]
struct Together<'a> {
    tokenizer: &'a Tokenizer,
    call: Call<'a>,
    append: Option<TokenId>,
}

impl Together<'_> {
    /// Texts that are short, or one that is not.
    fn encode(self, texts: &[&str], scratch: &mut Scratch, rows: &mut Ragged) -> Result<()> {
        let units = self.tokenizer.fast_path(self.call).filter(|_| texts.len() > 1);
        match units.map(|units| self.encode_joined(&units, texts, scratch, rows)) {
            Some(Ok(true)) => return Ok(()),
            // A unit of one text is not alone, and keeps few others from being joined.
            Some(Err(Halt::NotAlone)) if texts.len() > FEW => {
                let (some, others) = texts.split_at(texts.len() / 2);
                self.encode(some, scratch, rows)?;
                return self.encode(others, scratch, rows);
            }
            Some(Err(Halt::Failed(error))) => return Err(error),
            Some(Ok(false) | Err(Halt::NotAlone | Halt::Full)) | None => {}
        }
        for text in texts {
            self.tokenizer.encode(text, self.call, scratch, &mut rows.ids)?;
            rows.ids.extend(self.append);
            rows.ends.push(rows.ids.len());
        }
        Ok(())
    }

    /// False if the texts cannot be joined. Where it does not succeed, it leaves no rows.
    fn encode_joined(
        self,
        units: &impl Units,
        texts: &[&str],
        scratch: &mut Scratch,
        rows: &mut Ragged,
    ) -> Result<bool, Halt> {
        let Scratch { borders, model, short, spans, .. } = scratch;
        short.clear();
        if !units.join(texts, self.call, short) {
            return Ok(false);
        }
        let before = rows.mark();
        let Ragged { ids, ends } = rows;
        let ends = TextEnds::new(&short.ends, ends, self.append);
        let encoded =
            units.encode_joined(short, ends, &mut Work { borders, model, spans, pieces: 0, chance: None }, ids);
        if encoded.is_err() {
            rows.cut_back(before);
        }
        encoded.map(|()| true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Definition, Outline, Symbols};
    use crate::normalize::Normalizer;
    use crate::pretokenize::PreTokenizer;
    use crate::specials::{AddedToken, Choice, Policy};
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
                    tokenizer.encode_rows(&texts, (&choice).into(), append, &mut Scratch::default(), &mut rows).unwrap();
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
