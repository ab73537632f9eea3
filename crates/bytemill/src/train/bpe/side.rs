//! NeighbourSide: the neighbours of a merge on one side, by their ids.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use crate::error::{Error, Result};
use crate::train::counts::temporary_file;

pub(super) struct NeighbourSide {
    /// By id; of all tokens, most of which are no neighbours.
    pub of: Vec<Neighbour>,
    /// Those that are.
    pub tokens: Vec<u32>,
    notes: Notes,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Neighbour {
    /// How often it is one in the text, and in how many places of the words.
    pub count: u64,
    pub times: u32,
    /// Where its next position goes.
    pub next: u64,
}

impl NeighbourSide {
    /// At most `most` notes are held in memory.
    pub(super) fn new(most: usize) -> Self {
        let notes = Notes { held: Vec::new(), most, file: None, filed: 0 };
        NeighbourSide { of: Vec::new(), tokens: Vec::new(), notes }
    }

    #[inline]
    pub(super) fn add(&mut self, token: u32, position: u32, count: u64) -> Result<()> {
        let neighbour = &mut self.of[token as usize];
        if neighbour.times == 0 {
            self.tokens.push(token);
        }
        neighbour.times += 1;
        neighbour.count += count;
        self.notes.push([token, position])
    }

    /// Calls `give` with the place where each position goes, in the order in which they were added.
    pub(super) fn hand_out(&mut self, mut give: impl FnMut(&mut u64, u32)) -> Result<()> {
        self.notes.each(|[token, position]| give(&mut self.of[token as usize].next, position))
    }

    /// Takes over what another has of later positions.
    pub(super) fn absorb(&mut self, later: &mut NeighbourSide) {
        for &token in &later.tokens {
            let Neighbour { count, times, .. } = later.of[token as usize];
            let neighbour = &mut self.of[token as usize];
            if neighbour.times == 0 {
                self.tokens.push(token);
            }
            neighbour.count += count;
            neighbour.times += times;
        }
        self.notes.held.append(&mut later.notes.held);
        later.clear();
    }

    pub(super) fn make_room(&mut self, tokens: usize) {
        self.of.resize(tokens, Neighbour::default());
    }

    pub(super) fn clear(&mut self) {
        for &token in &self.tokens {
            self.of[token as usize] = Neighbour::default();
        }
        self.tokens.clear();
        self.notes.held.clear();
        self.notes.filed = 0;
    }
}

/// Each neighbour where it stands, with the first position of the pair with it. Those that are too many for memory are in a file.
struct Notes {
    held: Vec<Note>,
    most: usize,
    file: Option<File>,
    /// Bytes of the file that hold notes.
    filed: u64,
}

type Note = [u32; 2];

impl Notes {
    #[inline]
    fn push(&mut self, note: Note) -> Result<()> {
        if self.held.len() >= self.most {
            self.put_away()?;
        }
        self.held.push(note);
        Ok(())
    }

    #[cold]
    fn put_away(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(temporary_file()?),
        };
        let bytes: &[u8] = bytemuck::cast_slice(&self.held);
        let written = file.seek(SeekFrom::Start(self.filed)).and_then(|_| file.write_all(bytes));
        written.map_err(|error| Error::io(std::env::temp_dir(), error))?;
        self.filed += bytes.len() as u64;
        self.held.clear();
        Ok(())
    }

    fn each(&mut self, mut give: impl FnMut(Note)) -> Result<()> {
        if self.filed > 0 {
            self.put_away()?;
        }
        let Some(file) = self.file.as_mut().filter(|_| self.filed > 0) else {
            self.held.iter().copied().for_each(give);
            return Ok(());
        };
        let mut read = || {
            let mut left = self.filed;
            let mut part = vec![[0; 2]; self.most];
            file.seek(SeekFrom::Start(0))?;
            while left > 0 {
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut part);
                let length = left.min(bytes.len() as u64) as usize;
                file.read_exact(&mut bytes[..length])?;
                left -= length as u64;
                part[..length / size_of::<Note>()].iter().copied().for_each(&mut give);
            }
            Ok(())
        };
        read().map_err(|error| Error::io(std::env::temp_dir(), error))
    }
}
