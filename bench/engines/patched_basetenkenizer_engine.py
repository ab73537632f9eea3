"""transformers on basetenkenizer."""

from __future__ import annotations

from .patched import Patched


class Adapter(Patched):
    name = "patched_basetenkenizer"
    distribution = "basetenkenizer"

    def patch(self) -> None:
        import basetenkenizer

        basetenkenizer.patch_transformers()
