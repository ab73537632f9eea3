//! Plain characters: those that the rules of a SentencePiece normalizer leave as they are, so that runs of them are copied. Three questions
//! are asked of a character, and a bit answers each.

use super::charsmap::Charsmap;

/// Characters beyond are rare, and looked up in the rules.
const CODES: usize = 1 << 16;
/// Second characters of rules that are looked at; a file with more is damaged, and any may be second then.
const MOST_SECONDS: usize = 1 << 20;

#[derive(Debug, Clone)]
pub struct Plain {
    /// For each byte, whether it is an ASCII character that stays or becomes lower case, wherever ASCII follows. A space is none.
    ascii: [bool; 256],
    /// Whether capital letters of ASCII become small ones.
    folds: bool,
    /// Whether a space stays wherever it stands.
    pub space: bool,
    /// It is no rule by itself.
    stays: Bits,
    /// Longer rules begin with it.
    begins: Bits,
    /// It is the second character of a rule.
    seconds: Bits,
}

type Bits = Box<[u64]>;

fn get(bits: &Bits, c: char) -> bool {
    bits.get(c as usize / 64).is_some_and(|word| word >> (c as usize % 64) & 1 != 0)
}

impl Default for Plain {
    fn default() -> Self {
        Plain::new(None, &[])
    }
}

impl Plain {
    /// By the rules, and the texts that no rule touches: what begins with the first character of one has to be looked at.
    pub fn new(map: Option<&Charsmap>, kept: &[String]) -> Self {
        let bits = |all: bool| vec![if all { u64::MAX } else { 0 }; CODES / 64].into_boxed_slice();
        let set = |bits: &mut Bits, c: char, value: bool| {
            if let Some(word) = bits.get_mut(c as usize / 64) {
                *word = *word & !(1 << (c as usize % 64)) | u64::from(value) << (c as usize % 64);
            }
        };
        let (mut stays, mut begins, mut seconds) = (bits(true), bits(false), bits(false));
        let mut left = MOST_SECONDS;
        for c in map.iter().flat_map(|_| (0..CODES as u32).filter_map(char::from_u32)) {
            let Some((map, below)) = map.and_then(|map| Some((map, map.below(c)?))) else { continue };
            set(&mut stays, c, !below.is_rule);
            map.seconds(&below, &mut |second| {
                set(&mut begins, c, true);
                set(&mut seconds, second, true);
                left = left.saturating_sub(1);
                left > 0
            });
        }
        if left == 0 {
            seconds = bits(true);
        }
        kept.iter().filter_map(|text| text.chars().next()).for_each(|c| set(&mut stays, c, false));
        let ascii_is_second = (0..128u8).any(|byte| get(&seconds, byte.into()));
        let becomes = |byte: u8| match map.and_then(|map| map.longest(&[byte])) {
            _ if get(&stays, byte.into()) => Some(byte),
            Some((1, new)) if new.len() == 1 => Some(new.as_bytes()[0]),
            _ => None,
        };
        let is_kept = |byte: u8| kept.iter().any(|text| text.as_bytes().first() == Some(&byte));
        let lone = |byte: u8| !(is_kept(byte) || ascii_is_second && get(&begins, byte.into()));
        let folds = (b'A'..=b'Z').all(|byte| lone(byte) && becomes(byte) == Some(byte.to_ascii_lowercase()));
        let is_plain = |byte: u8| {
            let new = if folds { byte.to_ascii_lowercase() } else { byte };
            // A rule that gives back its own character still takes the marks behind it along, in the way of `tokenizers`.
            let is_free = new != byte || get(&stays, byte.into());
            byte.is_ascii() && byte != b' ' && lone(byte) && is_free && becomes(byte) == Some(new)
        };
        let ascii = std::array::from_fn(|byte| is_plain(byte as u8));
        let space = get(&stays, ' ') && !get(&begins, ' ');
        Plain { ascii, folds, space, stays, begins, seconds }
    }

    /// The length of what is plain at a place, where anything is; and whether its capital letters become small ones.
    #[inline]
    pub fn run(&self, text: &str, at: usize) -> (usize, bool) {
        match self.ascii_run(text, at, |byte| self.ascii[usize::from(byte)]) {
            Some(length) => (length, self.folds),
            None => (self.others(&text[at..]), false),
        }
    }

    /// Whether a text is words that stay as they are, with one space between two.
    #[inline]
    pub fn is_words(&self, text: &str) -> bool {
        let mut after_space = true;
        self.space
            && !self.folds
            && text.bytes().all(|byte| {
                let is_space = byte == b' ';
                let fits =
                    if is_space { !after_space } else { self.ascii[usize::from(byte)] && byte.is_ascii_graphic() };
                after_space = is_space;
                fits
            })
            && !after_space
    }

    /// The length of what stays as it is at a place, spaces among it.
    #[inline]
    pub fn unchanged(&self, text: &str, at: usize) -> usize {
        let stays = |byte: u8| {
            self.ascii[usize::from(byte)] && !(self.folds && byte.is_ascii_uppercase()) || byte == b' ' && self.space
        };
        self.ascii_run(text, at, stays).unwrap_or_else(|| self.others(&text[at..]))
    }

    /// The length of ASCII that is plain; None where there is none.
    #[inline]
    fn ascii_run(&self, text: &str, at: usize, is_plain: impl Fn(u8) -> bool) -> Option<usize> {
        let bytes = &text.as_bytes()[at..];
        let ascii = bytes.iter().take_while(|&&byte| is_plain(byte)).count();
        if ascii == 0 {
            return None;
        }
        // The last may be the start of a rule that what follows belongs to.
        let follows = bytes.get(ascii).is_some_and(|next| !next.is_ascii());
        let together = follows
            && get(&self.begins, bytes[ascii - 1].into())
            && text[at + ascii..].chars().next().is_some_and(|next| self.may_be_second(next));
        Some(ascii - usize::from(together))
    }

    /// The length of the plain characters beyond ASCII that a text begins with.
    fn others(&self, text: &str) -> usize {
        let mut characters = text.chars();
        let (mut length, mut next) = (0, characters.next());
        while let Some(c) = next.filter(|&c| !c.is_ascii() && get(&self.stays, c)) {
            next = characters.next();
            if get(&self.begins, c) && next.is_some_and(|next| self.may_be_second(next)) {
                break;
            }
            length += c.len_utf8();
        }
        length
    }

    fn may_be_second(&self, c: char) -> bool {
        c as usize >= CODES || get(&self.seconds, c)
    }
}
