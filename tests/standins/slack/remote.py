"""The other end of control.py: drive a stand-in that runs in another process."""

from __future__ import annotations

from typing import Any

import aiohttp

from tests.standins.slack.forms import CannotDo


class RemoteSlack:
    """``await remote.do("tap", user=…, where=…, wanted=…)``; names and arguments are those of ``SlackStandin``."""

    def __init__(self, session: aiohttp.ClientSession, base_url: str) -> None:
        self._session = session
        self._root = base_url.removesuffix("/api/")

    async def do(self, verb: str, /, **args: Any) -> Any:
        """The result as JSON. Raises ``CannotDo``, ``TimeoutError`` or ``ValueError`` with the stand-in's sentence."""
        async with self._session.post(f"{self._root}/_control/{verb}", json=args) as answer:
            body = await answer.json()
        if answer.status == 200:
            return body
        kinds: dict[int, type[Exception]] = {409: CannotDo, 504: TimeoutError}
        raise kinds.get(answer.status, ValueError)(body["error"])
