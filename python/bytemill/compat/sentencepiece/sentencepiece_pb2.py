"""The messages of an encoded text."""

from .descriptors import message_classes

_CLASSES = message_classes(
    "sentencepiece.proto",
    {
        "SentencePieceText": [
            ("text", 1, "string"),
            ("pieces", 2, "*SentencePieceText.SentencePiece"),
            ("score", 3, "float"),
        ],
        "SentencePieceText.SentencePiece": [
            ("piece", 1, "string"),
            ("id", 2, "uint32"),
            ("surface", 3, "string"),
            ("begin", 4, "uint32"),
            ("end", 5, "uint32"),
        ],
        "NBestSentencePieceText": [("nbests", 1, "*SentencePieceText")],
    },
    {},
)
SentencePieceText = _CLASSES["SentencePieceText"]
NBestSentencePieceText = _CLASSES["NBestSentencePieceText"]
DESCRIPTOR = SentencePieceText.DESCRIPTOR.file
