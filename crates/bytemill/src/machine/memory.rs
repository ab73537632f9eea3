//! Memory that runs out becomes an error.
//!
//! Rust ends the process when an allocation fails, and an allocator may not unwind. So there are two lines of defence:
//!
//! 1. What grows with the input is asked for beforehand, by [`make_room`] and [`ask`], where a refusal can be told.
//! 2. [`WithReserve`], the allocator of the Python package, keeps some memory in reserve. The first allocation that fails
//!    opens the reserve and succeeds. Work looks now and then, by [`check`], whether the reserve is whole, and ends with
//!    an error if it is not and cannot be made whole.
//!
//! A single allocation that is larger than the reserve and was not asked for still ends the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use memmap2::MmapMut;

use crate::error::{Error, Result};

/// Enough for what is allocated between two checks. The system gives no page of it before it is used.
const RESERVE_LAYOUT: Layout = match Layout::from_size_align(48 << 20, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("the alignment is a power of two"),
};

struct Reserve {
    memory: AtomicPtr<u8>,
    /// Whether it was opened and is not whole again.
    opened: AtomicBool,
}

/// The reserve of the process.
static RESERVE: Reserve = Reserve::none();

impl Reserve {
    const fn none() -> Self {
        Reserve { memory: AtomicPtr::new(std::ptr::null_mut()), opened: AtomicBool::new(false) }
    }

    fn is_whole(&self) -> bool {
        !self.memory.load(Ordering::Acquire).is_null()
    }

    /// Makes it, if there is none. Returns whether there is one now.
    fn keep(&self) -> bool {
        if self.is_whole() {
            return true;
        }
        // SAFETY: the layout has a size.
        let memory = unsafe { System.alloc(RESERVE_LAYOUT) };
        if memory.is_null() {
            return false;
        }
        let first = self.memory.compare_exchange(std::ptr::null_mut(), memory, Ordering::AcqRel, Ordering::Acquire);
        if first.is_err() {
            // SAFETY: another thread was first, so that this one is nobody's.
            unsafe { System.dealloc(memory, RESERVE_LAYOUT) };
        }
        self.opened.store(false, Ordering::Release);
        true
    }

    /// Opens it for an allocation of this size, which is tried again.
    #[cold]
    fn open(&self, size: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
        if size > RESERVE_LAYOUT.size() {
            return std::ptr::null_mut();
        }
        let memory = self.memory.swap(std::ptr::null_mut(), Ordering::AcqRel);
        if !memory.is_null() {
            self.opened.store(true, Ordering::Release);
            // SAFETY: it was allocated with this layout, and the thread that takes it out of its place owns it.
            unsafe { System.dealloc(memory, RESERVE_LAYOUT) };
        }
        // Another thread may have opened it a moment ago: it is tried again in any case.
        allocate()
    }

    /// Whether there is memory to go on with. Costs nothing as long as no allocation has failed.
    #[inline]
    fn check(&self) -> Result<()> {
        if self.opened.load(Ordering::Relaxed) && !self.keep() { Err(Error::Memory) } else { Ok(()) }
    }
}

/// The system's allocator with a reserve, which [`keep_reserve`] makes.
pub struct WithReserve;

// SAFETY: everything is the system's allocator; what it refuses is asked for once more.
unsafe impl GlobalAlloc for WithReserve {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let allocate = || unsafe { System.alloc(layout) };
        let found = allocate();
        if found.is_null() { RESERVE.open(layout.size(), allocate) } else { found }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let allocate = || unsafe { System.alloc_zeroed(layout) };
        let found = allocate();
        if found.is_null() { RESERVE.open(layout.size(), allocate) } else { found }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises; where it fails, the old block stays as it is.
        let allocate = || unsafe { System.realloc(pointer, layout, size) };
        let found = allocate();
        if found.is_null() { RESERVE.open(size, allocate) } else { found }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Makes the reserve, if there is none. Returns whether there is one now.
pub fn keep_reserve() -> bool {
    RESERVE.keep()
}

/// Whether there is memory to go on with.
#[inline]
pub(crate) fn check() -> Result<()> {
    RESERVE.check()
}

/// How an error gets out of code that has none: [`super::guarded`] makes it one again.
pub(crate) struct OutOfMemory;

#[cold]
pub(crate) fn give_up() -> ! {
    resume_unwind(Box::new(OutOfMemory))
}

/// [`check`] for code that has no errors.
#[inline]
pub(crate) fn check_or_give_up() {
    if check().is_err() {
        give_up();
    }
}

/// Room for `more` more, or the end of the call.
#[inline]
pub(crate) fn make_room<T>(vec: &mut Vec<T>, more: usize) {
    // Twice the room may be too much where what is needed is not.
    if vec.capacity() - vec.len() < more && vec.try_reserve(more).is_err() && vec.try_reserve_exact(more).is_err() {
        give_up();
    }
}

/// An empty vector with room for `count`, or an error.
pub fn room_for<T>(count: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(count).map(|()| vec).map_err(|_| Error::Memory)
}

/// A copy, or an error.
pub fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    let mut vec = room_for(values.len())?;
    vec.extend_from_slice(values);
    Ok(vec)
}

/// Texts below this are not worth a question: the reserve is enough for them.
const MUCH: usize = 2 << 20;

/// Asks for this many bytes and gives them back: whether work on something large can begin at all.
pub(crate) fn ask(bytes: usize) -> Result<()> {
    check()?;
    if bytes < MUCH {
        return Ok(());
    }
    // Asked of the system, since allocators learn from what is freed which sizes to keep.
    if MmapMut::map_anon(bytes).is_ok() {
        return Ok(());
    }
    // The allocator may have what the system does not give.
    let mut asked = Vec::<u8>::new();
    let given = asked.try_reserve_exact(bytes).is_ok();
    // What nobody looks at, the compiler may take for given.
    black_box(asked);
    if given { Ok(()) } else { Err(Error::Memory) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::guarded;

    #[test]
    fn what_there_is_no_room_for_is_an_error() {
        let mut numbers = vec![1u64];
        make_room(&mut numbers, 100);
        assert!(numbers.capacity() > 100);
        let refused = guarded(|| {
            make_room(&mut numbers, usize::MAX / 16);
            Ok(())
        });
        assert!(matches!(refused, Err(Error::Memory)));
        assert_eq!(numbers, [1]);
        assert!(matches!(ask(usize::MAX / 4), Err(Error::Memory)));
        assert!(ask(3 << 20).is_ok() && check().is_ok());
    }

    #[test]
    fn the_reserve_is_opened_once_and_made_again() {
        let reserve = Reserve::none();
        assert!(reserve.keep() && reserve.keep());
        let block = Layout::new::<u64>();
        // SAFETY: the layout has a size, and what is allocated is freed.
        let allocate = || unsafe { System.alloc(block) };
        let found = reserve.open(block.size(), allocate);
        assert!(!found.is_null() && !reserve.is_whole());
        // SAFETY: as above.
        unsafe { System.dealloc(found, block) };
        assert!(reserve.check().is_ok() && reserve.is_whole());
        // What is larger than the reserve leaves it alone.
        assert!(reserve.open(RESERVE_LAYOUT.size() + 1, allocate).is_null());
        assert!(reserve.is_whole());
        // Opened for nothing, it is given back.
        reserve.open(block.size(), std::ptr::null_mut);
    }
}
