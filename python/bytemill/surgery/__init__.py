"""Surgery: vocabularies are edited, and every edit says which texts change and where embeddings come from.

Every operation takes a tokenizer of any format, leaves it as it is, and returns an `Edit`: the new tokenizer, a
`Report` and an `EmbeddingMap`.
"""

from .adding import add_tokens
from .edit import Edit
from .embedding import EmbeddingMap
from .extending import extend
from .joining import merge
from .pruning import prune
from .reach import Reach
from .removing import remove_tokens
from .renaming import rename_specials
from .renumbering import compact, reorder
from .report import OnTexts, Report

__all__ = [
    "Edit",
    "EmbeddingMap",
    "OnTexts",
    "Reach",
    "Report",
    "add_tokens",
    "compact",
    "extend",
    "merge",
    "prune",
    "remove_tokens",
    "rename_specials",
    "reorder",
]
