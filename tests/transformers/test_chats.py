"""Chats rendered by bytemill and by transformers: the same texts, ids and masks."""

from __future__ import annotations

import json

import pytest

import bytemill
from transformers import AutoTokenizer, PreTrainedTokenizerFast

TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]
CHATS = [
    [{"role": "user", "content": "Hello, wörld!\n  two  spaces  "}],
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "中文 🙂"}],
    [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}],
    [{"role": "user", "content": "a"}, {"role": "assistant", "content": "<think>hm</think>b", "thinking": "why"}],
]
TEMPLATES = [
    "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}",
    "{%- for m in messages -%}  {{- m['content'] | trim }} {%- if not loop.last %} | {% endif -%}{%- endfor -%}",
    "{% for m in messages %}\n    {% if m.role == 'user' %}\n    U: {{ m.content }}\n    {% endif %}\n{% endfor %}",
    "{% set s = namespace(n=0) %}{% for m in messages %}{% set s.n = s.n + 1 %}{{ s.n }}{{ m.content }}{% endfor %}",
    "{{ tools | tojson }}{% for m in messages %}{{ m | tojson(indent=1) }}{% endfor %}",
    "{% macro say(m) %}<{{ m.role }}>{{ m.content }}{% endmacro %}{% for m in messages %}{{ say(m) }}{% endfor %}",
    "{% for m in messages %}{% if loop.index > 1 %}{% break %}{% endif %}{{ m.content }}{% endfor %}{{ eos_token }}",
    "{% for m in messages %}{% if m.role == 'system' %}{% continue %}{% endif %}{{ m.content }}{% endfor %}",
    "{% for m in messages %}{{ m.role }}:{% generation %}{{ m.content }}{% endgeneration %};{% endfor %}",
    "{{ messages[-1].content.split('</think>')[-1].lstrip('\\n') }}{{ bos_token }}{{ missing }}{{ dict(a=1).a }}",
    "{% for m in messages %}{{ m.reasoning_content or '' }}{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}>{% endif %}",
]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chat")
    texts = [json.dumps(CHATS, ensure_ascii=False)] * 4
    tok = bytemill.train(texts, bytemill.BPE(280), special_tokens=["<s>", "</s>"], progress=False)
    tok.save(folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "<s>", "eos_token": "</s>"}))
    theirs = PreTrainedTokenizerFast.from_pretrained(folder)
    return bytemill.load(folder), theirs


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("chat", CHATS)
def test_templates(both, template, chat):
    ours, theirs = both
    for options in ({}, {"add_generation_prompt": True}, {"tools": TOOLS}):
        text = theirs.apply_chat_template(chat, chat_template=template, tokenize=False, **options)
        assert ours.apply_chat_template(chat, chat_template=template, tokenize=False, **options) == text
        ids = theirs.apply_chat_template(chat, chat_template=template, return_dict=False, **options)
        assert ours.apply_chat_template(chat, chat_template=template, **options) == ids


@pytest.mark.parametrize("chat", CHATS)
def test_masks_and_continued_messages(both, chat):
    ours, theirs = both
    asked = {"chat_template": TEMPLATES[8], "return_assistant_tokens_mask": True}
    mask = theirs.apply_chat_template(chat, return_dict=True, **asked)["assistant_masks"]
    found = ours.encode_chat(chat, chat_template=TEMPLATES[8])
    # transformers masks only the first of the bytes of the last character.
    last = {end for start, end in found.offsets if not found.text[start:end].isascii()}
    for (_, end), one, other in zip(found.offsets, found.assistant_mask, mask, strict=True):
        assert one == other or (one and end in last)
    for template in TEMPLATES[:3]:
        try:
            text = theirs.apply_chat_template(chat, chat_template=template, tokenize=False, continue_final_message=True)
        except ValueError:
            continue
        found = ours.apply_chat_template(chat, chat_template=template, tokenize=False, continue_final_message=True)
        assert found == text


@pytest.mark.shared
@pytest.mark.parametrize("model", ["qwen3"])
@pytest.mark.parametrize("chat", CHATS)
def test_templates_of_models(shared, model, chat):
    folder = shared / "models" / model
    ours, theirs = bytemill.load(folder), AutoTokenizer.from_pretrained(folder)
    for options in ({}, {"add_generation_prompt": True}, {"tools": TOOLS}, {"enable_thinking": False}):
        assert ours.apply_chat_template(chat, tokenize=False, **options) == theirs.apply_chat_template(
            chat, tokenize=False, **options
        )
        text = ours.apply_chat_template(chat, tokenize=False, **options)
        assert ours.apply_chat_template(chat, **options) == ours.encode(text, specials="all")
