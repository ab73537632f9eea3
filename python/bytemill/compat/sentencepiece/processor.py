"""`SentencePieceProcessor`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from . import chance
from .decoding import decoded, each_id
from .encoding import RETURN_TYPES, Around, drawn, encoded, mapped, no_segmentations, sampling_of, threads
from .messages import field, number
from .model import BYTE, CONTROL, UNKNOWN, UNUSED, Model, load_file, readable
from .names import with_snake_case
from .normalizer import flag, normalized

if TYPE_CHECKING:
    from typing_extensions import Self

#: The fields of a normalizer that can be set, with their numbers in its message.
NORMALIZER_FLAGS = {"add_dummy_prefix": 3, "remove_extra_whitespaces": 4, "escape_whitespaces": 5}


@with_snake_case
class SentencePieceProcessor:
    """A model that encodes and decodes. Every method also has a name in small letters: `encode_as_ids`.

    The arguments are the defaults of the calls.
    """

    def __init__(
        self,
        model_file: Any = None,
        model_proto: Any = None,
        out_type: Any = None,
        add_bos: Any = False,
        add_eos: Any = False,
        reverse: Any = False,
        emit_unk_piece: Any = False,
        enable_sampling: Any = False,
        nbest_size: Any = -1,
        alpha: Any = 0.1,
        num_threads: Any = -1,
        return_type: Any = None,
    ) -> None:
        self._model: Model | None = None
        #: Whether a call without arguments asks for nothing but the tokens of a text.
        self._plain = False
        self._return_type = self._resolve_return_type(return_type, out_type, default=int)
        self._add_bos = add_bos
        self._add_eos = add_eos
        self._reverse = reverse
        self._emit_unk_piece = emit_unk_piece
        self._enable_sampling = enable_sampling
        self._nbest_size = nbest_size
        self._alpha = alpha
        self._num_threads = num_threads
        if model_file or model_proto:
            self.Load(model_file=model_file, model_proto=model_proto)

    @classmethod
    def from_file(cls, model_file: Any, **kwargs: Any) -> Self:
        """Returns a processor of a file."""
        return cls._from("file", model_file, kwargs)

    @classmethod
    def from_proto(cls, model_proto: Any, **kwargs: Any) -> Self:
        """Returns a processor of a serialized model."""
        return cls._from("proto", model_proto, kwargs)

    @classmethod
    def _from(cls, what: str, model: Any, arguments: dict[str, Any]) -> Self:
        if "model_file" in arguments or "model_proto" in arguments:
            raise ValueError(
                f"model_file and model_proto cannot be passed via kwargs when using from_{what} classmethod."
            )
        processor = cls(**arguments)
        if what == "file":
            processor.LoadFromFile(model)
        else:
            processor.LoadFromSerializedProto(model)
        return processor

    def Load(self, model_file: Any = None, model_proto: Any = None) -> bool:
        """Loads a file, or a serialized model."""
        if model_file and model_proto:
            raise ValueError("model_file and model_proto must be exclusive.")
        if model_proto:
            return self.LoadFromSerializedProto(model_proto)
        if model_file:
            return self.LoadFromFile(model_file)
        raise ValueError("Either model_file or model_proto must be specified.")

    def LoadFromFile(self, filename: Any) -> bool:
        """Loads a file."""
        return self._set(load_file(filename))

    def LoadFromSerializedProto(self, serialized: Any) -> bool:
        """Loads a serialized model, or a message of `protobuf`."""
        if hasattr(serialized, "SerializeToString"):
            serialized = serialized.SerializeToString()
        if not isinstance(serialized, bytes):
            raise TypeError(f"a serialized model is bytes, not {type(serialized).__name__}")
        return self._set(serialized)

    def _set(self, serialized: bytes) -> bool:
        self._model = Model(serialized)
        self._encode = self._model.tokenizer.encode
        around = (self._add_bos, self._add_eos, self._reverse, self._emit_unk_piece, self._enable_sampling)
        self._plain = not any(around)
        return True

    @property
    def _loaded(self) -> Model:
        if self._model is None:
            raise RuntimeError("INTERNAL: Model is not initialized.")
        return self._model

    def _resolve_return_type(self, return_type: Any, out_type: Any, default: Any = None) -> Any:
        if out_type is not None:
            if return_type is not None:
                raise ValueError("Cannot specify both out_type and return_type. Use return_type instead.")
            return_type = out_type
        if return_type is None:
            return_type = default if default is not None else self._return_type
        return self._resolve_and_validate_return_type(return_type)

    def _resolve_and_validate_return_type(self, return_type: Any) -> Any:
        if return_type is None:
            return_type = self._return_type
        if isinstance(return_type, str) and return_type == "immutable_proto":
            _no_immutable()
        if return_type not in RETURN_TYPES:
            raise ValueError(f"Invalid return_type: {return_type}. Must be one of {RETURN_TYPES}")
        return return_type

    def _around(self, add_bos: Any, add_eos: Any, reverse: Any, emit_unk_piece: Any) -> Around:
        return Around(
            self._loaded,
            self._add_bos if add_bos is None else add_bos,
            self._add_eos if add_eos is None else add_eos,
            self._reverse if reverse is None else reverse,
            self._emit_unk_piece if emit_unk_piece is None else emit_unk_piece,
        )

    def Encode(
        self,
        input: Any,
        add_bos: Any = None,
        add_eos: Any = None,
        reverse: Any = None,
        emit_unk_piece: Any = None,
        enable_sampling: Any = None,
        nbest_size: Any = None,
        alpha: Any = None,
        num_threads: Any = None,
        thread_pool: Any = None,
        return_type: Any = None,
        out_type: Any = None,
        return_bytes: Any = None,
    ) -> Any:
        """Encodes a text, or each of a list of texts."""
        if input.__class__ is str and self._plain and enable_sampling is None and num_threads is None:
            quick = self._quick(input, (return_type, out_type), (add_bos, add_eos, reverse, emit_unk_piece))
            if quick is not None and return_bytes is None:
                return quick
        return_type = self._resolve_return_type(return_type, out_type)
        if return_bytes is not None and return_type != "offset_mapping":
            raise ValueError("return_bytes is only supported when return_type='offset_mapping'")
        around = self._around(add_bos, add_eos, reverse, emit_unk_piece)
        model = around.model
        sampling = sampling_of(
            model,
            self._enable_sampling if enable_sampling is None else enable_sampling,
            self._nbest_size if nbest_size is None else nbest_size,
            self._alpha if alpha is None else alpha,
        )
        workers = threads(self._num_threads if num_threads is None else num_threads, thread_pool)
        if not isinstance(input, list):
            if return_type == "offset_mapping":
                return mapped(
                    model, input, sampling, isinstance(input, bytes) if return_bytes is None else return_bytes
                )
            return encoded(model, input, return_type, sampling, around)
        if return_type == "offset_mapping":
            as_bytes = bool(input) and isinstance(input[0], bytes) if return_bytes is None else return_bytes
            return [mapped(model, text, sampling, as_bytes) for text in input]
        if return_type in ("proto", "serialized_proto"):
            return [encoded(model, text, return_type, sampling, around) for text in input]
        around.check(return_type)
        rows = model.encode_batch(input, workers, sampling)
        if sampling and return_type in (str, bytes):
            # Each text is drawn by itself, so that its unknown pieces can be found again.
            return [
                encoded(model, text, return_type, {**sampling, "seed": chance.next_seed()}, around) for text in input
            ]
        return [
            around.shaped(return_type, row, lambda text=text, row=row: model.as_pieces(text, row, sampling))  # type: ignore[misc]
            for text, row in zip(input, rows, strict=True)
        ]

    def _quick(self, text: str, types: tuple[Any, Any], around: tuple[Any, ...]) -> list[Any] | None:
        """The ids or pieces of one text, for most calls; None for others, and if something is wrong."""
        given, other = types
        kind = other if given is None else given if other is None else None
        kind = self._return_type if kind is None and given is other is None else kind
        add_bos, add_eos, reverse, emit_unk_piece = around
        model = self._model
        if (kind is not int and kind is not str) or reverse or emit_unk_piece or model is None:
            return None
        if (add_bos and model.bos < 0) or (add_eos and model.eos < 0):
            return None
        try:
            ids = self._encode(text)
        except ValueError:
            return None
        if add_bos:
            ids.insert(0, model.bos)
        if add_eos:
            ids.append(model.eos)
        if kind is int:
            return ids
        if model.unk in ids:
            return None
        return [*map(model.names.__getitem__, ids)]

    def EncodeAsPieces(self, input: Any, **kwargs: Any) -> Any:
        return self.Encode(input=input, return_type=str, **kwargs)

    def EncodeAsIds(self, input: Any, **kwargs: Any) -> Any:
        if input.__class__ is str and not kwargs and self._plain:
            try:
                return self._encode(input)
            except ValueError:
                pass  # Below, with what it is that is wrong.
        return self.Encode(input=input, return_type=int, **kwargs)

    def EncodeAsNumpy(self, input: Any, **kwargs: Any) -> Any:
        return self.Encode(input=input, return_type="numpy", **kwargs)

    def EncodeAsSerializedProto(self, input: Any, **kwargs: Any) -> Any:
        return self.Encode(input=input, return_type="serialized_proto", **kwargs)

    def EncodeAsProto(self, input: Any, **kwargs: Any) -> Any:
        return self.Encode(input=input, return_type="proto", **kwargs)

    def EncodeAsOffsetMapping(self, input: Any, **kwargs: Any) -> Any:
        return self.Encode(input=input, return_type="offset_mapping", **kwargs)

    def EncodeAsImmutableProto(self, input: Any, **kwargs: Any) -> Any:
        _no_immutable()

    def SampleEncodeAsPieces(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self._sample(input, nbest_size, alpha, str, kwargs)

    def SampleEncodeAsIds(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self._sample(input, nbest_size, alpha, int, kwargs)

    def SampleEncodeAsNumpy(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self._sample(input, nbest_size, alpha, "numpy", kwargs)

    def SampleEncodeAsSerializedProto(
        self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self._sample(input, nbest_size, alpha, "serialized_proto", kwargs)

    def SampleEncodeAsProto(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self._sample(input, nbest_size, alpha, "proto", kwargs)

    def SampleEncodeAsImmutableProto(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        _no_immutable()

    def _sample(self, input: Any, nbest_size: Any, alpha: Any, return_type: Any, kwargs: dict[str, Any]) -> Any:
        return self.Encode(
            input=input, nbest_size=nbest_size, alpha=alpha, return_type=return_type, enable_sampling=True, **kwargs
        )

    def NBestEncode(
        self,
        input: Any,
        add_bos: Any = None,
        add_eos: Any = None,
        reverse: Any = None,
        emit_unk_piece: Any = None,
        nbest_size: Any = None,
        return_type: Any = None,
        out_type: Any = None,
    ) -> Any:
        """Returns the best segmentations of a text, or of each of a list of texts."""
        return_type = self._resolve_return_type(return_type, out_type)
        around = self._around(add_bos, add_eos, reverse, emit_unk_piece)
        n = max(1, self._nbest_size if nbest_size is None else nbest_size)
        return _each(input, lambda text: drawn(around.model, text, n, None, return_type, around))

    def NBestEncodeAsPieces(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type=str, **kwargs)

    def NBestEncodeAsIds(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type=int, **kwargs)

    def NBestEncodeAsNumpy(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type="numpy", **kwargs)

    def NBestEncodeAsSerializedProto(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type="serialized_proto", **kwargs)

    def NBestEncodeAsProto(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type="proto", **kwargs)

    def NBestEncodeAsImmutableProto(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        _no_immutable()

    def SampleEncodeAndScore(
        self,
        input: Any,
        add_bos: Any = None,
        add_eos: Any = None,
        reverse: Any = None,
        emit_unk_piece: Any = None,
        num_samples: Any = None,
        alpha: Any = None,
        wor: Any = None,
        include_best: Any = None,
        return_type: Any = None,
        out_type: Any = None,
    ) -> Any:
        """Returns random segmentations of a text, or of each of a list of texts, with their scores."""
        return_type = self._resolve_return_type(return_type, out_type)
        around = self._around(add_bos, add_eos, reverse, emit_unk_piece)
        num_samples = 1 if num_samples is None else num_samples
        alpha = 1.0 if alpha is None else float(alpha)
        if num_samples <= 0:
            raise ValueError("num_samples must be positive")
        if include_best and not wor:
            raise ValueError('When include_best is True, We must specify "wor = True".')
        if return_type == "numpy":
            raise ValueError("numpy return_type is not supported in SampleEncodeAndScore")
        best = bool(include_best)

        def sampled(text: Any) -> Any:
            how = (alpha, chance.next_seed(), not wor, best)
            return drawn(around.model, text, num_samples, how, return_type, around)

        return _each(input, sampled)

    def SampleEncodeAndScoreAsPieces(
        self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self.SampleEncodeAndScore(input=input, num_samples=num_samples, alpha=alpha, return_type=str, **kwargs)

    def SampleEncodeAndScoreAsIds(self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self.SampleEncodeAndScore(input=input, num_samples=num_samples, alpha=alpha, return_type=int, **kwargs)

    def SampleEncodeAndScoreAsSerializedProto(
        self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        arguments = {"num_samples": num_samples, "alpha": alpha, "return_type": "serialized_proto", **kwargs}
        return self.SampleEncodeAndScore(input=input, **arguments)

    def SampleEncodeAndScoreAsProto(self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self.SampleEncodeAndScore(
            input=input, num_samples=num_samples, alpha=alpha, return_type="proto", **kwargs
        )

    def SampleEncodeAndScoreAsImmutableProto(
        self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        _no_immutable()

    def ParallelEncode(
        self,
        input: Any,
        add_bos: Any = None,
        add_eos: Any = None,
        reverse: Any = None,
        emit_unk_piece: Any = None,
        chunk_len: Any = None,
        num_threads: Any = None,
        thread_pool: Any = None,
        return_type: Any = None,
        out_type: Any = None,
    ) -> Any:
        """Encodes a long text on several threads. The engine finds by itself where a text may be cut."""
        return_type = self._resolve_return_type(return_type, out_type)
        around = self._around(add_bos, add_eos, reverse, emit_unk_piece)
        threads(self._num_threads if num_threads is None else num_threads, thread_pool)
        if not isinstance(chunk_len, int) or chunk_len <= 0:
            raise ValueError("chunk_len must be positive.")
        if return_type == "offset_mapping":
            raise ValueError(f"unknown return_type={return_type}")
        return _each(input, lambda text: encoded(around.model, text, return_type, {}, around))

    def ParallelEncodeAsPieces(self, input: Any, **kwargs: Any) -> Any:
        return self.ParallelEncode(input=input, return_type=str, **kwargs)

    def ParallelEncodeAsIds(self, input: Any, **kwargs: Any) -> Any:
        return self.ParallelEncode(input=input, return_type=int, **kwargs)

    def ParallelEncodeAsNumpy(self, input: Any, **kwargs: Any) -> Any:
        return self.ParallelEncode(input=input, return_type="numpy", **kwargs)

    def ParallelEncodeAsSerializedProto(self, input: Any, **kwargs: Any) -> Any:
        return self.ParallelEncode(input=input, return_type="serialized_proto", **kwargs)

    def ParallelEncodeAsProto(self, input: Any, **kwargs: Any) -> Any:
        return self.ParallelEncode(input=input, return_type="proto", **kwargs)

    def ParallelEncodeAsImmutableProto(self, input: Any, **kwargs: Any) -> Any:
        _no_immutable()

    def Decode(
        self,
        input: Any,
        return_type: Any = None,
        out_type: Any = None,
        num_threads: Any = None,
        thread_pool: Any = None,
        return_bytes: Any = None,
    ) -> Any:
        """Decodes ids or pieces, or each of several rows of them."""
        plain = return_type is None and out_type is None and num_threads is None and return_bytes is None
        if plain and input.__class__ is list and input and input[0].__class__ is int:
            try:
                return self._loaded.decode(input)
            except TypeError:
                pass  # Below, in the words of the library.
        return_type = self._resolve_return_type(return_type, out_type, default=str)
        if return_bytes is not None and return_type != "offset_mapping":
            raise ValueError("return_bytes is only supported when return_type='offset_mapping'")
        threads(self._num_threads if num_threads is None else num_threads, thread_pool)
        return decoded(self._loaded, input, return_type, bool(return_bytes))

    def DecodePieces(self, input: Any, return_type: Any = str, **kwargs: Any) -> Any:
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodeIds(self, input: Any, return_type: Any = str, **kwargs: Any) -> Any:
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodePiecesAsSerializedProto(self, input: Any, return_type: Any = "serialized_proto", **kwargs: Any) -> Any:
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodeIdsAsSerializedProto(self, input: Any, return_type: Any = "serialized_proto", **kwargs: Any) -> Any:
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodePiecesAsProto(self, input: Any, **kwargs: Any) -> Any:
        return self.Decode(input=input, return_type="proto", **kwargs)

    def DecodeIdsAsProto(self, input: Any, **kwargs: Any) -> Any:
        return self.Decode(input=input, return_type="proto", **kwargs)

    def DecodePiecesAsImmutableProto(self, input: Any, **kwargs: Any) -> Any:
        _no_immutable()

    def DecodeIdsAsImmutableProto(self, input: Any, **kwargs: Any) -> Any:
        _no_immutable()

    def CalculateEntropy(self, input: Any, alpha: Any) -> Any:
        """Returns the entropy of the segmentations of a text, or of each of a list of texts."""
        model = self._loaded
        if model.family != "unigram":
            no_segmentations()
        return _each(input, lambda text: model.tokenizer.entropy(readable(text), alpha=float(alpha)))

    def Normalize(self, input: Any, with_offsets: Any = None) -> Any:
        """Returns a text as the model sees it, with offsets also where each part of that begins in the text."""
        model = self._loaded
        return _each(input, lambda text: normalized(model, text, with_offsets))

    def OverrideNormalizerSpec(self, **kwargs: Any) -> None:
        """Sets flags of the normalizer: `add_dummy_prefix`, `remove_extra_whitespaces`, `escape_whitespaces`."""
        model = self._loaded
        written = b""
        for name, value in kwargs.items():
            if name not in NORMALIZER_FLAGS:
                raise RuntimeError(f"NOT_FOUND: unknown field name {name!r} of a normalizer's flags")
            written += number(NORMALIZER_FLAGS[name], flag(name, str(value)))
        # Messages that follow one another are one: the fields of the last count.
        self._set(model.serialized + field(3, written))

    def GetPieceSize(self) -> int:
        """Returns the number of pieces."""
        return 0 if self._model is None else self._model.size

    def PieceToId(self, piece: Any) -> Any:
        """Returns the id of a piece, or of each of several; that of the unknown piece for what is none."""
        model = self._loaded
        if isinstance(piece, (str, bytes)):
            return model.ids.get(_text(piece), model.unk)
        if not hasattr(piece, "__getitem__") or isinstance(piece, dict):
            raise TypeError(f"PieceToId takes a piece or a sequence of pieces, not {type(piece).__name__}")
        for each in piece:
            if not isinstance(each, (str, bytes)):
                raise TypeError("Sequence elements must be str or bytes")
        return [model.ids.get(_text(each), model.unk) for each in piece]

    def IdToPiece(self, id: Any) -> Any:
        """Returns the piece of an id, or of each of several."""
        return each_id(self._loaded, id, self._loaded.names)

    def GetScore(self, id: Any) -> Any:
        """Returns the score of an id, or of each of several."""
        return each_id(self._loaded, id, [score for _, score in self._loaded.types_and_scores])

    def IsUnknown(self, id: Any) -> Any:
        """Returns whether an id, or each of several, is that of the unknown piece."""
        return self._is(id, UNKNOWN)

    def IsControl(self, id: Any) -> Any:
        """Returns whether an id, or each of several, is that of a control symbol."""
        return self._is(id, CONTROL)

    def IsUnused(self, id: Any) -> Any:
        """Returns whether an id, or each of several, is that of a piece that is not used."""
        return self._is(id, UNUSED)

    def IsByte(self, id: Any) -> Any:
        """Returns whether an id, or each of several, is that of a byte."""
        return self._is(id, BYTE)

    def _is(self, id: Any, kind: int) -> Any:
        found = each_id(self._loaded, id, self._loaded.types)
        return [each == kind for each in found] if isinstance(found, list) else found == kind

    def unk_id(self) -> int:
        return -1 if self._model is None else self._model.unk

    def bos_id(self) -> int:
        return -1 if self._model is None else self._model.bos

    def eos_id(self) -> int:
        return -1 if self._model is None else self._model.eos

    def pad_id(self) -> int:
        return -1 if self._model is None else self._model.pad

    def serialized_model_proto(self) -> bytes:
        return b"" if self._model is None else self._model.serialized

    Tokenize = Encode
    Detokenize = Decode
    piece_size = GetPieceSize
    vocab_size = GetPieceSize

    def __getstate__(self) -> bytes:
        return self.serialized_model_proto()

    def __setstate__(self, serialized_model_proto: bytes) -> None:
        self.__init__()  # type: ignore[misc]
        self.LoadFromSerializedProto(serialized_model_proto)

    def __len__(self) -> int:
        return self.GetPieceSize()

    def __getitem__(self, piece: Any) -> Any:
        return self.PieceToId(piece)


def _no_immutable() -> NoReturn:
    raise ValueError("immutable_proto is deprecated and no longer supported. Use return_type='proto' instead.")


def _each(input: Any, call: Callable[[Any], Any]) -> Any:
    return [call(text) for text in input] if isinstance(input, list) else call(input)


def _text(piece: str | bytes) -> str:
    return piece.decode("utf-8", "replace") if isinstance(piece, bytes) else piece
