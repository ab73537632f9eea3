"""A chat as ids. What messages say never becomes a control token, unless they are trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._arguments import checks
from ..errors import SpecError
from .templates import ChatError, Messages, Rendered, chosen, render

if TYPE_CHECKING:
    from ..calls.chats import ChatCalls

#: In place of the first character of what looks like a control token in a message, while the template is rendered.
MARK = "\U0010fff3"


@dataclass(frozen=True)
class Chat:
    """A chat as a model takes it."""

    #: The text that the template made.
    text: str
    ids: list[int]
    #: Where each id stands in the text, in characters.
    offsets: list[tuple[int, int]]
    #: 1 for each id of what the assistant says, where the template marks it with `{% generation %}`, otherwise 0.
    assistant_mask: list[int]


@dataclass(frozen=True)
class ChatCall:
    """Messages, and what is asked of them."""

    tok: ChatCalls
    messages: Messages
    template: str
    add_generation_prompt: bool
    continued: bool
    trusted: bool

    def rendered(self, messages: Messages | None = None) -> Rendered:
        how = {"add_generation_prompt": self.add_generation_prompt, "continued": self.continued}
        return render(self.template, self.messages if messages is None else messages, **how)

    def encoded(self) -> Chat:
        rendered = self.rendered()
        segments = [(rendered.text, True)] if self.trusted else self._segments(rendered.text)
        ids, offsets = self.tok._encode_segments(segments)
        said = rendered.assistant
        mask = [int(any(start < last and first < end for first, last in said)) for start, end in offsets]
        return Chat(rendered.text, ids, offsets, mask)

    def _segments(self, text: str) -> list[tuple[str, bool]]:
        """The text in segments; those are not trusted that spell a control token, or begin one, in a message."""
        special = [token for token in self.tok.special_tokens if token]
        # Files do not mark all tokens that models obey. Those of its own, such as <think>, a model may have written.
        others = [token for token in self.tok.added_tokens if len(token) > 1 and not token.isspace()]
        found: list[str] = []
        if MARK in text:
            raise ChatError(f"the chat contains U+{ord(MARK):X}, a private character that marks places in chats here")
        guarded = self.messages.mapped(
            lambda value: _marked(value, special + others, found), lambda value: _marked(value, special, found)
        )
        if not found:
            return [(text, True)]
        segments = _parted(self.rendered(guarded).text, found)
        if "".join(part for part, _ in segments) != text:
            raise ChatError(
                f"a message contains the special token {found[0]!r}, which the chat template looks at; "
                "take it out of the message, or pass trusted=True if it is meant"
            )
        return segments


def chat_call(
    tok: ChatCalls,
    messages: Sequence[Mapping[str, Any]],
    *,
    chat_template: str | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    documents: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
    continue_final_message: bool = False,
    trusted: bool = False,
    **variables: Any,
) -> ChatCall:
    """Checks what a caller gives."""
    checks.optional_text("chat_template", chat_template)
    checks.flag("add_generation_prompt", add_generation_prompt)
    checks.flag("continue_final_message", continue_final_message)
    checks.flag("trusted", trusted)
    if continue_final_message and add_generation_prompt:
        raise SpecError("either the last message goes on or a new one begins; leave out one of the two")
    for name, items in (("messages", messages), ("tools", tools), ("documents", documents)):
        if items is not None and (
            isinstance(items, (str, Mapping)) or not all(isinstance(it, Mapping) for it in items)
        ):
            raise TypeError(f"{name} is a list of mappings: one conversation, or JSON schemas")
    if not messages:
        raise SpecError("there are no messages")
    named = tok.settings.role_names()
    roles = {f"{role}_token": token for role, token in tok.roles.items() if named is None or role in named}
    return ChatCall(
        tok,
        Messages(messages, tools, documents, roles | variables),
        chosen(tok.settings.chat_templates, chat_template, tools is not None),
        add_generation_prompt,
        continue_final_message,
        trusted,
    )


def _parted(rendered: str, found: list[str]) -> list[tuple[str, bool]]:
    """What was rendered, with each mark and what it stands for as a segment of its own."""
    spellings = sorted(set(found), key=len, reverse=True)
    segments, rest = [], rendered
    while MARK in rest:
        before, _, rest = rest.partition(MARK)
        spelling = next((one for one in spellings if rest.startswith(one[1:])), MARK)
        segments += [(before, True), (spelling, False)]
        rest = rest[len(spelling) - 1 :]
    return [*segments, (rest, True)]


def _marked(text: str, control: list[str], found: list[str]) -> str:
    """A text with the first character of each control token in it, and of one that it may begin, exchanged."""

    def exchanged(match: re.Match[str]) -> str:
        found.append(match[0])
        return MARK + match[0][1:]

    if not control:
        return text
    text = re.sub("|".join(map(re.escape, sorted(control, key=len, reverse=True))), exchanged, text)
    for start in range(max(0, len(text) - max(map(len, control)) + 1), len(text)):
        if any(token.startswith(text[start:]) for token in control):
            found.append(text[start:])
            return text[:start] + MARK + text[start + 1 :]
    return text
