"""The playground's journal: one JSON line for each write the chat accepted, so that a restart forgets nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bot import card as cards

KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        cards.Bold,
        cards.Code,
        cards.Link,
        cards.Moment,
        cards.Heading,
        cards.Paragraph,
        cards.CodeBlock,
        cards.OptionRow,
        cards.Options,
        cards.Note,
        cards.Button,
        cards.Buttons,
        cards.Table,
        cards.Image,
        cards.File,
        cards.Divider,
        cards.Card,
    )
}


class JournalFault(Exception):
    """The journal cannot be read or written; the text says what to do."""


class Journal:
    """A file of JSON lines, only ever added to. A line that a crash cut short is taken off at the next start."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept = self._read()
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise JournalFault(f"{path} cannot be written ({error.strerror}): choose a writable folder.") from error

    def _read(self) -> list[dict[str, Any]]:
        """What is in the file already; cuts off a half-written last line."""
        if not self.path.exists():
            return []
        whole = self.path.read_bytes()
        end = whole.rfind(b"\n") + 1
        if end < len(whole):
            with self.path.open("r+b") as file:
                file.truncate(end)
        try:
            return [json.loads(line) for line in whole[:end].splitlines() if line]
        except ValueError as error:
            raise JournalFault(f"{self.path} is damaged: start the demo afresh, without --keep.") from error

    def replay(self) -> Iterator[dict[str, Any]]:
        """The entries that were there at the start, oldest first; once."""
        kept, self._kept = self._kept, []
        yield from kept

    def append(self, entry: dict[str, Any]) -> None:
        """Add an entry; it outlives this process when the call returns."""
        self._file.write(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def to_plain(value: Any) -> Any:
    """A card or a part of it as JSON data."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"is": type(value).__name__} | {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple | frozenset):
        return [to_plain(item) for item in (sorted(value) if isinstance(value, frozenset) else value)]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    return value


def from_plain(plain: Any) -> Any:
    """The card that ``to_plain`` wrote."""
    if isinstance(plain, list):
        return tuple(from_plain(item) for item in plain)
    if not isinstance(plain, dict):
        return plain
    kind = KINDS[plain["is"]]
    values = {name: from_plain(value) for name, value in plain.items() if name != "is"}
    if kind is cards.Moment:
        values["at"] = datetime.fromisoformat(values["at"])
    elif kind is cards.Image:
        values["png"] = base64.b64decode(values["png"])
    elif kind is cards.File:
        values["data"] = base64.b64decode(values["data"])
    elif kind is cards.Table:
        values["right"] = frozenset(values["right"])
    return kind(**values)
