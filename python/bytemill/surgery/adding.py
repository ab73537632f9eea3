"""`add_tokens`: plain tokens that the model learns, and tokens that are found in a text before the model sees it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

from .._arguments import checks
from .._arguments.names import did_you_mean
from .._arguments.types import AnyPath
from ..errors import SpecError
from ..results.visible import visible
from ..see.linting.subject import Subject
from ..tokenizer import Tokenizer
from ..training.sources import Source
from .draft import Draft, shown
from .edit import Edit, Notes, finished, opened
from .growing import Unlearnable, growth
from .outlines import needed_for
from .reach import reach_among

Kind = Literal["plain", "added", "special"]

#: Names of tokens that keep an id free for later.
RESERVED = re.compile(
    r"\[unused_?\d+\]|\[control_\d+\]|<\|?(?:reserved|unused|special|placeholder|dummy|extra)(?:_[a-z]+)*_?\d+\|?>",
    re.IGNORECASE,
)
#: Tokens of T5 that look like reserved ones and are not.
SENTINEL = re.compile(r"<extra_id_\d+>")


def add_tokens(
    tokenizer: Tokenizer | AnyPath,
    tokens: Iterable[str] | Mapping[str, int],
    *,
    kind: Kind = "plain",
    reserved: bool = False,
    stepping_stones: bool = True,
    scores: Mapping[str, float] | None = None,
    on: Source | None = None,
) -> Edit:
    """Adds tokens to a vocabulary.

    A plain token is learned by the model. BPE gets the merges that lead to it, after all other merges; if a token is
    merged from more than two tokens, those in between are added, too, as stepping stones. Unigram gets a score with
    which the piece wins over its parts. WordPiece and words just get the token. A token that no text would be encoded
    to, because the pretokenizer cuts it or the normalizer changes it, is refused.

    Args:
        tokenizer: A tokenizer, or the file or name of one.
        tokens: The tokens as `Tokenizer.vocab` shows them (`" word"`, `"▁word"`, `"##word"`), or a mapping of tokens to
            the ids that they are to have: ids without a token, or those of reserved tokens, which go.
        kind: `"plain"` for text that the model makes a token; `"added"` for text that is found before the model sees
            it; `"special"` for an added token that decoding can leave out.
        reserved: Take the ids of reserved tokens (`[unused1]`, `<|reserved_special_token_1|>`, …) before new ids.
        stepping_stones: Only BPE: False adds no other tokens. A token that needs some is then refused, or found only as
            a whole piece if the tokenizer looks pieces up, as `tiktoken` does.
        scores: Only Unigram: the scores of plain tokens.
        on: Texts to measure the edit on: a path, a list of `Path`, or an iterable of `str`.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["the cat sat on the mat"], bytemill.BPE(259), progress=False)
        >>> edit = bytemill.surgery.add_tokens(tok, [" catamaran"])
        >>> edit.tokenizer.tokenize("the catamaran")
        ['the', ' catamaran']
        >>> edit.report.changes("the mat"), edit.report.changes("the catamaran")
        (False, True)
    """
    tok = opened(tokenizer)
    what = checks.one_of("kind", kind, get_args(Kind))
    checks.flag("reserved", reserved)
    checks.flag("stepping_stones", stepping_stones)
    if scores is not None and (tok.family != "unigram" or what != "plain"):
        raise SpecError("scores are for plain tokens of Unigram")
    wanted = _wanted(tokens)
    _check_scores(scores or {}, wanted)
    if what != "plain":
        return finished(*with_added(Draft(tok), wanted, what == "special", reserved), on)
    spelt = {token.encode(): id for token, id in wanted.items()}
    draft, notes = with_plain(tok, spelt, Growing(reserved, stepping_stones, scores or {}))
    if notes.left_out:
        token, why = next(iter(notes.left_out.items()))
        more = f" (and {len(notes.left_out) - 1:,} more)" if len(notes.left_out) > 1 else ""
        raise SpecError(f'{visible(token)!r}{more} cannot be a plain token: {why}; add it with kind="added"')
    return finished(draft, notes, on)


class Growing:
    """How plain tokens are added."""

    def __init__(self, reserved: bool = False, stones: bool = True, scores: Mapping[str, float] | None = None) -> None:
        self.reserved = reserved
        self.stones = stones
        self.scores = scores or {}


def _wanted(tokens: Iterable[str] | Mapping[str, int]) -> dict[str, int | None]:
    names = checks.list_of_texts("tokens", tokens)
    if not names:
        raise SpecError("tokens is empty; name the tokens to add")
    if "" in names:
        raise SpecError("a token cannot be empty")
    if not isinstance(tokens, Mapping):
        return dict.fromkeys(names)
    ids = {name: checks.whole_number(f"the id of {name!r}", tokens[name], least=0) for name in names}
    if len({*ids.values()}) < len(ids):
        raise SpecError("two tokens are to have the same id")
    return {**ids}


def _check_scores(scores: Mapping[str, float], wanted: Mapping[str, int | None]) -> None:
    for token, score in scores.items():
        if token not in wanted:
            raise SpecError(f"scores has {token!r}, which is not one of the tokens{did_you_mean(token, wanted)}")
        if not math.isfinite(checks.number(f"the score of {token!r}", score)):
            raise SpecError(f"the score of {token!r} is a finite number, not {score!r}")


def with_plain(tok: Tokenizer, wanted: Mapping[bytes, int | None], how: Growing) -> tuple[Draft, Notes]:
    """The draft in which a model has learned tokens; the notes say which it could not."""
    notes = Notes()
    for token in wanted:
        if (id := tok.token_to_id(token)) is not None:
            raise SpecError(f"{visible(shown(token))!r} is a token already, with the id {id}")
    while True:
        draft = Draft(tok)
        now = {token: id for token, id in wanted.items() if shown(token) not in notes.left_out}
        placed = _placed(draft, now, how.reserved)
        model = growth(draft, placed, how.stones, how.scores)
        for token, id in placed.items():
            try:
                model.learn(token, id)
            except Unlearnable as why:
                notes.left_out[shown(token)] = str(why)
        if len(now) + len(notes.left_out) > len(wanted):
            continue  # one of them failed, and may have left stepping stones
        lost = _unreached(draft, now)
        if not lost:
            notes.touched = draft.learned()
            return draft, notes
        notes.left_out |= lost


def _placed(draft: Draft, wanted: Mapping[bytes, int | None], reserved: bool) -> dict[bytes, int | None]:
    """The id of each token that does not just get the next one; the tokens of reserved ids are taken away."""
    free = iter(reserved_ids(draft) if reserved else ())
    taken = {id for id in wanted.values() if id is not None}
    placed: dict[bytes, int | None] = {}
    for token, id in wanted.items():
        placed[token] = next((one for one in free if one not in taken), None) if id is None else id
    chosen = [id for id in placed.values() if id is not None]
    for id in chosen:
        _check_free(draft, id)
    most = draft.size + len(wanted)
    if chosen and max(chosen) >= 2 * most + (1 << 16):
        raise SpecError(f"the id {max(chosen):,} is far beyond the {draft.size:,} ids of the tokenizer")
    draft.drop(id for id in chosen if draft.token(id) is not None)
    return placed


def _check_free(draft: Draft, id: int) -> None:
    held = draft.token(id)
    if held is None:
        return
    if not is_reserved(shown(held)):
        raise SpecError(f"the id {id} belongs to {visible(shown(held))!r}; choose another, or remove that token first")
    if (why := needed_for(draft.outline, id)) is not None:
        raise SpecError(f"the id {id} belongs to {visible(shown(held))!r}, which cannot go: {why}")


def is_reserved(name: str) -> bool:
    """Whether a token is there to keep an id free.

    >>> [*map(is_reserved, ["[unused7]", "<|reserved_special_token_3|>", "<SPECIAL_20>", "<extra_id_0>", "<s>"])]
    [True, True, True, False, False]
    """
    return RESERVED.fullmatch(name) is not None and SENTINEL.fullmatch(name) is None


def reserved_ids(draft: Draft) -> list[int]:
    """The ids of reserved tokens, in order."""
    return [id for id in draft.present() if is_reserved(shown(draft.token(id) or b""))]


def _unreached(draft: Draft, wanted: Iterable[bytes]) -> dict[str, str]:
    """Tokens that no text is encoded to, each with the reason."""
    ids = {draft.ids[token]: token for token in wanted}
    found = reach_among(Subject(draft.build()), {*ids})
    lost = {**{id: _cut(draft.old, ids[id]) for id in found.undecided}, **found.unreachable}
    return {shown(ids[id]): why for id, why in sorted(lost.items())}


def _cut(tok: Tokenizer, token: bytes) -> str:
    """What becomes of a token's text, as the reason why no text leads to it."""
    parts = tok.tokenize(token.decode("utf-8", "replace"), specials="none")
    return "no text was found that is encoded to it; its own text becomes " + " ".join(map(visible, parts))


def with_added(draft: Draft, wanted: Mapping[str, int | None], special: bool, reserved: bool) -> tuple[Draft, Notes]:
    """The draft with tokens that are found in a text before the model sees it."""
    there = {token["content"] for token in draft.added}
    for name in wanted:
        if name in there:
            raise SpecError(f"{name!r} is an added token already")
    # A token of the model can be found before it, too: it keeps its id.
    known = {name.encode(): draft.ids[name.encode()] for name in wanted if name.encode() in draft.ids}
    for token, own in known.items():
        if wanted[token.decode()] not in (None, own):
            raise SpecError(f"{token.decode()!r} is a token already, with the id {own}")
    new = {name.encode(): id for name, id in wanted.items() if name.encode() not in known}
    placed = _placed(draft, new, reserved) | known
    for name in wanted:
        id = placed[name.encode()]
        _add(draft, name, draft.size if id is None else id, special)
    draft.added.sort(key=lambda token: token["id"])
    return draft, Notes(touched={name.encode() for name in wanted})


def _add(draft: Draft, name: str, id: int, special: bool) -> None:
    pieces = draft.pieces
    if pieces is None or special:
        draft.added.append({"id": id, "content": name, "special": special, **_FLAGS})
    if pieces is not None:
        if id > len(draft.tokens):
            raise SpecError(f"a SentencePiece model has no ids without a piece: the next one is {len(draft.tokens)}")
        pieces["reserved" if special else "user_defined"] = sorted(
            {*pieces["reserved" if special else "user_defined"], id}
        )
        if special:
            _forget_symbol(draft, name, id)
        else:
            _keep(draft.outline["normalizer"], name)
        if id not in draft.origins:
            draft.put(id, name.encode())
    if id not in draft.origins:
        draft.sources[id] = () if special else tuple(draft.old.encode(name, specials="none"))


#: How `tokenizers` matches a token by default.
_FLAGS: dict[str, Any] = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}


def _forget_symbol(draft: Draft, name: str, id: int) -> None:
    """A piece of SentencePiece has one type: a control is no symbol of the user any more."""
    for listed, what in ((draft.pieces or {}, "user_defined"), (draft.outline["normalizer"], "kept")):
        listed[what] = [one for one in listed[what] if one not in (id, name)]


def _keep(normalizer: dict[str, Any], symbol: str) -> None:
    """The normalizer of SentencePiece leaves the user's own symbols as they are."""
    normalizer["kept"] = [*normalizer["kept"], symbol]
