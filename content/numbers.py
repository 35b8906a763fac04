"""Reading one number with its unit from what a member typed, in all spellings, exactly.

A bare number takes the key's unit. Several values are no answer, unless they are the same value said twice
(``512 MiB = 0.5 GiB``). Ranges, bounds (at least 5, 5 以上) and vague numbers (几十) are no answer either.
Work is bounded: long texts, literals and powers are refused before anything is computed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from content.numerals import read_chinese, read_english
from content.text_rules import LONGEST, plain
from content.units import ONE, Readings, Unit, key_units, read_unit

LONGEST_NUMBER = 300
"""Characters of a typed quantity that are read at most, working included."""

_DIGITS_MOST = 60
_POWER_MOST = 400
_FACTORS_MOST = 12
CLOSE = Fraction(1, 10**9)
"""Two numbers closer than this share of the larger are the same number: room for rounded decimals, no more."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number as understood. ``amount`` is in the key's unit; None where the unit measures something else."""

    amount: Fraction | None
    shown: str
    bare: Fraction | None = None  # the number alone, where no unit was typed
    share: Fraction | None = None  # a bare 1/8 for a key in percent may also mean an eighth
    step: Fraction = Fraction(0)  # what the last written place is worth, in the key's unit


@dataclass(frozen=True, slots=True)
class _Quantity:
    number: Fraction
    units: Readings = ()  # none: bare
    unknown: str = ""  # a word that stands where a unit would
    places: Fraction = Fraction(0)  # worth of the last written place; 0 where the number is exact
    tail: str = ""
    is_fraction: bool = False


# --- spelling --------------------------------------------------------------------------------------------------------

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
_NO_NUMBER = re.compile(
    r"[<>≤≥±∞]|\+-|\+/-|\d ?\+$|\bnan\b|\binf(?:inity)?\b|\bnot\b|n't\b|不是|不等于|并非"
    r"|至少|至多|最多|最少|不到|不足|不超过|超过|多于|少于|大于|小于|高于|低于|以上|以下|以内"
    r"|\b(?:O|f|log\d*|ln|exp|sqrt|max|min) ?\(|Θ\("
    r"|几(?!乎)|若干|数[十百千万亿]|上[百千万亿]|[\d十百千万亿][多余](?!少)"
    r"|\bat (?:least|most)\b|\bup to\b|\bno (?:more|less|fewer) than\b|\bor (?:more|less|fewer|above|below)\b"
    r"|\b(?:more|less|fewer|greater|higher|lower|larger|smaller|over|under|above|below|between|within)\b(?: than)? ?\d"
    r"|\b(?:several|few|many|dozens|hundreds|thousands|millions|billions) of\b",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(r"\s*(?:\bor\b|或者?|还是|、|;|\n|\bversus\b|\bvs\b)\s*")
_SEPARATORS = re.compile(
    r"\s*(=|≈|,(?!\d)|(?<!\d),|:(?!\d)|(?<!\d):|[()\[\]]|\.(?=\s|$)|。|即|也就是说?|\bi\.?e\.?(?=\W)|\baka\b)\s*"
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


def _spell(text: str) -> str:
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


# --- numbers ---------------------------------------------------------------------------------------------------------

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


def _number(text: str) -> Number | None:
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


def _parted(text: str) -> tuple[Number, str] | None:
    """百分之五, 八分之七, 三又四分之一, 半: the number and the unit it brings along."""
    if match := _PARTS.match(text):
        read = _number(text[match.end() :])
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


# --- quantities ------------------------------------------------------------------------------------------------------

_MONEY = re.compile(r"^(US\$|[$¥€£])\s*(?=[\d.])")
_EACH = re.compile(r"^每个?(秒钟?|[\u4e00-\u9fff]{1,4}?)\s*(?=\d|[零一二两三四五六七八九十百])")
_TIMES_SIGN = re.compile(r"^[*xX] ?(?=[\d.])")
_MORE = re.compile(
    r"^\s*[\^*/+_√]|^\s*(?:-|~|到|至|和|与|及|\+|/|\*|\^|\.|,|:|'|_|(?:to|and|or|vs)(?![a-z]))\s*[-+]?(?=[.\d]|[零一二两三四五六七八九十])"
)
_ARTICLE = re.compile(r"^ (?:of )?an? (?=[A-Za-z])")  # half a GiB
_GLUED_NAME = re.compile(r"[A-Za-zα-ω]{1,3}(?![A-Za-z])|[A-Za-z]+\d|[\^*/+_√]")
_LOOSE_DIGIT = re.compile(r"(?<![A-Za-z\d.^-])\.?\d")
_AND_HALF = re.compile(r"^个半(?!\d)")


def _quantity(text: str) -> _Quantity | None:
    """One number with its unit and nothing else that could be a value; None where that is not what stands there."""
    text = _stripped(text)
    sign = 1
    if text[:1] in ("+", "-"):
        sign = -1 if text[0] == "-" else 1
        text = text[1:].lstrip()
    before, text = _unit_before(text)
    parted = _parted(text)
    read, brought = parted if parted else (_number(text), "")
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


def _with_unit(value: Fraction, step: Fraction, rest: str, before: Readings) -> _Quantity | None:
    glued = re.match(r"-(?=[A-Za-z\u4e00-\u9fff])", rest)  # 4-bit, 8-way
    start = glued.end() if glued else 0
    units, end = read_unit(rest, start)
    if not units:
        word = re.match(r"\s*([^\W\d_]+)", rest[start:])
        if _GLUED_NAME.match(rest):
            return None  # 2n and 12ab34 are no numbers
        return _ended(_Quantity(value, before, word[1] if word and not before else "", step), rest)
    tail = rest[end:]
    spans = tuple(unit for unit in units if unit.measures == (("s", 1),) and not unit.counts)
    if spans and (more := _smaller_span(spans[0], tail)):
        return _Quantity(value + more, spans[:1], "", Fraction(0))
    if tail.startswith("半") and units != (ONE,):  # 一分半, 两倍半
        value, tail = value + Fraction(1, 2), tail[1:]
    units = _together(before, () if units == (ONE,) else units)
    return _ended(_Quantity(value, units, "", step), tail)


def _smaller_span(unit: Unit, tail: str) -> Fraction | None:
    """The rest of 1 h 30 min, 1小时30分钟, in the first unit; None where it is not a shorter span of time."""
    match = re.match(r"^(?: and |又|零| )?", tail)
    following = _quantity(tail[match.end() :]) if match and tail.strip() else None
    if following is None or following.number < 0:
        return None
    spans = [u for u in following.units if u.measures == (("s", 1),) and u.factor < unit.factor]
    if not spans or following.number * spans[0].factor >= unit.factor:
        return None
    share: Fraction = following.number * spans[0].factor / unit.factor
    return share


def _ended(quantity: _Quantity, tail: str) -> _Quantity | None:
    """The quantity, where the tail names no other value, no other unit and no formula."""
    if _MORE.match(tail) or re.match(r"\s*(?:to|and|or)\b", tail) or _LOOSE_DIGIT.search(tail):
        return None
    if quantity.units and (word := re.match(r"\s*([A-Za-z%]{2,})(?![A-Za-z])", tail)):
        other, _ = read_unit(word[1])
        if other and other[0].measures and not other[0].counts:
            return None
    return replace(quantity, tail=tail.strip())


# --- values in the key's unit ----------------------------------------------------------------------------------------


def show_number(number: Fraction) -> str:
    """1024, 0.125, 1.5e9: exact where 12 digits do, else 7 digits."""
    sign, number = ("-" if number < 0 else ""), abs(number)
    if number == 0:
        return "0"
    power = len(str(number.numerator)) - len(str(number.denominator))
    if Fraction(10) ** power > number:
        power -= 1
    scaled = number / Fraction(10) ** power  # 1 ≤ scaled < 10
    digits = 11 if (scaled * 10**11).denominator == 1 else 6
    whole = int(scaled * 10**digits + Fraction(1, 2))
    if whole >= 10 ** (digits + 1):
        whole, power = whole // 10, power + 1
    written = str(whole).rstrip("0")
    if -5 < power < 9:
        if power >= len(written) - 1:
            return sign + written + "0" * (power - len(written) + 1)
        if power < 0:
            return sign + "0." + "0" * (-power - 1) + written
        return sign + written[: power + 1] + "." + written[power + 1 :]
    return sign + written[0] + ("." + written[1:] if written[1:] else "") + f"e{power}"


def _show(number: Fraction, unit: str) -> str:
    scale = re.match(r"e(\d+)(?: |$|(?=/))", unit)
    if scale:
        number, unit = number * 10 ** int(scale[1]), unit[scale.end() :]
    if unit in ("$", "¥", "€", "£"):
        return f"{unit}{show_number(number)}"
    unit = unit[1:] if unit.startswith("1/") else unit
    space = "" if not unit or unit[0] in "%‰‱×成位分°/" else " "
    return f"{show_number(number)}{space}{unit}"


def _value(quantity: _Quantity, keys: Readings) -> Value:
    """The quantity in the key's unit, by the first pair of readings that fit."""
    number, step, key = quantity.number, quantity.places, keys[0]
    if not quantity.units:
        if quantity.unknown and key.measures:
            return Value(None, _show(number, quantity.unknown))
        is_share = quantity.is_fraction and key.factor < 1 and not (key.measures or key.counts)
        return Value(number, _show(number, key.symbol), number, number / key.factor if is_share else None, step)
    for one in keys:
        fitting = [unit for unit in quantity.units if unit.fits(one)]
        if fitting:
            unit = next((unit for unit in fitting if unit.own == one.own), fitting[0])
            ratio = unit.factor / one.factor
            return Value(number * ratio, _show(number, unit.symbol), step=step * ratio)
    scale = next((unit for unit in quantity.units if unit.is_scale), None)
    if scale and key.measures:  # 80G for a key in GB is 80 GB, 512M for a key in MiB is 512 MiB
        ratio = _lone_scale(scale, key) * key.own / key.factor
        return Value(number * ratio, _show(number * ratio, key.symbol), step=step * ratio)
    return Value(None, _show(number, quantity.units[0].symbol))


def _lone_scale(scale: Unit, key: Unit) -> Fraction:
    """What k, M, G … alone are worth for this key: powers of 1024 where the key's prefix is one."""
    prefix = key.factor / key.own
    binary = prefix > 1 and prefix.denominator == 1 and prefix.numerator & (prefix.numerator - 1) == 0
    thousands = (len(str(scale.factor)) - 1) // 3
    return Fraction(1024**thousands) if binary and scale.factor == 1000**thousands else scale.factor


def _same(one: Value, other: Value, keys: Readings, *, rounded: bool) -> bool:
    """The same value said twice; ``rounded`` allows what the last written place leaves open."""
    if one.amount is None or other.amount is None:
        return False
    room = min(max(one.step, other.step) / 2, abs(one.amount) / 50) if rounded else Fraction(0)
    pairs: list[tuple[Fraction, Fraction]] = [(one.amount, other.amount)]
    for bare, full in ((one, other), (other, one)):
        if (
            bare.bare is not None and full.bare is None and full.amount is not None
        ):  # 3/11 = 27.3 %, 536870912 = 512 MiB
            pairs += [(bare.bare * part / keys[0].factor, full.amount) for part in (1, keys[0].own)]
    return any(abs(a - b) <= max(room, CLOSE * max(abs(a), abs(b))) for a, b in pairs)


def _sides(text: str) -> list[tuple[str, str]]:
    """The text cut at separators: each piece with the separator that follows it."""
    cut = _SEPARATORS.split(text)
    pieces = list(zip(cut[::2], [*cut[1::2], ""], strict=True))
    joined: list[tuple[str, str]] = []
    for piece, separator in pieces:
        units, end = read_unit(piece) if piece else ((), 0)
        if piece and units and end == len(piece) and joined and joined[-1][0] and joined[-1][0][-1].isdecimal():
            joined[-1] = (f"{joined[-1][0]} {piece}", separator)  # 512 (MiB)
        else:
            joined.append((piece, separator))
    return joined


def _one_value(text: str, keys: Readings) -> Value | None:
    values: list[Value] = []
    sides = _sides(text)
    equated = all(separator in ("=", "≈", "(", ")", "") for _, separator in sides)
    for piece, separator in sides:
        quantity = _quantity(piece) if piece else None
        if quantity is not None:
            values.append(_value(quantity, keys))
        elif _LOOSE_DIGIT.search(piece) and separator not in ("=", "≈", ":"):
            return None  # left of an equals sign stands a name or the working
    if not values:
        return None
    best = min(values, key=lambda value: (value.bare is not None, value.step))
    return best if all(value is best or _same(best, value, keys, rounded=equated) for value in values) else None


def read_value(text: str, unit: str) -> Value | None:
    """The one value of a typed answer, for a key in ``unit``; None where there is none, or several."""
    if len(text) > LONGEST:
        return None
    spelt = ""
    for line in filter(None, map(_spell, text.splitlines())):
        units, end = read_unit(line)
        is_unit = bool(units) and end == len(line)  # the unit on a line of its own
        spelt += f" {line}" if is_unit or not spelt else f";{line}"
    if not spelt:
        return None
    spelt = spelt.strip()
    if len(spelt) > LONGEST_NUMBER or _NO_NUMBER.search(spelt) or re.search(r"\d,\d", spelt):
        return None
    keys = key_units(unit)
    values = [_one_value(piece, keys) for piece in _ALTERNATIVES.split(spelt.rstrip(";. ").lstrip("; "))]
    first = values[0]
    if first is None or any(value is None or not _same(first, value, keys, rounded=False) for value in values[1:]):
        return None
    return first


def unit_of_number(text: str) -> str | None:
    """The unit of an accepted text of a blank that is one number and nothing else, "" for a bare number or a share.

    None where the text is anything else, or its unit could be part of a name (3D, 5G, 7B): such texts are compared
    as they are written.
    """
    spelt = _spell(text)
    if not spelt or len(spelt) > LONGEST_NUMBER or _NO_NUMBER.search(spelt) or re.search(r"\d,\d", spelt):
        return None
    if spelt[0].isalpha() and spelt.isascii() and text.strip() not in (spelt.lower(), spelt.capitalize()):
        return None  # ZeRO is a name
    quantity = _quantity(spelt)
    if quantity is None or quantity.unknown or quantity.tail:
        return None
    if not quantity.units:
        return ""
    unit = quantity.units[0]
    if not (unit.measures or unit.counts or unit.is_scale):
        return ""
    one_letter = re.search(r"(?<![A-Za-z])[A-Za-z]$", spelt)
    return None if one_letter or unit.is_scale or not key_units(unit.symbol)[0].fits(unit) else unit.symbol
