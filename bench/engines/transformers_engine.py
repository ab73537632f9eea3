"""transformers with its own tokenizers."""

from __future__ import annotations

from .patched import Patched


class Adapter(Patched):
    name = "transformers"
    distribution = "transformers"
