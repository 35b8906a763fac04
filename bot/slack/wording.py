"""Lines of a card in Slack's three ways of writing: rich text, mrkdwn and plain text.

Rich text carries text literally: nothing in it is parsed, so no name can ping, link or format. It is used wherever
Slack allows it. mrkdwn is left for small print with a moment in it, and for the notification text, and is escaped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from bot.card import Bold, Code, Inline, Line, Link, Moment, plain

JSON = dict[str, Any]

MOST_URL = 3000
_FORMATS = {"time": "{time}", "date": "{date_short}", "both": "{date_short_pretty} {time}"}
_MARKS = re.compile(r"[*_~`]")


def size(text: str) -> int:
    """Characters as the strictest of Slack's clients counts them: UTF-16 units, so an emoji is two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, most: int) -> str:
    """``text`` in at most ``most`` units, with an ellipsis where something is left out."""
    if size(text) <= most:
        return text
    kept = text[: _prefix(text, most - 1)]
    # Not within a letter and its accents, nor within an emoji that is made of several.
    while kept and (kept[-1] == "\u200d" or unicodedata.combining(text[len(kept)])):
        kept = kept[:-1]
    return kept + "…" if most > 0 else ""


def cut_line(line: Line, most: int) -> Line:
    """The line in at most ``most`` units; what is cut first is its end."""
    kept: list[Inline] = []
    for part in line:
        length = size(plain((part,)))
        if length <= most:
            kept.append(part)
            most -= length
            continue
        if not isinstance(part, Moment) and most > 0:
            kept.append(_with_text(part, cut(part if isinstance(part, str) else part.text, most)))
        break
    return tuple(kept)


def split_line(line: Line, most: int) -> list[Line]:
    """The line in pieces of at most ``most`` units, broken between lines or words where there are any."""
    pieces: list[list[Inline]] = [[]]
    left = most
    for part in line:
        rest: Inline | None = part
        while rest is not None:
            length = size(plain((rest,)))
            if length <= left or isinstance(rest, Moment):
                pieces[-1].append(rest)
                left -= length
                break
            text = rest if isinstance(rest, str) else rest.text
            place = _break(text, left) or (0 if pieces[-1] else max(1, _prefix(text, left)))
            if place:
                pieces[-1].append(_with_text(rest, text[:place]))
            pieces.append([])
            left = most
            rest = _with_text(rest, text[place:].lstrip("\n")) if text[place:].lstrip("\n") else None
    return [tuple(piece) for piece in pieces if piece]


def _prefix(text: str, most: int) -> int:
    """How many characters from the beginning fit ``most`` units."""
    place = min(len(text), max(0, most))
    while size(text[:place]) > most > 0:
        place -= max(1, (size(text[:place]) - most) // 2)
    return place


def _break(text: str, most: int) -> int:
    """Where to break a text that is too long: after a line, a sentence or a word of it; 0 where there is no such."""
    window = text[: _prefix(text, most)]
    for sign in ("\n", "。", ". ", " ", "，"):
        place = window.rfind(sign)
        if place > len(window) // 3:
            return place + len(sign)
    return 0


def _with_text(part: Inline, text: str) -> Inline:
    match part:
        case Bold():
            return Bold(text)
        case Code():
            return Code(text)
        case Link(url=url):
            return Link(text, url)
    return text


def rich(line: Sequence[Inline], bold: bool = False) -> list[JSON]:
    """The elements of a rich text section."""
    return list(_rich(line, bold))


def _rich(line: Sequence[Inline], bold: bool) -> Iterator[JSON]:
    for part in line:
        match part:
            case Moment():
                yield {
                    "type": "date",
                    "timestamp": int(part.at.timestamp()),
                    "format": _FORMATS[part.style],
                    "fallback": part.fallback or part.at.isoformat(),
                }
            case Link() if is_address(part.url):
                yield {"type": "link", "url": part.url, "text": part.text or part.url}
            case _:
                text = part if isinstance(part, str) else part.text
                style = {"bold": True} if bold or isinstance(part, Bold) else {}
                style |= {"code": True} if isinstance(part, Code) else {}
                if text:
                    yield {"type": "text", "text": text} | ({"style": style} if style else {})


def is_address(url: str) -> bool:
    """May this stand in a link? Web addresses only, as long as Slack takes."""
    return url.startswith(("https://", "http://")) and len(url) <= MOST_URL and not re.search(r"[\s<>|]", url)


def escape(text: str) -> str:
    """Text for mrkdwn in which Slack finds no mention, link or date."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def small_print(line: Line) -> list[JSON]:
    """The elements of a context block: plain text, or mrkdwn where there is something that plain text cannot show."""
    if not any(isinstance(part, Moment) or plain((part,)).strip() for part in line):
        return []
    if all(isinstance(part, str) for part in line):
        return [plain_text(plain(line))]
    if not any(isinstance(part, str) and _MARKS.search(part) for part in line):
        return [{"type": "mrkdwn", "text": "".join(_marked(part) for part in line), "verbatim": True}]
    # A sign such as * would be markup in mrkdwn and there is no way to escape it: such parts stand alone.
    shown = [_alone(part) for part in line if isinstance(part, Moment) or plain((part,)).strip()]
    return shown if len(shown) <= 10 else [plain_text(plain(line))]


def _alone(part: Inline) -> JSON:
    if isinstance(part, str):
        return plain_text(part)
    return {"type": "mrkdwn", "text": _marked(part), "verbatim": True}


def _marked(part: Inline) -> str:
    match part:
        case Bold(text=text) | Code(text=text):
            sign = "*" if isinstance(part, Bold) else "`"
            return escape(text) if _MARKS.search(text) or not text.strip() else f"{sign}{escape(text)}{sign}"
        case Link() if is_address(part.url):
            return f"<{escape(part.url)}|{escape(part.text).replace('|', '¦')}>"
        case Link():
            return escape(part.text)
        case Moment():
            fallback = escape(part.fallback or part.at.isoformat()).replace("|", "¦")
            return f"<!date^{int(part.at.timestamp())}^{_FORMATS[part.style]}|{fallback}>"
    return escape(part)


def plain_text(text: str) -> JSON:
    """A plain text object; ``:name:`` stays as it was written."""
    return {"type": "plain_text", "text": text, "emoji": False}
