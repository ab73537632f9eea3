"""The road of a tokenizer with stages written in Python: part by part, many times as slow as the engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ... import _core
from ._encoding import Encoding
from ._normalized import NormalizedString, PreTokenizedString, Token
from ._stage import compact

if TYPE_CHECKING:
    from ._tokenizer import Tokenizer


def encode(tokenizer: Tokenizer, sequence: Any, pair: Any, is_pretokenized: bool, add_special_tokens: bool) -> Encoding:
    """What `Tokenizer.encode` gives."""
    texts = [
        _tokens(tokenizer, text, type_id, is_pretokenized)
        for type_id, text in enumerate((sequence, pair))
        if text is not None
    ]
    return tokenizer.post_process(texts[0], texts[1] if len(texts) > 1 else None, add_special_tokens)


def _tokens(tokenizer: Tokenizer, text: Any, type_id: int, is_pretokenized: bool) -> Encoding:
    if not is_pretokenized:
        return _pieces(tokenizer, text).to_encoding(type_id)
    words = [_pieces(tokenizer, word).to_encoding(type_id, number) for number, word in enumerate(text)]
    return Encoding.merge(words, growing_offsets=False)


def _pieces(tokenizer: Tokenizer, text: str) -> PreTokenizedString:
    """The pieces of a text, with their tokens."""
    pretok: PreTokenizedString = PreTokenizedString._of_parts(text, _between_added_tokens(tokenizer, text))
    if tokenizer.normalizer is not None:
        pretok._normalize(tokenizer.normalizer.normalize)
    if tokenizer.pre_tokenizer is not None:
        tokenizer.pre_tokenizer.pre_tokenize(pretok)
    pretok.tokenize(tokenizer.model.tokenize)
    return pretok


def _between_added_tokens(tokenizer: Tokenizer, text: str) -> Iterable[tuple[NormalizedString, list[Token] | None]]:
    """The added tokens of a text, and what is between them."""
    whole = NormalizedString(text)
    finder = _finder(tokenizer)
    if finder is None:
        return [(whole, None)]
    found = finder(text, offsets=True, specials=tokenizer._matched())
    parts: list[tuple[NormalizedString, list[Token] | None]] = []
    for id, surface, (start, end) in zip(found.ids, found.written_tokens, found.offsets, strict=True):
        tokens = None if id == 0 else [Token(id - 1, surface, (0, len(surface.encode())))]
        parts.append((whole._part(start, end), tokens))
    return parts


def _finder(tokenizer: Tokenizer) -> _core.Tokenizer | None:
    """A tokenizer that knows the added tokens, by ids that are one higher, and nothing else."""
    added = tokenizer._rest(without_custom=True)["added_tokens"]
    if not added:
        return None
    model = {"type": "WordLevel", "vocab": {"": 0}, "unk_token": ""}
    staged, _ = _core.StagedModel.open(compact({"version": "1.0", "model": model}).encode())
    tokens = [{**token, "id": token["id"] + 1} for token in added]
    return _core.Tokenizer(staged.with_stages(compact({"version": "1.0", "added_tokens": tokens})))
