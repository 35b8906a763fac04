"""When a member may be reminded, by rules alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.drill.reminders import in_working_hours, is_due, next_kind

ZONES = st.sampled_from(["UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin", "Asia/Kathmandu"])
MOMENTS = st.integers(0, 365 * 24 * 60).map(
    lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


@pytest.mark.parametrize(
    ("local", "inside"),
    [
        ("2026-12-07 08:59:59", False),
        ("2026-12-07 09:00", True),
        ("2026-12-07 17:59:59", True),
        ("2026-12-07 18:00", False),
        ("2026-12-11 12:00", True),
        ("2026-12-12 12:00", False),
        ("2026-12-13 12:00", False),
    ],
)
def test_working_hours_are_those_of_the_members_own_clock(local: str, inside: bool) -> None:
    """Monday to Friday, from nine, before six."""
    for zone in ("Asia/Shanghai", "America/New_York"):
        moment = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        assert in_working_hours(moment, zone) is inside


@given(MOMENTS, st.integers(1, 72), MOMENTS, ZONES)
def test_a_reminder_never_comes_at_once_nor_late_nor_out_of_hours(
    posts_at: datetime, hours: int, now: datetime, zone: str
) -> None:
    closes_at = posts_at + timedelta(hours=hours)
    if is_due(posts_at, closes_at, now, zone):
        local = now.astimezone(ZoneInfo(zone))
        assert local.isoweekday() <= 5
        assert 9 <= local.hour < 18
        assert posts_at + min(timedelta(hours=2), (closes_at - posts_at) / 2) <= now < closes_at - timedelta(minutes=10)


def test_a_round_of_a_working_day_reminds_two_hours_later() -> None:
    posts_at = datetime(2026, 12, 7, 9, 30, tzinfo=UTC)
    closes_at = posts_at + timedelta(hours=24)
    before = posts_at + timedelta(hours=2) - timedelta(microseconds=1)
    assert not is_due(posts_at, closes_at, before, "UTC")
    assert is_due(posts_at, closes_at, posts_at + timedelta(hours=2), "UTC")
    assert not is_due(posts_at, closes_at, closes_at - timedelta(minutes=10), "UTC")
    assert is_due(posts_at, posts_at + timedelta(hours=1), posts_at + timedelta(minutes=30), "UTC")


def test_after_three_in_vain_it_asks_once_and_then_says_nothing() -> None:
    assert [next_kind(ignored, asked=False) for ignored in range(5)] == ["remind"] * 3 + ["pause"] * 2
    assert {next_kind(ignored, asked=True) for ignored in range(5)} == {None}
