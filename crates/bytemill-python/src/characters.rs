//! Where the running interpreter keeps the characters of a `str`.
//!
//! The stable ABI has a call for their UTF-8. For ASCII it takes longer than a short text to encode, and for others it makes a copy that stays
//! with the `str` as long as that lives. As in `layout`, what is expected is looked for in objects made for it, and if anything is otherwise,
//! the call is used.

use std::slice;

use bytemill::text::CodeUnits;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use crate::layout::{field, is_known};

/// After the count of references and the type: how many characters there are, a hash, and bits that say how they are kept.
const LENGTH: usize = 16;
const STATE: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Characters {
    /// Where ASCII is. Other characters have the length of their UTF-8 there, and after it its address, if somebody asked for it.
    ascii: usize,
    /// Where others are.
    others: usize,
    /// The lowest bit of three that say how wide they are; above these one says that they are in the object, and one that they are ASCII.
    width: u32,
}

const BEFORE_3_12: Characters = Characters { ascii: 48, others: 72, width: 2 };
const SINCE_3_12: Characters = Characters { ascii: 40, others: 56, width: 2 };
const SINCE_3_14: Characters = Characters { width: 16, ..SINCE_3_12 };

impl Characters {
    /// None where the interpreter is not known to have them.
    pub(crate) fn of_interpreter(py: Python) -> Option<Self> {
        static FOUND: PyOnceLock<Option<Characters>> = PyOnceLock::new();
        *FOUND.get_or_init(py, || {
            is_known(py).ok().filter(|&known| known)?;
            let layouts = [BEFORE_3_12, SINCE_3_12, SINCE_3_14];
            layouts.into_iter().find(|layout| layout.holds(py).unwrap_or(false))
        })
    }

    /// Those of a `str` that is not of a subclass, if they are in the object.
    #[inline]
    pub(crate) fn read<'a>(self, text: Borrowed<'a, '_, PyString>) -> Option<CodeUnits<'a>> {
        // SAFETY: a `str` has these fields by the layout, which was found to be that of the interpreter.
        let (length, width) = unsafe { self.shape(&text)? };
        let object = text.as_ptr().cast::<u8>().cast_const();
        // SAFETY: `length` characters of that width are in the object, which lives as long as they are used and never changes. The same is
        // true of the UTF-8 that was asked for. ASCII is UTF-8, and that of the interpreter is valid.
        unsafe {
            if width == ASCII {
                let bytes = slice::from_raw_parts(object.add(self.ascii), length);
                return Some(CodeUnits::Utf8(std::str::from_utf8_unchecked(bytes)));
            }
            let utf8 = field::<*const u8>(text.as_ptr(), self.ascii + size_of::<usize>());
            if !utf8.is_null() {
                let bytes = slice::from_raw_parts(utf8, field(text.as_ptr(), self.ascii));
                return Some(CodeUnits::Utf8(std::str::from_utf8_unchecked(bytes)));
            }
            let units = object.add(self.others);
            match width {
                1 => Some(CodeUnits::Latin(slice::from_raw_parts(units, length))),
                2 => Some(CodeUnits::Two(slice::from_raw_parts(units.cast(), length))),
                4 => Some(CodeUnits::Four(slice::from_raw_parts(units.cast(), length))),
                _ => None,
            }
        }
    }

    /// How many characters a `str` has and how wide they are, or `ASCII`; None of one that keeps them elsewhere.
    ///
    /// # Safety
    /// Given that the interpreter is known, that much is in every `str`. Whether it says this, the layout says.
    #[inline]
    unsafe fn shape(self, text: &Bound<PyString>) -> Option<(usize, u32)> {
        // SAFETY: as the caller says.
        let (length, state) =
            unsafe { (field::<usize>(text.as_ptr(), LENGTH), field::<u32>(text.as_ptr(), STATE) >> self.width) };
        // SAFETY: a `str` is an object.
        let is_exact = unsafe { ffi::PyUnicode_CheckExact(text.as_ptr()) } != 0;
        let width = if state >> 4 & 1 != 0 { ASCII } else { state & 7 };
        (is_exact && state >> 3 & 1 != 0).then_some((length, width))
    }

    /// Looks at texts of all widths, before and after their UTF-8 was asked for.
    fn holds(self, py: Python) -> PyResult<bool> {
        let size = |text: &Bound<PyString>| text.call_method0("__sizeof__")?.extract::<usize>();
        for (widest, width) in [('a', ASCII), ('ÿ', 1), ('中', 2), ('😀', 4)] {
            // The size comes first, so that nothing beyond an object is read. That of one letter, which may be shared, is not looked at.
            for length in [300, 7, 2, 1] {
                let expected: String = "ab".chars().cycle().take(length - 1).chain([widest]).collect();
                let text = PyString::new(py, &expected);
                let (header, unit) = if width == ASCII { (self.ascii, 1) } else { (self.others, width as usize) };
                // SAFETY: the interpreter is known.
                let shape = unsafe { self.shape(&text) };
                // With the zero after them they fill the object.
                let is_full = size(&text)? == header + (length + 1) * unit || length == 1;
                if shape != Some((length, width)) || !is_full {
                    return Ok(false);
                }
                for _ in 0..2 {
                    let mut utf8 = Vec::new();
                    let is_read = self.read(text.as_borrowed()).is_some_and(|units| units.write(&mut utf8).is_ok());
                    if !is_read || utf8 != text.to_str()?.as_bytes() || utf8 != expected.as_bytes() {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}

/// In place of a width: one byte each, and none above 0x7F.
const ASCII: u32 = 0;
