"""transformers on bytemill."""

from __future__ import annotations

from bytemill.compat.transformers import patch

from .patched import Patched


class Adapter(Patched):
    name = "compat_transformers"
    distribution = "bytemill"

    def patch(self) -> None:
        patch()
