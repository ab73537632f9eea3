"""Tokenizers of `transformers` give the same on this engine as on `tokenizers`, key by key."""

from __future__ import annotations

import copy
import gzip
import itertools
import pickle
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
import tokenizers

from bytemill.compat import transformers as engine
from transformers import AddedToken, AutoTokenizer, PreTrainedTokenizerFast

from ..conftest import need, shared_folder

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

MODELS = shared_folder() / "models"
FOLDERS = sorted(path.parent for path in MODELS.glob("*/tokenizer_config.json"))
FILES = [MODELS / name for name in ("openai-gpt2", "t5-base", "roberta-base", "openai-cl100k")]

TEXTS = ["Hello world, it's a test 123!", "naïve café 中文 😀", "", "<|endoftext|> a [SEP] b </s>  x"]
PAIRS = ["q", "r s t", "u", "second newtok text"]
MESSAGES = [
    {"role": "user", "content": "hi <|im_end|>"},
    {"role": "assistant", "content": "yo"},
    {"role": "user", "content": "and now?"},
]
TEMPLATES = {
    "a loop": "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}",
    "white space": "{%- for m in messages -%}\n  {{- m['content'] | trim -}}\n{%- endfor -%}",
    "a prompt": "{% for m in messages %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}<bot>{% endif %}",
    "tools": "{% if tools %}{{ tools | tojson }}{% endif %}{{ messages[0].content }}",
    "a namespace": "{% set n = namespace(i=0) %}{% for m in messages %}{% set n.i = n.i + 1 %}{% endfor %}{{ n.i }}",
    "numbers": "{% for m in messages %}{{ loop.index0 }}{{ loop.last }}{{ m.content }}{% endfor %}",
    "a macro": "{% macro say(m) %}[{{ m.role }}]{% endmacro %}{% for m in messages %}{{ say(m) }}{% endfor %}",
    "a choice": "{% for m in messages %}{% if m.role == 'user' %}U{% elif m.x %}X{% else %}A{% endif %}{% endfor %}",
    "slices": "{% for m in messages[1:] %}{{ m.content.split(' ')[0] | upper }}{% endfor %}",
    "a mask": "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
}


def unpacked(folder: Path, into: Path) -> Path:
    """A folder of a model, its tokenizer.json as a plain file."""
    plain, packed = folder / "tokenizer.json", folder / "tokenizer.json.gz"
    data = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    (into / "tokenizer.json").write_bytes(data)
    if (folder / "tokenizer_config.json").exists():
        shutil.copy(folder / "tokenizer_config.json", into)
    return into


def read(folder: Path) -> Any:
    if (folder / "tokenizer_config.json").exists():
        return AutoTokenizer.from_pretrained(str(folder))
    return PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))


def prepared(folder: Path) -> Any:
    tok = read(folder)
    if tok.pad_token is None:
        tok.add_special_tokens({"pad_token": "<pad!>"})
    tok.add_tokens(["newtok", AddedToken(" sp", lstrip=True)])
    return tok


@pytest.fixture(scope="module", params=[*FOLDERS, *FILES], ids=lambda folder: folder.name)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """A tokenizer on the library, and the same on the engine."""
    folder = unpacked(request.param, tmp_path_factory.mktemp(request.param.name))
    theirs = prepared(folder)
    with engine.patch():
        ours = prepared(folder)
    assert type(theirs.backend_tokenizer) is tokenizers.Tokenizer
    assert type(ours.backend_tokenizer) is engine.BackendTokenizer
    return theirs, ours


def called(tok: Any, *texts: Any, **options: Any) -> Any:
    try:
        batch = tok(*texts, **options)
    except BaseException as error:
        return type(error).__name__
    details = [(e.tokens, e.word_ids, e.sequence_ids, e.offsets, e.special_tokens_mask) for e in batch.encodings or []]
    return dict(batch), details


def test_a_call_with_any_arguments(both: tuple[Any, Any]) -> None:
    flags = (True, False)
    grid = itertools.product(flags, flags, flags, flags, (False, True, "only_first"), (False, True, "max_length"))
    for special, offsets, overflow, with_pairs, truncation, padding in grid:
        options: dict[str, Any] = {
            "add_special_tokens": special,
            "return_offsets_mapping": offsets,
            "return_overflowing_tokens": overflow,
            "return_special_tokens_mask": True,
            "truncation": truncation,
            "padding": padding,
            "max_length": 12 if truncation or padding == "max_length" else None,
        }
        for texts in ([TEXTS[0], PAIRS[3]], [TEXTS, PAIRS]):
            given = texts if with_pairs else texts[:1]
            theirs, ours = (called(tok, *given, **options) for tok in both)
            assert ours == theirs, options


def test_words_and_arrays(both: tuple[Any, Any]) -> None:
    theirs, ours = both
    words = [["Hello", "world"], ["naïve", ""]]
    assert called(ours, words, is_split_into_words=True) == called(theirs, words, is_split_into_words=True)
    arrays = [tok(TEXTS, padding=True, return_tensors="np") for tok in both]
    assert all((arrays[0][key] == arrays[1][key]).all() for key in arrays[0])


def test_decoding_and_tokens(both: tuple[Any, Any]) -> None:
    theirs, ours = both
    ids = theirs(TEXTS)["input_ids"]
    for skip, clean in itertools.product((True, False), (True, False)):
        options = {"skip_special_tokens": skip, "clean_up_tokenization_spaces": clean}
        assert ours.batch_decode(ids, **options) == theirs.batch_decode(ids, **options)
    for text in TEXTS:
        tokens = theirs.tokenize(text)
        assert ours.tokenize(text) == tokens
        assert ours.convert_tokens_to_string(tokens) == theirs.convert_tokens_to_string(tokens)
        assert ours.convert_tokens_to_ids(tokens) == theirs.convert_tokens_to_ids(tokens)
    assert ours.get_vocab() == theirs.get_vocab() and len(ours) == len(theirs)
    assert ours.added_tokens_decoder == theirs.added_tokens_decoder


def test_saving_pickling_and_copying(both: tuple[Any, Any], tmp_path: Path) -> None:
    theirs, ours = both
    for tok, name in zip(both, ("theirs", "ours"), strict=True):
        tok.save_pretrained(tmp_path / name)
    for path in (tmp_path / "theirs").iterdir():
        assert (tmp_path / "ours" / path.name).read_bytes() == path.read_bytes(), path.name
    expected = called(theirs, TEXTS)
    for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert type(again.backend_tokenizer) is engine.BackendTokenizer
        assert called(again, TEXTS) == expected


@pytest.mark.parametrize("template", [None, *TEMPLATES])
def test_chats(both: tuple[Any, Any], template: str | None) -> None:
    if template is None and both[0].chat_template is None:
        return
    options: dict[str, Any] = {"tools": [{"name": "f", "parameters": {}}], "add_generation_prompt": True}
    if template is not None:
        options["chat_template"] = TEMPLATES[template]
    if template == "a mask":
        options |= {"return_assistant_tokens_mask": True, "return_dict": True}
    rendered = [
        tok.apply_chat_template(MESSAGES, **{**options, "tokenize": False}) for tok in both if template != "a mask"
    ]
    assert rendered[1:] == rendered[:1]
    encoded = [dict(tok.apply_chat_template(MESSAGES, **{"return_dict": True, **options})) for tok in both]
    assert encoded[0] == encoded[1]


def test_training_a_new_one(both: tuple[Any, Any]) -> None:
    theirs, ours = both
    if type(theirs.backend_tokenizer.model).__name__ != "BPE":
        return
    with engine.patch():
        new = ours.train_new_from_iterator(["the cat sat on the mat"] * 9, 300, show_progress=False)
    expected = theirs.train_new_from_iterator(["the cat sat on the mat"] * 9, 300, show_progress=False)
    assert new("the cat")["input_ids"] == expected("the cat")["input_ids"]


def template_around_a_template() -> Any:
    tok = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "u": 1}, "u"))
    template = tokenizers.processors.TemplateProcessing("a $0", special_tokens=[("a", 0)])
    tok.post_processor = tokenizers.processors.Sequence([template, template])
    return tok


def test_what_cannot_be_taken_stays_on_the_library(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    template_around_a_template().save(str(path))
    with engine.patch(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tok = PreTrainedTokenizerFast(tokenizer_file=str(path))
    assert type(tok.backend_tokenizer) is tokenizers.Tokenizer
    assert [warning.category for warning in caught if "bytemill" in str(warning.message)] == [engine.StaysOnTokenizers]
    assert tok("a")["input_ids"][-1] == 0


def test_the_patch_comes_off_and_tokenizers_stay_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "u": 1}, "u")).save(str(path))
    before = PreTrainedTokenizerFast(tokenizer_file=str(path))
    with engine.patch():
        assert engine.is_patched()
        during = PreTrainedTokenizerFast(tokenizer_file=str(path))
        moved = PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer.from_file(str(path)))
    after = PreTrainedTokenizerFast(tokenizer_file=str(path))
    assert not engine.is_patched()
    kinds = [type(tok.backend_tokenizer) for tok in (before, during, moved, after)]
    assert kinds == [tokenizers.Tokenizer, engine.BackendTokenizer, engine.BackendTokenizer, tokenizers.Tokenizer]
    assert all(tok("a")["input_ids"] == [0] for tok in (before, during, moved, after))


def test_datasets_are_mapped_by_several_processes(tmp_path: Path) -> None:
    """Each worker gets a pickled tokenizer, and has to have it on the engine without being patched itself."""
    datasets = need("datasets")
    folder = unpacked(MODELS / "openai-gpt2", tmp_path)
    texts = [f"{text} {number}" for number in range(50) for text in TEXTS]
    rows = datasets.Dataset.from_dict({"text": texts})
    theirs = read(folder)
    with engine.patch():
        ours = read(folder)

    def encoded(tok: Any, **how: Any) -> Any:
        def work(batch: dict[str, list[str]]) -> dict[str, Any]:
            kinds = [type(tok.backend_tokenizer).__module__] * len(batch["text"])
            return {**tok(batch["text"], truncation=True, max_length=8), "engine": kinds}

        return rows.map(work, batched=True, batch_size=30, load_from_cache_file=False, **how)

    expected, found = encoded(theirs), encoded(ours, num_proc=2)
    assert set(found["engine"]) == {"bytemill.compat.transformers"}
    for name in ("input_ids", "attention_mask"):
        assert list(found[name]) == list(expected[name])
