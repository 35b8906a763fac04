"""The state every part of the stand-in shares, and what the outside may read of it: log, calls, violations."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.standins.slack.blocks import as_stored, check_blocks, check_view, images_of
from tests.standins.slack.checking import Surface
from tests.standins.slack.faults import Faults
from tests.standins.slack.limits import RateLimits
from tests.standins.slack.model import (
    JSON,
    Accepted,
    Called,
    Channel,
    Consent,
    Ids,
    Message,
    OAuthCode,
    SlackError,
    User,
    Violation,
    Workspace,
)
from tests.standins.slack.schema import BlockSchema, load

SCOPES = [
    "app_mentions:read",
    "channels:history",
    "channels:join",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "reactions:read",
    "reactions:write",
    "team:read",
    "users:read",
]


class Core:
    """``clock`` gives seconds since 1970: it dates messages, ages triggers, response URLs and files, counts rates."""

    def __init__(self, clock: Callable[[], float], log_file: Path | None = None) -> None:
        self.clock = clock
        self.ids = Ids()
        self.app_id = self.ids.new("A")
        self.app_token = f"xapp-1-{self.app_id}-{secrets.token_hex(8)}"
        self.app_scopes = ["connections:write"]
        self.client_id = "1111111111.2222222222"
        self.client_secret = secrets.token_hex(16)
        self.oauth_codes: dict[str, OAuthCode] = {}
        self.redirect_urls: list[str] = []
        self.consent: Consent | None = None
        # Do this app's tokens rotate? Then each is good for twelve hours.
        self.rotation = False
        self.org_tokens: dict[str, str] = {}
        self.tickets: set[str] = set()
        self.workspaces: dict[str, Workspace] = {}
        self.log: list[Accepted] = []
        self.calls: list[Called] = []
        self.violations: list[Violation] = []
        self.rates = RateLimits(clock)
        self.faults = Faults()
        self.schema: BlockSchema | None = load()
        # Seconds (on the clock) during which a file just completed is refused in blocks, and a trigger lives.
        self.file_delay = 0.0
        self.trigger_life = 3.0
        # Events that the app's own calls cause (its reactions, its joining): the server sends them on.
        self.caused: Callable[[Workspace, JSON], None] = lambda space, event: None
        self.base_url = ""
        self.files_url = ""
        self._log_file = log_file
        self._changed = asyncio.Event()

    # --- what happened ---

    def accept(self, method: str, team: str, payload: JSON, *, channel: str = "", ts: str = "") -> None:
        """Write one line of the oracle: the app asked for this and Slack did it."""
        entry = Accepted(len(self.log) + 1, self.clock(), method, team, channel, ts, payload)
        self.log.append(entry)
        if self._log_file:
            with self._log_file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")
        self.touch()

    def violate(self, where: str, faults: tuple[str, ...], payload: Any) -> None:
        self.violations.append(Violation(self.clock(), where, faults, payload))

    def touch(self) -> None:
        """Wake whoever waits for something to happen."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self, at_most: float) -> None:
        """Wait until something happens here, ``at_most`` so many real seconds."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), at_most)

    # --- who and what there is ---

    def add_workspace(self, name: str, scopes: list[str] | None = None) -> Workspace:
        team = self.ids.new("T")
        bot = User(
            self.ids.new("U"), team, "drills", "Team Drills", "America/Los_Angeles", -28800, "en-US", is_bot=True
        )
        domain = name.lower().replace(" ", "-")
        token = self.new_token()
        space = Workspace(team, name, domain, token, bot.id, self.ids.new("B"), list(scopes or SCOPES))
        space.users[bot.id] = bot
        self.workspaces[team] = space
        return space

    def new_token(self) -> str:
        return f"xoxb-{secrets.randbelow(10**12):012d}-{secrets.token_hex(12)}"

    def space_of(self, user: str) -> Workspace:
        for space in self.workspaces.values():
            if user in space.users:
                return space
        raise KeyError(f"No workspace has a user {user}.")

    def im(self, space: Workspace, user: str) -> Channel:
        """The direct-message channel between the bot and ``user``, opened where there is none."""
        for channel in space.channels.values():
            if channel.is_im and user in channel.members:
                return channel
        channel = Channel(self.ids.new("D"), space.id, "", is_im=True, is_private=True, created=int(self.clock()))
        channel.members = [space.bot_user, user]
        space.channels[channel.id] = channel
        return channel

    # --- checks ---

    def blocks_or_refuse(self, space: Workspace, blocks: Any, surface: Surface, at: str = "/blocks") -> None:
        """Raise ``invalid_blocks`` with every fault, hand-written limits and schema alike."""
        faults = check_blocks(blocks, surface, at)
        if not faults and self.schema:
            faults = self.schema.check_blocks(blocks, at)
        if faults:
            raise SlackError("invalid_blocks", tuple(faults))
        self._files_or_refuse(space, blocks, at)

    def stored(self, blocks: list[JSON]) -> list[JSON]:
        return as_stored(blocks, lambda: self.ids.new("b"))

    def view_or_refuse(self, space: Workspace, view: Any) -> JSON:
        faults = check_view(view)
        if not faults and self.schema:
            faults = self.schema.check_view(view)
        if faults:
            raise SlackError("invalid_arguments", tuple(faults))
        self._files_or_refuse(space, view["blocks"], "/view/blocks")
        checked: JSON = view
        return checked

    def _files_or_refuse(self, space: Workspace, blocks: list[JSON], at: str) -> None:
        for pointer, named in images_of(blocks, at):
            found = [file for file in space.files.values() if named in ({"id": file.id}, {"url": file.url})]
            if not found or not found[0].completed:
                raise SlackError("invalid_blocks", (f"invalid slack file [json-pointer:{pointer}]",))
            if self.clock() < found[0].ready_at:
                # Completion is asynchronous at Slack: the app did nothing wrong and should try again.
                raise SlackError("invalid_blocks", (f"invalid slack file [json-pointer:{pointer}]",), blame=False)

    # --- looking ---

    def message(self, space: Workspace, channel: str, ts: str) -> Message:
        found = space.channels[channel].messages.get(ts) if channel in space.channels else None
        if found is None or found.tombstone:
            raise SlackError("message_not_found")
        return found
