"""transformers on fastokens."""

from __future__ import annotations

from .patched import Patched


class Adapter(Patched):
    name = "patched_fastokens"
    distribution = "fastokens"

    def patch(self) -> None:
        import fastokens

        fastokens.patch_transformers()
