"""What one person sees of Slack at this moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tests.standins.slack.blocks import elements_of, texts
from tests.standins.slack.forms import CannotDo
from tests.standins.slack.model import JSON, Ephemeral, Message, View

PING = re.compile(r"<!(?:channel|here|everyone)[^>]*>|<@[UW][A-Z0-9]+[^>]*>|<!subteam\^[^>]+>")


@dataclass(frozen=True, slots=True)
class Seen:
    """The channel's messages, the person's own ephemerals there, the modals they have open and their home tab."""

    messages: list[Message]
    ephemerals: list[Ephemeral]
    modals: list[View]
    home: View | None

    @property
    def modal(self) -> View | None:
        """The modal on top."""
        return self.modals[-1] if self.modals else None

    @property
    def text(self) -> str:
        """All text on the screen: messages and ephemerals in order, then the modal on top."""
        notes: list[Message | Ephemeral] = [*self.messages, *self.ephemerals]
        shown = [shown_text(note) for note in sorted(notes, key=lambda note: note.ts)]
        return "\n".join(shown + ([shown_text(self.modal)] if self.modal else []))


def shown_text(where: Message | Ephemeral | View) -> str:
    """The text a person reads: blocks where there are any (``text`` is then only the notification)."""
    if isinstance(where, View):
        return "\n".join([*texts(where.body.get("title")), *texts(where.blocks), *where.errors.values()])
    return "\n".join(texts(where.blocks)) if where.blocks else where.text


def pings(where: Message | Ephemeral | View) -> list[str]:
    """What in it would notify people: mentions in mrkdwn or in the fallback text (plain_text never does)."""
    found = [] if isinstance(where, View) else PING.findall(where.text)
    return found + [ping for text in _mrkdwn(where.blocks) for ping in PING.findall(text)]


def _mrkdwn(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for item in value for text in _mrkdwn(item)]
    if not isinstance(value, dict):
        return []
    own = [value["text"]] if value.get("type") in ("mrkdwn", "markdown") else []
    return own + [text for item in value.values() for text in _mrkdwn(item)]


def touchable(where: Message | Ephemeral | View) -> list[tuple[JSON, JSON]]:
    """Every (block, element) a person can touch there."""
    return list(elements_of(where.blocks))


def find(where: Message | Ephemeral | View, wanted: str) -> tuple[JSON, JSON]:
    """The one element with this action_id, or else this value, or else this label."""
    known = touchable(where)
    for names in (_action_id, _value, _label):
        found = [(block, element) for block, element in known if names(element) == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            raise CannotDo(f"{len(found)} elements are called {wanted!r}: give the value or the label instead.")
    there = [(_action_id(element), _value(element), _label(element)) for _, element in known]
    raise CannotDo(f"There is nothing called {wanted!r} to touch; there are {there}.")


def _action_id(element: JSON) -> Any:
    return element["action_id"]


def _value(element: JSON) -> Any:
    return element.get("value")


def _label(element: JSON) -> Any:
    return element["text"]["text"] if isinstance(element.get("text"), dict) else None
