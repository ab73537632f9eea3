"""The model of a processor, and the defaults of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from .encoding import RETURN_TYPES, Around
from .model import Model, load_file

if TYPE_CHECKING:
    from typing_extensions import Self


class LoadedModel:
    """A model, and what calls do unless they are told otherwise."""

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
            no_immutable()
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

    def serialized_model_proto(self) -> bytes:
        return b"" if self._model is None else self._model.serialized

    def __getstate__(self) -> bytes:
        return self.serialized_model_proto()

    def __setstate__(self, serialized_model_proto: bytes) -> None:
        self.__init__()  # type: ignore[misc]
        self.LoadFromSerializedProto(serialized_model_proto)


def no_immutable() -> NoReturn:
    raise ValueError("immutable_proto is deprecated and no longer supported. Use return_type='proto' instead.")
