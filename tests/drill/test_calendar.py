"""When a channel drills: facts about instants, drill dates, weeks and closing times."""

from __future__ import annotations

import subprocess
import sys
from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import accumulate, pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.drill.calendar import (
    Calendar,
    Month,
    Pause,
    Week,
    board_instant,
    closes_at,
    day_exists,
    holidays_of,
    instant,
    is_drill_date,
    local_date,
    next_occurrences,
    occurrences,
    working_weekends_of,
)

DAY = timedelta(days=1)
EVERY_DAY = frozenset(range(1, 8))
WORKDAYS = frozenset(range(1, 6))
ZONES = sorted(available_timezones() - {"localtime", "Factory", "posixrules"})
HALF_HOURS = [time(minute // 60, minute % 60) for minute in range(0, 24 * 60, 30)]
FROM, UNTIL = datetime(2026, 1, 1, tzinfo=UTC), datetime(2028, 12, 31, tzinfo=UTC)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "day", "at", "expected"),
    [
        ("UTC", "2026-12-07", "09:00", "2026-12-07 09:00"),
        ("Asia/Shanghai", "2026-12-07", "09:00", "2026-12-07 01:00"),
        ("Asia/Kathmandu", "2026-12-07", "09:00", "2026-12-07 03:15"),
        # A gap: 02:00 → 03:00, so every time inside it becomes 03:00 (07:00 UTC).
        ("America/New_York", "2026-03-08", "01:59", "2026-03-08 06:59"),
        ("America/New_York", "2026-03-08", "02:00", "2026-03-08 07:00"),
        ("America/New_York", "2026-03-08", "02:30", "2026-03-08 07:00"),
        ("America/New_York", "2026-03-08", "02:59:59.999999", "2026-03-08 07:00"),
        ("America/New_York", "2026-03-08", "03:00", "2026-03-08 07:00"),
        ("Europe/Berlin", "2027-03-28", "02:30", "2027-03-28 01:00"),
        # Midnight does not exist in Santiago on the first Sunday after 2 September.
        ("America/Santiago", "2026-09-06", "00:00", "2026-09-06 04:00"),
        ("America/Santiago", "2026-09-06", "00:30", "2026-09-06 04:00"),
        ("America/Santiago", "2026-09-06", "01:00", "2026-09-06 04:00"),
        # Nuuk jumps from Saturday 23:00 to Sunday 00:00: the Saturday round comes at the first moment of Sunday.
        ("America/Nuuk", "2026-03-28", "23:30", "2026-03-29 01:00"),
        # A fold: 01:30 exists twice, the first one counts.
        ("America/New_York", "2026-11-01", "01:30", "2026-11-01 05:30"),
        ("America/New_York", "2026-11-01", "01:00", "2026-11-01 05:00"),
        ("America/New_York", "2026-11-01", "02:00", "2026-11-01 07:00"),
        ("Europe/Berlin", "2026-10-25", "02:30", "2026-10-25 00:30"),
        # Lord Howe shifts by half an hour, at 02:00 both ways.
        ("Australia/Lord_Howe", "2026-10-04", "02:00", "2026-10-03 15:30"),
        ("Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03 15:30"),
        ("Australia/Lord_Howe", "2026-10-04", "02:30", "2026-10-03 15:30"),
        ("Australia/Lord_Howe", "2027-04-04", "01:45", "2027-04-03 14:45"),
        # The Samoan 30 December 2011 never was: its instant is the start of the 31st.
        ("Pacific/Apia", "2011-12-29", "09:00", "2011-12-29 19:00"),
        ("Pacific/Apia", "2011-12-30", "09:00", "2011-12-30 10:00"),
        ("Pacific/Apia", "2011-12-31", "00:00", "2011-12-30 10:00"),
        ("Pacific/Apia", "2011-12-31", "09:00", "2011-12-30 19:00"),
        # Kwajalein had 1969-09-30 twice (in part), and skipped 1993-08-21.
        ("Pacific/Kwajalein", "1993-08-21", "12:00", "1993-08-21 12:00"),
        # Dublin's summer is its standard time; Casablanca leaves daylight saving for Ramadan.
        ("Europe/Dublin", "2026-03-29", "01:30", "2026-03-29 01:00"),
        ("Europe/Dublin", "2026-10-25", "01:30", "2026-10-25 00:30"),
        ("Africa/Casablanca", "2026-02-15", "02:30", "2026-02-15 01:30"),
        ("Africa/Casablanca", "2026-03-22", "02:30", "2026-03-22 02:00"),
    ],
)
def test_a_wall_time_becomes_one_instant(zone: str, day: str, at: str, expected: str) -> None:
    """Gaps move to the first valid instant after them, folds are taken the first time."""
    assert instant(date.fromisoformat(day), time.fromisoformat(at), zone) == utc(expected)


def test_a_day_a_zone_skipped_has_no_round() -> None:
    """Apia went from 29 to 31 December 2011 and drilled once on each of them."""
    calendar = Calendar(EVERY_DAY, time(0), "Pacific/Apia", extra_dates=frozenset({date(2011, 12, 30)}))
    found = [day for day, _ in occurrences(calendar, utc("2011-12-28 12:00"), utc("2012-01-01 12:00"))]
    assert found == [date(2011, 12, n) for n in (29, 31)] + [date(2012, 1, 1), date(2012, 1, 2)]
    assert not day_exists(date(2011, 12, 30), "Pacific/Apia")
    assert not is_drill_date(calendar, date(2011, 12, 30))


# --- every zone ----------------------------------------------------------------------------------------------------


@cache
def changes(zone: str) -> tuple[tuple[datetime, int], ...]:
    """The clock changes of 2026 to 2028, each with the offset after it in seconds; first the offset at the start."""
    place = ZoneInfo(zone)

    def offset(moment: datetime) -> int:
        return int(moment.astimezone(place).utcoffset().total_seconds())  # type: ignore[union-attr]

    found = [(FROM, offset(FROM))]
    for n in range((UNTIL - FROM).days):
        low, high = FROM + n * DAY, FROM + (n + 1) * DAY
        if offset(low) == offset(high):
            continue
        while high - low > timedelta(minutes=1):
            middle = low + (high - low) / 2
            low, high = (middle, high) if offset(middle) == offset(low) else (low, middle)
        found.append(((high + timedelta(seconds=30)).replace(second=0, microsecond=0), offset(high)))
    return tuple(found)


def check_around_changes(zone: str) -> None:
    """Compares with a table of what the clocks on the wall really showed, every quarter of an hour."""
    place = ZoneInfo(zone)
    for change, _ in changes(zone)[1:]:
        start = change - 4 * DAY
        ticks = [start + timedelta(minutes=15 * n) for n in range(8 * 96)]
        # The wall as a clock that waits instead of going back: a time is due when it first shows it or is past it.
        walls = list(accumulate((tick.astimezone(place).replace(tzinfo=None) for tick in ticks), max))
        middle = local_date(change, zone)
        days = [middle + n * DAY for n in range(-2, 3)]
        for at in HALF_HOURS:
            due = [ticks[bisect_left(walls, datetime.combine(day, at))] for day in days]
            calendar = Calendar(EVERY_DAY, at, zone)
            found = dict(occurrences(calendar, start, start + 8 * DAY))
            assert [found[day] for day in days] == due, (zone, at)
            every = list(occurrences(calendar, start, start + 8 * DAY))
            assert len(every) == len(found)
            assert all(a < b and n - m == DAY for (m, a), (n, b) in pairwise(every)), (zone, at)


def test_one_round_a_date_around_every_kind_of_clock_change() -> None:
    """Zones with the same changes in 2026–2028 behave alike, so one of each kind is tried at every half hour."""
    kinds = {changes(zone): zone for zone in ZONES}
    assert sum(len(kind) > 1 for kind in kinds) > 20, "the zones with clock changes are among them"
    for zone in kinds.values():
        check_around_changes(zone)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10))
def test_one_round_a_date_around_every_clock_change_of_every_zone(first: int) -> None:
    """The same for each of the zones under its own name."""
    for zone in ZONES[first::10]:
        check_around_changes(zone)


@given(st.sampled_from(ZONES), st.dates(date(1950, 1, 1), date(2037, 12, 1)), st.times())
def test_every_date_that_exists_has_one_instant_and_instants_follow_dates(zone: str, day: date, at: time) -> None:
    """Any zone since 1950, any time of day to the microsecond."""
    days = [day + n * DAY for n in range(4) if day_exists(day + n * DAY, zone)]
    moments = [instant(d, at, zone) for d in days]
    assert all(a < b for a, b in pairwise(moments))
    start, end = moments[0] - timedelta(microseconds=1), moments[-1]
    assert list(occurrences(Calendar(EVERY_DAY, at, zone), start, end)) == list(zip(days, moments, strict=True))


@given(st.sampled_from(ZONES), st.integers(0, 25_000), st.integers(0, 300))
def test_occurrences_of_two_stretches_are_those_of_the_whole(zone: str, later: int, hours: int) -> None:
    """Ticks that follow each other find every round once: the bounds are open below and closed above."""
    calendar = Calendar(WORKDAYS, time(9, 30), zone)
    start = FROM + timedelta(hours=later)
    end = start + timedelta(hours=300)
    planned = [moment for _, moment in occurrences(calendar, start, end)]
    middle = planned[hours % len(planned)] if hours % 2 else start + timedelta(hours=hours)
    parts = [*occurrences(calendar, start, middle), *occurrences(calendar, middle, end)]
    assert parts == list(occurrences(calendar, start, end))


def test_a_round_at_midnight_is_found_while_the_clocks_show_the_old_date_again() -> None:
    """St John's went from Sunday 00:01 back to Saturday 23:01: Sunday's midnight is the first one, and past."""
    calendar = Calendar(EVERY_DAY, time(0), "America/St_Johns")
    until = utc("2010-11-07 02:40")
    assert local_date(until, calendar.zone) == date(2010, 11, 6)
    found = list(occurrences(calendar, utc("2010-11-06 12:00"), until))
    assert found == [(date(2010, 11, 7), utc("2010-11-07 02:30"))]


# --- drill dates ---------------------------------------------------------------------------------------------------

CHINA = Calendar(WORKDAYS, time(9), "Asia/Shanghai", country="CN")


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2026-09-30", True),  # Wednesday
        ("2026-10-01", False),  # National Day
        ("2026-10-07", False),  # a day in lieu
        ("2026-10-08", True),
        ("2026-10-10", True),  # a Saturday of work (调休) the admin added
        ("2026-10-11", False),  # Sunday
        ("2026-02-17", False),  # Spring Festival
        ("2026-05-09", False),  # a Saturday of work that nobody added
        ("2026-10-13", False),  # taken out by the admin
    ],
)
def test_chinese_holidays_and_make_up_days(day: str, expected: bool) -> None:
    """Public holidays and days in lieu have no round, added make-up days have one."""
    calendar = Calendar(
        WORKDAYS,
        time(9),
        "Asia/Shanghai",
        country="CN",
        holidays=frozenset({date(2026, 10, 13)}),
        extra_dates=frozenset({date(2026, 10, 10)}),
    )
    assert is_drill_date(calendar, date.fromisoformat(day)) is expected


def test_an_extra_date_wins_over_weekday_country_and_the_admins_own_holiday() -> None:
    """Whoever adds a date means it."""
    day = date(2026, 10, 3)  # Saturday, in the National Day week
    assert not is_drill_date(CHINA, day)
    wanted = Calendar(WORKDAYS, time(9), "Asia/Shanghai", "CN", frozenset({day}), frozenset({day}))
    assert is_drill_date(wanted, day)


def test_working_weekends_are_known_for_the_admin_to_add() -> None:
    """China's 2026 make-up days; countries without such days have none."""
    assert {date(2026, 2, 14), date(2026, 9, 20), date(2026, 10, 10)} <= working_weekends_of("CN", 2026)
    assert working_weekends_of("DE", 2026) == working_weekends_of("", 2026) == frozenset()


def test_a_subdivision_has_its_own_holidays() -> None:
    """Epiphany is a holiday in Bavaria, not in Berlin."""
    epiphany = date(2027, 1, 6)
    assert epiphany in holidays_of("DE-BY", 2027)
    assert epiphany not in holidays_of("DE-BE", 2027)
    assert holidays_of("", 2027) == frozenset()


def test_a_new_years_day_kept_in_december_is_a_holiday_of_december() -> None:
    """1 January 2028 is a Saturday: the United States keep it on Friday 31 December 2027."""
    assert date(2027, 12, 31) in holidays_of("US", 2027)


def test_a_pause_is_half_open_and_judged_at_the_planned_instant() -> None:
    """The round at the pause's first moment is out, the one at its last is in; extra dates do not break a pause."""
    pause = Pause(utc("2026-12-08 09:00"), utc("2026-12-10 09:00"))
    extra = frozenset({date(2026, 12, 9)})
    calendar = Calendar(WORKDAYS, time(9), "UTC", extra_dates=extra, pauses=(pause,))
    days = [day.day for day, _ in occurrences(calendar, utc("2026-12-06 00:00"), utc("2026-12-11 23:00"))]
    assert days == [7, 10, 11]


def test_an_open_pause_has_no_end() -> None:
    """Paused until further notice: no occurrence, and the look-ahead still ends."""
    calendar = Calendar(EVERY_DAY, time(9), "UTC", pauses=(Pause(utc("2026-12-08 00:00"), None),))
    assert next_occurrences(calendar, utc("2026-12-06 12:00"), 5) == [(date(2026, 12, 7), utc("2026-12-07 09:00"))]


def test_a_calendar_without_days_has_no_occurrences() -> None:
    """The look-ahead is bounded, and finds a single extra date a year away."""
    empty = Calendar(frozenset(), time(9), "UTC")
    assert next_occurrences(empty, utc("2026-12-06 12:00"), 5) == []
    once = Calendar(frozenset(), time(9), "UTC", extra_dates=frozenset({date(2027, 12, 6)}))
    assert next_occurrences(once, utc("2026-12-06 12:00"), 5) == [(date(2027, 12, 6), utc("2027-12-06 09:00"))]


def test_the_next_five_dates_pass_over_a_weekend_and_a_clock_change() -> None:
    """Five occurrences from the Thursday before New York's change of 2026: 09:00 stays 09:00."""
    calendar = Calendar(WORKDAYS, time(9), "America/New_York")
    found = next_occurrences(calendar, utc("2026-03-05 15:00"), 3)
    assert found == [
        (date(2026, 3, 6), utc("2026-03-06 14:00")),
        (date(2026, 3, 9), utc("2026-03-09 13:00")),
        (date(2026, 3, 10), utc("2026-03-10 13:00")),
    ]
    assert next_occurrences(calendar, utc("2026-03-05 15:00"), 0) == []


def test_a_moment_without_a_zone_is_refused() -> None:
    """It would silently be read in the zone of the machine."""
    with pytest.raises(ValueError, match="no time zone"):
        local_date(datetime(2026, 12, 7), "UTC")  # noqa: DTZ001


# --- weeks and months ----------------------------------------------------------------------------------------------

DATES = st.dates(date(1900, 1, 1), date(2200, 1, 1))


@given(DATES)
def test_weeks_partition_the_dates(day: date) -> None:
    """Every date lies in its week and in no neighbour; weeks follow without gap; labels sort like weeks."""
    week = Week.of(day)
    assert day in week.dates()
    assert week.dates()[0] == week.monday
    assert week.dates()[-1] == week.sunday
    assert week.sunday + DAY == week.next().monday
    assert week.next().previous() == week
    assert all(Week.of(each) == week for each in week.dates())
    assert week.previous() < week < week.next()
    assert week.previous().label < week.label < week.next().label


@given(DATES)
def test_months_partition_the_dates(day: date) -> None:
    """Every date lies in its month; months follow without gap."""
    month = Month.of(day)
    assert month.first <= day <= month.last
    assert month.last + DAY == month.next().first
    assert month.next().previous() == month
    assert len(month.dates()) == month.last.day
    assert month.previous().label < month.label < month.next().label


@pytest.mark.parametrize(
    ("day", "label"),
    [("2026-12-06", "2026-W49"), ("2026-12-07", "2026-W50"), ("2024-12-30", "2025-W01"), ("2027-01-03", "2026-W53")],
)
def test_weeks_are_iso_weeks(day: str, label: str) -> None:
    """The year of a week is the one its Thursday lies in."""
    assert Week.of(date.fromisoformat(day)).label == label


def test_a_board_comes_in_the_week_after() -> None:
    """On Monday at the schedule's time by default; through a gap like any other time."""
    week = Week.of(date(2026, 3, 1))
    assert board_instant(week, 1, time(9), "America/New_York") == utc("2026-03-02 14:00")
    assert board_instant(week, 7, time(2, 30), "America/New_York") == utc("2026-03-08 07:00")
    with pytest.raises(ValueError, match="Monday"):
        board_instant(week, 0, time(9), "UTC")


@pytest.mark.parametrize(
    ("window_hours", "next_round", "boards", "expected"),
    [
        (24, None, [], "2026-12-05 09:00"),
        (24, "2026-12-07 09:00", [], "2026-12-05 09:00"),
        (72, "2026-12-07 09:00", [], "2026-12-07 09:00"),  # the next round
        (100, "2026-12-09 09:00", ["2026-12-07 09:00"], "2026-12-07 09:00"),  # the board of the week
        (100, None, ["2026-12-04 09:00", "2026-12-11 09:00"], "2026-12-08 13:00"),  # a board at its own instant
        (24, "2026-12-04 09:00", ["2026-11-30 09:00"], "2026-12-05 09:00"),  # nothing in the past closes it
    ],
)
def test_a_round_closes_at_the_earliest_of_window_next_round_and_board(
    window_hours: int, next_round: str | None, boards: list[str], expected: str
) -> None:
    """A round of Friday 4 December 2026, 09:00: always after it was posted."""
    following = utc(next_round) if next_round else None
    posts_at = utc("2026-12-04 09:00")
    found = closes_at(posts_at, timedelta(hours=window_hours), following, [utc(b) for b in boards])
    assert found == utc(expected)


def test_a_window_must_be_some_time() -> None:
    """Zero or less would close a round before anyone saw it."""
    with pytest.raises(ValueError, match="at least a minute"):
        closes_at(utc("2026-12-04 09:00"), timedelta(0), None, [])


@given(st.sampled_from(ZONES), st.dates(date(2026, 1, 1), date(2028, 10, 1)), st.sampled_from(HALF_HOURS))
def test_every_round_of_a_week_is_closed_when_its_board_comes(zone: str, day: date, at: time) -> None:
    """Daily rounds of one week, each closing at the latest when the next one or the board is due."""
    week = Week.of(day)
    board = board_instant(week, 1, at, zone)
    calendar = Calendar(EVERY_DAY, at, zone)
    start = instant(week.monday, at, zone) - timedelta(microseconds=1)
    planned = list(occurrences(calendar, start, start + 9 * DAY))
    for (this, posts_at), (_, following) in pairwise(planned):
        if this in week.dates():
            closing = closes_at(posts_at, timedelta(hours=24), following, [board])
            assert posts_at < closing <= min(board, following)


def test_the_rules_load_nothing_slow_or_foreign() -> None:
    """Importing them brings in neither the holiday tables nor a platform or database library."""
    code = (
        "import sys\n"
        "from bot.drill import calendar, scoring, selection, standings, streaks\n"
        "print([m for m in ('holidays', 'sqlalchemy', 'sqlmodel', 'slack_bolt', 'discord') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
