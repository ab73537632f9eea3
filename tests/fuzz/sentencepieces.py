"""Random `.model` files beside `sentencepiece`: pieces of every type, scores at random, every option of the stages."""

from __future__ import annotations

import base64
import random
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as pb2

import bytemill
from bytemill.errors import BytemillError, FormatError, SpecError
from tests.differential.sentencepiece_models import characters, streamed

from .charsmaps import compiled, random_rules
from .equalities import check_files, check_rows, check_ways
from .tally import expect, expect_each
from .texts import ROWS, random_text

Json = dict[str, Any]

LETTERS = [*"abcde1.é中かж🙂▁▁"]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
WORDS = 3


def random_piece(rng: random.Random) -> str:
    return "".join(rng.choices(LETTERS, k=rng.choice([1, 1, 2, 2, 3, 4])))


def random_pieces(rng: random.Random, fallback: bool) -> list[list[Any]]:
    score = rng.choice([lambda: -rng.random() * 9, lambda: -float(rng.randint(0, 3)), lambda: rng.uniform(-2, 2)])
    rows: list[list[Any]] = [["<unk>", 0.0, UNKNOWN], ["<s>", 0.0, CONTROL], ["</s>", 0.0, CONTROL]]
    rows += [[f"<0x{byte:02X}>", 0.0, BYTE] for byte in range(256) if fallback]
    rows += [[c, score(), NORMAL] for c in dict.fromkeys(LETTERS) if rng.random() < 0.85]
    for _ in range(rng.choice([0, 5, 30])):
        kind, piece = rng.choice([NORMAL] * 12 + [UNUSED, USER_DEFINED, CONTROL]), random_piece(rng)
        # A control symbol of one character is merged there with its neighbours, as if it were text.
        rows.append([piece, score(), NORMAL if len(piece) == 1 else kind])
    return list({row[0]: row for row in rows}.values())


def make(rng: random.Random) -> Json:
    flag = lambda: rng.random() < 0.5  # noqa: E731
    fallback = rng.random() < 0.3
    stages = {"add_dummy_prefix": flag(), "remove_extra_whitespaces": flag(), "escape_whitespaces": rng.random() < 0.9}
    trainer = {"model_type": rng.choice([1, 1, 2, 2, 3, 4]), "treat_whitespace_as_suffix": rng.random() < 0.2}
    pieces = random_pieces(rng, fallback)
    marks = [piece for piece, _, kind in pieces if kind in (CONTROL, USER_DEFINED, UNKNOWN)]
    own = [*marks, *rng.sample([piece for piece, *_ in pieces], k=3)]

    def text(most: int) -> str:
        return random_text(rng, own, most) if flag() else "".join(rng.choices([*LETTERS, " ", *own], k=most // 2))

    return {
        "pieces": pieces,
        "stages": stages,
        "rules": random_rules(rng) if rng.random() < 0.25 else "",
        "trainer": {**trainer, "byte_fallback": fallback, "unk_surface": rng.choice([" ⁇ ", "", "?"])},
        "texts": [text(24) for _ in range(8)],
        "rows": [text(rng.choice([4, 8, 16])) for _ in range(ROWS)],
        "seed": rng.randrange(1 << 30),
    }


def model_of(case: Json) -> bytes:
    model = pb2.ModelProto()
    for piece, score, kind in case["pieces"]:
        model.pieces.add(piece=piece, score=score, type=kind)
    for spec, options in ((model.normalizer_spec, case["stages"]), (model.trainer_spec, case["trainer"])):
        for name, value in options.items():
            setattr(spec, name, value)
    model.normalizer_spec.precompiled_charsmap = base64.b64decode(case.get("charsmap") or rules(case))
    return model.SerializeToString()


def rules(case: Json) -> str:
    return compiled(case["rules"]) if case.get("rules") else ""


def check(case: Json) -> str:
    model = model_of(case)
    try:
        theirs = sentencepiece.SentencePieceProcessor(model_proto=model)
    except Exception as error:
        return f"refused there: {str(error)[:60]}"
    try:
        ours = bytemill.loads(model)
    except (FormatError, SpecError) as error:
        return f"refused here: {str(error)[:60]}"
    rng = random.Random(case["seed"])
    general = bytemill.Tokenizer(ours._without_fast_path())
    texts, rows = case.get("texts", []), case.get("rows", [])
    if case["trainer"]["model_type"] == WORDS:
        controls = {id for id, row in enumerate(case["pieces"]) if row[2] == CONTROL}
        for text in [text for text in [*texts, *rows] if controls.intersection(theirs.encode(text))]:
            check_control_words(theirs, ours, text, controls)
            check_ways(ours, general, text, rng)
        texts, rows = ([text for text in some if controls.isdisjoint(theirs.encode(text))] for some in (texts, rows))
    for text in texts:
        check_text(theirs, ours, text)
        check_ways(ours, general, text, rng)
        check_decoding(theirs, ours, rng)
    if rows:
        check_many(theirs, ours, rows, check_rows(ours, general, rows), rng)
    check_files(ours, "\n".join(texts))
    check_written(ours, texts)
    return "compared"


def check_control_words(theirs: Any, ours: bytemill.Tokenizer, text: str, controls: set[int]) -> None:
    """A word that is spelled like a control symbol is one there, and here it is text that nobody knows."""
    expected = [0 if id in controls else id for id in theirs.encode(text)]
    if 0 in expected and "<0x00>" in ours:
        return  # Its bytes stand in its place.
    fused = [id for id, before in zip(expected, [None, *expected], strict=False) if (id, before) != (0, 0)]
    expect(f"ids of {text!r}", ours.encode(text), fused)


def check_text(theirs: Any, ours: bytemill.Tokenizer, text: str) -> None:
    expect(f"ids of {text!r}", ours.encode(text), theirs.encode(text))
    try:
        pieces = theirs.encode(text, return_type="proto").pieces
    except RuntimeError:
        return  # A piece that is no text in its text is an internal error there.
    ids = [piece.id for piece in pieces]
    found = ours(text, offsets=True, add_special_tokens=False)
    expect(f"ids of {text!r}", found.ids, ids)
    expect(f"offsets of {text!r}", found.offsets, places(text, pieces))
    expect(f"decoded {ids}", ours.decode(ids, skip_special_tokens=True), theirs.decode(ids))


def check_many(
    theirs: Any, ours: bytemill.Tokenizer, texts: list[str], rows: list[list[int]], rng: random.Random
) -> None:
    """The same for many texts at once, and ids that no text gives."""
    expect_each("ids of", texts, rows, theirs.encode(texts, num_threads=1))
    decoded = theirs.decode(rows, num_threads=1)
    expect_each("decoded ids of", texts, ours.decode_batch(rows, skip_special_tokens=True), decoded)
    found = ours.inputs(texts, offsets=True, add_special_tokens=False)
    expect_each("ids with offsets of", texts, (encoding.ids for encoding in found), rows)
    try:
        protos = [proto.pieces for proto in theirs.encode(texts, return_type="proto", num_threads=1)]
    except RuntimeError:
        return  # A piece that is no text in its text is an internal error there.
    expected = [places(text, pieces) for text, pieces in zip(texts, protos, strict=True)]
    expect_each("offsets of", texts, (encoding.offsets for encoding in found), expected)
    unlikely = [rng.choices(range(theirs.get_piece_size()), k=rng.randint(0, 8)) for _ in texts]
    found = ours.decode_batch(unlikely, skip_special_tokens=True)
    expect_each("decoded", [str(row) for row in unlikely], found, theirs.decode(unlikely, num_threads=1))


def places(text: str, pieces: Any) -> list[tuple[int, int]]:
    place = characters(text)
    return [(place[piece.begin], place[piece.end]) for piece in pieces]


def check_decoding(theirs: Any, ours: bytemill.Tokenizer, rng: random.Random) -> None:
    """Ids that no text gives."""
    ids = rng.choices(range(theirs.get_piece_size()), k=rng.randint(0, 8))
    expect(f"decoded {ids}", ours.decode(ids, skip_special_tokens=True), theirs.decode(ids))
    expect(f"streamed {ids}", streamed(ours, ids), ours.decode(ids))


def check_written(ours: bytemill.Tokenizer, texts: list[str]) -> None:
    try:
        written = sentencepiece.SentencePieceProcessor(model_proto=ours.to_bytes("model"))
    except BytemillError as error:
        if "cannot express" not in str(error):
            raise
        return
    for text in texts:
        expect(f"saved: ids of {text!r}", written.encode(text), ours.encode(text))
