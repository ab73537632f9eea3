"""`bytemill decode`: ids back into text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import FormatError
from . import options
from .helped import argument, command
from .lines import line_batches
from .sources import STANDARD_INPUT, STDIN, existing, spooled
from .types import PATH, OneOf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer
    from .sources import TokenizerFile

EXAMPLES = """\
bytemill decode tokenizer.json train.bin | head
echo "4 5 6" | bytemill decode tokenizer.json
echo "[4, 5, 6]" | bytemill decode tokenizer.json --json
zstd -dc train.bin.zst | bytemill decode tokenizer.json - --input-format bin"""

CHUNK = 1 << 16  # ids
FORMATS = ("ids", "bin", "npy", "tokens")
#: What a name says; of all but bare ids, `open_tokens` knows the layout.
TOKEN_FILES = {
    ".bin": "bin",
    ".npy": "npy",
    ".ds": "tokens",
    ".idx": "tokens",
    ".parquet": "tokens",
    ".arrow": "tokens",
}


@command(EXAMPLES)
@options.tokenizer
@argument(
    "file",
    "A token file of any format, or text with ids on each line; - or none is standard input.",
    metavar="[FILE]",
    type=PATH,
    required=False,
)
@click.option(
    "--input-format",
    type=OneOf("input format", FORMATS),
    metavar="|".join(FORMATS),
    help="What FILE holds: lines of ids, bare ids, an array of numpy, or what its manifest or its layout says. By "
    "default its name says it, and standard input has lines.",
)
@click.option("--skip-special-tokens", is_flag=True, help="Leave special tokens out of the text.")
@click.option("--json", "as_json", is_flag=True, help="Write each text as a JSON string.")
def decode(
    tokenizer: TokenizerFile, file: Path | None, input_format: str | None, skip_special_tokens: bool, as_json: bool
) -> None:
    """Decode ids into text.

    Each line of ids (4 5 6, or [4, 5, 6]) becomes a text. A line end is added to a text that does not end with one. A
    token file as a whole is one text. A .bin without a manifest holds uint16 ids if those of the tokenizer fit,
    otherwise uint32.
    """
    tok = tokenizer.load()
    source = file or STDIN
    format = input_format or TOKEN_FILES.get(source.suffix, "ids")
    how = {"skip_special_tokens": skip_special_tokens}
    if format == "ids":
        write(line_texts(tok, source, as_json, how))
        return
    with spooled(source == STDIN) as spool:
        ids = token_array(tok, spool or existing(source), format)
        texts = token_file_text(tok, ids, how)
        write(iter([json.dumps("".join(texts), ensure_ascii=False) + "\n"]) if as_json else texts)


def write(texts: Iterator[str]) -> None:
    for text in texts:
        sys.stdout.write(text)
        sys.stdout.flush()


def token_array(tok: Tokenizer, path: Path, format: str) -> NDArray[Any]:
    """The ids of a token file, mapped into memory."""
    import numpy as np

    from ..data.layouts import array_file
    from ..data.tokens import found_manifest, open_tokens

    if format == "tokens" or (format == "bin" and found_manifest(path) is not None):
        data = open_tokens(path, tokenizer=tok)
        return data.slice(0, data.tokens)
    if format == "npy":
        array = array_file(path)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise FormatError(f"{path} holds {array.dtype} of shape {array.shape}, expected one row of integers")
        return array
    dtype = np.dtype("<u2" if tok.vocab_size <= 1 << 16 else "<u4")
    size = path.stat().st_size
    if size % dtype.itemsize:
        raise FormatError(f"{path} has {size:,} bytes, which is not a whole number of {dtype.name} ids")
    return np.memmap(path, dtype, mode="r") if size else np.zeros(0, dtype)


def token_file_text(tok: Tokenizer, ids: NDArray[np.generic], how: dict[str, Any]) -> Iterator[str]:
    stream = tok.stream(**how)
    for start in range(0, len(ids), CHUNK):
        yield "".join(map(stream.push, ids[start : start + CHUNK].tolist()))
    yield stream.finish()


def line_texts(tok: Tokenizer, source: Path, as_json: bool, how: dict[str, bool]) -> Iterator[str]:
    for first, lines in line_batches(source):
        rows = [parsed(line, source, number) for number, line in enumerate(lines, first)]
        texts = tok.decode_batch(rows, **how)
        yield "".join(json.dumps(text, ensure_ascii=False) + "\n" if as_json else ended(text) for text in texts)


def ended(text: str) -> str:
    """With a line end, so that the next text begins on a line of its own."""
    return text if text.endswith("\n") else text + "\n"


def parsed(line: bytes, source: Path, number: int) -> list[int]:
    """`4 5 6` or `[4, 5, 6]`."""
    words = line.decode("utf-8", "replace").strip().removeprefix("[").removesuffix("]").replace(",", " ").split()
    for word in words:
        if not (word.isdecimal() and len(word) <= 10):
            name = STANDARD_INPUT if source == STDIN else source
            hint = "" if number > 1 or word.isprintable() else "; for a token file, pass --input-format bin"
            raise FormatError(f"{name}, line {number:,}: {word!r} is not an id{hint}")
    return [int(word) for word in words]
