//! The machine: takes the first way of every branch, and goes back to the last branch when a way fails.
//!
//! Nothing that it does depends on how it came to a step, so a branch that was tried once at some position and failed will fail there
//! again, whatever the match began with. `TriedBranches` has a bit for every branch and position; with it, all searches in a text together
//! take time that is linear in its length.

use super::program::{Branch, FARTHEST, LookAround, PatternStep, Program, SetRun};
use super::set::Lookup;
use super::syntax::Assertion;

/// Which branches were tried at which position.
trait TriedBranches {
    /// Notes a branch; true if it was there already.
    fn revisits(&mut self, branch: usize, at: usize) -> bool;

    /// Notes that the machine passed a run of `length` bytes.
    fn passes(&mut self, _length: usize) {}
}

/// What the searches of one text share.
pub(super) struct Searcher<'a> {
    program: &'a Program,
    text: &'a str,
    tried: TriedTable,
    /// Branches to go back to, and where in the text they were.
    open: Vec<(usize, usize)>,
    /// The last stretch of each possessive run: it ends where one that starts inside it ends.
    runs: Vec<(usize, usize)>,
}

struct TriedTable {
    words: usize,
    bits: Vec<u64>,
}

impl TriedBranches for TriedTable {
    #[inline]
    fn revisits(&mut self, branch: usize, at: usize) -> bool {
        let word = &mut self.bits[at * self.words + branch / 64];
        let bit = 1 << (branch % 64);
        let before = *word & bit != 0;
        *word |= bit;
        before
    }
}

impl TriedTable {
    fn forget(&mut self, at: usize) {
        self.bits[at * self.words..][..self.words].fill(0);
    }
}

/// For looks around: they see few characters and have few branches.
struct Nearby {
    from: usize,
    bits: [u64; 4 * FARTHEST as usize + 1],
}

impl TriedBranches for Nearby {
    fn revisits(&mut self, branch: usize, at: usize) -> bool {
        let word = &mut self.bits[at - self.from];
        let bit = 1 << branch;
        let before = *word & bit != 0;
        *word |= bit;
        before
    }
}

/// For a machine that forgets what it tried, as those of other libraries do: counts what it does, and gives up at a limit.
struct Forgetful {
    steps: usize,
    limit: usize,
}

impl TriedBranches for Forgetful {
    fn revisits(&mut self, _branch: usize, _at: usize) -> bool {
        self.steps += 1;
        self.steps > self.limit
    }

    fn passes(&mut self, length: usize) {
        self.steps += length;
    }
}

/// The steps of a machine that finds every match and forgets what it tried, at most about `limit`.
pub(super) fn forgetful_steps(program: &Program, text: &str, limit: usize) -> usize {
    let mut tried = Forgetful { steps: 0, limit };
    let (mut open, mut runs) = (Vec::new(), vec![(1, 0); program.runs]);
    let mut at = 0;
    while at <= text.len() && tried.steps <= limit {
        open.clear();
        let attempt = Attempt { program, text, tried: &mut tried, open: &mut open, runs: &mut runs };
        let end = attempt.run(at, None).unwrap_or(at);
        at = if end > at { end } else { at + text[at..].chars().next().map_or(1, char::len_utf8) };
    }
    tried.steps
}

impl<'a> Searcher<'a> {
    pub(super) fn new(program: &'a Program, text: &'a str) -> Self {
        let words = program.branches.div_ceil(64);
        Searcher {
            program,
            text,
            tried: TriedTable { words, bits: vec![0; words * (text.len() + 1)] },
            open: Vec::new(),
            runs: vec![(1, 0); program.runs],
        }
    }

    /// The first match that begins at `from` or later. Searches of a text go on from where the last match ended.
    pub(super) fn find(&mut self, from: usize) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        let mut start = from;
        loop {
            if self.program.starts.admit(bytes.get(start))
                && let Some(end) = self.match_at(start)
            {
                // What led to the match was noted like what failed, and could be asked again at its end.
                self.tried.forget(end);
                return Some((start, end));
            }
            start += match bytes.get(start) {
                Some(..0x80) => 1,
                Some(_) => self.text[start..].chars().next().map_or(1, char::len_utf8),
                None => return None,
            };
        }
    }

    fn match_at(&mut self, start: usize) -> Option<usize> {
        self.open.clear();
        let Searcher { program, text, tried, open, runs } = self;
        Attempt { program, text, tried, open, runs }.run(start, None)
    }
}

/// One run of a program over a text, and what it notes on its way.
struct Attempt<'a, T> {
    program: &'a Program,
    text: &'a str,
    tried: &'a mut T,
    open: &'a mut Vec<(usize, usize)>,
    runs: &'a mut [(usize, usize)],
}

impl<T: TriedBranches> Attempt<'_, T> {
    /// Where the match ends that begins at `start`, and at `end` if that is given.
    fn run(self, start: usize, end: Option<usize>) -> Option<usize> {
        let Attempt { program, text, tried, open, runs } = self;
        let bytes = text.as_bytes();
        let (mut step, mut at) = (0, start);
        loop {
            let passes = match &program.steps[step] {
                PatternStep::Char(c) => advance(text, &mut at, |next| next == *c),
                PatternStep::Set(set) => advance(text, &mut at, |next| set.contains(next)),
                PatternStep::Run(run) => {
                    let start = at;
                    let passed = pass_run(text, &mut at, run, &mut runs[run.number]);
                    tried.passes(at - start);
                    passed
                }
                PatternStep::Look(look) => holds(look, text, at) != look.negated,
                PatternStep::Assert(assertion, words) => asserts(*assertion, words.as_deref(), text, at),
                PatternStep::Jump(to) => {
                    step = *to;
                    continue;
                }
                PatternStep::Branch(branch) => match choose(branch, bytes.get(at)) {
                    _ if tried.revisits(branch.number, at) => false,
                    OpenWays::Both => {
                        open.push((branch.ways[1].step, at));
                        step = branch.ways[0].step;
                        continue;
                    }
                    OpenWays::Only(to) => {
                        step = to;
                        continue;
                    }
                    OpenWays::Neither => false,
                },
                PatternStep::Match if end.is_none_or(|end| end == at) => return Some(at),
                PatternStep::Match => false,
            };
            if passes {
                step += 1;
            } else {
                (step, at) = open.pop()?;
            }
        }
    }
}

enum OpenWays {
    Both,
    Only(usize),
    Neither,
}

#[inline]
fn choose(branch: &Branch, next: Option<&u8>) -> OpenWays {
    let [first, second] = &branch.ways;
    match (first.starts.admit(next), second.starts.admit(next)) {
        (true, true) => OpenWays::Both,
        (true, false) => OpenWays::Only(first.step),
        (false, true) => OpenWays::Only(second.step),
        (false, false) => OpenWays::Neither,
    }
}

#[inline]
fn advance(text: &str, at: &mut usize, wanted: impl Fn(char) -> bool) -> bool {
    let next = match text.as_bytes().get(*at) {
        Some(&byte @ ..0x80) => Some(char::from(byte)),
        _ => text[*at..].chars().next(),
    };
    let found = next.filter(|&next| wanted(next));
    *at += found.map_or(0, char::len_utf8);
    found.is_some()
}

fn pass_run(text: &str, at: &mut usize, run: &SetRun, last: &mut (usize, usize)) -> bool {
    let &SetRun { ref set, least, single, .. } = run;
    let start = *at;
    if single {
        return advance(text, at, |next| set.contains(next)) || least == 0;
    }
    if last.0 <= start && start < last.1 {
        *at = last.1;
    } else {
        while advance(text, at, |next| set.contains(next)) {}
        *last = (start, *at);
    }
    least == 0 || start < *at
}

fn holds(look: &LookAround, text: &str, at: usize) -> bool {
    let matches = |from: usize, end: Option<usize>| {
        let mut tried = Nearby { from, bits: [0; 4 * FARTHEST as usize + 1] };
        let (open, runs) = (&mut Vec::new(), &mut []);
        Attempt { program: &look.program, text, tried: &mut tried, open, runs }.run(from, end).is_some()
    };
    match look.back {
        None => matches(at, None),
        Some((least, most)) => {
            let starts = text[..at].char_indices().rev().map(|(start, _)| start);
            let starts = [at].into_iter().chain(starts);
            starts.take(most as usize + 1).skip(least as usize).any(|from| matches(from, Some(at)))
        }
    }
}

fn asserts(assertion: Assertion, words: Option<&Lookup>, text: &str, at: usize) -> bool {
    let (before, after) = (&text[..at], &text[at..]);
    let is_word = |c: Option<char>| c.is_some_and(|c| words.is_some_and(|words| words.contains(c)));
    let border = || is_word(before.chars().next_back()) != is_word(after.chars().next());
    match assertion {
        // There is no line after a last line feed.
        Assertion::LineStart => at == 0 || before.ends_with('\n') && !after.is_empty(),
        Assertion::LineEnd => after.starts_with('\n') || after.is_empty(),
        Assertion::TextStart => at == 0,
        Assertion::TextEnd => after.is_empty(),
        Assertion::TextEndOrLastLine => after == "\n" || after.is_empty(),
        Assertion::WordBorder => border(),
        Assertion::NoWordBorder => !border(),
    }
}
