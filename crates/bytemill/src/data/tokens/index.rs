//! What belongs to the ids in each format: headers, the files of document borders, and whole files in formats that are not
//! bare ids. All of it is made from the ends of the documents, a block at a time.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::format::{TokenFormat, TokenWidth};
use super::kept::KeptReader;
use super::partial::PartialFile;
use super::shard::{Convert, RawShard, ShardPlace};
use crate::error::{Error, Result};

/// A multiple of 64, as the format wants for aligned mapping, with room for any count: the header can be written before
/// the count is known and again after.
const NPY_HEADER_BYTES: usize = 128;

/// The first two numbers of llm.c's header: for two bytes in an id, and for four.
const LLMC_MAGIC: [(i32, i32); 2] = [(20_240_520, 1), (20_240_801, 7)];
const LLMC_HEADER_BYTES: usize = 1024;

const MEGATRON_MAGIC: &[u8] = b"MMIDIDX\x00\x00";

/// What may be beside the ids.
pub(super) fn beside(tokens: &Path) -> [PathBuf; 4] {
    let with = |extension: &str| {
        let mut name = tokens.as_os_str().to_owned();
        name.push(extension);
        PathBuf::from(name)
    };
    [with(".docs"), with(".index"), with(".metadata"), tokens.with_extension("idx")]
}

/// A shard whose ids are all there.
pub(super) struct Sums<'a> {
    pub place: &'a ShardPlace<'a>,
    pub documents: u64,
    pub tokens: u64,
}

/// What stands before the ids; of the same length for any number of them.
pub(super) fn header(format: TokenFormat, width: TokenWidth, tokens: u64, row: Option<u64>) -> Vec<u8> {
    match format {
        TokenFormat::Npy => {
            let shape = match row {
                Some(row) => format!("({}, {row})", tokens / row),
                None => format!("({tokens},)"),
            };
            npy_header(&format!("<u{}", width.bytes()), &shape)
        }
        TokenFormat::LlmC => {
            let (magic, version) = LLMC_MAGIC[usize::from(width == TokenWidth::U32)];
            // `refuse_too_large` comes before the header that counts.
            let numbers = [magic, version, i32::try_from(tokens).unwrap_or(i32::MAX)];
            let mut header: Vec<u8> = numbers.into_iter().flat_map(i32::to_le_bytes).collect();
            header.resize(LLMC_HEADER_BYTES, 0);
            header
        }
        _ => Vec::new(),
    }
}

fn npy_header(kind: &str, shape: &str) -> Vec<u8> {
    let fields = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((NPY_HEADER_BYTES as u16 - 10).to_le_bytes());
    header.extend(fields.as_bytes());
    header.resize(NPY_HEADER_BYTES - 1, b' ');
    header.push(b'\n');
    header
}

/// llm.c counts the tokens of a file in 31 bits.
pub(super) fn refuse_too_large(format: TokenFormat, tokens: u64, path: &Path) -> Result<()> {
    if format == TokenFormat::LlmC && i32::try_from(tokens).is_err() {
        return Err(Error::Spec(format!(
            "{} would have {tokens} tokens, and a file of llm.c counts at most 2,147,483,647; write shards, as in \
             shard_tokens=100_000_000",
            path.display()
        )));
    }
    Ok(())
}

/// Writes the files that stand beside the ids.
pub(super) fn write_beside(sums: &Sums, ends: &File) -> Result<()> {
    let ShardPlace { names, side, number, layout, width } = *sums.place;
    let create = |extension: &str| PartialFile::create(&names.beside(side, number, extension));
    match layout.format {
        format if format.keeps_offsets() => {
            let mut file = create("docs")?;
            file.write(&npy_header("<i8", &format!("({},)", sums.documents + 1)))?;
            file.write(&0u64.to_le_bytes())?;
            each_block(ends, &mut |ends| file.write(&bytes_of(ends.iter().map(|end| end.to_le_bytes()))))?;
            file.commit()
        }
        TokenFormat::Datatrove => {
            let mut file = create("index")?;
            each_block(ends, &mut |ends| file.write(&bytes_of(ends.iter().map(|end| end.to_le_bytes()))))?;
            file.commit()?;
            let mut file = create("metadata")?;
            let tokenizer = layout.tokenizer.as_deref().unwrap_or("Unknown Tokenizer");
            let Sums { tokens, .. } = sums;
            file.write(format!("{tokenizer}|{}\n{tokens}\n{tokens} tokens", width.bytes()).as_bytes())?;
            file.commit()
        }
        TokenFormat::Megatron => write_megatron(sums, ends, PartialFile::create(&names.instead(side, number, "idx"))?),
        _ => Ok(()),
    }
}

/// Each document is a sequence: the length of each, where each begins in bytes, and which sequences documents begin with.
fn write_megatron(sums: &Sums, ends: &File, mut file: PartialFile) -> Result<()> {
    let width = sums.place.width;
    let kind = match width {
        TokenWidth::U16 => 8u8,
        // The format has no unsigned number of four bytes; int32 has the same bytes for every id below 2^31.
        TokenWidth::U32 => 4u8,
    };
    file.write(MEGATRON_MAGIC)?;
    file.write(&1u64.to_le_bytes())?;
    file.write(&[kind])?;
    file.write(&sums.documents.to_le_bytes())?;
    file.write(&(sums.documents + 1).to_le_bytes())?;
    let mut start = 0;
    each_block(ends, &mut |ends| {
        let mut lengths = Vec::with_capacity(4 * ends.len());
        for &end in ends {
            let length = i32::try_from(end - start).map_err(|_| {
                let path = sums.place.names.tokens(sums.place.side, sums.place.number);
                Error::Spec(format!("{}: a document has more tokens than Megatron can count", path.display()))
            })?;
            lengths.extend(length.to_le_bytes());
            start = end;
        }
        file.write(&lengths)
    })?;
    let mut start = 0;
    each_block(ends, &mut |ends| {
        let starts = ends.iter().map(|&end| std::mem::replace(&mut start, end) * width.bytes() as u64);
        file.write(&bytes_of(starts.map(u64::to_le_bytes)))
    })?;
    let mut number = 0u64;
    each_block(ends, &mut |ends| {
        let first = number;
        number += ends.len() as u64;
        file.write(&bytes_of((first..number).map(u64::to_le_bytes)))
    })?;
    file.write(&number.to_le_bytes())?;
    file.commit()
}

/// Writes a shard in a format that is not bare ids.
pub(super) fn convert(raw: &RawShard, mut output: PartialFile, foreign: Option<&dyn Convert>) -> Result<()> {
    if raw.format == TokenFormat::Jsonl {
        write_lines(raw, &mut output)?;
        return output.commit();
    }
    let Some(foreign) = foreign else {
        return Err(Error::Internal(format!("nobody writes {}", raw.format.name())));
    };
    foreign.convert(raw, output.partial())?;
    output.commit_what_others_wrote()
}

/// `{"ids": [1, 2]}` for each document, with the values that are kept; of packed rows also the lengths of the documents in
/// each.
fn write_lines(raw: &RawShard, output: &mut PartialFile) -> Result<()> {
    let open = |path: &Path| File::open(path).map_err(|e| Error::io(path, e));
    let (ids, ends) = (open(raw.ids)?, open(raw.ends)?);
    let mut ids = IdReader { file: BufReader::with_capacity(1 << 20, ids), width: raw.width, path: raw.ids };
    let mut start = 0;
    if let Some(row) = raw.row {
        return write_packed(row, &mut ids, &ends, output);
    }
    let mut kept = raw.kept.as_ref().map(KeptReader::open).transpose()?;
    each_block(&ends, &mut |ends| {
        for &end in ends {
            output.pending().extend(b"{\"ids\": [");
            ids.show(end - start, output)?;
            output.pending().push(b']');
            if let Some(values) = kept.as_mut().map(KeptReader::next).transpose()?.filter(|values| !values.is_empty()) {
                output.pending().extend(b", ");
                output.pending().extend(values);
            }
            output.pending().extend(b"}\n");
            output.flush_if_full()?;
            start = end;
        }
        Ok(())
    })
}

fn write_packed(row: usize, ids: &mut IdReader, ends: &File, output: &mut PartialFile) -> Result<()> {
    let row = row as u64;
    let (mut lengths, mut filled, mut start) = (Vec::<u64>::new(), 0, 0);
    let mut close = |lengths: &mut Vec<u64>, filled: &mut u64| {
        output.pending().extend(b"{\"ids\": [");
        ids.show(row, output)?;
        writeln!(output.pending(), "], \"lengths\": {lengths:?}}}").map_err(|e| Error::Internal(e.to_string()))?;
        lengths.clear();
        *filled = 0;
        output.flush_if_full()
    };
    each_block(ends, &mut |ends| {
        for &end in ends {
            while start < end {
                let part = (end - start).min(row - filled);
                lengths.push(part);
                (start, filled) = (start + part, filled + part);
                if filled == row {
                    close(&mut lengths, &mut filled)?;
                }
            }
        }
        Ok(())
    })?;
    if filled > 0 { close(&mut lengths, &mut filled) } else { Ok(()) }
}

struct IdReader<'a> {
    file: BufReader<File>,
    width: TokenWidth,
    path: &'a Path,
}

impl IdReader<'_> {
    /// The next ids with commas between them.
    fn show(&mut self, count: u64, output: &mut PartialFile) -> Result<()> {
        let mut id = [0; 4];
        for number in 0..count {
            self.file.read_exact(&mut id[..self.width.bytes()]).map_err(|e| Error::io(self.path, e))?;
            let comma = if number > 0 { ", " } else { "" };
            write!(output.pending(), "{comma}{}", u32::from_le_bytes(id))
                .map_err(|e| Error::Internal(e.to_string()))?;
            output.flush_if_full()?;
        }
        Ok(())
    }
}

/// The ends of the documents, in blocks.
fn each_block(ends: &File, work: &mut dyn FnMut(&[u64]) -> Result<()>) -> Result<()> {
    let failed = |e| Error::Internal(format!("the work file of document ends cannot be read: {e}"));
    let mut file = ends;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut bytes = vec![0; 1 << 16];
    let mut filled = 0;
    loop {
        let read = file.read(&mut bytes[filled..]).map_err(failed)?;
        filled += read;
        if read == 0 || filled == bytes.len() {
            let block = bytes[..filled].as_chunks::<8>().0.iter().map(|end| u64::from_le_bytes(*end));
            work(&block.collect::<Vec<u64>>())?;
            filled = 0;
        }
        if read == 0 {
            return Ok(());
        }
    }
}

fn bytes_of(numbers: impl Iterator<Item = [u8; 8]>) -> Vec<u8> {
    numbers.flatten().collect()
}
