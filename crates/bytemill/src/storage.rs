//! Section: an array of plain numbers, owned or lying in a memory-mapped file.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

/// The bytes of a file: mapped where it was opened by path, borrowed where it came as bytes.
pub enum Source<'a> {
    Map(Arc<Mmap>),
    Bytes(&'a [u8]),
}

impl Source<'_> {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Source::Map(map) => map,
            Source::Bytes(bytes) => bytes,
        }
    }
}

#[derive(Debug, Clone)]
pub enum Section<T> {
    Owned(Arc<[T]>),
    /// A range of bytes of the map that was found to be aligned and whole.
    Mapped(Arc<Mmap>, Range<usize>),
}

impl<T: Pod> Section<T> {
    /// The little-endian numbers in `range`, without a copy where the source is mapped and the machine little-endian;
    /// None where the range does not hold whole numbers.
    pub fn from_le(source: &Source, range: Range<usize>, read: fn(&[u8]) -> T) -> Option<Self> {
        let bytes = source.bytes().get(range.clone())?;
        if bytes.len() % size_of::<T>() != 0 {
            return None;
        }
        match source {
            Source::Map(map) if cfg!(target_endian = "little") && bytemuck::try_cast_slice::<u8, T>(bytes).is_ok() => {
                Some(Section::Mapped(map.clone(), range))
            }
            _ => Some(bytes.chunks_exact(size_of::<T>()).map(read).collect()),
        }
    }

    pub fn as_slice(&self) -> &[T] {
        match self {
            Section::Owned(numbers) => numbers,
            Section::Mapped(map, range) => bytemuck::cast_slice(&map[range.clone()]),
        }
    }
}

impl<T> FromIterator<T> for Section<T> {
    fn from_iter<I: IntoIterator<Item = T>>(numbers: I) -> Self {
        Section::Owned(numbers.into_iter().collect())
    }
}
