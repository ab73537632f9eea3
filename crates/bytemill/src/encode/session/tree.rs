//! ChunkTree: the chunks of a text in order, in a balanced tree that never changes. An edit shares all of it except one path, so that a copy
//! costs nothing and a version that somebody looks at stays as it is.

use std::ops::Add;
use std::sync::Arc;

use crate::vocab::TokenId;

/// A stretch of the text between two cuts.
#[derive(Debug)]
pub struct SessionChunk {
    pub text: String,
    /// The bytes at the end of the text that belong to the seam after it and are not encoded.
    pub gap: usize,
    pub ids: Vec<TokenId>,
    pub extent: Extent,
}

impl SessionChunk {
    pub fn new(text: String, gap: usize, ids: Vec<TokenId>) -> Self {
        let (bytes, characters) = (text.len(), text.chars().count());
        let extent = Extent { chunks: 1, bytes, characters, ids: ids.len(), longest: bytes };
        SessionChunk { text, gap, ids, extent }
    }

    /// Where a character begins, or the text ends.
    pub fn byte_of(&self, character: usize) -> usize {
        match self.extent.bytes == self.extent.characters {
            true => character,
            false => self.text.char_indices().nth(character).map_or(self.text.len(), |(at, _)| at),
        }
    }
}

/// How much some chunks hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    pub chunks: usize,
    pub bytes: usize,
    pub characters: usize,
    pub ids: usize,
    /// The bytes of the longest of them.
    pub longest: usize,
}

impl Add for Extent {
    type Output = Extent;

    fn add(self, other: Extent) -> Extent {
        Extent {
            chunks: self.chunks + other.chunks,
            bytes: self.bytes + other.bytes,
            characters: self.characters + other.characters,
            ids: self.ids + other.ids,
            longest: self.longest.max(other.longest),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct ChunkTree(Option<Arc<ChunkNode>>);

/// A chunk, and those before and after it. The heights of the two sides differ by one at most.
#[derive(Debug)]
struct ChunkNode {
    left: ChunkTree,
    chunk: Arc<SessionChunk>,
    right: ChunkTree,
    extent: Extent,
    height: usize,
}

/// A chunk, and what comes before it.
#[derive(Debug)]
pub struct PlacedChunk<'a> {
    pub before: Extent,
    pub chunk: &'a Arc<SessionChunk>,
}

impl ChunkTree {
    fn of(left: ChunkTree, chunk: Arc<SessionChunk>, right: ChunkTree) -> Self {
        let extent = left.extent() + chunk.extent + right.extent();
        let height = 1 + left.height().max(right.height());
        ChunkTree(Some(Arc::new(ChunkNode { left, chunk, right, extent, height })))
    }

    pub fn of_chunks(chunks: &[Arc<SessionChunk>]) -> Self {
        let (left, rest) = chunks.split_at(chunks.len() / 2);
        match rest.split_first() {
            Some((chunk, right)) => Self::of(Self::of_chunks(left), chunk.clone(), Self::of_chunks(right)),
            None => Self::default(),
        }
    }

    pub fn extent(&self) -> Extent {
        self.0.as_ref().map_or(Extent::default(), |branch| branch.extent)
    }

    fn height(&self) -> usize {
        self.0.as_ref().map_or(0, |branch| branch.height)
    }

    /// The chunk in which a place lies, in the unit that `by` picks; the last one for the end of all. None where there are no chunks.
    pub fn find(&self, by: fn(&Extent) -> usize, at: usize) -> Option<PlacedChunk<'_>> {
        let mut before = Extent::default();
        let mut tree = self;
        while let Some(branch) = &tree.0 {
            let here = before + branch.left.extent();
            let after = here + branch.chunk.extent;
            if at < by(&here) {
                tree = &branch.left;
            } else if at < by(&after) || branch.right.0.is_none() {
                return Some(PlacedChunk { before: here, chunk: &branch.chunk });
            } else {
                (tree, before) = (&branch.right, after);
            }
        }
        None
    }

    /// The chunk of a number.
    pub fn get(&self, number: usize) -> Option<PlacedChunk<'_>> {
        self.find(|extent| extent.chunks, number).filter(|found| found.before.chunks == number)
    }

    /// Two trees: the `first` chunks, and the others.
    pub fn split(&self, first: usize) -> (ChunkTree, ChunkTree) {
        let Some(branch) = &self.0 else { return Default::default() };
        let ChunkNode { left, chunk, right, .. } = &**branch;
        match first.checked_sub(left.extent().chunks + 1) {
            None => {
                let (before, after) = left.split(first);
                (before, Self::join(after, chunk.clone(), right.clone()))
            }
            Some(first) => {
                let (before, after) = right.split(first);
                (Self::join(left.clone(), chunk.clone(), before), after)
            }
        }
    }

    pub fn concat(self, after: ChunkTree) -> ChunkTree {
        match after.get(0).map(|first| first.chunk.clone()) {
            Some(first) => Self::join(self, first, after.split(1).1),
            None => self,
        }
    }

    /// The same as `of` for sides of any height.
    fn join(left: ChunkTree, chunk: Arc<SessionChunk>, right: ChunkTree) -> ChunkTree {
        match (&left.0, &right.0) {
            (Some(branch), _) if left.height() > right.height() + 1 => {
                let inner = Self::join(branch.right.clone(), chunk, right);
                Self::balanced(branch.left.clone(), branch.chunk.clone(), inner)
            }
            (_, Some(branch)) if right.height() > left.height() + 1 => {
                let inner = Self::join(left, chunk, branch.left.clone());
                Self::balanced(inner, branch.chunk.clone(), branch.right.clone())
            }
            _ => Self::of(left, chunk, right),
        }
    }

    /// The same as `of` for sides whose heights differ by two at most: rotates once or twice.
    fn balanced(left: ChunkTree, chunk: Arc<SessionChunk>, right: ChunkTree) -> ChunkTree {
        match (&left.0, &right.0) {
            (Some(outer), _) if left.height() > right.height() + 1 => match &outer.right.0 {
                Some(inner) if outer.right.height() > outer.left.height() => Self::of(
                    Self::of(outer.left.clone(), outer.chunk.clone(), inner.left.clone()),
                    inner.chunk.clone(),
                    Self::of(inner.right.clone(), chunk, right),
                ),
                _ => Self::of(outer.left.clone(), outer.chunk.clone(), Self::of(outer.right.clone(), chunk, right)),
            },
            (_, Some(outer)) if right.height() > left.height() + 1 => match &outer.left.0 {
                Some(inner) if outer.left.height() > outer.right.height() => Self::of(
                    Self::of(left, chunk, inner.left.clone()),
                    inner.chunk.clone(),
                    Self::of(inner.right.clone(), outer.chunk.clone(), outer.right.clone()),
                ),
                _ => Self::of(Self::of(left, chunk, outer.left.clone()), outer.chunk.clone(), outer.right.clone()),
            },
            _ => Self::of(left, chunk, right),
        }
    }

    /// The ids of a range.
    pub fn ids(&self, from: usize, to: usize) -> Vec<TokenId> {
        let mut ids = Vec::with_capacity(to.saturating_sub(from));
        let mut next = self.find(|extent| extent.ids, from);
        while let Some(PlacedChunk { before, chunk }) = next.filter(|found| found.before.ids < to) {
            let start = from.saturating_sub(before.ids).min(chunk.ids.len());
            ids.extend_from_slice(&chunk.ids[start..chunk.ids.len().min(to - before.ids)]);
            next = self.get(before.chunks + 1);
        }
        ids
    }

    /// The text of the chunks from one number to before another.
    pub fn text(&self, from: usize, to: usize) -> String {
        let chunks = (from..to).map_while(|number| self.get(number));
        chunks.fold(String::new(), |text, found| text + &found.chunk.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::random::RandomStream;

    fn chunk(number: u32) -> Arc<SessionChunk> {
        Arc::new(SessionChunk::new(format!("é{number}"), 0, vec![number; number as usize % 3]))
    }

    fn is_balanced(tree: &ChunkTree) -> bool {
        tree.0.as_ref().is_none_or(|branch| {
            let heights = branch.left.height().abs_diff(branch.right.height());
            heights <= 1 && is_balanced(&branch.left) && is_balanced(&branch.right)
        })
    }

    #[test]
    fn splits_and_joins_are_those_of_a_list() {
        let mut list: Vec<u32> = (0..40).collect();
        let chunks = |list: &[u32]| list.iter().map(|&number| chunk(number)).collect::<Vec<_>>();
        let mut tree = ChunkTree::of_chunks(&chunks(&list));
        let mut random = RandomStream::of_piece(1, 0);
        let mut below = |end: usize| random.next() as usize % end;
        for round in 0..2000 {
            let from = below(list.len() + 1);
            let to = (from + below(6)).min(list.len());
            let new: Vec<u32> = (0..below(6) as u32).map(|number| round + number).collect();
            let before = tree.clone();
            let (first, rest) = tree.split(from);
            let (_, last) = rest.split(to - from);
            tree = first.concat(ChunkTree::of_chunks(&chunks(&new))).concat(last);
            assert_eq!(before.extent().chunks, list.len());
            list.splice(from..to, new);
            assert!(is_balanced(&tree));
            let ids: Vec<u32> = list.iter().flat_map(|&number| vec![number; number as usize % 3]).collect();
            assert_eq!(tree.ids(0, ids.len()), ids);
            let (from, to) = (ids.len() / 3, ids.len() / 2);
            assert_eq!(tree.ids(from, to), ids[from..to]);
            assert_eq!(tree.text(0, list.len()), list.iter().map(|number| format!("é{number}")).collect::<String>());
            assert_eq!(tree.extent().characters, tree.text(0, list.len()).chars().count());
        }
    }
}
