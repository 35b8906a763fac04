"""Options that lose their sense when shuffled: ordered numbers, and those that speak of other options.

Where this is in doubt the order is kept: an unshuffled question is still a right one, a shuffled "both A and B"
is not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from content.question import Kind, Question


def keeps_order(question: Question) -> bool:
    """Whether the options of ``question`` must be shown in the order of the file."""
    if question.keep_order or question.kind is Kind.TRUE_FALSE:
        return True
    for language in ("en", "zh"):
        texts = [option.text.get(language) for option in question.choices]
        if any(speaks_of_others(text) for text in texts) or are_ordered_numbers(texts):
            return True
    return False


# --- options that speak of others -------------------------------------------------------------------------------

_LETTER = r"[(\[]?(?<![A-Za-z0-9])[A-J](?![A-Za-z0-9'’])[)\]]?"
_LINK = r"\s*(?:,|、|&|\+|/|and|or|nor|和|与|及|或|以及)\s*"
_LETTERS = rf"{_LETTER}(?:(?:{_LINK})+{_LETTER})+"
_SOME = r"(?i:both|either|neither|only|just|not|仅|只有|选)\s*"
_NOUN = r"(?i:options?|answers?|choices?|statements?)"
_ABOVE = r"(?i:above|below|preceding|previous|foregoing|others?)"
_HOW_MANY = r"(?i:all|none|both|neither|either|any|some|most|one|two|three|each)"
_PATTERNS = (
    # Letters and nothing else; a lone "A and B" in the middle of a sentence is mostly two matrices.
    rf"^\W*(?:{_SOME})?{_LETTERS}\s*(?:(?i:only|both|are|is)\b.*|[都均皆对错正].*)?\W*$",
    rf"^\W*{_SOME}{_LETTER}\W*$|^\W*{_LETTER}\s*(?i:only|alone)\W*$",
    rf"{_SOME}(?:{_NOUN}\s+)?{_LETTERS}",
    rf"\b{_NOUN}\s+{_LETTER}|\b(?i:same as|opposite of)\s+{_LETTER}\W*$",
    rf"\b{_HOW_MANY}\s+(?i:of)\s+(?i:the\s+)?(?:{_ABOVE}|(?i:these|them)|{_NOUN})\b",
    rf"^\W*{_HOW_MANY}(?:\s+(?i:correct|true|right|wrong|false))?\W*$",
    rf"\b(?i:the)\s+{_ABOVE}\s+(?:{_NOUN}|(?i:two|three))\b",
    # 以上 after a number means "or more": only before 都, 选项 and the like does it mean the options.
    r"(?:以上|上述|上面|以下|下列|前面)的?"
    r"(?:各|所有|全|选项|答案|说法|描述|观点|内容|都|均|皆|两|三|二|四|几|任|没有|无|不|之一)",
    r"[前后](?:两|二|三|几)[项者个种]",
    r"其[他它余](?:选项|答案|各项|三项|两项|都|均)",
    r"(?:选项|答案)\s*\(?[A-J](?![A-Za-z])|(?<![A-Za-z])[A-J]\s*选?项",
    r"(?<![A-Za-z])[A-J](?:\s*[、,和与及或]?\s*[A-J])+\s*[都均皆全正错两]",
    r"^\W*全部\W*$|^\W*(?:[两二三]者|全部?|一个)?(?:[都均皆全]|全部)?不?(?:是|对|正确|错误?|选|行|可以?|非)\W*$",
)
_OTHERS = re.compile("|".join(_PATTERNS))


def speaks_of_others(text: str) -> bool:
    """Whether an option is about the other options: "both A and B", "all of the above", 以上都不对."""
    return bool(_OTHERS.search(unicodedata.normalize("NFKC", text)))


# --- ordered numbers --------------------------------------------------------------------------------------------

_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}
_CHINESE = {
    "十": 10,
    "百": 100,
    "千": 1000,
    "万": 10**4,
    "亿": 10**8,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_TIMES = {
    "ns": Fraction(1, 10**9), "us": Fraction(1, 10**6), "μs": Fraction(1, 10**6), "ms": Fraction(1, 1000),
    "s": Fraction(1), "sec": Fraction(1), "second": Fraction(1), "min": Fraction(60), "minute": Fraction(60),
    "h": Fraction(3600), "hour": Fraction(3600), "d": Fraction(86400), "day": Fraction(86400), "week": Fraction(604800),
    "纳秒": Fraction(1, 10**9), "微秒": Fraction(1, 10**6), "毫秒": Fraction(1, 1000), "秒": Fraction(1),
    "分钟": Fraction(60), "小时": Fraction(3600), "天": Fraction(86400), "周": Fraction(604800),
}  # fmt: skip
_COUNTS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "bn": 10**9, "t": 10**12}  # 350M, 1.3B parameters
_PREFIXED = re.compile(
    r"([kmgtpe])?(i)?(b|byte|bit|flops?|flop/s|b/s|bps|hz|w|token|tokens|param|params)?((?:/|per).*)?"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d{1,3})?|[+-]?\.\d+"
_ONE = re.compile(
    rf"(?:about|around|roughly|approximately|exactly|up to|at least|at most|more than|less than|over|under|only|"
    rf"约为?|大约|大概|至少|至多|超过|不到|[~≈<>≤≥=±+$¥×x])*\s*(?P<number>{_NUMBER})"
    rf"(?:\s*(?:\^|\*\*)\s*(?P<power>[({{]?[+-]?\d+[)}}]?))?"
    rf"(?:\s*[×x*·]\s*10\s*(?:\^|\*\*)\s*(?P<exponent>[({{]?[+-]?\d+[)}}]?))?"
    rf"(?:\s*/\s*(?P<under>\d+(?:\.\d+)?))?"
    rf"(?:\s*(?:-|–|—|~|to|到|至)\s*(?:{_NUMBER}))?"
    r"\s*(?P<unit>.*)"
)


def are_ordered_numbers(texts: Sequence[str]) -> bool:
    """Whether the options are one number each, with or without a unit, that rise or fall from first to last."""
    read = [_read(text) for text in texts]
    numbers = [r for r in read if r is not None]
    if len(numbers) < 2 or len(numbers) < len(texts):
        return False
    units = {unit for _, unit in numbers}
    if units <= _COUNTS.keys():
        values = [value * _COUNTS[unit] for value, unit in numbers]
    elif len(units) == 1:
        values = [value for value, _ in numbers]
    else:
        scaled = [_scaled(value, unit) for value, unit in numbers]
        if None in scaled or len({s[1] for s in scaled if s}) > 1:
            return False
        values = [s[0] for s in scaled if s]
    pairs = list(pairwise(values))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _read(text: str) -> tuple[Fraction, str] | None:
    if len(text) > 80:
        return None
    marked = _SUPERSCRIPT.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    plain = unicodedata.normalize("NFKC", marked).replace("−", "-").replace("`", "").replace("µ", "μ")
    match = _ONE.fullmatch(plain.strip().casefold().rstrip(".。"))
    if not match or re.search(r"\d", match["unit"]):
        return None
    value = Fraction(match["number"].replace(",", ""))
    power, exponent = (_small(match[name]) for name in ("power", "exponent"))
    if power is None or exponent is None:
        return None
    if match["power"]:
        if value == 0 and power < 0:
            return None
        value = value**power
    value *= Fraction(10) ** exponent
    if match["under"]:
        under = Fraction(match["under"])
        if not under:
            return None
        value /= under
    unit = re.sub(r"\s+", " ", match["unit"].strip())
    return value, unit[:-1] if len(unit) > 2 and unit.endswith("s") else unit


def _small(text: str | None) -> int | None:
    """An exponent; 0 where there is none, None where it is too large to reckon with."""
    number = int((text or "0").strip("(){}")[:8])
    return number if abs(number) <= 400 else None


def _scaled(value: Fraction, unit: str) -> tuple[Fraction, str] | None:
    """The value in a base unit, and the unit that stays, where ``unit`` is one whose scale is known."""
    for word, factor in _CHINESE.items():
        if unit.startswith(word):
            return value * factor, unit.removeprefix(word).strip()
    head, _, tail = unit.partition(" ")
    if head in _TIMES:
        return value * _TIMES[head], "time " + tail
    match = _PREFIXED.fullmatch(head)
    if not match:
        return None
    base = 1024 if match[2] else 1000
    return value * base ** _POWERS.get(match[1] or "", 0), (match[3] or "") + (match[4] or "") + tail
