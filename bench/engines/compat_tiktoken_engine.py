"""bytemill by the names of tiktoken."""

from __future__ import annotations

from bytemill.compat import tiktoken

from . import tiktoken_engine


class Adapter(tiktoken_engine.Adapter):
    name = "compat_tiktoken"
    distribution = "bytemill"
    encoding = tiktoken.Encoding
