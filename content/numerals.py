"""Numbers written in words: Chinese numerals (also mixed with digits, 3万5千) and English number words.

Each reader takes a text in the ``plain`` spelling and gives the exact value and how many characters it took,
or None where the text does not begin with a number. Vague numbers (几十, 三四个) are not numbers.
"""

from __future__ import annotations

import re
from fractions import Fraction

Read = tuple[Fraction, int]

_DIGITS = {
    c: i
    for i, cs in enumerate(("零〇○", "一壹", "二贰两", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
    for c in cs
}
_TENS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = (("亿", 10**8), ("万", 10**4))
_DIGIT_CLASS = "".join(_DIGITS)
_CHINESE = re.compile(rf"[{_DIGIT_CLASS}十拾百佰千仟万亿点.0-9]+")
_PIECE = re.compile(rf"(?P<arabic>[0-9]+(?:\.[0-9]+)?)|(?P<digit>[{_DIGIT_CLASS}])|(?P<ten>[十拾百佰千仟])")


def _digit_string(text: str) -> Fraction | None:
    """二〇二四 read digit by digit. 三四 alone means "three or four", so two digits without a zero are no number."""
    if all(c in _DIGITS for c in text) and (len(text) != 2 or any(c in "零〇○" for c in text)):
        return Fraction(int("".join(str(_DIGITS[c]) for c in text)))
    return None


def _below_myriad(text: str) -> Fraction | None:
    """一千零二十四, 三百五 (350), 3千5百, 128, 一二八; None where it is not a number."""
    if not text:
        return None
    if len(text) > 1 and (whole := _digit_string(text)) is not None:
        return whole
    total, pending, step, position = Fraction(0), None, 10**4, 0
    zero = False
    for piece in _PIECE.finditer(text):
        if piece.start() != position:
            return None
        position = piece.end()
        if piece["ten"]:
            unit = _TENS[piece[0]]
            if unit >= step or pending == 0:
                return None
            if pending is None and not (unit == 10 or total == 0):
                return None
            total += (1 if pending is None else pending) * unit
            pending, step, zero = None, unit, False
        elif pending is not None and pending != 0:
            return None
        else:
            zero = zero or pending == 0
            pending = Fraction(piece[0]) if piece["arabic"] else Fraction(_DIGITS[piece[0]])
    if position != len(text):
        return None
    if pending is None:
        return total
    shorthand = total > 0 and step >= 100 and not zero and 0 < pending < 10
    return total + (pending * step / 10 if shorthand else pending)


def _whole(text: str) -> Fraction | None:
    for sign, size in _MYRIADS:
        left, found, right = text.rpartition(sign)
        if not found:
            continue
        high = _whole(left)
        if high is None:
            return None
        if not right:
            return high * size
        low = _whole(right)
        if low is None or low >= size:
            return None
        shorthand = len(right) == 1 and low > 0
        return high * size + (low * size / 10 if shorthand else low)
    if text[:1] in ("百", "佰", "千", "仟") and len(text) == 1:
        return Fraction(_TENS[text])  # 百万 is a million; a lone 百 is caught below
    return _below_myriad(text)


def _decimal(text: str) -> Fraction | None:
    """三点五, 零点一二五, 二点五万, 1.5亿."""
    whole, point, rest = text.partition("点")
    if not point:
        return _whole(text)
    digits = re.match(rf"[{_DIGIT_CLASS}0-9]+", rest)
    base = _whole(whole)
    if base is None or digits is None or "点" in rest:
        return None
    written = "".join(str(_DIGITS.get(c, c)) for c in digits[0])
    value = base + Fraction(int(written), 10 ** len(written))
    scale = Fraction(1)
    for sign in rest[digits.end() :]:
        if sign not in ("百", "千", "万", "亿"):
            return None
        scale *= dict(_MYRIADS).get(sign) or _TENS[sign]
    return value * scale


def read_chinese(text: str) -> Read | None:
    """The number a text begins with, where at least one Chinese sign is in it: 一百二十八, 3万5千, 1.5亿, 十."""
    match = _CHINESE.match(text)
    if match is None or len(match[0]) > 60:
        return None
    taken = match[0].rstrip("点.")
    if not re.search(r"[^0-9.]", taken) or taken in ("百", "佰", "千", "仟") or taken[0] in "万亿点.":
        return None
    value = _decimal(taken)
    return None if value is None else (value, len(taken))


# --- English ---------------------------------------------------------------------------------------------------------

_SMALL = {
    word: i
    for i, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
            *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
        )
    )
}
_SMALL |= {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6}
_PARTS |= {"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
_PARTS |= {"hundredth": 100, "sixteenth": 16}
_WORD = re.compile(r"[ -]*([A-Za-z]+)")


def _words(text: str) -> list[tuple[str, int]]:
    """Leading words of the text, lower case, with the position where each ends."""
    found: list[tuple[str, int]] = []
    position = 0
    while len(found) < 24 and (match := _WORD.match(text, position)):
        found.append((match[1].lower(), match.end()))
        position = match.end()
    return found


def read_english(text: str) -> Read | None:
    """The number a text begins with, in words: two, twenty-one, one hundred and five, half a million, two thirds."""
    if not text[:1].isalpha():
        return None
    words = _words(text)
    total = section = Fraction(0)
    best: Read | None = None
    seen = ""
    for index, (word, end) in enumerate(words):
        following = words[index + 1][0] if index + 1 < len(words) else ""
        if word in ("a", "an") and index == 0:
            if following not in {**_LARGE, **_PARTS, "hundred": 1, "dozen": 1}:
                return None
            section, seen = Fraction(1), "a"
            continue
        if word == "and" and seen == "large" and following in _SMALL:
            continue
        if word in ("and", "a") and _half_follows(words, index) and best:
            return best[0] + Fraction(1, 2), words[index + (2 if word == "and" else 1)][1]
        if word in _SMALL:
            value = _SMALL[word]
            if seen == "small" and not (section % 100 >= 20 and section % 10 == 0 and 0 < value < 10):
                return None  # "two three" is not one number
            section, seen = section + value, "small"
        elif word in ("hundred", "dozen") and seen in ("small", "a"):
            section, seen = section * (100 if word == "hundred" else 12), "large"
        elif word in _LARGE and seen:
            total, section, seen = total + section * _LARGE[word], Fraction(0), "large"
        elif (part := _PARTS.get(word.removesuffix("s") if word != "halves" else word)) and seen in ("", "small", "a"):
            return _part_of(words, index, Fraction(section or 1, part))
        elif word == "point" and seen == "small":
            return _after_point(words, index + 1, total + section)
        else:
            break
        best = (total + section, end)
    return best


def _half_follows(words: list[tuple[str, int]], index: int) -> bool:
    return [word for word, _ in words[index : index + 3]] == ["and", "a", "half"]


def _part_of(words: list[tuple[str, int]], index: int, value: Fraction) -> Read:
    """half; half a million."""
    rest = [word for word, _ in words[index + 1 : index + 3]]
    if len(rest) == 2 and rest[0] == "a" and rest[1] in _LARGE:
        return value * _LARGE[rest[1]], words[index + 2][1]
    return value, words[index][1]


def _after_point(words: list[tuple[str, int]], index: int, whole: Fraction) -> Read | None:
    digits = ""
    end = 0
    for word, stop in words[index:]:
        if _SMALL.get(word, 10) > 9:
            break
        digits, end = digits + str(_SMALL[word]), stop
    return (whole + Fraction(int(digits), 10 ** len(digits)), end) if digits else None
