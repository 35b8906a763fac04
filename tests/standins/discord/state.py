"""What stands in the stand-in: ids, people, channels, messages, interactions; payloads have Discord's shape."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

JSON = dict[str, Any]
EPOCH_MS = 1_420_070_400_000
MANAGE_GUILD = 1 << 5
EVERYTHING = (1 << 50) - 1
_sequence = itertools.count(1)


def snowflake() -> str:
    """A new id; like Discord's it holds the time at which it was made."""
    return str(((int(time.time() * 1000) - EPOCH_MS) << 22) | next(_sequence) % (1 << 22))


def stamp() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(slots=True)
class Person:
    id: str
    name: str
    locale: str = "en-US"
    manages: bool = False
    bot: bool = False
    dms_closed: bool = False

    def user(self) -> JSON:
        return {
            "id": self.id,
            "username": self.name,
            "global_name": self.name,
            "discriminator": "0",
            "avatar": None,
            "bot": self.bot,
            "public_flags": 0,
            "flags": 0,
        }

    def member(self) -> JSON:
        return {
            "user": self.user(),
            "nick": None,
            "avatar": None,
            "roles": [],
            "joined_at": stamp(),
            "deaf": False,
            "mute": False,
            "flags": 0,
            "pending": False,
            "permissions": str(EVERYTHING if self.manages else 0x400),
        }


@dataclass(slots=True)
class Message:
    """``ephemeral_for``: the person who alone sees it."""

    id: str
    channel: str
    author: Person
    body: JSON
    nonce: str = ""
    ephemeral_for: str = ""
    edited: bool = False
    reactions: dict[str, list[str]] = field(default_factory=dict)

    def wire(self) -> JSON:
        flags = int(self.body.get("flags", 0)) | (64 if self.ephemeral_for else 0)
        return {
            "id": self.id,
            "channel_id": self.channel,
            "author": self.author.user(),
            "content": self.body.get("content") or "",
            "timestamp": stamp(),
            "edited_timestamp": stamp() if self.edited else None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "embeds": [],
            "pinned": False,
            "type": 0,
            "attachments": self.body.get("_files", []),
            "components": self.body.get("components", []),
            "flags": flags,
            "nonce": self.nonce or None,
        }

    @property
    def text(self) -> str:
        return "\n".join(str(c["content"]) for c in walk(self.body.get("components", [])) if c.get("type") == 10)

    @property
    def buttons(self) -> dict[str, str]:
        """Labels with their custom ids."""
        return {c["label"]: c["custom_id"] for c in walk(self.body.get("components", [])) if c.get("type") == 2}


@dataclass(slots=True)
class Interaction:
    """``answered``: the type of the first response. ``original``: the message that it made or changed."""

    id: str
    token: str
    person: Person
    at: float
    source: Message | None = None
    answered: int = 0
    original: Message | None = None
    modal: JSON | None = None
    choices: list[JSON] | None = None
    said: list[Message] = field(default_factory=list)


def walk(components: list[JSON]) -> list[JSON]:
    """All components, nested ones too."""
    found: list[JSON] = []
    for component in components:
        found.append(component)
        for key in ("components", "component", "accessory"):
            inner = component.get(key)
            found += walk(inner if isinstance(inner, list) else [inner] if isinstance(inner, dict) else [])
    return found
