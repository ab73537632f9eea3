//! Words: every distinct piece as a row of cells, one for each unit, and how often it occurs.
//!
//! A token has its id in the first and in the last cell of its span, and nothing in those between. So the token before a position and the
//! one behind it are found without links, from the id and the length of tokens; a merge writes four cells, whatever the length of the word.

use crate::error::{Error, Result};

/// Stands between words, before the first and behind the last.
pub const BORDER: u32 = u32::MAX;
/// The inside of a token.
pub const INSIDE: u32 = u32::MAX - 1;

#[derive(Debug, Default)]
pub struct Words {
    pub cells: Vec<u32>,
    pub runs: Runs,
}

/// Words that lie side by side and occur equally often.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: u32,
    count: u64,
}

/// How often the word at a position occurs.
#[derive(Debug, Default)]
pub struct Runs {
    runs: Vec<Run>,
    /// The run that was found last: positions are mostly asked for in their order.
    last: usize,
}

impl Runs {
    #[inline]
    pub fn count_at(&mut self, position: u32) -> u64 {
        let holds = |at: usize| {
            self.runs[at].start <= position && self.runs.get(at + 1).is_none_or(|next| position < next.start)
        };
        if !holds(self.last) {
            self.last = match self.runs.get(self.last + 1) {
                Some(next) if next.start <= position && holds(self.last + 1) => self.last + 1,
                _ => self.runs.partition_point(|run| run.start <= position) - 1,
            };
        }
        self.runs[self.last].count
    }
}

impl Words {
    /// Room for so many units and borders. Positions are 32 bits, and so are places in the lists of them, of which there are at most three
    /// for each.
    pub fn with_capacity(cells: usize) -> Result<Self> {
        const MOST: usize = (u32::MAX / 3) as usize;
        if cells >= MOST {
            return Err(Error::Spec(format!(
                "the distinct pieces of the text are {cells} bytes long, and training takes at most {MOST}; train on a part of it, \
                 or with a pretokenizer that gives shorter pieces"
            )));
        }
        let mut words = Words { cells: Vec::with_capacity(cells + 1), runs: Runs::default() };
        words.cells.push(BORDER);
        Ok(words)
    }

    /// A word of which at least one pair can be made; others would take room for nothing.
    pub fn push(&mut self, tokens: &[u32], lengths: &[u32], count: u64) {
        if tokens.len() < 2 {
            return;
        }
        let start = self.cells.len();
        for &token in tokens {
            self.cells.push(token);
            let length = lengths[token as usize] as usize;
            if length > 1 {
                self.cells.resize(self.cells.len() + length - 2, INSIDE);
                self.cells.push(token);
            }
        }
        self.cells.push(BORDER);
        if self.runs.runs.last().is_none_or(|run| run.count != count) {
            self.runs.runs.push(Run { start: start as u32, count });
        }
    }

    /// Every pair of neighbours in the order of their positions, with the count of their word.
    pub fn pairs(&self, lengths: &[u32], mut give: impl FnMut(u32, u32, u32, u64)) {
        let mut runs = self.runs.runs.iter().peekable();
        let mut count = 0;
        let mut at = 1;
        while at < self.cells.len() {
            let left = self.cells[at];
            if left == BORDER {
                at += 1;
                continue;
            }
            while let Some(run) = runs.next_if(|run| run.start as usize <= at) {
                count = run.count;
            }
            let next = at + lengths[left as usize] as usize;
            let right = self.cells[next];
            if right != BORDER {
                give(at as u32, left, right, count);
            }
            at = next;
        }
    }

    /// How many tokens all words have together, each as often as it occurs.
    pub fn tokens(&self, lengths: &[u32]) -> u64 {
        let mut total = 0;
        let mut at = 1;
        let mut runs = self.runs.runs.iter().peekable();
        let mut count = 0;
        while at < self.cells.len() {
            while let Some(run) = runs.next_if(|run| run.start as usize <= at) {
                count = run.count;
            }
            match self.cells[at] {
                BORDER => at += 1,
                token => {
                    total += count;
                    at += lengths[token as usize] as usize;
                }
            }
        }
        total
    }

    /// Where a token is, in the order of the positions.
    pub fn places(&self, token: u32, length: u32, mut give: impl FnMut(u32)) {
        let mut from = 0;
        while let Some(found) = self.cells[from..].iter().position(|&cell| cell == token) {
            give((from + found) as u32);
            from += found + length as usize;
        }
    }

    /// The first position of the word at a position.
    pub fn start_of_word(&self, position: u32) -> u32 {
        let before = self.cells[..position as usize].iter().rposition(|&cell| cell == BORDER);
        before.map_or(0, |border| border as u32 + 1)
    }
}
