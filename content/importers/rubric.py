"""The points of a reference answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from content.importers.items import Row, joined
from content.importers.report import Point

_SUBHEAD = re.compile(r"(?:[(\[]?[一二三四五六七八九十]+[)\].、]\s*)?(?P<t>[^\d:。,;]{2,24}):")


_POINT = re.compile(
    r"(?:\(?\d{1,2}\s*[).、]|\[\d{1,2}\]|[①-⑳]|[-*•]\s|第[一二三四五六七八九十][,、:]|(?:首先|其次|最后)[,、:])\s*"
)


_POINTS = re.compile(r"[(\[]\s*(\d{1,2})\s*(?:分|points?|pts?|marks?)\s*[)\]]", re.I)


def _goes_on(text: str, after: str) -> bool:
    """A line broken in mid-sentence: behind a comma, or before a small letter."""
    return text.endswith(("，", ",", "、")) or (text[-1:].isascii() and text[-1:].isalnum() and after[:1].islower())


def rubric(rows: Sequence[Row]) -> list[Point]:
    """The points of a reference answer: numbered or listed lines under their sub-headings, else one a line."""
    points: list[Point] = []
    heading = ""
    listed = any(_POINT.match(row.both.shape) for row in rows)
    for row in rows:
        head = _SUBHEAD.fullmatch(row.both.shape)
        if head:
            heading = row.both.text[head.start("t") : head.end("t")]
            continue
        found = _POINT.match(row.both.shape)
        worth = _POINTS.search(row.both.shape)
        body = row.both.cut(found.end() if found else 0)
        text = re.sub(
            r"\s*[(（\[【]\s*\d{1,2}\s*(?:分|points?|pts?|marks?)\s*[)）\]】]", "", body.text, flags=re.I
        ).strip()
        wrapped = bool(points) and points[-1].heading == heading and _goes_on(points[-1].text, text)
        if found or not points or not (listed or wrapped):
            points.append(Point(row.line, heading, text, int(worth[1]) if worth else None))
        else:
            last = points[-1]
            together = joined([Row.of(last.line, last.text, False), Row.of(row.line, text, False)])
            points[-1] = Point(last.line, last.heading, together, last.points)
    return [p for p in points if p.text]
