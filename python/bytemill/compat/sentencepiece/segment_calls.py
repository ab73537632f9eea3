"""The calls that give several segmentations of a text, and those for long texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import chance
from .encoding import drawn, encoded, no_segmentations, threads
from .loading import LoadedModel, no_immutable
from .model import readable


class SegmentCalls(LoadedModel):
    """`NBestEncode`, `SampleEncodeAndScore` and `ParallelEncode`, and their forms."""

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
        return each_text(input, lambda text: drawn(around.model, text, n, None, return_type, around))

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
        no_immutable()

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

        return each_text(input, sampled)

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
        no_immutable()

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
        return each_text(input, lambda text: encoded(around.model, text, return_type, {}, around))

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
        no_immutable()

    def CalculateEntropy(self, input: Any, alpha: Any) -> Any:
        """Returns the entropy of the segmentations of a text, or of each of a list of texts."""
        model = self._loaded
        if model.family != "unigram":
            no_segmentations()
        return each_text(input, lambda text: model.tokenizer.entropy(readable(text), alpha=float(alpha)))


def each_text(input: Any, call: Callable[[Any], Any]) -> Any:
    return [call(text) for text in input] if isinstance(input, list) else call(input)
