"""Token files read back and compared with the documents that they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._arguments.appended import optional_token_id
from .._arguments.outputs import Writing
from ..errors import FormatError, SpecError
from .tokens import open_tokens

if TYPE_CHECKING:
    from ..results.report import EncodeReport
    from ..tokenizer import Tokenizer
    from .files import Reading

#: Documents that are compared, at even distances.
SAMPLED = 1000


def refuse_to_verify(reading: Reading, writing: Writing) -> None:
    if reading.documents is not None:
        raise SpecError("verify reads the sources once more, and documents= can be read only once; give files")
    if writing.shuffle or writing.split is not None:
        raise SpecError("verify compares documents by their order; leave out verify, shuffle or split")


def verified(tok: Tokenizer, reading: Reading, report: EncodeReport) -> int:
    """How many documents were compared: as many can be read back as there were, and those sampled are equal."""
    from .. import _core

    data = open_tokens(report.manifest, tokenizer=tok)
    if len(data) != report.documents:
        raise FormatError(f"{report.output}: {len(data):,} documents can be read back of {report.documents:,}")
    before = optional_token_id(tok, "prepend", reading.prepend)
    after = optional_token_id(tok, "append", reading.append)
    every = max(1, report.documents // SAMPLED)
    compared = 0
    for number, (text, place) in enumerate(_core.Documents(reading.paths(), reading.how)):
        if number % every:
            continue
        ids = [id for id in (before,) if id is not None] + tok.encode(text, specials=reading.specials)
        ids += [id for id in (after,) if id is not None]
        if data[number].tolist() != ids:
            raise FormatError(f"{report.output}: document {number:,} is not that of {place}")
        compared += 1
    return compared
