"""The stage on Discord: the real client against simcord, and every request against Discord's own description."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import simcord
from discord.app_commands import CommandNotFound
from simcord.components import walk_components
from simcord.enums import ComponentType, InteractionType

from bot.app import App
from bot.card import Button, Buttons, Card, Paragraph
from bot.chat import Place
from bot.commands import BY_NAME, COMMANDS, parse
from bot.discord.markdown import ZERO
from bot.discord.slash import MENTIONED
from bot.drill.errors import UnknownCommand
from content.library import Library
from tests.contracts.stage import CAST, START, Name, Person, Shown, moment
from tests.discord.world import World, lose_replies, raw_components, world

TEXT, BUTTON, GALLERY = 10, 2, 12
OPTION = re.compile(rf"\b({'|'.join(sorted({o.name for spec in COMMANDS for o in spec.options}))}):(?=\S)")


class DiscordStage:
    """One server, one channel with everybody in it."""

    name: Name = "discord"

    def __init__(self, w: World) -> None:
        self.w = w
        self.actors: dict[Person, Any] = {}
        for person in CAST:
            made = {"ann": w.admin, "ben": w.ben}.get(person.name)
            self.actors[person] = made or w.person(person.name, "zh-CN" if person.language == "zh" else "en-US")
        self._result: dict[Person, Any] = {}
        self._last: dict[Person, Shown] = {}
        self._other_bot: Any = None

    @property
    def app(self) -> App:
        return self.w.app

    async def command(self, who: Person, text: str) -> Shown:
        try:
            name, options = parse(text)
        except UnknownCommand:
            return self._saw(who, await self._gone_command(who, text.split()[0]))
        if not BY_NAME[name].admin:
            return self._saw(who, await self.actors[who].slash(self.w.channel, f"drill {name}", **options))
        chosen = {option: self._chosen(name, option, value) for option, value in options.items()}
        if who.admin and None not in chosen.values():
            return self._saw(who, await self.actors[who].slash(self.w.channel, f"drill-admin {name}", **chosen))
        # Discord shows /drill-admin to managers alone; what others can do is to type it.
        return self._saw(who, await self.actors[who].slash(self.w.channel, "drill admin", line=text))

    def _chosen(self, command: str, option: str, value: str) -> Any:
        """What is given for an option: text, or the person or role that is mentioned (``None``: no such one)."""
        if (command, option) not in MENTIONED:
            return value
        people = {f"<@{actor.id}>": actor for actor in self.actors.values()}
        roles = {role.mention: role for role in self.w.guild.roles.values()}
        return (people | roles).get(value)

    async def tap(self, who: Person, where: Shown, label: str) -> Shown:
        return self._saw(who, await self.actors[who].click(where.raw, label=label))

    async def fill(self, who: Person, **values: str | tuple[str, ...]) -> Shown:
        """What fits no form stands on a panel with a button for each page; a fault has a button back to its form."""
        left = dict(values)
        shown = self._last[who]
        while True:
            if not shown.fields:
                shown = await self._open_form(who, shown, left)
            mine = {name: left.pop(name) for name in tuple(left) if name in shown.fields}
            shown = await self._send(who, mine) if shown.fields else shown
            if not left or "Save" not in shown.buttons:
                return shown
            shown = await self.tap(who, shown, "Change")

    async def seen(self, who: Person) -> list[Shown]:
        actor = self.actors[who]
        places = [self.w.channel, *self.w.threads]
        found = [m for place in places for m in place.history(viewer=actor) if m.flags.ephemeral]
        shown = [self._shown(message) for message in sorted(found, key=lambda message: message.id)]
        result = self._result.get(who)
        if result is None or result.modal is None or result._interaction.modal_consumed:
            return shown
        return [*shown, _form(result.modal)]

    async def channel(self) -> list[Shown]:
        threads = {thread.id: thread for thread in self.w.threads}
        made = []
        for message in self.w.posts():
            thread = threads.get(message.id)
            replies = tuple(self._shown(reply) for reply in self.w.posts(thread)) if thread else ()
            made.append(self._shown(message, replies))
        return made

    async def exposed(self) -> str:
        private = ("/interactions/", "/webhooks/")
        sent = [r.json for r in self.w.env.http_requests if r.json and not r.path.startswith(private)]
        return json.dumps(sent, ensure_ascii=False, default=str)

    async def at(self, moment: datetime) -> None:
        await self.w.until(max(moment, self.w.clock.now()))

    async def restart(self) -> None:
        await self.w.restart()

    async def lose_reply(self) -> Callable[[], int]:
        path = f"/channels/{self.w.channel.id}/messages"
        lose_replies(self.w, lambda route: route.method == "POST" and route.url.endswith(path), TimeoutError())
        return lambda: len([r for r in self.w.env.http_requests if r.method == "POST" and r.path == path])

    async def react(self, who: Person, where: Shown, emoji: str, *, there: bool = True, heard: bool = True) -> None:
        await self._react(self.actors[who], where, emoji, there, heard)

    async def react_as_bot(self, where: Shown, emoji: str, *, heard: bool = True) -> None:
        if self._other_bot is None:
            self._other_bot = self.w.guild.add_member(self.w.env.create_user("otherbot", bot=True))
        await self._react(self._other_bot, where, emoji, True, heard)

    async def _react(self, actor: Any, where: Shown, emoji: str, there: bool, heard: bool) -> None:
        if heard:
            await actor.set_reaction(where.raw, emoji, reacted=there)
            return
        backend = self.w.env.backend
        told = backend.emit
        backend.emit = lambda *_: None
        try:
            backend.set_reaction(self.w.channel.id, where.raw.id, emoji, actor.id, there)
        finally:
            backend.emit = told

    async def left(self, where: Shown) -> dict[str, int]:
        message = self.w.env.backend.get_message(self.w.channel.id, where.raw.id)
        return {reaction.emoji: len(reaction.user_ids) for reaction in message.reactions}

    async def forge(self, *actions: str) -> Shown:
        rows = tuple(Buttons((Button(str(n), action),)) for n, action in enumerate(actions, 1))
        place = Place(str(self.w.guild.id), str(self.w.channel.id))
        posted = await self.app.chats["discord"].post(place, Card("?", (Paragraph(("?",)), *rows)), "forged")
        return next(shown for shown in await self.channel() if shown.id == posted.id)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _saw(self, who: Person, result: Any) -> Shown:
        self._result[who] = result
        self._last[who] = self._told(who, result)
        return self._last[who]

    def _told(self, who: Person, result: Any) -> Shown:
        assert result.acknowledged, f"{who.name} was told by Discord that the interaction failed"
        if result.modal is not None:
            return _form(result.modal)
        assert result.response is not None, f"{who.name} was told nothing"
        assert result.response.ephemeral, f"everybody was told what {who.name} alone should hear"
        first = self._shown(result.response)
        rest = [self._shown(more) for more in result.followups]
        text = "\n".join([first.text, *(more.text for more in rest)])
        return Shown(first.id, text, first.buttons, first.pictures, pings=first.pings, raw=first.raw)

    async def _gone_command(self, who: Person, name: str) -> Any:
        """Discord shows only commands there are; one that is gone may still stand in a client's list for a while."""
        visible = self.w.env.backend.visible_commands(user_id=self.actors[who].id, channel_id=self.w.channel.id)
        root = next(command for command in visible if command["name"] == "drill")
        data = {"id": root["id"], "name": "drill", "type": 1, "options": [{"type": 1, "name": name, "options": []}]}
        kind = InteractionType.APPLICATION_COMMAND
        result = await self.actors[who]._dispatch_interaction(kind, self.w.channel, data)
        # The library's own complaint, which the bot has answered; reading it is what makes simcord let it be.
        assert isinstance(self.w.env.errors[-1], CommandNotFound)
        return result

    async def _open_form(self, who: Person, shown: Shown, wanted: dict[str, Any]) -> Shown:
        """The page of a panel that holds one of these fields, or the panel sent as it stands; else the way back."""
        *pages, last = shown.buttons
        if not pages or not wanted:
            return await self.tap(who, shown, last)
        for page in pages:
            opened = await self.tap(who, shown, page)
            if set(opened.fields) & set(wanted):
                return opened
        raise AssertionError(f"{who.name} finds no form with {list(wanted)}")

    async def _send(self, who: Person, values: dict[str, str | tuple[str, ...]]) -> Shown:
        opened = self._result[who]
        given = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return self._saw(who, await self.actors[who].submit_modal(opened, _defaults(opened.modal) | given))

    def _shown(self, message: Any, thread: tuple[Shown, ...] = ()) -> Shown:
        components = raw_components(message)
        real = message.message if isinstance(message, simcord.ResponseMessage) else message
        return Shown(
            str(message.id),
            plain("\n".join(c["content"] for c in walk_components(components) if c["type"] == TEXT)),
            tuple(_labels(components)),
            tuple(_pictures(components, real)),
            pings=("@everyone",) * real.mention_everyone + tuple(str(user) for user in real.mentions),
            thread=thread,
            raw=message,
        )


@asynccontextmanager
async def discord_stage(folder: Path, library: Library) -> AsyncIterator[DiscordStage]:
    """A stage on Discord; afterwards every request is held against Discord's schema."""
    async with world(folder, tuple(library)) as w:
        stage = DiscordStage(w)
        await stage.at(START)
        yield stage


# --- reading components ----------------------------------------------------------------------------------------------


def _labels(components: Any) -> list[str]:
    return [c["label"] for c in walk_components(components) if c["type"] == BUTTON]


def _pictures(components: Any, message: Any) -> list[str]:
    """The alt text of every picture that is really attached."""
    shown = [item for c in walk_components(components) if c["type"] == GALLERY for item in c["items"]]
    assert len(shown) == len([a for a in message.attachments if a.content_type == "image/png"])
    return [item["description"].replace(ZERO, "") for item in shown]


def _form(modal: dict[str, Any]) -> Shown:
    lines, fields = [], []
    for part in modal["components"]:
        if part["type"] == TEXT:
            lines.append(plain(part["content"]))
            continue
        lines.append(part["label"])
        fields.append(part["component"]["custom_id"])
        lines += [option["label"] for option in part["component"].get("options", ())]
    return Shown(modal["custom_id"], "\n".join(lines), fields=tuple(fields))


def _defaults(modal: dict[str, Any]) -> dict[str, Any]:
    """What stands in the form already, as Discord's client would send it back."""
    found: dict[str, Any] = {}
    for part in modal["components"]:
        field = part.get("component", {})
        if "options" in field:
            chosen = [option["value"] for option in field["options"] if option.get("default")]
            is_radio = field["type"] == ComponentType.RADIO_GROUP
            if chosen or not is_radio:
                found[field["custom_id"]] = chosen[0] if is_radio else chosen
        elif field.get("value"):
            found[field["custom_id"]] = field["value"]
    return found


MARKS = {"✅": "✓", "❌": "✗", "◉": "●"}
_FENCE = re.compile(r"```\n(.*?)\n```", re.DOTALL)
_DRESS = re.compile(
    r"\\(?P<escaped>[^\w\s])|(?P<bold>\*\*)|(?P<ticks>``?) ?(?P<code>.+?) ?(?P=ticks)"
    r"|<t:(?P<moment>\d+):\w>|\[(?P<label>(?:\\.|[^\]])+)\]\(<[^>]*>\)"
)


def plain(markdown: str) -> str:
    """Markdown as it is read: Discord's own dress taken off, escapes undone."""
    pieces, place = [], 0
    for block in _FENCE.finditer(markdown):
        pieces += [_line(line) for line in markdown[place : block.start()].split("\n")]
        pieces += [line for line in block[1].split("\n") if not line.startswith("─")]
        place = block.end()
    pieces += [_line(line) for line in markdown[place:].split("\n")]
    shown = "\n".join(line for line in pieces if line.strip()).replace(ZERO, "")
    # The names that differ: /drill-admin for what is /drill elsewhere, and time:09:30 for time=09:30.
    lines = shown.replace("/drill-admin ", "/drill ").split("\n")
    return "\n".join(OPTION.sub(r"\1=", line) if "/drill " in line else line for line in lines)


def _line(line: str) -> str:
    line = re.sub(r"^(### |-# )", "", line)
    if line[:2].strip() in MARKS:
        line = MARKS[line[0]] + line[1:]
    return _DRESS.sub(_undressed, line)


def _undressed(found: re.Match[str]) -> str:
    if found["moment"]:
        return moment(float(found["moment"]))
    if found["label"]:
        return _line(found["label"])
    return found["escaped"] or found["code"] or ""
