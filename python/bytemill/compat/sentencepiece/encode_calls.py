"""The calls that encode: texts to ids, pieces, arrays or messages, with or without chance."""

from __future__ import annotations

from typing import Any

from . import chance
from .encoding import encoded, mapped, sampling_of, threads
from .loading import LoadedModel, no_immutable


class EncodeCalls(LoadedModel):
    """`Encode` and its forms."""

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
        no_immutable()

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
        no_immutable()

    def _sample(self, input: Any, nbest_size: Any, alpha: Any, return_type: Any, kwargs: dict[str, Any]) -> Any:
        return self.Encode(
            input=input, nbest_size=nbest_size, alpha=alpha, return_type=return_type, enable_sampling=True, **kwargs
        )
