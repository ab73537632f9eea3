//! Tree → program for the backtracking machine of `search`.

use super::parse::Refusal;
use super::set::{Lookup, Set};
use super::syntax::{Assertion, Greediness, Look, PatternNode, Repeat};

/// Steps of a program; intervals are written out, so a large one makes many.
const LONGEST: usize = 4096;
/// Branches of a program: the machine remembers where it has been with a bit for each of them and each byte of text.
pub(super) const MOST_BRANCHES: usize = 256;
/// Characters that a look around may see: more could take time that grows with the square of the text.
pub(super) const FARTHEST: u32 = 16;
/// Branches in a look around.
const MOST_BRANCHES_AROUND: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Program {
    pub steps: Vec<PatternStep>,
    pub branches: usize,
    /// Possessive runs, which remember where they last ended.
    pub runs: usize,
    /// What a match can start with.
    pub starts: Starts,
}

#[derive(Debug, Clone)]
pub(super) enum PatternStep {
    Char(char),
    Set(Box<Lookup>),
    Run(SetRun),
    Branch(Box<Branch>),
    Jump(usize),
    Look(Box<LookAround>),
    Assert(Assertion, Option<Box<Lookup>>),
    Match,
}

/// All the characters of a set that follow, at most one if `single`, and none given back.
#[derive(Debug, Clone)]
pub(super) struct SetRun {
    pub set: Box<Lookup>,
    pub least: u32,
    pub single: bool,
    pub number: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub number: usize,
    /// Tried first, then the other.
    pub ways: [BranchWay; 2],
}

#[derive(Debug, Clone)]
pub(super) struct BranchWay {
    pub step: usize,
    pub starts: Starts,
}

#[derive(Debug, Clone)]
pub(super) struct LookAround {
    pub program: Program,
    pub negated: bool,
    /// The numbers of characters to go back; None looks ahead.
    pub back: Option<(u32, u32)>,
}

/// What the next character must be for a way to have a chance.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Starts {
    pub ascii: u128,
    pub beyond_ascii: bool,
    pub end: bool,
}

impl Starts {
    const ANY: Starts = Starts { ascii: u128::MAX, beyond_ascii: true, end: true };

    fn or(self, other: Starts) -> Starts {
        Starts {
            ascii: self.ascii | other.ascii,
            beyond_ascii: self.beyond_ascii || other.beyond_ascii,
            end: self.end || other.end,
        }
    }

    fn of(set: &Set) -> Starts {
        let beyond_ascii = !set.intersection(&Set::range('\0', '\x7F').complement()).is_empty();
        Starts { ascii: set.ascii(), beyond_ascii, end: false }
    }

    #[inline]
    pub(super) fn admit(&self, next: Option<&u8>) -> bool {
        match next {
            Some(&byte @ ..0x80) => self.ascii >> byte & 1 == 1,
            Some(_) => self.beyond_ascii,
            None => self.end,
        }
    }
}

impl Program {
    pub(super) fn new(node: &PatternNode) -> Result<Self, Refusal> {
        let mut program = Program { steps: Vec::new(), branches: 0, runs: 0, starts: Starts::default() };
        program.compile(node)?;
        program.push(PatternStep::Match)?;
        if program.branches > MOST_BRANCHES {
            return Err(format!("a pattern with more than {MOST_BRANCHES} choices is not supported"));
        }
        for at in 0..program.steps.len() {
            let PatternStep::Branch(branch) = &program.steps[at] else { continue };
            let starts = [0, 1].map(|i| program.starts(branch.ways[i].step));
            if let PatternStep::Branch(branch) = &mut program.steps[at] {
                [branch.ways[0].starts, branch.ways[1].starts] = starts;
            }
        }
        program.starts = program.starts(0);
        Ok(program)
    }

    fn push(&mut self, step: PatternStep) -> Result<usize, Refusal> {
        if self.steps.len() >= LONGEST {
            return Err(format!("a pattern of more than {LONGEST} steps is not supported"));
        }
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    /// A branch whose ways are not known yet.
    fn branch(&mut self) -> Result<usize, Refusal> {
        let way = || BranchWay { step: 0, starts: Starts::ANY };
        let number = self.branches;
        self.branches += 1;
        self.push(PatternStep::Branch(Box::new(Branch { number, ways: [way(), way()] })))
    }

    fn lead(&mut self, branch: usize, first: usize, second: usize) {
        if let PatternStep::Branch(branch) = &mut self.steps[branch] {
            (branch.ways[0].step, branch.ways[1].step) = (first, second);
        }
    }

    fn compile(&mut self, node: &PatternNode) -> Result<(), Refusal> {
        match node {
            PatternNode::Set(set) => self.push_set(set),
            PatternNode::Folded(c) => self.push_set(&cases(*c)),
            PatternNode::Sequence(nodes) => nodes.iter().try_for_each(|node| self.compile(node)),
            PatternNode::Alternatives(nodes) => self.alternatives(nodes),
            PatternNode::Repeat(repeat) => self.repeat(repeat),
            PatternNode::Look(look) => self.look(look),
            PatternNode::Assert(assertion) => {
                let asks_words = matches!(assertion, Assertion::WordBorder | Assertion::NoWordBorder);
                let words = asks_words.then(|| Box::new(Lookup::new(Set::bare_word())));
                self.push(PatternStep::Assert(*assertion, words)).map(drop)
            }
        }
    }

    fn push_set(&mut self, set: &Set) -> Result<(), Refusal> {
        let step = match set.only() {
            Some(c) => PatternStep::Char(c),
            None => PatternStep::Set(Box::new(Lookup::new(set.clone()))),
        };
        self.push(step).map(drop)
    }

    fn alternatives(&mut self, nodes: &[PatternNode]) -> Result<(), Refusal> {
        let mut jumps = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            if i + 1 == nodes.len() {
                self.compile(node)?;
                break;
            }
            let branch = self.branch()?;
            self.compile(node)?;
            jumps.push(self.push(PatternStep::Jump(0))?);
            self.lead(branch, branch + 1, self.steps.len());
        }
        let end = self.steps.len();
        jumps.into_iter().for_each(|jump| self.steps[jump] = PatternStep::Jump(end));
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<(), Refusal> {
        let Repeat { node, least, most, kind } = repeat;
        if *kind == Greediness::Possessive {
            let set = match node {
                PatternNode::Set(set) => set.clone(),
                PatternNode::Folded(c) => cases(*c),
                _ => return Err("a possessive repetition of more than one class is not supported".into()),
            };
            let (number, single) = (self.runs, *most == Some(1));
            self.runs += 1;
            return self
                .push(PatternStep::Run(SetRun { set: Box::new(Lookup::new(set)), least: *least, single, number }))
                .map(drop);
        }
        for _ in 0..*least {
            self.compile(node)?;
        }
        let lead = |program: &mut Self, branch: usize, inside: usize, after: usize| match kind {
            Greediness::Lazy => program.lead(branch, after, inside),
            _ => program.lead(branch, inside, after),
        };
        let Some(most) = most else {
            let branch = self.branch()?;
            self.compile(node)?;
            self.push(PatternStep::Jump(branch))?;
            lead(self, branch, branch + 1, self.steps.len());
            return Ok(());
        };
        let mut branches = Vec::new();
        for _ in *least..*most {
            branches.push(self.branch()?);
            self.compile(node)?;
        }
        let end = self.steps.len();
        branches.into_iter().for_each(|branch| lead(self, branch, branch + 1, end));
        Ok(())
    }

    fn look(&mut self, look: &Look) -> Result<(), Refusal> {
        let (least, most) = look.node.width();
        let most = most.filter(|&most| most <= FARTHEST);
        let Some(most) = most else {
            return Err(format!(
                "looking ahead or back over more than {FARTHEST} characters is not supported: it could take quadratic time"
            ));
        };
        let program = Program::new(&look.node)?;
        if program.branches > MOST_BRANCHES_AROUND || program.runs > 0 {
            return Err("looking ahead or back for something so complicated is not supported".into());
        }
        if look.behind && (program.branches > 0 && least != most) {
            let plain = match &look.node {
                PatternNode::Alternatives(nodes) => nodes.iter().all(|node| {
                    let (least, most) = node.width();
                    Some(least) == most
                }),
                _ => false,
            };
            if !plain {
                return Err("looking back over a changing number of characters is not supported".into());
            }
        }
        let back = look.behind.then_some((least, most));
        self.push(PatternStep::Look(Box::new(LookAround { program, negated: look.negated, back }))).map(drop)
    }

    fn starts(&self, from: usize) -> Starts {
        let mut seen = vec![false; self.steps.len()];
        let mut open = vec![from];
        let mut starts = Starts::default();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match &self.steps[at] {
                PatternStep::Char(c) => starts = starts.or(Starts::of(&Set::single(*c))),
                PatternStep::Set(lookup) => starts = starts.or(Starts::of(lookup.set())),
                PatternStep::Run(SetRun { set, least, .. }) => {
                    starts = starts.or(Starts::of(set.set()));
                    open.extend((*least == 0).then_some(at + 1));
                }
                PatternStep::Branch(branch) => open.extend(branch.ways.iter().map(|way| way.step)),
                PatternStep::Jump(to) => open.push(*to),
                PatternStep::Look(_) | PatternStep::Assert(..) => open.push(at + 1),
                PatternStep::Match => return Starts::ANY,
            }
        }
        starts
    }
}

/// Both cases of an ASCII letter, and the one character beyond ASCII that folds to it.
fn cases(c: char) -> Set {
    let both = Set::single(c).union(&Set::single(c.to_ascii_uppercase()));
    match c {
        's' => both.union(&Set::single('ſ')),
        'k' => both.union(&Set::single('\u{212A}')),
        _ => both,
    }
}
