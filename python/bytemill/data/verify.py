"""Token files read back and compared with the documents that they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .._arguments.appended import optional_token_id
from ..errors import FormatError, SpecError
from .tokens import TokenData, open_tokens

if TYPE_CHECKING:
    from .. import _core
    from ..results.report import EncodeReport
    from .files import Reading

#: Documents that are compared, at even distances.
SAMPLED = 1000


def refuse_to_verify(reading: Reading) -> None:
    if reading.documents is not None:
        raise SpecError("verify reads the sources once more, and documents= can be read only once; give files")


class SampledDocument(NamedTuple):
    """What a document of the sources has to be in the token files, and where it comes from."""

    number: int
    ids: list[int]
    place: str


def verified(tok: _core.Tokenizer, reading: Reading, report: EncodeReport, in_order: bool) -> int:
    """How many documents were compared: as many can be read back as there were, and those sampled are equal."""
    data = open_tokens(report.manifest, tokenizer=tok)
    if len(data) != report.documents:
        raise FormatError(f"{report.output}: {len(data):,} documents can be read back of {report.documents:,}")
    documents = sampled(tok, reading, max(1, report.documents // SAMPLED))
    return compared_by_number(data, report, documents) if in_order else compared_anywhere(data, report, documents)


def sampled(tok: _core.Tokenizer, reading: Reading, every: int) -> Iterator[SampledDocument]:
    """Documents of the sources at even distances."""
    from .. import _core

    ends = [optional_token_id(tok, name, getattr(reading, name)) for name in ("prepend", "append")]
    before, after = ([] if id is None else [id] for id in ends)
    for number, (text, place) in enumerate(_core.Documents(reading.paths(), reading.how)):
        if number % every == 0:
            ids = [*before, *tok.encode(text, specials=reading.specials), *after]
            yield SampledDocument(number, ids, place)


def compared_by_number(data: TokenData, report: EncodeReport, documents: Iterator[SampledDocument]) -> int:
    compared = 0
    for number, ids, place in documents:
        if data[number].tolist() != ids:
            raise FormatError(f"{report.output}: document {number:,} is not that of {place}")
        compared += 1
    return compared


def compared_anywhere(data: TokenData, report: EncodeReport, documents: Iterator[SampledDocument]) -> int:
    """For documents in another order than the sources: each sampled one is there as often as in the sample."""
    wanted: dict[tuple[int, ...], list[str]] = {}
    for _, ids, place in documents:
        wanted.setdefault(tuple(ids), []).append(place)
    missing = {key: len(places) for key, places in wanted.items()}
    for row in data.of_lengths({len(key) for key in wanted}):
        found = tuple(row.tolist())
        if missing.get(found, 0) > 0:
            missing[found] -= 1
    lost = next((key for key, count in missing.items() if count), None)
    if lost is not None:
        raise FormatError(f"{report.output}: no document is that of {wanted[lost][0]}")
    return sum(map(len, wanted.values()))
