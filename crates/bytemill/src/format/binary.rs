//! `.mill`: our compact format, made to be memory-mapped. All numbers are little-endian.
//!
//! ```text
//!  0  magic           8 bytes: 0x89 M I L L CR LF 0x1A (a transfer that changes line ends breaks it)
//!  8  version         u16
//! 10  family          u8
//! 11  zero            u8
//! 12  sections        u32
//! 16  checksum        u64, XXH3 of everything before and after it
//! 24  section table   for each: kind u32, zero u32, offset u64, length u64
//!     sections, each aligned to 64 bytes: 1 outline and self-tests (JSON), 2 token bytes, 3 token ends (u32), 4 index (u64)
//! ```

use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::native::{VERSION, wrong_version};
use super::self_test::{self, SelfTest};
use crate::definition::{Definition, Family, Outline};
use crate::error::{Error, Result};
use crate::storage::{Section, Source};
use crate::tokenizer::Tokenizer;
use crate::vocab::{TokenId, Vocab};

pub const MAGIC: [u8; 8] = *b"\x89MILL\r\n\x1a";
const CHECKSUM: Range<usize> = 16..24;
const TABLE: usize = 24;
const TABLE_ROW: usize = 24;
const ALIGNMENT: usize = 64;
/// The kinds of sections, in their order.
const KINDS: [u32; 4] = [1, 2, 3, 4];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    definition: Outline,
    holes: Vec<TokenId>,
    self_test: Vec<SelfTest>,
}

pub fn write(tokenizer: &Tokenizer) -> Result<Vec<u8>> {
    let definition = tokenizer.definition();
    let head = Head {
        definition: definition.outline.clone(),
        holes: definition.vocab.holes().to_vec(),
        self_test: self_test::make(tokenizer),
    };
    let head = serde_json::to_vec(&head).map_err(|error| Error::Internal(error.to_string()))?;
    let view = definition.vocab.view();
    let ends: Vec<u8> = view.ends.iter().flat_map(|end| end.to_le_bytes()).collect();
    let slots: Vec<u8> = view.slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
    Ok(assemble(definition.outline.family, [&head, view.arena, &ends, &slots]))
}

fn assemble(family: Family, sections: [&[u8]; 4]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend((VERSION as u16).to_le_bytes());
    file.extend([family_code(family), 0]);
    file.extend((KINDS.len() as u32).to_le_bytes());
    file.extend([0; 8]);
    let mut offset = (TABLE + KINDS.len() * TABLE_ROW).next_multiple_of(ALIGNMENT);
    for (kind, section) in KINDS.into_iter().zip(sections) {
        file.extend(u64::from(kind).to_le_bytes());
        file.extend((offset as u64).to_le_bytes());
        file.extend((section.len() as u64).to_le_bytes());
        offset = (offset + section.len()).next_multiple_of(ALIGNMENT);
    }
    for section in sections {
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend_from_slice(section);
    }
    let sum = checksum(&file);
    file[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    file
}

fn checksum(file: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&file[..CHECKSUM.start]);
    hasher.update(&file[CHECKSUM.end..]);
    hasher.digest()
}

fn family_code(family: Family) -> u8 {
    match family {
        Family::Char => 1,
        Family::Word => 2,
    }
}

pub fn read(source: &Source) -> Result<Tokenizer> {
    let damaged = |reason: &str| Error::format("the file", reason);
    let [head, arena, ends, slots] = sections(source.bytes())?;
    let head: Head = serde_json::from_slice(&source.bytes()[head])
        .map_err(|error| Error::format("the outline", error.to_string()))?;
    if source.bytes()[10] != family_code(head.definition.family) {
        return Err(damaged("the header and the outline name different families"));
    }
    let arena = Section::from_le(source, arena, |bytes| bytes[0]);
    let ends = Section::from_le(source, ends, |bytes| u32::from_le_bytes(bytes.try_into().unwrap_or_default()));
    let slots = Section::from_le(source, slots, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
    let (Some(arena), Some(ends), Some(slots)) = (arena, ends, slots) else {
        return Err(damaged("a section does not hold whole numbers"));
    };
    let vocab = Vocab::from_sections(arena, ends, slots, head.holes).map_err(damaged)?;
    let definition = Definition { outline: head.definition, vocab: vocab.into() };
    self_test::verify(Tokenizer::new(definition)?, &head.self_test)
}

/// Checks the header and gives the place of each section.
fn sections(file: &[u8]) -> Result<[Range<usize>; 4]> {
    let damaged = |reason: &str| Error::format("the file", reason);
    let Some(header) = file.get(..TABLE + KINDS.len() * TABLE_ROW) else {
        return Err(damaged("truncated: it ends inside its header"));
    };
    if header[..8] != MAGIC {
        return Err(damaged("its first bytes were changed, as by a transfer that translates line ends"));
    }
    let version = u16::from_le_bytes([header[8], header[9]]);
    if u32::from(version) != VERSION {
        return Err(wrong_version(version.into()));
    }
    let number = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&header[at..at + 8]);
        u64::from_le_bytes(bytes)
    };
    if number(CHECKSUM.start) != checksum(file) {
        return Err(damaged("truncated or damaged: its checksum is wrong"));
    }
    if header[12..16] != (KINDS.len() as u32).to_le_bytes() {
        return Err(damaged("the number of sections is wrong"));
    }
    let mut places = [const { 0..0 }; KINDS.len()];
    for (row, place) in places.iter_mut().enumerate() {
        let at = TABLE + row * TABLE_ROW;
        let (offset, length) = (number(at + 8), number(at + 16));
        let end = offset.checked_add(length).filter(|&end| end <= file.len() as u64);
        match end {
            Some(end) if number(at) == u64::from(KINDS[row]) => *place = offset as usize..end as usize,
            _ => return Err(damaged("the section table is wrong")),
        }
    }
    Ok(places)
}
