"""The emoji of the reactions mode: 1️⃣ for the first option as shown, 2️⃣ for the second, … 🔟 for the tenth."""

from __future__ import annotations

KEYCAPS = (*(f"{digit}\ufe0f\u20e3" for digit in "123456789"), "\U0001f51f")

_IGNORED = dict.fromkeys((0xFE0E, 0xFE0F, 0x200D, *range(0x1F3FB, 0x1F400)))
"""Variation selectors, joiners and skin tones: they change how an emoji looks, not which one it is."""

_PLACES = {keycap.translate(_IGNORED): place for place, keycap in enumerate(KEYCAPS)}


def place_of(emoji: str) -> int | None:
    """Which option (counted from 0) an emoji names; ``None`` for any other emoji."""
    return _PLACES.get(emoji.translate(_IGNORED))


def keycap_of(emoji: str) -> str:
    """The emoji as it is stored and compared; any that is no keycap stays as it is."""
    place = place_of(emoji)
    return emoji if place is None else KEYCAPS[place]
