"""Who stands where on a board: equal points share a rank (1, 2, 2, 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

TOP_CAP = 10
"""The most rows ``top`` shows: a picture and a message on a phone hold no more."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one member gathered in a board's time. ``points`` in hundredths; ``right`` counts full credit."""

    member_id: int
    name: str
    points: int
    answered: int
    right: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of a board. ``movement``: places gained (+) or lost (−) since the board before; None = not on it."""

    rank: int
    member_id: int
    name: str
    points: int
    answered: int
    right: int
    movement: int | None


def rank(scores: Iterable[Score], previous: Mapping[int, int] | None = None) -> tuple[Standing, ...]:
    """The scores in board order. ``previous`` gives the rank by member id on the board before.

    Members with equal points share a rank and stand in the order of their names, then ids, so that the same
    rows always give the same board.
    """
    before = previous or {}
    ordered = sorted(scores, key=lambda s: (-s.points, s.name.casefold(), s.member_id))
    standings: list[Standing] = []
    for place, s in enumerate(ordered, 1):
        shares = bool(standings) and standings[-1].points == s.points
        now = standings[-1].rank if shares else place
        was = before.get(s.member_id)
        moved = None if was is None else was - now
        standings.append(Standing(now, s.member_id, s.name, s.points, s.answered, s.right, moved))
    return tuple(standings)


def top(standings: Sequence[Standing], n: int = 5, cap: int = TOP_CAP) -> tuple[Standing, ...]:
    """Everyone with rank 1 to ``n``, so a tie at the edge is shown whole: nobody with the same points is left out.

    Where that is more than ``cap`` rows the first ``cap`` in board order are shown; a caller can tell from the
    next row having the same rank that the tie goes on.
    """
    return tuple(s for s in standings if s.rank <= n)[:cap]


def neighbourhood(standings: Sequence[Standing], member_id: int, around: int = 1) -> tuple[Standing, ...]:
    """The member's row with ``around`` rows on each side; empty where the member is not on the board."""
    for place, standing in enumerate(standings):
        if standing.member_id == member_id:
            return tuple(standings[max(0, place - around) : place + around + 1])
    return ()


def best_rounds(points: Sequence[int], n: int | None) -> int:
    """The sum (hundredths) of the ``n`` highest rounds, or of all where ``n`` is None."""
    if n is None:
        return sum(points)
    if n < 1:
        raise ValueError(f"A board of the best {n} rounds counts nothing; give 1 or more.")
    return sum(nlargest(n, points))
