"""Ranks on a board."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.drill.standings import Score, best_rounds, neighbourhood, rank, top

POINTS = st.lists(st.integers(0, 8), max_size=30)


def scores(*points: int) -> list[Score]:
    return [Score(n, f"Member {n:02d}", p, 5, 3) for n, p in enumerate(points, 1)]


@pytest.mark.parametrize(
    ("points", "ranks"),
    [
        ([], []),
        ([0], [1]),
        ([30, 20, 20, 10], [1, 2, 2, 4]),
        ([20, 20, 20], [1, 1, 1]),
        ([30, 30, 20, 20, 10], [1, 1, 3, 3, 5]),
        ([0, 0], [1, 1]),
    ],
)
def test_equal_points_share_a_rank(points: list[int], ranks: list[int]) -> None:
    """1, 2, 2, 4."""
    assert [s.rank for s in rank(scores(*points))] == ranks


@given(POINTS)
def test_a_rank_is_one_more_than_the_members_with_more_points(points: list[int]) -> None:
    """In whatever order the rows came, the board is the same."""
    board = rank(scores(*points))
    assert all(s.rank == 1 + sum(p > s.points for p in points) for s in board)
    assert rank(reversed(scores(*points))) == board


def test_members_with_equal_points_stand_by_name_then_id() -> None:
    """Without regard to case, so that the board does not jump between two showings."""
    names = [(3, "bea"), (1, "Cem"), (2, "Ada"), (9, "ada"), (4, "王伟")]
    board = rank(Score(n, name, 100, 1, 1) for n, name in names)
    assert [s.member_id for s in board] == [2, 9, 3, 1, 4]


def test_movement_is_in_places_and_none_for_the_new() -> None:
    """Up is positive."""
    board = rank(scores(50, 40, 30, 20), {1: 3, 2: 1, 3: 3})
    assert [s.movement for s in board] == [2, -1, 0, None]
    assert [s.movement for s in rank(scores(50, 40))] == [None, None]


@pytest.mark.parametrize(
    ("points", "shown"),
    [
        ([9, 8, 7, 6, 5, 4], 5),
        ([9, 8, 7], 3),
        ([9, 8, 7, 6, 5, 5, 5, 4], 7),  # a tie at the edge is shown whole
        ([9, 8, 7, 7, 7, 7, 6], 6),
        ([9] * 30, 10),  # up to ten rows
        ([], 0),
    ],
)
def test_the_top_five_are_all_with_rank_one_to_five(points: list[int], shown: int) -> None:
    """Nobody with the same points is left out, until the picture is full."""
    board = rank(scores(*points))
    assert top(board) == board[:shown]


def test_my_neighbours_stand_around_me() -> None:
    """Fewer at the ends, none off the board."""
    board = rank(scores(50, 40, 30, 20, 10))
    assert [s.member_id for s in neighbourhood(board, 3)] == [2, 3, 4]
    assert [s.member_id for s in neighbourhood(board, 1)] == [1, 2]
    assert [s.member_id for s in neighbourhood(board, 5, around=2)] == [3, 4, 5]
    assert neighbourhood(board, 99) == ()


def test_the_best_rounds_count_where_the_schedule_says_so() -> None:
    """So leave is not punished; without a number all count."""
    assert best_rounds([1000, 0, 1500, 333], 2) == 2500
    assert best_rounds([1000, 0, 1500, 333], None) == 2833
    assert best_rounds([1000], 4) == 1000
    assert best_rounds([], 3) == 0
    with pytest.raises(ValueError, match="1 or more"):
        best_rounds([1000], 0)
