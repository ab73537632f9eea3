"""Templates: messages → text, as `transformers` renders them, in jinja2's sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from ..errors import BytemillError, SpecError

try:
    import jinja2
    import jinja2.ext
    import jinja2.nodes
    import jinja2.sandbox
except ImportError:
    raise ImportError('chat templates need jinja2: pip install "bytemill[chat]"') from None

#: Earlier versions have known ways out of the sandbox.
OLDEST = (3, 1, 6)
#: Around what the assistant says, while a template is rendered; and where the last message is to go on.
BEGIN, END, CONTINUE = "\U0010fff0", "\U0010fff1", "\U0010fff2"
#: A space after the place where the last message goes on: a template that strips its messages takes it away.
CONTINUED = CONTINUE + " "
#: What messages call the thoughts before an answer; templates read the first.
THOUGHTS = ("reasoning_content", "thinking", "reasoning")


class ChatError(BytemillError, ValueError):
    """A chat that its template cannot render, or refuses."""


@dataclass(frozen=True)
class Messages:
    """What a template is given."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] | None
    documents: Sequence[Mapping[str, Any]] | None
    variables: Mapping[str, Any]

    def mapped(self, change: Callable[[str], str], of_assistant: Callable[[str], str]) -> Messages:
        """The same with every text changed, in one way or another; the names of roles are the program's own."""
        changes = (of_assistant if message.get("role") == "assistant" else change for message in self.messages)
        messages = [_mapped(message, how) for message, how in zip(self.messages, changes, strict=True)]
        return Messages(messages, _mapped(self.tools, change), _mapped(self.documents, change), self.variables)


@dataclass(frozen=True)
class Rendered:
    text: str
    #: What the assistant says, where the template marks it.
    assistant: list[tuple[int, int]]


def render(template: str, chat: Messages, *, add_generation_prompt: bool, continued: bool) -> Rendered:
    """The text of a chat; with `continued`, up to the end of the last message."""
    _refuse_marks(template, chat)
    messages = [_with_thoughts(message) for message in chat.messages]
    if continued:
        messages[-1] = _to_be_continued(messages[-1])
    try:
        text = _compiled(template).render(
            messages=messages,
            tools=chat.tools,
            documents=chat.documents,
            add_generation_prompt=add_generation_prompt,
            **chat.variables,
        )
    except MemoryError:
        raise
    except Exception as error:  # A template is somebody's program: it can fail in any way.
        raise ChatError(f"the chat template cannot render these messages: {error}") from error
    return _without_marks(_till_mark(text) if continued else text)


@lru_cache(maxsize=64)
def _compiled(template: str) -> jinja2.Template:
    version = tuple(int(part) for part in jinja2.__version__.split(".")[:3] if part.isdigit())
    if version < OLDEST:
        raise ImportError(f"jinja2 {jinja2.__version__} is not safe for templates of others; 3.1.6 or later is needed")
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = _tojson
    environment.globals |= {"raise_exception": _refuse, "strftime_now": _now}
    try:
        return environment.from_string(template)
    except jinja2.TemplateError as error:
        raise ChatError(f"the chat template is not valid: {error}") from error


class _Generation(jinja2.ext.Extension):
    """`{% generation %} … {% endgeneration %}`: what the assistant says."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Any) -> jinja2.nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_marked"), [], [], body).set_lineno(line)

    def _marked(self, caller: Callable[[], str]) -> str:
        return f"{BEGIN}{caller()}{END}"


def _refuse_marks(template: str, chat: Messages) -> None:
    """A mark that somebody wrote could not be told from ours, and would be lost."""

    def refused(text: str) -> str:
        found = next((mark for mark in (BEGIN, END, CONTINUE) if mark in text), None)
        if found is not None:
            raise ChatError(f"the chat contains U+{ord(found):X}, a private character that marks places in chats here")
        return text

    refused(template)
    chat.mapped(refused, refused)
    _mapped(chat.variables, refused)


def _tojson(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """jinja2's own escapes what HTML would read as a tag."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _refuse(message: str) -> None:
    raise jinja2.TemplateError(message)


def _now(format: str) -> str:
    return datetime.now().strftime(format)


def _with_thoughts(message: Mapping[str, Any]) -> dict[str, Any]:
    thoughts = next((message[name] for name in THOUGHTS if message.get(name) is not None), None)
    return dict(message) if thoughts is None else {"thinking": thoughts, **message, "reasoning_content": thoughts}


def _to_be_continued(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": content + CONTINUED}
    blocks = [dict(block) for block in content] if isinstance(content, (list, tuple)) else []
    for block in reversed(blocks):
        if isinstance(block.get("text"), str):
            block["text"] += CONTINUED
            return {**message, "content": blocks}
    raise ChatError("the last message has no text to continue")


def _till_mark(text: str) -> str:
    before, mark, after = text.rpartition(CONTINUE)
    if not mark:
        raise ChatError("the chat template leaves out the end of the last message, which therefore cannot be continued")
    return before if after.startswith(" ") else before.rstrip()


def _without_marks(text: str) -> Rendered:
    parts, opened, assistant, length = [], [], [], 0
    for part in _split_at_marks(text):
        if part == BEGIN:
            opened.append(length)
        elif part == END:
            assistant.append((opened.pop(), length))
        else:
            parts.append(part)
            length += len(part)
    return Rendered("".join(parts), sorted(assistant))


def _split_at_marks(text: str) -> list[str]:
    pieces = [text]
    for mark in (BEGIN, END):
        pieces = [part for piece in pieces for part in _with_separators(piece, mark)]
    return pieces


def _with_separators(text: str, mark: str) -> list[str]:
    first, *others = text.split(mark)
    return [first, *(part for other in others for part in (mark, other))]


def _mapped(value: Any, change: Callable[[str], str], key: str = "") -> Any:
    if isinstance(value, str):
        return value if key == "role" else change(value)
    if isinstance(value, Mapping):
        return {name: _mapped(item, change, str(name)) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mapped(item, change) for item in value]
    return value


def chosen(templates: Mapping[str, str], given: str | None, has_tools: bool) -> str:
    """The template of a call: one that is given or named, or the usual one."""
    if given is not None:
        return templates.get(given, given)
    if has_tools and "tool_use" in templates:
        return templates["tool_use"]
    if "default" in templates:
        return templates["default"]
    if templates:
        raise SpecError(f"this tokenizer has chat templates, but no default one; name one of {', '.join(templates)}")
    raise SpecError("this tokenizer has no chat template; load it from its model's folder, or pass chat_template=")
