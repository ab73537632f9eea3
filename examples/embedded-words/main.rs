//! The ids of words on standard input, one word a line, from a vocabulary that is part of the program.
//! Build: bytemill embed words.mill vocabulary.rs && rustc -O main.rs

mod vocabulary;

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for word in io::stdin().lock().split(b'\n') {
        match vocabulary::token_to_id(&word?).or(vocabulary::UNK_ID) {
            Some(id) => writeln!(out, "{id}")?,
            None => writeln!(out, "-1")?,
        }
    }
    Ok(())
}
