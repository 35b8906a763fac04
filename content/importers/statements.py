"""Statements that are true or false, blanks, and what stands around a stem: marks, labels, page numbers."""

from __future__ import annotations

import re

from content.importers.shapes import Both

_TRUE_FALSE_BOXES = re.compile(
    r"(?P<t0>[(\[]\s*[√xX]?\s*[)\]]|[□○◯☐■●◉√])?\s*(?:A\s*[.、:]?\s*)?(?:正确|对|是|√|true|t"
    r"|yes)\s*(?P<t1>[(\[]\s*[√xX]?\s*[)\]]|[□○◯☐■●◉√])?"
    r"[\s,;/、|]*(?P<f0>[(\[]\s*[√xX]?\s*[)\]]|[□○◯☐■●◉√])?\s*(?:B\s*[.、:]?\s*)?(?:不正确|错误|错|不对|否|×|false"
    r"|f|no)\s*(?P<f1>[(\[]\s*[√xX]?\s*[)\]]|[□○◯☐■●◉√])?\s*[.。]?",
    re.I,
)


def true_false_boxes(folded: str) -> tuple[int, bool | None] | None:
    """``正确（）不正确（）`` alone or at the end of a text: where it begins, and which box is ticked."""
    for found in _TRUE_FALSE_BOXES.finditer(folded):
        groups = [found[name] or "" for name in ("t0", "t1", "f0", "f1")]
        alone = found.start() == 0
        if folded[found.end() :].strip() or not (alone or any(groups)):
            continue
        if alone and not any(groups) and len(re.sub(r"\W", "", found[0])) < 4 and "/" not in found[0]:
            continue
        ticked = [bool(re.search(r"[√xX■●◉]", a + b)) for a, b in (groups[:2], groups[2:])]
        return found.start(), ticked[0] if ticked[0] != ticked[1] else None
    return None


_CHOICE_OF_TWO = re.compile(
    r"\s*[(\[]?\s*(?:T\s*/\s*F|True\s*/\s*False|Y\s*/\s*N|Yes\s*/\s*No|对\s*/\s*错|正确\s*/\s*错误|√\s*/\s*×"
    r"|True or False)\s*[)\]]?\s*[?]?$",
    re.I,
)


def without_choice_of_two(line: Both) -> Both:
    """A statement without ``T / F`` behind it, and without a blank to write it in before or behind it."""
    for pattern in (_CHOICE_OF_TWO, re.compile(r"\s*_{2,}\s*$")):
        found = pattern.search(line.shape)
        line = line.cut(0, found.start()) if found and found.start() else line
    found = re.match(r"_{2,}\s*|(?:T\s*[/ ]\s*F|True\s*[/ ]\s*False|对\s*/\s*错|√\s*/\s*×)\s+(?=\S)", line.shape)
    return line.cut(found.end()) if found else line


BLANK = re.compile(r"_{2,}(?:\s*[(\[]?\d{0,2}[)\]]?\s*_{2,})?|\(\s+\)|\(\)|\[\s+\]|\[\]|…{3,}|\.{6,}")
SCORE = re.compile(
    r"\s*[(\[]\s*(?:本题|本小题|每空|每题|每小题|共|满分|计|worth)?\s*\d{1,3}(?:\.\d)?\s*(?:分|points?|pts?\.?"
    r"|marks?)(?:\s*(?:,|;)[^()\[\]]{0,12})?\s*[)\]]\s*|\s*[(\[]\s*(?:score|points)\s*:\s*\d+\s*[)\]]\s*",
    re.I,
)


def without_scores(line: Both) -> Both:
    """The text without （2分） or [5 points]."""
    out, position = line.cut(0, 0), 0
    for found in SCORE.finditer(line.shape):
        gap = " " if found[0][:1].isspace() and found[0][-1:].isspace() else ""
        out = Both(
            out.text + line.text[position : found.start()] + gap, out.shape + line.shape[position : found.start()] + gap
        )
        position = found.end()
    return Both(out.text + line.text[position:], out.shape + line.shape[position:]).cut(0)


_NOISE = re.compile(
    r"(?:[-=_*~#.·+—\s]{3,}|第?\s*\d+\s*页\s*[,/\s]*(?:共\s*\d+\s*页)?"
    r"|.{0,40}第\s*\d+\s*页\s*[,(\s]*共\s*\d+\s*页[-\s)]*|-\s*\d{1,3}\s*-"
    r"|page\s+\d+(?:\s*(?:of|/)\s*\d+)?|\d+\s*/\s*\d+\s*页|[-\s]*(?:the\s+)?end(?:\s+of\s+(?:exam|paper|quiz|test"
    r"|document)\w*)?[-.\s]*|[-—\s(]*(?:全文|本卷|试卷|试题)?(?:完|结束)[-—\s)]*)",
    re.I,
)


_PAGE_NUMBER = re.compile(
    r"[-—\s]*(?:第\s*)?\d{1,4}\s*(?:页)?\s*[,/\s]*(?:共\s*\d+\s*页)?[-—\s]*|page\s+\d+.{0,12}", re.I
)


def is_page_number(folded: str) -> bool:
    """``第 2 页 共 8 页``, ``- 3 -``, ``Page 2 of 8``."""
    return is_noise(folded) and bool(_PAGE_NUMBER.fullmatch(folded))


_LABEL = re.compile(
    r"(?:题目|题干|试题|问题|Question|Stem)\s*:\s*|[(\[]\s*(?:题目|题干|试题|问题)\s*[)\]]\s*:?\s*", re.I
)
_OPTIONS_LABEL = re.compile(
    r"(?:备选)?(?:选项|答案选项)(?:如下)?\s*:\s*|(?:options|choices|answer choices)\s*:\s*", re.I
)


def without_label(line: Both) -> Both:
    """A stem without 题目：or Question: in front and without 选项：at its end."""
    found = _LABEL.match(line.shape)
    line = line.cut(found.end()) if found else line
    for found in _OPTIONS_LABEL.finditer(line.shape):
        if not line.shape[found.end() :].strip():
            return line.cut(0, found.start())
    return line


def without_options_label(line: Both) -> Both:
    """``选项：A. …`` without its first word, where options follow."""
    found = _OPTIONS_LABEL.match(line.shape)
    return line.cut(found.end()) if found and line.shape[found.end() :].strip() else line


def is_noise(folded: str) -> bool:
    """Rules, page numbers, end marks: lines that say nothing."""
    return bool(_NOISE.fullmatch(folded))


_ASKS = re.compile(
    r"[?]\s*(?:\(.*\))?$|^(?:请|试|简述|简要|试述|论述|说明|分析|比较|什么是|何谓|何为|如何|为什么|为何|怎样|解释"
    r"|列举|阐述|谈谈|描述|设计|计算|证明|写出|推导|举例|概述|给出|对比|名词解释|指出|简答"
    r"|what|how|why|which|when|where|who|explain|describe|compare|discuss|list|define|outline|design|derive|name"
    r"|give|state|calculate|compute|write|identify|summari[sz]e|contrast|show|prove)",
    re.I,
)


def asks(folded: str) -> bool:
    """The text reads like a question or a task."""
    return bool(_ASKS.search(folded.strip()))


_TRUTH_SIGN = r"(?:√|×|○|正确|错误|不正确|对|错|是|否|true|false|[TFYNOXVxv])"
_BARE_TRUTH = re.compile(
    r"^(?P<a>[√×]|[TF](?=\s+[A-Z]))\s*(?=\S)|(?<=\S)\s*(?P<b>[√×])\s*[.。]?$|\s(?P<c>对|错|正确|错误|T|F|True"
    r"|False)\s*[.。]?$"
)


def bare_truth(line: Both) -> tuple[str, Both] | None:
    """A truth sign before or behind a statement without brackets: the sign, and the statement."""
    found = _BARE_TRUTH.search(line.shape)
    if not found or (found["a"] and len(line.shape) < 4):
        return None
    sign = found["a"] or found["b"] or found["c"]
    return sign, line.cut(found.end()) if found["a"] else line.cut(0, found.start())


_TRUTH_END = re.compile(rf"[(\[]\s*(?P<v>{_TRUTH_SIGN})\s*[)\]]\s*[.。;]?\s*$", re.I)
_BOX_END = re.compile(r"[(\[]\s*[)\]]\s*[.。;]?\s*$")


def ends_with_truth(folded: str) -> re.Match[str] | None:
    """``…（√）`` or ``… (F)`` at the end of a statement; the value is group ``v``."""
    return _TRUTH_END.search(folded)


def ends_with_box(folded: str) -> re.Match[str] | None:
    """``…（ ）`` at the end of a statement."""
    return _BOX_END.search(folded)
