"""Which model has which encoding."""

from __future__ import annotations

from .core import Encoding
from .registry import get_encoding


def _each(encoding: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, encoding)


#: The encodings of models whose names begin so; what comes first is tried first.
MODEL_PREFIX_TO_ENCODING: dict[str, str] = {
    **_each("o200k_base", "o1-", "o3-", "o4-mini-"),
    **_each("o200k_base", "gpt-5", "gpt-4.5-", "gpt-4.1-", "chatgpt-4o-", "gpt-4o-"),
    **_each("cl100k_base", "gpt-4-", "gpt-3.5-turbo-", "gpt-35-turbo-"),
    **_each("o200k_harmony", "gpt-oss-"),
    **_each("o200k_base", "ft:gpt-4o"),
    **_each("cl100k_base", "ft:gpt-4", "ft:gpt-3.5-turbo", "ft:davinci-002", "ft:babbage-002"),
}

#: The encodings of models by their names.
MODEL_TO_ENCODING: dict[str, str] = {
    **_each("o200k_base", "o1", "o3", "o4-mini", "gpt-5", "gpt-4.1", "gpt-4o"),
    **_each("cl100k_base", "gpt-4", "gpt-3.5-turbo", "gpt-3.5", "gpt-35-turbo", "davinci-002", "babbage-002"),
    **_each("cl100k_base", "text-embedding-ada-002", "text-embedding-3-small", "text-embedding-3-large"),
    **_each("p50k_base", "text-davinci-003", "text-davinci-002"),
    **_each("r50k_base", "text-davinci-001", "text-curie-001", "text-babbage-001", "text-ada-001"),
    **_each("r50k_base", "davinci", "curie", "babbage", "ada"),
    **_each("p50k_base", "code-davinci-002", "code-davinci-001", "code-cushman-002", "code-cushman-001"),
    **_each("p50k_base", "davinci-codex", "cushman-codex"),
    **_each("p50k_edit", "text-davinci-edit-001", "code-davinci-edit-001"),
    **_each("r50k_base", *(f"text-similarity-{size}-001" for size in ("davinci", "curie", "babbage", "ada"))),
    **_each("r50k_base", *(f"text-search-{size}-doc-001" for size in ("davinci", "curie", "babbage", "ada"))),
    **_each("r50k_base", "code-search-babbage-code-001", "code-search-ada-code-001"),
    **_each("gpt2", "gpt2", "gpt-2"),
}


def encoding_name_for_model(model_name: str) -> str:
    """Returns the name of a model's encoding. Raises a KeyError if the model is not known."""
    named = MODEL_TO_ENCODING.get(model_name)
    if named is not None:
        return named
    for prefix, encoding in MODEL_PREFIX_TO_ENCODING.items():
        if model_name.startswith(prefix):
            return encoding
    raise KeyError(f"Could not automatically map {model_name} to a tokeniser. Use `tiktoken.get_encoding` with a name.")


def encoding_for_model(model_name: str) -> Encoding:
    """Returns a model's encoding. Raises a KeyError if the model is not known."""
    return get_encoding(encoding_name_for_model(model_name))
