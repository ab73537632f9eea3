"""Added tokens under every policy, against the reference, which looks at each place of a text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill.reference.specials import is_control, split
from tests.samples import chars

ALPHABET = "<a> \tö▁"
CONTENTS = st.text(ALPHABET, min_size=1, max_size=4)
ADDED = st.dictionaries(CONTENTS, st.booleans(), max_size=5)


def with_added(added: dict[str, bool]) -> bytemill.Tokenizer:
    trained = chars([ALPHABET], pad_token=None, bos_token=None, eos_token=None)
    file: dict[str, Any] = json.loads(trained.to_bytes("tokenizer.json"))
    plain = dict(id=0, single_word=False, lstrip=False, rstrip=False, normalized=False)
    file["added_tokens"] += [{**plain, "content": content, "special": special} for content, special in added.items()]
    return bytemill.Tokenizer(bytemill._core.from_bytes(json.dumps(file).encode()))


@given(added=ADDED, text=st.text(ALPHABET, max_size=20), chosen=st.sets(CONTENTS, max_size=3))
def test_policies_are_those_of_the_reference(added: dict[str, bool], text: str, chosen: set[str]) -> None:
    tok = with_added(added)
    controls = [token for token, special in added.items() if is_control(token, special)]
    spelling = [token for token in added if token not in controls]
    chosen &= set(added)

    def expected(found: list[str]) -> list[str]:
        return [token for part, is_token in split(text, found) for token in ([part] if is_token else list(part))]

    assert tok.tokenize(text, specials="all") == tok.tokenize(text) == expected(list(added))
    assert tok.tokenize(text, specials="none") == expected(spelling)
    assert tok.tokenize(text, specials=chosen) == expected([*spelling, *(chosen & set(controls))])
    if any(is_token and part in controls for part, is_token in split(text, list(added))):
        with pytest.raises(bytemill.errors.SpecialTokenError):
            tok.encode(text, specials="refuse")
    else:
        assert tok.tokenize(text, specials="refuse") == expected(list(added))
