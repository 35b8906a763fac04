"""Every test of the suite runs on every platform."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from content.library import Library
from content.question import Question
from tests.contracts.stage import STAGES, Name, Stage, on

Begin = Callable[..., AbstractAsyncContextManager[Stage]]


@pytest.fixture(params=STAGES)
def begin(request: pytest.FixtureRequest, tmp_path: Path) -> Begin:
    """``async with begin(SINGLE) as stage``: a channel, not set up yet, whose bank holds these questions."""
    name: Name = request.param

    def open_stage(*questions: Question) -> AbstractAsyncContextManager[Stage]:
        return on(name)(tmp_path, Library.of(questions))

    return open_stage
