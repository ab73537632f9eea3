//! Darts: a double array in the form of that library, from which SentencePiece reads the replacements of a character map. Texts that go on
//! alike share what follows, without which the map of NFKC would be ten times as large.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::vocab::hash::Quick;

/// What follows a beginning: its value, if it is a whole key, and the bytes that may come next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct DartsNode {
    value: Option<u32>,
    children: Vec<(u8, usize)>,
}

/// Set in a unit that holds a value. One without a child is marked so too, as no byte leads there then.
const VALUE: u32 = 1 << 31;
const HAS_VALUE: u32 = 1 << 8;
const OFFSET_SHIFT: u32 = 10;
/// Offsets are below this number; larger ones would have to be multiples of 256, and no map here needs them.
const MOST_UNITS: usize = 1 << 21;
const BLOCK: usize = 256;
/// Only the last blocks are searched for room: the ones before are nearly full.
const OPEN_BLOCKS: usize = 4;

/// The units of keys in their order, none twice, empty or with a zero in it.
pub(super) fn build<'a>(keys: impl IntoIterator<Item = (&'a [u8], u32)>) -> Result<Vec<u32>> {
    let nodes = shared(keys);
    let mut room = Room::default();
    let bases = nodes.iter().map(|node| room.place(node)).collect::<Result<Vec<usize>>>()?;
    let link = |at: usize, child: usize| {
        let has_value = if nodes[child].value.is_some() { HAS_VALUE } else { 0 };
        ((at ^ bases[child]) as u32) << OFFSET_SHIFT | has_value
    };
    let mut units = vec![VALUE; room.taken.len()];
    units[0] = link(0, nodes.len() - 1);
    for (node, &base) in nodes.iter().zip(&bases) {
        if let Some(value) = node.value {
            units[base] = VALUE | value;
        }
        for &(byte, child) in &node.children {
            let at = base ^ usize::from(byte);
            units[at] = link(at, child) | u32::from(byte);
        }
    }
    Ok(units)
}

/// The smallest automaton of the keys, its root last: what a key is done with is looked up among what is there already.
fn shared<'a>(keys: impl IntoIterator<Item = (&'a [u8], u32)>) -> Vec<DartsNode> {
    let mut known: HashMap<DartsNode, usize, Quick> = HashMap::default();
    let mut nodes: Vec<DartsNode> = Vec::new();
    let mut enter = |node: DartsNode| {
        *known.entry(node).or_insert_with_key(|node| {
            nodes.push(node.clone());
            nodes.len() - 1
        })
    };
    // The nodes along the last key, each to be the child of the one before by the byte of that key.
    let mut path = vec![DartsNode::default()];
    let mut last: &[u8] = &[];
    let mut close = |path: &mut Vec<DartsNode>, last: &[u8], depth: usize| {
        while path.len() > depth + 1
            && let Some(node) = path.pop()
        {
            let (byte, child) = (last[path.len() - 1], enter(node));
            path.last_mut().into_iter().for_each(|parent| parent.children.push((byte, child)));
        }
    };
    for (key, value) in keys {
        let depth = key.iter().zip(last).take_while(|(left, right)| left == right).count();
        close(&mut path, last, depth);
        path.resize(key.len() + 1, DartsNode::default());
        path[key.len()].value = Some(value);
        last = key;
    }
    close(&mut path, last, 0);
    nodes.extend(path);
    nodes
}

#[derive(Default)]
struct Room {
    taken: Vec<bool>,
    used_bases: Vec<bool>,
    /// Blocks that are not searched any more.
    full: usize,
}

impl Room {
    fn add_block(&mut self) -> Result<()> {
        let length = self.taken.len() + BLOCK;
        if length > MOST_UNITS {
            return Err(Error::Spec("the replacements of this character map are too many or too long".into()));
        }
        self.taken.resize(length, false);
        self.used_bases.resize(length, false);
        Ok(())
    }

    /// A base with room for the value and all children, which no other has.
    fn place(&mut self, node: &DartsNode) -> Result<usize> {
        if self.taken.is_empty() {
            self.add_block()?;
            // The root is there, and reached from nowhere.
            (self.taken[0], self.used_bases[0]) = (true, true);
        }
        let value = node.value.map(|_| 0);
        let labels: Vec<usize> = value.into_iter().chain(node.children.iter().map(|&(byte, _)| byte.into())).collect();
        let Some(&first) = labels.first() else { return Ok(0) };
        self.full = self.full.max((self.taken.len() / BLOCK).saturating_sub(OPEN_BLOCKS));
        let fits =
            |room: &Self, base: usize| !room.used_bases[base] && labels.iter().all(|&label| !room.taken[base ^ label]);
        let found = (self.full * BLOCK..self.taken.len()).map(|at| at ^ first).find(|&base| fits(self, base));
        let base = match found {
            Some(base) => base,
            None => {
                self.add_block()?;
                (self.taken.len() - BLOCK) ^ first
            }
        };
        self.used_bases[base] = true;
        labels.iter().for_each(|&label| self.taken[base ^ label] = true);
        Ok(base)
    }
}
