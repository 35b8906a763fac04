"""Reading a unit expression, such as GB/s, bytes per parameter or 亿参数, out of a ``plain`` text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, product

from content.text_rules import plain
from content.unit_table import COUNTERS, MINUTE, ONE, SI_CHINESE, SMALL_CHINESE, WORDS, Readings, Unit, look_up

_LATIN_NAME = re.compile(
    r"percentage points?\b|per cent\b|per mille\b|watt-hours?\b|US\$|°C|[%‰‱$¥€£×]|[A-Za-zμ]+(?![A-Za-zμ])",
    re.IGNORECASE,
)
_CHINESE_NAMES = sorted(
    {name for name in WORDS if not name.isascii()}
    | {p + n for p in (*SI_CHINESE, *SMALL_CHINESE) for n in WORDS if not n.isascii()},
    key=len,
    reverse=True,
)
_COUNTER = re.compile(rf"(?:{COUNTERS})")
_POWER = re.compile(r"\^([+-]?[1-3])(?!\d)")
_NEXT = re.compile(
    r"\s*(?P<per>/|每|\bper\b)\s*|\s*(?P<times>[·*])\s*(?=[A-Za-z])|(?P<hyphen>-)(?=(?:hours?|hrs?|h|days?)\b)"
)
_HOURS = re.compile(r"\s+(?=(?:hours?|hrs?|days?|seconds?)\b)")


def _name_at(text: str, start: int) -> tuple[Readings, int]:
    """The readings of the unit name at ``start`` and where it ends; no readings where none stands there."""
    match = _LATIN_NAME.match(text, start)
    if match:
        return look_up(match[0]), match.end()
    if start < len(text) and not text[start].isascii():
        for name in _CHINESE_NAMES:
            if text.startswith(name, start) and (units := look_up(name)):
                return units, start + len(name)
    return (), start


def _powered(units: Readings, text: str, end: int) -> tuple[Readings, int]:
    match = _POWER.match(text, end)
    if not match:
        return units, end
    power = int(match[1])
    raised = tuple(_raise(unit, power) for unit in units)
    return raised, match.end()


def _raise(unit: Unit, power: int) -> Unit:
    result = ONE
    for _ in range(abs(power)):
        result = result.times(unit, "/" if power < 0 else "·")
    symbol = f"{unit.symbol}^{power}"
    return Unit(symbol, result.factor, result.own, result.measures, result.counts)


def _combine(left: Readings, right: Readings, sign: str) -> Readings:
    pairs: Iterator[tuple[Unit, Unit]] = product(left, right)
    return tuple(a.times(b, sign) for a, b in islice(pairs, 12))


def _after_scale(units: Readings, text: str, end: int) -> tuple[Readings, int]:
    """``1.5 B params``, ``3 million tokens/s``, ``70亿个参数``: a scale, then the unit proper."""
    scales = tuple(unit for unit in units if unit.is_scale)
    if not scales:
        return units, end
    start = end
    while start < len(text) and text[start] == " ":
        start += 1
    if counter := _COUNTER.match(text, start):
        start = counter.end()
    names, stop = _name_at(text, start)
    names = tuple(name for name in names if not name.is_scale)
    if not names or (start == end and text[start].isascii()):
        return units, end
    scaled = tuple(
        Unit(name.symbol, scale.factor * name.factor, name.own, name.measures, name.counts)
        for scale in scales
        for name in names
    )
    # The number is shown in the unit proper, so the scale stays apart in the symbol.
    return tuple(
        Unit(f"{scale.symbol} {unit.symbol}", unit.factor, unit.own, unit.measures, unit.counts)
        for scale, unit in zip((s for s in scales for _ in names), scaled, strict=True)
    ), stop


def read_unit(text: str, start: int = 0) -> tuple[Readings, int]:
    """The readings of the unit that stands at ``start`` of a ``plain`` text, and where it ends.

    No readings and ``start`` itself where no known unit stands there. Unknown words below a fraction line
    (``ms/foo``) count something that has no name here and are passed over.
    """
    begin = start
    while start < len(text) and text[start] == " ":
        start += 1
    counter = _COUNTER.match(text, start)
    units, end = _name_at(text, start)
    if counter and not units:
        following, stop = _name_at(text, counter.end() + (text[counter.end() : counter.end() + 1] == " "))
        units, end = (following, stop) if following else ((ONE,), counter.end())
    if not units:
        if text[start : start + 1] != "/" and not text.startswith(("每", "per "), start):
            return (), begin
        units, end = (ONE,), start
    units, end = _after_scale(units, text, end)
    units, end = _powered(units, text, end)
    for _ in range(4):
        following, stop, sign = _next_name(text, end)
        if stop == end:
            break
        units, end = (_combine(units, following, sign) if following else units), stop
    return units, end


def _next_name(text: str, end: int) -> tuple[Readings, int, str]:
    match = _NEXT.match(text, end) or _HOURS.match(text, end)
    if match is None:
        return (), end, ""
    sign = "/" if match.groupdict().get("per") else "·"
    start = match.end()
    if counter := _COUNTER.match(text, start):
        start = counter.end()
    units, stop = _name_at(text, start)
    units = tuple(unit for unit in units if not unit.is_scale) or ((units and (MINUTE,)) if sign == "" else ())
    if units:
        units, stop = _powered(units, text, stop)
        return units, stop, sign
    if sign != "/":
        return (), end, ""
    word = re.compile(r"[A-Za-z]+|[\u4e00-\u9fff]{1,4}").match(text, start)
    stop = word.end() if word else start
    return (), (stop if stop > match.start() and (word or counter) else end), sign


@cache
def key_units(written: str) -> Readings:
    """The readings of a key's unit as its author wrote it; an unknown one counts things of its own (``pages``)."""
    text = plain(written)
    if not text:
        return (ONE,)
    units, end = read_unit(text)
    if units and end == len(text):
        alike = [unit for unit in units if unit.is_scale == units[0].is_scale]  # a key in B is in bytes, not billions
        return tuple(replace(unit, symbol=written.strip()) for unit in alike)
    return (Unit(written.strip(), counts=((text.lower().removesuffix("s"), 1),)),)
