"""Dates as people type them: 2026-12-24, 12月24日, 12-24, tomorrow, 周五, and stretches of them."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta

from bot.drill.calendar import parse_weekdays
from bot.drill.errors import WrongInput

MOST_DAYS = 366

_WHOLE = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*[日号]?")
_SHORT = re.compile(r"(\d{1,2})\s*[-/月]\s*(\d{1,2})\s*[日号]?")
_BETWEEN = re.compile(r"\s*(?:\.\.+|…|–|—|~|～|\bto\b|\bthrough\b|至|到)\s*|\s+-\s+", re.IGNORECASE)
_WORDS = {
    **dict.fromkeys(("today", "今天", "今日"), 0),
    **dict.fromkeys(("tomorrow", "明天", "明日"), 1),
    **dict.fromkeys(("后天", "後天", "day after tomorrow"), 2),
}


def read_days(text: str, today: date, field: str) -> list[date]:
    """The dates in ``text``, each once and in order; commas part them, ``..`` or ``to`` joins two to a stretch.

    A date without a year is the next one such, a weekday the next one such (today counts). Raises ``WrongInput``.
    """
    found: set[date] = set()
    for part in re.split(r"[,，、;；]", unicodedata.normalize("NFKC", text)):
        if not part.strip():
            continue
        ends = _BETWEEN.split(part.strip())
        if len(ends) > 2:
            raise _wrong(part, field)
        first, last = _read_day(ends[0], today, field), _read_day(ends[-1], today, field)
        if last < first or (last - first).days >= MOST_DAYS:
            raise WrongInput(
                field,
                f"“{part.strip()[:40]}” is no stretch of at most {MOST_DAYS} days; write 2026-12-24..2026-12-31.",
                f"“{part.strip()[:40]}”不是 {MOST_DAYS} 天以内的日期范围，请写成 2026-12-24..2026-12-31。",
            )
        found |= {first + timedelta(days=n) for n in range((last - first).days + 1)}
    if len(found) > MOST_DAYS:
        raise _wrong(text, field)
    return sorted(found)


def _read_day(text: str, today: date, field: str) -> date:
    typed = text.strip().lower()
    if typed in _WORDS:
        return today + timedelta(days=_WORDS[typed])
    try:
        if match := _WHOLE.fullmatch(typed):
            found = date(int(match[1]), int(match[2]), int(match[3]))
            if found.year > 9000:  # where the calendar ends, zones cannot be reckoned with
                raise ValueError
            return found
        if match := _SHORT.fullmatch(typed):
            month, day = int(match[1]), int(match[2])
            years = [year for year in range(today.year, today.year + 9) if _is_date(year, month, day)]
            return next(day_ for year in years if (day_ := date(year, month, day)) >= today)
        (weekday,) = parse_weekdays(typed)
        return today + timedelta(days=(weekday - today.isoweekday()) % 7)
    except (ValueError, StopIteration):
        raise _wrong(text, field) from None


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _wrong(text: str, field: str) -> WrongInput:
    return WrongInput(
        field,
        f"“{text.strip()[:40]}” is no date; write it like 2026-12-31.",
        f"“{text.strip()[:40]}”不是日期，请写成 2026-12-31。",
    )
