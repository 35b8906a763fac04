"""Buttons in direct messages: they say which server they speak of, since Discord tells none there."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.card import Buttons, Card

_ADDRESSED = re.compile(r"@(?P<workspace>\d{1,20}):(?P<action>.+)", re.DOTALL | re.ASCII)


def addressed(card: Card, workspace: str) -> Card:
    """The card with its buttons' actions under the server's name: ``@100:retry:7``."""
    if not workspace:
        return card
    parts = tuple(_addressed(part, workspace) if isinstance(part, Buttons) else part for part in card.parts)
    return Card(card.text, parts)


def _addressed(row: Buttons, workspace: str) -> Buttons:
    return Buttons(tuple(replace(button, action=f"@{workspace}:{button.action}") for button in row.buttons))


def whose(action: str) -> tuple[str, str]:
    """The server's id and the action itself; ``""`` for an action that speaks of the server it stands in."""
    found = _ADDRESSED.fullmatch(action)
    return (found["workspace"], found["action"]) if found else ("", action)
