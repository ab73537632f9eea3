//! Merges: which two tokens become which, and in what order of priority.

use std::hint::select_unpredictable;

use crate::error::{Error, Result};
use crate::machine::simd::prefetch;
use crate::machine::storage::Section;
use crate::vocab::{TokenId, Vocab};

/// The priority of a merge: lower goes first. Not an id.
pub(crate) type Rank = u32;

/// No merge.
pub(crate) const NEVER: Rank = Rank::MAX;

/// Bits of an id and of a rank in a slot: room for 2 million tokens and 4 million merges.
const ID_BITS: u32 = 21;
pub(crate) const RANK_BITS: u32 = 64 - 2 * ID_BITS;
const EMPTY: u64 = u64::MAX;

/// A pair → its rank, by open addressing over 64-bit slots (left, right, rank); a rank → the token that it makes.
#[derive(Debug, Clone)]
pub struct Merges {
    slots: Section<u64>,
    made: Section<TokenId>,
    /// What every token that is made has above its rank, where all have the same.
    shift: Option<TokenId>,
    filter: Filter,
    /// A bit for each token, set where merging its bytes gives it: all of them merged once more, where no file says so.
    selves: Option<Section<u64>>,
    /// The priority of each rank, where several share one; else empty.
    orders: Vec<Rank>,
}

/// Says of most pairs that never merge that they do not, from a tenth of the memory that the slots take: one bit is set for each pair
/// that does, in eight or more times as many. Most pairs that are asked for never merge.
#[derive(Debug, Clone)]
struct Filter {
    words: Vec<u64>,
    /// The product of a key is shifted by this much to give the number of its bit.
    shift: u32,
}

impl Filter {
    fn with_room(pairs: usize) -> Self {
        let bits = (8 * pairs).next_power_of_two().max(64);
        Filter { words: vec![0; bits / 64], shift: 64 - bits.trailing_zeros() }
    }

    /// For slots of which `used` are used. `None` if one of them has a rank or a token that there is not.
    fn new(slots: &[u64], used: usize, ranks: usize, tokens: usize) -> Option<Self> {
        let mut filter = Filter::with_room(used);
        let (mut highest, mut last) = (0, 0);
        for &slot in slots {
            // Nothing could predict which are empty. Those set a bit too, all of them the same.
            let (rank, key) = split(slot);
            filter.add(product(key));
            let (left, right) = ids(key);
            highest = highest.max(select_unpredictable(slot == EMPTY, 0, rank));
            last = last.max(select_unpredictable(slot == EMPTY, 0, left.max(right)));
        }
        (used == 0 || (highest as usize) < ranks && (last as usize) < tokens).then_some(filter)
    }

    #[inline]
    fn add(&mut self, product: u64) {
        let bit = (product >> self.shift) as usize;
        self.words[bit / 64] |= 1 << (bit % 64);
    }
}

/// Merges to which pairs are added, and which can be used meanwhile.
pub(crate) struct Growing {
    slots: Vec<u64>,
    made: Vec<TokenId>,
    shift: Option<TokenId>,
    filter: Filter,
}

impl Growing {
    /// For `pairs` pairs of ids below a bound, whose ranks make these tokens.
    pub(crate) fn with_room(pairs: usize, ids: usize, made: Vec<TokenId>) -> Result<Self> {
        if made.len() >= (1 << RANK_BITS) - 1 || ids > 1 << ID_BITS {
            return Err(Error::Spec(format!(
                "byte-pair encoding here has at most {} tokens and {} merges",
                1 << ID_BITS,
                (1 << RANK_BITS) - 2
            )));
        }
        // Up to four fifths full: most that is not here is told by the filter, and what is smaller is nearer.
        let slots = vec![EMPTY; (5 * pairs / 4 + 1).next_power_of_two().max(2)];
        Ok(Growing { slots, shift: shift_of(&made), made, filter: Filter::with_room(pairs) })
    }

    /// Adds a pair, with a rank that makes a token. If a pair is there twice, the last rank counts.
    pub(crate) fn add(&mut self, left: TokenId, right: TokenId, rank: Rank) {
        let mask = self.slots.len() - 1;
        let key = key(left, right);
        let mut at = place(product(key)) & mask;
        while self.slots[at] != EMPTY && self.slots[at] >> RANK_BITS != key {
            at = (at + 1) & mask;
        }
        self.slots[at] = key << RANK_BITS | u64::from(rank);
        self.filter.add(product(key));
    }

    pub(crate) fn view(&self) -> MergesView<'_> {
        MergesView { slots: &self.slots, made: &self.made, shift: self.shift, filter: &self.filter, orders: &[] }
    }

    pub(crate) fn finish(self) -> Merges {
        Merges {
            filter: self.filter,
            shift: self.shift,
            slots: self.slots.into_iter().collect(),
            made: self.made.into_iter().collect(),
            selves: None,
            orders: Vec::new(),
        }
    }
}

impl Merges {
    /// Pairs with their ranks, and what each rank makes; of a pair that is there twice, the last counts.
    pub fn new(pairs: &[(TokenId, TokenId, Rank)], made: Vec<TokenId>) -> Result<Self> {
        let ids = pairs.iter().flat_map(|&(left, right, _)| [left, right]).chain(made.iter().copied());
        let bound = ids.max().map_or(0, |id| id as usize + 1);
        let mut growing = Growing::with_room(pairs.len(), bound, made)?;
        pairs.iter().for_each(|&(left, right, rank)| growing.add(left, right, rank));
        Ok(growing.finish())
    }

    /// Pairs of tokens in the order of their ranks, each of which makes the token of their bytes together, less the prefix that the right
    /// one has for not being the first of a piece.
    pub fn of_pairs(vocab: &Vocab, pairs: &[(TokenId, TokenId)], prefix: &[u8]) -> Result<Self> {
        let (mut together, mut last) = (Vec::new(), 0);
        let mut makes = |number: usize, left: TokenId, right: TokenId| {
            let at = || format!("merge {number}");
            let token = |id| vocab.token(id).ok_or_else(|| Error::format(at(), format!("there is no token {id}")));
            let right = token(right)?;
            // The library cuts off as many bytes, whatever they are. A part without the prefix is met nowhere but at the start of a piece.
            let rest =
                right.strip_prefix(prefix).filter(|rest| prefix.is_empty() || !rest.is_empty()).ok_or_else(|| {
                    let (right, prefix) = (String::from_utf8_lossy(right), String::from_utf8_lossy(prefix));
                    Error::format(at(), format!("{right:?} does not start with the prefix {prefix:?} and go on"))
                })?;
            let left = token(left)?;
            // Most merges make the same as the one before or the next, which is known without a search.
            let is_made = |&id: &TokenId| vocab.token(id).is_some_and(|token| token.strip_prefix(left) == Some(rest));
            let made = [last, last + 1].into_iter().find(is_made).or_else(|| {
                together.clear();
                together.extend_from_slice(left);
                together.extend_from_slice(rest);
                vocab.id(&together)
            });
            last = made.ok_or_else(|| {
                let text = String::from_utf8_lossy(&together).into_owned();
                Error::format(at(), format!("makes {text:?}, which is not in the vocabulary"))
            })?;
            Ok(last)
        };
        let numbered = || pairs.iter().enumerate();
        let made = numbered().map(|(number, &(left, right))| makes(number, left, right)).collect::<Result<_>>()?;
        let ranked: Vec<_> = numbered().map(|(number, &(left, right))| (left, right, number as Rank)).collect();
        Self::new(&ranked, made)
    }

    /// Any two tokens whose text together is a token, all of them mergeable, the one with the highest score first: the rule of
    /// SentencePiece.
    pub fn of_scores(vocab: &Vocab, scores: &[f64], mergeable: impl Fn(TokenId) -> bool) -> Result<Self> {
        let view = vocab.view();
        let mut made: Vec<TokenId> = vocab.tokens().map(|(id, _)| id).filter(|&id| mergeable(id)).collect();
        made.sort_by(|&left, &right| scores[right as usize].total_cmp(&scores[left as usize]));
        let mut pairs = Vec::new();
        let part = |text: &[u8]| view.id(text).filter(|&id| mergeable(id));
        for (rank, &id) in (0..).zip(&made) {
            let token = vocab.token(id).unwrap_or_default();
            let splits = (1..token.len()).map(|at| token.split_at(at));
            pairs.extend(splits.filter_map(|(left, right)| Some((part(left)?, part(right)?, rank))));
        }
        let mut merges = Self::new(&pairs, made)?;
        merges.order_by(scores);
        Ok(merges)
    }

    /// Merges whose tokens have the same score have the same priority. They follow one another.
    pub fn order_by(&mut self, scores: &[f64]) {
        let score = |rank: usize| self.made.as_slice().get(rank).and_then(|&id| scores.get(id as usize));
        let mut orders: Vec<Rank> = Vec::new();
        for rank in 0..self.made.as_slice().len() {
            let same = rank > 0 && score(rank - 1) == score(rank);
            orders.push(orders.last().copied().filter(|_| same).unwrap_or(rank as Rank));
        }
        let differs = (0..).zip(&orders).any(|(rank, &order): (Rank, _)| rank != order);
        self.orders = if differs { orders } else { Vec::new() };
    }

    /// Merges whose parts come from a file; each is checked, so that no later lookup can fail.
    pub fn from_sections(
        slots: Section<u64>,
        made: Section<TokenId>,
        selves: Section<u64>,
        vocab: &Vocab,
    ) -> std::result::Result<Self, &'static str> {
        let tokens = vocab.len();
        let made_ids = made.as_slice();
        let ids_ok = made_ids.iter().all(|&id| (id as usize) < tokens);
        // A rank that no pair has may stand for a hole, as where ranks are ids.
        let is_token = |id: TokenId| vocab.holes().binary_search(&id).is_err();
        let fits = |&slot: &u64| {
            let (rank, key) = split(slot);
            let (left, right) = ids(key);
            is_token(left) && is_token(right) && made_ids.get(rank as usize).is_none_or(|&id| is_token(id))
        };
        let pairs_ok = vocab.holes().is_empty() || slots.as_slice().iter().filter(|&&slot| slot != EMPTY).all(fits);
        let used = slots.as_slice().iter().filter(|&&slot| slot != EMPTY).count();
        let filter = Filter::new(slots.as_slice(), used, made.as_slice().len(), tokens);
        let roomy = slots.as_slice().len().is_power_of_two() && used < slots.as_slice().len();
        let selves_ok = selves.as_slice().len() == tokens.div_ceil(64);
        match filter.filter(|_| ids_ok && pairs_ok && roomy && selves_ok) {
            Some(filter) => {
                let shift = shift_of(made.as_slice());
                Ok(Merges { filter, slots, made, shift, selves: Some(selves), orders: Vec::new() })
            }
            None => Err("the merges do not fit the tokens"),
        }
    }

    pub fn view(&self) -> MergesView<'_> {
        MergesView {
            slots: self.slots.as_slice(),
            made: self.made.as_slice(),
            shift: self.shift,
            filter: &self.filter,
            orders: &self.orders,
        }
    }

    /// Whether the file said which tokens merging makes of their own bytes.
    pub fn know_selves(&self) -> bool {
        self.selves.is_some()
    }

    /// Whether merging the bytes of a token gives it, as far as the file said so.
    pub fn is_self(&self, id: TokenId) -> bool {
        let bits = self.selves.as_ref().and_then(|bits| bits.as_slice().get(id as usize / 64));
        bits.is_some_and(|bits| bits >> (id % 64) & 1 != 0)
    }

    /// Whether no two pairs have the same rank, so that a list of them in their order says all.
    pub fn are_a_list(&self) -> bool {
        let mut seen = vec![false; self.made.as_slice().len()];
        let used = self.slots.as_slice().iter().filter(|&&slot| slot != EMPTY);
        used.map(|&slot| split(slot).0 as usize).all(|rank| !std::mem::replace(&mut seen[rank], true))
    }

    /// The pair of each rank, of merges that are a list; None for a rank that a pair has lost to a later one.
    pub fn by_rank(&self) -> Vec<Option<(TokenId, TokenId)>> {
        let mut pairs = vec![None; self.made.as_slice().len()];
        for &slot in self.slots.as_slice().iter().filter(|&&slot| slot != EMPTY) {
            let (rank, key) = split(slot);
            pairs[rank as usize] = Some(ids(key));
        }
        pairs
    }

    /// Every pair in the order of the ranks.
    pub fn pairs(&self) -> Vec<(TokenId, TokenId)> {
        let view = self.view();
        let mut pairs: Vec<(Rank, u64)> =
            view.slots.iter().filter(|&&slot| slot != EMPTY).map(|&slot| split(slot)).collect();
        pairs.sort_unstable();
        pairs.into_iter().map(|(_, key)| ids(key)).collect()
    }
}

fn shift_of(made: &[TokenId]) -> Option<TokenId> {
    let shift = *made.first()?;
    (shift..).zip(made).all(|(expected, &id)| expected == id).then_some(shift)
}

/// The pairs of merges that go by scores as a list that goes by places: the highest score first, and of the same score those with the
/// longest left part. Where several such pairs lie side by side, the leftmost goes first by scores, and has grown the most.
pub(crate) fn in_order_of_scores(vocab: &Vocab, merges: &Merges, scores: &[f64]) -> Vec<(TokenId, TokenId)> {
    let view = merges.view();
    let score = |&(left, right): &(TokenId, TokenId)| scores[view.made(view.rank(left, right)) as usize];
    let length = |&(left, _): &(TokenId, TokenId)| {
        let token = vocab.token(left).unwrap_or_default();
        token.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
    };
    let mut pairs = merges.pairs();
    pairs.sort_by(|one, other| {
        score(other).total_cmp(&score(one)).then_with(|| length(other).cmp(&length(one))).then_with(|| one.cmp(other))
    });
    pairs
}

#[derive(Debug, Clone, Copy)]
pub struct MergesView<'a> {
    pub slots: &'a [u64],
    pub made: &'a [TokenId],
    shift: Option<TokenId>,
    filter: &'a Filter,
    orders: &'a [Rank],
}

impl MergesView<'_> {
    /// The rank of a pair, or `NEVER`.
    #[inline]
    pub fn rank(&self, left: TokenId, right: TokenId) -> Rank {
        let key = key(left, right);
        let product = product(key);
        let bit = (product >> self.filter.shift) as usize;
        if self.filter.words.get(bit / 64).is_none_or(|word| word >> (bit % 64) & 1 == 0) {
            return NEVER;
        }
        let mask = self.slots.len() - 1;
        let mut at = place(product);
        loop {
            let slot = self.slots[at & mask];
            if slot == EMPTY {
                return NEVER;
            }
            if slot >> RANK_BITS == key {
                return split(slot).0;
            }
            at += 1;
        }
    }

    /// Asks the memory for what `rank` will look at.
    #[inline]
    pub fn prefetch(&self, left: TokenId, right: TokenId) {
        let at = place(product(key(left, right))) & (self.slots.len() - 1);
        if let Some(slot) = self.slots.get(at) {
            prefetch(slot);
        }
    }

    /// Whether the order of merges is another than that of their ranks.
    #[inline]
    pub fn has_orders(&self) -> bool {
        !self.orders.is_empty()
    }

    /// Which of two merges goes first: that with the lower order, and of equal ones the leftmost.
    #[inline]
    pub fn order(&self, rank: Rank) -> Rank {
        self.orders.get(rank as usize).copied().unwrap_or(rank)
    }

    /// The token that a merge makes if it was made, or another. Mostly without a branch, where nothing tells which it will be.
    #[inline]
    pub fn made_or(&self, is_made: bool, rank: Rank, other: TokenId) -> TokenId {
        match self.shift {
            Some(shift) => select_unpredictable(is_made, rank.wrapping_add(shift), other),
            None if is_made => self.made[rank as usize],
            None => other,
        }
    }

    /// The token that a merge makes. Where tokens have their ids in the order of the merges, as trainers number them, nothing is read: all
    /// that follows a merge would wait for it.
    #[inline]
    pub fn made(&self, rank: Rank) -> TokenId {
        match self.shift {
            Some(shift) => rank + shift,
            None => self.made[rank as usize],
        }
    }
}

#[inline]
fn key(left: TokenId, right: TokenId) -> u64 {
    u64::from(left) << ID_BITS | u64::from(right)
}

fn ids(key: u64) -> (TokenId, TokenId) {
    ((key >> ID_BITS) as TokenId, (key & ((1 << ID_BITS) - 1)) as TokenId)
}

#[inline]
fn split(slot: u64) -> (Rank, u64) {
    ((slot & ((1 << RANK_BITS) - 1)) as Rank, slot >> RANK_BITS)
}

#[inline]
fn product(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The product's upper half: each bit of it depends on all of the key.
#[inline]
fn place(product: u64) -> usize {
    (product >> 32) as usize
}
