//! The way in which `tokenizers` applies a precompiled character map: a grapheme of less than six bytes becomes what the shortest rule makes
//! of its start, and all of it; of others each character by itself.

use unicode_segmentation::UnicodeSegmentation;

use super::Normalized;
use super::charsmap::Charsmap;

pub fn apply(map: &Charsmap, text: &mut Normalized) {
    // Between two ASCII characters there is always a grapheme's border, but for one pair, in which neither is plain.
    let is_plain = |byte: u8| byte.is_ascii() && map.leaves(byte);
    if text.text().bytes().all(is_plain) {
        return;
    }
    let mut changed = false;
    let mut changes: Vec<(char, isize)> = Vec::with_capacity(text.text().len());
    for grapheme in text.text().graphemes(true) {
        if let Some(new) = map.shortest(grapheme.as_bytes()).filter(|_| grapheme.len() < 6) {
            replace(&mut changes, grapheme, new);
            changed = true;
            continue;
        }
        for c in grapheme.chars() {
            let part = c.encode_utf8(&mut [0; 4]).to_string();
            match map.shortest(part.as_bytes()) {
                Some(new) => {
                    replace(&mut changes, &part, new);
                    changed = true;
                }
                None => changes.push((c, 0)),
            }
        }
    }
    if changed {
        text.transform(|_, out| *out = changes);
    }
}

/// Characters more than before stand behind the last; of fewer, the last stands for the rest too.
fn replace(changes: &mut Vec<(char, isize)>, old: &str, new: &str) {
    let more = new.chars().count() as isize - old.chars().count() as isize;
    changes.extend(new.chars().map(|c| (c, 0)));
    if more > 0 {
        changes.iter_mut().rev().take(more as usize).for_each(|(_, change)| *change = 1);
    } else if let Some((_, change)) = changes.last_mut() {
        *change += more;
    }
}
