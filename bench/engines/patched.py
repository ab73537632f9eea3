"""transformers, as it is and with its tokenizers on another engine: one call of the tokenizer, then its `input_ids`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from . import Engine


class Patched(Engine):
    """A subclass gives the name, and how transformers is patched."""

    formats = ("json",)
    strings_through = "`tokenizer(texts)`, then `input_ids` (lists)"

    def patch(self) -> None:
        """Makes transformers use the engine."""

    def load(self, path: Path) -> None:
        from transformers import AutoTokenizer

        self.patch()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(path, Path(folder) / "tokenizer.json")
            settings = '{"tokenizer_class": "PreTrainedTokenizerFast"}'
            (Path(folder) / "tokenizer_config.json").write_text(settings, encoding="utf-8")
            tokenizer = AutoTokenizer.from_pretrained(folder)
        self.tokenizer = tokenizer
        self.encode = lambda text: tokenizer(text, add_special_tokens=False)["input_ids"]

    def encode_strings(self, texts: list[str]) -> list[list[int]]:
        rows: list[list[int]] = self.tokenizer(texts, add_special_tokens=False)["input_ids"]
        return rows
