"""The names that options take, listed here so that help and completion need not load the library.

A test holds them equal to the library's own.
"""

from __future__ import annotations

FAMILIES = ("bpe", "wordpiece", "unigram", "sentencepiece", "word", "char")
FORMATS = ("mill", "mill.json", "tokenizer.json", "tiktoken", "tekken.json", "vocab.json", "vocab.txt", "model")
NORMALIZERS = ("lowercase", "strip_accents", "strip", "nfc", "nfd", "nfkc", "nfkd", "bert", "bert_cased")
PRETOKENIZERS = (
    "whitespace",
    "whitespace_split",
    "bert",
    "punctuation",
    "digits",
    "gpt2",
    "cl100k",
    "o200k",
    "qwen2",
    "tekken",
    "deepseek",
    "code",
)
INPUT_FORMATS = ("text", "lines", "jsonl", "json", "csv", "tsv", "parquet", "arrow")
OUTPUT_FORMATS = ("bin", "npy", "megatron", "datatrove", "llmc", "jsonl", "parquet", "arrow")
#: The types of kept columns.
KEPT_TYPES = ("bool", "int64", "float64", "string", "json")
TIES = ("bytemill", "huggingface", "tiktoken", "cs336", "sentencepiece", "rustbpe")
SCORES = ("frequency", "likelihood")
MODELS = ("unigram", "bpe", "word", "char")
NORMALIZATIONS = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
SOURCE_LANGUAGES = ("rust", "c")
ENDS_OF_WORDS = ("suffix", "symbol")
MARKERS = (
    "indent",
    "dedent",
    "newline",
    "comment",
    "docstring",
    "str",
    "comment_end",
    "docstring_end",
    "str_end",
    "section",
)
