"""The engine that an `engine=` argument means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._arguments.names import did_you_mean
from ..errors import SpecError
from .job import Engine
from .local import Local
from .ray import Ray
from .spark import Spark
from .storage import is_url


def engine_of(engine: Any, sources: Iterable[Any] = ()) -> Engine | None:
    """None is this machine; files behind URLs need an engine, if only the one without an engine."""
    if engine is None:
        return Local() if any(isinstance(source, str) and is_url(source) for source in sources) else None
    if isinstance(engine, str):
        if engine == "local":
            return Local()
        if engine == "ray" or engine.startswith("ray://"):
            return Ray(None if engine == "ray" else engine)
        if engine == "spark":
            return Spark()
    elif not isinstance(engine, type) and all(callable(getattr(engine, name, None)) for name in ("map", "shuffle")):
        found: Engine = engine
        return found
    raise SpecError(
        f'engine is "ray", "ray://HOST:PORT", "spark", "local", bytemill.engines.Ray(…) or bytemill.engines.Spark(…), '
        f"not {engine!r}{did_you_mean(str(engine), ('ray', 'spark', 'local'))}"
    )
