from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.usecases.stage import MEMORY, Stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    """An app without a schedule."""
    with TemporaryDirectory(dir=MEMORY) as folder, Stage(Path(folder)) as stage:
        yield stage


@pytest.fixture
def drill(stage: Stage) -> Stage:
    """An app whose channel has just been posted a single-choice question in instant mode."""
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.local("2026-11-30 09:30")
    return stage


@pytest.fixture
def together(stage: Stage) -> Stage:
    """The same in together mode."""
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single mode=together")
    stage.local("2026-11-30 09:30")
    return stage
