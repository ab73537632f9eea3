//! Python code that Rust calls: iterators, callbacks, the package's own functions.
//!
//! The interpreter may end while such code runs in a thread that nobody waits for. Before 3.14, CPython then ends the
//! thread where it asks for the interpreter's lock. With glibc that unwinds the thread's stack, and the process aborts
//! where the unwinding meets frames of Rust. So the thread is stopped below them and waits for the end of the process,
//! as it does from 3.14 on. PyO3 does the same where it takes the lock itself. (Other systems end the thread without
//! unwinding, and nothing can be done about it here.)

use std::hint::black_box;
use std::mem::{forget, transmute};

use pyo3::ffi::{PyIter_Next, PyObject, PyObject_CallObject, PyObject_GetIter};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

type One = unsafe extern "C" fn(*mut PyObject) -> *mut PyObject;
type OneUnwinding = unsafe extern "C-unwind" fn(*mut PyObject) -> *mut PyObject;
type Two = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;
type TwoUnwinding = unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;

/// Stops the thread for good if its stack is unwound.
struct Stop;

impl Drop for Stop {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

/// Does what may end the thread: it is a call of a function that may unwind, and nothing else. What Rust does where a
/// stack is unwound from outside is not specified. Today it drops what is there, on which PyO3 relies as well.
#[inline]
pub(crate) fn stopping<T>(work: impl FnOnce() -> T) -> T {
    let stop = Stop;
    let result = work();
    forget(stop);
    result
}

/// Calls a function with positional arguments.
pub(crate) fn call<'py, A>(function: &Bound<'py, PyAny>, arguments: A) -> PyResult<Bound<'py, PyAny>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
{
    let arguments = arguments.into_pyobject(function.py()).map_err(Into::into)?;
    // SAFETY: the same function, but one that may unwind; `black_box` hides that it was declared as one that does not.
    // It returns a new reference, or null with an exception set.
    unsafe {
        let call = transmute::<Two, TwoUnwinding>(black_box::<Two>(PyObject_CallObject));
        let result = stopping(|| call(function.as_ptr(), arguments.as_ptr()));
        Bound::from_owned_ptr_or_err(function.py(), result)
    }
}

/// The items that an iterator gives.
pub(crate) struct Items<'py>(pub(crate) Bound<'py, PyIterator>);

impl<'py> Items<'py> {
    /// Those of anything that can be iterated over.
    pub(crate) fn of(values: &Bound<'py, PyAny>) -> PyResult<Self> {
        // SAFETY: as above.
        let iterator = unsafe {
            let iterate = transmute::<One, OneUnwinding>(black_box::<One>(PyObject_GetIter));
            let iterator = stopping(|| iterate(values.as_ptr()));
            Bound::from_owned_ptr_or_err(values.py(), iterator)?
        };
        Ok(Items(iterator.cast_into()?))
    }
}

impl<'py> Iterator for Items<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    fn next(&mut self) -> Option<Self::Item> {
        let py = self.0.py();
        // SAFETY: as above; at the end it returns null without an exception.
        let item = unsafe {
            let next = transmute::<One, OneUnwinding>(black_box::<One>(PyIter_Next));
            let item = stopping(|| next(self.0.as_ptr()));
            Bound::from_owned_ptr_or_opt(py, item)
        };
        item.map(Ok).or_else(|| PyErr::take(py).map(Err))
    }
}
