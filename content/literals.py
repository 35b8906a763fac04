"""Numbers without a unit, exactly: decimals, powers, fractions, products, and their forms in words.

``read_number`` and ``read_share`` take a text in the spelling of ``content.quantities`` and say what stands at its
beginning. Size is bounded: a literal has at most 60 digits, an exponent is at most 400, a product has 12 factors.
"""

from __future__ import annotations

import re
from fractions import Fraction

from content.numerals import read_chinese, read_english

_DIGITS_MOST = 60
_POWER_MOST = 400
_FACTORS_MOST = 12

_DECIMAL = re.compile(r"(?:\d+\.?\d*|\.\d+)(?: ?[eE][+-]?\d+(?![\d.]))?")
_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,16}(?![0-9A-Za-z])")
_MIXED = re.compile(r"(\d{1,9})(?: and | |又| ?\+ ?)(\d{1,9}) ?/ ?(\d{1,9})(?![\d.^*/])")
_POWER = re.compile(r" ?\^ ?([+-]?\d{1,9})(?![\d.])")
_TIMES = re.compile(r" ?([*/]) ?(?=[.\d]|[零一二两三四五六七八九十])")
_PARTS = re.compile(r"^(百分之|千分之|万分之)\s*")
_PART_OF = re.compile(r"分之\s*")
_HALF = re.compile(r"^(?:一半|半)(?=个|[^\u4e00-\u9fff]|$|小时|秒|分钟|天|倍|年)")
_PART_UNITS = {"百分之": "%", "千分之": "‰", "万分之": "‱"}

Number = tuple[Fraction, int, Fraction]  # value, characters taken, worth of the last place (0: exact)


def _decimal(text: str) -> Number | None:
    match = _DECIMAL.match(text)
    if match is None or sum(map(str.isdecimal, match[0])) > _DIGITS_MOST:
        return None
    mantissa, _, exponent = match[0].lower().replace(" ", "").partition("e")
    power = int(exponent or 0)
    if abs(power) > _POWER_MOST:
        return None
    places = len(mantissa.partition(".")[2])
    scale = Fraction(10) ** power
    return Fraction(mantissa.rstrip(".") if mantissa != "." else 0) * scale, match.end(), scale / 10**places


def _literal(text: str) -> Number | None:
    if match := _HEX.match(text):
        return Fraction(int(match[0], 16)), match.end(), Fraction(0)
    if match := _MIXED.match(text):
        whole, top, bottom = map(int, match.groups())
        return None if bottom == 0 else (whole + Fraction(top, bottom), match.end(), Fraction(0))
    if read := read_chinese(text):
        return read[0], read[1], _chinese_step(text[: read[1]])
    if text[:1].isalpha():
        spoken = read_english(text)
        return (spoken[0], spoken[1], Fraction(0)) if spoken else None
    return _decimal(text)


def _chinese_step(text: str) -> Fraction:
    """1.5万 is written to the thousand; pure numerals count as exact."""
    match = re.match(r"\d+\.(\d+)([十百千万亿]*)", text)
    if match is None:
        return Fraction(0)
    scale = 1
    for sign in match[2]:
        scale *= {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}[sign]
    return Fraction(scale, 10 ** len(match[1]))


def _factor(text: str) -> Number | None:
    read = _literal(text)
    if read is None or not (match := _POWER.match(text, read[1])):
        return read
    power = int(match[1])
    if abs(power) > _POWER_MOST or (read[0] == 0 and power < 0):
        return None
    return read[0] ** power, match.end(), Fraction(0)


def read_number(text: str) -> Number | None:
    """A literal, a power, a fraction, or a product of them: 1.5, 2^20, 7/8, 1.5*10^9."""
    read = _factor(text)
    if read is None:
        return None
    value, end, step = read
    quotients = 0
    for _ in range(_FACTORS_MOST):
        match = _TIMES.match(text, end)
        following = _factor(text[match.end() :]) if match else None
        if match is None or following is None:
            return value, end, step
        quotients += match[1] == "/"
        if quotients > 1 or (match[1] == "/" and following[0] == 0):
            return None
        value = value / following[0] if match[1] == "/" else value * following[0]
        step = step * following[0] if match[1] == "*" and following[2] == 0 else Fraction(0)
        end = match.end() + following[1]
    return None


def read_share(text: str) -> tuple[Number, str] | None:
    """百分之五, 八分之七, 三又四分之一, 半: the number and the unit it brings along."""
    if match := _PARTS.match(text):
        read = read_number(text[match.end() :])
        return ((read[0], read[1] + match.end(), read[2]), _PART_UNITS[match[1]]) if read else None
    if match := _HALF.match(text):
        return (Fraction(1, 2), match.end(), Fraction(0)), ""
    whole = Fraction(0)
    begin = 0
    first = _literal(text)
    if first and text.startswith("又", first[1]):
        whole, begin = first[0], first[1] + 1
        first = _literal(text[begin:])
    if first and (match := _PART_OF.match(text, begin + first[1])):
        top = _literal(text[match.end() :])
        if top and first[0] != 0:
            return (whole + top[0] / first[0], match.end() + top[1], Fraction(0)), ""
    return None
