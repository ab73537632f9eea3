//! The splitting patterns of the GPT family. They are alternations with backtracking; the code takes the alternatives in their order.
//! Pieces cover the text. `advance` is the obvious version; `window` reads the same pieces off the masks of `masks`.

mod advance;
pub mod deepseek;
mod masks;
mod window;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::machine::simd::Engine;
use crate::text::class::{self, HAN, LETTER, MARK, NUMBER};
use crate::text::gaps::Gaps;
use crate::text::span::Span;
use window::Rules;
pub use window::Window;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    Gpt2,
    Cl100k,
    O200k,
    /// As `Cl100k`, with all white space at the end of a text in one piece: how `tiktoken` writes it.
    Cl100kToEnd,
    /// As `Cl100k`, with each digit by itself.
    Qwen2,
    /// As `O200k`, with each digit by itself and no contractions.
    Tekken,
    /// As `O200k`, with ideographs apart from words and no slashes after symbols.
    Kimi,
}

/// A scheme, ready to run.
#[derive(Debug, Clone)]
pub struct GptSplitter {
    scheme: Scheme,
    rules: Rules,
}

impl GptSplitter {
    pub fn new(scheme: Scheme) -> Self {
        Self::with_engine(scheme, Engine::best())
    }

    pub fn with_engine(scheme: Scheme, engine: Engine) -> Self {
        GptSplitter { scheme, rules: Rules::new(scheme, engine) }
    }

    /// Calls `each` with the borders of pieces that follow one another: of one the end is the start of the next.
    #[inline]
    pub fn borders<E>(
        &self,
        text: &str,
        window: &mut Window,
        each: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        window::split(self.scheme, &self.rules, (text, &Gaps::NONE), window, each)
    }

    /// The same of many texts, with a piece for each gap between two.
    #[inline]
    pub fn borders_of_many<E>(
        &self,
        texts: &str,
        gaps: &Gaps,
        window: &mut Window,
        each: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        window::split(self.scheme, &self.rules, (texts, gaps), window, each)
    }

    /// Calls `each` with the pieces of `text`, in order.
    pub fn split<E>(
        &self,
        text: &str,
        window: &mut Window,
        mut each: impl FnMut(Span) -> Result<(), E>,
    ) -> Result<(), E> {
        self.borders(text, window, |borders| borders.windows(2).try_for_each(|ends| each(Span::new(ends[0], ends[1]))))
    }
}

/// Whether a cut does no harm. After letters or digits a piece ends wherever no more of them, no mark and no contraction follows: no
/// alternative that takes a letter or a digit goes on with anything else but ideographs that are neither, and nothing looks back.
pub fn separates(left: char, right: char) -> bool {
    class::is(left, LETTER | NUMBER) && right != '\'' && !class::is(right, LETTER | NUMBER | MARK | HAN)
}

/// What `tiktoken` has for GPT-2, as it stands there and in our way of writing the end of a text. The same pieces: where nothing follows white
/// space, it is taken whole by both, and else but for its last character, which a lone `\s` takes where it is the only one.
const GPT2_OF_TIKTOKEN: [&str; 2] = [
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++\z|\s+(?!\S)|\s",
];

impl Scheme {
    pub const ALL: [Scheme; 7] =
        [Scheme::Gpt2, Scheme::Cl100k, Scheme::Cl100kToEnd, Scheme::O200k, Scheme::Qwen2, Scheme::Tekken, Scheme::Kimi];

    /// The one whose pieces are the matches of a pattern.
    pub fn of_pattern(pattern: &str) -> Option<Self> {
        let is_gpt2 = GPT2_OF_TIKTOKEN.contains(&pattern).then_some(Scheme::Gpt2);
        is_gpt2.or_else(|| Self::ALL.into_iter().find(|scheme| scheme.pattern() == pattern))
    }

    /// The pattern text that tokenizer.json files carry.
    pub fn pattern(self) -> &'static str {
        match self {
            Scheme::Gpt2 => r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
            Scheme::Cl100k => {
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            }
            Scheme::Cl100kToEnd => {
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\z|\s*[\r\n]|\s+(?!\S)|\s"
            }
            Scheme::O200k => {
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            }
            Scheme::Qwen2 => {
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            }
            Scheme::Tekken => {
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            }
            Scheme::Kimi => {
                r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            }
        }
    }

    /// The end of the piece that starts at `start`, which is before the end of the text.
    fn advance(self, text: &str, start: usize) -> usize {
        let rest = &text[start..];
        let width = match self {
            Scheme::Gpt2 => advance::gpt2(rest),
            Scheme::Cl100k => advance::cl100k(rest, 3),
            Scheme::Cl100kToEnd => match advance::run(rest, advance::space) {
                width if width == rest.len() => width,
                _ => advance::cl100k(rest, 3),
            },
            Scheme::O200k => advance::o200k(rest, 3, true),
            Scheme::Qwen2 => advance::cl100k(rest, 1),
            Scheme::Tekken => advance::o200k(rest, 1, false),
            Scheme::Kimi => advance::kimi(rest),
        };
        // Every alternative takes a character; this keeps a mistake in one from becoming an endless loop.
        start + width.max(rest.chars().next().map_or(1, char::len_utf8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::effort::{one_in, short_strings};
    use crate::text::pattern::Pattern;

    const ALL: [Scheme; 7] = Scheme::ALL;

    fn pieces(splitter: &GptSplitter, text: &str) -> Vec<Span> {
        let mut pieces = Vec::new();
        let push = |span| {
            pieces.push(span);
            Ok::<_, crate::error::Error>(())
        };
        splitter.split(text, &mut Window::default(), push).unwrap();
        pieces
    }

    fn one_by_one(scheme: Scheme, text: &str) -> Vec<Span> {
        let mut pieces = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let end = scheme.advance(text, start);
            pieces.push(Span::new(start, end));
            start = end;
        }
        pieces
    }

    fn texts(scheme: Scheme, text: &str) -> Vec<&str> {
        pieces(&GptSplitter::new(scheme), text).into_iter().map(|span| &text[span.range()]).collect()
    }

    #[test]
    fn by_example() {
        assert_eq!(
            texts(Scheme::Gpt2, "Hello world's  end...\n\n x"),
            ["Hello", " world", "'s", " ", " end", "...", "\n\n", " x"]
        );
        assert_eq!(
            texts(Scheme::Cl100k, "I'LL pay $1234 (now)\r\n\n  ok"),
            ["I", "'LL", " pay", " $", "123", "4", " (", "now", ")\r\n\n", " ", " ok"]
        );
        assert_eq!(texts(Scheme::O200k, "HTMLParser don't //\n x"), ["HTMLParser", " don't", " //\n", " x"]);
        assert_eq!(texts(Scheme::Cl100k, "a \n \n "), ["a", " \n \n", " "]);
        assert_eq!(texts(Scheme::Cl100kToEnd, "a \n \n "), ["a", " \n \n "]);
        assert_eq!(texts(Scheme::Cl100kToEnd, "a \n \n  !\n "), ["a", " \n \n", " ", " !\n", " "]);
        assert_eq!(texts(Scheme::Qwen2, "a12"), ["a", "1", "2"]);
        assert_eq!(texts(Scheme::Tekken, "don't12"), ["don", "'t", "1", "2"]);
        assert_eq!(
            texts(Scheme::Kimi, "abc中文's  中あいA //\n"),
            ["abc", "中文", "'s", " ", " ", "中", "あい", "A", " //\n"]
        );
    }

    /// One character for every cell of classes that the patterns tell apart.
    const CELLS: [char; 19] = [
        'a', 'A', '中', 'あ', '〇', '⺀', '\u{301}', 'ǅ', 'ʰ', '7', ' ', '\n', '\r', '\u{2028}', '\'', 's', '/', 'ſ',
        '!',
    ];

    #[test]
    fn windows_split_every_short_string_as_one_by_one() {
        for scheme in ALL {
            let splitter = GptSplitter::new(scheme);
            for length in 1..=4 {
                for text in short_strings(&CELLS, length, 7) {
                    assert_eq!(pieces(&splitter, &text), one_by_one(scheme, &text), "{scheme:?} {text:?}");
                }
            }
        }
    }

    #[test]
    fn every_short_string_is_split_by_its_patterns() {
        let of_gpt2 = GPT2_OF_TIKTOKEN.map(|pattern| (Scheme::Gpt2, pattern));
        for (scheme, pattern) in Scheme::ALL.map(|scheme| (scheme, scheme.pattern())).into_iter().chain(of_gpt2) {
            assert_eq!(Scheme::of_pattern(pattern), Some(scheme));
            let matcher = Pattern::Regex(pattern.into()).compile().unwrap();
            for length in 1..=4 {
                for text in short_strings(&CELLS, length, 7) {
                    let matches: Vec<Span> = matcher.matches(&text).collect();
                    assert_eq!(one_by_one(scheme, &text), matches, "{pattern} {text:?}");
                }
            }
        }
    }

    #[test]
    fn a_cut_changes_no_short_string() {
        for scheme in ALL {
            for text in short_strings(&CELLS, 4, 7) {
                let whole = one_by_one(scheme, &text);
                for (at, right) in text.char_indices().skip(1) {
                    let left = text[..at].chars().next_back().unwrap();
                    if separates(left, right) {
                        let after = one_by_one(scheme, &text[at..]).into_iter().map(|span| span.shifted(at));
                        let parts: Vec<Span> = one_by_one(scheme, &text[..at]).into_iter().chain(after).collect();
                        assert_eq!(parts, whole, "{scheme:?} {text:?} cut at {at}");
                    }
                }
            }
        }
    }

    /// The pieces of texts that are split together, each of which must be what it is by itself.
    fn check_together(scheme: Scheme, texts: &[&str]) {
        let (mut together, mut gaps, mut expected) = (String::new(), Gaps::default(), Vec::new());
        for text in texts {
            expected.extend(one_by_one(scheme, text).into_iter().map(|span| span.shifted(together.len())));
            together.push_str(text);
            gaps.push(together.len());
            expected.push(Span::new(together.len(), together.len() + 1));
            together.push('\0');
        }
        let mut found = Vec::new();
        let push = |cuts: &[usize]| {
            found.extend(cuts.windows(2).map(|pair| Span::new(pair[0], pair[1])));
            Ok::<_, crate::error::Error>(())
        };
        GptSplitter::new(scheme).borders_of_many(&together, &gaps, &mut Window::default(), push).unwrap();
        assert_eq!(found, expected, "{scheme:?} {texts:?}");
    }

    #[test]
    fn many_short_strings_are_split_together_as_each_by_itself() {
        let all: Vec<String> = (0..=3).flat_map(|length| short_strings(&CELLS, length, 5)).collect();
        for scheme in ALL {
            for step in [1, 17, 263] {
                let texts: Vec<&str> = all.iter().cycle().step_by(step).take(all.len()).map(String::as_str).collect();
                texts.chunks(100).for_each(|texts| check_together(scheme, texts));
            }
        }
    }

    /// What contractions are made of, in both cases, and what words around them are.
    const CONTRACTED: [char; 12] = ['\'', 'l', 'L', 'r', 'E', 'v', 's', 'ſ', 'A', '中', '\u{301}', ' '];

    #[test]
    fn contractions_in_a_row_and_in_any_case() {
        for scheme in ALL {
            let splitter = GptSplitter::new(scheme);
            for (index, text) in short_strings(&CONTRACTED, 4, 5).enumerate() {
                assert_eq!(pieces(&splitter, &text), one_by_one(scheme, &text), "{scheme:?} {text:?}");
                if index % 7 == 0 {
                    // Across the borders of blocks, where one run of contractions decides over the next.
                    let text = text.repeat(30);
                    assert_eq!(pieces(&splitter, &text), one_by_one(scheme, &text), "{scheme:?} {text:?}");
                }
            }
        }
    }

    #[test]
    fn every_short_string_across_the_border_of_two_blocks() {
        for scheme in ALL {
            let splitter = GptSplitter::new(scheme);
            let mut window = Window::default();
            for text in short_strings(&CELLS, 3, 11) {
                for before in 59..66 {
                    for (prefix, suffix) in [("x", ""), ("x", "s \n y"), ("!", " \n z"), (" ", "7")] {
                        let text = prefix.repeat(before) + &text + suffix;
                        let mut found = Vec::new();
                        let push = |span| {
                            found.push(span);
                            Ok::<_, crate::error::Error>(())
                        };
                        splitter.split(&text, &mut window, push).unwrap();
                        assert_eq!(found, one_by_one(scheme, &text), "{scheme:?} {text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_of_any_length_around_the_border_of_two_blocks() {
        for scheme in ALL {
            let splitter = GptSplitter::new(scheme);
            for (before, length) in
                (54..70).flat_map(|before| (1..12).chain(60..72).map(move |length| (before, length)))
            {
                for (first, digits) in [("", "7"), ("٣", "7"), ("〇٣", "7"), ("", "٣"), ("", "7٣"), ("", "77777٣")]
                {
                    let number: String = first.chars().chain(digits.chars().cycle().take(length)).collect();
                    let text = "x".repeat(before) + &number + " 12 y1234";
                    assert_eq!(pieces(&splitter, &text), one_by_one(scheme, &text), "{scheme:?} {text:?}");
                }
            }
        }
    }

    #[test]
    fn pieces_at_the_end_of_a_window_and_longer_than_one() {
        let engines = Engine::available();
        for (scheme, engine) in ALL.into_iter().flat_map(|scheme| engines.iter().map(move |engine| (scheme, *engine))) {
            let splitter = GptSplitter::with_engine(scheme, engine);
            for (i, text) in ["don't ", "  \n\u{2028}", "中é7", "A\u{301}b/\n", "!'s"].iter().enumerate() {
                for before in (2020..2060).chain(4070..4100).step_by(one_in(7)) {
                    let text = "x ".repeat(before / 2) + &"y".repeat(before % 2 + i) + &text.repeat(3) + "z";
                    assert_eq!(pieces(&splitter, &text), one_by_one(scheme, &text), "{scheme:?} {before}");
                }
                let long = text.chars().map(|c| c.to_string().repeat(5000)).collect::<String>() + "end";
                assert_eq!(pieces(&splitter, &long), one_by_one(scheme, &long), "{scheme:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn windows_split_any_text_as_one_by_one(text in "(?s).{0,200}") {
            for scheme in ALL {
                let expected = one_by_one(scheme, &text);
                for engine in Engine::available() {
                    let splitter = GptSplitter::with_engine(scheme, engine);
                    proptest::prop_assert_eq!(&pieces(&splitter, &text), &expected, "{:?}", engine);
                }
            }
        }

        #[test]
        fn any_texts_are_split_together_as_each_by_itself(
            texts in proptest::collection::vec("(?s).{0,20}|[a A1\n'sl/中\u{301}ʰ\0]{0,80}|[ \n]{0,90}|(a| |\n){2040,2100}", 0..40),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            ALL.into_iter().for_each(|scheme| check_together(scheme, &texts));
        }
    }
}
