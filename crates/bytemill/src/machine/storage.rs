//! Section: an array of plain numbers, owned or lying in a memory-mapped file. Zeroed: a large array of zeros to begin with.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable, zeroed_slice_box};
use memmap2::{Mmap, MmapMut, MmapRaw};

use super::memory::make_room;

/// The bytes of a file: mapped where it was opened by path, borrowed where it came as bytes.
pub enum FileBytes<'a> {
    Map(Arc<Mmap>),
    Bytes(&'a [u8]),
}

impl FileBytes<'_> {
    pub fn bytes(&self) -> &[u8] {
        match self {
            FileBytes::Map(map) => map,
            FileBytes::Bytes(bytes) => bytes,
        }
    }
}

#[derive(Debug, Clone)]
pub enum Section<T> {
    /// As a vector, which takes over numbers that were collected without a copy.
    Owned(Arc<Vec<T>>),
    /// A range of bytes of the map that was found to be aligned and whole.
    Mapped(Arc<Mmap>, Range<usize>),
}

impl<T: Pod> Section<T> {
    /// The little-endian numbers in `range`, without a copy where the source is mapped and the machine little-endian;
    /// None where the range does not hold whole numbers.
    pub fn from_le(source: &FileBytes, range: Range<usize>, read: fn(&[u8]) -> T) -> Option<Self> {
        let bytes = source.bytes().get(range.clone())?;
        if bytes.len() % size_of::<T>() != 0 {
            return None;
        }
        match source {
            FileBytes::Map(map)
                if cfg!(target_endian = "little") && bytemuck::try_cast_slice::<u8, T>(bytes).is_ok() =>
            {
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
        Section::Owned(Arc::new(numbers.into_iter().collect()))
    }
}

/// An empty vector with room, which on Linux will lie in huge pages as far as the system has them: page by page, memory that is new costs
/// more than what it is filled with.
pub(crate) fn large_vec<T>(room: usize) -> Vec<T> {
    let mut vec = Vec::new();
    // Room that the system does not have is asked for again when it is needed, if ever.
    let _ = vec.try_reserve_exact(room);
    #[cfg(target_os = "linux")]
    if vec.capacity() * size_of::<T>() >= 2 * HUGE_PAGE {
        let start = vec.as_ptr() as usize;
        let (from, to) =
            (start.next_multiple_of(HUGE_PAGE), (start + vec.capacity() * size_of::<T>()) / HUGE_PAGE * HUGE_PAGE);
        // SAFETY: the range lies in memory that is the vector's, and the advice changes nothing that is in it. If it is not taken, nothing is
        // lost.
        let _ = unsafe { rustix::mm::madvise(from as *mut _, to - from, rustix::mm::Advice::LinuxHugepage) };
    }
    vec
}

/// Makes room for more, in huge pages where there is much already.
pub(crate) fn reserve_large<T: Copy>(vec: &mut Vec<T>, more: usize) {
    if vec.capacity() - vec.len() >= more {
        return;
    }
    let mut larger = large_vec(2 * (vec.len() + more));
    // Where there is no room for two of them, the one that is there can often grow.
    if larger.capacity() < vec.len() + more {
        return make_room(vec, more);
    }
    larger.extend_from_slice(vec);
    *vec = larger;
}

/// Gives memory that was freed back to the system. The allocator of GNU keeps what lies between other things, and what a large file was
/// parsed into lies so: a tokenizer.json with 150,000 tokens leaves 70 MB, more than the tokenizer itself.
pub(crate) fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: what is in use is not touched.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// A large array that starts as zeros and is read at random. On Linux it lies in huge pages where the system has them: with ordinary ones
/// finding the page costs as much as reading it.
#[derive(Debug)]
pub(crate) enum Zeroed<T> {
    Owned(Box<[T]>),
    /// The map, the byte of it where they begin, and how many there are.
    Mapped(MmapRaw, usize, usize),
}

impl<T> Default for Zeroed<T> {
    fn default() -> Self {
        Zeroed::Owned(Box::default())
    }
}

pub(crate) const HUGE_PAGE: usize = 2 << 20;

impl<T: Zeroable> Zeroed<T> {
    pub(crate) fn new(count: usize) -> Self {
        // What is mapped is never dropped.
        const { assert!(!std::mem::needs_drop::<T>() && HUGE_PAGE.is_multiple_of(align_of::<T>())) };
        if count * size_of::<T>() >= HUGE_PAGE
            && let Some(mapped) = Self::in_huge_pages(count)
        {
            return mapped;
        }
        Zeroed::Owned(zeroed_slice_box(count))
    }

    #[cfg(target_os = "linux")]
    fn in_huge_pages(count: usize) -> Option<Self> {
        let bytes = count * size_of::<T>();
        let map = MmapRaw::from(MmapMut::map_anon(bytes + HUGE_PAGE).ok()?);
        // The advice must come before the first touch, which decides what kind of page it is.
        map.advise(memmap2::Advice::HugePage).ok()?;
        let start = map.as_ptr().align_offset(HUGE_PAGE);
        (start + bytes <= map.len()).then_some(Zeroed::Mapped(map, start, count))
    }

    #[cfg(not(target_os = "linux"))]
    fn in_huge_pages(_count: usize) -> Option<Self> {
        None
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Zeroed::Owned(numbers) => numbers,
            // SAFETY: `count` of them lie in the map from its `start` on, which is aligned; all of them zeros or what was written since.
            Zeroed::Mapped(map, start, count) => unsafe {
                std::slice::from_raw_parts(map.as_mut_ptr().add(*start).cast::<T>(), *count)
            },
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            Zeroed::Owned(numbers) => numbers,
            // SAFETY: as above, and nobody else has the map.
            Zeroed::Mapped(map, start, count) => unsafe {
                std::slice::from_raw_parts_mut(map.as_mut_ptr().add(*start).cast::<T>(), *count)
            },
        }
    }
}
