"""Repositories of the Hugging Face hub, as `huggingface_hub` keeps them, or downloaded by it where it is installed."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from ..errors import NotFoundError

#: What holds a tokenizer, the best first; where two files are named, both are needed.
USUAL = (
    ("tokenizer.json",),
    ("tekken.json",),
    ("vocab.json", "merges.txt"),
    ("vocab.txt",),
    ("tokenizer.model",),
    ("spiece.model",),
    ("sentencepiece.bpe.model",),
)


def folder() -> Path:
    """Where repositories are kept."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(variable):
            return _expanded(os.environ[variable])
    home = os.environ.get("HF_HOME")
    if not home:
        home = str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    return _expanded(home) / "hub"


def _expanded(path: str) -> Path:
    return Path(os.path.expandvars(path)).expanduser()


def is_offline() -> bool:
    said = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or ""
    return said.upper() in {"1", "ON", "YES", "TRUE"}


def find(name: str, revision: str | None, near: str | None) -> str:
    """The file of a repository's tokenizer. `near` is another name that may have been meant."""
    found = cached(name, revision)
    if found is not None:
        return str(found)
    meant = f"; did you mean {near!r}?" if near else ""
    nothing = f"there is no file or folder {name!r}{meant}"
    looked = f"no tokenizer of that name{_of(revision)} is in the cache of huggingface_hub, {str(folder())!r}"
    if is_offline():
        raise NotFoundError(
            f"{nothing}; {looked}, and HF_HUB_OFFLINE forbids to download it: "
            "unset that, or download its tokenizer.json and load its path"
        )
    try:
        hub = importlib.import_module("huggingface_hub")
        errors = importlib.import_module("huggingface_hub.errors")
    except ImportError:
        raise NotFoundError(
            f'{nothing}; {looked}: pip install "bytemill[hub]" to have it downloaded, '
            "or download its tokenizer.json and load its path"
        ) from None
    return _download(name, revision, hub, errors, nothing)


def _of(revision: str | None) -> str:
    return "" if revision is None else f" at the revision {revision!r}"


def cached(name: str, revision: str | None) -> Path | None:
    """The tokenizer in the repository's snapshot of a revision: a commit, or the commit that a ref names."""
    repository = folder() / f"models--{name.replace('/', '--')}"
    revision = "main" if revision is None else revision
    ref = repository / "refs" / revision
    snapshot = repository / "snapshots" / (ref.read_text().strip() if ref.is_file() else revision)
    for names in USUAL:
        if all((snapshot / each).is_file() for each in names):
            return snapshot / names[0]
    return None


def _download(name: str, revision: str | None, hub: Any, errors: Any, nothing: str) -> str:
    for names in USUAL:
        try:
            paths = [str(hub.hf_hub_download(name, each, revision=revision)) for each in names]
            return paths[0]
        except errors.LocalEntryNotFoundError as error:  # An EntryNotFoundError, but that of a cache without a network.
            raise NotFoundError(f"{nothing}, and the hub cannot be reached: {error}") from error
        except errors.EntryNotFoundError:
            continue
        except (errors.HfHubHTTPError, errors.HFValidationError) as error:
            raise NotFoundError(f"{nothing}, and the hub does not give it{_of(revision)}: {error}") from error
    known = ", ".join(" with ".join(names) for names in USUAL)
    raise NotFoundError(f"the repository {name!r}{_of(revision)} has none of {known}; download its file and load that")
