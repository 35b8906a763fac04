"""Who a member is: name, language, zone (remembered for an hour) and admin rights (asked each time)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.chat import ChatError, Who
from bot.slack.faults import as_chat_errors
from bot.slack.inbound import clean
from bot.slack.standing import Standing
from bot.slack.tasks import Tasks
from bot.slack.wording import JSON

log = logging.getLogger(__name__)

REMEMBERED = 3600.0
"""Seconds for which a profile is good."""

MOST_REMEMBERED = 20_000
FIRST_CONTACT = 1.0
"""Seconds a person's first tap may wait for their profile: Slack gives us three in all."""

ADMIN_CHECK = 1.5
"""Seconds for asking whether somebody is an admin; a look at the channel has its own, and all must fit three."""


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    language: str
    zone: str
    admin: bool
    bot: bool = False


Key = tuple[str, str]
"""Workspace and person: somebody in a shared channel may be known to two of our workspaces."""


class People:
    """``monotonic`` (seconds) ages what is remembered."""

    def __init__(self, standing: Standing, tasks: Tasks, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.standing = standing
        self._tasks = tasks
        self._monotonic = monotonic
        self._known: OrderedDict[Key, tuple[float, Profile | None]] = OrderedDict()
        self._asking: dict[Key, asyncio.Task[Profile | None]] = {}

    async def complete(self, who: Who) -> Who:
        """``who`` with name, language and zone, as far as they are known within ``FIRST_CONTACT`` seconds."""
        profile = self._remembered(_key(who))
        if profile is None and not self._is_fresh(_key(who)):
            profile = await self._within(FIRST_CONTACT, who)
        return who if profile is None else _with(who, profile)

    async def is_person(self, who: Who) -> Who | None:
        """``who`` with name, language and zone; ``None`` for a bot, and where Slack could not be asked in time."""
        profile = self._remembered(_key(who)) or await self._within(FIRST_CONTACT, who)
        if profile is None or profile.bot:
            return None
        return _with(who, profile)

    async def as_of_now(self, who: Who) -> Who:
        """``who`` as Slack knows them at this very moment: also whether they are an admin or owner of the workspace.

        Raises ``ChatError``.
        """
        with as_chat_errors():
            async with asyncio.timeout(ADMIN_CHECK):
                profile = await self._ask(who)
        return replace(_with(who, profile), admin=profile.admin)

    def as_remembered(self, who: Who) -> Who:
        """``who`` as far as they are known without asking."""
        known = self._known.get(_key(who))
        return _with(who, known[1]) if known and known[1] else who

    def _remembered(self, member: Key) -> Profile | None:
        return self._known[member][1] if self._is_fresh(member) else None

    def _is_fresh(self, member: Key) -> bool:
        found = self._known.get(member)
        return found is not None and found[0] > self._monotonic()

    async def _within(self, seconds: float, who: Who) -> Profile | None:
        """Ask once however many taps come at a time; who asked first does not decide how long the asking lasts."""
        asking = self._asking.get(_key(who))
        if asking is None:
            asking = self._asking[_key(who)] = self._tasks.start(self._try(who))
            asking.add_done_callback(lambda _: self._asking.pop(_key(who), None))
        await asyncio.wait([asking], timeout=seconds)
        return asking.result() if asking.done() and not asking.cancelled() else None

    async def _try(self, who: Who) -> Profile | None:
        try:
            return await self._ask(who)
        except ChatError:
            return None

    async def _ask(self, who: Who) -> Profile:
        try:
            answer = await self.standing.call(
                who.workspace, AsyncWebClient.users_info, user=who.member, include_locale=True
            )
        except ChatError as error:
            log.info("users.info: %s", error)
            known = self._known.get(_key(who))  # what is old is better than nothing
            self._remember(_key(who), known[1] if known else None, error.retry_after or 10.0)
            raise
        profile = _profile(answer.get("user"), who.workspace)
        self._remember(_key(who), profile, REMEMBERED)
        return profile

    def _remember(self, member: Key, profile: Profile | None, seconds: float) -> None:
        self._known[member] = (self._monotonic() + seconds, profile)
        self._known.move_to_end(member)
        while len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)


def _key(who: Who) -> Key:
    return who.workspace, who.member


def _with(who: Who, profile: Profile) -> Who:
    return replace(who, name=profile.name or who.name, language=profile.language, zone=profile.zone)


def _profile(user: Any, workspace: str) -> Profile:
    """What users.info says. A guest from another workspace (a shared channel) is nobody's admin here."""
    user = user if isinstance(user, dict) else {}
    at_home = user.get("team_id", workspace) == workspace
    return Profile(
        name_of_user(user),
        clean(str(user.get("locale") or "")),
        clean(str(user.get("tz") or "")),
        at_home and (user.get("is_admin") is True or user.get("is_owner") is True),
        is_bot(user),
    )


def name_of_user(user: JSON) -> str:
    """The name that Slack shows for a user."""
    shown: JSON = user["profile"] if isinstance(user.get("profile"), dict) else {}
    names = (shown.get("display_name"), shown.get("real_name"), user.get("real_name"), user.get("name"))
    return clean(next((name for name in names if isinstance(name, str) and name.strip()), ""))


def is_bot(user: JSON) -> bool:
    """Is it an app, or Slackbot (which Slack calls none)?"""
    return user.get("is_bot") is True or user.get("id") == "USLACKBOT"
