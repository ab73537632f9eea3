"""How many examples each property has. In CI the examples are the same each time; elsewhere they are new ones."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from ..effort import ALL

EXAMPLES = 150 if ALL else 20

settings.register_profile(
    "local",
    deadline=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")
