"""The hands of a test on a bot that many workspaces install, and a browser to install it with."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from random import Random
from typing import Any, TypeVar
from urllib.parse import urljoin

import aiohttp
from fastapi import FastAPI
from sqlmodel import SQLModel, select

from bot.app import build
from bot.clock import HandClock
from bot.settings import Settings
from bot.slack.app import start_slack
from bot.slack.paths import BACK, INSTALL
from content.library import Library
from tests.slack.team import Bot, Way
from tests.standins.slack import SlackStandin
from tests.standins.slack.model import Channel, User, Workspace

T = TypeVar("T", bound=SQLModel)
OLD_KEY, NEW_KEY = bytes(range(32)).hex(), bytes(range(90, 122)).hex()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class ManyBot(Bot):
    """The product as ``drills run`` builds it with a client id; ``keys`` is ``DRILLS_SECRET_KEY``.

    ``public_url``: where a balancer stands before several of them; else its own address.
    """

    def __init__(
        self,
        slack: SlackStandin,
        clock: HandClock,
        path: Path,
        way: Way,
        library: Library,
        rng: Random,
        keys: str = OLD_KEY,
        public_url: str = "",
    ) -> None:
        super().__init__(slack, clock, path, way, library, rng)
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        public_url = public_url or self.address
        given: dict[str, Any] = {
            "slack_client_id": slack.core.client_id,
            "slack_client_secret": slack.core.client_secret,
            "slack_api_url": slack.base_url,
            "secret_key": keys,
            "public_url": public_url,
            "database_url": f"sqlite:///{path}",
        }
        if way == "socket":
            given["slack_app_token"] = slack.app_token
        else:
            given["slack_signing_secret"] = slack.signing_secret
        self.settings = Settings(**given)
        slack.core.redirect_urls = [*slack.core.redirect_urls, public_url + BACK]

    async def begin(self) -> None:
        self.app = build(self.settings, clock=self.clock, library=self._library, rng=self._rng)
        self.app.outbox.void_leases()
        web = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        self.running = await start_slack(self.app, self.settings, web, ping_every=self.ping_every)
        await self._serve(web, self.port)
        if self.way == "http":
            await self.slack.use_http(f"{self.address}/slack/events")
        else:
            await self.slack.connected(2)

    async def install(self, workspace: Workspace, admin: User) -> str:
        """An admin installs the app from the first page on; the text of the last one."""
        async with Browser() as browser:
            self.slack.at_consent(workspace, admin)
            page = await browser.walk(self.address + INSTALL)
        assert page.status == 200, page.text
        return page.text


class Page:
    """What a browser got."""

    def __init__(self, address: str, status: int, text: str, headers: Mapping[str, str]) -> None:
        self.address = address
        self.status = status
        self.text = unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", text, flags=re.S))
        self.html = text
        self.headers = headers

    def link(self, words: str) -> str:
        found = re.search(rf'<a class="button" href="([^"]*)">{re.escape(words)}</a>', self.html)
        assert found, f"no link {words!r} in {self.html}"
        return urljoin(self.address, unescape(found[1]))


class Browser:
    """Follows links, keeps cookies, says which languages it likes."""

    def __init__(self, languages: str = "en-GB,en;q=0.9") -> None:
        self._languages = languages

    async def __aenter__(self) -> Browser:
        self.session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def get(self, address: str, *, follow: bool = True, **rest: Any) -> Page:
        headers = {"Accept-Language": self._languages} | rest.pop("headers", {})
        async with self.session.get(address, allow_redirects=follow, headers=headers, **rest) as answer:
            return Page(str(answer.url), answer.status, await answer.text(), answer.headers)

    async def walk(self, address: str) -> Page:
        """Open the page and press *Add to Slack*."""
        return await self.get((await self.get(address)).link("Add to Slack"))

    async def begin(self, address: str) -> str:
        """Press it, and stop at Slack's door: the address of the consent page."""
        page = await self.get((await self.get(address)).link("Add to Slack"), follow=False)
        assert page.status == 302
        return page.headers["Location"]


def rows(bot: Bot, table: type[T]) -> list[T]:
    """All of a table."""
    return bot.app.database.read(lambda tx: list(tx.exec(select(table)))).result()


async def ready(bot: Bot, admin: User, channel: Channel) -> None:
    """A question a day at nine."""
    await bot.setup(admin, channel, "kinds=single time=09:00 zone=UTC")


def people(slack: SlackStandin, space: Workspace, name: str) -> tuple[User, Channel]:
    """An admin of a workspace and a channel with them and the bot in it."""
    admin = slack.add_user(name, is_admin=True, workspace=space)
    return admin, slack.add_channel(f"{name}s-channel", admin, workspace=space)
