from __future__ import annotations

from tests.usecases.conftest import drill, stage, together

__all__ = ["drill", "stage", "together"]
