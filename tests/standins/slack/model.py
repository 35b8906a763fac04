"""What the stand-in remembers: a workspace with its users, channels, messages, views and files."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

JSON = dict[str, Any]


# Refusals that only a faulty app ever meets; a channel that was archived is not one of them.
MISTAKES = {
    "invalid_arguments",
    "invalid_auth",
    "invalid_blocks",
    "invalid_blocks_format",
    "invalid_json",
    "invalid_metadata_format",
    "invalid_name",
    "metadata_too_large",
    "missing_scope",
    "msg_blocks_too_long",
    "msg_too_long",
    "no_text",
    "not_allowed_token_type",
    "not_authed",
    "push_limit_reached",
    "too_many_attachments",
    "unknown_method",
    "view_too_large",
}


class SlackError(Exception):
    """A refusal in Slack's own words: ``{"ok": false, "error": code}``, with the reasons where Slack gives some."""

    def __init__(self, code: str, faults: tuple[str, ...] = (), *, blame: bool | None = None, **extra: Any) -> None:
        super().__init__(f"{code}: {'; '.join(faults)}" if faults else code)
        self.code = code
        self.faults = faults
        # Does this refusal show a mistake of the app (a violation), or only the state of the world?
        self.blame = code in MISTAKES if blame is None else blame
        self.extra = extra

    def body(self) -> JSON:
        body: JSON = {"ok": False, "error": self.code, **self.extra}
        if self.faults:
            body["errors"] = list(self.faults)
            body["response_metadata"] = {"messages": [f"[ERROR] {fault}" for fault in self.faults]}
        return body


class Ids:
    """Ids as Slack shapes them (a letter, then capitals and digits), in a fixed order so that runs compare."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = itertools.count(1)

    def new(self, prefix: str) -> str:
        return f"{prefix}0{next(self._numbers):08X}"


@dataclass(slots=True)
class User:
    id: str
    team: str
    name: str
    real_name: str
    tz: str
    tz_offset: int
    locale: str
    is_admin: bool = False
    is_owner: bool = False
    is_bot: bool = False
    deleted: bool = False

    def wire(self, with_locale: bool) -> JSON:
        shown: JSON = {
            "id": self.id,
            "team_id": self.team,
            "name": self.name,
            "deleted": self.deleted,
            "profile": {"real_name": self.real_name, "display_name": self.name, "team": self.team},
            "is_bot": self.is_bot,
            "is_app_user": False,
            "updated": 0,
        }
        if self.deleted:
            return shown
        shown |= {
            "real_name": self.real_name,
            "tz": self.tz,
            "tz_label": self.tz,
            "tz_offset": self.tz_offset,
            "is_admin": self.is_admin,
            "is_owner": self.is_owner,
            "is_primary_owner": False,
            "is_restricted": False,
            "is_ultra_restricted": False,
        }
        if with_locale:
            shown["locale"] = self.locale
        return shown


@dataclass(slots=True)
class File:
    id: str
    user: str
    name: str
    length: int
    title: str
    alt_text: str
    created: int
    url: str
    content: bytes | None = None
    completed: bool = False
    ready_at: float = 0.0
    channels: list[str] = field(default_factory=list)

    def wire(self, now: float) -> JSON:
        kind = self.name.rpartition(".")[2].lower()
        mime = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif"}.get(
            kind, "text/plain"
        )
        return {
            "id": self.id,
            "created": self.created,
            "name": self.name,
            "title": self.title,
            "alt_txt": self.alt_text,
            # Slack leaves the type empty until it has looked at the bytes.
            "mimetype": mime if now >= self.ready_at else "",
            "filetype": kind,
            "user": self.user,
            "size": self.length,
            "mode": "hosted",
            "url_private": self.url,
            "permalink": self.url,
            "channels": list(self.channels),
        }


@dataclass(slots=True)
class Message:
    ts: str
    channel: str
    team: str
    user: str
    text: str
    bot: str = ""
    app: str = ""
    blocks: list[JSON] = field(default_factory=list)
    attachments: list[JSON] = field(default_factory=list)
    files: list[JSON] = field(default_factory=list)
    metadata: JSON | None = None
    thread_ts: str = ""
    edited_ts: str = ""
    tombstone: bool = False
    reactions: dict[str, list[str]] = field(default_factory=dict)
    # What each person has chosen in this message's selects and checkboxes: theirs alone, as in Slack.
    state: dict[str, dict[tuple[str, str], JSON]] = field(default_factory=dict)

    def wire(self, replies: list[Message] | None = None, with_metadata: bool = False) -> JSON:
        if self.tombstone:
            shown: JSON = {
                "type": "message",
                "subtype": "tombstone",
                "text": "This message was deleted.",
                "ts": self.ts,
            }
            shown["user"] = "USLACKBOT"
        else:
            shown = {"type": "message", "user": self.user, "text": self.text, "ts": self.ts, "team": self.team}
            if self.bot:
                shown |= {"bot_id": self.bot, "app_id": self.app, "bot_profile": {"id": self.bot, "app_id": self.app}}
            for key in ("blocks", "attachments", "files"):
                if value := getattr(self, key):
                    shown[key] = value
            if self.edited_ts:
                shown["edited"] = {"user": self.user, "ts": self.edited_ts}
            if self.reactions:
                shown["reactions"] = [
                    {"name": name, "users": list(users), "count": len(users)} for name, users in self.reactions.items()
                ]
            if with_metadata and self.metadata:
                shown["metadata"] = self.metadata
        if self.thread_ts:
            shown["thread_ts"] = self.thread_ts
        if replies:
            users = list(dict.fromkeys(reply.user for reply in replies))
            shown |= {
                "thread_ts": self.ts,
                "reply_count": len(replies),
                "reply_users": users,
                "reply_users_count": len(users),
                "latest_reply": replies[-1].ts,
            }
        return shown


@dataclass(slots=True)
class Ephemeral:
    """A message only ``user`` sees; Slack forgets it when the client reloads, so no API method gives it back."""

    ts: str
    channel: str
    user: str
    text: str
    blocks: list[JSON] = field(default_factory=list)
    thread_ts: str = ""


@dataclass(slots=True)
class Channel:
    id: str
    team: str
    name: str
    is_private: bool = False
    is_im: bool = False
    is_archived: bool = False
    created: int = 0
    members: list[str] = field(default_factory=list)
    messages: dict[str, Message] = field(default_factory=dict)
    ephemerals: dict[str, Ephemeral] = field(default_factory=dict)

    def replies(self, ts: str) -> list[Message]:
        return [message for message in self.messages.values() if message.thread_ts == ts]

    def wire(self, bot: str) -> JSON:
        shown: JSON = {
            "id": self.id,
            "created": self.created,
            "is_archived": self.is_archived,
            "is_im": self.is_im,
            "context_team_id": self.team,
        }
        if self.is_im:
            return shown | {"user": next(user for user in self.members if user != bot)}
        return shown | {
            "name": self.name,
            "name_normalized": self.name,
            "is_channel": not self.is_private,
            "is_group": self.is_private,
            "is_private": self.is_private,
            "is_mpim": False,
            "is_general": False,
            "is_member": bot in self.members,
            "is_shared": False,
            "is_ext_shared": False,
            "topic": {"value": "", "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
        }


@dataclass(slots=True)
class View:
    id: str
    team: str
    user: str
    body: JSON
    hash: str
    app: str
    bot: str
    root: str = ""
    previous: str | None = None
    state: dict[tuple[str, str], JSON] = field(default_factory=dict)
    # What the person sees after a refused submission: block_id -> sentence, or Slack's own "trouble connecting".
    errors: dict[str, str] = field(default_factory=dict)
    trouble: bool = False

    @property
    def blocks(self) -> list[JSON]:
        blocks: list[JSON] = self.body["blocks"]
        return blocks

    def wire(self) -> JSON:
        values: JSON = {}
        for (block, action), state in self.state.items():
            values.setdefault(block, {})[action] = state
        return {
            "id": self.id,
            "team_id": self.team,
            "type": self.body["type"],
            "blocks": self.blocks,
            "private_metadata": self.body.get("private_metadata", ""),
            "callback_id": self.body.get("callback_id", ""),
            "state": {"values": values},
            "hash": self.hash,
            "title": self.body.get("title", {"type": "plain_text", "text": "View Title", "emoji": True}),
            "clear_on_close": bool(self.body.get("clear_on_close", False)),
            "notify_on_close": bool(self.body.get("notify_on_close", False)),
            "close": self.body.get("close"),
            "submit": self.body.get("submit"),
            "previous_view_id": self.previous,
            "root_view_id": self.root or self.id,
            "app_id": self.app,
            "external_id": self.body.get("external_id", ""),
            "app_installed_team_id": self.team,
            "bot_id": self.bot,
        }


@dataclass(slots=True)
class Trigger:
    id: str
    user: str
    issued_at: float
    used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """Where an app may answer one interaction: ``original`` is the message it came from (none for commands)."""

    key: str
    user: str
    channel: str
    issued_at: float
    original: str = ""
    thread_ts: str = ""
    uses: int = 0


@dataclass(slots=True)
class Consent:
    """What the person before Slack's consent page does: ``allow``, ``decline``, or allow for the ``organisation``."""

    workspace: str
    user: str
    decision: str = "allow"


@dataclass(frozen=True, slots=True)
class OAuthCode:
    """What a browser brings back from the consent page: good for one trade within ten minutes."""

    team: str
    user: str
    redirect_uri: str
    scopes: tuple[str, ...]
    issued_at: float
    organisation: bool = False


@dataclass(slots=True)
class Workspace:
    id: str
    name: str
    domain: str
    bot_token: str
    bot_user: str
    bot_id: str
    scopes: list[str]
    # Where tokens rotate: until when each is good, and the refresh tokens that are not used up.
    ends: dict[str, float] = field(default_factory=dict)
    refresh_tokens: list[str] = field(default_factory=list)
    # Empty while the app is installed, then the error every call gets: account_inactive, token_revoked.
    revoked: str = ""
    users: dict[str, User] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    # The modals a person has open, bottom first, and the home tab they see.
    modals: dict[str, list[View]] = field(default_factory=dict)
    homes: dict[str, View] = field(default_factory=dict)
    triggers: dict[str, Trigger] = field(default_factory=dict)
    response_urls: dict[str, ResponseUrl] = field(default_factory=dict)
    last_ts: int = 0

    def next_ts(self, now: float) -> str:
        """A message's ts: never the same twice and always rising, whatever the clock does."""
        self.last_ts = max(int(now * 1_000_000), self.last_ts + 1)
        return f"{self.last_ts // 1_000_000}.{self.last_ts % 1_000_000:06d}"

    def sees(self, user: str, channel: Channel) -> bool:
        return user in channel.members or not (channel.is_private or channel.is_im)


@dataclass(frozen=True, slots=True)
class Accepted:
    """One write that Slack took: what the outside world can prove the app did."""

    n: int
    at: float
    method: str
    team: str
    channel: str
    ts: str
    payload: JSON


@dataclass(frozen=True, slots=True)
class Called:
    """One request and how it ended: ``ok``, Slack's error, ``http 503``, ``reset before`` or ``reset after``."""

    at: float
    method: str
    team: str
    channel: str
    outcome: str
    # The token it came with: its end alone.
    token: str = ""


@dataclass(frozen=True, slots=True)
class Violation:
    """Something the app did that real Slack refuses, or that a careful app never does."""

    at: float
    where: str
    faults: tuple[str, ...]
    payload: Any
