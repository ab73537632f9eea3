//! Grapheme clusters on their way out: what a reader takes for one character, such as a letter with its accents, a flag, or a family of
//! emoji. The last cluster of a text waits, since more text could belong to it.

use unicode_segmentation::GraphemeCursor;

#[derive(Debug, Clone, Default)]
pub(super) struct GraphemeTail {
    /// Begins where a cluster does, and is one or empty.
    pending: String,
}

impl GraphemeTail {
    /// The clusters that further text makes whole.
    pub(super) fn push(&mut self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let looked_at = self.pending.len();
        self.pending.push_str(text);
        let whole = if ends_for_good(text) { self.pending.len() } else { last_boundary(&self.pending, looked_at) };
        let rest = self.pending.split_off(whole);
        std::mem::replace(&mut self.pending, rest)
    }

    pub(super) fn finish(&mut self) -> String {
        std::mem::take(&mut self.pending)
    }
}

/// Where the last cluster of a text begins, given that there is only one before a place.
fn last_boundary(text: &str, from: usize) -> usize {
    let mut cursor = GraphemeCursor::new(from, text.len(), true);
    // With the whole text at hand, a cursor never asks for more.
    let mut last = if cursor.is_boundary(text, 0) == Ok(true) { from } else { 0 };
    while let Ok(Some(next)) = cursor.next_boundary(text, 0)
        && next < text.len()
    {
        last = next;
    }
    last
}

/// Whether a text ends with a character that nothing is joined to: a line feed, or another control.
fn ends_for_good(text: &str) -> bool {
    let Some(last) = text.chars().next_back().filter(|&last| last != '\r') else { return false };
    let joined = format!("{last}\u{301}");
    GraphemeCursor::new(last.len_utf8(), joined.len(), true).is_boundary(&joined, 0) == Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_segmentation::UnicodeSegmentation;

    /// What one may find in a cluster, and what ends one.
    const PARTS: [&str; 16] = [
        "a", "\u{301}", "\r", "\n", "\u{200d}", "👩", "🏽", "🇩", "🇪", "ᄀ", "ᅡ", "ᆨ", "क", "\u{94d}", "\u{600}", "\u{1}",
    ];

    #[test]
    fn clusters_come_out_whole_and_as_soon_as_they_are() {
        for number in 0..PARTS.len().pow(3) {
            let parts: Vec<&str> = (0..3).map(|place| PARTS[number / PARTS.len().pow(place) % PARTS.len()]).collect();
            let text = parts.concat();
            let mut tail = GraphemeTail::default();
            let mut out = String::new();
            for (i, part) in parts.iter().enumerate() {
                out += &tail.push(part);
                let so_far = parts[..=i].concat();
                let ends =
                    |text: &str| text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect::<Vec<_>>();
                assert!(ends(&so_far).contains(&out.len()), "{parts:?} {out:?}");
                // Nothing is kept that no text could make longer.
                let certain = |at: &usize| PARTS.iter().all(|more| ends(&(so_far.clone() + more)).contains(at));
                let most = ends(&so_far).into_iter().filter(certain).max();
                assert_eq!(Some(out.len()), most, "{parts:?} {out:?}");
            }
            assert_eq!(out + &tail.finish(), text);
        }
    }
}
