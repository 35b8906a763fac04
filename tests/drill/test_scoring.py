"""Points are exact hundredths."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.drill.scoring import format_points, points

CREDITS = st.fractions(0, 1, max_denominator=2000)
DIFFICULTIES = st.integers(1, 5)


@pytest.mark.parametrize(
    ("credit", "difficulty", "expected"),
    [
        ("0", 1, 0),
        ("1", 1, 1000),
        ("1", 2, 1500),
        ("1", 5, 3000),
        ("1/2", 3, 1000),
        ("1/3", 1, 333),
        ("2/3", 1, 667),
        ("2/3", 3, 1333),
        ("1/6", 5, 500),
        ("1/2000", 1, 1),  # half a hundredth goes up
        ("3/2000", 1, 2),  # not to the even one
        ("1/2001", 1, 0),
    ],
)
def test_points_are_credit_times_five_plus_five_per_difficulty(credit: str, difficulty: int, expected: int) -> None:
    """In hundredths, rounded half up."""
    assert points(Fraction(credit), difficulty) == expected


@given(CREDITS, CREDITS, DIFFICULTIES)
def test_more_credit_never_gives_fewer_points(one: Fraction, other: Fraction, difficulty: int) -> None:
    """And the rounding never moves points by more than half a hundredth."""
    low, high = sorted((one, other))
    assert points(low, difficulty) <= points(high, difficulty)
    assert abs(points(one, difficulty) - one * (500 + 500 * difficulty)) <= Fraction(1, 2)


@pytest.mark.parametrize(("credit", "difficulty"), [("-1/10", 1), ("11/10", 1), ("1", 0), ("1", 6)])
def test_impossible_values_are_refused(credit: str, difficulty: int) -> None:
    """They could only come from a fault, and must not reach a board."""
    with pytest.raises(ValueError, match="impossible"):
        points(Fraction(credit), difficulty)


@pytest.mark.parametrize(
    ("hundredths", "expected"),
    [(0, "0"), (1000, "10"), (1250, "12.5"), (1333, "13.33"), (5, "0.05"), (120000, "1,200"), (-50, "−0.5")],
)
def test_points_are_shown_without_needless_zeros(hundredths: int, expected: str) -> None:
    """Alike in both languages."""
    assert format_points(hundredths, "en") == format_points(hundredths, "zh") == expected
