"""The random numbers of sampling: those of the process, until somebody gives a seed."""

from __future__ import annotations

import random

_numbers = random.Random()


def SetRandomGeneratorSeed(seed: int) -> None:
    """Makes all sampling from here on the same whenever the seed is."""
    _numbers.seed(seed)


def next_seed() -> int:
    return _numbers.getrandbits(63)


set_random_generator_seed = SetRandomGeneratorSeed
