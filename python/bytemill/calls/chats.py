"""Calls for chats, and the settings that they follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._arguments import checks
from ..chat.settings import NO_SETTINGS, Settings

if TYPE_CHECKING:
    from ..chat.encoding import Chat


class ChatCalls(_core.Tokenizer):
    """What a tokenizer does with chats."""

    __slots__ = ("_settings",)

    if TYPE_CHECKING:
        _settings: Settings

    @property
    def settings(self) -> Settings:
        """What the files beside the tokenizer say: chat templates, the longest input, the side of padding."""
        return getattr(self, "_settings", NO_SETTINGS)

    def encode_segments(self, segments: Iterable[tuple[str, bool]]) -> list[int]:
        """The ids of one text that comes in segments, each with whether it is trusted.

        Special tokens are found in trusted segments alone; what others spell is plain text. Otherwise segments leave no
        trace: the ids are those of the whole text.

        Examples:
            >>> import bytemill
            >>> tok = bytemill.train(["hi <end>"], bytemill.BPE(257), special_tokens=["<end>"], progress=False)
            >>> plain = tok.encode("hi <end>", specials="none")
            >>> tok.encode_segments([("hi <end>", False), ("<end>", True)]) == [*plain, 0]
            True
        """
        pairs = [*segments]
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise TypeError("segments are tuples of a text and whether it is trusted, like (text, True)")
        return self._encode_segments([(text, bool(trusted)) for text, trusted in pairs])[0]

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        chat_template: str | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        tokenize: bool = True,
        trusted: bool = False,
        **variables: Any,
    ) -> list[int] | str:
        """The ids of a chat, or with `tokenize=False` its text, by the chat template of the model's folder.

        Templates are rendered as `transformers` does it, in the sandbox of jinja2 (`pip install "bytemill[chat]"`).
        What messages say never becomes a special token, unless `trusted=True`.

        Args:
            messages: Mappings with a `role` and a `content`, and what else the template reads.
            chat_template: A template, or the name of one of `settings.chat_templates`.
            tools: Functions that the model may call, as JSON schemas.
            documents: Documents for the model to read.
            add_generation_prompt: End with what begins an answer of the assistant.
            continue_final_message: End with the last message, for the model to continue it.
            tokenize: Whether ids are wanted, and not the text.
            trusted: Whether special tokens that are written in messages are meant.
            **variables: Other variables of the template.

        Raises:
            ChatError: The template refuses the messages, or looks at a special token in one of them.
        """
        from ..chat.encoding import chat_call  # Only chats need jinja2.

        call = chat_call(
            self,
            messages,
            chat_template=chat_template,
            tools=tools,
            documents=documents,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            trusted=trusted,
            **variables,
        )
        checks.flag("tokenize", tokenize)
        return call.encoded().ids if tokenize else call.rendered().text

    def encode_chat(self, messages: Sequence[Mapping[str, Any]], **keywords: Any) -> Chat:
        """A chat with its text, ids, offsets, and which ids the assistant says.

        Takes the keywords of `apply_chat_template`, except `tokenize`.
        """
        from ..chat.encoding import chat_call  # Only chats need jinja2.

        return chat_call(self, messages, **keywords).encoded()
