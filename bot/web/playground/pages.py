"""The playground's pages: a channel as a chat, answered by forms; scripts only make it live.

Who somebody is stands in the address (``/as/<member>/…``): several tabs may be several people. Addresses of
visitors cannot be guessed. Every write is a POST from our own pages (``bot.web.access``) and ends in a redirect.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from bot.card import File, Form
from bot.chat import Ask, Event, Place, Reply, Say, Wrong
from bot.clock import Clock
from bot.commands import COMMANDS
from bot.conversation import Conversation
from bot.drill.errors import DrillError
from bot.drill.reading import check_zone
from bot.usecases.meet_member import clean_name
from bot.web.access import Guard
from bot.web.playground import inbound, views
from bot.web.playground.chat import Person, PlaygroundChat
from bot.web.playground.stage import Stage
from bot.web.playground.words import Words

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent.parent / "static"
TEMPLATES = Path(__file__).parent / "templates"
ME = "drills_me"
"""The cookie that brings a visitor back to their own page. It grants nothing: who acts stands in the address."""

MOST_PEOPLE = 500
TICK = 0.5
"""Seconds between two looks at the clock, for a page that is connected."""


class Refusal(Exception):
    """A request that cannot be served: a status of 4xx and the key of one sentence."""

    def __init__(self, status: int, key: str, **values: object) -> None:
        super().__init__(key)
        self.status = status
        self.key = key
        self.values = values


@dataclass(slots=True)
class OpenForm:
    """A form that stands over somebody's page. ``about``: the message its button stood under."""

    form: Form
    about: str
    faults: dict[str, str] = field(default_factory=dict)


class Playground:
    """Everything the pages need, and what they remember between two requests: the forms that stand open."""

    def __init__(
        self, conversation: Conversation, chat: PlaygroundChat, stage: Stage, clock: Clock, workspace: str
    ) -> None:
        self.conversation = conversation
        self.chat = chat
        self.stage = stage
        self.clock = clock
        self.workspace = workspace
        self.forms: dict[str, OpenForm] = {}
        self._pictures: dict[str, bytes] = {}
        self._pictures_of = 0
        self.templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=False,
        )
        self.templates.globals.update(
            kind_of=lambda part: type(part).__name__,
            initials=views.initials,
            colour=lambda person: views.colour(self.chat.people.values(), person),
            names_of=self.names_of,
            letter_of=views.letter_of,
            option_lines=views.option_lines,
            form_intro=views.form_intro,
            short_choices=views.short_choices,
            are_short=views.are_short,
            picture_name=views.picture_name,
            picture_size=views.picture_size,
            file_name=views.file_name,
        )

    # --- who and where ---------------------------------------------------------------------------------------

    def person(self, member: str) -> Person:
        found = self.chat.people.get((self.workspace, member))
        if found is None:
            raise Refusal(404, "no member")
        return found

    def place(self, channel: str) -> Place:
        place = Place(self.workspace, channel)
        if place not in self.chat.channels(self.workspace):
            raise Refusal(404, "no page")
        return place

    def home(self, member: str) -> str:
        """The address of this member's first channel."""
        channels = self.chat.channels(self.workspace)
        return f"/as/{quote(member)}/channel/{quote(channels[0].channel)}" if channels else "/welcome"

    def team(self) -> list[Person]:
        return [p for (workspace, _), p in self.chat.people.items() if workspace == self.workspace and not p.visitor]

    def names_of(self, members: Sequence[str]) -> str:
        """Who left a reaction, as one text."""
        found = [self.chat.people.get((self.workspace, member)) for member in members]
        return ", ".join(person.name if person else "Team Drills" for person in found)

    # --- what is shown ---------------------------------------------------------------------------------------

    def page(self, member: str, channel: str | None, own: str, status: int = 200) -> HTMLResponse:
        me = self.person(member)
        words = Words(me.language)
        base = f"/as/{quote(member)}/channel/{quote(channel)}" if channel else f"/as/{quote(member)}/direct"
        shown = self._channel_rows(me, self.place(channel), words) if channel else self._direct_rows(me, words)
        rows, older = shown
        threads = [row.id for row in rows if row.thread]
        others = [self.chat.people.get((self.workspace, own)), me if me.visitor else None]
        visitors = dict.fromkeys(person for person in others if person is not None and person.visitor)
        suggestions = ("today", "me", "board", "help", *(("status", "setup") if me.admin else ()))
        return self._render(
            "page.html",
            words,
            status,
            me=me,
            people=[*visitors, *self.team()],
            place=self.place(channel) if channel else None,
            channel_name=self.chat.channel_name(self.place(channel)) if channel else "",
            channels=[(p.channel, self.chat.channel_name(p)) for p in self.chat.channels(self.workspace)],
            direct_count=len(self.chat.direct(self.workspace, member)),
            base=base,
            page_url=base,
            rows=rows,
            older=older,
            last_thread=threads[-1] if threads else "",
            form=self.forms.get(member) if channel else None,
            clock=self.clock_state(),
            zone=self.stage.zone,
            writes=self.chat.writes,
            commands=COMMANDS,
            suggestions=suggestions,
        )

    def _channel_rows(self, me: Person, place: Place, words: Words) -> tuple[list[views.Row], int]:
        seen = self.chat.seen_by(place, me.id)
        return views.rows(seen, self.chat.threads(place), words, self.stage.zone)

    def _direct_rows(self, me: Person, words: Words) -> tuple[list[views.Row], int]:
        return views.direct_rows(self.chat.direct(self.workspace, me.id), words, self.stage.zone), 0

    def welcome(self, language: str, status: int = 200, fault: str = "", name: str = "") -> HTMLResponse:
        words = Words(language)
        return self._render("welcome.html", words, status, people=self.team(), fault=fault, name=name)

    def fault(self, words: Words, status: int, sentence: str) -> HTMLResponse:
        return self._render("fault.html", words, status, sentence=sentence, back="/")

    def _render(self, template: str, words: Words, status: int, **values: Any) -> HTMLResponse:
        return HTMLResponse(self.templates.get_template(template).render(t=words, **values), status)

    def clock_state(self) -> dict[str, Any]:
        return {"at": self.clock.now(), "state": self.stage.state}

    def picture(self, name: str) -> bytes | None:
        """A picture that stands in a channel, by the hash of its content."""
        log_ = self.chat.log
        while self._pictures_of < len(log_):
            write = log_[self._pictures_of]
            self._pictures_of += 1
            if write.card is not None and not write.only:
                for image in views.pictures_in(write.card):
                    self._pictures[views.picture_name(image)] = image.png
        return self._pictures.get(name)

    def file(self, member: str, name: str) -> File | None:
        """A file that stands before this person, and before nobody else."""
        seen = [*self.chat.direct(self.workspace, member)]
        for place in self.chat.channels(self.workspace):
            seen += [shown for shown in self.chat.seen_by(place, member) if shown.only == member]
        files = [part for shown in seen for part in shown.card.parts if isinstance(part, File)]
        return next((file for file in files if views.file_name(file) == name), None)

    # --- what somebody does ----------------------------------------------------------------------------------

    async def hear(self, me: Person, place: Place, event: Event, about: str, instead: str = "") -> str:
        """Let the engine answer; the element of the page to look at then."""
        reply = await self.conversation.hear(event)
        return self.answer(me, place, reply, about, instead)

    def answer(self, me: Person, place: Place, reply: Reply, about: str, instead: str = "") -> str:
        match reply:
            case Ask(form):
                self.forms[me.id] = OpenForm(form, about)
                return about
            case Wrong(faults):
                standing = self.forms.get(me.id)
                if standing is not None:
                    standing.faults = faults
                return about
            case Say(card, replace):
                self.forms.pop(me.id, None)
                shown = self.chat.whisper(place, me.id, card, about, instead if replace else "")
                return f"reply-{about if self.chat.message(place, about) else shown.id}"

    async def react(self, me: Person, place: Place, message: str, emoji: str) -> None:
        """The member leaves the emoji, or takes theirs away."""
        shown = self.chat.message(place, message)
        left = dict(shown.reactions) if shown is not None and not shown.only else {}
        if emoji in left:
            added = me.id not in left[emoji]
            self.chat.leave(place, message, me.id, emoji, there=added)
            await self.conversation.reacted(inbound.reacted(me, place, message, emoji, added))

    def about(self, place: Place, member: str, came_from: str) -> str:
        """What a reply to a button in ``came_from`` is about: that message, or what that private reply is about."""
        found = self.chat.message(place, came_from) if came_from else None
        if found is None or found.only not in ("", member):
            return ""
        return found.about if found.only else found.id


def playground_site(
    playground: Playground,
    hosts: frozenset[str] | None,
    health: Callable[[], dict[str, Any]] = dict,
) -> Guard:
    """The pages as an ASGI app, guarded. ``health`` adds to what ``/healthz`` says."""
    site = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    site.mount("/static", StaticFiles(directory=STATIC))
    _front(site, playground, health)
    _channel_pages(site, playground)
    _writes(site, playground)
    _live(site, playground)
    _faults(site, playground)
    return Guard(site, hosts)


def _front(site: FastAPI, playground: Playground, health: Callable[[], dict[str, Any]]) -> None:
    @site.get("/healthz")
    async def healthz() -> JSONResponse:
        return JSONResponse({"status": "ok", **health()})

    @site.get("/pictures/{name}")
    async def picture(name: str) -> Response:
        png = playground.picture(name)
        if png is None:
            raise Refusal(404, "no page")
        headers = {"cache-control": "private, max-age=31536000, immutable"}
        return Response(png, media_type="image/png", headers=headers)

    @site.get("/as/{member}/files/{name}")
    async def file(member: str, name: str) -> Response:
        found = playground.file(playground.person(member).id, name)
        if found is None:
            raise Refusal(404, "no page")
        headers = {"content-disposition": f'attachment; filename="{found.name}"', "cache-control": "no-store"}
        return Response(found.data, media_type=found.media, headers=headers)

    @site.get("/")
    async def front(request: Request) -> Response:
        me = request.cookies.get(ME, "")
        if (playground.workspace, me) in playground.chat.people:
            return RedirectResponse(playground.home(me), 303)
        return RedirectResponse("/welcome", 303)

    @site.get("/welcome")
    async def welcome(request: Request) -> Response:
        return playground.welcome(_browser_language(request))

    @site.get("/switch")
    async def switch(to: str = "") -> Response:
        return RedirectResponse(playground.home(playground.person(to).id), 303)

    @site.post("/join")
    async def join(request: Request) -> Response:
        fields = await _form(request)
        language = "zh" if inbound.one(fields, "language") == "zh" else "en"
        words = Words(language)
        typed = inbound.one(fields, "name", 400)
        name = clean_name(typed)[:40].strip()
        if not name:
            return playground.welcome(language, 400, words("no name"), typed)
        if name.casefold() in {person.name.casefold() for person in playground.team()}:
            return playground.welcome(language, 400, words("name taken", name=name), name)
        if len(playground.chat.people) >= MOST_PEOPLE:
            return playground.welcome(language, 429, words("full"), name)
        person = Person(f"v{secrets.token_hex(8)}", name, language, _zone(inbound.one(fields, "zone")), visitor=True)
        playground.chat.join(playground.workspace, person)
        response = RedirectResponse(playground.home(person.id), 303)
        response.set_cookie(ME, person.id, httponly=True, samesite="lax", max_age=30 * 86400)
        return response


def _channel_pages(site: FastAPI, playground: Playground) -> None:
    @site.get("/as/{member}")
    async def member_page(member: str) -> Response:
        return RedirectResponse(playground.home(playground.person(member).id), 303)

    @site.get("/as/{member}/channel/{channel}")
    async def channel_page(request: Request, member: str, channel: str) -> Response:
        response = playground.page(member, channel, request.cookies.get(ME, ""))
        playground.stage.saw(member)
        return response

    @site.get("/as/{member}/direct")
    async def direct_page(request: Request, member: str) -> Response:
        response = playground.page(member, None, request.cookies.get(ME, ""))
        playground.stage.saw(member)
        return response


def _writes(site: FastAPI, playground: Playground) -> None:
    channel_path = "/as/{member}/channel/{channel}"

    def back(member: str, channel: str, message: str = "") -> RedirectResponse:
        at = f"#{quote(message)}" if message and not message.startswith("/") else ""
        return RedirectResponse(f"/as/{quote(member)}/channel/{quote(channel)}{at}", 303)

    @site.post(channel_path + "/tap")
    async def tap(request: Request, member: str, channel: str) -> Response:
        me, place, fields = playground.person(member), playground.place(channel), await _form(request)
        playground.stage.acted(member)
        came_from = inbound.one(fields, "from")
        about = playground.about(place, member, came_from)
        event = inbound.tap(me, place, fields)
        return back(member, channel, await playground.hear(me, place, event, about, came_from))

    @site.post("/as/{member}/direct/tap")
    async def direct_tap(request: Request, member: str) -> Response:
        """A button of a direct message; what comes of it stands in the first channel, for this person alone."""
        me, fields = playground.person(member), await _form(request)
        playground.stage.acted(member)
        place = playground.chat.channels(playground.workspace)[0]
        event = inbound.tap(me, place, fields)
        return back(member, place.channel, await playground.hear(me, place, event, inbound.one(fields, "from")))

    @site.post(channel_path + "/submit")
    async def submit(request: Request, member: str, channel: str) -> Response:
        me, place, fields = playground.person(member), playground.place(channel), await _form(request)
        playground.stage.acted(member)
        event = inbound.submission(me, place, fields)
        standing = playground.forms.get(member)
        about = inbound.one(fields, "from", 2000)
        if standing is not None and standing.form.id == event.form:
            about = standing.about
            standing.form = views.filled(standing.form, event.values)
        return back(member, channel, await playground.hear(me, place, event, about))

    @site.post(channel_path + "/cancel")
    async def cancel(member: str, channel: str) -> Response:
        playground.place(channel)
        standing = playground.forms.pop(playground.person(member).id, None)
        playground.stage.acted(member)
        return back(member, channel, standing.about if standing else "")

    @site.post(channel_path + "/say")
    async def say(request: Request, member: str, channel: str) -> Response:
        me, place, fields = playground.person(member), playground.place(channel), await _form(request)
        playground.stage.acted(member)
        text = " ".join((inbound.one(fields, "chip") or inbound.one(fields, "text", 2000)).split())
        about = text if text.startswith("/") else f"/drill {text}".strip()
        try:
            event = inbound.command(me, place, playground.chat.channel_name(place), text)
        except DrillError as error:
            card = playground.conversation.cards.explain(error, me.language)
            return back(member, channel, playground.answer(me, place, Say(card), about))
        return back(member, channel, await playground.hear(me, place, event, about))

    @site.post(channel_path + "/dismiss")
    async def dismiss(request: Request, member: str, channel: str) -> Response:
        me, place, fields = playground.person(member), playground.place(channel), await _form(request)
        message = inbound.one(fields, "message")
        about = playground.about(place, member, message)
        playground.chat.dismiss(place, me.id, message)
        return back(member, channel, about)

    @site.post(channel_path + "/react")
    async def react(request: Request, member: str, channel: str) -> Response:
        """Leave an emoji that stands under a message already, or take it away."""
        me, place, fields = playground.person(member), playground.place(channel), await _form(request)
        playground.stage.acted(member)
        message, emoji = inbound.one(fields, "message"), inbound.one(fields, "emoji")
        await playground.react(me, place, message, emoji)
        return back(member, channel, message)

    @site.post(channel_path + "/here")
    async def here(member: str, channel: str) -> Response:
        playground.place(channel)
        playground.stage.acted(playground.person(member).id)
        return Response(status_code=204)

    for path in (channel_path, "/as/{member}/direct"):
        _side_writes(site, playground, path)


def _side_writes(site: FastAPI, playground: Playground, path: str) -> None:
    """What the side of every page does."""

    @site.post(path + "/go-on")
    async def go_on(request: Request, member: str) -> Response:
        me = playground.person(member)
        playground.stage.acted(me.id)
        playground.stage.go_on()
        return RedirectResponse(request.url.path.removesuffix("/go-on"), 303)

    @site.post(path + "/language")
    async def language(request: Request, member: str) -> Response:
        me, fields = playground.person(member), await _form(request)
        chosen = "zh" if inbound.one(fields, "language") == "zh" else "en"
        person = Person(me.id, me.name, chosen, me.zone, me.admin, me.visitor)
        playground.chat.join(playground.workspace, person)
        return RedirectResponse(request.url.path.removesuffix("/language"), 303)


def _live(site: FastAPI, playground: Playground) -> None:
    async def events(member: str, writes: int) -> AsyncIterator[str]:
        with playground.stage.looking(member):
            told = ""
            while not playground.stage.closing:
                found = await playground.chat.wait_beyond(writes, TICK)
                if found != writes:
                    writes = found
                    yield f"event: changed\ndata: {writes}\n\n"
                state = playground.clock_state()
                now = json.dumps({"at": state["at"].isoformat(timespec="seconds"), "state": state["state"]})
                # A line even when nothing is new: it is how a connection that died is noticed.
                yield f"event: clock\ndata: {now}\n\n" if now != told else ": quiet\n\n"
                told = now

    @site.get("/as/{member}/events")
    async def stream(member: str, writes: int = 0) -> Response:
        playground.person(member)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(events(member, writes), media_type="text/event-stream", headers=headers)


def _faults(site: FastAPI, playground: Playground) -> None:
    """Whatever goes wrong becomes a page with one sentence."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        words = Words(_reader_language(playground, request))
        return playground.fault(words, error.status, words(error.key, **error.values))

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        words = Words(_reader_language(playground, request))
        response = playground.fault(words, error.status_code, words("no page"))
        response.headers.update(error.headers or {})
        return response

    async def invalid(request: Request, _: Exception) -> Response:
        words = Words(_reader_language(playground, request))
        return playground.fault(words, 400, words("no form"))

    async def broken(request: Request, _: Exception) -> Response:
        log.exception("a page could not be made")
        words = Words(_reader_language(playground, request))
        return playground.fault(words, 500, words("own fault"))

    site.add_exception_handler(Refusal, refused)
    site.add_exception_handler(HTTPException, http)
    site.add_exception_handler(RequestValidationError, invalid)
    site.add_exception_handler(inbound.WrongForm, invalid)
    site.add_exception_handler(Exception, broken)


async def _form(request: Request) -> inbound.Fields:
    """The fields of the request's form, read only as far as a form of ours can go."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > inbound.LONGEST:
            raise Refusal(413, "too long")
    return inbound.read_form(bytes(body))


def _reader_language(playground: Playground, request: Request) -> str:
    member = request.path_params.get("member", "")
    person = playground.chat.people.get((playground.workspace, member))
    return person.language if person else _browser_language(request)


def _browser_language(request: Request) -> str:
    """The first language a browser asks for: ``zh`` for any Chinese, else ``en``."""
    return "zh" if request.headers.get("accept-language", "").strip().lower().startswith("zh") else "en"


def _zone(name: str) -> str:
    """The browser's zone, if it is one; never a reason to turn somebody away."""
    try:
        return check_zone(name) if name else ""
    except ValueError:
        return ""
