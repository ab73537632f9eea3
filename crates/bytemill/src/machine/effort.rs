//! How much tests try that could try everything: `make test-all` (BYTEMILL_TESTS=all) does, `make test` takes a sample.

/// The step by which a test walks over all cases: 1, or this where a sample is enough. A prime number meets every beginning and every end.
pub(crate) fn one_in(sample: usize) -> usize {
    let all = std::env::var_os("BYTEMILL_TESTS").is_some_and(|tests| tests == "all");
    if all { 1 } else { sample }
}

/// The strings of `length` characters of an alphabet: all of them, or one in `sample`.
pub(crate) fn short_strings(alphabet: &[char], length: u32, sample: usize) -> impl Iterator<Item = String> {
    let numbers = (0..alphabet.len().pow(length)).step_by(one_in(sample));
    numbers.map(move |number| {
        (0..length).map(|place| alphabet[number / alphabet.len().pow(place) % alphabet.len()]).collect()
    })
}
