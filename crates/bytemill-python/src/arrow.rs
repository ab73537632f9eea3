//! Arrow's C data interface: columns of text as they lie in the memory of another library, and rows of ids lent to one.
//!
//! The two structures are those of the interface's description. Arrays come and go in capsules, without a copy.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

use crate::calling::{call, stopping};
use crate::text::utf8;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

impl ArrowSchema {
    const EMPTY: ArrowSchema = ArrowSchema {
        format: ptr::null(),
        name: ptr::null(),
        metadata: ptr::null(),
        flags: 0,
        n_children: 0,
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    };
}

impl ArrowArray {
    const EMPTY: ArrowArray = ArrowArray {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: ptr::null_mut(),
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    };
}

impl Drop for ArrowSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the producer of the structure gave this function to release it, which is called once: it sets `release` to null.
            unsafe { release(self) };
        }
    }
}

impl Drop for ArrowArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as for a schema.
            unsafe { release(self) };
        }
    }
}

/// How the texts of an array lie in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextLayout {
    /// Offsets of four bytes.
    Small,
    /// Offsets of eight bytes.
    Large,
    /// Sixteen bytes each, with the text or the place where it is.
    Views,
}

/// The texts of an array of another library, where they lie.
pub(crate) struct Texts {
    /// The whole array, which may be a record of which the texts are the only column.
    array: ArrowArray,
    layout: TextLayout,
    is_column: bool,
}

// SAFETY: the interface allows an array to be read and released by any thread.
unsafe impl Send for Texts {}
// SAFETY: it is only read.
unsafe impl Sync for Texts {}

impl Texts {
    /// Reads an object with `__arrow_c_array__` whose values are texts.
    pub(crate) fn import(value: &Bound<PyAny>) -> PyResult<Self> {
        let pair = call(&value.getattr("__arrow_c_array__")?, ())?.cast_into::<PyTuple>()?;
        let schema: ArrowSchema = taken(&pair.get_item(0)?, SCHEMA, ArrowSchema::EMPTY)?;
        let array: ArrowArray = taken(&pair.get_item(1)?, ARRAY, ArrowArray::EMPTY)?;
        Texts::new(&schema, array)
    }

    /// Reads the arrays of an object with `__arrow_c_array__` or `__arrow_c_stream__`, one after another.
    pub(crate) fn import_all(value: &Bound<PyAny>) -> PyResult<Vec<Self>> {
        if value.hasattr("__arrow_c_array__")? {
            return Ok(vec![Texts::import(value)?]);
        }
        if !value.hasattr("__arrow_c_stream__")? {
            return Err(PyTypeError::new_err(format!(
                "expected a column of texts with Arrow's PyCapsule interface, as of pyarrow or polars, not {}",
                value.get_type().name()?
            )));
        }
        let capsule = call(&value.getattr("__arrow_c_stream__")?, ())?;
        let mut stream: ArrowArrayStream = taken(&capsule, STREAM, ArrowArrayStream::EMPTY)?;
        let schema = stream.schema()?;
        let mut all = Vec::new();
        while let Some(array) = stream.next()? {
            all.push(Texts::new(&schema, array)?);
        }
        Ok(all)
    }

    fn new(schema: &ArrowSchema, array: ArrowArray) -> PyResult<Self> {
        if schema.release.is_none() || array.release.is_none() {
            return Err(released("array"));
        }
        let mut column = schema;
        let is_column = format_of(schema) == "+s";
        if is_column {
            if schema.n_children != 1 || array.n_children != 1 {
                let message = "this is a table of several columns; give the one with the texts";
                return Err(PyTypeError::new_err(message));
            }
            // SAFETY: there is one, and it lives as long as the schema.
            column = unsafe { &**schema.children };
        }
        let format = format_of(column);
        let layout = match format.as_str() {
            _ if !column.dictionary.is_null() => None,
            "u" => Some(TextLayout::Small),
            "U" => Some(TextLayout::Large),
            "vu" => Some(TextLayout::Views),
            _ => None,
        };
        let Some(layout) = layout else {
            return Err(PyTypeError::new_err(format!(
                "the array holds values of the Arrow type {format:?}, not texts; cast it to string first"
            )));
        };
        let texts = Texts { array, layout, is_column };
        let (of_texts, least) = (texts.column(), 3);
        if of_texts.n_buffers < least || of_texts.length < 0 || of_texts.offset < 0 || texts.array.offset < 0 {
            return Err(PyValueError::new_err("the array is not as Arrow describes arrays of texts"));
        }
        Ok(texts)
    }

    fn column(&self) -> &ArrowArray {
        // SAFETY: a record has one child, which `new` has checked, and which lives as long as the record.
        if self.is_column { unsafe { &**self.array.children } } else { &self.array }
    }

    pub(crate) fn len(&self) -> usize {
        self.array.length as usize
    }

    fn buffer<T>(&self, number: usize) -> *const T {
        // SAFETY: there are at least three of them, which `new` has checked, and of views as many as these name.
        unsafe { (*self.column().buffers.add(number)).cast() }
    }

    /// The number of a row in the buffers.
    fn place(&self, row: usize) -> usize {
        let outer = if self.is_column { self.array.offset as usize } else { 0 };
        self.column().offset as usize + outer + row
    }

    fn is_null(&self, row: usize) -> bool {
        let validity = self.buffer::<u8>(0);
        let row = self.place(row);
        // SAFETY: a bitmap has a bit for each row.
        !validity.is_null() && unsafe { *validity.add(row / 8) } >> (row % 8) & 1 == 0
    }

    /// None for null; else the text, or why it is none.
    pub(crate) fn get(&self, row: usize) -> Result<Option<&str>, String> {
        if self.is_null(row) {
            return Ok(None);
        }
        utf8(self.bytes(row)).map(Some).map_err(|error| error.to_string())
    }

    /// How long the text of a row is, if it is one.
    pub(crate) fn bytes_of(&self, row: usize) -> usize {
        if self.is_null(row) { 0 } else { self.bytes(row).len() }
    }

    fn bytes(&self, row: usize) -> &[u8] {
        let row = self.place(row);
        // SAFETY: there is one offset more than there are rows, or a view for each, and they are within the data.
        unsafe {
            let (data, start, length) = match self.layout {
                TextLayout::Small => {
                    let ends = self.buffer::<i32>(1);
                    (2, *ends.add(row) as usize, (*ends.add(row + 1) - *ends.add(row)) as usize)
                }
                TextLayout::Large => {
                    let ends = self.buffer::<i64>(1);
                    (2, *ends.add(row) as usize, (*ends.add(row + 1) - *ends.add(row)) as usize)
                }
                TextLayout::Views => {
                    const INLINE: i32 = 12;
                    let view = self.buffer::<[i32; 4]>(1).add(row);
                    let [length, _, number, start] = *view;
                    if length <= INLINE {
                        return std::slice::from_raw_parts(view.cast::<u8>().add(4), length as usize);
                    }
                    (2 + number as usize, start as usize, length as usize)
                }
            };
            if length == 0 { &[] } else { std::slice::from_raw_parts(self.buffer::<u8>(data).add(start), length) }
        }
    }
}

fn format_of(schema: &ArrowSchema) -> String {
    // SAFETY: the format of a schema that was not released is a text of C's.
    unsafe { CStr::from_ptr(schema.format) }.to_string_lossy().into_owned()
}

#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C-unwind" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> i32>,
    get_next: Option<unsafe extern "C-unwind" fn(*mut ArrowArrayStream, *mut ArrowArray) -> i32>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

impl ArrowArrayStream {
    const EMPTY: ArrowArrayStream = ArrowArrayStream {
        get_schema: None,
        get_next: None,
        get_last_error: None,
        release: None,
        private_data: ptr::null_mut(),
    };

    fn schema(&mut self) -> PyResult<ArrowSchema> {
        let mut schema = ArrowSchema::EMPTY;
        let (Some(get), Some(_)) = (self.get_schema, self.release) else { return Err(released("stream")) };
        // SAFETY: the stream was not released, and the schema is empty. The stream may run a Python generator.
        match stopping(|| unsafe { get(self, &mut schema) }) {
            0 => Ok(schema),
            _ => Err(self.failed()),
        }
    }

    fn next(&mut self) -> PyResult<Option<ArrowArray>> {
        let mut array = ArrowArray::EMPTY;
        let Some(get) = self.get_next else { return Err(released("stream")) };
        // SAFETY: as for the schema. An array without a way to release it is the end.
        match stopping(|| unsafe { get(self, &mut array) }) {
            0 => Ok(array.release.is_some().then_some(array)),
            _ => Err(self.failed()),
        }
    }

    fn failed(&mut self) -> PyErr {
        let message = match self.get_last_error {
            // SAFETY: asked for right after an error; the text lives until the next call.
            Some(get) => unsafe {
                let text = get(self);
                if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
            },
            None => String::new(),
        };
        PyValueError::new_err(format!("the Arrow stream ended with an error: {message}"))
    }
}

fn released(what: &str) -> PyErr {
    PyValueError::new_err(format!("the Arrow {what} was read before"))
}

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as for a schema.
            unsafe { release(self) };
        }
    }
}

/// What a capsule holds, which is then empty.
fn taken<T>(capsule: &Bound<PyAny>, name: &CStr, empty: T) -> PyResult<T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let held = capsule.pointer_checked(Some(name))?.cast::<T>();
    // Locked where the interpreter is not: of two threads that take from one capsule, the second finds it empty.
    // SAFETY: the name says what the capsule holds; moving it out, and leaving one that is released, is how the interface hands over.
    Ok(with_critical_section(capsule, || unsafe { ptr::replace(held.as_ptr(), empty) }))
}

/// Rows of ids that another library can take, as a list array.
#[pyclass(frozen, module = "bytemill._core")]
pub(crate) struct IdLists {
    ids: Vec<u32>,
    /// One more than there are rows.
    offsets: Vec<i64>,
    /// A bit for each row, if one of them is null.
    validity: Option<(Vec<u8>, usize)>,
}

impl IdLists {
    pub(crate) fn new(ids: Vec<u32>, offsets: Vec<i64>, validity: Option<(Vec<u8>, usize)>) -> Self {
        IdLists { ids, offsets, validity }
    }
}

/// What keeps the memory of an exported array: the object itself, and the pointers.
struct Kept {
    _owner: Py<IdLists>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

struct KeptSchema {
    format: CString,
    name: CString,
    children: Vec<*mut ArrowSchema>,
}

#[pymethods]
impl IdLists {
    fn __len__(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The capsules by which other libraries take the rows, as a large list of uint32.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        slf: Bound<'py, Self>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // Other types are made by the consumer that asks for them, as the interface allows.
        drop(requested_schema);
        let (py, rows) = (slf.py(), slf.get());
        let schema = schema_of(c"+L", c"", vec![schema_of(c"I", c"item", Vec::new())]);
        let owner = || slf.clone().unbind();
        let ids = array_of(owner(), (rows.ids.len(), 0), vec![ptr::null(), rows.ids.as_ptr().cast()], Vec::new());
        let (validity, nulls) =
            rows.validity.as_ref().map_or((ptr::null(), 0), |(bits, nulls)| (bits.as_ptr().cast(), *nulls));
        let buffers = vec![validity, rows.offsets.as_ptr().cast()];
        let lists = array_of(owner(), (rows.offsets.len() - 1, nulls), buffers, vec![ids]);
        let schema = PyCapsule::new_with_value(py, Held(schema), SCHEMA)?;
        let lists = PyCapsule::new_with_value(py, Held(lists), ARRAY)?;
        Ok((schema, lists))
    }
}

/// A structure in a capsule, at the address of the capsule's pointer.
#[repr(transparent)]
struct Held<T>(T);

// SAFETY: the interface allows its structures to be handed to any thread.
unsafe impl<T> Send for Held<T> {}

fn schema_of(format: &CStr, name: &CStr, children: Vec<ArrowSchema>) -> ArrowSchema {
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut kept = Box::new(KeptSchema { format: format.into(), name: name.into(), children });
    const NULLABLE: i64 = 2;
    ArrowSchema {
        format: kept.format.as_ptr(),
        name: kept.name.as_ptr(),
        flags: NULLABLE,
        n_children: kept.children.len() as i64,
        children: kept.children.as_mut_ptr(),
        release: Some(release_schema),
        private_data: Box::into_raw(kept).cast(),
        ..ArrowSchema::EMPTY
    }
}

fn array_of(
    owner: Py<IdLists>,
    (length, nulls): (usize, usize),
    buffers: Vec<*const c_void>,
    children: Vec<ArrowArray>,
) -> ArrowArray {
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut kept = Box::new(Kept { _owner: owner, buffers, children });
    ArrowArray {
        length: length as i64,
        null_count: nulls as i64,
        n_buffers: kept.buffers.len() as i64,
        n_children: kept.children.len() as i64,
        buffers: kept.buffers.as_mut_ptr(),
        children: kept.children.as_mut_ptr(),
        release: Some(release_array),
        private_data: Box::into_raw(kept).cast(),
        ..ArrowArray::EMPTY
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: it is one of `schema_of`, and not released yet.
    unsafe {
        let kept = Box::from_raw((*schema).private_data.cast::<KeptSchema>());
        kept.children.iter().for_each(|&child| drop(Box::from_raw(child)));
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: it is one of `array_of`, and not released yet. The interpreter is attached, as an object of it is let go.
    unsafe {
        let kept = Box::from_raw((*array).private_data.cast::<Kept>());
        kept.children.iter().for_each(|&child| drop(Box::from_raw(child)));
        (*array).release = None;
        Python::attach(|_| drop(kept));
    }
}
