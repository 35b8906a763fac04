"""One number with its unit out of a piece of text: what is said around it, before it and behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from content.literals import read_number, read_share
from content.numerals import read_chinese
from content.text_rules import LONGEST, plain
from content.unit_table import ONE, Readings, Unit
from content.units import read_unit


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as typed, in the unit as typed (all its readings)."""

    number: Fraction
    units: Readings = ()  # none: bare
    unknown: str = ""  # a word that stands where a unit would
    places: Fraction = Fraction(0)  # worth of the last written place; 0 where the number is exact
    tail: str = ""
    is_fraction: bool = False


_THOUSANDS = re.compile(r"(?<![\d.,'_^])(?<!\d )([1-9]\d{0,2})([,' _])(\d{3})((?:\2\d{3})*)(?![\d'_]|,\d)")
_REWRITES = (
    (re.compile(r"^(\*+|\$)(.*?)\1$"), r"\2"),
    (re.compile(r"×(?! ?[\d.零一二两三四五六七八九十])"), "x"),
    (re.compile(r"\\(?:times|cdot)|×|乘以|乘"), "*"),
    (re.compile(r"(?<![A-Za-z])t/s\b"), "tokens/s"),
    (re.compile(r"\\(?=[%$,;! ])|\\,"), ""),
    (re.compile(r"除以"), "/"),
    (re.compile(r"([一二两三四五六七八九])成([一二三四五六七八九])"), r"\1点\2成"),
    (re.compile(r"\*\*"), "^"),
    (re.compile(r"(?<=\d) ?·(?= ?\d)"), "*"),
    (re.compile(r"(?<=\d)(?<!(?<![\d.])0)\s*[xX]\s*(?=[\d.])|(?<=\d)\s+[xX]\s+(?=\d)"), "*"),
    (re.compile(r"\btimes\b(?= ?\d)"), "*"),
    (re.compile(r"\s*\bto the (?:power (?:of )?)?([+-]?\d+)(?:th|st|nd|rd)?(?: power)?\b"), r"^\1"),
    (re.compile(r"\^ ?[({] ?([+-]?\d+) ?[)}]"), r"^\1"),
    (re.compile(r"(?:=>|-+>|→|==+|:=|≡)"), "="),
    (re.compile(r"约等于|≒|≃|≅|~="), "≈"),
    (re.compile(r"[\"`]|(?<!\d)'|'(?!\d)"), ""),
    (re.compile(r"\bminus(?= ?\d)|\bnegative(?= ?\d)|负(?=[\d零〇一二两三四五六七八九十])"), "-"),
    (re.compile(r"\bor (?:so|thereabouts)\b|\bmore or less\b|\bgive or take\b"), ""),
    (re.compile(r"(?<=\d)[!](?=$)"), ""),
)
_CHINESE_POWER = re.compile(r"的 ?(负|-)? ?([0-9]+|[零一二两三四五六七八九十百]+) ?次(?:方|幂)")
NO_NUMBER = re.compile(
    r"[<>≤≥±∞]|\+-|\+/-|\d ?\+$|\bnan\b|\binf(?:inity)?\b|\bnot\b|n't\b|不是|不等于|并非"
    r"|至少|至多|最多|最少|不到|不足|不超过|超过|多于|少于|大于|小于|高于|低于|以上|以下|以内"
    r"|\b(?:O|f|log\d*|ln|exp|sqrt|max|min) ?\(|Θ\("
    r"|几(?!乎)|若干|数[十百千万亿]|上[百千万亿]|[\d十百千万亿][多余](?!少)"
    r"|\bat (?:least|most)\b|\bup to\b|\bno (?:more|less|fewer) than\b|\bor (?:more|less|fewer|above|below)\b"
    r"|\b(?:more|less|fewer|greater|higher|lower|larger|smaller|over|under|above|below|between|within)\b(?: than)? ?\d"
    r"|\b(?:several|few|many|dozens|hundreds|thousands|millions|billions) of\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[^\d]{0,80}?(?:\b(?:is|are|was|be|equals?|takes?|needs?|requires?|uses?|gives?|about|around|approximately|roughly)\b"
    r"|需要|占用|等于|大约|约为?|是|为|共)\s*(?=[-+~≈.\d$¥€£]|[零一二两三四五六七八九十百半])",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"^(?:大约|大概|差不多|近似|接近|将近|约为?|总共|一共|共计?|合计|答案?|结果|我觉得|应该?|等于|是|为|得|近|仅|只有?|才"
    r"|(?:about|approx(?:imately)?|around|circa|ca|roughly|nearly|almost|exactly|only|just|total|equals?|is|are|it|its|it's"
    r"|answer|ans|result|maybe|probably|i think|the|of|in)\b\.?|c\.|[~≈=:])\s*",
    re.IGNORECASE,
)
_SUFFIX = re.compile(
    r"(?:左右|上下|整|吧|呢|啊|哦|的|大概|大约"
    r"|\b(?:or so|approx(?:imately)?|roughly|about|in total|total|overall|altogether)\b\.?"
    r"|\b(?:each|exactly|only|i think|maybe)\b\.?"
    r"|[~!?.,:;。、 ])+$",
    re.IGNORECASE,
)


def spell(text: str) -> str:
    """``plain`` with one spelling for operators, powers and separators: ``1 024 × 10⁹`` becomes ``1024 * 10^9``."""
    text = plain(text)
    if len(text) > LONGEST:
        return text
    text = _THOUSANDS.sub(lambda m: re.sub(r"[,' _]", "", m[0]), text)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    return _CHINESE_POWER.sub(_chinese_power, text).strip()


def _chinese_power(match: re.Match[str]) -> str:
    """10的负三次方 → 10^-3."""
    read = read_chinese(match[2])
    if match[2].isdecimal() or read is None or read[1] != len(match[2]):
        return f"^{'-' if match[1] else ''}{match[2]}" if match[2].isdecimal() else match[0]
    return f"^{'-' if match[1] else ''}{read[0]}"


_MONEY = re.compile(r"^(US\$|[$¥€£])\s*(?=[\d.])")
_EACH = re.compile(r"^每个?(秒钟?|[\u4e00-\u9fff]{1,4}?)\s*(?=\d|[零一二两三四五六七八九十百])")
_TIMES_SIGN = re.compile(r"^[*xX] ?(?=[\d.])")
_MORE = re.compile(
    r"^\s*[\^*/+_√]|^\s*(?:-|~|到|至|和|与|及|\+|/|\*|\^|\.|,|:|'|_|(?:to|and|or|vs)(?![a-z]))\s*[-+]?(?=[.\d]|[零一二两三四五六七八九十])"
)
_ARTICLE = re.compile(r"^ (?:of )?an? (?=[A-Za-z])")  # half a GiB
_GLUED_NAME = re.compile(r"[A-Za-zα-ω]{1,3}(?![A-Za-z])|[A-Za-z]+\d|[\^*/+_√]")
LOOSE_DIGIT = re.compile(r"(?<![A-Za-z\d.^-])\.?\d")
_AND_HALF = re.compile(r"^个半(?!\d)")


def read_quantity(text: str) -> Quantity | None:
    """One number with its unit and nothing else that could be a value; None where that is not what stands there."""
    text = _stripped(text)
    sign = 1
    if text[:1] in ("+", "-"):
        sign = -1 if text[0] == "-" else 1
        text = text[1:].lstrip()
    before, text = _unit_before(text)
    parted = read_share(text)
    read, brought = parted if parted else (read_number(text), "")
    if read is None:
        return None
    value, end, step = read
    rest = _ARTICLE.sub(" ", text[end:])
    if match := _AND_HALF.match(rest):  # 一个半小时
        value, rest = value + Fraction(1, 2), "个" + rest[match.end() :]
    before = before or read_unit(brought)[0]
    quantity = _with_unit(sign * value, step, rest, before)
    is_fraction = bool(parted) or "/" in text[:end] or text[:1].isalpha()
    return quantity and replace(quantity, is_fraction=is_fraction and value.denominator > 1)


def _unit_before(text: str) -> tuple[Readings, str]:
    """$5, 每秒 50 词元, ×8: the unit that stands before the number, and the text from the number on."""
    if match := _MONEY.match(text):
        return read_unit(match[1])[0], text[match.end() :]
    if match := _EACH.match(text):
        units = read_unit(f"/{match[1]}")[0]
        return () if units == (ONE,) else units, text[match.end() :]  # 每序列 names no unit
    if match := _TIMES_SIGN.match(text):
        return read_unit("×")[0], text[match.end() :]
    return (), text


def _together(before: Readings, after: Readings) -> Readings:
    """One unit of the two that stand around a number: $ and /h, 每秒 and 词元, $ and million."""
    if not before or not after:
        return before or after
    pairs = [(one, other) for one in before for other in after]
    return tuple(replace(one.times(other), symbol=_symbol(one.symbol, other.symbol)) for one, other in pairs)


def _symbol(before: str, after: str) -> str:
    if after.startswith("1/"):
        return before + after[1:]
    if before.startswith("1/"):
        return after + before[1:]
    return f"{after} {before}".strip()


def _stripped(text: str) -> str:
    text = text.strip()
    if match := _LABEL.match(text):
        text = text[match.end() :]
    for _ in range(6):
        shorter = _PREFIX.sub("", text, count=1)
        if shorter == text:
            break
        text = shorter
    return _SUFFIX.sub("", text).strip()


def _with_unit(value: Fraction, step: Fraction, rest: str, before: Readings) -> Quantity | None:
    glued = re.match(r"-(?=[A-Za-z\u4e00-\u9fff])", rest)  # 4-bit, 8-way
    start = glued.end() if glued else 0
    units, end = read_unit(rest, start)
    if not units:
        word = re.match(r"\s*([^\W\d_]+)", rest[start:])
        if _GLUED_NAME.match(rest):
            return None  # 2n and 12ab34 are no numbers
        return _ended(Quantity(value, before, word[1] if word and not before else "", step), rest)
    tail = rest[end:]
    spans = tuple(unit for unit in units if unit.measures == (("s", 1),) and not unit.counts)
    if spans and (more := _smaller_span(spans[0], tail)) is not None:
        return Quantity(value + more, spans[:1], "", Fraction(0))
    if tail.startswith("半") and units != (ONE,):  # 一分半, 两倍半
        value, tail = value + Fraction(1, 2), tail[1:]
    units = _together(before, () if units == (ONE,) else units)
    return _ended(Quantity(value, units, "", step), tail)


def _smaller_span(unit: Unit, tail: str) -> Fraction | None:
    """The rest of 1 h 30 min, 1小时30分钟, in the first unit; None where it is not a shorter span of time."""
    match = re.match(r"^(?: and |又|零| )?", tail)
    following = read_quantity(tail[match.end() :]) if match and tail.strip() else None
    if following is None or following.number < 0:
        return None
    spans = [u for u in following.units if u.measures == (("s", 1),) and u.factor < unit.factor]
    if not spans or following.number * spans[0].factor >= unit.factor:
        return None
    share: Fraction = following.number * spans[0].factor / unit.factor
    return share


def _ended(quantity: Quantity, tail: str) -> Quantity | None:
    """The quantity, where the tail names no other value, no other unit and no formula."""
    if _MORE.match(tail) or re.match(r"\s*(?:to|and|or)\b", tail) or LOOSE_DIGIT.search(tail):
        return None
    if quantity.units and (word := re.match(r"\s*([A-Za-z%]{2,})(?![A-Za-z])", tail)):
        other, _ = read_unit(word[1])
        if other and other[0].measures and not other[0].counts:
            return None
    return replace(quantity, tail=tail.strip())
