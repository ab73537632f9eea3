"""The embedding matrix of a model after its vocabulary was edited. Needs numpy, and bytemill only for the edit.

    bytemill edit tokenizer.json new.json --add ' hyperparameter' --map map.json
    python resize.py map.json embedding.npy resized.npy

A token that stays keeps its row. A new token gets the mean of the rows that its text had before. What had none, such as
a new special token, gets the mean of all rows. `bytemill.surgery.EmbeddingMap.resize` does the same.
"""

import json
import sys
from pathlib import Path

import numpy as np


def resize(old: np.ndarray, moved: dict) -> np.ndarray:
    # Models may have more rows than there are ids, to fill up a block.
    old = old[: moved["old_size"]]
    new = np.tile(old.mean(axis=0, dtype=np.float64).astype(old.dtype), (moved["new_size"], 1))
    for new_id, old_id in enumerate(moved["old_ids"]):
        if old_id >= 0:
            new[new_id] = old[old_id]
    for new_id, old_ids in moved["sources"].items():
        if old_ids:
            new[int(new_id)] = old[old_ids].mean(axis=0, dtype=np.float64)
    return new


def main(map_path: str, old_path: str, new_path: str) -> None:
    moved = json.loads(Path(map_path).read_text())
    old = np.load(old_path)
    if len(old) < moved["old_size"]:
        raise SystemExit(
            f"{old_path} has {len(old):,} rows, and {map_path} is for a vocabulary of {moved['old_size']:,}"
        )
    new = resize(old, moved)
    np.save(new_path, new)
    print(f"{len(old):,} rows → {len(new):,}, {len(moved['sources']):,} of them new")


if __name__ == "__main__":
    main(*sys.argv[1:])
