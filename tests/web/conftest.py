"""A real playground: the engine on a real database, a clock moved by hand, served by uvicorn on a loopback port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import httpx
import pytest

from bot.app import App, build
from bot.chat import Command, Event, Place, Say, Tap
from bot.clock import HandClock
from bot.settings import Settings
from bot.web.access import hosts_for
from bot.web.playground import inbound
from bot.web.playground.chat import Person, PlaygroundChat, Shown
from bot.web.playground.journal import Journal
from bot.web.playground.pages import Playground, playground_site
from bot.web.playground.stage import Stage
from bot.web.playground.views import buttons_of, is_open
from bot.web.server import WebServer, listen
from content.library import Library, default_bank_path
from content.loader import load_bank
from content.question import Kind
from storage.tables import Answer

PLACE = Place("playground", "daily-drill")
START = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
ADMIN = Person("mira", "Mira", "en", admin=True)
MEMBERS = (ADMIN, Person("xiaolin", "小林", "zh"), Person("noor", "Noor", "en"))


def bank(*kinds: Kind) -> Library:
    """The questions of the bank that ships, of these kinds alone."""
    library = load_bank(default_bank_path())
    return Library.of(question for question in library if question.kind in kinds) if kinds else library


@dataclass(slots=True)
class Stand:
    """A running playground, and what tests ask of it."""

    app: App
    chat: PlaygroundChat
    stage: Stage
    clock: HandClock
    server: WebServer
    journal: Journal
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.server.url

    def client(self, language: str = "en") -> httpx.AsyncClient:
        """A browser without scripts: it follows redirects and keeps cookies."""
        headers = {"accept-language": language, "origin": self.url}
        client = httpx.AsyncClient(base_url=self.url, follow_redirects=True, headers=headers, timeout=20)
        self.clients.append(client)
        return client

    async def visitor(self, name: str, language: str = "en") -> Visitor:
        client = self.client(language)
        page = await client.post("/join", data={"name": name, "language": language, "zone": "Europe/Berlin"})
        assert page.status_code == 200, page.text
        return Visitor(self, client, str(page.url.path), page.text)

    async def as_member(self, member: str) -> Visitor:
        client = self.client()
        page = await client.get("/switch", params={"to": member})
        return Visitor(self, client, str(page.url.path), page.text)

    async def hear(self, person: Person, event: Event) -> Say:
        reply = await self.app.conversation.hear(event)
        assert isinstance(reply, Say)
        return reply

    async def set_up(self, **options: str) -> None:
        """An admin sets the channel up and saves."""
        given = {"days": "1-7", "time": "09:30", "zone": "UTC", "language": "en+zh", "window": "8h"} | options
        who = inbound.who(ADMIN, PLACE.workspace)
        proposal = await self.hear(ADMIN, Command(who, PLACE, "setup", given, "daily-drill"))
        await self.hear(ADMIN, Tap(who, buttons_of(proposal.card)[0].action, PLACE))

    async def move_to(self, moment: datetime) -> None:
        self.clock.move_to(moment)
        await self.app.ticker.beat()

    async def post(self, day: int = 0) -> Shown:
        """Move to the post of a day of the week (0: Monday); the message that then stands open."""
        await self.move_to(START + timedelta(days=day, minutes=90))
        return next(shown for shown in reversed(self.chat.seen_by(PLACE, "")) if is_open(shown.card))

    def answers(self) -> int:
        from sqlmodel import func, select

        return self.app.database.read(lambda tx: tx.exec(select(func.count()).select_from(Answer)).one()).result()


@dataclass(slots=True)
class Visitor:
    """Somebody who looks at pages and sends their forms, as a browser without scripts does."""

    stand: Stand
    client: httpx.AsyncClient
    path: str
    html: str = ""

    async def look(self) -> str:
        page = await self.client.get(self.path)
        assert page.status_code == 200, page.text
        self.html = page.text
        return self.html

    async def press(self, label: str, **fields: object) -> str:
        """Press the last button on the page with this label, with these fields filled in."""
        form = next(form for form in reversed(forms_of(self.html)) if label in [b.label for b in form.buttons])
        button = next(b for b in form.buttons if b.label == label)
        data: dict[str, object] = {name: values for name, values in form.hidden.items() if name not in fields}
        data |= fields
        if button.name:
            data[button.name] = button.value
        page = await self.client.post(button.action or form.action, data=data)
        assert page.status_code == 200, page.text
        self.html = page.text
        return self.html

    async def type(self, text: str) -> str:
        page = await self.client.post(f"{self.path}/say", data={"text": text})
        assert page.status_code == 200, page.text
        self.html = page.text
        return self.html

    @property
    def private(self) -> list[str]:
        """The text of each private reply on the page."""
        return [text_of(part) for part in self.html.split('<section class="private"')[1:]]


@dataclass(slots=True)
class FoundButton:
    label: str = ""
    name: str = ""
    value: str = ""
    action: str = ""


@dataclass(slots=True)
class FoundForm:
    action: str
    hidden: dict[str, list[str]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    buttons: list[FoundButton] = field(default_factory=list)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[FoundForm] = []
        self._named: dict[str, FoundForm] = {}
        self._button: FoundButton | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(FoundForm(given.get("action", "")))
            self._named[given.get("id", "")] = self.forms[-1]
        elif tag == "button" and self.forms:
            self._button = FoundButton("", given.get("name", ""), given.get("value", ""), given.get("formaction", ""))
            form = self._named[given["form"]] if "form" in given else self.forms[-1]
            form.buttons.append(self._button)
        elif tag in ("input", "textarea", "select") and self.forms:
            self.forms[-1].names.append(given.get("name", ""))
            kept = tag == "input" and (
                given.get("type") == "hidden" or "checked" in given or given.get("type") not in ("checkbox", "radio")
            )
            if kept and given.get("name"):
                self.forms[-1].hidden.setdefault(given["name"], []).append(given.get("value", ""))

    def handle_data(self, data: str) -> None:
        if self._button is not None:
            self._button.label = (self._button.label + data).strip()

    def handle_endtag(self, tag: str) -> None:
        if tag == "button":
            self._button = None


def forms_of(html: str) -> list[FoundForm]:
    parser = _Forms()
    parser.feed(html)
    return parser.forms


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []

    def handle_data(self, data: str) -> None:
        self.kept.append(data)


def text_of(html: str) -> str:
    """What a reader sees of a piece of HTML."""
    parser = _Text()
    parser.feed(html)
    return " ".join(" ".join(parser.kept).split())


async def start(folder: Path, library: Library, clock: HandClock) -> Stand:
    settings = Settings.model_construct(database_url=f"sqlite:///{folder / 'drills.db'}")
    app = build(settings, clock=clock, library=library, rng=Random(clock.now().timestamp()), beat_every=3600)
    journal = Journal(folder / "chat.jsonl")
    chat = PlaygroundChat(clock, journal)
    chat.open_channel(PLACE, "daily-drill")
    for person in MEMBERS:
        chat.join(PLACE.workspace, person)
    app.chats["playground"] = chat
    stage = Stage("UTC")
    playground = Playground(app.conversation, chat, stage, clock, PLACE.workspace)
    site = playground_site(playground, hosts_for("127.0.0.1"), lambda: {"beats": app.ticker.beats})
    server = WebServer(site, listen("127.0.0.1", 0), stage.close)
    await server.start()
    return Stand(app, chat, stage, clock, server, journal)


async def stop(stand: Stand) -> None:
    for client in stand.clients:
        await client.aclose()
    await stand.server.stop()
    stand.app.close()
    stand.journal.close()


MakeStand = Callable[..., Awaitable[Stand]]


@pytest.fixture
async def make_stand(tmp_path: Path) -> AsyncIterator[MakeStand]:
    """Makes running playgrounds: ``await make_stand(Kind.SINGLE, mode="together")``."""
    made: list[Stand] = []

    async def make(*kinds: Kind, library: Library | None = None, **options: str) -> Stand:
        stand = await start(tmp_path, library or bank(*kinds), HandClock(START))
        made.append(stand)
        await stand.set_up(**options)
        return stand

    yield make
    for stand in made:
        await stop(stand)


@pytest.fixture
async def stand(make_stand: MakeStand) -> Stand:
    """A playground whose channel asks single-choice questions in both languages."""
    return await make_stand(Kind.SINGLE)
