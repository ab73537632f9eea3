//! Batches: many texts at once, or one that is cut into many, on as many threads as it pays to use.

use crate::data::parts_of;
use crate::encoding::{Count, Ragged};
use crate::error::{Error, Result};
use crate::model::Scratch;
use crate::parallel::{self, Watch};
use crate::sampling::Drops;
use crate::special::Choice;
use crate::tokenizer::Tokenizer;
use crate::vocab::TokenId;

/// Text that one worker takes at a time.
const SHARE_BYTES: usize = 128 << 10;

impl Tokenizer {
    /// With merges passed over as `drops` says, if it says anything.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        choice: &Choice,
        drops: Option<Drops>,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<Ragged> {
        let mut all = Ragged::default();
        let encode = |scratch: &mut Scratch, share: Share| {
            let mut rows = Ragged::default();
            for (number, text) in (share.first..).zip(share.texts) {
                self.encode_sampled(text, choice, drops, number, scratch, &mut rows.ids)?;
                rows.ends.push(rows.ids.len());
            }
            Ok(rows)
        };
        let append = |rows: Ragged| {
            all.append(rows);
            Ok(())
        };
        self.in_shares(texts, threads, watch, encode, append)?;
        Ok(all)
    }

    /// One text on several threads, cut where a cut changes nothing.
    pub fn encode_in_parts(
        &self,
        text: &str,
        choice: &Choice,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<Vec<TokenId>> {
        let parts = parts_of(text, SHARE_BYTES, self);
        match self.encode_batch(&parts, choice, None, threads, watch) {
            Ok(rows) => Ok(rows.ids),
            // The place that it tells is that in a part.
            Err(Error::SpecialInText { .. }) => {
                let mut ids = Vec::new();
                self.encode(text, choice, &mut self.pool().take(), &mut ids)?;
                Ok(ids)
            }
            Err(other) => Err(other),
        }
    }

    pub fn count_batch(
        &self,
        texts: &[&str],
        choice: &Choice,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<Vec<usize>> {
        let mut counts = Vec::with_capacity(texts.len());
        let count = |scratch: &mut Scratch, share: Share| {
            let each = |text: &&str| {
                let mut count = Count::default();
                self.encode(text, choice, scratch, &mut count)?;
                Ok(count.tokens)
            };
            share.texts.iter().map(each).collect::<Result<Vec<usize>>>()
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
        work: impl Fn(&mut Scratch, Share) -> Result<T> + Sync,
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

/// Texts that follow one another in a batch, and the number of the first.
struct Share<'a> {
    first: usize,
    texts: &'a [&'a str],
}

/// The texts in their order, in runs of about the same size.
fn shares<'a>(texts: &'a [&'a str]) -> Vec<Share<'a>> {
    let mut shares = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    for (i, text) in texts.iter().enumerate() {
        bytes += text.len() + 16;
        if bytes >= SHARE_BYTES || i + 1 == texts.len() {
            shares.push(Share { first, texts: &texts[first..=i] });
            (first, bytes) = (i + 1, 0);
        }
    }
    shares
}
