"""Dates as people type them: 2026-12-24, 24 Dec, 12月24日周四, 12-24, tomorrow, 下周一, and stretches of them."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta

from bot.drill.calendar import parse_weekdays
from bot.drill.errors import WrongInput

MOST_DAYS = 366

_WHOLE = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*[日号]?")
_SHORT = re.compile(r"(\d{1,2})\s*([-/月])\s*(\d{1,2})\s*[日号]?")
_MONTH = r"(?P<month>[a-z]{3,9})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_NAMED = (
    re.compile(rf"{_DAY}\s*(?:of\s+)?{_MONTH}(?:\s+(?P<year>\d{{4}}))?"),
    re.compile(rf"{_MONTH}\s*{_DAY}(?:\s+(?P<year>\d{{4}}))?"),
)
_MONTHS = "january february march april may june july august september october november december"
_MONTH_NAMES = {name[:length]: number for number, name in enumerate(_MONTHS.split(), 1) for length in {3, 4, len(name)}}
_ZH_WEEK = r"[(]?(?:周|週|星期|礼拜|禮拜)[一二三四五六日天][)]?"
_BESIDE = re.compile(rf"(?P<before>[a-z]{{3,9}}[.,]?\s+|{_ZH_WEEK}\s*)?(?P<date>.*?\d.*?)(?P<after>\s*{_ZH_WEEK})?")
_THAT_WEEK = re.compile(r"(这|這|本|下)(?:个|個)?((?:周|週|星期|礼拜|禮拜)[一二三四五六日天])")
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
        if match := _THAT_WEEK.fullmatch(typed):
            (weekday,) = parse_weekdays(match[2])
            return today + timedelta(days=weekday - today.isoweekday() + 7 * (match[1] == "下"))
        if (found := _written(typed, today)) is not None:
            return found
        if (match := _BESIDE.fullmatch(typed)) and (match["before"] or match["after"]):
            return _with_weekday(match, text, today, field)
        (weekday,) = parse_weekdays(typed)
        return today + timedelta(days=(weekday - today.isoweekday()) % 7)
    except (ValueError, StopIteration):
        raise _wrong(text, field) from None


def _written(typed: str, today: date) -> date | None:
    """A date that says its month and day. ``None``: it is written in no such way. Raises ``ValueError``."""
    if match := _WHOLE.fullmatch(typed):
        return _in_calendar(date(int(match[1]), int(match[2]), int(match[3])))
    if match := _SHORT.fullmatch(typed):
        month, day = int(match[1]), int(match[3])
        if match[2] == "/" and month != day and max(month, day) <= 12:  # 3/4 is another date in every second country
            raise ValueError
        return _next(month, day, today)
    for shape in _NAMED:
        if (match := shape.fullmatch(typed)) and match["month"] in _MONTH_NAMES:
            month, day = _MONTH_NAMES[match["month"]], int(match["day"])
            return _in_calendar(date(int(match["year"]), month, day)) if match["year"] else _next(month, day, today)
    return None


def _in_calendar(found: date) -> date:
    """Where the calendar begins and ends, zones cannot be reckoned with. Raises ``ValueError``."""
    if not 1 < found.year <= 9000:
        raise ValueError
    return found


def _next(month: int, day: int, today: date) -> date:
    years = [year for year in range(today.year, today.year + 9) if _is_date(year, month, day)]
    return next(found for year in years if (found := date(year, month, day)) >= today)


def _with_weekday(match: re.Match[str], text: str, today: date, field: str) -> date:
    """A date with its weekday beside it, as the bot itself writes dates; where the two differ neither is guessed."""
    found = _written(match["date"].strip(), today)
    if found is None:
        raise ValueError
    for beside in (match["before"], match["after"]):
        if beside and parse_weekdays(beside.strip(" ().,")) != {found.isoweekday()}:
            raise WrongInput(
                field,
                f"“{text.strip()[:40]}” names a weekday that {found} is not; write the date alone.",
                f"“{text.strip()[:40]}”里的星期和 {found} 不符，请只写日期。",
            )
    return found


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
