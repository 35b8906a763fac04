"""Streaks as members see them, one letter a round.

A answered · . missed, late period over · o unanswered, still open or late
x not posted · p on pause · P answered on pause
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.drill.streaks import RoundSeen, Streak, excused, streak

NOW = datetime(2026, 12, 7, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def rounds(history: str) -> list[RoundSeen]:
    """The history as rounds a day apart; an ``o`` closes in the future."""
    found = []
    for n, letter in enumerate(history):
        closes = NOW + DAY if letter == "o" else NOW - (len(history) - n + 1) * DAY
        found.append(RoundSeen(closes, closes + DAY, letter in "AP", letter != "x", letter in "pP"))
    return found


@pytest.mark.parametrize(
    ("history", "current", "longest", "freezes", "used"),
    [
        ("", 0, 0, 2, 0),
        ("...", 0, 0, 2, 0),  # never answered: nothing to break
        ("o", 0, 0, 2, 0),
        ("A", 1, 1, 2, 0),
        ("......A", 1, 1, 2, 0),  # a joiner's earlier rounds are ignored
        ("AAA", 3, 3, 2, 0),
        ("A.A", 2, 2, 1, 1),  # a freeze keeps it, and does not count as a round
        ("A..A", 2, 2, 0, 2),
        ("A...", 0, 1, 0, 2),  # the third miss breaks it
        ("AA...A", 1, 2, 0, 2),
        ("A....A", 1, 1, 0, 2),
        ("AAAAA...AA", 2, 5, 0, 2),
        ("A" * 10, 10, 10, 2, 0),  # never more than two held
        ("A" * 30 + "...", 0, 30, 0, 2),
        ("A.." + "A" * 8 + ".", 0, 9, 0, 2),  # nine answers earn nothing
        ("A.." + "A" * 9, 10, 10, 1, 2),  # the tenth earns one
        ("A.." + "A" * 9 + ".A", 11, 11, 0, 3),
        ("A.." + "A" * 19 + "..", 20, 20, 0, 4),
        ("AAA....." + "A" * 7, 7, 7, 1, 2),  # answers are counted across a break
        ("AxxxxxA", 2, 2, 2, 0),  # the bot failed to post
        ("AppppppA", 2, 2, 2, 0),  # the member's pause
        ("APA", 3, 3, 2, 0),  # answered on a pause counts
        ("A.pxA", 2, 2, 1, 1),
        ("Ao", 1, 1, 2, 0),  # open: neither breaks nor counts
        ("A.o", 1, 1, 1, 1),
        ("A..oo", 1, 1, 0, 2),
        ("AoA", 2, 2, 2, 0),
    ],
)
def test_streaks(history: str, current: int, longest: int, freezes: int, used: int) -> None:
    """Rounds answered in a row, freezes held and spent."""
    assert streak(rounds(history), NOW) == Streak(current, longest, freezes, used)


def test_a_miss_spends_a_freeze_when_its_late_period_is_over_not_before() -> None:
    """At the last microsecond of the late period the member can still answer."""
    answered, missed = rounds("A.")
    over = missed.late_until
    assert streak([answered, missed], missed.closes_at).freezes == 2
    assert streak([answered, missed], over - timedelta(microseconds=1)).freezes == 2
    assert streak([answered, missed], over) == Streak(1, 1, 1, 1)


HISTORIES = st.text(alphabet="A.oxpP", max_size=60)


@given(HISTORIES)
def test_what_always_holds(history: str) -> None:
    """Bounds of the four numbers, and that they can be told from the answers."""
    found = streak(rounds(history), NOW)
    answers = sum(letter in "AP" for letter in history)
    assert 0 <= found.current <= found.longest <= answers
    assert 0 <= found.freezes <= 2
    assert found.freezes + found.used_freezes <= 2 + answers // 10
    assert found.used_freezes <= history.count(".")


@given(HISTORIES)
def test_rounds_that_do_not_count_change_nothing(history: str) -> None:
    """Taken out of the history, or a joiner's misses put before it: the same streak."""
    counted = [seen for seen in rounds(history) if seen.answered or (seen.posted and not seen.excused)]
    assert streak(counted, NOW) == streak(rounds(history), NOW) == streak(rounds("..x.p" + history), NOW)


@given(HISTORIES)
def test_one_more_answer_makes_the_streak_one_longer(history: str) -> None:
    """Whatever came before it."""
    assert streak(rounds(history + "A"), NOW).current == streak(rounds(history), NOW).current + 1


OFFSETS = st.integers(-40 * 24, 40 * 24)


@given(st.integers(1, 30 * 24), st.lists(st.tuples(OFFSETS, st.none() | st.integers(1, 500)), max_size=5))
def test_a_pause_excuses_the_rounds_that_were_open_in_it_and_no_others(
    window: int, pauses: list[tuple[int, int | None]]
) -> None:
    """Hour by hour: a round is excused exactly when one of its open hours lies in a pause."""
    hour = timedelta(hours=1)
    spans = [
        (NOW + start * hour, None if length is None else NOW + (start + length) * hour) for start, length in pauses
    ]
    hours = [NOW + n * hour for n in range(window)]
    away = any(start <= moment and (end is None or moment < end) for moment in hours for start, end in spans)
    assert excused(NOW, NOW + window * hour, spans) == away


@given(HISTORIES)
def test_whoever_pauses_instead_of_missing_never_loses_by_it(history: str) -> None:
    """Every miss within a pause: the streak is unbroken and no freeze is spent."""
    found = streak(rounds(history.replace(".", "p")), NOW)
    assert found.current == found.longest == sum(letter in "AP" for letter in history)
    assert found.used_freezes == 0
