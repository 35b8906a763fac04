"""The hands of a test on a running bot: make it beat, move its clock, set channels up."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Literal

import uvicorn
from fastapi import FastAPI

from bot.app import App, build
from bot.clock import HandClock
from bot.settings import Settings
from bot.slack.app import Running, start_slack
from content.library import Library
from tests.standins.slack import Seen, SlackStandin
from tests.standins.slack.model import Channel, Ephemeral, Message, User

Way = Literal["socket", "http"]


class Bot:
    """The product with Slack alone, as ``drills run`` builds it; the beat comes when the test says so."""

    def __init__(
        self, slack: SlackStandin, clock: HandClock, path: Path, way: Way, library: Library, rng: Random
    ) -> None:
        self.slack = slack
        self.clock = clock
        self.way = way
        self.settings = settings(slack, path, way)
        self.ping_every = 5.0
        """Seconds; tests in which sockets die make it short. A busy machine takes a short one for a dead socket."""
        self._library = library
        self._rng = rng
        self.app: App
        self.running: Running
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        self.app = build(self.settings, clock=self.clock, library=self._library, rng=self._rng)
        self.app.outbox.void_leases()
        web = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        self.running = await start_slack(self.app, self.settings, web, ping_every=self.ping_every)
        if self.way == "http":
            await self.slack.use_http(f"{await self._serve(web)}/slack/events")
        else:
            await self.slack.connected(2)

    async def end(self) -> None:
        """Stop as ``drills run`` stops; safe to call twice."""
        if self._serving is not None and self._server is not None:
            self._server.should_exit = True
            await self._serving
            self._serving = None
        await self.running.stop()
        self.app.close()

    async def beat(self) -> int:
        return await self.app.outbox.beat()

    async def after(self, **by: float) -> int:
        """Let time pass, then beat."""
        self.clock.forward(timedelta(**by))
        return await self.beat()

    async def _serve(self, web: FastAPI, port: int = 0) -> str:
        config = uvicorn.Config(web, host="127.0.0.1", port=port, log_level="warning", lifespan="off", access_log=False)
        self._server = uvicorn.Server(config)
        self._server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        self._serving = asyncio.create_task(self._server.serve())
        await self.slack.until(lambda: self._server is not None and self._server.started)
        host, port = self._server.servers[0].sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    # --- what people do ---

    async def setup(self, admin: User, channel: Channel, options: str) -> None:
        """Set a channel up by command, and save what is shown."""
        await self.slack.command(admin, channel, "/drill", f"setup {options}")
        await self.slack.tap(admin, await self.note(admin, channel, "Save"), "Save")
        await self.note(admin, channel, "Saved", "已保存")

    async def note(self, user: User, channel: Channel, *wanted: str) -> Ephemeral:
        """The newest private message of this person that says one of these, once it is there."""

        def find() -> Ephemeral | None:
            notes = self.slack.seen_by(user, channel).ephemerals
            return next((note for note in reversed(notes) if any(word in said(note) for word in wanted)), None)

        try:
            found = await self.slack.until(find)
        except TimeoutError:
            shown = [said(note) for note in self.slack.seen_by(user, channel).ephemerals]
            raise AssertionError(f"{user.name} sees no note that says one of {wanted}, but {shown}") from None
        assert found is not None
        return found

    def seen(self, user: User, channel: Channel) -> Seen:
        return self.slack.seen_by(user, channel)

    def question(self, channel: Channel) -> Message:
        """The newest message of the channel itself."""
        return self.slack.messages(channel)[-1]


def settings(slack: SlackStandin, path: Path, way: Way) -> Settings:
    given = {
        "slack_bot_token": slack.bot_token,
        "slack_api_url": slack.base_url,
        "database_url": f"sqlite:///{path}",
    }
    if way == "socket":
        given["slack_app_token"] = slack.app_token
    else:
        given["slack_signing_secret"] = slack.signing_secret
    return Settings(**given)  # type: ignore[arg-type]


def said(where: Message | Ephemeral) -> str:
    """All text that is shown, without the breaks between its pieces."""
    return "".join(_texts(where.blocks)) or where.text


def _texts(value: object) -> list[str]:
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    if not isinstance(value, dict):
        return []
    own = [value[key] for key in ("text", "alt_text", "fallback") if isinstance(value.get(key), str)]
    return own + [text for item in value.values() for text in _texts(item)]
