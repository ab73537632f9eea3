"""The libraries of engines, which nothing imports but the engine that is used."""

from __future__ import annotations

import importlib
import re
from typing import Any

from ..errors import SpecError


def library(name: str, extra: str, least: tuple[int, int]) -> Any:
    """A library of at least this version, or an error that says how to install it."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        raise ImportError(f'this engine needs {name}: pip install "bytemill[{extra}]"') from None
    found = re.match(r"(\d+)\.(\d+)", str(module.__version__))
    if found is None or (int(found[1]), int(found[2])) < least:
        needed = ".".join(map(str, least))
        raise SpecError(
            f"{name} {module.__version__} is too old for this engine, which needs {needed} or later: "
            f'pip install -U "bytemill[{extra}]"'
        )
    return module
