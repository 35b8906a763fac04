"""How the rules for questions look at text: its length, its words, its numbers, the same in both languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

CJK = "\u3400-\u9fff\uf900-\ufaff"
_CJK = re.compile(f"[{CJK}]")
_LATIN = re.compile(r"[A-Za-z0-9]+(?:[.,/^_+×*=-]?[A-Za-z0-9]+)*")
_SPACES = re.compile(r"\s+")
_NOISE = re.compile(r"[\s,，。、；;:：!！?？\"'“”‘’「」《》]+|\.(?!\d)")
_CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)

Bounds = tuple[int, int]  # (Chinese, English)


def length(text: str, language: str) -> int:
    """Length as a reader feels it: English in characters; Chinese with a word, number or formula counted as 2."""
    text = _SPACES.sub(" ", text.strip())
    if language != "zh":
        return len(text)
    latin = _LATIN.findall(text)
    rest = _SPACES.sub("", _LATIN.sub("", text))
    return len(rest) + 2 * len(latin)


def pick(bounds: Bounds, language: str) -> int:
    """The bound for ``language`` of a pair (Chinese, English)."""
    return bounds[0] if language == "zh" else bounds[1]


def normal(text: str) -> str:
    """``text`` for comparing options: NFKC, no case, no spaces, no punctuation; signs of arithmetic stay."""
    return _NOISE.sub("", unicodedata.normalize("NFKC", text).casefold())


def without_code(text: str) -> str:
    """``text`` with code spans and blocks blanked out."""
    return _CODE.sub(" ", text)


def code_spans(text: str) -> frozenset[str]:
    """What stands in code spans and blocks."""
    return frozenset(span.strip("`").strip() for span in _CODE.findall(text))


def tokens(text: str, language: str) -> list[str]:
    """Words of English, characters and Latin words of Chinese; no punctuation, no case."""
    text = text.casefold()
    if language == "zh":
        return re.findall(rf"[{CJK}]|[a-z0-9]+", text)
    return re.findall(r"[^\W_]+", text)


def has_cjk(text: str) -> bool:
    """Is there a Chinese character in it?"""
    return bool(_CJK.search(text))


# --- numbers -----------------------------------------------------------------------------------------------------

_FULL_WIDTH = str.maketrans("０１２３４５６７８９．，", "0123456789.,")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_WRITTEN = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s?(?P<scale>thousand|million|billion|trillion|百万|千万|百亿|千亿|万亿|[千万亿]|[KMBTkGW](?![A-Za-z])))?"
    r"|(?P<super>[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[₀₁₂₃₄₅₆₇₈₉]+)"
)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SCALES |= {"千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8, "百亿": 1e10, "千亿": 1e11, "万亿": 1e12}
_SCALES |= {"K": 1e3, "k": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12, "W": 1e4}
_SPOKEN_EN: dict[str, tuple[float, ...]] = {
    word: (value,)
    for value, words in enumerate(
        (
            "zero no none",
            "one once first single a an",
            "two twice second double doubles doubled doubling both pair pairs",
            "three thrice third thirds triple triples tripled",
            "four fourth fourths quarter quarters quadruple quadruples quadrupled",
            "five fifth fifths",
            "six sixth",
            "seven seventh",
            "eight eighth eighths",
            "nine ninth",
            "ten tenth tenths tenfold",
            "eleven eleventh",
            "twelve twelfth dozen",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen sixteenth",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty twentieth",
        )
    )
    for word in words.split()
}
_SPOKEN_EN |= {"half": (2, 0.5), "halves": (2, 0.5), "halved": (2, 0.5), "halving": (2, 0.5)}
_SPOKEN_EN |= {"thirty": (30,), "forty": (40,), "fifty": (50,), "sixty": (60,), "eighty": (80,), "ninety": (90,)}
_SPOKEN_EN |= {"hundred": (100,), "hundredth": (100,), "thousand": (1e3,), "million": (1e6,), "billion": (1e9,)}
_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "〇": 0,
    "双": 2,
    "单": 1,
    "首": 1,
    "无": 0,
}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000}
_ZH_NUMBER = re.compile("[零〇一二两三四五六七八九十百千万亿]+|[双单首半倍无]")


def written_numbers(text: str) -> list[frozenset[float]]:
    """Each number written in digits, as the set of its readings (``7B`` may be 7 or 7 billion)."""
    found = []
    for match in _WRITTEN.finditer(text.translate(_FULL_WIDTH)):
        if match["super"]:
            found.append(frozenset((float(match["super"].translate(_SUPERSCRIPTS)),)))
            continue
        value = float(match["number"].replace(",", ""))
        scale = _SCALES.get(match["scale"] or "", 1.0)
        found.append(frozenset((value, round(value * scale, 6))))
    return found


def spoken_numbers(text: str, language: str) -> frozenset[float]:
    """Numbers that ``text`` may say in words, generously read: for excusing a number that only one language writes."""
    if language == "zh":
        return frozenset(value for word in _ZH_NUMBER.findall(text) for value in _read_zh(word))
    return frozenset(value for word in re.findall(r"[a-z]+", text.casefold()) for value in _SPOKEN_EN.get(word, ()))


def _read_zh(word: str) -> Iterable[float]:
    if word in ("半", "倍"):
        return (2.0, 0.5)
    total = section = digit = 0.0
    for character in word:
        if character in _ZH_DIGITS:
            digit = _ZH_DIGITS[character]
        elif character in _ZH_UNITS:
            section += (digit or 1) * _ZH_UNITS[character]
            digit = 0
        else:
            total = (total + section + digit or 1) * (1e4 if character == "万" else 1e8)
            section = digit = 0
    # Also each digit alone: 三四 and 一二 are lists of numbers, not numbers.
    return {total + section + digit, *(float(_ZH_DIGITS[c]) for c in word if c in _ZH_DIGITS)}


def missing_numbers(en: str, zh: str) -> tuple[list[float], list[float]]:
    """Numbers that only the English, and only the Chinese text has, written or spoken."""
    return _only_in(en, zh, "zh"), _only_in(zh, en, "en")


def _only_in(text: str, other: str, language: str) -> list[float]:
    there = {reading for readings in written_numbers(other) for reading in readings}
    there |= spoken_numbers(other, language)
    return sorted({min(r) for r in written_numbers(text) if not _close_to_any(r, there)})


def _close_to_any(readings: frozenset[float], values: set[float]) -> bool:
    return bool(readings & values)
