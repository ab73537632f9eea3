//! Batches: many texts at once, on as many threads as it pays to use.

use crate::encoding::{Count, Ragged};
use crate::error::Result;
use crate::model::Scratch;
use crate::parallel::{self, Watch};
use crate::special::Choice;
use crate::tokenizer::Tokenizer;

/// Text that one worker takes at a time.
const SHARE_BYTES: usize = 128 << 10;

impl Tokenizer {
    pub fn encode_batch(&self, texts: &[&str], choice: &Choice, threads: usize, watch: &mut Watch) -> Result<Ragged> {
        let mut all = Ragged::default();
        let encode = |scratch: &mut Scratch, texts: &[&str]| {
            let mut rows = Ragged::default();
            for text in texts {
                self.encode(text, choice, scratch, &mut rows.ids)?;
                rows.ends.push(rows.ids.len());
            }
            Ok(rows)
        };
        let append = |rows: Ragged| {
            let before = all.ids.len();
            match before {
                // The first share becomes the whole without a copy; for small batches it is the only one.
                0 if all.ends.is_empty() => all = rows,
                _ => {
                    all.ids.extend_from_slice(&rows.ids);
                    all.ends.extend(rows.ends.iter().map(|end| before + end));
                }
            }
            Ok(())
        };
        self.in_shares(texts, threads, watch, encode, append)?;
        Ok(all)
    }

    pub fn count_batch(
        &self,
        texts: &[&str],
        choice: &Choice,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<Vec<usize>> {
        let mut counts = Vec::with_capacity(texts.len());
        let count = |scratch: &mut Scratch, texts: &[&str]| {
            let each = |text: &&str| {
                let mut count = Count::default();
                self.encode(text, choice, scratch, &mut count)?;
                Ok(count.tokens)
            };
            texts.iter().map(each).collect::<Result<Vec<usize>>>()
        };
        let append = |share: Vec<usize>| {
            counts.extend(share);
            Ok(())
        };
        self.in_shares(texts, threads, watch, count, append)?;
        Ok(counts)
    }

    fn in_shares<T: Send>(
        &self,
        texts: &[&str],
        threads: usize,
        watch: &mut Watch,
        work: impl Fn(&mut Scratch, &[&str]) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let shares = shares(texts);
        let threads = threads.min(shares.len());
        let items = shares.into_iter().map(Ok);
        let scratches = parallel::run(threads, watch, || self.pool().take(), items, work, take)?;
        scratches.into_iter().for_each(|scratch| self.pool().give(scratch));
        Ok(())
    }
}

/// The texts in their order, in runs of about the same size.
fn shares<'a, 'b>(texts: &'a [&'b str]) -> Vec<&'a [&'b str]> {
    let mut shares = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (i, text) in texts.iter().enumerate() {
        bytes += text.len() + 16;
        if bytes >= SHARE_BYTES || i + 1 == texts.len() {
            shares.push(&texts[start..=i]);
            (start, bytes) = (i + 1, 0);
        }
    }
    shares
}
