"""`bytemill.compat.sentencepiece` beside `sentencepiece`: every public name, and every method on the same arguments."""

from __future__ import annotations

import copy
import functools
import importlib
import io
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytemill.compat import sentencepiece as ours

from ..conftest import need
from .outcomes import outcome, same
from .surfaces import differences

theirs = need("sentencepiece")
need("google.protobuf")

pytestmark = pytest.mark.peer

LINES = [
    "the quick brown fox jumps over the lazy dog",
    "low lower lowest, new newer newest!",
    "日本語 と English, 12 34 and 5",
    "a fine ﬁne line; naïve café",
] * 12
OPTIONS: dict[str, dict[str, Any]] = {
    "bpe": {"model_type": "bpe", "vocab_size": 120},
    "unigram": {"model_type": "unigram", "vocab_size": 60},
    "char": {"model_type": "char", "vocab_size": 60},
    "word": {"model_type": "word", "vocab_size": 25},
    "bytes": {
        "model_type": "unigram",
        "vocab_size": 315,
        "byte_fallback": True,
        "user_defined_symbols": ["low", "<x>"],
    },
    "t5": {"model_type": "bpe", "vocab_size": 120, "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
    "plain": {
        "model_type": "bpe",
        "vocab_size": 120,
        "normalization_rule_name": "identity",
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
    },
}
PARTS = [*"thelowr nw,12", "  ", "the ", "日本", "é", "ﬁ", "\U0001f917", "▁", "\n", "<s>", "<x>", "\0", "\u3000", "Ⅳ"]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)
BYTES = st.lists(st.sampled_from([*PARTS, "\udcff", "\udce3"]), max_size=8).map(
    lambda parts: "".join(parts).encode("utf-8", "surrogateescape")
)
RETURN_TYPES = [int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping", "immutable_proto", "none"]
Pair = tuple[Any, Any]


@functools.cache
def model(name: str) -> bytes:
    written = io.BytesIO()
    theirs.set_min_log_level(2)
    theirs.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=written, **OPTIONS[name])
    return written.getvalue()


@functools.cache
def both(name: str) -> Pair:
    return theirs.SentencePieceProcessor(model_proto=model(name)), ours.SentencePieceProcessor(model_proto=model(name))


@pytest.fixture(params=OPTIONS)
def pair(request: pytest.FixtureRequest) -> Pair:
    return both(request.param)


def plain(found: Any) -> Any:
    """A result in a form that can be compared."""
    if isinstance(found, np.ndarray):
        return found.dtype, found.tolist()
    if hasattr(found, "SerializeToString"):
        return found.SerializeToString()
    return [plain(each) for each in found] if isinstance(found, list) else found


def each(pair: Pair, call: Callable[[Any], Any], what: object = None) -> None:
    same(lambda: plain(call(pair[0])), lambda: plain(call(pair[1])), what)


def test_every_public_name_is_there() -> None:
    helpers = {f"sentencepiece.{name}" for name in ("_is_sequence", "_load_protobuf", "_load_numpy", "_LogStream")}
    helpers |= {f"sentencepiece.{name}" for name in ("_to_spt", "_to_nbest_spt", "_add_snake_case", "_numpy")}
    helpers |= {"sentencepiece._protobuf_loaded", "sentencepiece._sentencepiece_pb2", "sentencepiece._numpy_loaded"}
    helpers |= {"sentencepiece._ENCODE_DISPATCH", "sentencepiece._DECODE_DISPATCH"}
    helpers |= {"sentencepiece.SentencePieceProcessor._decode_raw", "sentencepiece.ThreadPool._pybind11_conduit_v1_"}
    assert differences(theirs, ours, frozenset(helpers)) == []


@pytest.mark.parametrize("name", ["sentencepiece_pb2", "sentencepiece_model_pb2"])
def test_messages_have_the_same_fields(name: str) -> None:
    one = importlib.import_module(f"sentencepiece.{name}").DESCRIPTOR
    other = importlib.import_module(f"bytemill.compat.sentencepiece.{name}").DESCRIPTOR
    assert list(_fields(one)) == list(_fields(other))


def _fields(file: Any) -> Iterator[tuple[Any, ...]]:
    waiting = sorted(file.message_types_by_name.values(), key=lambda message: message.full_name)
    while waiting:
        message = waiting.pop(0)
        for field in sorted(message.fields, key=lambda field: field.number):
            yield message.full_name, field.name, field.number, field.type, field.default_value
        waiting.extend(sorted(message.nested_types, key=lambda nested: nested.full_name))


def test_a_model_is_read_as_a_message() -> None:
    one = importlib.import_module("sentencepiece.sentencepiece_model_pb2").ModelProto.FromString(model("bytes"))
    other = importlib.import_module("bytemill.compat.sentencepiece.sentencepiece_model_pb2").ModelProto
    read = other.FromString(model("bytes"))
    assert read.trainer_spec.byte_fallback and len(read.pieces) == len(one.pieces)
    assert read.SerializeToString() == one.SerializeToString()
    assert len(ours.SentencePieceProcessor(model_proto=read)) == len(one.pieces)


@given(TEXTS | BYTES, st.sampled_from(sorted(OPTIONS)), st.sampled_from(RETURN_TYPES))
def test_encoding_is_the_same(text: str | bytes, name: str, return_type: Any) -> None:
    pair = both(name)
    for arguments in (
        {},
        {"add_bos": True},
        {"add_eos": True, "reverse": True},
        {"emit_unk_piece": True},
        {"return_bytes": True},
    ):
        each(pair, lambda sp: sp.encode(text, out_type=return_type, **arguments), (text, return_type, arguments))  # noqa: B023
        each(pair, lambda sp: sp.Encode([text, b"the"], return_type=return_type, **arguments), (text, arguments))  # noqa: B023
    # In a message, what has no surface has an empty one, or none at all.
    parallel = str if return_type in ("proto", "serialized_proto") else return_type
    each(pair, lambda sp: sp.parallel_encode(text, chunk_len=1000, return_type=parallel), (text, parallel))
    each(pair, lambda sp: sp.normalize(text), text)
    each(pair, lambda sp: sp.normalize([text, text], with_offsets=True), text)


@given(TEXTS, st.sampled_from(["unigram", "bytes"]), st.sampled_from(RETURN_TYPES), st.integers(0, 6))
def test_best_segmentations_are_the_same(text: str, name: str, return_type: Any, n: int) -> None:
    each(both(name), lambda sp: sp.nbest_encode(text, nbest_size=n, out_type=return_type), (text, return_type))
    found, expected = (outcome(lambda sp=sp: sp.calculate_entropy(text, 0.5))[1] for sp in both(name))
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-4)


@given(st.data(), st.sampled_from(sorted(OPTIONS)))
def test_decoding_is_the_same(data: st.DataObject, name: str) -> None:
    pair = both(name)
    ids = data.draw(st.lists(st.integers(0, len(pair[0]) - 1), max_size=8))
    pieces = [
        *pair[0].id_to_piece(ids),
        *data.draw(st.lists(st.sampled_from(["zz▁z", "<unk>", "▁q", "é"]), max_size=2)),
    ]
    for return_type in RETURN_TYPES:
        for row in (ids, pieces, [ids, [3]], [pieces, ["▁a"]], np.array(ids, dtype=np.int32), tuple(ids)):
            if isinstance(row, np.ndarray) and not len(row):
                continue
            each(pair, lambda sp: sp.decode(row, return_type=return_type), (row, return_type))  # noqa: B023


def test_the_vocabulary_is_the_same(pair: Pair) -> None:
    ids = list(range(len(pair[0])))
    for name in ("id_to_piece", "get_score", "is_unknown", "is_control", "is_unused", "is_byte"):
        each(pair, lambda sp: getattr(sp, name)(ids), name)  # noqa: B023
        each(pair, lambda sp: getattr(sp, name)(2), name)  # noqa: B023
        each(pair, lambda sp: getattr(sp, name)(len(ids)), name)  # noqa: B023
        each(pair, lambda sp: getattr(sp, name)("a"), name)  # noqa: B023
    for name in ("unk_id", "bos_id", "eos_id", "pad_id", "vocab_size", "piece_size", "get_piece_size", "__len__"):
        each(pair, lambda sp: getattr(sp, name)(), name)  # noqa: B023
    for piece in (*pair[0].id_to_piece(ids), "none", b"low", ["low", b"<s>", "none"], 3, [3], None):
        each(pair, lambda sp: sp.piece_to_id(piece), piece)  # noqa: B023
        each(pair, lambda sp: sp[piece], piece)  # noqa: B023
    each(pair, lambda sp: sp.serialized_model_proto())


WRONG_CALLS: list[Callable[[Any], Any]] = [
    lambda sp: sp.encode(3),
    lambda sp: sp.encode(None),
    lambda sp: sp.encode(["a", 3]),
    lambda sp: sp.encode("\ud800"),
    lambda sp: sp.encode("a", num_threads="x"),
    lambda sp: sp.encode("a", out_type=int, return_type=int),
    lambda sp: sp.encode("a", enable_sampling=True, nbest_size=1),
    lambda sp: sp.encode("a", enable_sampling=True, nbest_size=0),
    lambda sp: sp.encode("a", nonsense=True),
    lambda sp: sp.encode_as_immutable_proto("a"),
    lambda sp: sp.decode([-1]),
    lambda sp: sp.decode([10**6]),
    lambda sp: sp.decode(["a", 3]),
    lambda sp: sp.decode([3, "a"]),
    lambda sp: sp.decode([1.5]),
    lambda sp: sp.decode(None),
    lambda sp: sp.decode([]),
    lambda sp: sp.decode(3),
    lambda sp: sp.decode("▁a"),
    lambda sp: sp.decode(np.array([1], dtype=np.int16)),
    lambda sp: sp.sample_encode_and_score("a", num_samples=0),
    lambda sp: sp.sample_encode_and_score("a", include_best=True),
    lambda sp: sp.sample_encode_and_score("a", out_type="numpy"),
    lambda sp: sp.parallel_encode("a"),
    lambda sp: sp.parallel_encode("a", chunk_len=0),
    lambda sp: sp.normalize(3),
    lambda sp: sp.override_normalizer_spec(nonsense=True),
    lambda sp: type(sp)().encode("a"),
    lambda sp: type(sp)().vocab_size(),
    lambda sp: type(sp)().unk_id(),
    lambda sp: type(sp)().load(),
    lambda sp: type(sp)(model_file="/none/such"),
    lambda sp: type(sp)(model_proto=b"no model"),
    lambda sp: type(sp)(model_file="a", model_proto=b"b"),
    lambda sp: type(sp)(out_type="none"),
    lambda sp: type(sp).from_file("a", model_proto=b"b"),
]


@pytest.mark.parametrize("number", range(len(WRONG_CALLS)))
def test_what_is_wrong_raises_the_same(number: int) -> None:
    each(both("unigram"), WRONG_CALLS[number], number)


def test_sampling_gives_segmentations(pair: Pair) -> None:
    sp = pair[1]
    if pair[0] in (both("word")[0], both("char")[0]):
        return each(pair, lambda sp: sp.sample_encode_as_ids("low", -1, 0.5))
    ours.set_random_generator_seed(7)
    first = [sp.sample_encode_as_ids("lower newest", -1, 0.5) for _ in range(20)]
    ours.set_random_generator_seed(7)
    assert [sp.sample_encode_as_ids("lower newest", -1, 0.5) for _ in range(20)] == first
    assert {sp.decode(ids) for ids in first} == {pair[0].decode(pair[0].encode("lower newest"))}
    texts = sp.encode(["lower newest"] * 3, out_type=str, enable_sampling=True, alpha=0.3)
    assert all(sp.decode(pieces) == sp.decode(sp.encode("lower newest")) for pieces in texts)


def test_samples_have_scores() -> None:
    one, other = both("unigram")
    rows = other.sample_encode_and_score("lower newest", num_samples=4, alpha=0.4, wor=True, include_best=True)
    assert len(rows) == 4 and len({tuple(ids) for ids, _ in rows}) == 4
    assert rows[0][0] == one.encode("lower newest") and all(score <= 0 for _, score in rows)
    message = other.sample_encode_and_score_as_proto("low", num_samples=2, alpha=0.4)
    assert [each.text for each in message.nbests] == ["low", "low"]


def test_processors_are_pickled_and_copied(pair: Pair) -> None:
    for made in (pickle.loads(pickle.dumps(pair[1])), copy.deepcopy(pair[1])):
        assert made.encode("lower 日本") == pair[0].encode("lower 日本")


def test_the_normalizer_of_a_model_is_changed(pair: Pair) -> None:
    changed = [copy.deepcopy(sp) for sp in pair]
    for sp in changed:
        sp.override_normalizer_spec(add_dummy_prefix=False, remove_extra_whitespaces=False)
    for text in ("  low  er ", "low", " "):
        each((changed[0], changed[1]), lambda sp: (sp.encode(text, out_type=str), sp.normalize(text)), text)  # noqa: B023


NORMALIZERS: list[dict[str, Any]] = [
    {"rule_name": "nmt_nfkc"},
    {"rule_name": "identity", "add_dummy_prefix": True, "escape_whitespaces": True, "remove_extra_whitespaces": True},
    {"norm_map": [("a", "b"), ("low", "LOW"), ("é", "")]},
    {"norm_map": [(b"a", "b"), ("low", b"LOW")]},
    {"norm_map": [(b"\xff", b"a")]},
    {"norm_map": [("", "a")]},
    {"norm_map": [("a", "a")]},
    {"norm_map": [("a", "b"), ("a", "c")]},
    {"norm_map": [("a", 1)]},
    {"norm_map": [("a",)]},
    {"norm_map": 1},
    {"rule_name": "none"},
    {"rule_tsv": "/none/such"},
    {},
]


@pytest.mark.parametrize("number", range(len(NORMALIZERS)))
def test_normalizers_are_the_same(number: int) -> None:
    made = (theirs.SentencePieceNormalizer, ours.SentencePieceNormalizer)
    each(made, lambda cls: cls(**NORMALIZERS[number]).normalize("low ﬁ  é ", with_offsets=True), number)
    each(made, lambda cls: cls(**NORMALIZERS[number]).normalize(["a", "low\u3000"]), number)
    each(made, lambda cls: pickle.loads(pickle.dumps(cls(**NORMALIZERS[number]))).normalize("low a é"), number)
    each(made, lambda cls: cls(**NORMALIZERS[number]).decompile()[:500], number)


TRAININGS: list[dict[str, Any]] = [
    {"model_type": "bpe", "vocab_size": 80, "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1, "pad_piece": "[PAD]"},
    {"model_type": "bpe", "vocab_size": 80, "pad_id": 79, "unk_id": 3, "bos_id": 7, "eos_id": 8},
    {"model_type": "bpe", "vocab_size": 80, "control_symbols": ["<a>", "<b>"], "unk_id": 1, "bos_id": 3, "eos_id": 5},
    {
        "model_type": "bpe",
        "vocab_size": 80,
        "control_symbols": ["<a>"],
        "user_defined_symbols": ["foo", "b,c"],
        "pad_id": 3,
    },
    {"model_type": "bpe", "vocab_size": 90, "user_defined_symbols": ["fo", ",", " ", "\t", "\n", "\r", 'a"b']},
    {"model_type": "bpe", "vocab_size": 80, "user_defined_symbols": ["foo", "</s>", "<s>"]},
    {"model_type": "bpe", "vocab_size": 80, "user_defined_symbols": ["<unk>"]},
    {"model_type": "word", "vocab_size": 25, "user_defined_symbols": "foo,bar"},
    {"model_type": "char", "vocab_size": 60, "unk_surface": "__"},
    {"model_type": "bpe", "vocab_size": 80, "max_sentence_length": 40},
    {"model_type": "bpe", "vocab_size": 80, "split_digits": True},
    {"model_type": "bpe", "vocab_size": 50000},
    {"model_type": "unigram", "vocab_size": 50000},
    {"model_type": "word", "vocab_size": 50000},
    {"model_type": "char", "vocab_size": 50000},
    {"vocab_size": 5},
    {"vocab_size": "x"},
    {"vocab_size": 60, "nonsense": 1},
    {"vocab_size": 60, "model_type": "none"},
    {"vocab_size": 60, "unk_id": -1},
    {"vocab_size": 60, "bos_id": 0},
    {"vocab_size": 60, "hard_vocab_limit": "maybe"},
    {"vocab_size": 60, "normalization_rule_name": "none"},
    {"vocab_size": 60, "input_sentence_size": 50},
]


@pytest.mark.parametrize("number", range(len(TRAININGS)))
def test_trained_models_are_the_same(number: int) -> None:
    each((theirs, ours), lambda module: trained(module, TRAININGS[number]), TRAININGS[number])


@pytest.mark.parametrize("flags", [{}, {"add_dummy_prefix": True}, {"normalization_rule_name": "nfkc"}])
def test_a_training_takes_a_normalizer(flags: dict[str, Any]) -> None:
    def call(module: Any) -> Any:
        normalizer = module.SentencePieceNormalizer(norm_map=[("low", "high")], escape_whitespaces=True)
        return trained(module, {"model_type": "bpe", "vocab_size": 80, "normalizer": normalizer, **flags})

    each((theirs, ours), call, flags)


def test_arrays_cannot_be_changed() -> None:
    for sp in both("unigram"):
        ids = sp.encode("lower", return_type="numpy")
        assert ids.tolist() == sp.encode("lower") and not ids.flags.writeable
        assert ids.base.obj.data_address() == ids.__array_interface__["data"][0]


def test_a_search_that_takes_too_long_gives_the_best_segmentation() -> None:
    _, sp = both("unigram")
    text = "lower and lowest " * 300
    best = sp.nbest_encode(text, nbest_size=5)
    try:
        ours.SetNBestTimeout(1)
        assert len(best) == 5 and sp.nbest_encode(text, nbest_size=5) == best[:1]
    finally:
        ours.set_nbest_timeout(30_000)


def trained(module: Any, flags: dict[str, Any]) -> Any:
    written = io.BytesIO()
    assert module.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=written, **flags) is None
    sp = module.SentencePieceProcessor(model_proto=written.getvalue())
    ids = list(range(len(sp)))
    known = [
        sp.id_to_piece(ids),
        sp.is_control(ids),
        sp.is_byte(ids),
        sp.unk_id(),
        sp.bos_id(),
        sp.eos_id(),
        sp.pad_id(),
    ]
    return [*known, sp.encode("lower foo é 12", out_type=str), sp.decode([sp.unk_id()])]


def test_files_are_written_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("\n".join(LINES), encoding="utf-8")
    line = "--input=text.txt --model_prefix={} --vocab_size=100 --model_type=bpe --minloglevel=2"
    assert theirs.SentencePieceTrainer.Train(line.format("theirs")) == ours.SentencePieceTrainer.Train(
        line.format("ours")
    )
    assert Path("ours.vocab").read_bytes() == Path("theirs.vocab").read_bytes()
    assert len(theirs.SentencePieceProcessor(model_file="ours.model")) == 100
    flags: dict[str, Any] = {"input": "text.txt", "model_prefix": "ours", "vocab_size": 100, "model_type": "bpe"}
    assert ours.SentencePieceTrainer.train(**flags, vocabulary_output_piece_score=False)
    assert Path("ours.vocab").read_text("utf-8").split("\n")[0] == "<unk>"


@pytest.mark.parametrize("flag", ["pretokenization_delimiter", "seed_sentencepieces_file", "denormalization_rule_tsv"])
def test_what_bytemill_does_not_have_is_refused(flag: str) -> None:
    with pytest.raises(NotImplementedError, match=flag):
        trained(ours, {"vocab_size": 60, flag: "x"})
