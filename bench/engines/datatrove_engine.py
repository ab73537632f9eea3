"""datatrove: its reader of JSON lines or Parquet, then its step `DocumentTokenizer`, one task for the one file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader, ParquetReader
from datatrove.pipeline.tokens import DocumentTokenizer
from numpy.typing import NDArray

from . import Engine, Ids, Unsupported


class Adapter(Engine):
    name = "datatrove"
    distribution = "datatrove"
    formats = ("json",)

    def load(self, path: Path) -> None:
        self.path = path
        # Its batches are encoded on all cores by tokenizers.
        os.environ["TOKENIZERS_PARALLELISM"] = "false" if self.threads == 1 else "true"

    def write_file(self, path: Path, folder: Path) -> NDArray[np.uint16]:
        if path.suffix == ".parquet":
            reader = ParquetReader(str(path.parent), glob_pattern=path.name, default_metadata={})
        elif ".jsonl" in path.suffixes:
            reader = JsonlReader(str(path.parent), glob_pattern=path.name, compression="zstd")
        else:
            raise Unsupported("reads JSON lines and Parquet")
        output = folder / "datatrove"
        step = DocumentTokenizer(str(output), str(self.path), save_filename="ids", shuffle_documents=False)
        LocalPipelineExecutor([reader, step], tasks=1, logging_dir=str(folder / "logs"), skip_completed=False).run()
        (tokens,) = output.glob("*.ds")
        return np.memmap(tokens, np.uint16, mode="r")

    def flat(self, result: NDArray[np.uint16]) -> Ids:
        return result.astype(np.uint32)
