"""`ParityBpeTrainer` of `tokenizers` and of its stand-in."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from .both import BOTH, Library, plain, same

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

EN = ["hello world", "the quick brown fox", "the cat sat on the mat", "hello there"]
ES = ["hola mundo", "el rápido zorro marrón", "el gato se sentó", "hola amigo cómo estás"]
HI = ["नमस्ते दुनिया", "बिल्ली चटाई पर बैठी"]

Language = list[str]

WORDS = st.text("abcAé中", min_size=1, max_size=7)
#: Never without a word: by a ratio, the library looks at such a language without end.
LANGUAGES: st.SearchStrategy[Language] = st.lists(
    st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4
)


def tokenizer(m: Library, stage: str = "Whitespace") -> Any:
    tok = m.Tokenizer(m.models.BPE(unk_token="x", dropout=0.5))
    tok.pre_tokenizer = getattr(m.pre_tokenizers, stage)()
    return tok


def trained(m: Library, *languages: list[Language], stage: str = "Whitespace", **options: Any) -> Any:
    tok = tokenizer(m, stage)
    trainer = m.trainers.ParityBpeTrainer(**{"show_progress": False, "num_merges": 40, **options})
    assert trainer.train_from_iterator(tok, *languages) is None
    return tok


def alike(m: Library, *languages: list[Language], **options: Any) -> Any:
    """What the library gives every time: with marks, tokens of one character have ids by chance."""
    tok = trained(m, *languages, **options)
    state = json.loads(tok.to_str())
    encoded = tok.encode("hello ab acb caé 中Ab hola")
    if options.get("continuing_subword_prefix") or options.get("end_of_word_suffix"):
        state["model"]["vocab"] = sorted(state["model"]["vocab"])
        state["added_tokens"] = [{**token, "id": 0} for token in state["added_tokens"]]
        return state, encoded.tokens
    return state, encoded.tokens, encoded.ids, encoded.offsets


def agree(call: Callable[[Library], Any]) -> None:
    """Asserts that a call gives the same on both libraries, and fails on none."""
    first, second = (call(m) for m in BOTH)
    assert second == first


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    chosen = {
        "min_frequency": st.integers(0, 3),
        "global_merges": st.sampled_from([0, 0, 2, 5, 100]),
        "total_symbols": st.booleans(),
        "special_tokens": st.lists(st.sampled_from(["[UNK]", "a", "ab", "é", "cc", "b"]), max_size=3),
        "initial_alphabet": st.lists(st.sampled_from("abzé0"), max_size=4),
        "continuing_subword_prefix": st.sampled_from([None, None, "", "##", "a"]),
        "end_of_word_suffix": st.sampled_from([None, None, "", "</w>", "b"]),
        "max_token_length": st.sampled_from([None, None, 0, 1, 2, 3, 4, 6]),
        "num_merges": st.integers(0, 30),
        "stage": st.sampled_from(["Whitespace", "ByteLevel", "Metaspace"]),
    }
    return draw(st.fixed_dictionaries({}, optional=chosen))


@settings(max_examples=150, deadline=None)
@given(languages=st.lists(LANGUAGES, min_size=1, max_size=4), options=options())
def test_base(languages: list[Language], options: dict[str, Any]) -> None:
    agree(lambda m: alike(m, languages, **options))


@settings(max_examples=100, deadline=None)
@given(languages=st.lists(st.tuples(LANGUAGES, LANGUAGES), min_size=1, max_size=4), options=options())
def test_with_texts_for_the_lengths(languages: list[tuple[Language, Language]], options: dict[str, Any]) -> None:
    train, dev = (list(texts) for texts in zip(*languages, strict=True))
    agree(lambda m: alike(m, train, dev, **options))


@settings(max_examples=100, deadline=None)
@given(
    languages=st.lists(st.tuples(LANGUAGES, st.floats(0.01, 100)), min_size=1, max_size=4),
    options=options(),
    early=st.booleans(),
)
def test_with_a_ratio(languages: list[tuple[Language, float]], options: dict[str, Any], early: bool) -> None:
    train, ratio = (list(given) for given in zip(*languages, strict=True))
    if early:
        agree(lambda m: alike(m, train, **options, ratio=ratio))
    else:
        agree(lambda m: alike(m, train, None, ratio, **options))


@settings(max_examples=150, deadline=None)
@given(
    languages=st.lists(st.tuples(LANGUAGES, LANGUAGES, st.floats(0.01, 100)), min_size=1, max_size=4),
    options=options(),
    size=st.integers(1, 6),
    alpha=st.floats(0.1, 5),
    kind=st.sampled_from(["texts", "dev", "ratio"]),
)
def test_window(
    languages: list[tuple[Language, Language, float]], options: dict[str, Any], size: int, alpha: float, kind: str
) -> None:
    # A word that has a pair left whatever is merged: the library can stay where it is when a language has none.
    long = "".join(chr(ord("Ā") + letter) for letter in range(40))
    train = [[*texts, long] for texts, _, _ in languages]
    options = {
        **options,
        "min_frequency": 0,
        "max_token_length": None,
        "num_merges": min(options.get("num_merges", 9), 30),
    }
    dev = [texts for _, texts, _ in languages] if kind == "dev" else None
    ratio = [ratio for _, _, ratio in languages] if kind == "ratio" else None
    agree(lambda m: alike(m, train, dev, ratio, variant="window", window_size=size, alpha=alpha, **options))


@settings(max_examples=60, deadline=None)
@given(languages=st.lists(LANGUAGES, min_size=1, max_size=3), options=options(), limit=st.integers(0, 6))
@example([["aab", "c"]], {}, 2)
def test_limited_alphabet(languages: list[Language], options: dict[str, Any], limit: int) -> None:
    options = {**options, "stage": "Whitespace", "initial_alphabet": []}
    counts = sorted(Counter("".join("".join(texts) for texts in languages).replace(" ", "")).values(), reverse=True)
    # Which of equally frequent characters it keeps is left to chance.
    assume(not 0 < limit < len(counts) or counts[limit - 1] != counts[limit])
    agree(lambda m: alike(m, languages, limit_alphabet=limit, **options))


@pytest.mark.parametrize("stage", ["Whitespace", "ByteLevel"])
@pytest.mark.parametrize("kind", ["base", "window"])
def test_real_words(stage: str, kind: str) -> None:
    agree(lambda m: alike(m, [EN, ES, HI], stage=stage, num_merges=30, variant=kind, special_tokens=["[UNK]", "the"]))
    agree(lambda m: alike(m, [EN, ES, HI], None, [1.0, 1.2, 2.5], stage=stage, num_merges=30, variant=kind))
    agree(lambda m: alike(m, [EN, ES, HI], [ES, EN, HI], stage=stage, num_merges=30, variant=kind))


def test_stages_and_the_model_before() -> None:
    def run(m: Library) -> Any:
        class Commas:
            def pre_tokenize(self, pretok: Any) -> None:
                pretok.split(lambda number, text: text.split(m.Regex("[ ,]"), "removed"))

        tok = tokenizer(m)
        tok.normalizer, tok.pre_tokenizer = m.normalizers.Lowercase(), m.pre_tokenizers.PreTokenizer.custom(Commas())
        m.trainers.ParityBpeTrainer(10, show_progress=False).train_from_iterator(tok, [["A,b ab AB"], [["cd", "CD"]]])
        tok.normalizer, tok.pre_tokenizer = m.normalizers.Lowercase(), m.pre_tokenizers.Whitespace()
        return tok.to_str()

    same(run)


def test_iterators_of_any_kind() -> None:
    def lines() -> Iterator[Any]:
        yield "ab ab"
        yield ["cd", "cd cd"]
        yield ("ab",)

    agree(lambda m: alike(m, (lines(), "ef", {"gh": 1}), [iter(["ab"]), [], ["cd"]]))


def test_special_tokens_keep_what_they_are() -> None:
    def run(m: Library) -> Any:
        token = m.AddedToken("[PAD]", lstrip=True)
        tok = trained(m, [EN], special_tokens=["[UNK]", token])
        return [token.special, tok.to_str(), plain(tok.encode("hello [PAD] x"))]

    same(run)


#: Everything that the constructor takes, in its order.
ALL = (4, "window", 2, [1, 2.5], 3, 4, 5, True, ["a", "b"], False, 5, ("b", "c", "b"), "##", "</w>", 9)
NAMES = [
    *("num_merges", "variant", "min_frequency", "ratio", "global_merges", "window_size", "alpha", "total_symbols"),
    *("special_tokens", "show_progress", "limit_alphabet", "initial_alphabet", "continuing_subword_prefix"),
    *("end_of_word_suffix", "max_token_length"),
]
VALUES: list[Any] = [
    1,
    -1,
    0.25,
    2**70,
    "x",
    "xy",
    None,
    True,
    ["a"],
    ["ab"],
    ("a",),
    [1],
    {"a"},
    float("nan"),
    1e-9,
    1e30,
]


def told(call: Callable[[], Any]) -> Any:
    """What a call gives, or what it raises with its message."""
    try:
        return plain(call())
    except Exception as error:
        return type(error).__name__, str(error)


def options_of(trainer: Any) -> list[Any]:
    shown = [plain(getattr(trainer, name)) for name in NAMES if name != "ratio"]
    return [repr(trainer), str(trainer), repr(trainer.__getstate__()), repr(shown)]


@pytest.mark.parametrize("given", [(), (10,), ALL])
def test_options_and_pickles(given: tuple[Any, ...]) -> None:
    def run(m: Library) -> Any:
        trainer = m.trainers.ParityBpeTrainer(*given)
        return options_of(trainer), options_of(pickle.loads(pickle.dumps(trainer)))

    same(run)
    library, stand_in = (m.trainers.ParityBpeTrainer(*given) for m in BOTH)
    stand_in.__setstate__(library.__getstate__())
    assert options_of(stand_in) == options_of(library)


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("name", NAMES)
def test_each_option(name: str, value: Any) -> None:
    def put(m: Library) -> Any:
        trainer = m.trainers.ParityBpeTrainer()
        setattr(trainer, name, value)
        return options_of(trainer)

    first, second = (told(lambda m=m: options_of(m.trainers.ParityBpeTrainer(**{name: value}))) for m in BOTH)
    assert second == first
    first, second = (told(lambda m=m: put(m)) for m in BOTH)
    # The message about an attribute that is not there is that of the interpreter.
    assert second == first or (first[0], second[0]) == ("AttributeError", "AttributeError")


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (([],), {}),
        (([EN, ES], [EN]), {}),
        (([EN, ES], []), {}),
        (([EN, ES], None, [1.0]), {}),
        (([EN, ES], None, []), {}),
        (([EN, ES], None, [1.0, -1.0]), {}),
        (([EN, ES], None, [float("inf"), 1]), {}),
        (([EN, ES], None, [float("nan"), 1]), {}),
        (([EN, ES], None, "ab"), {}),
        (([EN, ES], None, 1), {}),
        (([EN, ES],), {"ratio": [1.0]}),
        (([EN, ES], [EN, ES]), {"ratio": [1.0]}),
        (([EN, ES],), {"variant": "window", "window_size": 0}),
        (([EN, ES],), {"window_size": 0, "alpha": -1}),
        (([EN, ES],), {"variant": "window", "alpha": 0}),
        (([EN, ES],), {"variant": "window", "alpha": float("inf")}),
        (([EN, ES], None, [0.0]), {"variant": "window", "window_size": 0}),
        (("ab",), {}),
        ((3,), {}),
        ((None,), {}),
        ((iter([EN]),), {}),
        (([EN, 3],), {}),
        (([EN, [3]],), {}),
        (([EN, [["a", 3]]],), {}),
        (([EN, [b"ab"]],), {}),
        (([EN], [None]), {}),
        (([EN], 7), {}),
        (([[], []],), {}),
        (([[""], []], [[], [""]]), {}),
    ],
)
def test_what_is_refused(given: tuple[Any, ...], options: dict[str, Any]) -> None:
    first, second = (told(lambda m=m: trained(m, *given, **options).to_str()) for m in BOTH)
    assert second == first


def test_it_is_no_trainer_of_one_text() -> None:
    same(lambda m: isinstance(m.trainers.ParityBpeTrainer(), m.trainers.Trainer))
    same(lambda m: tokenizer(m).train_from_iterator(EN, m.trainers.ParityBpeTrainer()))
    same(lambda m: m.trainers.ParityBpeTrainer().train_from_iterator("no tokenizer", [EN]))


def test_what_fails_while_texts_are_read_changes_nothing() -> None:
    def lines() -> Iterator[str]:
        yield "a text"
        raise KeyError("the disk")

    def run(m: Library) -> Any:
        tok = tokenizer(m)
        with pytest.raises(KeyError, match="the disk"):
            m.trainers.ParityBpeTrainer(show_progress=False).train_from_iterator(tok, [EN, lines()])
        return tok.to_str()

    same(run)
