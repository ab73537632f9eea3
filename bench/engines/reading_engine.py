"""Reading alone: the documents of a file, decompressed and parsed, of which nothing is made.

What a preparation of training data costs at least. JSON lines are read by bytemill's own reader on one thread, which
leaves out all fields but one, and Parquet by pyarrow, the column alone. The ids are those of the documents that were
read, found after the clock has stopped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bytemill import _core

from . import Ids, Unsupported, bytemill_engine


class Adapter(bytemill_engine.Adapter):
    name = "reading"

    def write_file(self, path: Path, folder: Path) -> Any:
        if path.suffix == ".parquet":
            from pyarrow import parquet

            return parquet.read_table(path, columns=["text"], use_threads=self.threads != 1)["text"]
        if ".jsonl" not in path.suffixes:
            raise Unsupported("a plain text is nothing to parse")
        return [text for text, _ in _core.Documents([str(path)], (None, "text", "strict", None))]

    def flat(self, result: Any) -> Ids:
        if isinstance(result, list):
            return super().flat(self.encode_strings(result))
        if hasattr(result, "to_pylist"):
            return super().flat(self.encode_strings(result.to_pylist()))
        return super().flat(result)
