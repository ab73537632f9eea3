"""Objects of `tokenizers` and of its stand-in that change: stages, added tokens, lengths, encodings, streams."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import Any

import pytest

from .both import VOCAB, Library, letters, pair, plain, said, same

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

TEXTS = ["abc x y zz [CLS] [M]  a", "x yzz", "[CLS]ab", "abc a b c d"]


def test_lengths() -> None:
    def run(m: Library) -> Any:
        tok, found = letters(m), []
        truncations: list[dict[str, Any]] = [
            {"max_length": 4, "stride": 1},
            {"max_length": 3, "direction": "left"},
            {"max_length": 2, "strategy": "only_first"},
        ]
        for options in truncations:
            tok.enable_truncation(**options)
            found += [tok.truncation, tok.encode("abc a b c d"), tok.encode("a")]
        tok.no_truncation()
        paddings: list[dict[str, Any]] = [
            {},
            {"length": 6},
            {"pad_to_multiple_of": 4},
            {"direction": "left", "pad_id": 3, "pad_type_id": 2, "pad_token": "P"},
        ]
        for options in paddings:
            tok.enable_padding(**options)
            found += [tok.padding, *tok.encode_batch(["a", "abc a b", ("a", "b")]), tok.encode("a b")]
        return [*found, tok.to_str(), tok.to_str(pretty=True)]

    same(run)


def test_encodings_are_cut_padded_and_merged() -> None:
    def run(m: Library) -> Any:
        found = []
        for cut in ((3,), (3, 1), (3, 2, "left"), (0,), (100,), (1, 0, "left")):
            encoding = pair(m)
            encoding.truncate(*cut)
            found.append(plain(encoding))
        encoding.pad(5)
        found.append(plain(encoding))
        encoding = pair(m)
        encoding.pad(9, direction="left", pad_id=3, pad_type_id=1, pad_token="P")
        encoding.truncate(4)
        first, second = letters(m).encode("abc a"), letters(m).encode("a b")
        found += [plain(encoding), *(plain(m.Encoding.merge([first, second], growing)) for growing in (True, False))]
        second.set_sequence_id(1)
        places = [second.token_to_sequence(token) for token in range(4)]
        found += [plain(second), plain(m.Encoding.merge([first, second])), places]
        return [*found, plain(m.Encoding.merge([])), pickle.loads(pickle.dumps(pair(m)))]

    same(run)


def test_places() -> None:
    def run(m: Library) -> Any:
        encoding = pair(m)
        by_place = ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars")
        asked = [(name, at, text) for name in by_place for at in range(9) for text in range(3)]
        found: list[Any] = [getattr(encoding, name)(at, text) for name, at, text in asked]
        by_token = ("token_to_chars", "token_to_word", "token_to_sequence")
        return found + [getattr(encoding, name)(token) for name in by_token for token in range(9)]

    same(run)


def test_post_processing() -> None:
    def run(m: Library) -> Any:
        tok, bare, found = letters(m), letters(m), []
        processors = [
            m.processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101)),
            m.processors.RobertaProcessing(("[SEP]", 102), ("[CLS]", 101)),
            m.processors.TemplateProcessing("a $0", "a $A b:2 $B:1", [("a", 0), ("b", 1)]),
            m.processors.Sequence([m.processors.ByteLevel(), m.processors.BertProcessing(("c", 2), ("d", 3))]),
        ]
        for processor in processors:
            tok.post_processor = processor
            for add in (True, False):
                texts = bare.encode("abc a b"), bare.encode("ab")
                found += [tok.encode("abc a b", "ab", add_special_tokens=add), tok.encode("ab", add_special_tokens=add)]
                found += [tok.post_process(*texts, add_special_tokens=add), processor.process(texts[0])]
            found += [tok.num_special_tokens_to_add(False), tok.num_special_tokens_to_add(True)]
        tok.enable_truncation(8, stride=1)
        tok.enable_padding(length=10)
        return [*found, tok.encode("abc a b ab ab ab"), tok.post_process(bare.encode("abc a b ab ab ab ab ab"))]

    same(run)


def test_added_tokens() -> None:
    def run(m: Library) -> Any:
        tok = letters(m)
        found = [tok.add_tokens(["x y", m.AddedToken("zz", lstrip=True), "", "x y", "a"])]
        found += [tok.add_special_tokens(["[CLS]", "x y", m.AddedToken("[M]", rstrip=True)])]
        found += [tok.get_added_tokens_decoder(), tok.get_vocab(), tok.get_vocab_size(), tok.get_vocab_size(False)]
        for encode_special in (False, True):
            tok.encode_special_tokens = encode_special
            for text in TEXTS:
                encoding = tok.encode(text)
                found += [plain(encoding), tok.decode(encoding.ids), tok.decode(encoding.ids, False)]
        return [*found, tok.to_str(), repr(tok), m.Tokenizer.from_str(tok.to_str()).to_str(), tok.token_to_id("[CLS]")]

    same(run)


@pytest.mark.parametrize("vocab", [{"a": 0, "b": 5, "<unk>": 9}, {"<unk>": 0}, {}])
def test_added_tokens_are_numbered(vocab: dict[str, int]) -> None:
    def run(m: Library) -> Any:
        tok = m.Tokenizer(m.models.WordLevel(vocab))
        counts = [tok.add_tokens(["x", "y"]), tok.add_special_tokens(["z", "a"]), tok.add_tokens(["w"])]
        return [*counts, tok.get_vocab(), tok.get_vocab_size(), tok.to_str(), tok.encode("xyzaw")]

    same(run)


def test_stages_are_exchanged_and_changed() -> None:
    def run(m: Library) -> Any:
        tok, found = letters(m), []
        normalizer = m.normalizers.BertNormalizer(lowercase=False)
        tok.normalizer = normalizer
        for lowercase in (True, False):
            normalizer.lowercase = lowercase
            found.append(tok.encode("ABC").tokens)
        tok.normalizer = m.normalizers.Sequence([m.normalizers.Lowercase(), m.normalizers.Strip()])
        found.append(tok.encode(" ABC ").tokens)
        tok.normalizer[0] = m.normalizers.NFC()
        found += [tok.encode("ABC").tokens, repr(tok.normalizer), len(tok.normalizer)]
        tok.normalizer = tok.pre_tokenizer = None
        found.append(tok.encode("abc ab").tokens)
        tok.decoder = m.decoders.WordPiece()
        found.append(tok.decode([0, 1]))
        tok.decoder.prefix = "b"
        found.append(tok.decode([0, 1]))
        tok.post_processor = m.processors.TemplateProcessing("a $0", special_tokens=[("a", 0)])
        tok.post_processor.single = ["$0", "a"]
        found += [tok.encode("bc").tokens, tok.post_processor.single]
        tok.model.unk_token = "l"
        found.append(tok.encode("zz").tokens)
        tok.model = m.models.WordLevel({"bc": 0, "u": 1, "a": 2}, "u")
        return [*found, tok.encode("bc").tokens, tok.encode("q").tokens, copy.deepcopy(tok).to_str()]

    same(run)


@pytest.mark.parametrize("decoder", [None, "Fuse", "ByteLevel", "Metaspace"])
def test_byte_level_with_any_decoder(decoder: str | None) -> None:
    def run(m: Library) -> Any:
        tok = m.Tokenizer(m.models.BPE())
        tok.pre_tokenizer = m.pre_tokenizers.ByteLevel()
        trainer = m.trainers.BpeTrainer(vocab_size=300, initial_alphabet=m.pre_tokenizers.ByteLevel.alphabet())
        tok.train_from_iterator(["the cat sat on the mat, é 中"], trainer)
        tok.decoder = None if decoder is None else getattr(m.decoders, decoder)()
        tok.add_tokens(["Ġy", "▁"])
        ids = tok.encode("the cat é 中 Ġy ▁!").ids
        return [ids, tok.decode(ids), tok.id_to_token(ids[0]), tok.token_to_id("Ġ")]

    same(run)


def test_stages_written_in_python() -> None:
    def run(m: Library) -> Any:
        class Digitless:
            def normalize(self, text: Any) -> None:
                text.nfkd()
                text.filter(lambda c: not c.isnumeric())
                text.replace(m.Regex(r"\s+"), " ")
                text.lowercase()

        class Spaces:
            def pre_tokenize(self, pretok: Any) -> None:
                pretok.split(lambda number, text: text.split(" ", "removed"))

        class Angles:
            def decode_chain(self, tokens: list[str]) -> list[str]:
                return [f"<{token}>" for token in tokens]

        tok = letters(m)
        tok.add_special_tokens(["[CLS]"])
        tok.normalizer = m.normalizers.Normalizer.custom(Digitless())
        found = [tok.normalizer.normalize_str("A1  B"), tok.encode("AB1 C  ab [CLS]a")]
        tok.pre_tokenizer = m.pre_tokenizers.PreTokenizer.custom(Spaces())
        found += [tok.encode("AB1 C  ab [CLS]a", "abc"), tok.pre_tokenizer.pre_tokenize_str("a b c")]
        tok.normalizer = None
        found += tok.encode_batch(["ab c", ("a", "b c")])
        tok.decoder = m.decoders.Decoder.custom(Angles())
        tok.pre_tokenizer = m.pre_tokenizers.Sequence([tok.pre_tokenizer, m.pre_tokenizers.Digits(True)])
        return [*found, tok.decode([0, 1, 13]), tok.encode("ab c1"), tok.encode(["ab", "c"], is_pretokenized=True)]

    same(run)


@pytest.mark.parametrize("name", ["to_str", "__getstate__", "save"])
def test_stages_written_in_python_are_not_saved(name: str) -> None:
    def run(m: Library) -> Any:
        tok = letters(m)
        tok.pre_tokenizer = m.pre_tokenizers.PreTokenizer.custom(object())
        return getattr(tok, name)(*(["/nonexistent"] if name == "save" else []))

    same(run)


def test_errors_of_stages_written_in_python() -> None:
    class Wrong:
        def normalize(self, text: Any, more: Any) -> None:
            raise AssertionError

        def pre_tokenize(self, pretok: Any) -> None:
            pretok.split(lambda number, text: {}[text.normalized])

    def run(m: Library) -> Any:
        normalizer = m.normalizers.Normalizer.custom(Wrong())
        pre_tokenizer = m.pre_tokenizers.PreTokenizer.custom(Wrong())
        decoder = m.decoders.Decoder.custom(Wrong())
        calls = [
            lambda: normalizer.normalize_str("a"),
            lambda: pre_tokenizer.pre_tokenize_str("a"),
            lambda: decoder.decode(["a"]),
        ]
        for given in (None, 5, ["x"]):
            calls += [lambda given=given: m.PreTokenizedString("a").split(lambda *_: given)]
            calls += [lambda given=given: m.PreTokenizedString("a").tokenize(lambda *_: given)]
        return [said(call) for call in calls]

    same(run)


def test_tokens_that_are_added_as_special_become_special() -> None:
    def run(m: Library) -> Any:
        tokens = [m.AddedToken("x"), m.AddedToken("y", normalized=True)]
        tok = letters(m)
        found = [tok.add_special_tokens(tokens), tokens, tok.add_tokens(tokens)]
        learned = [m.AddedToken("z")]
        m.trainers.BpeTrainer(special_tokens=learned)
        return [*found, learned]

    same(run)


def test_options_that_byte_level_ignores() -> None:
    same(lambda m: [m.pre_tokenizers.ByteLevel(type="ByteLevel", nonsense=1), m.decoders.ByteLevel(type="x")])


def test_streams() -> None:
    def run(m: Library) -> Any:
        vocab = {"H": 0, "i": 1, "<0xF0>": 2, "<0x9F>": 3, "<0x98>": 4, "<0x80>": 5, "▁x": 6, "▁": 7, "<0xE0>": 8}
        tok = m.Tokenizer(m.models.BPE(vocab, [], byte_fallback=True))
        steps = [m.decoders.Replace("▁", " "), m.decoders.ByteFallback(), m.decoders.Fuse()]
        tok.decoder = m.decoders.Sequence(steps)
        found = []
        for start in (None, [], [0, 1], [0, 2, 3]):
            stream = m.decoders.DecodeStream(start)
            found += [stream.step(tok, id) for id in (2, 3, 4, 5, 6, 7, 8, 0)]
            found += [copy.copy(stream).step(tok, 0), copy.deepcopy(stream).step(tok, [1, 6]), stream.step(tok, 1)]
        return found

    same(run)


def test_without_holding_up_a_loop() -> None:
    def run(m: Library) -> Any:
        tok = letters(m)

        async def all_forms() -> list[Any]:
            encoded = [await tok.async_encode("abc", "ab"), *await tok.async_encode_batch(["abc", "a"])]
            return [*encoded, *await tok.async_encode_batch_fast(["abc"]), await tok.async_decode_batch([[0], [1]])]

        return asyncio.run(all_forms())

    same(run)


def test_tokenizers_that_are_set_up() -> None:
    vocab = {**VOCAB, "[CLS]": 15, "[SEP]": 16, "[PAD]": 17, "[MASK]": 18, "<unk>": 19, "▁": 20}
    merges = [("a", "b")]

    def run(m: Library) -> Any:
        found = []
        for tok in (
            m.BertWordPieceTokenizer(),
            m.BertWordPieceTokenizer(vocab, lowercase=False, strip_accents=True),
            m.ByteLevelBPETokenizer(),
            m.ByteLevelBPETokenizer(vocab, merges, lowercase=True, unicode_normalizer="nfkc", add_prefix_space=True),
            m.CharBPETokenizer(),
            m.CharBPETokenizer(vocab, merges, lowercase=True, split_on_whitespace_only=True, unicode_normalizer="nfc"),
            m.SentencePieceBPETokenizer(vocab, merges),
            m.SentencePieceUnigramTokenizer(),
            m.SentencePieceUnigramTokenizer([("a", -1.0), ("▁", -2.0), ("b", -3.0), ("c", -2.5)]),
        ):
            found += [repr(tok), tok.to_str(), tok.get_vocab_size(), tok.normalize("ÀB")]
            if tok.get_vocab_size() > 1:
                encoding = tok.encode("abc")
                found += [plain(encoding), tok.decode(encoding.ids)]
        return found

    same(run)
