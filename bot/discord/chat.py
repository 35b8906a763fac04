"""Posting on Discord: the engine's ``Chat`` over REST. Every refusal becomes a ``ChatError``, by one table."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Literal, cast

import aiohttp
import discord

from bot.card import Card, Heading, plain
from bot.chat import ChatError, Message, Place, Platform, Reaction
from bot.discord.channels import Channels
from bot.discord.checks import THREADS, lacks
from bot.discord.direct import addressed
from bot.discord.errors import meaning_of
from bot.discord.markdown import plain_line
from bot.discord.outbound import Dressed, Marks, marks_of, private, public
from bot.drill.keycaps import keycap_of

LOOK_BACK = 500
"""Messages of a channel that are looked at for a lost one: it stands near the time it was sent at."""

TOLD_LOOK_BACK = 50
"""Direct messages to one person that are looked at for one of ours."""

REMEMBERED = 2000
PAGE: Literal[100] = 100
"""People of one reaction that Discord lists at once."""

NORMAL: Literal[0] = 0
SUPER: Literal[1] = 1
THREAD_LIVES: Literal[4320] = 4320
"""Minutes without a word after which Discord folds a thread away (it can still be opened and answered)."""

UNKNOWN_CHANNEL = 10003
UNKNOWN_MESSAGE = 10008
THREAD_EXISTS = 160004


def chat_error(error: Exception) -> ChatError:
    """What the ledger may conclude from a failed call."""
    match error:
        case discord.RateLimited():
            return ChatError("retry", "rate-limited", error.retry_after, "busy")
        case discord.HTTPException():
            return _refusal(error)
        case aiohttp.ClientConnectorError():
            return ChatError("retry", "unreachable", cure="outage")
        case _:
            return ChatError("unsure", type(error).__name__, cure="outage")


def _refusal(error: discord.HTTPException) -> ChatError:
    code = str(error.code or f"http-{error.status}")
    meant = meaning_of(error.code, error.status)
    patience = (_retry_after(error) or meant.patience or 5.0) if meant.outcome == "retry" else None
    return ChatError(meant.outcome, code, patience, meant.cure)


def _retry_after(error: discord.HTTPException) -> float | None:
    headers: Any = getattr(error.response, "headers", None) or {}
    try:
        return float(headers["Retry-After"])
    except (KeyError, ValueError):
        return None


@asynccontextmanager
async def refusals() -> AsyncIterator[None]:
    """Turns every failure of a call into a ``ChatError``."""
    try:
        yield
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        raise chat_error(error) from error


class DiscordChat:
    """Channels, threads and direct messages, through a client that is logged in."""

    platform: Platform = "discord"

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._channels = Channels(client)
        self._known: OrderedDict[str, tuple[Marks | None, str]] = OrderedDict()

    async def post(self, place: Place, card: Card, key: str) -> Message:
        """Post to the channel. A second post with the same key within minutes gives the first message.

        In a forum it is a post of its own, with a title.
        """
        async with refusals():
            return await self._post(place, card, key)

    async def reply(self, place: Place, to: Message, card: Card, key: str) -> Message:
        """Post into the thread of ``to``; into the channel itself where ``to`` was deleted.

        In a thread, which can hold no threads, it answers ``to``.
        """
        async with refusals():
            kind = await self._channels.kind(place.channel)
            if kind == "thread":
                return Message(await self._send(place.channel, card, key, to.id))
            try:
                opened = to.thread or (to.id if kind == "forum" else "")
                thread = opened or await self._open_thread(place, to)
                return Message(await self._send(thread, card, key), thread)
            except discord.NotFound as error:
                if error.code not in (UNKNOWN_MESSAGE, UNKNOWN_CHANNEL):
                    raise
            return await self._post(place, card, key)

    async def edit(self, place: Place, message: Message, card: Card) -> None:
        """Show ``card`` instead. The message can still be found by its key."""
        async with refusals():
            marks, _ = await self._what(place, message)
            dressed = public(card, marks)
            home = await self._channels.home(place.channel, message)
            partial = self._channel(home).get_partial_message(int(message.id))
            try:
                await partial.edit(view=dressed.view, attachments=dressed.files)
            except discord.HTTPException as error:
                if not await self._channels.unfold(error, home):
                    raise
                await partial.edit(view=dressed.view, attachments=public(card, marks).files)
            self._remember(message.id, marks, card)

    async def find(self, place: Place, key: str, since: datetime, thread: Message | None = None) -> Message | None:
        """Our message with this key, among the first ``LOOK_BACK`` since then."""
        async with refusals():
            kind = await self._channels.kind(place.channel)
            if thread is not None and kind != "thread":
                inside = thread.thread or thread.id
                found = await self._look(inside, key, since)
                if found:
                    return Message(found, inside)
            if kind == "forum":
                return await self._look_in_forum(place, key, since)
            found = await self._look(place.channel, key, since)
            return Message(found) if found else None

    async def tell(self, workspace: str, member: str, card: Card) -> None:
        """A direct message; permanent where the person takes none."""
        async with refusals():
            channel = await self._client.create_dm(discord.Object(int(member)))
            for dressed in private(addressed(card, workspace)):
                await channel.send(view=dressed.view, files=dressed.files)

    async def was_told(self, workspace: str, member: str, card: Card, since: datetime) -> bool | None:
        """Whether the card stands there, told by its words: what is read back has no nonce."""
        async with refusals():
            channel = await self._client.create_dm(discord.Object(int(member)))
            shown: Any = private(addressed(card, workspace))[0].view
            wanted = _words(shown.to_components())
            async for message in channel.history(limit=TOLD_LOOK_BACK, after=since):
                mine = self._client.user is not None and message.author.id == self._client.user.id
                if mine and _words([component.to_dict() for component in message.components]) == wanted:
                    return True
            return False

    async def react(self, place: Place, message: Message, emoji: Sequence[str]) -> None:
        """Leave these emoji under the message, in this order."""
        async with refusals():
            home = int(await self._channels.home(place.channel, message))
            for one in emoji:
                await self._client.http.add_reaction(home, int(message.id), one)

    async def reactions(
        self, place: Place, message: Message, emoji: Sequence[str], known: Collection[str] = ()
    ) -> Sequence[Reaction]:
        """Who has left which of these emoji, super reactions too; page by page."""
        found: dict[tuple[str, str], Reaction] = {}
        async with refusals():
            home = int(await self._channels.home(place.channel, message))
            shown = await self._client.http.get_message(home, int(message.id))
            for listed in shown.get("reactions", ()):
                name = listed["emoji"].get("name") or ""
                keycap = keycap_of(name)
                if listed["emoji"].get("id") or keycap not in emoji:
                    continue
                for kind in (NORMAL, SUPER) if _has_super(listed) else (NORMAL,):
                    async for user in self._people_behind(home, message, name, kind):
                        if not user.get("bot") and not user.get("system"):
                            shown_name = user.get("global_name") or user.get("username") or ""
                            found[user["id"], keycap] = Reaction(str(user["id"]), shown_name, keycap)
        return list(found.values())

    async def _people_behind(
        self, channel: int, message: Message, emoji: str, kind: Literal[0, 1]
    ) -> AsyncIterator[Any]:
        after: int | None = None
        while True:
            page = await self._client.http.get_reaction_users(channel, int(message.id), emoji, PAGE, after, kind)
            fresh = [user for user in page if after is None or int(user["id"]) > after]
            for user in fresh:
                yield user
            if len(page) < PAGE or not fresh:
                return
            after = max(int(user["id"]) for user in fresh)

    async def check(self, place: Place, *, reactions: bool = False) -> Sequence[str]:
        """What is missing for drills in the channel, as names of cures. Asked of Discord itself, not of a cache."""
        try:
            async with refusals():
                channel: Any = await self._client.http.get_channel(int(place.channel))
                if not channel.get("guild_id"):
                    return ["direct"]
                guild = await self._client.http.get_guild(int(place.workspace), with_counts=False)
                assert self._client.user is not None
                member = await self._client.http.get_member(int(place.workspace), self._client.user.id)
                in_thread = channel.get("type") in THREADS
                parent: Any = await self._client.http.get_channel(int(channel["parent_id"])) if in_thread else None
        except ChatError as error:
            if error.outcome != "permanent":
                raise
            return (error.cure or "unknown",)
        return lacks(channel, cast(Any, guild), cast(Any, member), parent=parent, reactions=reactions)

    # --- pieces ----------------------------------------------------------------------------------------------

    def _channel(self, channel_id: str) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(int(channel_id))

    async def _post(self, place: Place, card: Card, key: str) -> Message:
        if await self._channels.kind(place.channel) != "forum":
            return Message(await self._send(place.channel, card, key))
        marks = marks_of(key)
        opened = await self._channels.open_post(place.channel, _title_of(card), public(card, marks))
        self._remember(opened.id, marks, card)
        return opened

    async def _send(self, channel_id: str, card: Card, key: str, answers: str = "") -> str:
        if len(key) > 25 or not key.isascii():
            raise ValueError(f"the key {key!r} is no nonce: 25 ASCII characters at most")
        marks = marks_of(key)
        dressed: Dressed = public(card, marks)
        more: dict[str, Any] = {}
        if answers:
            more["reference"] = discord.MessageReference(
                message_id=int(answers), channel_id=int(channel_id), fail_if_not_exists=False
            )
        sent = await self._channel(channel_id).send(view=dressed.view, files=dressed.files, nonce=key, **more)
        self._remember(str(sent.id), marks, card)
        return str(sent.id)

    async def _open_thread(self, place: Place, to: Message) -> str:
        """The thread of a message; its id is the message's own."""
        _, title = await self._what(place, to)
        try:
            # Not PartialMessage.create_thread: that needs the server in the cache, which a lost gateway empties.
            await self._client.http.start_thread_with_message(
                int(place.channel), int(to.id), name=title or "…", auto_archive_duration=THREAD_LIVES
            )
        except discord.HTTPException as error:
            if error.code != THREAD_EXISTS:
                raise
        return to.id

    async def _look_in_forum(self, place: Place, key: str, since: datetime) -> Message | None:
        wanted = marks_of(key)
        async for message, thread in self._channels.posts(place.workspace, place.channel, since):
            if _marks_in(message) == wanted:
                return Message(str(message.id), thread)
        return None

    async def _look(self, channel_id: str, key: str, since: datetime) -> str | None:
        me, wanted = self._client.user, marks_of(key)
        history = self._channel(channel_id).history(limit=LOOK_BACK, after=since, oldest_first=True)
        try:
            async for message in history:
                if me is not None and message.author.id == me.id and _marks_in(message) == wanted:
                    return str(message.id)
        except discord.NotFound as error:
            if error.code != UNKNOWN_CHANNEL:
                raise
        return None

    async def _what(self, place: Place, message: Message) -> tuple[Marks | None, str]:
        """The marks and the title of a message: remembered, or read once after a restart."""
        known = self._known.get(message.id)
        if known is None:
            home = await self._channels.home(place.channel, message)
            found = await self._channel(home).fetch_message(int(message.id))
            known = (_marks_in(found), _title_in(found))
            self._keep(message.id, known)
        return known

    def _remember(self, message_id: str, marks: Marks | None, card: Card) -> None:
        self._keep(message_id, (marks, _title_of(card)))

    def _keep(self, message_id: str, known: tuple[Marks | None, str]) -> None:
        self._known[message_id] = known
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _title_of(card: Card) -> str:
    """What a thread is called: the card's heading."""
    heading = next((part.line for part in card.parts if isinstance(part, Heading)), ())
    return plain_line((plain(heading),))[:100]


def _has_super(listed: Any) -> bool:
    return bool((listed.get("count_details") or {}).get("burst"))


def _ids(message: discord.Message) -> Iterator[tuple[int | None, Any]]:
    for component in message.components:
        if isinstance(component, discord.Container):
            yield component.id, component


def _words(components: Any) -> list[str]:
    """All texts of components, in their order."""
    found: list[str] = []
    for component in components:
        if isinstance(component.get("content"), str):
            found.append(component["content"].strip())
        found += _words(component.get("components") or ())
    return found


def _marks_in(message: discord.Message) -> Marks | None:
    for container_id, container in _ids(message):
        texts = [child.id for child in container.children if isinstance(child, discord.TextDisplay)]
        if container_id and texts and texts[0] and container_id >= 1000 <= texts[0]:
            return container_id, texts[0]
    return None


def _title_in(message: discord.Message) -> str:
    for _, container in _ids(message):
        for child in container.children:
            if isinstance(child, discord.TextDisplay):
                first = child.content.partition("\n")[0].lstrip("# ")
                return first.replace("\\", "")[:100]
    return ""
