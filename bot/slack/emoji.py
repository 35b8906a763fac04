"""Slack's names of the keycaps: events and lists name an emoji, they do not hold it."""

from __future__ import annotations

from bot.drill.keycaps import KEYCAPS

NAMES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "keycap_ten")
_KEYCAPS = dict(zip(NAMES, KEYCAPS, strict=True))
_NAMES = dict(zip(KEYCAPS, NAMES, strict=True))


def name_of(emoji: str) -> str | None:
    """Slack's name of a keycap; ``None`` for anything else."""
    return _NAMES.get(emoji)


def emoji_of(name: str) -> str | None:
    """The keycap that Slack's name (``two``, ``two::skin-tone-3``) stands for; ``None`` for any other emoji."""
    return _KEYCAPS.get(name.partition("::")[0])
