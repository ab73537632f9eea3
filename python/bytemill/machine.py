"""What this machine and this build give: instructions, threads, versions."""

from __future__ import annotations

import dataclasses
import platform

from . import _core


@dataclasses.dataclass(frozen=True)
class Features:
    """What the work runs on; see `features`."""

    #: The instructions of the inner loops: "avx512", "avx2", "neon", or "swar" (plain 64-bit arithmetic).
    simd: str
    #: How many threads long work takes unless it is told otherwise.
    threads: int
    bytemill: str
    python: str
    numpy: str
    #: The system and the processor, as in "Linux x86_64".
    platform: str


def features() -> Features:
    """The instructions, threads and versions in use.

    >>> features().simd in ("avx512", "avx2", "neon", "swar")
    True
    """
    import numpy

    simd, threads = _core.features()
    return Features(
        simd=simd,
        threads=threads,
        bytemill=_core.__version__,
        python=platform.python_version(),
        numpy=numpy.__version__,
        platform=f"{platform.system()} {platform.machine()}",
    )
