"""Headings of sections and of answers, with the kind of question they announce and how many they declare."""

from __future__ import annotations

import re
from dataclasses import dataclass

from content.importers.shapes import HAN_NUMERALS, NOTHING, Both, han_value, roman_value

_N = f"[{HAN_NUMERALS}]{{1,3}}"
_STRONG_ENUM = re.compile(
    rf"(?:第\s*(?P<z1>{_N}|\d{{1,2}})\s*(?:大题|部分|单元|章|节|篇|卷|题型)\s*[、.:,]?"
    r"|第\s*(?:(?P<v1>[Ⅰ-Ⅻ])|(?P<v2>[IVX]{1,4}))\s*(?:卷|部分)\s*[、.:,]?"
    rf"|(?P<z2>{_N})\s*(?:[、.:,)]|大题\s*[、.:,]?|(?=\s))|\((?P<z3>{_N})\)\s*[、.:]?"
    r"|(?P<r>[IVX]{1,5})\s*(?:[.、:)]|(?=\s))|(?P<u>[Ⅰ-Ⅻ])\s*[.、:)]?"
    r"|(?i:part|section|unit)\s+(?:(?P<p>[IVX]{1,5}|\d{1,2}|[A-Ha-h])|(?P<w>(?i:one|two|three|four|five|six)))"
    r"\b\s*[.:、)\-]*)\s*"
)
_WEAK_ENUM = re.compile(r"(?:(?P<n>\d{1,2})\s*[.、)]|\((?P<m>\d{1,2})\)|(?P<l>[A-H])[.)])?\s*")
_WORDS = ("one", "two", "three", "four", "five", "six")

# The kinds with the words that name them, most telling first.
_ZH_KINDS = (
    ("multiple", r"(?:不定项选?择?|多项选择|多项|多选择?|复选|X型)(?:选择)?(?:题|(?=$|[\s(\[:]))"),
    ("single", r"(?:单项选择|单项|单选择?|单一选择|单择|最佳选择|A[1-4][/A1-4]*型|A型)(?:选择)?(?:题|(?=$|[\s(\[:]))"),
    (
        "true_false",
        r"(?:判断|是非|对错|正误|辨别)(?:正误|对错|是非|判断|改错|说明|选择)?(?:题|(?=$|[\s(\[:]))",
    ),
    ("blank", r"(?:填空|填充|完成句子|补充)(?:题|(?=$|[\s(\[:]))"),
    ("numeric", r"(?:数值|数字)(?:计算|填空|解答|型)?题|计算(?:填空)?题"),
    ("choice", r"(?:混合|客观)?(?:选择)(?:题|(?=$|[\s(\[:]))|客观题"),
    (
        "case",
        r"非选择题|(?:匹配|配对|连线|排序|阅读(?:理解|分析)?)题|(?:案例|简答|问答|论述|简述|名词解释|术语解释|概念解释|辨析)(?:与?分析|与?设计|综合|应用|简答|讨论)*(?:题"
        r"|(?=$|[\s(\[:]))"
        r"|(?:综合|应用|分析|计算|编程|程序|设计|材料|主观|解答|证明|思考|翻译|实操|操作|开放性?|代码|算法|面试"
        r"|口述|讨论|实践|实验|作图|情景|场景|读图|改错|推导)"
        r"(?:与|及)?(?:综合|应用|分析|设计|计算|编程|解答|讨论|实现|问答|简答)*题|解释(?:下列)?(?:名词|术语|概念)",
    ),
)
_Q = r"(?:[\s-]*(?:type\s+)?(?:questions?|items?|problems?|statements?|section|part|exercises?|tasks?))*"
_EN_KINDS = (
    (
        "multiple",
        r"(?:multiple[\s-]*(?:answers?|select(?:ion)?s?|responses?"
        r"|correct(?:\s+answers?)?)(?:\s+(?:multiple[\s-]*)?choice)?"
        r"|multi[\s-]*(?:select|answer|response)|(?:select|choose|check|mark) all (?:that apply|correct answers)"
        r"|checkbox(?:es)?)" + _Q,
    ),
    (
        "single",
        r"(?:single[\s-]*(?:best[\s-]*)?(?:answer|choice|select(?:ion)?"
        r"|response)s?(?:\s+(?:multiple[\s-]*)?choice)?|one[\s-]*best[\s-]*answer"
        r"|best[\s-]*answer|one[\s-]*correct[\s-]*answer)" + _Q,
    ),
    (
        "true_false",
        r"(?:true\s*(?:/|or|and|-|&|,|\|)?\s*false|t\s*/\s*f|yes\s*(?:/|or)\s*no|right\s*(?:/|or)\s*wrong)" + _Q,
    ),
    (
        "blank",
        r"(?:fill[\s-]*(?:in)?[\s-]*(?:the)?[\s-]*(?:blanks?|gaps?)|fill[\s-]*ins?|(?:gap|blank)[\s-]*fill(?:ing"
        r"|s)?|cloze|completions?"
        r"|complete the (?:following )?(?:sentence|statement)s?|blanks?)" + _Q,
    ),
    ("numeric", r"(?:numeric(?:al)?(?:[\s-]*(?:answer|response|entry)s?)?|calculations?)" + _Q),
    ("choice", r"(?:multiple[\s-]*choices?|multi[\s-]*choices?|mcqs?|choice|objective)" + _Q),
    (
        "case",
        r"(?:(?:short|long|open|brief|written)[\s-]*(?:answer|response|ended|form)s?|essays?|case[\s-]*(?:stud(?:y"
        r"|ies)|analys[ie]s)|cases"
        r"|matching|ordering|free[\s-]*(?:response|text|form)s?|discussions?|open|descriptive|subjective|definitions?"
        r"|problem[\s-]*solving|scenarios?"
        r"|constructed[\s-]*response|analysis|applications?)" + _Q,
    ),
)
_KINDS = tuple((kind, re.compile(pattern)) for kind, pattern in _ZH_KINDS) + tuple(
    (kind, re.compile(r"(?<![A-Za-z])(?:" + pattern + r")(?![A-Za-z])", re.I)) for kind, pattern in _EN_KINDS
)
_REST = re.compile(
    r"(?:部分|型|类|练习|试题)?\s*(?:$|[(\[]|[:.,;\-]*\s*(?:$|共|每|本|合计|总|满分|计|请|以下|下列|在|从|将|对|判"
    r"|\(|\["
    r"|\d+\s*(?:分|道|个|题|小题|points?|pts|marks?|questions?|items?|[x×*])|(?:total|each|choose|select|circle"
    r"|mark|indicate|"
    r"state|write|decide|answer|fill|complete|for each|read|pick|tick|identify|determine|there (?:is|are)|one"
    r"|only)\b))",
    re.I,
)
_COUNT = re.compile(
    r"(?:(?P<a>\d{1,4})\s*[-~至到]\s*(?P<b>\d{1,4})\s*(?:小?题)|(?:questions?|items?)\s+(?P<c>\d{1,4})\s*(?:-|to"
    r"|through)\s*(?P<d>\d{1,4})"
    r"|(?P<n>\d{1,4}|[一二三四五六七八九十]{1,3})\s*(?:道|个)?\s*(?:小题|大题|题|道|questions?|items?|problems?"
    r"|statements?))",
    re.I,
)
_KEY_WORDS = re.compile(
    r"\s*(?:的)?\s*(?:参考|标准|正确)?答案(?:\s*(?:与|及|和|、)?\s*(?:解析|详解|评分标准))?"
    r"|\s*[-:,]?\s*(?:answer\s*keys?|answers?|key)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A section's heading: its ordinal (0: none), kind (``choice``: single or multiple), declared items, and the rest.

    ``rest`` is text on the same line that is no part of the heading; ``is_key`` where it heads answers.
    """

    ordinal: int
    kind: str | None
    title: str
    declared: int | None = None
    rest: Both = NOTHING
    is_key: bool = False
    lettered: bool = False  # "A. Multiple choice" might as well be an option


def _ordinal(found: re.Match[str]) -> int:
    groups = found.groupdict()
    for name in ("z1", "z2", "z3"):
        if groups.get(name):
            value = groups[name]
            return int(value) if value.isdigit() else han_value(value)
    if groups.get("r"):
        return roman_value(groups["r"])
    if groups.get("v2"):
        return roman_value(groups["v2"])
    sign = groups.get("u") or groups.get("v1")
    if sign:
        return ord(sign) - 0x215F
    if groups.get("w"):
        return _WORDS.index(groups["w"].lower()) + 1
    part = groups.get("p") or groups.get("n") or groups.get("m") or groups.get("l") or ""
    if part.isdigit():
        return int(part)
    return roman_value(part) or (ord(part.upper()) - 0x40 if part else 0)


def _bare(line: Both) -> Both:
    """The line without marks of a heading around it: ``#``, ``==``, brackets around the whole."""
    body = line.cut(0)
    previous = None
    while previous != body.shape:
        previous = body.shape
        body = body.cut(len(re.match(r"[#=*~<>+\s]*(?:-{2,}\s*)?", body.shape)[0]))  # type: ignore[index]
        tail = re.search(r"[=*~<>#+\s]*(?:\s*-{2,})?[=*~<>#+\s]*$", body.shape)
        body = body.cut(0, tail.start() if tail else None)
        if re.fullmatch(r"\[[^\[\]]*\]:?", body.shape) or re.fullmatch(r"《[^》]*》", body.shape):
            body = body.cut(1, len(body.shape.rstrip(":")) - 1)
    return body


def heading(line: Both) -> Heading | None:
    """The section heading on this line, or nothing. A line that only has an ordinal gives kind ``None``."""
    if len(line.shape) > 400:
        return None
    body = _bare(line)
    strong = _STRONG_ENUM.match(body.shape)
    if strong:
        found = _with_kind(body, strong, strong=True)
        if found is not None:
            return found
    weak = _WEAK_ENUM.match(body.shape)
    return _with_kind(body, weak, strong=False) if weak else None


def _with_kind(body: Both, enum: re.Match[str], *, strong: bool) -> Heading | None:
    start = enum.end()
    text = body.shape[start:]
    best: tuple[int, int, str] | None = None
    for kind, pattern in _KINDS:
        found = pattern.search(text) if strong else pattern.match(text)
        if found and (best is None or found.start() < best[0]) and _fits(text, found, strong=strong, enum=enum):
            best = (found.start(), found.end(), kind)
    if best is None:
        return None
    kind, tail = best[2], text[best[1] :]
    key = _KEY_WORDS.match(tail)
    after = best[1] + (key.end() if key else 0)
    title_end, rest_start = _title_end(text, after)
    note = text[best[0] : title_end]
    if not key and _is_statement(text[rest_start:], enum, strong=strong):
        return None
    return Heading(
        _ordinal(enum),
        _refined(kind, note),
        body.text[: start + title_end].strip(),
        _declared(text[after:title_end]),
        body.cut(start + rest_start)
        if rest_start < len(text) and _carries_entries(text[rest_start:])
        else Both("", ""),
        bool(key),
        bool(enum.groupdict().get("l")),
    )


def _fits(text: str, found: re.Match[str], *, strong: bool, enum: re.Match[str]) -> bool:
    before, after = text[: found.start()], text[found.end() :]
    if _KEY_WORDS.match(after) and len(before) <= 12:
        return True
    if not strong:
        if enum["l"] and after.strip(" :.") and not after.lstrip().startswith("("):
            return False
        return bool(_REST.match(after)) or (after.startswith((":", " ")) and _carries_entries(after[1:]))
    # Behind 一、 or Part A other words may stand before the kind, but no sentence.
    if len(before) > 24 or re.search(r"[?。!;]|下列|以下|哪|什么", before) or re.match(r"[^(\[]*\?", after):
        return False
    if before.strip(" (:[-,") and re.match(r"\w", after) and not _REST.match(after):
        return False
    told = bool(_REST.match(after)) or bool(re.match(r"\s*[)\]:.,\-]", after)) or not after.strip()
    return told or (after.startswith(" ") and _carries_entries(after))


def _title_end(text: str, after: int) -> tuple[int, int]:
    """Where the heading's own words and bracketed notes end, and where what follows on the line begins."""
    position = after
    while True:
        found = re.match(r"\s*(?:部分)?\s*(?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]|[):.\]\-,]+)\s*", text[position:])
        if not found or not found[0] or re.match(r"\s*\(\d{1,4}\)\s*\S", text[position:]):
            break
        position += found.end()
    if _carries_entries(text[position:]):
        return position, position
    return len(text), len(text)


def _carries_entries(rest: str) -> bool:
    return bool(
        re.match(
            r"\s*(?:\(?\d{1,4}\s*(?:[.、):,]|[-~至]\s*\d)|第?\s*\d+\s*题|\d{1,4}\s+[A-J√×TF对错]|[A-J]{2,}(?:\s|$)"
            r"|[√×]{2,}|[A-J](?:\s+[A-J])+\s*$)",
            rest,
        )
    )


def _is_statement(rest: str, enum: re.Match[str], *, strong: bool) -> bool:
    """``1. True or false: the sky is blue.`` is a question with a tag, no heading."""
    numbered = not strong and bool(enum["n"] or enum["m"])
    return numbered and len(rest.strip()) > 0 and not _carries_entries(rest)


def _refined(kind: str, note: str) -> str:
    if kind != "choice":
        return kind
    if re.search(
        r"多选|不定项|两个(?:或|及|以)|至少|一个或|多个|more than one|one or more|all that apply"
        r"|multiple (?:correct )?answers?|select all",
        note,
        re.I,
    ):
        return "multiple" if not re.search("单选|单项", note) else "choice"
    if re.search(
        r"单选|单项|只有一|一个(?:是|正确|符合|选项)|唯一|最佳|one correct|single|only one|one answer|best answer"
        r"|choose one|select one|the correct",
        note,
        re.I,
    ):
        return "single"
    return kind


def _declared(note: str) -> int | None:
    for found in _COUNT.finditer(note):
        if note[: found.start()].rstrip().endswith(("每", "第", "前", "后")):
            continue
        if found["a"]:
            return int(found["b"]) - int(found["a"]) + 1
        if found["c"]:
            return int(found["d"]) - int(found["c"]) + 1
        number = found["n"]
        return int(number) if number.isdigit() else (han_value(number) or None)
    return None


def chapter(line: Both) -> Heading | None:
    """A heading that has an ordinal such as 第一章 or Part 2 but names no kind."""
    body = _bare(line)
    found = _STRONG_ENUM.match(body.shape)
    if not found:
        return None
    rest = body.shape[found.end() :]
    if len(rest) > 2 and not found["r"] and _carries_entries(rest):
        return Heading(_ordinal(found), None, body.text[: found.end()].strip(), rest=body.cut(found.end()))
    if len(body.shape) > 60 or re.search(r"[?。!;_]|\(\s*\)", body.shape):
        return None
    marked = line.shape.startswith("#") or re.match(r"第.{1,3}[章节部单篇卷]|part|section|unit", body.shape, re.I)
    rest = body.shape[found.end() :]
    if not marked and (found["r"] or not rest.strip()):
        return None
    return Heading(_ordinal(found), None, body.text)


_ANSWER_HEAD = re.compile(
    r"(?:附[录件]?\s*\d?[:、]?\s*)?[^,。?!;:]{0,24}?(?:参考|标准|正确)?答案(?:\s*(?:与|及|和|、|&)?\s*(?:试题|详细"
    r"|答案)?\s*(?:解析|详解|解释|说明|评分(?:标准|细则|参考|要点)|提示))*"
    r"(?:部分|一览表?|汇总|速查|表|如下|卷|页)?\s*:?"
    r"|(?:答案|试题)(?:解析|详解)(?:部分)?\s*:?|解答\s*:?"
    r"|(?:(?:[\w'’:\- ]{0,40}?[\s:\-]+)?(?:answer\s*keys?|answer\s*sheet|answers?\s+(?:section|list)|(?:suggested"
    r"|model|sample)\s+answers)"
    r"|(?:[\w'’\- ]{0,40}?\s)?(?:answers|solutions)|(?:correct\s+)?answers?|keys?)"
    r"(?:\s*(?:and|&|with|/|\+)\s*(?:detailed\s+)?(?:explanations?|rationales?|solutions?"
    r"|answers?))*\s*(?:for[\w\s]{0,30})?\s*[:.]?",
    re.I,
)


def answer_head(line: Both) -> bool:
    """The line only says that answers follow: 【答案与解析】, 参考答案：, Answer key."""
    return bool(_ANSWER_HEAD.fullmatch(_bare(line).shape))


_HEAD_INLINE = re.compile(
    r"(?:[(\[]?\s*(?:参考|标准|正确)?答案(?:\s*(?:与|及|和)?\s*解析)?\s*[)\]]?|(?:answer\s*keys?|answers"
    r"|keys?))\s*[:.]?\s*",
    re.I,
)


def answer_head_with_entries(line: Both) -> Both | None:
    """What follows on ``答案：1.B 2.C 3.A`` or ``Answers: 1-5 BCADB``; nothing for other lines."""
    found = _HEAD_INLINE.match(line.shape)
    if not found:
        return None
    rest = line.cut(found.end())
    return rest if re.match(r"\(?\d{1,4}\s*(?:[.、):,=\-~至]|[A-J√×]|\s)", rest.shape) else None
