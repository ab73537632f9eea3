"""What this machine and this build give: instructions, threads, versions."""

from __future__ import annotations

import dataclasses
import platform

from . import _core


@dataclasses.dataclass(frozen=True)
class Features:
    """What bytemill runs on; see `features`.

    Attributes:
        simd: The instructions of the inner loops: `"avx512"`, `"avx2"`, `"neon"` or `"swar"` (plain 64-bit words).
        simd_levels: All levels that this machine can run, from `"scalar"`, byte by byte, to the one in use;
            `Tokenizer.with_simd` takes each of them.
        threads: The number of threads that long work uses by default.
        bytemill: The version of bytemill.
        python: The version of Python.
        numpy: The version of numpy.
        platform: The system and the processor, as in `"Linux x86_64"`.
    """

    simd: str
    simd_levels: tuple[str, ...]
    threads: int
    bytemill: str
    python: str
    numpy: str
    platform: str


def features() -> Features:
    """Returns the instructions, threads and versions in use.

    Examples:
        >>> features().simd in ("avx512", "avx2", "neon", "swar")
        True
    """
    import numpy

    simd, levels, threads = _core.features()
    return Features(
        simd=simd,
        simd_levels=tuple(levels),
        threads=threads,
        bytemill=_core.__version__,
        python=platform.python_version(),
        numpy=numpy.__version__,
        platform=f"{platform.system()} {platform.machine()}",
    )
