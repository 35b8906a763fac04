"""The stage on Slack: the real Bolt app against the stand-in, by web socket or by signed HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from bot.app import App
from bot.card import Button, Buttons, Card, Paragraph
from bot.chat import Place
from bot.clock import HandClock
from bot.slack.emoji import emoji_of, name_of
from content.library import Library
from tests.contracts.stage import CAST, MOST_WAIT, START, Name, Person, Shown, moment
from tests.slack.team import Bot, Way
from tests.standins.slack import SlackStandin, pings
from tests.standins.slack.model import JSON, Ephemeral, Message, User, View


class SlackStage:
    """One workspace, one channel with everybody in it."""

    def __init__(self, slack: SlackStandin, clock: HandClock, folder: Path, library: Library, way: Way) -> None:
        self.name: Name = "slack-socket" if way == "socket" else "slack-http"
        self.slack = slack
        self.clock = clock
        self._make: Callable[[], Bot] = lambda: _patient(
            Bot(slack, clock, folder / "drills.db", way, library, Random(7))
        )
        self.users: dict[Person, User] = {}
        for person in CAST:
            locale = "zh-CN" if person.language == "zh" else "en-US"
            self.users[person] = slack.add_user(person.name, tz="UTC", locale=locale, is_admin=person.admin)
        self._channel = slack.add_channel("drills", *self.users.values())
        self.bot = self._make()
        self._other_bot: User | None = None

    @property
    def app(self) -> App:
        return self.bot.app

    async def command(self, who: Person, text: str) -> Shown:
        user = await self._at_the_channel(who)
        return await self._sees(who, lambda: self.slack.command(user, self._channel, "/drill", _typed(text)))

    async def tap(self, who: Person, where: Shown, label: str) -> Shown:
        user = self.users[who] if isinstance(where.raw, View) else await self._at_the_channel(who)
        return await self._sees(who, lambda: self.slack.tap(user, where.raw, label))

    async def fill(self, who: Person, **values: str | tuple[str, ...]) -> Shown:
        given = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return await self._sees(who, lambda: self.slack.submit(self.users[who], None, given))

    async def seen(self, who: Person) -> list[Shown]:
        return list(self._private(who).values())

    async def channel(self) -> list[Shown]:
        return [self._message(message) for message in self.slack.messages(self._channel)]

    async def exposed(self) -> str:
        shared = [entry for entry in self.slack.log if entry.method.startswith(("chat.", "files."))]
        return json.dumps([entry.payload for entry in shared], ensure_ascii=False)

    async def at(self, moment: datetime) -> None:
        self.clock.move_to(moment)
        await self.bot.beat()

    async def restart(self) -> None:
        await self.bot.end()
        self.bot = self._make()
        await self.bot.begin()

    async def lose_reply(self) -> Callable[[], int]:
        self.slack.fail("chat.postMessage", reset="after")
        posts = "chat.postMessage", self._channel.id
        return lambda: len([write for write in self.slack.writes(*posts) if "thread_ts" not in write.payload])

    async def react(self, who: Person, where: Shown, emoji: str, *, there: bool = True, heard: bool = True) -> None:
        await self._react(self.users[who], where, emoji, there, heard)

    async def react_as_bot(self, where: Shown, emoji: str, *, heard: bool = True) -> None:
        if self._other_bot is None:
            self._other_bot = self.slack.add_user("otherbot", is_bot=True)
            self._channel.members.append(self._other_bot.id)
        await self._react(self._other_bot, where, emoji, True, heard)

    async def _react(self, user: User, where: Shown, emoji: str, there: bool, heard: bool) -> None:
        name = name_of(emoji) or "tada"
        message = where.raw
        if not heard:
            users = message.reactions.setdefault(name, [])
            users.append(user.id) if there else users.remove(user.id)
            if not users:
                del message.reactions[name]
            return
        if self.bot.way == "socket":
            await self.slack.connected(1, MOST_WAIT)
        reply = await (self.slack.react if there else self.slack.unreact)(user, message, name)
        assert reply.acknowledged

    async def left(self, where: Shown) -> dict[str, int]:
        return {emoji_of(name) or name: len(users) for name, users in where.raw.reactions.items()}

    async def forge(self, *actions: str) -> Shown:
        buttons = tuple(Button(str(n), action) for n, action in enumerate(actions, 1))
        place = Place(self.slack.workspace.id, self._channel.id)
        card = Card("?", (Paragraph(("?",)), *(Buttons((button,)) for button in buttons)))
        posted = await self.app.chats["slack"].post(place, card, "forged")
        return next(shown for shown in await self.channel() if shown.id == posted.id)

    # --- inside ----------------------------------------------------------------------------------------------------

    async def _at_the_channel(self, who: Person) -> User:
        """A form or a verdict in a modal hides the channel: the person closes it before they do something else."""
        user = self.users[who]
        while self.slack.seen_by(user).modals:
            await self.slack.close(user)
        return user

    async def _sees(self, who: Person, act: Callable[[], Any]) -> Shown:
        """What is new or other for this person after they acted."""
        before = {key: (shown.text, shown.buttons) for key, shown in self._private(who).items()}
        if self.bot.way == "socket":
            await self.slack.connected(1, MOST_WAIT)
        reply = await act()
        assert reply.acknowledged, f"{who.name} was told by Slack that it did not work: {reply}"

        def news() -> Shown | None:
            now = self._private(who)
            other = [shown for key, shown in now.items() if before.get(key) != (shown.text, shown.buttons)]
            return other[-1] if other else None

        found = await self.slack.until(news, MOST_WAIT)
        assert found is not None
        return found

    def _private(self, who: Person) -> dict[str, Shown]:
        seen = self.slack.seen_by(self.users[who], self._channel)
        notes = {note.ts: self._shown(note.ts, note, note.blocks, note.text) for note in seen.ephemerals}
        for view in seen.modals:
            notes[f"{view.id}:{view.hash}"] = self._view(view)
        return notes

    def _message(self, message: Message) -> Shown:
        thread = tuple(self._message(reply) for reply in self.slack.messages(self._channel, message.ts))
        return self._shown(message.ts, message, message.blocks, message.text, thread)

    def _shown(
        self, id: str, raw: Message | Ephemeral, blocks: list[JSON], text: str, thread: tuple[Shown, ...] = ()
    ) -> Shown:
        return Shown(
            id,
            "\n".join(_lines(blocks)) if blocks else text,
            tuple(_labels(blocks)),
            tuple(self._pictures(blocks)),
            pings=tuple(pings(raw)),
            thread=thread,
            raw=raw,
        )

    def _view(self, view: View) -> Shown:
        fields = tuple(block["block_id"] for block in view.blocks if block["type"] == "input")
        text = "\n".join([*_lines(view.blocks), *view.errors.values()])
        assert not view.trouble, "Slack had trouble connecting"
        return Shown(view.id, text, tuple(_labels(view.blocks)), fields=fields, raw=view)

    def _pictures(self, blocks: list[JSON]) -> Iterator[str]:
        """The alt text of every picture whose bytes Slack really has."""
        for block in blocks:
            if block["type"] == "image":
                file = self.slack.workspace.files[block["slack_file"]["id"]]
                assert file.content is not None
                assert file.content.startswith(b"\x89PNG")
                yield block["alt_text"]


def _patient(bot: Bot) -> Bot:
    """No socket dies here, and on a busy machine a short ping would cut living ones."""
    bot.ping_every = 5.0
    return bot


@asynccontextmanager
async def slack_stage(folder: Path, library: Library, way: Way) -> AsyncIterator[SlackStage]:
    """A stage on Slack; afterwards nothing may have been sent that Slack refuses."""
    clock = HandClock(START)
    # How fast Slack is answered is measured elsewhere; here a busy machine shall not decide.
    async with SlackStandin(clock=lambda: clock.now().timestamp(), ack_timeout=MOST_WAIT) as slack:
        stage = SlackStage(slack, clock, folder, library, way)
        await stage.bot.begin()
        try:
            yield stage
        finally:
            await stage.bot.end()
    assert slack.violations == []


# --- reading blocks --------------------------------------------------------------------------------------------------

MARKS = {"✅ ": "✓ ", "❌ ": "✗ ", "👉 ": "● "}


def _lines(blocks: list[JSON]) -> Iterator[str]:
    for block in blocks:
        match block["type"]:
            case "header" | "section":
                yield _text(block["text"])
            case "rich_text":
                for part in block["elements"]:
                    yield from _marked("".join(map(_rich, part["elements"]))).split("\n")
            case "context":
                yield "".join(_text(part) for part in block["elements"] if part["type"] != "image")
            case "input":
                yield _text(block["label"])
                for choice in block["element"].get("options", ()):
                    yield _text(choice["text"])


def _labels(blocks: list[JSON]) -> Iterator[str]:
    for block in blocks:
        if block["type"] == "actions":
            yield from (part["text"]["text"] for part in block["elements"])


def _rich(part: JSON) -> str:
    return moment(part["timestamp"]) if part["type"] == "date" else str(part["text"])


def _marked(text: str) -> str:
    for sign, mark in MARKS.items():
        text = re.sub(rf"^{sign}", mark, text, flags=re.MULTILINE)
    return text


_DATE = re.compile(r"<!date\^(\d+)\^[^|]*\|[^>]*>")
_LINK = re.compile(r"<https?://[^|>]*\|([^>]*)>")
_BOLD = re.compile(r"(?<!\w)([*`])(\S(?:.*?\S)?)\1(?!\w)")


def _text(part: JSON) -> str:
    """A text object as a person reads it."""
    text = str(part["text"])
    if part["type"] == "plain_text":
        return text
    text = _DATE.sub(lambda found: moment(float(found[1])), text)
    text = _BOLD.sub(r"\2", _LINK.sub(r"\1", text))
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _typed(text: str) -> str:
    """What Slack's client makes of a typed line."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
