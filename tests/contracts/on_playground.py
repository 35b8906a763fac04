"""The stage on the playground: its real pages over HTTP, used as a browser without scripts uses them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from lxml import html  # type: ignore[import-untyped]

from bot.app import App
from bot.card import Button, Buttons, Card, Paragraph
from bot.chat import Message, Place
from bot.clock import HandClock
from bot.web.playground import chat as playground
from content.library import Library
from tests.contracts.stage import CAST, START, Name, Person, Shown, moment
from tests.web.conftest import PLACE, Stand, start, stop

Element = Any


class PlaygroundStage:
    """One channel with everybody in it; each person has a browser of their own."""

    name: Name = "playground"

    def __init__(self, folder: Path, library: Library, clock: HandClock) -> None:
        self.folder = folder
        self.library = library
        self.clock = clock
        self.stand: Stand
        self._browsers: dict[Person, httpx.AsyncClient] = {}
        self._screen: dict[Person, Element] = {}

    @property
    def app(self) -> App:
        return self.stand.app

    async def begin(self) -> None:
        self.stand = await start(self.folder, self.library, self.clock)
        self.stand.chat.open_channel(PLACE, "drills")
        for person in CAST:
            who = playground.Person(person.name, person.name, person.language, "UTC", person.admin)
            self.stand.chat.join(PLACE.workspace, who)
            self._browsers[person] = self.stand.client(person.language)

    async def command(self, who: Person, text: str) -> Shown:
        return await self._post(who, f"{self._path(who)}/say", {"text": f"/drill {text}"})

    async def tap(self, who: Person, where: Shown, label: str) -> Shown:
        (place,) = (await self._page(who)).xpath("//*[@id=$id]", id=where.id)
        own = [button for button in _own(place, ".//form//button[@name='action']") if _flat(button) == label]
        assert len(own) == 1, f"{who.name} sees no single button {label} but {_labels(place)}"
        form = next(own[0].iterancestors("form"))
        hidden = {field.get("name"): field.get("value") for field in form.xpath(".//input[@type='hidden']")}
        return await self._post(who, form.get("action"), hidden | {"action": own[0].get("value")})

    async def fill(self, who: Person, **values: str | tuple[str, ...]) -> Shown:
        # What stands on the screen, even where the server that made it is gone.
        (form,) = self._screen[who].xpath("//form[@class='modal__box']")
        data: dict[str, list[str]] = {}
        for name, value in _standing(form):
            data.setdefault(name, []).append(value)
        for field, given in values.items():
            (name,) = {name for name in (f"t.{field}", f"c.{field}") if form.xpath(".//*[@name=$name]", name=name)}
            data[name] = ["", *given] if isinstance(given, tuple) else [given]
        return await self._post(who, form.get("action"), data)

    async def seen(self, who: Person) -> list[Shown]:
        page = await self._page(who)
        private = sorted(page.xpath("//section[@class='private']"), key=lambda part: int(part.get("data-number")))
        return [*map(_shown, private), *map(_form, page.xpath("//div[@class='modal']"))]

    async def channel(self) -> list[Shown]:
        # Looked at by somebody who never does anything, so that no private reply stands among it.
        page = await self._page(CAST[-1])
        return [await self._message(li) for li in page.xpath("//ol[@id='messages']/li[starts-with(@id, 'm')]")]

    async def exposed(self) -> str:
        return (await self._browsers[CAST[-1]].get(self._path(CAST[-1]))).text

    async def at(self, moment: datetime) -> None:
        await self.stand.move_to(moment)

    async def restart(self) -> None:
        await stop(self.stand)
        await self.begin()

    async def lose_reply(self) -> Callable[[], int]:
        """The playground has no line that could be cut: its chat is told to forget to answer once."""
        lossy = LossyChat(self.stand.chat)
        self.app.chats["playground"] = lossy
        return lambda: len([w for w in self.stand.chat.log if w.kind == "post"])

    async def react(self, who: Person, where: Shown, emoji: str, *, there: bool = True, heard: bool = True) -> None:
        if not heard or emoji not in await self.left(where):
            self.stand.chat.leave(PLACE, where.id, who.name, emoji, there=there)
            return
        page = await self._page(who)
        (button,) = page.xpath("//*[@id=$id]//button[@name='emoji'][@value=$emoji]", id=where.id, emoji=emoji)
        assert (button.get("aria-pressed") == "true") != there
        form = next(button.iterancestors("form"))
        hidden = {field.get("name"): field.get("value") for field in form.xpath(".//input[@type='hidden']")}
        answer = await self._browsers[who].post(form.get("action"), data=hidden | {"emoji": emoji})
        assert answer.status_code == 200

    async def react_as_bot(self, where: Shown, emoji: str, *, heard: bool = True) -> None:
        """There is no other bot in the playground; the own one may tap."""
        self.stand.chat.leave(PLACE, where.id, "", emoji)

    async def left(self, where: Shown) -> dict[str, int]:
        shown = self.stand.chat.message(PLACE, where.id)
        assert shown is not None
        return {emoji: len(members) for emoji, members in shown.reactions}

    async def forge(self, *actions: str) -> Shown:
        buttons = tuple(Button(str(n), action) for n, action in enumerate(actions, 1))
        posted = await self.stand.chat.post(PLACE, Card("?", (Paragraph(("?",)), Buttons(buttons))), "forged")
        return next(shown for shown in await self.channel() if shown.id == posted.id)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _path(self, who: Person) -> str:
        return f"/as/{quote(who.name, safe='')}/channel/{PLACE.channel}"

    async def _page(self, who: Person) -> Element:
        page = await self._browsers[who].get(self._path(who))
        assert page.status_code == 200, page.text
        return html.fromstring(page.text)

    async def _post(self, who: Person, address: str, data: dict[str, Any]) -> Shown:
        """Send a form, follow the redirect, look where it leads."""
        page = await self._browsers[who].post(address, data=data)
        assert page.status_code == 200, page.text
        found = self._screen[who] = html.fromstring(page.text)
        for modal in found.xpath("//div[@class='modal']"):
            return _form(modal)
        (reply,) = found.xpath("//*[@id=$id]", id=page.url.fragment)
        assert reply.get("class") == "private", f"{who.name} was told nothing"
        return _shown(reply)

    async def _message(self, item: Element) -> Shown:
        for address in item.xpath(".//img/@src"):
            picture = await self._browsers[CAST[-1]].get(address)
            assert picture.content.startswith(b"\x89PNG")
        return _shown(item, tuple([await self._message(reply) for reply in item.xpath("./details/ol/li")]))


@dataclass(slots=True)
class LossyChat:
    """The playground's chat behind a line that loses the answer to the first post."""

    chat: playground.PlaygroundChat
    lost: int = 0

    async def post(self, place: Place, card: Card, key: str) -> Message:
        posted = await self.chat.post(place, card, key)
        if not self.lost:
            self.lost += 1
            raise TimeoutError
        return posted

    def __getattr__(self, name: str) -> Any:
        return getattr(self.chat, name)


@asynccontextmanager
async def playground_stage(folder: Path, library: Library) -> AsyncIterator[PlaygroundStage]:
    """A stage on the playground."""
    stage = PlaygroundStage(folder, library, HandClock(START))
    await stage.begin()
    try:
        yield stage
    finally:
        await stop(stage.stand)


# --- reading pages ---------------------------------------------------------------------------------------------------

BLOCKS = {"p", "li", "h1", "h2", "h3", "tr", "pre", "ol", "div", "fieldset", "legend", "label", "br", "form", "figure"}
LEFT_OUT = {"button", "input", "textarea", "details", "summary"}
AROUND = {"message__head", "private__label", "avatar", "private", "modal__head", "modal__foot"}
MARKS = {"✓", "✗", "●"}


def _shown(element: Element, thread: tuple[Shown, ...] = ()) -> Shown:
    return Shown(
        element.get("id"),
        _text(element),
        tuple(_labels(element)),
        tuple(picture.get("alt") for picture in _own(element, ".//img")),
        thread=thread,
        raw=element,
    )


def _form(modal: Element) -> Shown:
    named = modal.xpath(".//*[starts-with(@name, 't.') or starts-with(@name, 'c.')]/@name")
    fields = tuple(dict.fromkeys(name[2:] for name in named))
    return Shown("form", _text(modal), fields=fields)


def _own(element: Element, path: str) -> list[Element]:
    """What belongs to this message itself, not to its thread or to the private reply under it."""
    inner = [part for part in element.xpath(".//details | .//section") if part is not element]
    return [found for found in element.xpath(path) if not any(part in inner for part in found.iterancestors())]


def _labels(element: Element) -> list[str]:
    return [_flat(button) for button in _own(element, ".//button[@name='action']")]


def _flat(element: Element) -> str:
    return " ".join(element.text_content().split())


def _standing(form: Element) -> Iterator[tuple[str, str]]:
    """What a browser would send of a form that nobody touched."""
    for field in form.xpath(".//input[@name] | .//textarea[@name]"):
        unticked = field.get("type") in ("checkbox", "radio") and field.get("checked") is None
        if not unticked:
            yield field.get("name"), (field.text or "") if field.tag == "textarea" else field.get("value") or ""


def _text(element: Element) -> str:
    """The text as it is read, a line for each block."""
    lines = [" ".join(line.split(" ")).strip() for line in "".join(_pieces(element, element)).split("\n")]
    return "\n".join(line for line in lines if line)


def _pieces(element: Element, root: Element) -> Iterator[str]:
    classes = set((element.get("class") or "").split())
    skipped = not isinstance(element.tag, str) or element.tag in LEFT_OUT or (element is not root and classes & AROUND)
    if not skipped:
        yield from _inner(element, root, classes)
    if element is not root and element.tail:
        yield _kept(element.tail, element)


def _inner(element: Element, root: Element, classes: set[str]) -> Iterator[str]:
    if element.tag == "time" and "moment" in classes:
        yield moment(datetime.fromisoformat(element.get("datetime")))
        return
    if "option__mark" in classes:
        return
    if element.tag in BLOCKS:
        yield "\n"
    if element.tag in ("td", "th"):
        yield "  "
    if "option" in classes:
        yield "".join(f"{part.text} " for part in element.xpath("./span[contains(@class, 'option__mark')]"))
    inner = "".join([_kept(element.text or "", element), *(piece for c in element for piece in _pieces(c, root))])
    # The sign before a verdict says in a shape what its words say.
    yield inner.lstrip("✓✗◐ ") if "private__verdict" in classes else inner
    if classes & {"option__letter", "choice__letter"}:
        yield "  "
    if element.tag in BLOCKS:
        yield "\n"


def _kept(text: str, near: Element) -> str:
    """Line breaks in a page's source are gaps, except where they are shown."""
    shown = any((p.get("class") or "").startswith(("paragraph", "code-block")) for p in [near, *near.iterancestors()])
    return text if shown else re.sub(r"\s*\n\s*", " ", text)
