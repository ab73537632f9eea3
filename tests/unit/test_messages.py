"""What a user does wrong → the exception → its whole message: calls and files of tokens.

Training is in test_training_messages, the files of tokenizers in test_format_messages. `Stopped` has no message (it is
the user's own exception, or KeyboardInterrupt: test_interrupts), and `Internal` cannot be caused from here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import bytemill
from bytemill import errors
from tests.samples import Mistakes, raises_exactly, words

TOK = words(["the cat"])
BATCH = TOK.encode_batch(["the cat", "the"])
UNNAMED = (
    "does not say which format to write: end it in .mill (compact), .mill.json (readable) or "
    "tokenizer.json (for the tokenizers library), or pass format="
)
TOKEN_FILE = (
    "the name of a token file ends in .bin (bare ids), .npy (numpy), .idx (Megatron), .ds (datatrove), .jsonl, "
    '.parquet or .arrow; or name its format, as in format="llmc"'
)


def files(folder: Path, name: str, output: str = "out.bin", **options: object) -> bytemill.EncodeReport:
    return TOK.encode_files(folder / name, folder / output, **options)


TABLE: Mistakes = {
    # Io
    "load nothing": (
        lambda folder: bytemill.load(folder / "none"),
        FileNotFoundError,
        "[Errno 2] No such file or directory: '{folder}/none'",
    ),
    "save nowhere": (
        lambda folder: TOK.save(folder / "none" / "a.mill"),
        FileNotFoundError,
        "{folder}/none/a.mill: the folder {folder}/none does not exist; create it first",
    ),
    "save over a folder": (
        lambda folder: TOK.save(folder, format="mill"),
        IsADirectoryError,
        "{folder}: this is a folder; give the name of a file in it",
    ),
    # SpecialInText, NotUtf8, UnknownPiece, UnknownId
    "a refused token": (
        lambda folder: TOK.encode("é<EOS>", specials="refuse"),
        errors.SpecialTokenError,
        'the text contains the special token "<EOS>" at byte 2, and this call refuses special tokens. To encode it as '
        'that token, pass specials={{"<EOS>"}} or specials="all"; to encode it as plain text, pass specials="none"',
    ),
    "bytes that are no text": (
        lambda folder: TOK.encode(b"ab\xff"),
        errors.TextError,
        "byte 2 of the text is 0xff, which is not valid UTF-8 there; "
        'decode it with errors="replace", or from the encoding that it is in',
    ),
    "half a character": (
        lambda folder: TOK.encode("ab\ud83d"),
        errors.TextError,
        "the text has a lone surrogate at character 2, which no encoding can express; replace it first, as in "
        "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')",
    ),
    "an unknown word": (
        lambda folder: words(["the"], unk_token=None).encode('the "cat"'),
        errors.UnknownTokenError,
        'the text has "\\"", for which the vocabulary has no token, nor an unknown token to stand in for it; '
        "train with unk_token set, or on text that contains it",
    ),
    "a refused token in a batch": (
        lambda folder: TOK.count_batch(["the", "é", "the<EOS>"], specials="refuse"),
        errors.SpecialTokenError,
        'texts[2] contains the special token "<EOS>" at byte 3, and this call refuses special tokens. To encode it as '
        'that token, pass specials={{"<EOS>"}} or specials="all"; to encode it as plain text, pass specials="none"',
    ),
    "bytes that are no text in a batch": (
        lambda folder: TOK.encode_batch(["the", b"\xff"]),
        errors.TextError,
        "byte 0 of texts[1] is 0xff, which is not valid UTF-8 there; "
        'decode it with errors="replace", or from the encoding that it is in',
    ),
    "half a character in a batch": (
        lambda folder: TOK.encode_batch(["the", "é", "ab\ud83d"]),
        errors.TextError,
        "texts[2] has a lone surrogate at character 2, which no encoding can express; replace it first, as in "
        "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')",
    ),
    "half a character in a pair": (
        lambda folder: TOK.inputs(["the", "cat"], ["cat", "\ud83d"]),
        errors.TextError,
        "pairs[1] has a lone surrogate at character 0, which no encoding can express; replace it first, as in "
        "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')",
    ),
    "an unknown word in a batch": (
        lambda folder: words(["the"], unk_token=None).encode_batch(["the"] * 9 + ["the cat"]),
        errors.UnknownTokenError,
        'texts[9] has "cat", for which the vocabulary has no token, nor an unknown token to stand in for it; '
        "train with unk_token set, or on text that contains it",
    ),
    "an unknown word in a pair": (
        lambda folder: words(["the"], unk_token=None).inputs(["the"], ["cat"]),
        errors.UnknownTokenError,
        'texts[0] or pairs[0] has "cat", for which the vocabulary has no token, nor an unknown token to stand in for '
        "it; train with unk_token set, or on text that contains it",
    ),
    "a number in a batch": (
        lambda folder: TOK.encode_batch(["the", 3]),
        TypeError,
        "texts[1]: a text is str or bytes, not int",
    ),
    "an unknown id": (
        lambda folder: TOK.decode([4, 6]),
        errors.UnknownIdError,
        "id 6 is not in the vocabulary, whose ids are 0 to 5",
    ),
    "an unknown id to append": (
        lambda folder: files(folder, "a.txt", append=6),
        errors.UnknownIdError,
        "id 6 is not in the vocabulary, whose ids are 0 to 5",
    ),
    # Spec: calls
    "a number that is no id": (
        lambda folder: TOK.decode([-1]),
        errors.UnknownIdError,
        "-1 cannot be an id: ids are 0 to 4294967295",
    ),
    "a large number that is no id": (
        lambda folder: TOK.stream().push(2**32),
        errors.UnknownIdError,
        "4294967296 cannot be an id: ids are 0 to 4294967295",
    ),
    "an unknown policy": (
        lambda folder: TOK.encode("a", specials="<EOS>"),
        errors.SpecError,
        'specials is "all", "none", "refuse" or a set of special tokens, not "<EOS>"; for one token write {{"<EOS>"}}',
    ),
    "an unknown special token": (
        lambda folder: TOK.encode("a", specials={"<X>"}),
        errors.SpecError,
        '"<X>" is not a special token of this tokenizer, which has: <PAD> <UNK> <BOS> <EOS>',
    ),
    "a misspelt policy": (
        lambda folder: TOK.encode("a", specials="refuze"),
        errors.SpecError,
        'specials is "all", "none", "refuse" or a set of special tokens, not "refuze"; for one token write '
        "{{\"refuze\"}}; did you mean 'refuse'?",
    ),
    "a misspelt special token": (
        lambda folder: TOK.encode("a", specials={"<EOZ>"}),
        errors.SpecError,
        "\"<EOZ>\" is not a special token of this tokenizer, which has: <PAD> <UNK> <BOS> <EOS>; did you mean '<EOS>'?",
    ),
    "a special token of none": (
        lambda folder: words(["a"], pad_token=None, unk_token=None, bos_token=None, eos_token=None).encode(
            "a", specials={"<X>"}
        ),
        errors.SpecError,
        '"<X>" is not a special token of this tokenizer, which has: none',
    ),
    "unknown offsets": (
        lambda folder: TOK("a", offsets="words"),
        errors.SpecError,
        'offsets is False, True, "chars" or "bytes", not "words"',
    ),
    "offsets that were not asked for": (
        lambda folder: TOK("a").offsets,
        errors.SpecError,
        "offsets are computed on request: call the tokenizer with offsets=True",
    ),
    "a text of another type": (lambda folder: TOK.encode(5), TypeError, "a text is str or bytes, not int"),
    "a pair of another type": (
        lambda folder: TOK("a", ["b"]),
        TypeError,
        "a text is str or bytes, not list; words that are split already need pretokenized=True, "
        "and many texts inputs()",
    ),
    "a part of another type": (
        lambda folder: list(TOK.encode_iterable(["a", b"b"])),
        TypeError,
        "encode_iterable takes an iterable of str, not of bytes",
    ),
    "one text as a batch": (
        lambda folder: TOK.encode_batch("the"),
        TypeError,
        "a batch is several texts, and this is one; put it in a list, or use encode or count",
    ),
    # Spec: files
    "save without a format": (
        lambda folder: TOK.save(folder / "x.txt"),
        errors.SpecError,
        f'the name "x.txt" {UNNAMED}',
    ),
    "save in no format": (
        lambda folder: TOK.save(folder / "a", format="gguf"),
        errors.SpecError,
        'there is no format named "gguf" (known: mill, mill.json, tokenizer.json, tiktoken, tekken.json, vocab.json, '
        "vocab.txt, model)",
    ),
    "save in a misspelt format": (
        lambda folder: TOK.save(folder / "a", format="mil"),
        errors.SpecError,
        'there is no format named "mil" (known: mill, mill.json, tokenizer.json, tiktoken, tekken.json, vocab.json, '
        "vocab.txt, model); did you mean 'mill'?",
    ),
    "bytes of a misspelt format": (
        lambda folder: TOK.to_bytes("tokeniser.json"),
        errors.SpecError,
        'there is no format named "tokeniser.json" (known: mill, mill.json, tokenizer.json, tiktoken, tekken.json, '
        "vocab.json, vocab.txt, model); did you mean 'tokenizer.json'?",
    ),
    "load in a misspelt format": (
        lambda folder: bytemill.load(folder / "a.mill", format="tiktokn"),
        errors.SpecError,
        'there is no format named "tiktokn" (known: mill, mill.json, tokenizer.json, tiktoken, tekken.json, '
        "vocab.json, vocab.txt, model); did you mean 'tiktoken'?",
    ),
    "save over a device": (
        lambda folder: TOK.save("/dev/null", format="mill"),
        errors.SpecError,
        "/dev/null is a device or a pipe, which cannot be replaced by a file; give the name of a file",
    ),
    "save under no name": (
        lambda folder: TOK.save("", format="mill"),
        errors.SpecError,
        "the path of the file to write is empty",
    ),
    "encode no files": (
        lambda folder: TOK.encode_files([], folder / "a.bin"),
        errors.SpecError,
        "there is no file to read: the list of paths is empty",
    ),
    "encode into no token file": (
        lambda folder: files(folder, "a.txt", "a.tok"),
        errors.SpecError,
        "{folder}/a.tok: " + TOKEN_FILE,
    ),
    "encode over a source": (
        lambda folder: files(folder, "a.bin", "a.bin"),
        errors.SpecError,
        "{folder}/a.bin is among the files to read; write to another one",
    ),
    "append an unknown token": (
        lambda folder: files(folder, "a.txt", append="<X>"),
        errors.SpecError,
        "append='<X>' is no special token (special tokens: <PAD> <UNK> <BOS> <EOS>)",
    ),
    # Format: documents
    "another field": (
        lambda folder: files(folder, "a.jsonl"),
        errors.FormatError,
        '{folder}/a.jsonl, line 1: no field "text" in this object, which has "body"; '
        "name the one that holds the text with field=",
    ),
    # Ragged
    "a row too far": (lambda folder: BATCH[2], IndexError, "row 2 of a batch of 2"),
    "a step": (lambda folder: BATCH[::2], errors.SpecError, "a Ragged is sliced in steps of 1, not 2"),
    "a side": (lambda folder: BATCH.pad(side="top"), errors.SpecError, 'side is "left" or "right", not \'top\''),
    "no multiple": (lambda folder: BATCH.pad(multiple_of=0), errors.SpecError, "multiple_of must be at least 1, not 0"),
    "a row too long": (
        lambda folder: BATCH.pad(length=1),
        errors.SpecError,
        "row 0 has 2 ids, which do not fit in length=1; cut it first",
    ),
}


@pytest.mark.parametrize("mistake", TABLE)
def test_messages(mistake: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat")
    (tmp_path / "a.bin").write_text("the cat")
    (tmp_path / "a.jsonl").write_text('{"body": "the cat"}\n')
    raises_exactly(TABLE[mistake], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "a.jsonl", "a.txt"]
