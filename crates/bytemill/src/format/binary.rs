//! `.mill`: our compact format, made to be memory-mapped. All numbers are little-endian.
//!
//! ```text
//!  0  magic           8 bytes: 0x89 M I L L CR LF 0x1A (a transfer that changes line ends breaks it)
//!  8  version         u16
//! 10  family          u8
//! 11  zero            u8
//! 12  sections        u32
//! 16  checksum        u64, XXH3 of everything before and after it
//! 24  section table   for each: kind u64, offset u64, length u64
//!     sections, each aligned to 64 bytes: 1 outline and self-tests (JSON), 2 token bytes, 3 token ends (u32), 4 index (u64),
//!     and for byte-pair encoding 5 merges (u64), 6 what they make (u32), 7 a bit for each token that its own bytes give (u64),
//!     and last, where tokens have scores, these (f64)
//! ```

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::native::{VERSION, wrong_version};
use super::self_test::{self, SelfTest};
use crate::definition::{Definition, Family, Outline};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::machine::storage::{FileBytes, Section};
use crate::model::Model;
use crate::vocab::merges::Merges;
use crate::vocab::{TokenId, Vocab};

pub(super) const MAGIC: [u8; 8] = *b"\x89MILL\r\n\x1a";
const CHECKSUM: Range<usize> = 16..24;
const TABLE: usize = 24;
const TABLE_ROW: usize = 24;
const ALIGNMENT: usize = 64;
/// Sections that every family has, and with those that byte-pair encoding adds; one more has the scores. Their kinds are 1, 2, 3, … in
/// this order.
const COMMON: usize = 4;
const WITH_MERGES: usize = 7;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MillHead {
    definition: Outline,
    holes: Vec<TokenId>,
    self_test: Vec<SelfTest>,
}

pub(super) fn write(tokenizer: &Tokenizer) -> Result<Vec<u8>> {
    let definition = tokenizer.definition();
    let head = MillHead {
        definition: definition.outline.clone(),
        holes: definition.vocab.holes().to_vec(),
        self_test: self_test::make(tokenizer),
    };
    let head = serde_json::to_vec(&head).map_err(|error| Error::Internal(error.to_string()))?;
    let view = definition.vocab.view();
    let of_words = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let of_longs = |numbers: &[u64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut sections = vec![head, view.arena.to_vec(), of_words(view.ends), of_longs(view.slots)];
    if let (Some(merges), Model::Bpe(bpe)) = (&definition.merges, tokenizer.model()) {
        let merges = merges.view();
        sections.extend([of_longs(merges.slots), of_words(merges.made), of_longs(&bpe.selves())]);
    }
    if let Some(scores) = &definition.scores {
        sections.push(scores.iter().flat_map(|score| score.to_le_bytes()).collect());
    }
    Ok(assemble(definition.outline.family, &sections))
}

fn assemble(family: Family, sections: &[Vec<u8>]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend((VERSION as u16).to_le_bytes());
    file.extend([family_code(family), 0]);
    file.extend((sections.len() as u32).to_le_bytes());
    file.extend([0; 8]);
    let mut offset = (TABLE + sections.len() * TABLE_ROW).next_multiple_of(ALIGNMENT);
    for (kind, section) in (1u64..).zip(sections) {
        file.extend(kind.to_le_bytes());
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
        Family::Bpe => 3,
        Family::WordPiece => 4,
        Family::Unigram => 5,
    }
}

pub(super) fn read(source: &FileBytes) -> Result<Tokenizer> {
    let damaged = |reason: &str| Error::format("the file", reason);
    let sections = sections(source.bytes())?;
    let [head, arena, ends, slots] = [0, 1, 2, 3].map(|i| sections[i].clone());
    let head: MillHead = serde_json::from_slice(&source.bytes()[head])
        .map_err(|error| Error::format("the outline", error.to_string()))?;
    if source.bytes()[10] != family_code(head.definition.family) {
        return Err(damaged("the header and the outline name different families"));
    }
    let vocab = match (Section::from_le(source, arena, |bytes| bytes[0]), words(source, ends), longs(source, slots)) {
        (Some(arena), Some(ends), Some(slots)) => {
            Vocab::from_sections(arena, ends, slots, head.holes).map_err(damaged)?
        }
        _ => return Err(damaged("a section does not hold whole numbers")),
    };
    let mut merges = match &sections[COMMON..] {
        [slots, made, selves, ..] => {
            let parts = (longs(source, slots.clone()), words(source, made.clone()), longs(source, selves.clone()));
            match parts {
                (Some(slots), Some(made), Some(selves)) => {
                    Some(Merges::from_sections(slots, made, selves, &vocab).map_err(damaged)?)
                }
                _ => return Err(damaged("a section does not hold whole numbers")),
            }
        }
        _ => None,
    };
    let scores: Option<Arc<[f64]>> = match &sections[COMMON..] {
        [scores] | [_, _, _, scores] => match longs(source, scores.clone()) {
            Some(scores) => Some(scores.as_slice().iter().map(|&bits| f64::from_bits(bits)).collect()),
            None => return Err(damaged("a section does not hold whole numbers")),
        },
        _ => None,
    };
    if let (Some(merges), Some(scores)) = (&mut merges, &scores) {
        merges.order_by(scores);
    }
    let definition = Definition { outline: head.definition, vocab: vocab.into(), merges: merges.map(Arc::new), scores };
    self_test::verify(Tokenizer::new(definition)?, &head.self_test)
}

fn words(source: &FileBytes, range: Range<usize>) -> Option<Section<u32>> {
    Section::from_le(source, range, |bytes| u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

fn longs(source: &FileBytes, range: Range<usize>) -> Option<Section<u64>> {
    Section::from_le(source, range, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

/// Checks the header and gives the place of each section.
fn sections(file: &[u8]) -> Result<Vec<Range<usize>>> {
    let damaged = |reason: &str| Error::format("the file", reason);
    if file.len() < TABLE + COMMON * TABLE_ROW {
        return Err(damaged("truncated: it ends inside its header"));
    }
    if file[..8] != MAGIC {
        return Err(damaged("its first bytes were changed, as by a transfer that translates line ends"));
    }
    let version = u16::from_le_bytes([file[8], file[9]]);
    if u32::from(version) != VERSION {
        return Err(wrong_version(version.into()));
    }
    let number = |at: usize| {
        let bytes = file.get(at..).and_then(|rest| rest.first_chunk());
        u64::from_le_bytes(bytes.copied().unwrap_or_default())
    };
    if number(CHECKSUM.start) != checksum(file) {
        return Err(damaged("truncated or damaged: its checksum is wrong"));
    }
    let count = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
    if ![COMMON, COMMON + 1, WITH_MERGES, WITH_MERGES + 1].contains(&count) {
        return Err(damaged("the number of sections is wrong"));
    }
    (0..count)
        .map(|row| {
            let at = TABLE + row * TABLE_ROW;
            let (kind, offset, length) = (number(at), number(at + 8), number(at + 16));
            let end = offset.checked_add(length).filter(|&end| end <= file.len() as u64);
            match end {
                Some(end) if kind == row as u64 + 1 => Ok(offset as usize..end as usize),
                _ => Err(damaged("the section table is wrong")),
            }
        })
        .collect()
}
