//! Batches: many texts at once, or one that is cut into many, on as many threads as it pays to use.

use std::ops::Range;

use crate::data::parts_of;
use crate::encode::call::Call;
use crate::encode::gather::gather;
use crate::encode::input::{InputText, Request};
use crate::encode::sampling::Sampling;
use crate::encode::scratch::Scratch;
use crate::encode::sink::{Count, Ragged};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::machine::parallel::{Team, Watch};
use crate::postprocess::Encoding;
use crate::specials::Choice;
use crate::text::transcode::{CodeUnits, lend};
use crate::vocab::TokenId;

/// Text that one worker takes at a time.
const SHARE_BYTES: usize = 128 << 10;

impl Tokenizer {
    /// At random as `sampling` says, if it says anything.
    pub fn encode_batch<'t>(
        &self,
        texts: &[impl Copy + Into<CodeUnits<'t>> + Sync],
        choice: &Choice,
        sampling: Option<Sampling>,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<Ragged> {
        let encode = |scratch: &mut Scratch, first: usize, texts: &[&str], rows: &mut Ragged| {
            if sampling.is_none() {
                return self.encode_rows(texts, choice.into(), None, scratch, rows);
            }
            for (number, text) in (first..).zip(texts) {
                let sampling = sampling.map(|sampling| (sampling, number));
                self.encode(text, Call { sampling, ..Call::from(choice) }, scratch, &mut rows.ids)?;
                rows.ends.push(rows.ids.len());
            }
            Ok(())
        };
        let bytes: usize = most_bytes(texts).sum();
        let threads = threads.min(most_shares(bytes, texts.len()));
        gather(bytes, threads, self.spare(), |gathering| {
            let encode = |scratch: &mut Scratch, first: usize, texts: &[&str]| {
                let mut rows = gathering.rows(texts.iter().map(|text| text.len()).sum());
                encode(scratch, first, texts, &mut rows)?;
                Ok(rows)
            };
            let append = |rows| {
                gathering.give(rows);
                Ok(())
            };
            self.share_texts(texts, choice, Team::with_caller(threads, watch), encode, append)
        })
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
            Err(error) if error.is_of_text() => {
                let mut ids = Vec::new();
                self.encode(text, choice, &mut self.pool().take(), &mut ids)?;
                Ok(ids)
            }
            Err(other) => Err(other),
        }
    }

    pub fn count_batch<'t>(
        &self,
        texts: &[impl Copy + Into<CodeUnits<'t>> + Sync],
        choice: &Choice,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<Vec<usize>> {
        let mut counts = Vec::with_capacity(texts.len());
        let count = |scratch: &mut Scratch, _, texts: &[&str]| {
            // The ids of a long text are not kept while they are counted; of short ones they are few.
            if texts.iter().map(|text| text.len()).sum::<usize>() < 2 * SHARE_BYTES {
                let mut rows = Ragged::default();
                self.encode_rows(texts, choice.into(), None, scratch, &mut rows)?;
                let starts = std::iter::once(0).chain(rows.ends.iter().copied());
                return Ok(rows.ends.iter().zip(starts).map(|(end, start)| end - start).collect());
            }
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
        self.share_texts(texts, choice, Team::with_caller(threads, watch), count, append)?;
        Ok(counts)
    }

    /// The inputs of many texts or pairs, padded together.
    pub fn inputs(
        &self,
        texts: &[(InputText, Option<InputText>)],
        request: &Request,
        threads: usize,
        watch: &mut Watch,
    ) -> Result<Vec<Encoding>> {
        let mut encodings = Vec::with_capacity(texts.len());
        let encode = |scratch: &mut Scratch, share: Range<usize>| {
            let each = |number: usize| {
                let (text, pair) = texts[number];
                self.input(text, pair, request, number, scratch).map_err(|error| match pair {
                    None => error.of_number(number),
                    Some(_) => error.of(format_args!("texts[{number}] or pairs[{number}]")),
                })
            };
            share.map(each).collect::<Result<Vec<Encoding>>>()
        };
        let append = |share: Vec<Encoding>| {
            encodings.extend(share);
            Ok(())
        };
        let sizes = texts.iter().map(|(text, pair)| text.len() + pair.map_or(0, |pair| pair.len()));
        self.in_shares(sizes, Team::with_caller(threads, watch), encode, append)?;
        if let Some(padding) = request.padding {
            padding.apply(&mut encodings)?;
        }
        Ok(encodings)
    }

    /// Hands texts to `work` with the number of the first.
    fn share_texts<'t, T: Send>(
        &self,
        texts: &[impl Copy + Into<CodeUnits<'t>> + Sync],
        choice: &Choice,
        team: Team,
        work: impl Fn(&mut Scratch, usize, &[&str]) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let read_and_work = |scratch: &mut Scratch, share: Range<usize>| {
            let mut room = std::mem::take(&mut scratch.transcoded);
            let first = share.start;
            let done = lend(&texts[share], first, &mut room).and_then(|texts| {
                work(scratch, first, &texts).map_err(|error| self.of_one(error, &texts, first, choice, scratch))
            });
            // That of a long text is not kept.
            scratch.transcoded = if room.capacity() <= 4 * SHARE_BYTES { room } else { Vec::new() };
            done
        };
        self.in_shares(most_bytes(texts), team, read_and_work, take)
    }

    /// The error of several texts that were taken together, as that of the one with which it came.
    fn of_one(&self, error: Error, texts: &[&str], first: usize, choice: &Choice, scratch: &mut Scratch) -> Error {
        if !error.is_of_text() {
            return error;
        }
        let fails = |text: &&str| self.encode(text, choice, scratch, &mut Count::default()).err();
        let mut errors = (first..).zip(texts.iter().map(fails));
        let found = errors.find_map(|(number, error)| error.map(|error| error.of_number(number)));
        found.unwrap_or(error)
    }

    fn in_shares<T: Send>(
        &self,
        sizes: impl Iterator<Item = usize>,
        team: Team,
        work: impl Fn(&mut Scratch, Range<usize>) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let shares = shares(sizes);
        let mut team = team.of_at_most(shares.len());
        let items = shares.into_iter().map(Ok);
        let work = |scratch: &mut Box<Scratch>, share| work(scratch, share);
        let scratches = team.run(|| self.pool().take(), items, work, take)?;
        scratches.into_iter().for_each(|scratch| self.pool().give(scratch));
        Ok(())
    }
}

/// How long the UTF-8 of each text is at most.
fn most_bytes<'t>(texts: &[impl Copy + Into<CodeUnits<'t>>]) -> impl Iterator<Item = usize> {
    texts.iter().map(|&text| text.into().most_bytes())
}

/// A text costs something even when it is empty.
const BYTES_OF_TEXT: usize = 16;

/// How many shares texts of `bytes` bytes in all have at most.
fn most_shares(bytes: usize, texts: usize) -> usize {
    (bytes + BYTES_OF_TEXT * texts) / SHARE_BYTES + 1
}

/// The texts of a batch in their order, in runs of about the same size.
fn shares(sizes: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut shares = Vec::new();
    let (mut first, mut end, mut bytes) = (0, 0, 0);
    for size in sizes {
        end += 1;
        bytes += size + BYTES_OF_TEXT;
        if bytes >= SHARE_BYTES {
            shares.push(first..end);
            (first, bytes) = (end, 0);
        }
    }
    if first < end {
        shares.push(first..end);
    }
    shares
}
