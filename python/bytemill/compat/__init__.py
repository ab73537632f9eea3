"""The interfaces of others, for code that was written for them.

>>> from bytemill import compat
>>> compat.install("tiktoken")
>>> import tiktoken
>>> tiktoken.__name__
'bytemill.compat.tiktoken'
>>> compat.uninstall("tiktoken")
"""

from .installing import install, uninstall

__all__ = ["install", "uninstall"]
