"""Hugging Face tokenizers: `encode_batch_fast` (no offsets), then `.ids` of each encoding."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tokenizers import Encoding, Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from . import CountSpec, Engine, TrainSpec
from .byte_level import bytes_of

#: For a word vocabulary, in the order and spelling of ours.
WORD_SPECIALS = ["<PAD>", "<UNK>", "<BOS>", "<EOS>"]
BERT_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


class Adapter(Engine):
    name = "tokenizers"
    distribution = "tokenizers"
    formats = ("json",)
    strings_through = "`encode_batch_fast`, then `.ids` of each (lists)"
    kind = Tokenizer

    def load(self, path: Path) -> None:
        self.tokenizer = self.kind.from_file(str(path))
        # What a file says of lengths is not what is measured.
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def save(self, path: Path) -> None:
        self.tokenizer.save(str(path))

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def encode_strings(self, texts: list[str]) -> list[list[int]]:
        return [row.ids for row in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    def encode_offsets(self, texts: list[str]) -> list[Encoding]:
        encodings: list[Encoding] = self.tokenizer.encode_batch(texts)
        return encodings

    def encode_truncated(self, texts: list[str], length: int) -> list[Encoding]:
        self.tokenizer.enable_truncation(length)
        encodings: list[Encoding] = self.tokenizer.encode_batch_fast(texts)
        return encodings

    def decode(self, rows: list[list[int]]) -> list[str]:
        texts: list[str] = self.tokenizer.decode_batch(rows, skip_special_tokens=False)
        return texts

    def decode_row(self, row: list[int]) -> str:
        text: str = self.tokenizer.decode(row, skip_special_tokens=False)
        return text

    def train(self, corpus: Path, texts: list[str], spec: TrainSpec) -> None:
        self.byte_level = spec.family == "bpe"
        if self.byte_level:
            self.tokenizer = Tokenizer(models.BPE())
            self.tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
            bpe = trainers.BpeTrainer(
                vocab_size=spec.vocab_size,
                initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                show_progress=False,
            )
            # From strings: `train` would leave the line ends on, which the other trainers do not see.
            self.tokenizer.train_from_iterator(texts, bpe)
            return
        if spec.family == "wordpiece":
            self.tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
            self.tokenizer.normalizer = normalizers.BertNormalizer()
            self.tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
            pieces = trainers.WordPieceTrainer(
                vocab_size=spec.vocab_size, min_frequency=2, special_tokens=BERT_SPECIALS, show_progress=False
            )
            self.tokenizer.train([str(corpus)], pieces)
            return
        if spec.family == "unigram":
            self.tokenizer = Tokenizer(models.Unigram())
            # What of SentencePiece's normalization it has by name.
            self.tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
            self.tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
            specials = ["<unk>", "<s>", "</s>"]
            unigram = trainers.UnigramTrainer(
                vocab_size=spec.vocab_size, special_tokens=specials, unk_token="<unk>", show_progress=False
            )
            self.tokenizer.train_from_iterator(texts, unigram)
            return
        self.tokenizer = Tokenizer(models.WordLevel(unk_token="<UNK>"))
        self.tokenizer.pre_tokenizer = getattr(pre_tokenizers, spec.pretokenizer)()
        words = trainers.WordLevelTrainer(vocab_size=spec.vocab_size, special_tokens=WORD_SPECIALS, show_progress=False)
        self.tokenizer.train([str(corpus)], words)

    def trained(self) -> list[bytes]:
        vocab = self.tokenizer.get_vocab()
        tokens = sorted(vocab, key=vocab.__getitem__)
        return [bytes_of(token) if self.byte_level else token.encode() for token in tokens]

    def count_pieces(self, corpus: Path, spec: CountSpec) -> Counter[str]:
        splitter = pre_tokenizers.Split(Regex(spec.pattern), "isolated")
        return Counter(piece for piece, _ in splitter.pre_tokenize_str(corpus.read_text(encoding="utf-8")))
