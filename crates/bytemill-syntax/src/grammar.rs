//! The kinds of nodes of a grammar.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::RangeInclusive;
use std::ptr::NonNull;

use tree_sitter_language::LanguageFn;

/// The tables of a grammar, which are constants.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grammar(NonNull<c_void>);

// SAFETY: nothing writes to the tables.
unsafe impl Send for Grammar {}
// SAFETY: as above.
unsafe impl Sync for Grammar {}

/// The layouts of tables that the parser reads, as tree-sitter counts them (`src/c/syntax.c` holds this to its headers).
pub const ABI_VERSIONS: RangeInclusive<u32> = 13..=15;

unsafe extern "C" {
    fn ts_language_abi_version(grammar: Grammar) -> u32;
    fn ts_language_symbol_count(grammar: Grammar) -> u32;
    fn ts_language_symbol_name(grammar: Grammar, kind: u16) -> *const c_char;
    fn ts_language_symbol_for_name(grammar: Grammar, name: *const c_char, length: u32, named: bool) -> u16;
    fn ts_language_symbol_type(grammar: Grammar, kind: u16) -> c_int;
}

/// The types of symbols that are nodes: those with a name, and those that the grammar writes out.
const NAMED: c_int = 0;
const ANONYMOUS: c_int = 1;

impl Grammar {
    /// Tables that were not linked.
    ///
    /// # Safety
    ///
    /// They are those of a grammar of tree-sitter, and stay where they are until the process ends.
    pub unsafe fn from_raw(tables: NonNull<c_void>) -> Self {
        Grammar(tables)
    }

    /// A parser can use a grammar only if this is one of [`ABI_VERSIONS`].
    pub fn abi_version(self) -> u32 {
        // SAFETY: the tables are those of a grammar; the version stands first in all of them.
        unsafe { ts_language_abi_version(self) }
    }

    pub fn kind_count(self) -> u16 {
        // SAFETY: the tables are those of a grammar, here and below.
        unsafe { ts_language_symbol_count(self) as u16 }
    }

    /// Empty for what is no kind of the grammar.
    pub fn kind_name(self, kind: u16) -> &'static str {
        // SAFETY: as above; a name is a constant that ends with a zero.
        let name = unsafe { ts_language_symbol_name(self, kind).as_ref().map(|name| CStr::from_ptr(name)) };
        name.and_then(|name| name.to_str().ok()).unwrap_or_default()
    }

    pub fn is_named(self, kind: u16) -> bool {
        // SAFETY: as above.
        kind < self.kind_count() && unsafe { ts_language_symbol_type(self, kind) } == NAMED
    }

    /// Whether nodes of this kind are in a tree at all.
    pub fn is_visible(self, kind: u16) -> bool {
        // SAFETY: as above.
        kind < self.kind_count() && unsafe { ts_language_symbol_type(self, kind) } <= ANONYMOUS
    }

    /// Whether a kind of this name has a name and is not written out.
    pub fn has_named(self, name: &str) -> bool {
        // SAFETY: as above; the name is as long as said.
        unsafe { ts_language_symbol_for_name(self, name.as_ptr().cast(), name.len() as u32, true) != 0 }
    }
}

impl From<LanguageFn> for Grammar {
    fn from(function: LanguageFn) -> Self {
        // SAFETY: the maker of the function has promised that it gives a grammar.
        let tables = unsafe { function.into_raw()() };
        Grammar(NonNull::new(tables.cast_mut().cast()).expect("a grammar has tables"))
    }
}
