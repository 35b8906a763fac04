"""Bolt's listeners: one for each kind of payload, which hands on to the conversation and acknowledges.

An answer is stored before it is acknowledged; what is said about it follows in a task of its own, except for forms,
whose acknowledgement carries the verdict.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.error import BoltUnhandledRequestError
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.chat import ChatError, Event, Place, Reacted, Reply, Say, Submission, Who
from bot.conversation import Conversation, needs_admin
from bot.drill.errors import DrillError
from bot.slack import inbound, lifecycle
from bot.slack.home import Homes
from bot.slack.inbound import Unreadable
from bot.slack.people import People
from bot.slack.replies import Replies
from bot.slack.standing import Standing
from bot.slack.tasks import Tasks
from bot.slack.wording import JSON
from bot.texts import language_of

log = logging.getLogger(__name__)
ANY = re.compile("")
NAME_WITHIN = 1.0
"""Seconds for the name of a channel that was chosen in a form; it is asked for beside everything else."""


class Hearing:
    """What a person does in Slack, from payload to answer."""

    def __init__(
        self, conversation: Conversation, people: People, replies: Replies, standing: Standing, tasks: Tasks
    ) -> None:
        self.conversation = conversation
        self.people = people
        self.replies = replies
        self.standing = standing
        self.tasks = tasks
        self.homes = Homes(standing, tasks, conversation.home)

    def listen(self, bolt: AsyncApp) -> None:
        """Register with Bolt. Every further listener would cost each request a little, so there is one a kind."""
        bolt.action(ANY)(self.on_tap)
        bolt.view(ANY)(self.on_submission)
        bolt.view_closed(ANY)(_on_nothing)
        bolt.command(ANY)(self.on_command)
        bolt.event(ANY)(self.on_event)
        bolt.error(_on_error)

    async def on_tap(self, ack: AsyncAck, body: JSON, context: AsyncBoltContext) -> None:
        heard = inbound.tap(body, _workspace(context))
        if heard is not None:
            tap, origin = heard
            self.replies.make_way()
            who, reply = await self._listen(tap)
            self.tasks.start(self.replies.answer_later(origin, reply, language_of(who.language)))
            self.homes.changed(who)
        await ack()

    async def on_submission(self, ack: AsyncAck, body: JSON, context: AsyncBoltContext) -> None:
        event, origin = inbound.submission(body, _workspace(context))
        naming = self.tasks.start(self._name_of(event.place)) if origin.chosen and event.place else None
        who, reply = await self._listen(event, naming)
        await ack(self.replies.verdict(origin, reply()))
        self.homes.changed(who)

    async def on_command(self, ack: AsyncAck, body: JSON, context: AsyncBoltContext) -> None:
        stranger, origin = inbound.typist(body, _workspace(context))
        reply: Reply
        try:
            who, heard = await self._listen(inbound.command(body, stranger))
            reply = heard()
        except DrillError as error:
            who = await self.people.complete(stranger)
            reply = Say(self.conversation.cards.explain(error, language_of(who.language)))
        self.tasks.start(self.replies.answer(origin, reply, language_of(who.language)))
        self.homes.changed(who)
        await ack()

    async def on_event(self, body: JSON, context: AsyncBoltContext) -> None:
        event, workspace = body["event"], _workspace(context)
        match event["type"]:
            case "app_uninstalled":
                await self.standing.lose(workspace, "app_uninstalled", at=_moment(body))
            case "reaction_added" | "reaction_removed":
                await self._on_reaction(inbound.reacted(event, workspace))
            case "app_home_opened" if event.get("tab") == "home":
                await self._on_home(inbound.opened(event, workspace))
            case kind if kind in lifecycle.KINDS:
                await self._on_lifecycle(event, workspace)
            case "tokens_revoked" if await self._is_revoked(workspace, event):
                await self.standing.lose(workspace, "token_revoked", at=_moment(body))

    async def _on_home(self, opened: tuple[Who, str]) -> None:
        stranger, hash_ = opened
        try:
            who = await self.people.as_of_now(stranger)
        except ChatError as error:
            log.warning("Slack could not be asked whether somebody is an admin: %s", error)
            who = self.people.as_remembered(stranger)
        self.homes.opened(who, hash_)

    async def _on_lifecycle(self, event: JSON, workspace: str) -> None:
        """What happened to a channel, or to the bot in it. Slack tells it again where it could not be stored."""
        installed = await self.standing.installation(workspace)
        bot_user = installed.bot_user if installed else ""
        found = lifecycle.happening(event, workspace, bot_user)
        if found is None:
            return
        stored = await self.conversation.happened(found)
        if stored and (inviter := lifecycle.inviter(event, bot_user)):
            stored = await self.conversation.joined("slack", workspace, installed.name if installed else "", inviter)
        if not stored:
            raise ChatError("retry", "not_stored")

    async def _on_reaction(self, event: Reacted | None) -> None:
        """A keycap. Of somebody of whom Slack does not say in time that they are a person, the list tells at close."""
        if event is None or event.who is None:
            return
        who = await self.people.is_person(event.who)
        if who is not None and not await self.conversation.reacted(replace(event, who=who)):
            raise ChatError("retry", "not_stored")

    async def _name_of(self, place: Place) -> str:
        """The name of a channel, where Slack tells it in time."""
        try:
            async with asyncio.timeout(NAME_WITHIN):
                found = await self.standing.call(
                    place.workspace, AsyncWebClient.conversations_info, channel=place.channel
                )
        except (ChatError, TimeoutError) as error:
            log.info("conversations.info: %s", error)
            return ""
        return inbound.name_of_channel(found.get("channel"))

    async def _listen(self, event: Event, naming: Awaitable[str] | None = None) -> tuple[Who, Callable[[], Reply]]:
        """Who it was, once what the event does is durable; the reply is made later, when Slack has its acknowledgement.

        Slack is asked at most once who they are: it gives three seconds for everything together.
        """
        if needs_admin(event):
            try:
                who = await self.people.as_of_now(event.who)
            except ChatError as error:
                log.warning("Slack could not be asked whether somebody is an admin: %s", error)
                who = self.people.as_remembered(event.who)
                broken = self.conversation.cards.broken(language_of(who.language))
                return who, lambda: Say(broken)
        else:
            who = await self.people.complete(event.who)
        if naming is not None and isinstance(event, Submission):
            event = replace(event, channel_name=await naming)
        return who, await self.conversation.listen(replace(event, who=who))

    async def _is_revoked(self, workspace: str, event: JSON) -> bool:
        tokens: Any = event.get("tokens")
        bots = tokens.get("bot") if isinstance(tokens, dict) else None
        installed = await self.standing.installation(workspace)
        return isinstance(bots, list) and installed is not None and installed.bot_user in bots


def _workspace(context: AsyncBoltContext) -> str:
    """The workspace the app is installed in (``app.py`` finds it); a guest's own, in a shared channel, is another."""
    if not context.team_id:
        raise Unreadable("there is no workspace")
    return context.team_id


def _moment(body: JSON) -> float | None:
    """When Slack says that the event happened, in seconds since 1970."""
    at = body.get("event_time")
    return float(at) if isinstance(at, int | float) and 0 < at < _LAST_MOMENT else None


_LAST_MOMENT = 1e11


async def _on_nothing(ack: AsyncAck) -> None:
    await ack()


async def _on_error(error: Exception, body: JSON) -> BoltResponse:
    """What Slack is told when a listener failed. Bolt's own handler would log the body, which names people."""
    match error:
        case Unreadable():
            log.warning("an unreadable %s from Slack: %s", _kind(body), error)
            return BoltResponse(status=200, body="")
        case BoltUnhandledRequestError():
            log.info("a %s from Slack that nothing here listens to", _kind(body))
            return BoltResponse(status=200, body="")
        case ChatError():
            log.warning("a %s from Slack could not be handled: %s", _kind(body), error)
        case _:
            log.error("a %s from Slack could not be handled", _kind(body), exc_info=error)
    # Slack delivers an event again, and tells a person who tapped that it did not work.
    return BoltResponse(status=500, body="")


def _kind(body: Any) -> str:
    kind = body.get("type") if isinstance(body, dict) else None
    return kind[:40] if isinstance(kind, str) and kind.isidentifier() else "request"
