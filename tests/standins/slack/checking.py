"""The pen with which blocks.py and elements.py write down what is wrong, each fault with its JSON pointer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Surface = Literal["message", "modal", "home"]

TEXT_KEYS = {"plain_text": {"type", "text", "emoji"}, "mrkdwn": {"type", "text", "verbatim"}}


@dataclass(slots=True)
class Check:
    surface: Surface
    found: list[str] = field(default_factory=list)

    def fault(self, at: str, what: str) -> None:
        self.found.append(f"{what} [json-pointer:{at}]")

    def object(self, at: str, value: Any) -> bool:
        if isinstance(value, dict):
            return True
        self.fault(at, "must be an object")
        return False

    def keys(self, at: str, value: dict[str, Any], allowed: set[str], required: tuple[str, ...] = ()) -> None:
        for key in value:
            if key not in allowed:
                self.fault(f"{at}/{key}", f"invalid additional property: {key}")
        for key in required:
            if value.get(key) is None:
                self.fault(at, f"missing required field: {key}")

    def string(self, at: str, value: Any, most: int, least: int = 1) -> None:
        """A string of ``least`` to ``most`` characters; absent is fine."""
        if value is None:
            return
        if not isinstance(value, str):
            self.fault(at, "must be a string")
        elif len(value) < least:
            self.fault(at, f"must be more than {least - 1} characters")
        elif len(value) > most:
            self.fault(at, f"must be less than {most + 1} characters")

    def strings(self, at: str, value: dict[str, Any], /, **most: int) -> None:
        for key, limit in most.items():
            self.string(f"{at}/{key}", value.get(key), limit)

    def text(self, at: str, value: Any, most: int, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")) -> None:
        """A text object of one of ``kinds`` with 1 to ``most`` characters; absent is fine."""
        if value is None or not self.object(at, value):
            return
        kind = value.get("type")
        if kind not in kinds:
            self.fault(f"{at}/type", f"must be {' or '.join(kinds)}, not {kind}")
            return
        self.keys(at, value, TEXT_KEYS[kind], ("text",))
        self.string(f"{at}/text", value.get("text"), most)

    def plain(self, at: str, value: Any, most: int) -> None:
        self.text(at, value, most, ("plain_text",))

    def items(self, at: str, value: Any, most: int, least: int = 1) -> list[Any]:
        """A list of ``least`` to ``most`` items; what of it can be looked into further is given back."""
        if not isinstance(value, list):
            self.fault(at, "must be an array")
            return []
        if len(value) < least:
            self.fault(at, f"no less than {least} items allowed")
        if len(value) > most:
            self.fault(at, f"no more than {most} items allowed")
        return value

    def unique(self, at: str, what: str, values: list[Any]) -> None:
        seen: list[Any] = []
        for value in values:
            if value is None:
                continue
            if value in seen:
                self.fault(at, f'{what} "{value}" already exists')
            seen.append(value)
