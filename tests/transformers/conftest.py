"""These tests need transformers. `make test-transformers` installs it and asks for them; nothing else runs them."""

import os

if not os.environ.get("BYTEMILL_TRANSFORMERS"):
    collect_ignore_glob = ["test_*.py"]
