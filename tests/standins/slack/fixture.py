"""``slack``: a running stand-in for one test. Use it with ``pytest_plugins = ["tests.standins.slack.fixture"]``."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.standins.slack.server import SlackStandin


@pytest_asyncio.fixture
async def slack() -> AsyncIterator[SlackStandin]:
    """A fresh Slack with one empty workspace. A test that leaves a violation behind fails.

    A test of a violation clears ``slack.violations`` when it has looked at it.
    """
    async with SlackStandin() as standin:
        yield standin
    assert standin.violations == [], "The app did what Slack refuses or a careful app never does."
