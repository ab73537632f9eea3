"""Engines: the same calls beyond one machine.

`engine=` of `bytemill.count_pieces`, `bytemill.train` and `Tokenizer.encode_files` takes a name, `"ray"`, `"ray://…"`
or `"spark"`, or one of these objects. What comes out is the same for every engine and any number of workers.
"""

from .job import Engine, WorkerLost
from .local import Local
from .named import engine_of
from .ray import Ray
from .spark import Spark

__all__ = ["Engine", "Local", "Ray", "Spark", "WorkerLost", "engine_of"]
