//! Worker: what one thread counts into. A table that outgrows its share of the memory goes to disk as a sorted run.
//!
//! After stages that allow it, those of BERT and of SentencePiece, stretches of the text as it came are counted first, and what each of
//! them becomes when all are: words come again, and are normalized and split once.

use std::fs::File;
use std::sync::Arc;

use super::block::Record;
use super::body::Body;
use super::characters::CharacterCounts;
use super::counter::CHOICE;
use super::merge::temporary_file;
use super::table::{CountTable, GROUP};
use super::writer::{Target, Writer};
use crate::encode::call::Call;
use crate::encode::pipeline::{Pipeline, RawPart, TextPart};
use crate::error::{Error, Result};
use crate::pretokenize::pieces::Pieces;
use crate::pretokenize::runs::Borders;
use crate::text::span::Spans;

/// Places: the number of the batch, and the number of the piece in it.
const IN_BATCH_BITS: u32 = 40;

pub(super) struct Worker {
    pub borders: Borders,
    counted: WorkerCounts,
    /// Stretches that are not normalized and split yet.
    stretches: Option<Box<CountTable>>,
    /// For stretches that are normalized.
    inner: Borders,
    ordered: bool,
    /// Bytes that a table may take.
    share: usize,
    runs: Vec<Body>,
    /// The file of the runs, and its end.
    spill: Option<(Arc<File>, u64)>,
    place: u64,
}

enum WorkerCounts {
    Pieces(Box<CountTable>),
    Characters(CharacterCounts),
}

impl Worker {
    pub(super) fn new(characters: bool, stretches: bool, ordered: bool, share: usize) -> Self {
        let counted = match characters {
            true => WorkerCounts::Characters(CharacterCounts::new(ordered)),
            false => WorkerCounts::Pieces(Box::default()),
        };
        Worker {
            borders: Borders::default(),
            counted,
            stretches: stretches.then(Box::default),
            inner: Borders::default(),
            ordered,
            share: if stretches { share / 2 } else { share },
            runs: Vec::new(),
            spill: None,
            place: 0,
        }
    }

    /// What follows comes from the batch of this number. Batches come in their order.
    pub(super) fn begin(&mut self, batch: u64) {
        self.place = batch << IN_BATCH_BITS;
    }

    /// Counts stretches of a text.
    pub(super) fn add_stretches(&mut self, stretches: Spans, pipeline: &Pipeline) -> Result<()> {
        let mut table = self.stretches.take().unwrap_or_default();
        for group in stretches.bytes().groups(GROUP) {
            let bytes = group.covered();
            if !table.has_room(bytes) {
                if table.bytes_to_grow(bytes, self.share) > self.share {
                    self.add_pieces_of(&mut table, pipeline)?;
                }
                if !table.has_room(bytes) {
                    table.grow(bytes, self.share);
                }
            }
            table.add_group(group, self.place, 1);
        }
        self.stretches = Some(table);
        Ok(())
    }

    /// Counts the pieces of the stretches that were counted.
    pub(super) fn settle(&mut self, pipeline: &Pipeline) -> Result<()> {
        match self.stretches.take() {
            Some(mut table) => self.add_pieces_of(&mut table, pipeline),
            None => Ok(()),
        }
    }

    fn add_pieces_of(&mut self, stretches: &mut CountTable, pipeline: &Pipeline) -> Result<()> {
        let mut inner = std::mem::take(&mut self.inner);
        stretches.drain(|Record { piece, count, .. }| {
            let stretch = std::str::from_utf8(piece).map_err(|error| Error::Internal(error.to_string()))?;
            let part = RawPart { text: stretch, offset: 0, spans: false };
            pipeline.run_part(part, Call::from(&CHOICE), &mut inner, &mut |part| match part {
                TextPart::Pieces(pieces) => self.add(&pieces, count),
                TextPart::Special(..) => Ok(()),
            })
        })?;
        self.inner = inner;
        Ok(())
    }

    /// Counts pieces, each `times` times.
    #[inline]
    pub(super) fn add(&mut self, pieces: &Pieces, times: u64) -> Result<()> {
        let table = match &mut self.counted {
            WorkerCounts::Pieces(table) => table,
            WorkerCounts::Characters(characters) => {
                for piece in pieces.spans.iter() {
                    self.place = characters.add(piece, self.place);
                }
                return Ok(());
            }
        };
        for group in pieces.spans.bytes().groups(GROUP) {
            let bytes = group.covered();
            if !table.has_room(bytes) {
                if table.bytes_to_grow(bytes, self.share) > self.share && !table.is_empty() {
                    self.runs.push(spill(table, &mut self.spill, self.ordered)?);
                }
                if !table.has_room(bytes) {
                    table.grow(bytes, self.share);
                }
            }
            table.add_group(group, self.place, times);
            self.place += group.len() as u64;
        }
        Ok(())
    }

    pub(super) fn has_spilled(&self) -> bool {
        !self.runs.is_empty()
    }

    /// The sorted runs of all that was counted. `spilling`: the last one goes to disk as well.
    pub(super) fn finish(self, spilling: bool) -> Result<Vec<Body>> {
        let Worker { counted, mut runs, spill: mut file, ordered, .. } = self;
        let last = match counted {
            WorkerCounts::Pieces(mut table) if spilling => spill(&mut table, &mut file, ordered)?,
            WorkerCounts::Pieces(table) => Body::of_table(table.sorted(), ordered)?,
            WorkerCounts::Characters(characters) => {
                let mut writer = Writer::new(Target::Memory, ordered);
                characters.drain(|record| writer.push(record))?;
                writer.finish()?.0
            }
        };
        runs.push(last);
        Ok(runs)
    }
}

fn spill(table: &mut CountTable, spill: &mut Option<(Arc<File>, u64)>, ordered: bool) -> Result<Body> {
    let (file, end) = match spill.take() {
        Some(open) => open,
        None => (Arc::new(temporary_file()?), 0),
    };
    let mut writer = Writer::new(Target::File(file.clone(), end), ordered);
    table.drain(|record| writer.push(record))?;
    let (body, end) = writer.finish()?;
    *spill = Some((file, end));
    Ok(body)
}
