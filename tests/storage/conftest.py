from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.database import Database
from storage.migrate import upgrade


@pytest.fixture
def url(tmp_path: Path) -> str:
    """An empty Team Drills database."""
    address = f"sqlite:///{tmp_path / 'drills.db'}"
    upgrade(address)
    return address


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    with Database(url) as database:
        yield database
