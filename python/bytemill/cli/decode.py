"""`bytemill decode`: ids back into text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import FormatError
from ..tokenizer import Tokenizer
from . import options
from .lines import line_batches, place
from .sources import STDIN, existing, load_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXAMPLE = """\b
Examples:
  bytemill decode words.mill train.bin | head
  echo "4 5 6" | bytemill decode words.mill
  echo "[4, 5, 6]" | bytemill decode words.mill --json"""

CHUNK = 1 << 16  # ids


def decode(
    tokenizer: options.TokenizerPath,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A .bin or .npy token file, or lines of ids; - or none is standard input.",
            show_default=False,
        ),
    ] = None,
    skip_special_tokens: Annotated[
        bool, typer.Option("--skip-special-tokens", help="Leave special tokens out of the text.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write each text as a JSON string.")] = False,
) -> None:
    """Decode ids into text on standard output.

    Each line of ids (4 5 6, or [4, 5, 6]) becomes a line of text. A token file as a whole is one text;
    a .bin holds uint16 ids if the tokenizer's fit, else uint32.
    """
    tok = load_tokenizer(tokenizer)
    how = {"skip_special_tokens": skip_special_tokens}
    texts: Iterator[str]
    if file is not None and file.suffix in (".bin", ".npy"):
        texts = token_file_text(tok, token_array(tok, existing(file)), how)
        if as_json:
            texts = iter([json.dumps("".join(texts), ensure_ascii=False) + "\n"])
    else:
        texts = line_texts(tok, file or STDIN, as_json, how)
    for text in texts:
        sys.stdout.write(text)
        sys.stdout.flush()


def token_array(tok: Tokenizer, path: Path) -> NDArray[Any]:
    """The ids of a token file, mapped into memory."""
    import numpy as np

    if path.suffix == ".npy":
        try:
            array: NDArray[Any] = np.lib.format.open_memmap(path, mode="r")
        except ValueError:
            raise FormatError(f"{path} is not a .npy file, or not a whole one") from None
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise FormatError(f"{path} holds {array.dtype} of shape {array.shape}, expected one row of integers")
        return array
    dtype = np.dtype("<u2" if tok.vocab_size <= 1 << 16 else "<u4")
    size = path.stat().st_size
    if size % dtype.itemsize:
        raise FormatError(f"{path} has {size:,} bytes, which is no whole number of {dtype.name} ids")
    return np.memmap(path, dtype, mode="r") if size else np.zeros(0, dtype)


def token_file_text(tok: Tokenizer, ids: NDArray[np.generic], how: dict[str, bool]) -> Iterator[str]:
    stream = tok.stream(**how)
    for start in range(0, len(ids), CHUNK):
        yield "".join(map(stream.push, ids[start : start + CHUNK].tolist()))
    yield stream.finish()


def line_texts(tok: Tokenizer, source: Path, as_json: bool, how: dict[str, bool]) -> Iterator[str]:
    for first, lines in line_batches(source):
        rows = [parsed(line, source, number) for number, line in enumerate(lines, first)]
        texts = tok.decode_batch(rows, **how)
        yield "".join((json.dumps(text, ensure_ascii=False) if as_json else text) + "\n" for text in texts)


def parsed(line: bytes, source: Path, number: int) -> list[int]:
    """`4 5 6` or `[4, 5, 6]`."""
    words = line.decode("utf-8", "replace").strip().removeprefix("[").removesuffix("]").replace(",", " ").split()
    for word in words:
        if not (word.isdecimal() and len(word) <= 10):
            raise FormatError(f"{place(source, number)}: {word!r} is not an id")
    return [int(word) for word in words]
