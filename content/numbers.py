"""Reading one number with its unit from what a member typed, in all spellings, exactly.

A bare number takes the key's unit. Several values are no answer, unless they are the same value said twice
(``512 MiB = 0.5 GiB``). Ranges, bounds (at least 5, 5 以上) and vague numbers (几十) are no answer either.
Work is bounded: long texts, literals and powers are refused before anything is computed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from content.quantities import LOOSE_DIGIT, NO_NUMBER, Quantity, read_quantity, spell
from content.text_rules import LONGEST
from content.unit_table import Readings, Unit
from content.units import key_units, read_unit

LONGEST_NUMBER = 300
"""Characters of a typed quantity that are read at most, working included."""

CLOSE = Fraction(1, 10**9)
"""Two numbers closer than this share of the larger are the same number: room for rounded decimals, no more."""


_ALTERNATIVES = re.compile(r"\s*(?:\bor\b|或者?|还是|、|;|\n|\bversus\b|\bvs\b)\s*")
_SEPARATORS = re.compile(
    r"\s*(=|≈|,(?!\d)|(?<!\d),|:(?!\d)|(?<!\d):|[()\[\]]|\.(?=\s|$)|。|即|也就是说?|\bi\.?e\.?(?=\W)|\baka\b)\s*"
)


@dataclass(frozen=True, slots=True)
class Value:
    """A number as understood. ``amount`` is in the key's unit; None where the unit measures something else."""

    amount: Fraction | None
    shown: str
    bare: Fraction | None = None  # the number alone, where no unit was typed
    share: Fraction | None = None  # a bare 1/8 for a key in percent may also mean an eighth
    step: Fraction = Fraction(0)  # what the last written place is worth, in the key's unit


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


def _value(quantity: Quantity, keys: Readings) -> Value:
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
    scale = next((unit for unit in quantity.units if unit.is_scale or _is_scale_a_second(unit, key)), None)
    if scale and key.measures:  # 80G for a key in GB is 80 GB, 512M for MiB is 512 MiB, 3.35 T/s for TB/s is 3.35 TB/s
        ratio = _lone_scale(scale, key) * key.own / key.factor
        return Value(number * ratio, _show(number * ratio, key.symbol), step=step * ratio)
    return Value(None, _show(number, quantity.units[0].symbol))


def _is_scale_a_second(unit: Unit, key: Unit) -> bool:
    """900G/s where bytes or bits a second are asked."""
    return bool(re.fullmatch(r"e\d+/s", unit.symbol)) and ("s", -1) in key.measures


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
        quantity = read_quantity(piece) if piece else None
        if quantity is not None:
            values.append(_value(quantity, keys))
        elif LOOSE_DIGIT.search(piece) and separator not in ("=", "≈", ":"):
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
    for line in filter(None, map(spell, text.splitlines())):
        units, end = read_unit(line)
        is_unit = bool(units) and end == len(line)  # the unit on a line of its own
        spelt += f" {line}" if is_unit or not spelt else f";{line}"
    if not spelt:
        return None
    spelt = spelt.strip()
    if len(spelt) > LONGEST_NUMBER or NO_NUMBER.search(spelt) or re.search(r"\d,\d", spelt):
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
    spelt = spell(text)
    if not spelt or len(spelt) > LONGEST_NUMBER or NO_NUMBER.search(spelt) or re.search(r"\d,\d", spelt):
        return None
    if spelt[0].isalpha() and spelt.isascii() and text.strip() not in (spelt.lower(), spelt.capitalize()):
        return None  # ZeRO is a name
    quantity = read_quantity(spelt)
    if quantity is None or quantity.unknown or quantity.tail:
        return None
    if not quantity.units:
        return ""
    unit = quantity.units[0]
    if not (unit.measures or unit.counts or unit.is_scale):
        return ""
    one_letter = re.search(r"(?<![A-Za-z])[A-Za-z]$", spelt)
    return None if one_letter or unit.is_scale or not key_units(unit.symbol)[0].fits(unit) else unit.symbol
