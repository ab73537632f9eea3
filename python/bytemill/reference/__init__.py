"""The specification, executable: slow, obvious, the standard library alone, nothing of bytemill.

Read it as a ladder, each file the previous ones plus one idea:

    splitting     text → pieces, one question asked of each character
    normalizing   text → text, before it is split
    specials      special tokens are found first
    counting      how often each piece occurs, and which came first
    vocabulary    pieces → ids, in a stated order
    chars         the character tokenizer: all of the above joined
    words         the word tokenizer: another way to split, another way to join
    bpe           byte-pair encoding: what a piece starts as, and how it is merged
    bpe_training  byte-pair encoding, learned: which pairs become tokens
    wordpiece     the longest token that a word begins with, and so on
    identifiers   names of source code → their words
    sessions      a text that grows and changes, and its tokens
    comparing     what tokenizers are compared by, from their ids and places alone

The classes of characters come from Python's `unicodedata`, whose Unicode version is the interpreter's (14.0 in Python
3.11), while the product's tables are those of the `tokenizers` library. They differ for characters that are younger
than one of the two, and for `is_word`, which here stands for the regular expression class `\\w` without its few symbols
that count as letters (such as Ⓐ). Tests compare the two on characters where they agree.
"""
