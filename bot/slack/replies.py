"""Answers to what a person did: privately, at the place where they did it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace as changed
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.card import Button, Buttons, Card, File, Paragraph
from bot.cards import notice_card
from bot.chat import Ask, ChatError, Reply, Say, Wrong
from bot.slack.faults import as_chat_errors
from bot.slack.files import files_of, send_files
from bot.slack.inbound import Origin
from bot.slack.outbound import card_view, form_view, message
from bot.slack.standing import Standing
from bot.slack.wording import JSON, cut
from bot.texts import texts

log = logging.getLogger(__name__)

MOST_FAULT = 500
PATIENCE = 5.0
"""Seconds that a private reply may wait for its second try; a person does not wait longer."""


AT_ONCE = 64
"""Private replies on their way at a time."""

QUIET = 0.02
"""Seconds without a click after which a burst is over."""

STAND_BACK = 1.0
"""Seconds that a private reply waits in a burst: acknowledgements come first, since Slack gives them three."""


class Replies:
    """``broken`` is the card for what failed on our side, in the person's language."""

    def __init__(
        self,
        standing: Standing,
        session: aiohttp.ClientSession,
        broken: Callable[[str], Card],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.standing = standing
        self.session = session
        self._broken = broken
        self._sleep = sleep
        self._room = asyncio.Semaphore(AT_ONCE)
        self._calm = asyncio.Event()
        self._calm.set()
        self._last_click = float("-inf")
        self._watching: asyncio.Task[None] | None = None

    def make_way(self) -> None:
        """A click is being taken. Where clicks come thick and fast, private replies let them go first."""
        now = asyncio.get_running_loop().time()
        if now - self._last_click < QUIET and self._calm.is_set():
            self._calm.clear()
            self._watching = asyncio.create_task(self._wait_for_quiet())
        self._last_click = now

    async def _wait_for_quiet(self) -> None:
        loop = asyncio.get_running_loop()
        while loop.time() - self._last_click < QUIET:  # noqa: ASYNC110 — it is time itself that is waited for
            await asyncio.sleep(QUIET)
        self._calm.set()

    async def answer_later(self, origin: Origin, reply: Callable[[], Reply], language: str) -> None:
        """``answer`` when clicks have paused for a moment, or after ``STAND_BACK`` seconds all the same.

        A form has time for that too: its trigger is good for three seconds.
        """
        if not self._calm.is_set():
            # Past it, in a long burst, replies go out between the clicks.
            with suppress(TimeoutError):
                await asyncio.wait_for(self._calm.wait(), STAND_BACK)
        await self.answer(origin, reply(), language)

    async def answer(self, origin: Origin, reply: Reply, language: str) -> None:
        """Answer a tap or a command. Raises ``ChatError`` when even the second way fails."""
        match reply:
            case Ask(form=form):
                await self._ask(origin, form_view(form, origin.channel), language)
            case Say(card=card, replace=replace):
                async with self._room:
                    sent = await self._send_files(origin, files_of(card))
                    await self._say(origin, card if sent else self._broken(language), replace)
            case Wrong(faults=faults):
                await self._say(origin, notice_card(" ".join(faults.values())), replace=False)

    def verdict(self, origin: Origin, reply: Reply) -> JSON:
        """What the acknowledgement of a form says: the modal shows the answer, or which field is wrong."""
        match reply:
            case Wrong(faults=faults):
                return {"response_action": "errors", "errors": _field_errors(faults, origin)}
            case Ask(form=form):
                view = form_view(form, origin.channel)
            case Say(card=card):
                view = card_view(card, origin.title, origin.channel)
        return {"response_action": "update", "view": view}

    async def _ask(self, origin: Origin, view: JSON, language: str) -> None:
        try:
            if origin.view:
                await self._call(origin, AsyncWebClient.views_update, view_id=origin.view, view=view)
            else:
                await self._call(origin, AsyncWebClient.views_open, trigger_id=origin.trigger, view=view)
        except ChatError as error:
            # The three seconds of a trigger are over, or Slack is busy: the person should know and try again.
            log.warning("a form could not be opened: %s", error)
            if origin.home:
                await self._tell(origin, again_card(origin.action, language))
            else:
                await self._say(changed(origin, view=""), again_card(origin.action, language), replace=False)

    async def _say(self, origin: Origin, card: Card, replace: bool) -> None:
        if origin.view and await self._show_in_view(origin, card):
            return
        if origin.home:
            await self._show_from_home(origin, card)
            return
        replace = replace and not origin.shared
        body = message(card) | {"response_type": "ephemeral", "replace_original": replace}
        if origin.thread and not replace:
            body["thread_ts"] = origin.thread
        if not await self._respond(origin.response_url, body):
            await self._whisper(origin, card)

    async def _show_in_view(self, origin: Origin, card: Card) -> bool:
        """In place of what the modal shows; ``False`` where it was closed meanwhile, or takes nothing."""
        view = card_view(card, origin.title, origin.channel)
        try:
            await self._call(origin, AsyncWebClient.views_update, view_id=origin.view, view=view)
        except ChatError as error:
            log.info("views.update: %s", error)
            return False
        return True

    async def _show_from_home(self, origin: Origin, card: Card) -> None:
        """There is no message to answer: a modal shows it, or a direct message where its trigger is spent."""
        try:
            view = card_view(card, "")
            await self._call(origin, AsyncWebClient.views_open, trigger_id=origin.trigger, view=view)
        except ChatError as error:
            log.info("a reply could not be opened from the Home tab: %s", error)
            await self._tell(origin, card)

    async def _tell(self, origin: Origin, card: Card) -> None:
        """The last way to say something privately: a direct message."""
        opened = await self._call(origin, AsyncWebClient.conversations_open, users=origin.member)
        there = {"channel": opened["channel"]["id"], "unfurl_links": False, "unfurl_media": False}
        await self._call(origin, AsyncWebClient.chat_postMessage, **there, **message(card))

    async def _send_files(self, origin: Origin, files: Sequence[File]) -> bool:
        if not files:
            return True
        try:
            await send_files(self.standing, origin.workspace, self.session, origin.member, files)
        except ChatError as error:
            log.warning("a file could not be sent: %s", error)
            return False
        return True

    async def _respond(self, url: str, body: JSON) -> bool:
        """Through the response_url, twice if need be; ``False`` when it takes nothing."""
        if not url:
            return False
        for again in (True, False):
            try:
                with as_chat_errors():
                    async with self.session.post(url, json=body) as answer:
                        if answer.status == 200:
                            return True
                        wait = _wait(answer)
                        log.info("response_url: %s", answer.status)
            except ChatError as error:
                log.info("response_url: %s", error)
                wait = 0.5
            if wait is None or not again:
                return False
            await self._sleep(wait)
        return False

    async def _whisper(self, origin: Origin, card: Card) -> None:
        """The slower way, limited to about a hundred a minute; where that cannot be, a direct message."""
        rest: dict[str, Any] = {"thread_ts": origin.thread} if origin.thread else {}
        whom = {"channel": origin.channel, "user": origin.member}
        if origin.channel:
            try:
                await self._call(origin, AsyncWebClient.chat_postEphemeral, **whom, **message(card), **rest)
                return
            except ChatError as error:
                log.info("chat.postEphemeral: %s", error)
                if error.outcome == "unsure":
                    raise
        await self._tell(origin, card)

    async def _call(self, origin: Origin, method: Callable[..., Awaitable[Any]], **arguments: Any) -> Any:
        return await self.standing.call(origin.workspace, method, **arguments)


def again_card(action: str, language: str) -> Card:
    """A form could not be opened; the button that asked for it, once more."""
    t = texts(language)
    if not action:
        return notice_card(t("Slack did not open the form in time. Please type it again."))
    sentence = t("Slack did not open the form in time. Please try again:")
    return Card(sentence, (Paragraph((sentence,)), Buttons((Button(t("Open the form"), action, "primary"),))))


def _wait(answer: aiohttp.ClientResponse) -> float | None:
    """Seconds until a second try, or ``None`` where there is no point in one."""
    if answer.status == 429:
        try:
            wait = float(answer.headers.get("Retry-After", "1"))
        except ValueError:
            wait = 1.0
        return wait if wait <= PATIENCE else None
    return 0.5 if answer.status >= 500 else None


def _field_errors(faults: dict[str, str], origin: Origin) -> JSON:
    """A sentence under each faulty field; one that belongs to no field of this form stands under the first."""
    errors: dict[str, str] = {}
    for field, fault in faults.items():
        place = field if field in origin.fields or not origin.fields else origin.fields[0]
        errors[place] = cut(f"{errors[place]} {fault}" if place in errors else fault, MOST_FAULT)
    return errors
