//! Edits: which chunks are encoded anew.

use std::sync::Arc;

use super::Session;
use super::tree::{ChunkTree, SessionChunk};
use crate::data::Seam;
use crate::error::{Error, Result};
use crate::machine::memory::ask;
use crate::machine::parallel::{Watch, thread_count};
use crate::text::span::Span;
use crate::vocab::TokenId;

/// New text from this size on is encoded on several threads.
const SHARED_BYTES: usize = 1 << 20;

/// A part of the new text that is encoded anew.
struct EditedText {
    /// The text, followed by as much of the next chunks as a cut depends on.
    text: String,
    length: usize,
    /// The bytes at its end that belong to the seam after it.
    gap: usize,
    /// The chunks that it stands in for.
    first: usize,
    end: usize,
    /// Where it begins in the whole text.
    start: usize,
}

impl Session {
    /// Puts a text in the place of a span. After an error everything is as it was.
    pub fn replace(&mut self, span: Span, text: &str, watch: &mut Watch) -> Result<()> {
        // Copies of the text, and its ids.
        ask(text.len().saturating_mul(8))?;
        let edited = self.edited(span, text);
        let outside = |error: Error| error.moved_by(edited.start as u64);
        self.tokenizer.specials().refuse_anywhere(&self.choice, &edited.text).map_err(outside)?;
        let seams = self.seams(&edited);
        let chunks = self.encode_chunks(&edited, &seams, watch)?;
        let (before, rest) = self.chunks.split(edited.first);
        let (_, after) = rest.split(edited.end - edited.first);
        self.chunks = before.concat(ChunkTree::of_chunks(&chunks)).concat(after);
        Ok(())
    }

    /// What an edit changes, from one cut to another.
    fn edited(&self, span: Span, new: &str) -> EditedText {
        let look = self.look();
        let bytes_of = |at| {
            self.chunks
                .find(|extent| extent.bytes, at)
                .map_or((0, 0), |found| (found.before.chunks, found.before.bytes))
        };
        // A cut so close before the edit may be none any more.
        let (inside, mut start) = bytes_of(span.start);
        let mut first = inside;
        while first > 0 && start + look > span.start {
            (first, start) = bytes_of(start - 1);
        }
        let (last, last_start) = bytes_of(span.end.saturating_sub(usize::from(span.end > start)));
        let mut end = (last + 1).min(self.chunks.extent().chunks);
        // What lies between them may be most of the text, and is not looked at.
        let (before, after) = (self.chunks.text(first, end.min(inside + 1)), self.chunks.text(last, end));
        let mut text = [&before[..span.start - start], new, &after[span.end - last_start..]].concat();
        loop {
            let length = text.len();
            self.follow(&mut text, end, look);
            let is_last = end == self.chunks.extent().chunks;
            let seam = self.seam_before(&text, length).filter(|_| length >= self.least_bytes());
            if let Some(seam) = seam.or_else(|| is_last.then_some(Seam::at(length))) {
                return EditedText { text, length, gap: length - seam.end, first, end, start };
            }
            text.truncate(length);
            text += &self.chunks.text(end, end + 1);
            end += 1;
        }
    }

    /// Appends the text of the chunks from `number` on, until it has at least `bytes` bytes.
    fn follow(&self, text: &mut String, mut number: usize, bytes: usize) {
        let enough = text.len() + bytes;
        while let (true, Some(next)) = (text.len() < enough, self.chunks.get(number)) {
            let needed = next.chunk.text.ceil_char_boundary((enough - text.len()).min(next.chunk.text.len()));
            text.push_str(&next.chunk.text[..needed]);
            number += 1;
        }
    }

    /// The cut after which the rest of a text begins at a place, if there is one.
    fn seam_before(&self, text: &str, start: usize) -> Option<Seam> {
        let text = &text[..text.floor_char_boundary((start + self.look()).min(text.len()))];
        let seams = [start, start.wrapping_sub(1)].into_iter().filter(|&at| at < text.len());
        seams.filter_map(|at| self.tokenizer.seam_at(text, at)).find(|seam| seam.start == start)
    }

    /// Where a edited is cut, its end included.
    fn seams(&self, edited: &EditedText) -> Vec<Seam> {
        let EditedText { text, length, gap, .. } = edited;
        let mut seams = Vec::new();
        let mut done = 0;
        let least = self.least_bytes();
        while length - done > 2 * self.chunk_bytes {
            let wanted = done + self.chunk_bytes;
            // What the seam after all of it takes is not for another one.
            let last = (length - gap - least).saturating_sub(1);
            let mut places = (done + least..=wanted).rev().chain(wanted + 1..last);
            let Some(seam) = places.find_map(|at| self.seam_after(text, done, at)) else { break };
            done = seam.start;
            seams.push(seam);
        }
        seams.push(Seam { end: length - gap, start: *length });
        seams
    }

    /// How a text that begins at a cut may be cut at a later place.
    fn seam_after(&self, text: &str, begin: usize, at: usize) -> Option<Seam> {
        let end = text.floor_char_boundary((at + self.look()).min(text.len()));
        let Seam { end, start } = self.tokenizer.seam_at(&text[begin..end], at - begin)?;
        Some(Seam { end: begin + end, start: begin + start })
    }

    fn encode_chunks(&self, edited: &EditedText, seams: &[Seam], watch: &mut Watch) -> Result<Vec<Arc<SessionChunk>>> {
        let starts = std::iter::once(0).chain(seams.iter().map(|seam| seam.start));
        let spans: Vec<Span> = starts.clone().zip(seams).map(|(start, seam)| Span::new(start, seam.end)).collect();
        let mut rows = self.encode_parts(edited, &spans, watch)?.into_iter();
        let chunk = |(start, seam): (usize, &Seam)| {
            let text = edited.text[start..seam.start].to_string();
            Arc::new(SessionChunk::new(text, seam.start - seam.end, rows.next().unwrap_or_default()))
        };
        Ok(starts.zip(seams).map(chunk).collect())
    }

    fn encode_parts(&self, edited: &EditedText, spans: &[Span], watch: &mut Watch) -> Result<Vec<Vec<TokenId>>> {
        if edited.length >= SHARED_BYTES {
            let parts: Vec<&str> = spans.iter().map(|span| &edited.text[span.range()]).collect();
            match self.tokenizer.encode_batch(&parts, &self.choice, None, thread_count(None), watch) {
                // The place that it tells is that in a part.
                Err(error) if error.is_of_text() => {}
                rows => return rows.map(|rows| rows.iter().map(<[TokenId]>::to_vec).collect()),
            }
        }
        let place = |span: &Span| (edited.start + span.start) as u64;
        spans.iter().map(|span| self.encoded(&edited.text[span.range()]).map_err(|e| e.moved_by(place(span)))).collect()
    }
}
