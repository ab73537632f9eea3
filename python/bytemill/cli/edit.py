"""`bytemill edit`: a tokenizer with another vocabulary."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SpecError
from ..progress import quantity
from . import options
from .console import warnings_as_notes
from .convert import texts_for, verify
from .edit_options import (
    adding,
    extending,
    new_ids,
    old_and_new,
    operation_of,
    pruning,
    removing,
    renumbering,
    tokens_to_add,
    tokens_to_remove,
)
from .helped import argument, command
from .outputs import STDOUT, check_output, refuse_json_beside, save, trial_save
from .types import PATH, SIZE

if TYPE_CHECKING:
    from ..surgery import Edit
    from ..tokenizer import Tokenizer
    from .sources import Reading, TokenizerFile

EXAMPLES = """\
bytemill edit tokenizer.json new.json --add ' tokenizer' --add ' hyperparameter' --map map.npz
bytemill edit tokenizer.json new.json --add-from words.txt --on data/
bytemill edit tokenizer.json new.json --add '<|tool|>' --kind special --reserved
bytemill edit tokenizer.json new.json --remove ' foo' --needed keep
bytemill edit cl100k_base.tiktoken small.tiktoken --prune --vocab-size 32k --on data/
bytemill edit spiece.model new.model --extend --vocab-size 36k --on russian.txt
bytemill edit tokenizer.json new.json --merge other.json
bytemill edit tokenizer.json new.json --rename '<s>=<|start|>'"""


@command(EXAMPLES)
@options.tokenizer
@argument(
    "output", "What to write, in the format of its name; - is standard output, with --format.", metavar="OUT", type=PATH
)
@adding
@removing
@pruning
@extending
@click.option("--merge", metavar="TOKENIZER", help="Add the tokens of another tokenizer of the same family.")
@renumbering
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="Rename a special token; may be repeated.")
@click.option("--vocab-size", type=SIZE, metavar="N", help="The number of tokens after --prune or --extend.")
@options.reading(on="measure the edit on, and count and learn from")
@click.option("--map", "map_path", type=PATH, metavar="FILE", help="Write the embedding map: .npz or .json.")
@options.format_option
@options.json_output
def edit(
    tokenizer: TokenizerFile,
    output: Path,
    reading: Reading,
    map_path: Path | None,
    format: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Edit the vocabulary of a tokenizer: add, remove, prune, learn, merge, renumber or rename tokens.

    One operation at a time. The report says which texts change and which tokens are reached after it. The result is
    read back and must encode a set of texts as it should, otherwise nothing is written.
    """
    do = OPERATIONS[operation_of(how)]
    refuse_json_beside(output, as_json)
    check_output(output, [Path(tokenizer.name)])
    if map_path is not None and map_path.suffix not in (".npz", ".json"):
        raise SpecError(f"the name of an embedding map ends in .npz or .json, and {map_path} does not")
    tok = tokenizer.load()
    done = do(tok, Texts(reading) if reading.sources else None, how)
    with warnings_as_notes():
        copy = trial_save(done.tokenizer, output, format)
        verify(done.tokenizer, copy, texts_for(done.tokenizer, copy), output)
        written = save(done.tokenizer, output, format)
    if map_path is not None:
        done.embedding_map.save(map_path)
    name = "standard output" if output == STDOUT else output
    if as_json:
        sys.stdout.write(json.dumps({"output": str(output), **done.report.to_dict()}, ensure_ascii=False) + "\n")
    else:
        sys.stderr.write(f"{done.report}\n{'written':16}{name} ({quantity(written, 'bytes')})\n")


class Texts:
    """The documents of --on, which can be read more than once; standard input is kept."""

    def __init__(self, reading: Reading) -> None:
        from .documents import file_batches

        self._read = partial(file_batches, reading)
        self._kept = [*self._texts()] if Path("-") in reading.sources else None

    def _texts(self) -> Iterator[str]:
        return (text for _, batch in self._read() for text in batch)

    def __iter__(self) -> Iterator[str]:
        return self._texts() if self._kept is None else iter(self._kept)


def add(tok: Tokenizer, texts: Texts | None, how: dict[str, Any]) -> Edit:
    from ..surgery import add_tokens

    named = list(how["add"])
    tokens = tokens_to_add(how["add_from"]) if how["add_from"] else named
    if named and how["add_from"]:
        raise SpecError("give --add or --add-from, not both")
    return add_tokens(
        tok,
        tokens,
        kind=how["kind"],
        reserved=how["reserved"],
        stepping_stones=how["stepping_stones"],
        on=texts,
    )


def remove(tok: Tokenizer, texts: Texts | None, how: dict[str, Any]) -> Edit:
    from ..surgery import remove_tokens

    tokens = [*how["remove"], *(tokens_to_remove(how["remove_from"]) if how["remove_from"] else ())]
    return remove_tokens(tok, tokens, needed=how["needed"], ids=how["ids"], on=texts)


def prune(tok: Tokenizer, texts: Texts | None, how: dict[str, Any]) -> Edit:
    from ..surgery import prune

    return prune(
        tok,
        texts,
        vocab_size=how["vocab_size"],
        min_count=how["min_count"],
        scripts=list(how["script"]) or None,
        characters=how["characters"],
        ids=how["ids"],
    )


def extend(tok: Tokenizer, texts: Texts | None, how: dict[str, Any]) -> Edit:
    from ..surgery import extend

    if texts is None or how["vocab_size"] is None:
        raise SpecError("--extend learns from texts up to a size: pass --on and --vocab-size")
    return extend(tok, texts, vocab_size=how["vocab_size"], min_frequency=how["min_frequency"])


def merge(tok: Tokenizer, texts: Texts | None, how: dict[str, Any]) -> Edit:
    from ..surgery import merge

    return merge(tok, how["merge"], stepping_stones=how["stepping_stones"], on=texts)


def reorder(tok: Tokenizer, texts: Texts | None, how: dict[str, Any]) -> Edit:
    from ..surgery import reorder

    return reorder(tok, new_ids(how["reorder"]))


def compact(tok: Tokenizer, texts: Texts | None, how: dict[str, Any]) -> Edit:
    from ..surgery import compact

    return compact(tok)


def rename(tok: Tokenizer, texts: Texts | None, how: dict[str, Any]) -> Edit:
    from ..surgery import rename_specials

    return rename_specials(tok, dict(map(old_and_new, how["rename"])))


OPERATIONS: dict[str, Callable[[Tokenizer, Texts | None, dict[str, Any]], Edit]] = {
    "add": add,
    "remove": remove,
    "prune": prune,
    "extend": extend,
    "merge": merge,
    "reorder": reorder,
    "compact": compact,
    "rename": rename,
}
