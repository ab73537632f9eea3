"""Text → text, before it is split.

>>> normalize("Crème 中国", lowercase=True, strip_accents=True, split_cjk=True)
'creme  中  国 '
"""

import unicodedata

IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),  # from 2B820 in BERT; `tokenizers` starts here, and files are encoded as it does
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def normalize(text: str, lowercase: bool = False, strip_accents: bool = False, split_cjk: bool = False) -> str:
    """The three options of a training, in the order in which they act."""
    if split_cjk:
        text = "".join(f" {c} " if is_ideograph(c) else c for c in text)
    if strip_accents:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    if lowercase:
        # Each character by itself: a final sigma is a sigma.
        text = "".join(c.lower() for c in text)
    return text


def is_ideograph(c: str) -> bool:
    return any(first <= ord(c) <= last for first, last in IDEOGRAPHS)
