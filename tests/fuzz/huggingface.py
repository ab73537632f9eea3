"""Random tokenizer.json files beside `tokenizers`."""

from __future__ import annotations

import json
import random
from typing import Any

import tokenizers

import bytemill
from bytemill.errors import BytemillError, FormatError, SpecError
from tests.differential.lengths import compare_input, has_a_text_twice, set_up

from .equalities import check_files, check_rows, check_ways, repeated, result
from .pipelines import answer, random_tokenizer
from .tally import Difference, expect, expect_each
from .texts import random_rows, random_text

Json = dict[str, Any]


def make(rng: random.Random) -> Json:
    """A case: a file, texts for it, and texts to be encoded together."""
    file = random_tokenizer(rng)
    specials = [token["content"] for token in file["added_tokens"]]
    texts = [random_text(rng, specials) for _ in range(8)]
    return {"file": file, "texts": texts, "rows": random_rows(rng, specials), "seed": rng.randrange(1 << 30)}


def check(case: Json) -> str:
    """Raises what differs; says what became of the case otherwise."""
    content = json.dumps(case["file"]).encode()
    theirs = answer(lambda: tokenizers.Tokenizer.from_buffer(content))
    if theirs is None:
        return "refused there"
    try:
        ours = bytemill.loads(content)
    except (FormatError, SpecError) as error:
        return f"refused here: {str(error)[:60]}"
    if has_equal_tokens(theirs):
        return "the library draws lots between two added tokens"
    rng = random.Random(case["seed"])
    general = bytemill.Tokenizer(ours._without_fast_path())
    # Without the template's own tokens, the library still gives a text as often as the template has it.
    times = 2 if theirs.post_processor is not None and has_a_text_twice(theirs, pair=False) else 1
    for text in case["texts"]:
        check_ids(theirs, ours, text, times)
        check_decoding(theirs, ours, text, rng)
        check_ways(ours, general, text, rng, times)
        check_encoding(theirs, ours, text)
    if rows := encodable(theirs, ours, case.get("rows", []), times):
        expect_ids(theirs, rows, check_rows(ours, general, rows), times)
        check_encodings(theirs, ours, rows)
        check_decoded_rows(theirs, ours, rows, rng)
    check_files(ours, "\n".join(case["texts"]))
    check_written(ours, case["texts"])
    check_lengths(theirs, ours, rng, case["texts"])
    return "compared"


def has_equal_tokens(theirs: Any) -> bool:
    """Whether the normalizer makes two added tokens equal."""
    if theirs.normalizer is None:
        return False
    normalized = [token.content for token in theirs.get_added_tokens_decoder().values() if token.normalized]
    return len({answer(lambda text=text: theirs.normalizer.normalize_str(text)) for text in normalized}) < len(
        normalized
    )


def check_ids(theirs: Any, ours: bytemill.Tokenizer, text: str, times: int) -> None:
    expected = answer(lambda: theirs.encode(text, add_special_tokens=False).ids)
    found = result(lambda: ours.encode(text))
    if expected is not None:
        expect(f"ids of {text!r}", repeated(found, times), expected)


def check_decoding(theirs: Any, ours: bytemill.Tokenizer, text: str, rng: random.Random) -> None:
    """The ids of a text, and ids that no text gives."""
    for ids in (result(lambda: ours.encode(text)), rng.choices(sorted(ours.vocab().values()), k=rng.randint(0, 6))):
        for skip in (False, True) if isinstance(ids, list) else ():
            decoded = answer(lambda ids=ids, skip=skip: theirs.decode(ids, skip_special_tokens=skip))
            if decoded is not None:
                expect(f"decoded {ids}, skip={skip}", ours.decode(ids, skip_special_tokens=skip), decoded)


def encodable(theirs: Any, ours: bytemill.Tokenizer, texts: list[str], times: int) -> list[str]:
    """The texts that the library encodes: they are encoded here, too."""
    if isinstance(result(lambda: ours.encode_batch(texts)), bytemill.Ragged) and answer(
        lambda: theirs.encode_batch(texts)
    ):
        return texts
    for text in texts:
        check_ids(theirs, ours, text, times)
    return [text for text in texts if answer(lambda text=text: theirs.encode(text)) is not None]


def expect_ids(theirs: Any, texts: list[str], rows: list[list[int]], times: int) -> None:
    expected = [encoding.ids for encoding in theirs.encode_batch(texts, add_special_tokens=False)]
    expect_each("ids of", texts, (row * times for row in rows), expected)


def check_encodings(theirs: Any, ours: bytemill.Tokenizer, texts: list[str]) -> None:
    expected = theirs.encode_batch(texts)
    found = ours.inputs(texts, offsets=True, truncation=False, padding=False)
    for name in names_of(theirs):
        each = (getattr(encoding, name) for encoding in expected)
        expect_each(f"{name} of", texts, (getattr(encoding, name) for encoding in found), each)
    expect_each("tokens of", texts, (encoding.written_tokens for encoding in found), (e.tokens for e in expected))


def check_decoded_rows(theirs: Any, ours: bytemill.Tokenizer, texts: list[str], rng: random.Random) -> None:
    """The ids of texts, and ids that no text gives."""
    known = sorted(ours.vocab().values())
    for rows in (ours.encode_batch(texts).to_list(), [rng.choices(known, k=rng.randint(0, 6)) for _ in texts]):
        for skip in (False, True):
            expected = answer(lambda rows=rows, skip=skip: theirs.decode_batch(rows, skip_special_tokens=skip))
            if expected is not None:
                found = ours.decode_batch(rows, skip_special_tokens=skip)
                expect_each(f"decoded, skip={skip},", [str(row) for row in rows], found, expected)


def trims_bytes_of_a_prefix(theirs: Any) -> bool:
    """Whether byte fallback spells out a prefix and offsets are trimmed: the library's lie past the end of the text."""
    written = theirs.to_str()
    parts = ('"trim_offsets":true', '"byte_fallback":true', '"continuing_subword_prefix":"')
    return all(part in written for part in parts)


def names_of(theirs: Any) -> tuple[str, ...]:
    """What of an encoding is compared."""
    places = () if trims_bytes_of_a_prefix(theirs) else ("offsets",)
    return ("ids", *places, "word_ids", "type_ids", "special_tokens_mask")


def check_encoding(theirs: Any, ours: bytemill.Tokenizer, text: str) -> None:
    expected = answer(lambda: theirs.encode(text))
    if expected is None:
        return
    found = ours(text, offsets=True, truncation=False, padding=False)
    for name in names_of(theirs):
        expect(f"{name} of {text!r}", getattr(found, name), getattr(expected, name))
    expect(f"tokens of {text!r}", found.written_tokens, expected.tokens)


def check_written(ours: bytemill.Tokenizer, texts: list[str]) -> None:
    """What is written is read alike there."""
    try:
        written = tokenizers.Tokenizer.from_buffer(ours.to_bytes("tokenizer.json"))
    except BytemillError as error:
        if "cannot express" not in str(error):
            raise
        return
    again = bytemill.loads(written.to_str().encode())
    for text in texts:
        expect(
            f"saved and loaded: ids of {text!r}",
            result(lambda text=text: again.encode(text)),
            result(lambda text=text: ours.encode(text)),
        )


def refuses_words(theirs: Any) -> bool:
    model = theirs.model
    return isinstance(model, tokenizers.models.WordLevel) and model.token_to_id(model.unk_token) is None


def check_lengths(theirs: Any, ours: bytemill.Tokenizer, rng: random.Random, texts: list[str]) -> None:
    if refuses_words(theirs):
        return  # Words that are no token are an error there, and another one here.
    if trims_bytes_of_a_prefix(theirs):
        return
    known = [text for text in texts if isinstance(result(lambda text=text: ours.encode(text)), list)] or [""]
    try:
        for _ in range(6):
            compare_input(theirs, ours, rng, known)
    except AssertionError as error:
        raise Difference(f"lengths: {error}") from error
    finally:
        set_up(theirs, None, None)
