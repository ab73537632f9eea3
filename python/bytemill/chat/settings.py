"""Settings: what the files beside a tokenizer say of its use, as `transformers` reads and writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._whole_files import write_whole
from ..errors import FormatError, SpecError

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

CONFIG = "tokenizer_config.json"
SPECIAL_TOKENS = "special_tokens_map.json"
TEMPLATE = "chat_template.jinja"
MORE_TEMPLATES = "additional_chat_templates"
#: A length from which on `transformers` means that there is none.
UNLIMITED = 10**29


@dataclass(frozen=True)
class Settings:
    """What a model's folder says beside its tokenizer."""

    #: The chat templates by their names; the only one, or the usual one, is `"default"`.
    chat_templates: Mapping[str, str] = field(default_factory=dict)
    #: The most ids that the model takes, if the folder says it.
    model_max_length: int | None = None
    padding_side: str = "right"
    truncation_side: str = "right"
    #: All of tokenizer_config.json.
    config: Mapping[str, Any] = field(default_factory=dict)
    #: All of special_tokens_map.json.
    special_tokens: Mapping[str, Any] = field(default_factory=dict)

    @property
    def chat_template(self) -> str | None:
        """The template that is used where none is named."""
        return self.chat_templates.get("default")

    def role_names(self) -> set[str] | None:
        """The roles that the folder speaks of; None if it has no word about any."""
        named = {
            name.removesuffix("_token") for name in (*self.special_tokens, *self.config) if name.endswith("_token")
        }
        return named if self.config or self.special_tokens else None


NO_SETTINGS = Settings()


def read_settings(folder: Path) -> Settings | None:
    """The settings of a folder, or None where it has no such files."""
    config, special = _object(folder / CONFIG), _object(folder / SPECIAL_TOKENS)
    templates = _templates(config.get("chat_template"), folder / CONFIG)
    files = {"default": folder / TEMPLATE}
    if (folder / MORE_TEMPLATES).is_dir():
        files |= {path.stem: path for path in sorted((folder / MORE_TEMPLATES).glob("*.jinja"))}
    # A template of its own file has the last word.
    templates |= {name: _text(path) for name, path in files.items() if path.is_file()}
    if not (config or special or templates):
        return None
    length = config.get("model_max_length")
    return Settings(
        chat_templates=templates,
        model_max_length=int(length) if isinstance(length, (int, float)) and 0 < length < UNLIMITED else None,
        padding_side=str(config.get("padding_side", "right")),
        truncation_side=str(config.get("truncation_side", "right")),
        config=config,
        special_tokens=special,
    )


def write_settings(tok: Tokenizer, folder: Path) -> list[Path]:
    """Writes what `read_settings` reads, and what `transformers` asks for."""
    settings = tok.settings
    roles = {f"{role}_token": token for role, token in tok.roles.items()}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", **settings.config, **roles}
    config.pop("chat_template", None)
    config |= {"padding_side": settings.padding_side, "truncation_side": settings.truncation_side}
    if settings.model_max_length is not None:
        config["model_max_length"] = settings.model_max_length
    texts = {CONFIG: _json(config), SPECIAL_TOKENS: _json({**settings.special_tokens, **roles})}
    for name, template in settings.chat_templates.items():
        texts[TEMPLATE if name == "default" else f"{MORE_TEMPLATES}/{_file_name(name)}.jinja"] = template
    return [_write(folder / name, text) for name, text in texts.items()]


def _file_name(name: str) -> str:
    """The name of a template, which a file of somebody else may have given."""
    if not name or {*name} & {*"/\\:\0"}:
        raise SpecError(f"a chat template is named {name!r}, which is no name of a file to write")
    return name


def _templates(given: object, path: Path) -> dict[str, str]:
    """One template, or a list of them with their names."""
    if given is None:
        return {}
    if isinstance(given, str):
        return {"default": given}
    try:
        return {str(one["name"]): str(one["template"]) for one in given}  # type: ignore[attr-defined]
    except (TypeError, KeyError):
        raise FormatError(f"{path}: chat_template is neither a text nor a list of names and templates") from None


def _object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise FormatError(f"{path}: an object is expected, not {type(found).__name__}")
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: a template is UTF-8: {error}") from None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
    return path
