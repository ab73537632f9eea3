"""Tokenizers by name, from the files that other libraries have downloaded: nothing of those libraries is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from .._arguments.names import nearest
from ..errors import NotFoundError
from . import huggingface, tiktoken

#: What a repository may be called: a name, or an organisation and a name.
REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
#: How the names of files end that hold a tokenizer or a text.
FILE_ENDINGS = (".mill", ".json", ".model", ".tiktoken", ".txt", ".gz", ".vocab", ".bin")


@dataclass
class Found:
    #: A file or a folder.
    path: str
    #: OpenAI's encoding that the file holds the ranks of, where its own name does not say it.
    encoding: str | None = None


def is_name(path: str) -> bool:
    """Whether something that is neither a file nor a folder may be a name, and is no misspelt path."""
    return path in tiktoken.FILES or (REPOSITORY.fullmatch(path) is not None and not path.endswith(FILE_ENDINGS))


@contextmanager
def find(name: str, revision: str | None) -> Iterator[Found]:
    """The file of a name, for as long as it is needed."""
    if name not in tiktoken.FILES or revision is not None:
        yield Found(huggingface.find(name, revision, nearest(name, [*tiktoken.FILES, *_beside(name)])))
        return
    with ExitStack() as stack:
        try:
            found = Found(stack.enter_context(tiktoken.find(name)), encoding=name)
        except NotFoundError:
            # "gpt2" is also the name of a repository.
            cached = huggingface.cached(name, revision)
            if cached is None:
                raise
            found = Found(str(cached))
        yield found


def _beside(name: str) -> list[str]:
    """The files and folders where a path of this name would be."""
    folder = Path(name).parent
    try:
        return sorted(str(path) for path in folder.iterdir())
    except OSError:
        return []
