//! Where the running interpreter keeps the items of a list and the value of an integer, and the characters of a `str` (`characters`).
//!
//! The stable ABI hides them behind calls, which for a list of ids cost more than decoding it. CPython has had them at the same places for
//! many versions; whether the one that runs this does is found out by looking at objects made for it, and if anything is not as expected,
//! the calls of the stable ABI are used (`ids::listed` has both ways).

use std::slice;

use bytemill::TokenId;
use bytemill::machine::prefetch;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyList, PyType};

/// After the count of references and the type: the number of items of a list, or the tag of an integer.
const SIZE_OR_TAG: usize = 16;
/// The address of the items of a list, or the first digit of an integer, which has 30 bits.
const ITEMS_OR_DIGIT: usize = 24;

/// Items that the memory is asked for before they are read: the integers of a list may lie anywhere.
const AHEAD: usize = 48;

/// The tags of integers that are read; the others are negative, or have several digits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    zero: usize,
    one_digit: usize,
    /// Bits of a tag that say nothing about the value.
    ignored: usize,
}

/// Up to 3.11 the tag is the number of digits.
const BEFORE_3_12: Layout = Layout { zero: 0, one_digit: 1, ignored: 0 };
/// Since 3.12 that is above three bits, which say the sign and that an integer is zero.
const SINCE_3_12: Layout = Layout { zero: 1, one_digit: 8, ignored: 0 };
/// Since 3.14 the third bit says that an integer is never freed.
const SINCE_3_14: Layout = Layout { ignored: 4, ..SINCE_3_12 };

impl Layout {
    /// None where the interpreter is not known to have it.
    pub(crate) fn of_interpreter(py: Python) -> Option<Self> {
        static FOUND: PyOnceLock<Option<Layout>> = PyOnceLock::new();
        *FOUND.get_or_init(py, || {
            let mut layouts = [BEFORE_3_12, SINCE_3_12, SINCE_3_14].into_iter();
            sizes_are_right(py).ok().filter(|&right| right)?;
            layouts.find(|layout| layout.holds(py).unwrap_or(false))
        })
    }

    /// Appends the items of a list, from the one that has the number of those that are there, up to the first that is not a plain integer
    /// of at most 30 bits.
    pub(crate) fn read(self, list: &Bound<PyList>, ids: &mut Vec<TokenId>) {
        // SAFETY: the layout was found to be that of lists. Nothing below runs code of Python, and this thread has the interpreter's lock,
        // as there is no layout without one: so the list stays as it is, and its items alive.
        let items = unsafe { items(list) }.get(ids.len()..).unwrap_or_default();
        for (i, &item) in items.iter().enumerate() {
            if let Some(&later) = items.get(i + AHEAD) {
                // SAFETY: as below; nothing is read.
                prefetch(unsafe { &*later });
            }
            // SAFETY: the item is alive, as above.
            match unsafe { self.plain(item) } {
                Some(id) => ids.push(id),
                None => break,
            }
        }
    }

    /// Where a list keeps its items.
    ///
    /// # Safety
    /// They are written to only while the list is new, and nobody else has seen it.
    pub(crate) unsafe fn places(self, list: &Bound<PyList>) -> *mut *mut ffi::PyObject {
        // SAFETY: by the layout there are as many places as the list is long.
        unsafe { items(list) }.as_ptr().cast_mut()
    }

    /// The value of an integer that is not of a subclass, not negative, and has one digit at most.
    ///
    /// # Safety
    /// The object is alive and the layout is that of the interpreter.
    #[inline]
    unsafe fn plain(self, object: *mut ffi::PyObject) -> Option<TokenId> {
        // SAFETY: every integer has a tag, and one with a digit has a first digit. Neither changes.
        unsafe {
            if ffi::PyLong_CheckExact(object) == 0 {
                return None;
            }
            match field::<usize>(object, SIZE_OR_TAG) & !self.ignored {
                tag if tag == self.one_digit => Some(field::<u32>(object, ITEMS_OR_DIGIT)),
                tag if tag == self.zero => Some(0),
                _ => None,
            }
        }
    }

    /// Looks at integers of all kinds and at lists that have grown and shrunk. Given right sizes, all that is read exists.
    fn holds(self, py: Python) -> PyResult<bool> {
        let plain = [0i64, 1, 2, 255, 256, 257, 50_256, 199_999, (1 << 29) + 12_345, (1 << 30) - 1];
        let others =
            [1 << 30, (1 << 30) + 1, 1 << 32, 1 << 60, i64::MAX, -1, -255, -256, -257, 1 - (1 << 30), i64::MIN];
        let list = PyList::new(py, plain)?;
        others.iter().try_for_each(|&other| list.append(other))?;
        list.append(true)?;
        list.append(subclass(py)?.call1((5,))?)?;
        list.append(5.0)?;
        list.append(py.None())?;
        for i in 0..list.len() {
            // SAFETY: the object is in the list; what is read of it lies in it, and no value is taken for granted.
            let read = unsafe { self.plain(list.get_item(i)?.as_ptr()) };
            if read.map(i64::from) != plain.get(i).copied() {
                return Ok(false);
            }
        }
        while !list.is_empty() {
            if !items_are_right(&list)? {
                return Ok(false);
            }
            list.del_item(list.len() / 2)?;
        }
        items_are_right(&list)
    }
}

/// Whether objects are as large as they are with these places in them, and no larger: without the lock, or with the references of all
/// objects traced, they would be.
fn sizes_are_right(py: Python) -> PyResult<bool> {
    let number = |object: Bound<PyAny>, name: &str| object.getattr(name)?.extract::<usize>();
    let digits = py.import("sys")?.getattr("int_info")?;
    let one = 1i32.into_pyobject(py)?.into_any();
    Ok(is_known(py)?
        && number(py.get_type::<PyList>().into_any(), "__basicsize__")? == ITEMS_OR_DIGIT + 16
        && number(digits.clone(), "bits_per_digit")? == 30
        && number(digits, "sizeof_digit")? == size_of::<u32>()
        && one.call_method0("__sizeof__")?.extract::<usize>()? == ITEMS_OR_DIGIT + size_of::<u32>())
}

/// Whether it is an interpreter whose objects begin with the count of references and the type, and nothing else, and whose lock keeps them
/// as they are while they are read.
pub(crate) fn is_known(py: Python) -> PyResult<bool> {
    if cfg!(Py_GIL_DISABLED) {
        return Ok(false);
    }
    let implementation = py.import("sys")?.getattr("implementation")?.getattr("name")?;
    let size = py.get_type::<PyAny>().getattr("__basicsize__")?;
    Ok(cfg!(target_pointer_width = "64")
        && implementation.extract::<String>()? == "cpython"
        && size.extract::<usize>()? == SIZE_OR_TAG)
}

fn items_are_right(list: &Bound<PyList>) -> PyResult<bool> {
    // SAFETY: a list is large enough for what is read of it, by its size. Its items are looked at only if their number is right.
    let (size, address) = unsafe {
        (field::<usize>(list.as_ptr(), SIZE_OR_TAG), field::<*const *const u8>(list.as_ptr(), ITEMS_OR_DIGIT))
    };
    if size != list.len() || (size > 0 && (address.is_null() || !address.is_aligned())) {
        return Ok(false);
    }
    // SAFETY: as above.
    let items = unsafe { items(list) };
    // Nothing is read of what an address leads to before it is known to be that of the item.
    (0..list.len()).try_fold(true, |right, i| Ok(right && items.get(i) == Some(&list.get_item(i)?.as_ptr())))
}

/// # Safety
/// The layout is that of lists, and the list does not change while its items are used.
unsafe fn items<'a>(list: &'a Bound<PyList>) -> &'a [*mut ffi::PyObject] {
    // SAFETY: by the layout there is an address of `size` items; if there are no items, there may be no address.
    unsafe {
        match field::<usize>(list.as_ptr(), SIZE_OR_TAG) {
            0 => &[],
            size => slice::from_raw_parts(field(list.as_ptr(), ITEMS_OR_DIGIT), size),
        }
    }
}

/// # Safety
/// The object is alive and has a field of this type `offset` bytes from its start.
#[inline]
pub(crate) unsafe fn field<T: Copy>(object: *mut ffi::PyObject, offset: usize) -> T {
    // SAFETY: as the caller says; fields are aligned, as objects are.
    unsafe { object.cast::<u8>().add(offset).cast::<T>().read() }
}

fn subclass<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.get_type::<PyType>().call1(("Id", (py.get_type::<PyInt>(),), PyDict::new(py)))
}
