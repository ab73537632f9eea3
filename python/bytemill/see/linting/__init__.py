"""`lint`: what is wrong with a tokenizer, or worth knowing before it is used."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..._arguments.names import unknown_name
from ..._arguments.types import AnyPath, InputFormat
from ...errors import SpecError
from ...training.sources import Caller, Source
from ..texts import Batch, read_texts
from .behaviour import check_losses, check_numbers, check_spaces, check_specials
from .findings import LEVELS, Finding, Findings
from .patterns import check_patterns
from .reach import check_reach, unreachable
from .settings import check_ids_of_template, check_lengths, check_roles, check_template
from .subject import Subject
from .vocabulary import check_bytes, check_ids, check_partial, check_twins, check_use

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

CHECKS = (
    check_reach,
    check_bytes,
    check_ids,
    check_twins,
    check_partial,
    check_specials,
    check_losses,
    check_numbers,
    check_spaces,
    check_patterns,
    check_template,
    check_roles,
    check_ids_of_template,
    check_lengths,
)
#: Every kind of finding.
IDS = (
    *("unreachable-token", "byte-outside-utf8", "missing-byte", "hole-in-ids", "near-duplicate", "partial-character"),
    *("mixed-partial-character", "special-spelt-by-text", "special-is-ordinary-text", "special-in-model"),
    *(
        "refused-text",
        "dropped-text",
        "unknown-text",
        "lossy-text",
        "uneven-numbers",
        "costly-indentation",
        "slow-pattern",
    ),
    *("template-without-token", "role-without-token", "role-mismatch", "template-id-without-token"),
    *("truncates-by-default", "longer-than-model", "undertrained-token", "text-too-short"),
)


def lint(
    tokenizer: Tokenizer | AnyPath,
    on: Source | None = None,
    *,
    ignore: Iterable[str] = (),
    input_format: InputFormat | None = None,
    field: str = "text",
    separator: str | None = None,
    errors: str = "strict",
) -> Findings:
    """Looks for what is wrong with a tokenizer: tokens that no text reaches, holes in ids, texts that do not come back.

    Args:
        tokenizer: A tokenizer, or the file or name of one.
        on: Texts to look for tokens that are hardly used: a path, a list of `Path`, or an iterable of `str`.
        ignore: The ids of kinds of findings that are not wanted.
        input_format: How to read files, whatever their names.
        field: The field of a record, or the column of a table, that holds the text.
        separator: What stands between the documents of a text file.
        errors: What happens to documents that are none: `"strict"`, `"replace"` or `"skip"`.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["the cat"], bytemill.Word(), special_tokens=["end"], progress=False)
        >>> [finding.id for finding in bytemill.lint(tok) if finding.level == "warning"]
        ['special-is-ordinary-text', 'unknown-text']
    """
    from ...loading import load
    from ...tokenizer import Tokenizer

    if not isinstance(tokenizer, (Tokenizer, str, os.PathLike)):
        raise TypeError(f"a tokenizer is a Tokenizer, a path or a name, not {type(tokenizer).__name__}")
    how = {"input_format": input_format, "field": field, "separator": separator, "errors": errors}
    tok = tokenizer if isinstance(tokenizer, Tokenizer) else load(tokenizer)
    batches = None if on is None else read_texts(on, Caller("lint", "look at", "looked at"), **how)
    return lint_batches(tok, batches, ignore)


def lint_batches(tok: Tokenizer, batches: Iterator[Batch] | None, ignore: Iterable[str] = ()) -> Findings:
    unwanted = {*ignore}
    for id in unwanted:
        if id not in IDS:
            raise SpecError(unknown_name("kind of finding", id, dict.fromkeys(IDS)))
    subject = Subject(tok)
    found = [finding for check in CHECKS for finding in check(subject)]
    if batches is not None:
        counts = np.zeros(tok.vocab_size, dtype=np.int64)
        for _, texts in batches:
            counts += np.bincount(tok.encode_batch(texts, specials="none").ids, minlength=len(counts))
        found += check_use(subject, counts, {*unreachable(subject)})
    wanted = [finding for finding in found if finding.id not in unwanted]
    return Findings(sorted(wanted, key=lambda finding: LEVELS.index(finding.level)))


__all__ = ["IDS", "Finding", "Findings", "lint", "lint_batches"]
