"""How much tests try that could try more: `make test` takes samples, `make test-all` and the matrix do not."""

from __future__ import annotations

import os

#: All code points, long strings and many patterns: an hour.
MATRIX = os.environ.get("BYTEMILL_MATRIX") == "full"
#: Every case of what `make test` samples.
ALL = MATRIX or os.environ.get("BYTEMILL_TESTS") == "all"
