"""The calls that decode ids and pieces."""

from __future__ import annotations

from typing import Any

from .decoding import decoded
from .encoding import threads
from .loading import LoadedModel, no_immutable


class DecodeCalls(LoadedModel):
    """`Decode` and its forms."""

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
        no_immutable()

    def DecodeIdsAsImmutableProto(self, input: Any, **kwargs: Any) -> Any:
        no_immutable()
