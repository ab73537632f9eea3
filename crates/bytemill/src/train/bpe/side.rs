//! Side: the neighbours of a merge on one side, by their ids.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use crate::error::{Error, Result};
use crate::train::counts::temporary_file;

pub struct Side {
    pub counts: Vec<u64>,
    pub times: Vec<u32>,
    /// Those that there are.
    pub tokens: Vec<u32>,
    /// Where the next position of a neighbour goes.
    pub next: Vec<u64>,
    notes: Notes,
}

impl Side {
    /// Notes in memory are at most so many.
    pub fn new(most: usize) -> Self {
        let notes = Notes { held: Vec::new(), most, file: None, filed: 0 };
        Side { counts: Vec::new(), times: Vec::new(), tokens: Vec::new(), next: Vec::new(), notes }
    }

    #[inline]
    pub fn add(&mut self, token: u32, position: u32, count: u64) -> Result<()> {
        let at = token as usize;
        if self.times[at] == 0 {
            self.tokens.push(token);
        }
        self.times[at] += 1;
        self.counts[at] += count;
        self.notes.push([token, position])
    }

    /// Calls `give` with the place where each position goes, in the order in which they were added.
    pub fn hand_out(&mut self, mut give: impl FnMut(&mut u64, u32)) -> Result<()> {
        self.notes.each(|[token, position]| give(&mut self.next[token as usize], position))
    }

    pub fn make_room(&mut self, tokens: usize) {
        self.counts.resize(tokens, 0);
        self.times.resize(tokens, 0);
        self.next.resize(tokens, 0);
    }

    pub fn clear(&mut self) {
        for &token in &self.tokens {
            self.counts[token as usize] = 0;
            self.times[token as usize] = 0;
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
