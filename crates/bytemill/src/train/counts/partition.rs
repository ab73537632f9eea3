//! Partition: counts in parts by a hash of the piece. Many machines count texts of their own; then each merges the parts of one
//! number, and all of these together are the counts of all texts.

use std::sync::atomic::AtomicU64;

use xxhash_rust::xxh3::xxh3_64;

use super::body::Body;
use super::merge::{How, target};
use super::writer::Writer;
use super::{PieceCounts, destination};
use crate::error::{Error, Result};
use crate::machine::parallel::Watch;

/// The bits of a place that are for the pieces of one text; those above are for the number of the text.
const PLACE_BITS: u32 = 40;

impl PieceCounts {
    /// Parts by a hash of the piece. `text` is the number of this text among those that are counted apart, by which the order of
    /// appearance goes first. The first part has the documents and bytes.
    pub fn partition(&self, parts: usize, text: u64, memory: Option<u64>) -> Result<Vec<PieceCounts>> {
        if parts == 0 || self.part {
            return Err(Error::Spec("whole counts are divided, into one part or more".into()));
        }
        if text >> (u64::BITS - PLACE_BITS) > 0 || self.body.distinct >> PLACE_BITS > 0 {
            return Err(Error::Spec(
                "there are too many texts or pieces to keep the order in which pieces appeared".into(),
            ));
        }
        let into = destination(std::slice::from_ref(self), memory);
        let mut writers = Vec::with_capacity(parts);
        for _ in 0..parts {
            writers.push(Writer::new(target(into)?, self.body.ordered));
        }
        let body = Body { shift: text << PLACE_BITS, ..self.body.clone() };
        let mut cursor = body.cursor();
        while cursor.advance()? {
            let record = cursor.record();
            writers[(xxh3_64(record.piece) % parts as u64) as usize].push(record)?;
        }
        let of_text = |first: bool, number: u64| if first { number } else { 0 };
        let part = |(number, writer): (usize, Writer)| {
            Ok(PieceCounts {
                made_by: self.made_by.clone(),
                documents: of_text(number == 0, self.documents),
                bytes: of_text(number == 0, self.bytes),
                body: writer.finish()?.0,
                part: true,
            })
        };
        writers.into_iter().enumerate().map(part).collect()
    }

    /// Parts of the same number, of several texts, as one.
    pub fn merge_parts(parts: &[PieceCounts], memory: Option<u64>, watch: &mut Watch) -> Result<Self> {
        if parts.iter().any(|part| !part.part) {
            return Err(Error::Spec("these counts are whole; merge takes them".into()));
        }
        let ordered = parts.iter().all(PieceCounts::is_ordered);
        let how = How { into: destination(parts, memory), ordered, threads: 1, done: &AtomicU64::new(0) };
        Self::together(parts, how, watch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CountOptions, Counter, MadeBy, PieceOrder};
    use super::*;
    use crate::data::{TextBlock, batches};
    use crate::pretokenize::PreTokenizer;
    use proptest::prelude::*;

    fn counted(texts: &[String], ordered: bool) -> PieceCounts {
        let made_by = MadeBy { pretokenizer: Some(PreTokenizer::Whitespace), ..MadeBy::default() };
        let block = |text: &String| Ok(TextBlock { text: text.clone(), ends_document: true, language: None });
        let options = CountOptions { threads: 1, memory: None, ordered };
        let blocks = batches(texts.iter().map(block));
        Counter::new(made_by, false).unwrap().count(blocks, options, &mut || Ok(())).unwrap()
    }

    fn saved(counts: &PieceCounts) -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().unwrap();
        counts.save(file.path()).unwrap();
        std::fs::read(file.path()).unwrap()
    }

    fn reloaded(counts: &PieceCounts) -> PieceCounts {
        let file = tempfile::NamedTempFile::new().unwrap();
        counts.save(file.path()).unwrap();
        PieceCounts::load(file.path()).unwrap()
    }

    proptest! {
        /// Whatever the texts, the parts and the memory: the bytes are those of one count.
        #[test]
        fn parts_of_many_texts_are_the_counts_of_all(
            texts in prop::collection::vec(prop::collection::vec("[abé]{1,2}( [abé]{1,2}){0,6}", 0..4), 1..6),
            parts in 1usize..5,
            ordered: bool,
            memory in prop::option::of(Just(1u64)),
        ) {
            let whole = counted(&texts.concat(), ordered);
            let mut by_number: Vec<Vec<PieceCounts>> = vec![Vec::new(); parts];
            for (number, text) in texts.iter().enumerate() {
                let divided = counted(text, ordered).partition(parts, number as u64, memory).unwrap();
                for (part, gathered) in divided.iter().zip(&mut by_number) {
                    gathered.push(reloaded(part));
                }
            }
            let merged: Vec<PieceCounts> = by_number
                .iter()
                .map(|parts| {
                    // Associative: the first two, and then the others.
                    let (some, others) = parts.split_at(parts.len().min(2));
                    let some = PieceCounts::merge_parts(some, memory, &mut || Ok(())).unwrap();
                    let all: Vec<PieceCounts> = [&[some][..], others].concat();
                    reloaded(&PieceCounts::merge_parts(&all, memory, &mut || Ok(())).unwrap())
                })
                .collect();
            let found = PieceCounts::merge(&merged, memory, 2, &AtomicU64::new(0), &mut || Ok(())).unwrap();
            prop_assert_eq!(saved(&found), saved(&whole));
            if ordered {
                let pieces = |counts: &PieceCounts| -> Vec<(Vec<u8>, u64)> {
                    let held = counts.held(PieceOrder::Appearance).unwrap();
                    held.iter().map(|(piece, count)| (piece.to_vec(), count)).collect()
                };
                prop_assert_eq!(pieces(&found), pieces(&whole));
            }
        }
    }

    #[test]
    fn parts_and_whole_counts_are_not_mixed() {
        let whole = counted(&["a b".into()], true);
        let part = whole.partition(1, 0, None).unwrap().remove(0);
        assert!(PieceCounts::merge_parts(std::slice::from_ref(&whole), None, &mut || Ok(())).is_err());
        assert!(part.partition(2, 0, None).is_err());
        assert!(whole.partition(2, 1 << 24, None).is_err());
        let mixed = PieceCounts::merge(&[whole, part], None, 1, &AtomicU64::new(0), &mut || Ok(()));
        assert_eq!(mixed.unwrap_err().to_string(), "parts of counts can be merged with other parts alone");
    }
}
