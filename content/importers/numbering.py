"""Numbers in front of questions in all manners of writing, and the kinds that questions name for themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass

from content.importers.shapes import HAN_NUMERALS, Both, han_value, roman_value

_N = f"[{HAN_NUMERALS}]{{1,3}}"


@dataclass(frozen=True, slots=True)
class Numbered:
    """A number in front of a line: its value, the manner of writing it, the text behind, and a key before it."""

    number: int | None
    style: str  # word, dot, half, paren, square, space, glued, han, case
    body: Both
    before: str = ""  # what stood in brackets before the number: (√) 1. …
    nested: Numbered | None = None  # 1.2 read as the second question of part 1


_BEFORE = re.compile(
    r"(?:[(\[]\s*(?P<b>[^()\[\]]{0,12}?)\s*[)\]]|_{2,}\s*(?P<u>[A-Ja-j√×TFYNtfyn]|true"
    r"|false)?\s*_*)\s*(?=\(?\d{1,4}\s*[.、)])",
    re.I,
)
_NUMBERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "case",
        re.compile(
            rf"(?:\[\s*)?(?:案例(?:分析|题)?|材料|情景|场景|Case(?:\s+study)?|Scenario)\s*(?P<n>\d{{1,3}}|{_N}"
            rf"|[IVX]{{1,4}})\s*(?:\]|[.、:)\-]|(?=\s|$))\s*[.、:]?\s*",
            re.I,
        ),
    ),
    (
        "word",
        re.compile(
            rf"(?:\[\s*)?(?:第\s*(?P<n>\d{{1,4}}|{_N})\s*(?:小|道)?题|(?:题目|试题|问题|习题|题|例"
            rf"|例题)\s*(?P<m>\d{{1,4}}|{_N}(?=\s*[.、:)\]]))"
            r"|(?:Q|Ques(?:tion)?|Problem|Item|Exercise|No)\s*\.?\s*[#:]?\s*(?P<k>\d{1,4}))(?![\d%])\s*(?:\]"
            r"|of\s+\d+)?\s*[.、:)\-]*\s*",
            re.I,
        ),
    ),
    ("paren", re.compile(r"\(\s*(?P<n>\d{1,4})\s*\)\s*[.、:]?\s*")),
    ("square", re.compile(r"\[\s*(?P<n>\d{1,4})\s*\]\s*[.、:]?\s*")),
    ("half", re.compile(r"(?P<n>\d{1,4})\s*\)\s*[.、]?\s*")),
    ("dot", re.compile(r"(?P<n>\d{1,4})\s*(?:[.、。:]+|,(?!\d))\s*")),
    ("han", re.compile(rf"(?P<n>{_N})\s*[、.]\s*")),
    ("space", re.compile(r"(?P<n>\d{1,3})\s+(?=\S)")),
    (
        "glued",
        re.compile(
            r"(?P<n>\d{1,3})(?=[(\[《“\"\u4e00-\u9fff])(?![个种台条年月日位层卡次倍分号级份张项点块天时秒万千百"
            r"亿字章节])"
        ),
    ),
)
_NESTED = re.compile(r"\d{1,2}[.-](?P<n>\d{1,3})(?:\s*[、.)](?!\d)\s*|\s+)(?=\S)")
_BULLET = re.compile(r"(?:[-*+•●◆◇■▪·>§]|#{1,6})\s+(?=\S)|[•●◆◇■▪]\s*")


def unbulleted(line: Both) -> Both:
    """The line without list or heading marks in front."""
    found = _BULLET.match(line.shape)
    return line.cut(found.end()) if found else line


_KIND_NUMBER = re.compile(
    r"(?P<k>[单多]选题|[单多]项选择题|判断题|填空题|简答题|问答题|论述题)\s*(?=\d{1,4}\s*[.、:)](?!\s*[A-J√×](?:\s|$)))"
)


def numbered(line: Both) -> Numbered | None:
    """The number the line begins with, or nothing."""
    line = unbulleted(line)
    tag = re.match(r"[(\[][^()\[\]\d]{1,8}[)\]]\s*(?=\(?\d{1,4}\s*[.、)])", line.shape)
    lead = line.cut(0, tag.end()) if tag and kind_tag(line.cut(0, tag.end()).shape) else Both("", "")
    bare = _KIND_NUMBER.match(line.shape)
    if bare:
        tag, lead = bare, Both.of(f"[{bare['k']}]")
    if lead and tag:
        line = line.cut(tag.end())
    before = ""
    found = _BEFORE.match(line.shape)
    if found:
        before = (found["b"] or found["u"] or "").strip() or " "
        line = line.cut(found.end())
    for style, pattern in _NUMBERS:
        match = pattern.match(line.shape)
        if match:
            value = _number(match)
            body = line.cut(match.end())
            if style == "dot" and re.match(r"\d", line.shape[match.end() :]) and line.text[match.end() - 1] in ".:：":
                style = "decimal"  # 3.5 GB, 12:30, or an item glued to a year: the reader decides
                minor = _NESTED.match(line.shape)
                if minor:
                    nested = Numbered(int(minor["n"]), "nested", line.cut(minor.end()), before)
                    return Numbered(value, style, body, before, nested)
            if lead:
                body = Both(lead.text + body.text, lead.shape + body.shape)
            return Numbered(value, style, body, before)
    minor = re.match(r"\d{1,2}-", line.shape) and _NESTED.match(line.shape)
    if minor:
        nested = Numbered(int(minor["n"]), "nested", line.cut(minor.end()), before)
        return Numbered(int(line.shape.split("-")[0]), "decimal", line, before, nested)
    if re.fullmatch(r"\d{1,3}", line.shape):
        return Numbered(int(line.shape), "bare", Both("", ""), before)
    asked = re.match(r"(?:Q|问题?|Question)\s*[:.]\s*(?=\S)", line.shape)
    return Numbered(None, "asked", line.cut(asked.end()), before) if asked else None


def _number(found: re.Match[str]) -> int | None:
    value = next((v for v in found.groupdict().values() if v), "")
    if value.isdigit():
        return int(value)
    return han_value(value) or roman_value(value.upper()) or None


_TAGS = (
    ("multiple", r"多选题?|多项选择题?|不定项(?:选择题?)?|multiple\s*(?:answers?|select|response)|multi[\s-]*select"),
    ("single", r"单选题?|单项选择题?|single\s*(?:choice|answer)"),
    ("true_false", r"判断题?|是非题?|判断正误|true\s*(?:/|or)\s*false|t\s*/\s*f"),
    ("blank", r"填空题?|fill[\s-]*in(?:[\s-]*the)?[\s-]*blanks?"),
    ("case", r"简答题?|问答题?|论述题?|案例(?:分析)?题?|名词解释|编程题|short\s*answer|essay|open"),
    ("choice", r"选择题?|multiple\s*choice|mcq"),
)
_TAG = tuple(
    (
        kind,
        re.compile(
            rf"_?[(\[]\s*(?:题型\s*:\s*)?(?:本题为?)?(?:{pattern})(?:\s*[,;]\s*[^()\[\]]{{0,12}})?\s*[)\]]_?\s*"
            rf"[.、:]?\s*(?:\*\s*$)?",
            re.I,
        ),
    )
    for kind, pattern in _TAGS
)


def kind_tag(folded: str) -> tuple[str, int, int] | None:
    """A kind in brackets, ``（多选）`` or ``[Single choice]``, at either end of a text: kind, start, end."""
    for kind, pattern in _TAG:
        found = pattern.match(folded)
        if found:
            return kind, 0, found.end()
        for found in pattern.finditer(folded):
            if not folded[found.end() :].strip(" .。?:()[]_"):
                return kind, found.start(), found.end()
    return None


_KIND_LABEL = tuple(
    (kind, re.compile(rf"(?:{pattern})(?:\s*questions?)?\s*:\s*(?=\S)", re.I)) for kind, pattern in _TAGS
)


def kind_label(line: Both) -> tuple[str, Both] | None:
    """``True or False: …`` or ``单选题：…`` in front of a stem: the kind, and the stem."""
    for kind, pattern in _KIND_LABEL:
        found = pattern.match(line.shape)
        if found:
            return kind, line.cut(found.end())
    return None


def named_kind(folded: str) -> str | None:
    """The kind a bare word names (``单选``, ``True/False``), for a line such as 题型：单选."""
    for kind, pattern in _TAGS:
        if re.fullmatch(rf"\s*(?:{pattern})\s*", folded, re.I):
            return kind
    return None
