"""The interface of `tiktoken` 0.14, over bytemill.

>>> from bytemill.compat import tiktoken
>>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"he": 256, b"hell": 257, b"ll": 258}
>>> enc = tiktoken.Encoding("small", pat_str=r"\\w+|\\W", mergeable_ranks=ranks, special_tokens={"<|end|>": 259})
>>> enc.encode("hell<|end|>", allowed_special="all")
[257, 259]
>>> enc.decode([257, 259])
'hell<|end|>'
"""

from .core import Encoding as Encoding
from .model import encoding_for_model as encoding_for_model
from .model import encoding_name_for_model as encoding_name_for_model
from .registry import get_encoding as get_encoding
from .registry import list_encoding_names as list_encoding_names

__version__ = "0.14.0"
