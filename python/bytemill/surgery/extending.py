"""`extend`: a vocabulary learns more tokens from new text, and keeps the ids that it has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from .. import _core
from .._arguments import checks
from .._arguments.amounts import vocabulary_size
from .._arguments.paths import how_to_read
from .._arguments.types import AnyPath
from ..errors import SpecError
from ..progress import watching
from ..results.visible import text_of
from ..see.linting.alone import Scoring
from ..tokenizer import Tokenizer
from ..training.sentencepiece import SentencePiece
from ..training.sources import Source
from ..training.specs import BPE, Char, Word, WordPiece
from .adding import Growing, with_plain
from .draft import Draft
from .edit import Edit, Notes, batches, counted, finished, opened, repeatable
from .growing import BpeGrowth, UnigramGrowth, ordinary_pieces

MARK = "▁"
#: Share of the characters of the new text that become tokens, where characters are tokens.
COVERAGE = 0.9995
#: Candidates for each new piece of Unigram: those that the text uses least are left out.
CANDIDATES = 2
#: The score of a new piece is lowered by this much where it would take the place of an old one.
STEP = 0.5
#: How often scores are estimated.
ROUNDS = 3


def extend(
    tokenizer: Tokenizer | AnyPath,
    source: Source,
    *,
    vocab_size: int | str,
    min_frequency: int = 2,
    on: Source | None = None,
) -> Edit:
    """Learns tokens from new text until the vocabulary has a size. The ids that there are stay the same.

    BPE continues with the most frequent pair of its own tokens on the new text. WordPiece and words add the tokens that
    a training on the new text finds first. Unigram adds pieces that a training on the new text finds, with scores from
    their frequency in it; the scores of other pieces stay. Where tokens are made of characters, the characters of the
    new text are added first, except the rarest.

    Args:
        tokenizer: A tokenizer, or the file or name of one.
        source: The new text: a path, a list of `Path`, or an iterable of `str`.
        vocab_size: The number of tokens after it, or fewer if the text has no more. `"32k"` is 32,000.
        min_frequency: How often a pair, a token or a word must occur in the new text.
        on: Texts to measure the edit on; the new text by default.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["low lower lowest"] * 9, bytemill.BPE(259), progress=False)
        >>> edit = bytemill.surgery.extend(tok, ["new newer newest"] * 9, vocab_size=262)
        >>> [*edit.tokenizer.vocab()][259:]
        ['ew', 'new', ' new']
    """
    tok = opened(tokenizer)
    size = vocabulary_size("vocab_size", vocab_size)
    least = checks.whole_number("min_frequency", min_frequency, least=1)
    if size is None:
        raise TypeError("vocab_size is a whole number, not None")
    if size <= tok.vocab_size:
        raise SpecError(f"vocab_size={size:,} is not more than the {tok.vocab_size:,} ids that there are; use prune")
    texts = repeatable(source)
    learn = {"bpe": _more_merges, "unigram": _more_pieces, "wordpiece": _more_wordpieces}.get(tok.family, _more_words)
    draft, notes = learn(tok, texts, size, least)
    return finished(draft, notes, texts if on is None else on)


def _texts(source: Source) -> Iterator[str]:
    return (text for _, batch in batches(source) for text in batch)


def _more_merges(tok: Tokenizer, source: Source, size: int, least: int) -> tuple[Draft, Notes]:
    draft = Draft(tok)
    growth = BpeGrowth(draft, {}, True)
    if draft.symbols["prefix"] or draft.symbols["suffix"]:
        raise SpecError(
            "BPE that marks the parts of words cannot be extended; train a tokenizer and merge it into this one"
        )
    if draft.symbols["unit"] == "characters":
        for character in _new_characters(draft, source, size):
            growth.learn(character.encode(), None)
    learned = _continued(draft, source, size, least)
    for left, right in learned:
        growth.join(left, right)
    draft.stones.clear()  # all of them are what was asked for
    return draft, _notes(draft)


def _notes(draft: Draft) -> Notes:
    return Notes(touched=draft.learned())


def _continued(draft: Draft, source: Source, size: int, least: int) -> list[tuple[bytes, bytes]]:
    """The merges that training goes on with."""
    plain = Draft(draft.old)
    plain.tokens, plain.ids, plain.scores = [*draft.tokens], {**draft.ids}, None
    pieces = plain.outline.pop("sentencepiece", None)
    texts: Any = _texts(source)
    if draft.merges is None:
        pairs = draft.old.merges() or []
        known = ((draft.ids.get(left), draft.ids.get(right)) for left, right in pairs)
        plain.merges = [(left, right) for left, right in known if left is not None and right is not None]
        plain.outline["merging"] = "pairs"
    if pieces is not None:
        # SentencePiece splits before marks, after its own normalizer.
        texts = (draft.old.normalize(line) for text in texts for line in text.splitlines())
        split = {"type": "split", "pattern": {"text": MARK}, "behavior": "merged_with_next", "invert": False}
        plain.outline |= {"normalizer": None, "pretokenizer": split, "decoder": "concat"}
    plain.outline["symbols"] = {**plain.outline.get("symbols", {}), "byte_fallback": False}
    plain.outline["added"] = [token for token in plain.outline["added"] if token["id"] >= len(plain.tokens)]
    before = len(plain.merges or ())
    spec = BPE(size, min_frequency=least)
    longer = Tokenizer(_trained(texts, spec.definition(), continue_from=plain.build()))
    return (longer.merges() or [])[before:]


def _trained(texts: Any, definition: dict[str, Any], **keywords: Any) -> _core.Handle:
    defaults: dict[str, Any] = {
        "special_tokens": [],
        "normalizer": None,
        "pretokenizer": None,
        "how": how_to_read(None, "text", "strict", None),
        "threads": None,
        "memory": None,
        "continue_from": None,
        "log": None,
        "checkpoint": None,
        "counted": False,
    }
    with watching(None) as watcher:
        # What the text is too small for is told by the report: it has the size.
        handle, _ = _core.train(iter(texts), json.dumps(definition), watcher, **(defaults | keywords))
    return handle


def _new_characters(draft: Draft, source: Source, size: int) -> list[str]:
    """The characters of the new text that are no tokens, the most frequent first, except the rarest."""
    counts: Counter[str] = Counter()
    for text in _texts(source):
        counts.update(draft.old.normalize(text))
    total = sum(counts.values())
    found: list[str] = []
    covered = 0
    for character, count in counts.most_common():
        if covered >= COVERAGE * total or draft.size + len(found) >= size:
            break
        covered += count
        if character.encode() not in draft.ids and not character.isspace():
            found.append(character)
    return found


def _more_pieces(tok: Tokenizer, source: Source, size: int, least: int) -> tuple[Draft, Notes]:
    """Candidates come from a training on the new text; their scores, from how often the text then uses them."""
    room = size - tok.vocab_size
    characters = _new_characters(Draft(tok), source, size)
    wanted = [*characters, *_candidates(tok, source, CANDIDATES * room + len(characters), {*characters})]
    scores: dict[str, float] = {}
    draft = Draft(tok)
    for _ in range(ROUNDS):
        draft = Draft(tok)
        growth = UnigramGrowth(draft, scores)
        for text in wanted:
            growth.learn(text.encode(), None)
        counts = counted(draft.build(), source)
        new = {text: int(counts[draft.ids[text.encode()]]) for text in wanted}
        needed = {text for text in characters if text in new}
        ranked = sorted(
            (text for text in wanted if text not in needed), key=lambda text: (-new[text] * (len(text) - 1), text)
        )
        ranked = [text for text in ranked if new[text] >= least][: max(room - len(needed), 0)]
        scores = _scores(draft, growth, {text: new[text] for text in [*characters, *ranked]}, int(counts.sum()))
        wanted = [*characters, *ranked]
    draft = Draft(tok)
    growth = UnigramGrowth(draft, _sparing(draft, scores))
    for text in wanted:
        growth.learn(text.encode(), None)
    return draft, _notes(draft)


def _sparing(draft: Draft, scores: dict[str, float]) -> dict[str, float]:
    """Scores with which no row of new pieces is better than an old piece: texts still reach that one.

    A row has two pieces or more. With a new piece at the lowest score it is worse than any single piece, so that
    lowering scores comes to an end.
    """
    assert draft.scores is not None
    old = {token: draft.scores[id] for token, id in ordinary_pieces(draft).items()}
    lowest = min(old.values(), default=0.0)
    before = Scoring(old)
    after = Scoring({**old, **{text.encode(): score for text, score in scores.items()}})
    touched = [token for token in old if _holds(token.decode(), scores) and before.better(token) is None]
    spared = {**scores}
    while True:
        better = [row for token in touched if (row := after.better(token)) is not None]
        if not better:
            return spared
        for piece in {part.decode() for row in better for part in row} & {*spared}:
            spared[piece] = max(spared[piece] - STEP, lowest)
            after.scores[piece.encode()] = spared[piece]


def _holds(text: str, pieces: Collection[str]) -> bool:
    """Whether one of some pieces is inside a text."""
    places = range(len(text) + 1)
    return any(text[start:end] in pieces for start in places for end in places[start + 1 :])


def _scores(draft: Draft, growth: UnigramGrowth, counts: dict[str, int], total: int) -> dict[str, float]:
    """The logarithm of a piece's frequency, within the scores that other pieces have."""
    assert draft.scores is not None
    highest = max((draft.scores[id] for id in ordinary_pieces(draft).values()), default=0.0)
    raw = {text: float(np.log(max(count, 1) / max(total, 1))) for text, count in counts.items()}
    return {text: min(max(score, growth.lowest), highest) for text, score in raw.items()}


def _candidates(tok: Tokenizer, source: Source, most: int, known: set[str]) -> list[str]:
    """Pieces that a training on the new text finds and the tokenizer does not have."""
    lines = (line for text in _texts(source) for line in text.splitlines())
    texts = (tok.normalize(line).replace(MARK, " ") for line in lines)
    spec = SentencePiece(most + 1000, normalization="identity", character_coverage=1.0)
    definition = {**spec.definition()}
    learned = Tokenizer(_trained(texts, definition))
    found = [text_of(token) for token, id in learned.vocab_bytes().items() if id not in learned.special_tokens.values()]
    return [text for text in found if len(text) > 1 and text not in known and tok.token_to_id(text) is None][:most]


def _more_wordpieces(tok: Tokenizer, source: Source, size: int, least: int) -> tuple[Draft, Notes]:
    outline = json.loads(tok.definition())
    spec = WordPiece(
        # The training begins with every character, at the beginning of a word and inside.
        size + 2 * len({character for text in _texts(source) for character in tok.normalize(text)}) + 1,
        min_frequency=least,
        continuing_subword_prefix=outline["subwords"]["prefix"],
        pad_token=None,
        cls_token=None,
        sep_token=None,
        mask_token=None,
    )
    learned = Tokenizer(_trained(_texts(source), spec.definition(), **_stages(outline)))
    return _with_most(tok, [token for token, id in learned.vocab_bytes().items() if id != learned.unk_id], size)


def _more_words(tok: Tokenizer, source: Source, size: int, least: int) -> tuple[Draft, Notes]:
    outline = json.loads(tok.definition())
    if "sentencepiece" in outline:
        raise SpecError("words of SentencePiece cannot be extended; train a tokenizer and merge it into this one")
    kind = Char if tok.family == "char" else Word
    spec = kind(None, min_frequency=least, pad_token=None, bos_token=None, eos_token=None)
    learned = Tokenizer(_trained(_texts(source), spec.definition(), **_stages(outline)))
    return _with_most(tok, [token for token, id in learned.vocab_bytes().items() if id != learned.unk_id], size)


def _stages(outline: dict[str, Any]) -> dict[str, str | None]:
    """What makes pieces of a text, as a training takes it."""
    return {name: outline[name] and json.dumps(outline[name]) for name in ("normalizer", "pretokenizer")}


def _with_most(tok: Tokenizer, tokens: list[bytes], size: int) -> tuple[Draft, Notes]:
    """The draft with the first of some tokens that it does not have."""
    new = [token for token in tokens if tok.token_to_id(token) is None][: size - tok.vocab_size]
    return with_plain(tok, dict.fromkeys(new), Growing())
