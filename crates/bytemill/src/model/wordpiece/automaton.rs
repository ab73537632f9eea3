//! LinMaxMatch (Song et al., "Fast WordPiece Tokenization", 2021): the longest matches of a word in one pass over its bytes.
//!
//! A state is a node of a trie: what was read and is not yet given out. There are two tries, of all tokens as they stand, for the start of
//! a word, and of what marked tokens have after their mark, for the rest. Where the next byte leads nowhere, greedy matching would give
//! out some tokens and go back; a node knows which ones (`gives`) and the node of what is left then (`fails`), so that nothing is read
//! twice. Since tokens are whole characters, matching bytes is matching characters.

use crate::vocab::{TokenId, Vocab, in_order_of_bytes};

#[derive(Debug)]
pub(super) struct Automaton {
    /// In the order of their depth, those of one parent together. The first two are the roots.
    nodes: Vec<State>,
    /// The byte that leads to each node, and `GROUP` more, so that as many can be read at once.
    labels: Vec<u8>,
    given: Vec<TokenId>,
    /// The children of the roots by their bytes: most steps of most words are one from a root.
    roots: [[u32; 256]; 2],
}

#[derive(Debug, Clone, Copy)]
struct State {
    /// The first child; the last one is before the first child of the next node.
    children: u32,
    fails: u32,
    /// What is given out on failure, in `given`.
    gives: (u32, u32),
}

const WORD: u32 = 0;
const REST: u32 = 1;
/// In place of a node to fail to: the word is stuck.
const STUCK: u32 = u32::MAX;
const NO_TOKEN: TokenId = TokenId::MAX;
/// In place of a child of a root: there is none.
const NOWHERE: u32 = u32::MAX;
/// Labels that are compared at once.
const GROUP: usize = size_of::<u64>();
const EVERY_BYTE: u64 = u64::MAX / 0xFF;

impl Automaton {
    pub(super) fn new(vocab: &Vocab, prefix: &[u8]) -> Self {
        let BothTries { firsts, mut labels, tokens } = BothTries::new(vocab, prefix);
        let nodes = firsts.iter().map(|&children| State { children, fails: STUCK, gives: (0, 0) });
        let roots = [WORD, REST].map(|root| {
            let mut children = [NOWHERE; 256];
            for child in firsts[root as usize]..firsts[root as usize + 1] {
                children[labels[child as usize] as usize] = child;
            }
            children
        });
        labels.extend([0; GROUP]);
        let mut automaton = Automaton { nodes: nodes.collect(), labels, given: Vec::new(), roots };
        for parent in 0..tokens.len() as u32 {
            for node in automaton.nodes[parent as usize].children..automaton.nodes[parent as usize + 1].children {
                automaton.link(parent, node, tokens[node as usize]);
            }
        }
        automaton
    }

    /// What a node fails to, given that all nodes above it know.
    fn link(&mut self, parent: u32, node: u32, token: TokenId) {
        let from = self.given.len() as u32;
        let mut fails = STUCK;
        if token != NO_TOKEN {
            self.given.push(token);
            fails = REST;
        } else {
            // Greedy matching is one byte further than it was in the parent, and fails as that did, as often as it takes.
            let mut at = parent;
            while let Some(fallback) = self.fail(at) {
                let (start, end) = self.nodes[at as usize].gives;
                self.given.extend_from_within(start as usize..end as usize);
                at = fallback;
                if let Some(next) = self.child(at, self.labels[node as usize]) {
                    fails = next;
                    break;
                }
            }
            if fails == STUCK {
                self.given.truncate(from as usize);
            }
        }
        self.nodes[node as usize].fails = fails;
        self.nodes[node as usize].gives = (from, self.given.len() as u32);
    }

    #[inline]
    fn fail(&self, node: u32) -> Option<u32> {
        Some(self.nodes[node as usize].fails).filter(|&fails| fails != STUCK)
    }

    #[inline]
    fn child(&self, node: u32, byte: u8) -> Option<u32> {
        if let Some(children) = self.roots.get(node as usize) {
            return Some(children[usize::from(byte)]).filter(|&child| child != NOWHERE);
        }
        let (first, end) = (self.nodes[node as usize].children, self.nodes[node as usize + 1].children);
        for at in (first..end).step_by(GROUP) {
            let labels = u64::from_le_bytes(*self.labels.get(at as usize..)?.first_chunk()?);
            // A byte of this is zero where a label is the one; the highest bit of the first such byte is then set, and of none before it.
            let differ = labels ^ (EVERY_BYTE * u64::from(byte));
            let found = differ.wrapping_sub(EVERY_BYTE) & !differ & (EVERY_BYTE << 7);
            if found != 0 {
                return Some(at + found.trailing_zeros() / 8).filter(|&child| child < end);
            }
        }
        None
    }

    /// Appends the ids of a word. Gives whether it has any; if not, nothing is appended.
    pub(super) fn segment(&self, word: &[u8], ids: &mut Vec<TokenId>) -> bool {
        let from = ids.len();
        let mut node = WORD;
        for &byte in word {
            loop {
                if let Some(next) = self.child(node, byte) {
                    node = next;
                    break;
                }
                let Some(next) = self.give(node, ids) else {
                    ids.truncate(from);
                    return false;
                };
                node = next;
            }
        }
        while node != REST && !word.is_empty() {
            let Some(next) = self.give(node, ids) else {
                ids.truncate(from);
                return false;
            };
            node = next;
        }
        true
    }

    #[inline]
    fn give(&self, node: u32, ids: &mut Vec<TokenId>) -> Option<u32> {
        let State { gives: (start, end), .. } = self.nodes[node as usize];
        ids.extend_from_slice(&self.given[start as usize..end as usize]);
        self.fail(node)
    }
}

/// The nodes of both tries, breadth first.
struct BothTries {
    /// The first child of each node, and one number more.
    firsts: Vec<u32>,
    labels: Vec<u8>,
    tokens: Vec<TokenId>,
}

impl BothTries {
    fn new(vocab: &Vocab, prefix: &[u8]) -> Self {
        let tokens = || vocab.tokens().filter(|(_, token)| !token.is_empty());
        let marked = tokens().filter_map(|(id, token)| Some((id, token.strip_prefix(prefix)?)));
        let words = in_order_of_bytes(tokens());
        let rests = in_order_of_bytes(marked.filter(|(_, rest)| !rest.is_empty()));
        let mut trie = BothTries { firsts: Vec::new(), labels: vec![0; 2], tokens: vec![NO_TOKEN; 2] };
        // The texts below each node of one depth, the same number of whose bytes lead to it.
        let mut level = vec![words.as_slice(), rests.as_slice()];
        let mut depth = 0;
        while !level.is_empty() {
            let mut below = Vec::new();
            for texts in level {
                trie.firsts.push(trie.labels.len() as u32);
                let longer = texts.iter().position(|(text, _)| text.len() > depth).unwrap_or(texts.len());
                for group in texts[longer..].chunk_by(|(a, _), (b, _)| a[depth] == b[depth]) {
                    let (text, id) = group[0];
                    trie.labels.push(text[depth]);
                    trie.tokens.push(if text.len() == depth + 1 { id } else { NO_TOKEN });
                    below.push(group);
                }
            }
            level = below;
            depth += 1;
        }
        trie.firsts.push(trie.labels.len() as u32);
        trie
    }
}
