"""Properties have as many examples here as elsewhere."""

from tests.property import conftest as examples

__all__ = ["examples"]
