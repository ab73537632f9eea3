//! CountRuns: how often the word at a position occurs. Adjacent words that occur equally often are one run.

#[derive(Debug, Clone, Copy)]
pub(super) struct CountRun {
    pub start: u32,
    pub count: u64,
}

#[derive(Debug, Default)]
pub(super) struct CountRuns {
    runs: Vec<CountRun>,
}

impl CountRuns {
    /// Words from here on occur so often.
    pub(super) fn push(&mut self, start: u32, count: u64) {
        if self.runs.last().is_none_or(|run| run.count != count) {
            self.runs.push(CountRun { start, count });
        }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, CountRun> {
        self.runs.iter()
    }

    pub(super) fn counts(&self) -> CountsByPosition<'_> {
        CountsByPosition { runs: &self.runs, last: 0 }
    }
}

/// Counts by positions, which are mostly asked for in their order.
pub(super) struct CountsByPosition<'a> {
    runs: &'a [CountRun],
    /// The run that was found last.
    last: usize,
}

impl CountsByPosition<'_> {
    #[inline]
    pub(super) fn at(&mut self, position: u32) -> u64 {
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
