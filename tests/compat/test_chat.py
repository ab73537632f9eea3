"""Chats beside those of transformers' rendering, and what messages may not do."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import bytemill
from bytemill.chat.templates import ChatError

CHATML = (
    "{% for m in messages %}<|start|>{{ m.role }}\n"
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|end|>{% endgeneration %}"
    "{% else %}{{ m.content | trim }}<|end|>{% endif %}{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
MESSAGES = [{"role": "user", "content": "the cat sat"}, {"role": "assistant", "content": "on the mat"}]
SPECIALS = ["<|start|>", "<|end|>"]


@pytest.fixture(scope="module")
def tok(tmp_path_factory) -> bytemill.Tokenizer:
    folder = tmp_path_factory.mktemp("model")
    made = bytemill.train(["the cat sat on the mat"] * 9, bytemill.BPE(265), special_tokens=SPECIALS, progress=False)
    made.save(folder / "tokenizer.json")
    config = {"chat_template": CHATML, "eos_token": "<|end|>", "model_max_length": 512, "padding_side": "left"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return bytemill.load(folder)


def test_a_folder_tells_its_settings(tok):
    assert tok.settings.chat_template == CHATML
    assert (tok.settings.model_max_length, tok.settings.padding_side) == (512, "left")
    assert pickle.loads(pickle.dumps(tok)).settings == tok.settings
    assert tok.with_tokens(["<x>"]).settings is tok.settings


def test_text_ids_offsets_and_what_the_assistant_says(tok):
    text = tok.apply_chat_template(MESSAGES, tokenize=False)
    assert text == "<|start|>user\nthe cat sat<|end|>\n<|start|>assistant\non the mat<|end|>\n"
    chat = tok.encode_chat(MESSAGES)
    assert chat.text == text and chat.ids == tok.apply_chat_template(MESSAGES) == tok.encode(text, specials="all")
    said = [text[start:end] for (start, end), mask in zip(chat.offsets, chat.assistant_mask, strict=True) if mask]
    assert "".join(said) == "on the mat<|end|>"
    prompt = tok.apply_chat_template(MESSAGES, tokenize=False, add_generation_prompt=True)
    assert prompt == text + "<|start|>assistant\n"
    assert tok.apply_chat_template(MESSAGES, tokenize=False, continue_final_message=True).endswith("\non the mat")


@pytest.mark.parametrize(
    "content", ["a<|end|>b", "<|end|>", "x<|en", "<", "<|start|><|end|>", "<|end|><|e", "<|<|end|>"]
)
def test_messages_never_become_special_tokens(tok, content):
    messages = [{"role": "user", "content": content}]
    ids = tok.apply_chat_template(messages)
    text = tok.apply_chat_template(messages, tokenize=False)
    assert tok.decode(ids) == text and content in text
    control = set(tok.special_tokens.values())
    assert [id for id in ids if id in control] == [tok.special_tokens[token] for token in SPECIALS]
    assert tok.apply_chat_template(messages, trusted=True) == tok.encode(text, specials="all")


def test_a_template_that_looks_at_a_special_token_is_not_given_another(tok):
    template = "{% for m in messages %}{{ m.content.split('<|end|>')[0] }}{% endfor %}"
    with pytest.raises(ChatError, match=r"contains the special token '<\|end\|>', which the chat template looks at"):
        tok.apply_chat_template([{"role": "user", "content": "a<|end|>b"}], chat_template=template)


def test_segments_are_one_text(tok):
    text = "the cat sat on the mat"
    for cut in range(len(text)):
        assert tok.encode_segments([(text[:cut], True), (text[cut:], False)]) == tok.encode(text)
    assert tok.encode_segments([("<|en", True), ("d|>", True)]) == tok.encode("<|end|>", specials="none")
    assert tok.encode_segments([]) == []


def test_mistakes_are_told(tok):
    with pytest.raises(bytemill.errors.SpecError, match="has no chat template"):
        bytemill.train(["a"], bytemill.Word(), progress=False).apply_chat_template(MESSAGES)
    with pytest.raises(bytemill.errors.SpecError, match="there are no messages"):
        tok.apply_chat_template([])
    with pytest.raises(TypeError, match="messages is a list of mappings"):
        tok.apply_chat_template([MESSAGES])
    with pytest.raises(ChatError, match="not valid"):
        tok.apply_chat_template(MESSAGES, chat_template="{% if %}")
    with pytest.raises(ChatError, match="no, thanks"):
        tok.apply_chat_template(MESSAGES, chat_template="{{ raise_exception('no, thanks') }}")
    with pytest.raises(ChatError, match="cannot render"):
        tok.apply_chat_template(MESSAGES, chat_template="{{ ''.__class__.__mro__[1].__subclasses__() }}")
    with pytest.raises(bytemill.errors.SpecError, match="leave out one of the two"):
        tok.apply_chat_template(MESSAGES, add_generation_prompt=True, continue_final_message=True)


@pytest.mark.parametrize("mark", ["\U0010fff0", "\U0010fff1", "\U0010fff2", "\U0010fff3"])
def test_characters_that_mark_places_are_refused_and_not_lost(tok, mark):
    with pytest.raises(ChatError, match=f"contains U\\+{ord(mark):X}, a private character"):
        tok.apply_chat_template([{"role": "user", "content": f"a{mark}b"}])


def test_whatever_a_template_fails_with_is_a_chat_error(tok):
    with pytest.raises(ChatError, match="Range too big"):
        tok.apply_chat_template(MESSAGES, chat_template="{% for i in range(10**9) %}x{% endfor %}")


def test_what_is_no_segment_or_folder_is_refused(tok, tmp_path):
    with pytest.raises(TypeError, match="segments are tuples"):
        tok.encode_segments(["a"])
    (tmp_path / "file").touch()
    with pytest.raises(bytemill.errors.SpecError, match="is a file, and save_pretrained"):
        tok.save_pretrained(tmp_path / "file")


def test_saved_folders_load_again(tok, tmp_path):
    paths = tok.save_pretrained(tmp_path / "saved")
    assert {Path(path).name for path in paths} == {
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "chat_template.jinja",
    }
    again = bytemill.load(tmp_path / "saved")
    assert again == tok and again.roles == tok.roles
    assert again.apply_chat_template(MESSAGES) == tok.apply_chat_template(MESSAGES)
    assert again.settings.model_max_length == 512


def test_damaged_settings_are_refused(tok, tmp_path):
    tok.save(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer_config.json").write_text("[1")
    with pytest.raises(bytemill.errors.FormatError, match="not valid JSON"):
        bytemill.load(tmp_path)


def changed(folder: Path, tok: bytemill.Tokenizer, config: str) -> Path:
    tok.save(folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(config)
    return folder


@pytest.mark.parametrize("name", ["../../above", "/tmp/above", "a/b", "a\\b", "c:d", ""])
def test_names_of_templates_lead_out_of_no_folder(tok, tmp_path, name) -> None:
    """They come from a stranger's file, and become the names of files."""
    folder = tmp_path / "model"
    folder.mkdir()
    templates = [{"name": "default", "template": "x"}, {"name": name, "template": "y"}]
    hostile = bytemill.load(changed(folder, tok, json.dumps({"chat_template": templates})))
    with pytest.raises(bytemill.errors.SpecError, match="which is no name of a file to write"):
        hostile.save_pretrained(tmp_path / "out" / "deep")
    assert not list(tmp_path.rglob("*.jinja")) and not Path("/tmp/above.jinja").exists()


def test_hostile_settings_are_refused(tok, tmp_path) -> None:
    for config in (
        "[" * 100_000,
        "[]",
        "{",
        '{"model_max_length": NaN}',
        '{"chat_template": 5}',
        '{"chat_template": [{"name": "a"}]}',
    ):
        with pytest.raises(bytemill.errors.FormatError):
            bytemill.load(changed(tmp_path, tok, config))
    for length in ("-1", "-1e300", "0", '"5"', "1e30"):
        found = bytemill.load(changed(tmp_path, tok, '{"model_max_length": ' + length + "}"))
        assert found.settings.model_max_length is None
    (tmp_path / "chat_template.jinja").write_bytes(b"\xff")
    with pytest.raises(bytemill.errors.FormatError, match="a template is UTF-8"):
        bytemill.load(tmp_path)
