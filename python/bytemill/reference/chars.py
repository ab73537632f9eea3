"""The character tokenizer: special tokens, normalization, splitting and the vocabulary joined."""

from collections.abc import Callable, Iterable

from . import normalizing, specials, vocabulary

ROLES = ("<PAD>", "<UNK>", "<BOS>", "<EOS>")

Split = Callable[[str], list[str]]


class CharTokenizer:
    """
    >>> tok = CharTokenizer()
    >>> tok.train(["aabbcc"])
    >>> tok.tokens
    ['<PAD>', '<UNK>', '<BOS>', '<EOS>', 'a', 'b', 'c']
    >>> tok.encode("cab<EOS>x")
    [6, 4, 5, 3, 1]
    >>> tok.decode([6, 4, 5, 3, 1])
    'cab<EOS><UNK>'
    """

    def __init__(
        self,
        special_tokens: Iterable[str] = ROLES,
        unk: str | None = "<UNK>",
        split: Split = lambda text: [text],
        **normalization: bool,
    ) -> None:
        self.specials = list(dict.fromkeys(special_tokens))
        self.unk = unk
        self.split = split
        self.normalization = normalization
        self.tokens = list(self.specials)

    def train(self, documents: Iterable[str], vocab_size: int | None = None, min_frequency: int = 1) -> None:
        parts = [part for document in documents for part in self.parts(document, self.specials)]
        pieces = [piece for piece, is_special in parts if not is_special]
        self.tokens = vocabulary.build(pieces, self.specials, vocab_size, min_frequency)

    def parts(self, text: str, wanted: list[str]) -> list[tuple[str, bool]]:
        """Special tokens and pieces in their order, each with whether it is a special token."""
        parts = []
        for stretch, is_special in specials.split(text, wanted):
            if is_special:
                parts.append((stretch, True))
            else:
                normalized = normalizing.normalize(stretch, **self.normalization)
                parts += [(piece, False) for piece in self.pieces(normalized)]
        return parts

    def pieces(self, text: str) -> list[str]:
        """What the vocabulary is made of: characters, of the whole text or of what splitting leaves of it."""
        return [c for piece in self.split(text) for c in piece]

    def encode(self, text: str, wanted: list[str] | None = None) -> list[int]:
        """The ids of a text; of its special tokens, those `wanted` are matched (all, if None)."""
        wanted = self.specials if wanted is None else wanted
        return [self.id_of(*part) for part in self.parts(text, wanted)]

    def id_of(self, token: str, is_special: bool) -> int:
        # The ids of special tokens are theirs alone: no other piece has one, even if it reads the same.
        learned = self.tokens[len(self.specials) :]
        if is_special:
            return self.specials.index(token)
        if token in learned:
            return len(self.specials) + learned.index(token)
        if self.unk is None:
            raise ValueError(f"there is no token for {token!r}")
        return self.specials.index(self.unk)

    def decode(self, ids: Iterable[int], skip_specials: bool = False) -> str:
        shown = [i for i in ids if not (skip_specials and i < len(self.specials))]
        return self.join([self.tokens[i] for i in shown])

    def join(self, tokens: list[str]) -> str:
        return "".join(tokens)
