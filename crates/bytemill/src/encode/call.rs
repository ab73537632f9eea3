//! Call: what one call asks of encoding.

use super::sampling::Sampling;
use crate::code::Language;
use crate::specials::Choice;

#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// What happens to special tokens in the text.
    pub choice: &'a Choice,
    /// The language of a source file, where it is known.
    pub language: Option<Language>,
    /// What is left to chance, and the number of the text, on which the random numbers depend.
    pub sampling: Option<(Sampling, usize)>,
}

impl<'a> From<&'a Choice> for Call<'a> {
    #[inline]
    fn from(choice: &'a Choice) -> Self {
        Call { choice, language: None, sampling: None }
    }
}
