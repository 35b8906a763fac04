"""Pictures for chat and page: one Vega-Lite spec each, drawn to PNG for chats, to SVG or as it is for the page.

Everything a person wrote travels as data of the spec, never as an expression, field name or address, so no name can
compute or load anything. The CJK font comes with a package of ours, so a machine without a single font draws Chinese.
How long it takes, what it weighs and what it cannot draw: ``docs/pictures.md``.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import struct
import threading
import time
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

MOST_ROWS = 10
ALT_LIMIT = 1000  # Slack takes 2,000 characters, Discord 1,024: one text serves both

_FONT = "Noto Sans CJK SC, PingFang SC, Microsoft YaHei, system-ui, sans-serif"
_WIDTH, _STEP, _SCALE = 450, 24, 2  # pixels before scaling: files are 900 pixels wide
_LEFT, _RIGHT = 40, 436  # the bars begin here, and nothing goes beyond there
_PAPER, _TRACK, _INK, _GREY = "#fbfbfd", "#eef0f4", "#1c2330", "#5c6675"
_LEADER, _FIELD = "#ffd873", "#c3d2f7"
_RIGHT_BAR, _RIGHT_INK, _OTHER_BAR = "#8fd8c4", "#00624d", "#d3d8e2"
_UP, _DOWN = "#00705a", "#b3402a"
_BADGES = {1: "#f0b429", 2: "#b9c1cf", 3: "#dba378"}

_WORDS = {
    "en": {
        "answered": "answers",
        "points": "points",
        "moved": "±",
        "new": "new",
        "same": "–",
        "nobody": "No points yet. The next answer opens the board.",
        "untouched": "No answers yet.",
        "member": "member",
        "more": "{count} more below",
        "alt row": "{rank}. {name}, {points} points, {answered} answered, {movement}.",
        "alt up": "up {steps}",
        "alt down": "down {steps}",
        "alt same": "unchanged",
        "alt new": "new",
        "alt share": "{letter}{mark}: {text}, {percent} ({count}).",
        "alt right": " (right)",
        "gap": " ",
    },
    "zh": {
        "answered": "答题",
        "points": "积分",
        "moved": "升降",
        "new": "新",
        "same": "–",
        "nobody": "还没有人得分，下一个答题的人就能上榜。",
        "untouched": "还没有人作答。",
        "member": "成员",
        "more": "另有 {count} 人",
        "alt row": "第 {rank} 名 {name}，{points} 分，答题 {answered} 次，{movement}。",
        "alt up": "上升 {steps} 名",
        "alt down": "下降 {steps} 名",
        "alt same": "名次不变",
        "alt new": "新上榜",
        "alt share": "{letter}{mark}：{text}，{percent}（{count} 人）。",
        "alt right": "（正确）",
        "gap": "",
    },
}

# Emoji: no text font has them in black and white, so a picture would show empty boxes.
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u231a\u231b\u23e9-\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab"
    "\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e"
    "\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\u20e3\ufe0f]|.\ufe0f"
)

# Our font has few of the raised and lowered characters: 10⁻³ is drawn as 10^−3, x₁ as x_1.
_RAISED = re.compile("[\u00b2\u00b3\u00b9\u2070-\u207f\u1d40\u1d57]+")
_LOWERED = re.compile("[\u2080-\u209c\u1d62-\u1d6a]+")
_DRAWN_RAISED = frozenset("¹²³⁴")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in every form it is shown in.

    ``alt`` says all that the picture shows, in at most 1,000 characters; ``spec`` is the Vega-Lite specification with
    its data; ``name`` is an ASCII file name.
    """

    png: bytes
    alt: str
    spec: dict[str, Any]
    name: str


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One member's line. ``points`` are hundredths; ``movement`` counts ranks won (+) or lost (−), None: new."""

    rank: int
    name: str
    points: int
    movement: int | None
    answered: int


def board_picture(title: str, subtitle: str, rows: Sequence[BoardRow], *, language: str, footer: str = "") -> Picture:
    """A board: the first ten ``rows`` in the order given, with the ranks they bring (equal points share one).

    No rows make a picture that says so. Blocks its thread, about 0.2 s: call it from the thread pool.
    """
    words = _words(language)
    shown = rows[:MOST_ROWS]
    if len(rows) > len(shown):
        more = words["more"].format(count=len(rows) - len(shown))
        footer = f"{footer} · {more}" if footer else more
    lines = [_board_alt(row, words, language) for row in shown] or [words["nobody"]]
    alt = _alt(_cut(title, 70), _cut(subtitle, 70), *lines, _cut(footer, 70), words=words)
    texts = (title, subtitle, footer)
    if not shown:
        nobody = _words_at(words["nobody"], _WIDTH // 2, 20, 14, _GREY, align="center")
        return _picture(_page(texts, 48, [{}], [nobody]), alt, "board.png")
    data = [_board_datum(row, words, language) for row in shown]
    page = _page(texts, _STEP * len(data), data, _board_layers(data, words), heads=18)
    return _picture(page, alt, "board.png")


def distribution_picture(
    title: str,
    shares: Sequence[tuple[str, str, int, bool]],
    *,
    language: str,
    answered: int | None = None,
) -> Picture:
    """How the answers to one round spread: ``shares`` are (letter, text, count, right), up to ten.

    A share's percentage is of ``answered`` members; by default of the sum of counts, which is the same number wherever
    a member chooses one option. Right options carry a check mark as well as their colour.
    """
    words = _words(language)
    total = answered if answered is not None else sum(count for _, _, count, _ in shares)
    data = [_share_datum(share, total, words, language) for share in shares[:MOST_ROWS]]
    room = 500 // max(len(data), 1)
    alt_rows = [
        words["alt share"].format(**{**datum["alt"], "text": _cut(datum["alt"]["text"], room)}) for datum in data
    ]
    note = "" if total else words["untouched"]
    alt = _alt(_cut(title, 200), *alt_rows, note, words=words)
    values = [{key: value for key, value in datum.items() if key != "alt"} for datum in data]
    page = _page((title, note, ""), _STEP * len(values), values, _share_layers(values, max(total, 1)))
    return _picture(page, alt, "answers.png")


def picture_svg(picture: Picture) -> str:
    """The picture as SVG, for a page: sharp at any size, its text selectable. Blocks like drawing does."""
    with _drawing() as vl_convert:
        svg: str = vl_convert.vegalite_to_svg(picture.spec, allowed_base_urls=[])
    return svg


# What a board and a distribution show, row by row


def _board_datum(row: BoardRow, words: dict[str, str], language: str) -> dict[str, Any]:
    sign, colour = _movement(row.movement, words)
    return {
        "rank": str(row.rank),
        "badge": _BADGES.get(row.rank, _PAPER),
        "bar": _LEADER if row.rank == 1 else _FIELD,
        "name": _shorten(_drawable(row.name) or words["member"], 17),
        "points": max(row.points, 0) / 100,
        "points text": _points(row.points, language),
        "answered": str(row.answered),
        "movement": sign,
        "movement colour": colour,
    }


def _movement(movement: int | None, words: dict[str, str]) -> tuple[str, str]:
    if movement is None:
        return words["new"], _GREY
    if movement == 0:
        return words["same"], _GREY
    return (f"▲{movement}", _UP) if movement > 0 else (f"▼{-movement}", _DOWN)


def _board_alt(row: BoardRow, words: dict[str, str], language: str) -> str:
    key = "alt new" if row.movement is None else ("alt same", "alt up", "alt down")[_sign(row.movement)]
    return words["alt row"].format(
        rank=row.rank,
        name=_cut(_clean(row.name) or words["member"], 30),
        points=_points(row.points, language),
        answered=row.answered,
        movement=words[key].format(steps=abs(row.movement or 0)),
    )


def _share_datum(share: tuple[str, str, int, bool], total: int, words: dict[str, str], language: str) -> dict[str, Any]:
    from babel.numbers import format_percent

    letter, text, count, right = share
    percent = format_percent(Decimal(count) / total if total else 0, locale=_locale(language))
    return {
        "letter": letter,
        "name": _shorten(_drawable(text), 24),
        "count": count,
        "amount": f"{percent} ({count})",
        "mark": "✓" if right else "",
        "bar": _RIGHT_BAR if right else _OTHER_BAR,
        "ink": _RIGHT_INK if right else _GREY,
        "alt": {
            "letter": letter,
            "mark": words["alt right"] if right else "",
            "text": _clean(text),
            "percent": percent,
            "count": count,
        },
    }


# The specs


def _board_layers(data: list[dict[str, Any]], words: dict[str, str]) -> list[dict[str, Any]]:
    bar_end = 282
    most = max(datum["points"] for datum in data) or 1
    heads = [("answered", 328, "right"), ("points", 390, "right"), ("moved", 418, "center")]
    return [
        *[_words_at(words[key], x, -9, 10, _GREY, align=align) for key, x, align in heads],
        _track(bar_end),
        _bar("points", most, bar_end),
        {
            "mark": {"type": "point", "shape": "circle", "filled": True, "size": 300, "opacity": 1},
            "encoding": {"x": {"value": 22}, "y": _PLACE, "fill": _colour("badge"), "stroke": {"value": None}},
        },
        _column("rank", 22, 11.5, align="center"),
        _column("name", _LEFT + 8, 13, limit=_limit(data, bar_end - _LEFT - 12)),
        _column("answered", 328, 12, colour=_GREY, align="right"),
        _column("points text", 390, 13.5, align="right"),
        _column("movement", 418, 11.5, colour="movement colour", align="center"),
    ]


def _share_layers(data: list[dict[str, Any]], total: int) -> list[dict[str, Any]]:
    bar_end = 362
    return [
        _track(bar_end),
        _bar("count", total, bar_end),
        _column("mark", 13, 14, colour="ink", align="center"),
        _column("letter", 27, 13.5, colour="ink", align="center"),
        _column("name", _LEFT + 8, 13, limit=_limit(data, bar_end - _LEFT - 12)),
        _column("amount", _RIGHT, 12.5, align="right"),
    ]


_PLACE = {"field": "place", "type": "ordinal", "axis": None, "scale": {"paddingInner": 0.16, "paddingOuter": 0.08}}


def _track(end: int) -> dict[str, Any]:
    encoding = {"x": {"value": _LEFT}, "x2": {"value": end}, "y": _PLACE}
    return {"mark": {"type": "bar", "color": _TRACK, "cornerRadius": 4}, "encoding": encoding}


def _bar(field: str, most: float, end: int) -> dict[str, Any]:
    scale = {"domain": [0, most], "range": [_LEFT, end], "nice": False}
    x = {"field": field, "type": "quantitative", "axis": None, "scale": scale}
    return {"mark": {"type": "bar", "cornerRadius": 4}, "encoding": {"x": x, "y": _PLACE, "fill": _colour("bar")}}


def _column(
    field: str, x: int, size: float, *, colour: str = _INK, align: str = "left", limit: int = 0
) -> dict[str, Any]:
    fill = {"value": colour} if colour.startswith("#") else _colour(colour)
    text = {"field": field, "type": "nominal"}
    mark = {"type": "text", "align": align, "baseline": "middle", "fontSize": size, "limit": limit}
    return {"mark": mark, "encoding": {"x": {"value": x}, "y": _PLACE, "text": text, "fill": fill}}


def _words_at(text: str, x: int, y: int, size: float, colour: str, *, align: str = "left") -> dict[str, Any]:
    """A line of text at a fixed spot; the text is data of its own."""
    data = [{"text": text}]
    mark = {"type": "text", "align": align, "baseline": "middle", "fontSize": size, "color": colour}
    mark["limit"] = _limit(data, _RIGHT - x, "text") if align == "left" else 0
    place = {"x": {"value": x}, "y": {"value": y}}
    return {"data": {"values": data}, "mark": mark, "encoding": {**place, "text": {"field": "text", "type": "nominal"}}}


def _colour(field: str) -> dict[str, Any]:
    return {"field": field, "type": "nominal", "scale": None}


def _page(
    texts: tuple[str, str, str],
    height: int,
    data: list[dict[str, Any]],
    layers: list[dict[str, Any]],
    *,
    heads: int = 8,
) -> dict[str, Any]:
    """Layers on paper: title and subtitle above, footer below; ``heads`` pixels are left above the rows."""
    title, subtitle, footer = (_shorten(_drawable(text), ems) for text, ems in zip(texts, (25, 36, 36), strict=True))
    top = 30 + (20 if subtitle else 0) + heads
    first = 22 - top
    lines = [_words_at(title, 14, first, 16, _INK)]
    if subtitle:
        lines.append(_words_at(subtitle, 14, first + 21, 11.5, _GREY))
    if footer:
        lines.append(_words_at(footer, 14, height + 15, 11.5, _GREY))
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "background": _PAPER,
        "width": _WIDTH,
        "height": height,
        "padding": {"left": 0, "right": 0, "top": top, "bottom": 30 if footer else 12},
        "autosize": "none",
        "data": {"values": [{"place": place, **datum} for place, datum in enumerate(data)]},
        "layer": [*lines, *layers],
        "config": {"font": _FONT, "view": {"stroke": None}},
    }


# Texts and numbers


def _drawable(text: str) -> str:
    """``text`` in one line, of characters that a text font can draw."""
    raised = _RAISED.sub(lambda run: _flat(run[0], "^"), _EMOJI.sub("", text))
    return _unpiled(_clean(_LOWERED.sub(lambda run: _flat(run[0], "_"), raised)))


def _is_mark(char: str) -> bool:
    """An accent or the like, drawn onto the character before it."""
    return unicodedata.category(char)[0] == "M"


def _unpiled(text: str) -> str:
    """``text`` with three marks a character at most: more would climb over the neighbouring rows."""
    kept, pile = "", 0
    for char in text:
        pile = pile + 1 if _is_mark(char) else 0
        kept += char if pile <= 3 else ""
    return kept


def _flat(run: str, sign: str) -> str:
    return run if set(run) <= _DRAWN_RAISED else sign + unicodedata.normalize("NFKC", run)


def _clean(text: str) -> str:
    """``text`` in one line, without control, format, private and unassigned characters."""
    kept = "".join(char if unicodedata.category(char)[0] != "C" else " " for char in text if char != "\u200d")
    return " ".join(kept.split())


def _shorten(text: str, ems: float) -> str:
    """``text`` cut at a whole character with … so that it is at most about ``ems`` wide (1 em: a Chinese character)."""
    width, end = 0.0, 0
    for index, char in enumerate(text):
        if width <= ems - 1 and not _is_mark(char):
            end = index  # a cut here leaves room for …
        width += _ems(char)
        if width > ems:
            return text[:end].rstrip() + "…"
    return text


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def _ems(char: str) -> float:
    """About how wide ``char`` is drawn: measuring it truly would cost a drawing."""
    if _is_mark(char):
        return 0.0
    if char in "ijl|!.,:;'`ftrI()[] ":
        return 0.34
    if char < "\u0500":
        return 0.9 if char in "mwMW@%" else 0.68 if char.isupper() else 0.58
    return 1.0


def _limit(data: list[dict[str, Any]], pixels: int, field: str = "name") -> int:
    """The hard width limit of a text mark, or none (0) where Vega's own cut could split a character in two and fail."""
    return 0 if any(char > "\uffff" for datum in data for char in datum[field]) else pixels


def _points(points: int, language: str) -> str:
    from babel.numbers import format_decimal

    return format_decimal(Decimal(points) / 100, format="#,##0.##", locale=_locale(language))


def _alt(*sentences: str, words: dict[str, str]) -> str:
    """All that is said, in one line; a sentence that has no end gets one."""
    stop = "。" if words["gap"] == "" else "."
    kept = [sentence for sentence in map(_clean, sentences) if sentence]
    whole = words["gap"].join(text if text[-1] in ".。!！?？…" else text + stop for text in kept)
    return _cut(whole, ALT_LIMIT)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _words(language: str) -> dict[str, str]:
    return _WORDS[_locale(language)]


def _locale(language: str) -> str:
    return "zh" if language.lower().startswith("zh") else "en"


# Drawing

# The library keeps the interpreter's lock while it draws. Waiting here gives it up, so that however many
# pictures are asked for at once, an event loop in the same process waits for one of them at most.
_one_at_a_time = threading.Lock()


@contextmanager
def _drawing() -> Iterator[Any]:
    """The drawing library, knowing our font, for one thread at a time."""
    with _one_at_a_time:
        yield _library()
        time.sleep(0.002)  # the next thread in line would else be quicker than the event loop that waits


@functools.cache
def _library() -> Any:
    import vl_convert  # here, not above: most commands never draw, and it starts a JavaScript engine

    vl_convert.register_font_directory(str(font_directory()))
    return vl_convert


def font_directory() -> Path:
    """Where the font that draws Chinese and English lies; raises ``RuntimeError`` when its package is not installed."""
    found = importlib.util.find_spec("noto_cjk_sans_otc")
    if found is None or found.origin is None:
        raise RuntimeError("Pictures need the package noto-cjk-sans-otc: install the project's requirements again.")
    return Path(found.origin).parent


def _picture(spec: dict[str, Any], alt: str, name: str) -> Picture:
    spec = {**spec, "description": alt}
    with _drawing() as vl_convert:
        png: bytes = vl_convert.vegalite_to_png(spec, scale=_SCALE, allowed_base_urls=[])
    return Picture(png=_packed(png), alt=alt, spec=spec, name=name)


def _packed(png: bytes) -> bytes:
    """``png`` with its pixels compressed well: a third of the size, and not a pixel different."""
    chunks = [png[:8]]
    pixels, at = b"", 8
    while at < len(png):
        end = at + 12 + int.from_bytes(png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            pixels += png[at + 8 : end - 4]
        else:
            chunks.append(png[at:end])
        at = end
    body = b"IDAT" + zlib.compress(zlib.decompress(pixels), 6)
    chunks.insert(-1, struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)))
    return b"".join(chunks)
