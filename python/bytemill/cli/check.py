"""`bytemill check`: whether texts come back exactly after encoding and decoding."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from . import exits, options
from .console import plural
from .documents import batches
from .helped import command

if TYPE_CHECKING:
    from ..results.round_trip import RoundTrip
    from .sources import Reading, TokenizerFile

EXAMPLES = """\
bytemill check tokenizer.json corpus.txt
bytemill check vocab.txt data/ || echo "some texts do not come back"
bytemill check tokenizer.json --text "naïve café" """


@command(EXAMPLES)
@options.tokenizer
@options.reading(text=True)
@options.specials
@options.json_output
def check(tokenizer: TokenizerFile, reading: Reading, specials: Any, as_json: bool) -> None:
    """Check that texts come back exactly after encoding and decoding.

    Shows the first difference and ends with exit code 1 if there is one. Tokenizers that change the text first, as
    BERT's does, or that have an unknown token, do not give every text back.
    """
    tok = tokenizer.load()
    documents = tokens = different = 0
    first: tuple[str, RoundTrip] | None = None
    for batch in batches(reading):
        results = batch.each(lambda text: tok.check_round_trip(text, specials=specials))
        for place, result in zip(batch.places, results, strict=True):
            documents += 1
            tokens += result.tokens
            different += not result.exact
            first = first or (None if result.exact else (place, result))
    if as_json:
        facts: dict[str, Any] = {"exact": first is None, "documents": documents, "tokens": tokens}
        facts["different"] = different
        if first is not None:
            place, result = first
            facts["first"] = {
                "place": place,
                "position": result.position,
                "expected": result.expected,
                "found": result.found,
            }
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
    elif first is None:
        sys.stdout.write(f"exact: {plural(documents, 'document')}, {plural(tokens, 'token')}\n")
    else:
        place, result = first
        sys.stdout.write(f"{different:,} of {plural(documents, 'document')} came back changed; the first is {place}\n")
        sys.stdout.write(f"at character {result.position:,}\n")
        sys.stdout.write(f"expected  {result.expected!r}\nfound     {result.found!r}\n")
    if first is not None:
        click.get_current_context().exit(exits.FAILED)
