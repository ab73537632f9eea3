//! NumberArray: a long array, in memory or in a file. The file is mapped, and what was touched is let go of as the work goes on: it stays in
//! the system's cache as long as there is room, and is no memory of this process.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::atomic::AtomicU32;

use memmap2::MmapMut;

use crate::error::{Error, Result};
use crate::machine::storage::Zeroed;
use crate::train::counts::temporary_file;

#[derive(Debug)]
pub(super) enum NumberArray {
    Memory(Vec<u32>),
    /// As many as there will ever be.
    Whole(Zeroed<u32>),
    File(Mapped),
}

impl Default for NumberArray {
    fn default() -> Self {
        NumberArray::Memory(Vec::new())
    }
}

impl NumberArray {
    /// An empty array: in a file if a window is given, which is how many bytes of it may be in memory.
    pub(super) fn new(window: Option<usize>) -> Result<Self> {
        Ok(match window {
            None => NumberArray::default(),
            Some(window) => NumberArray::File(Mapped::new(window, pages_together())?),
        })
    }

    /// `len` zeros, which are read at random.
    pub(super) fn zeros(window: Option<usize>, len: usize) -> Result<Self> {
        if window.is_none() {
            return Ok(NumberArray::Whole(Zeroed::new(len)));
        }
        let mut numbers = NumberArray::new(window)?;
        numbers.grow(len)?;
        Ok(numbers)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            NumberArray::Memory(numbers) => numbers.len(),
            NumberArray::Whole(numbers) => numbers.as_slice().len(),
            NumberArray::File(mapped) => mapped.len,
        }
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u32] {
        match self {
            NumberArray::Memory(numbers) => numbers,
            NumberArray::Whole(numbers) => numbers.as_slice(),
            NumberArray::File(mapped) => &bytemuck::cast_slice(&mapped.map)[..mapped.len],
        }
    }

    #[inline]
    pub(super) fn as_mut_slice(&mut self) -> &mut [u32] {
        match self {
            NumberArray::Memory(numbers) => numbers,
            NumberArray::Whole(numbers) => numbers.as_mut_slice(),
            NumberArray::File(mapped) => &mut bytemuck::cast_slice_mut(&mut mapped.map)[..mapped.len],
        }
    }

    /// To be written by several threads at once; not for a file, whose pages are counted as they are written.
    pub(super) fn shared(&mut self) -> &[AtomicU32] {
        let numbers = self.as_mut_slice();
        // SAFETY: both have the same size and alignment, and nobody else can see them while they are borrowed.
        unsafe { std::slice::from_raw_parts(numbers.as_mut_ptr().cast(), numbers.len()) }
    }

    /// Room for more of them, which are zeros.
    pub(super) fn grow(&mut self, len: usize) -> Result<()> {
        match self {
            NumberArray::Memory(numbers) if numbers.is_empty() => *numbers = vec![0; len],
            NumberArray::Memory(numbers) => numbers.resize(len, 0),
            NumberArray::Whole(numbers) => {
                let mut more = numbers.as_slice().to_vec();
                more.resize(len, 0);
                *self = NumberArray::Memory(more);
            }
            NumberArray::File(mapped) => mapped.grow(len)?,
        }
        Ok(())
    }

    /// Writes one number anywhere, and lets go of what was written before where that has become too much.
    #[inline]
    pub(super) fn write(&mut self, at: usize, number: u32) {
        self.as_mut_slice()[at] = number;
        if let NumberArray::File(mapped) = self {
            mapped.touch(at);
        }
    }

    /// Tells which numbers were read or written, one by one; lets go of all where that has become too much.
    pub(super) fn visited(&mut self, places: &[u32]) {
        if let NumberArray::File(mapped) = self {
            places.iter().for_each(|&at| mapped.visit(at as usize));
        }
    }

    /// Lets go of a range; it can be used as before, and costs a little more the first time.
    pub(super) fn release(&self, range: Range<usize>) {
        if let NumberArray::File(mapped) = self {
            mapped.release(range);
        }
    }
}

/// In numbers: the smallest page that a system has, and what it maps at once around a page that is read. No page is larger than that.
const PAGE: usize = 4096 / size_of::<u32>();
pub(super) const AROUND: usize = 16 * PAGE;

/// How many of the smallest pages make a page of this system: 1, 4 or 16.
fn pages_together() -> usize {
    #[cfg(unix)]
    let page = rustix::param::page_size() / size_of::<u32>();
    #[cfg(not(unix))]
    let page = PAGE;
    (page / PAGE).clamp(1, AROUND / PAGE)
}

#[derive(Debug)]
pub(super) struct Mapped {
    file: File,
    map: MmapMut,
    len: usize,
    /// A bit for each page that was written since all were let go of, how many there are, and how many there may be.
    touched: Vec<u64>,
    pages: usize,
    most: usize,
    /// How many of these pages are written together.
    together: usize,
}

impl Mapped {
    fn new(window: usize, together: usize) -> Result<Self> {
        let file = temporary_file()?;
        let map = map(&file, AROUND)?;
        let most = (window / (PAGE * size_of::<u32>())).max(1);
        Ok(Mapped { file, map, len: 0, touched: vec![0; AROUND.div_ceil(64 * PAGE)], pages: 0, most, together })
    }

    fn grow(&mut self, len: usize) -> Result<()> {
        let room = self.map.len() / size_of::<u32>();
        if len > room {
            let room = len.max(room + room / 4).next_multiple_of(AROUND);
            self.map = map(&self.file, room)?;
            self.touched = vec![0; room.div_ceil(64 * PAGE)];
            self.pages = 0;
        }
        self.len = len;
        Ok(())
    }

    /// Writing takes a page of the system.
    #[inline]
    fn touch(&mut self, at: usize) {
        let pages = (1 << self.together) - 1;
        self.take(at / (64 * PAGE), pages << (at / PAGE / self.together * self.together % 64));
    }

    /// Reading takes those around it as well.
    #[inline]
    fn visit(&mut self, at: usize) {
        const PAGES: u64 = (1 << (AROUND / PAGE)) - 1;
        self.take(at / (64 * PAGE), PAGES << (at / AROUND * (AROUND / PAGE) % 64));
    }

    #[inline]
    fn take(&mut self, word: usize, pages: u64) {
        let new = pages & !self.touched[word];
        if new != 0 {
            self.touched[word] |= new;
            self.pages += new.count_ones() as usize;
            if self.pages >= self.most {
                self.release(0..self.len);
                self.touched.fill(0);
                self.pages = 0;
            }
        }
    }

    #[cfg(unix)]
    fn release(&self, range: Range<usize>) {
        let start = range.start / AROUND * AROUND * size_of::<u32>();
        let end = (range.end.next_multiple_of(AROUND) * size_of::<u32>()).min(self.map.len());
        if start < end {
            // SAFETY: the map is shared with a file, so what was written stays in the file when its pages are let go of.
            // That it fails means that memory is not given back, which changes no result.
            let _ = unsafe { self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, end - start) };
        }
    }

    /// Elsewhere the system takes pages back by itself when they are wanted.
    #[cfg(not(unix))]
    fn release(&self, _range: Range<usize>) {}
}

/// Maps `numbers` numbers of a file, for all of which there is room on the disk: where it is full, the process would be killed at the first
/// touch.
fn map(file: &File, numbers: usize) -> Result<MmapMut> {
    let bytes = (numbers * size_of::<u32>()) as u64;
    let mapped = reserve(file, bytes).and_then(|()| {
        // SAFETY: the file has no name, so nobody else can change it or cut it off.
        unsafe { MmapMut::map_mut(file) }
    });
    mapped.map_err(|error| Error::io(std::env::temp_dir(), error))
}

#[cfg(target_os = "linux")]
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => write_zeros(file, bytes),
        result => Ok(result?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    write_zeros(file, bytes)
}

/// Makes a file so long by writing what it does not have.
fn write_zeros(mut file: &File, bytes: u64) -> io::Result<()> {
    let zeros = vec![0; 1 << 20];
    let mut at = file.seek(SeekFrom::End(0))?;
    while at < bytes {
        let part = (bytes - at).min(zeros.len() as u64);
        file.write_all(&zeros[..part as usize])?;
        at += part;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_what_memory_holds() {
        // A window of two pages, so that nearly every write lets go of others.
        let mut both = [NumberArray::new(None).unwrap(), NumberArray::new(Some(8192)).unwrap()];
        for numbers in &mut both {
            for len in [5, 1 << 14, 1 << 17] {
                let before = numbers.len();
                numbers.grow(len).unwrap();
                for at in (before..len).rev() {
                    numbers.write(at, (at * 7919 % len) as u32);
                }
                numbers.release(len / 3..len / 2);
            }
        }
        assert!(matches!(both, [NumberArray::Memory(_), NumberArray::File(_)]));
        assert_eq!(both[0].as_slice(), both[1].as_slice());
    }

    #[test]
    fn large_pages_are_counted_whole() {
        // Pages of 64 KiB, of which there may be four.
        let mut mapped = Mapped::new(4 * 65536, 16).unwrap();
        mapped.grow(1 << 18).unwrap();
        for (at, pages) in [(0, 16), (AROUND - 1, 16), (AROUND, 32), (9 * AROUND + 5, 48), (2 * AROUND, 0), (7, 16)] {
            mapped.touch(at);
            assert_eq!(mapped.pages, pages, "after {at}");
        }
    }

    #[test]
    fn zeros_are_written_after_what_there_is() {
        let file = temporary_file().unwrap();
        write_zeros(&file, 3 << 20).unwrap();
        write_zeros(&file, (5 << 20) + 1).unwrap();
        assert_eq!(file.metadata().unwrap().len(), (5 << 20) + 1);
    }
}
