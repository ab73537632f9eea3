//! A column of a Parquet file: which rows there are is known from its footer, and the worker that opens them decodes them. Rows of
//! one group are decoded one after another, and groups beside one another.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytemill::Result;
use bytemill::data::{OpenedRows, RowChunk, TableRows};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::calling::Items;
use crate::tables::{TextRows, of_file, open_rows};

/// Text that is decoded at once: enough for decoding to be quick, little enough for many threads to have some.
const AT_ONCE_BYTES: u64 = 1 << 20;
/// No more rows than this: a text that stands there many times may be stored once.
const AT_ONCE_ROWS: u64 = 1 << 12;

/// A row group as its footer tells of it: rows, bytes of the column in memory, bytes of the file up to its end.
type GroupTold = (u64, u64, u64);

pub(crate) struct RowGroups {
    /// A `ParquetColumn` of `bytemill._tables`.
    column: Py<PyAny>,
    path: Arc<Path>,
    groups: std::iter::Enumerate<std::vec::IntoIter<GroupTold>>,
    /// The group whose rows are handed out, and its next part.
    current: Option<(Arc<Group>, u64)>,
    bytes: u64,
}

/// One row group, decoded in parts of `part_rows` rows.
struct Group {
    rows: u64,
    part_rows: u64,
    part_bytes: u64,
    path: Arc<Path>,
    decoder: Mutex<Decoder>,
}

struct Decoder {
    /// Arrays of the column, once somebody has asked for one.
    arrays: Option<Py<PyIterator>>,
    column: Py<PyAny>,
    number: usize,
    part_rows: u64,
    /// An array with the rows of it that were taken.
    current: Option<(Arc<TextRows>, usize)>,
    /// The part to decode next.
    next: u64,
    /// Parts that were decoded on the way to a later one; None for those that nobody will ask for.
    early: HashMap<u64, Option<Vec<ArrayPart>>>,
}

/// Some rows of an array.
type ArrayPart = (Arc<TextRows>, Range<usize>);

/// One part of a row group.
struct GroupRows {
    group: Arc<Group>,
    part: u64,
    opened: bool,
}

impl RowGroups {
    pub(crate) fn open(column: &Bound<PyAny>, path: &Path) -> PyResult<Box<dyn TableRows>> {
        let groups: Vec<GroupTold> = column.getattr("groups")?.extract()?;
        let (column, groups) = (column.clone().unbind(), groups.into_iter().enumerate());
        Ok(Box::new(RowGroups { column, path: path.into(), groups, current: None, bytes: 0 }))
    }

    fn group(&self, number: usize, rows: u64, bytes: u64) -> Group {
        let of_row = (bytes / rows.max(1)).max(1);
        let part_rows = (AT_ONCE_BYTES / of_row).clamp(1, AT_ONCE_ROWS);
        let column = Python::attach(|py| self.column.clone_ref(py));
        let decoder =
            Decoder { arrays: None, column, number, part_rows, current: None, next: 0, early: HashMap::new() };
        let part_bytes = part_rows.saturating_mul(of_row);
        Group { rows, part_rows, part_bytes, path: self.path.clone(), decoder: Mutex::new(decoder) }
    }
}

impl TableRows for RowGroups {
    fn next_rows(&mut self) -> Result<Option<Box<dyn RowChunk>>> {
        loop {
            if let Some((group, part)) = &mut self.current
                && *part * group.part_rows < group.rows
            {
                *part += 1;
                return Ok(Some(Box::new(GroupRows { group: group.clone(), part: *part - 1, opened: false })));
            }
            let Some((number, (rows, bytes, end))) = self.groups.next() else { return Ok(None) };
            (self.current, self.bytes) = (Some((Arc::new(self.group(number, rows, bytes)), 0)), end);
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

impl Decoder {
    /// The rows of a part. Those of parts before it are kept for the workers that have these.
    fn part(&mut self, part: u64, rows: u64) -> PyResult<Vec<ArrayPart>> {
        if let Some(found) = self.early.remove(&part).flatten() {
            return Ok(found);
        }
        loop {
            let wanted = if self.next == part { rows } else { self.part_rows };
            let found = self.decode(wanted)?;
            self.next += 1;
            if self.next > part {
                return Ok(found);
            }
            match self.early.remove(&(self.next - 1)) {
                Some(_) => {}
                None => drop(self.early.insert(self.next - 1, Some(found))),
            }
        }
    }

    fn decode(&mut self, wanted: u64) -> PyResult<Vec<ArrayPart>> {
        let (mut parts, mut missing) = (Vec::new(), wanted as usize);
        while missing > 0 {
            match &mut self.current {
                Some((array, at)) if *at < array.texts.len() => {
                    let rows = *at..array.texts.len().min(*at + missing);
                    (*at, missing) = (rows.end, missing - rows.len());
                    parts.push((array.clone(), rows));
                }
                _ => match self.next_array()? {
                    Some(array) => self.current = Some((Arc::new(array), 0)),
                    None => break,
                },
            }
        }
        Ok(parts)
    }

    fn next_array(&mut self) -> PyResult<Option<TextRows>> {
        Python::attach(|py| {
            if self.arrays.is_none() {
                let arrays = self.column.bind(py).call_method1("arrays", (self.number, self.part_rows))?;
                self.arrays = Some(Items::of(&arrays)?.0.unbind());
            }
            let Some(arrays) = &self.arrays else { return Ok(None) };
            Items(arrays.bind(py).clone()).next().map(|array| TextRows::import(&array?)).transpose()
        })
    }
}

impl RowChunk for GroupRows {
    fn rows(&self) -> usize {
        let Group { rows, part_rows, .. } = *self.group;
        (rows - self.part * part_rows).min(part_rows) as usize
    }

    fn bytes(&self) -> usize {
        self.group.part_bytes as usize
    }

    fn open(mut self: Box<Self>) -> Result<OpenedRows> {
        self.opened = true;
        let (rows, path) = (self.rows(), &self.group.path);
        let mut decoder = self.group.decoder.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = decoder.part(self.part, rows as u64).map_err(|error| of_file(path, error))?;
        drop(decoder);
        let opened = open_rows(&parts).map_err(|error| of_file(path, error))?;
        match rows - opened.texts.len() {
            0 => Ok(opened),
            missing => {
                let reason = format!("a row group has {missing} rows fewer than the footer says");
                Err(bytemill::Error::format(path.display().to_string(), reason))
            }
        }
    }
}

impl Drop for GroupRows {
    /// Rows that are stepped over need not be kept for anybody.
    fn drop(&mut self) {
        if !self.opened {
            let mut decoder = self.group.decoder.lock().unwrap_or_else(PoisonError::into_inner);
            decoder.early.insert(self.part, None);
        }
    }
}
