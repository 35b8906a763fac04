"""What is going to happen in the simulated months: schedules, pauses, and everything that goes wrong.

The script is drawn from the seed before anything runs and knows nothing of the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Literal

from bot.simulate.calendar import ClockChange, Regime, clock_changes, first_instant
from bot.simulate.options import FIRST_DAY, SimulationOptions, country_of

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

Verb = Literal["setup", "pause", "resume", "now"]


@dataclass(frozen=True, slots=True)
class Act:
    """Something the admin does at a moment (UTC)."""

    at: datetime
    verb: Verb
    options: dict[str, str] = field(default_factory=dict)
    regime: Regime | None = None


Trouble = Literal["down", "unreachable", "archived", "clock"]


@dataclass(frozen=True, slots=True)
class Disaster:
    """A stretch ``[start, end)``: the bot is ``down``, the platform ``unreachable``, the channel ``archived``,
    or the bot's wall ``clock`` wrong by ``off``."""

    start: datetime
    end: datetime
    trouble: Trouble
    off: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Script:
    """``end``: when the channel is paused for good; what is under way then still runs out."""

    begin: datetime
    end: datetime
    acts: tuple[Act, ...]
    disasters: tuple[Disaster, ...]


WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


@dataclass(frozen=True, slots=True)
class _Shape:
    days: str
    at: time
    window: str
    board: int
    mode: str
    best: str


_SHAPES = (
    _Shape("1,2,3,4,5", time(9, 30), "24h", 1, "instant", "all"),
    _Shape("1,2,4,5,7", time(16, 45), "6h", 3, "together", "3"),
    _Shape("1,2,3,4,5,6,7", time(7, 10), "20h", 7, "instant", "all"),
    _Shape("1,3,5,6", time(12, 0), "24h", 1, "together", "all"),
)


def write_script(options: SimulationOptions) -> Script:
    """The months of ``options``."""
    rng = Random(f"{options.seed}:script")  # noqa: S311 — a draw, not a secret
    zone, end_day = options.zone, FIRST_DAY + options.days * DAY
    begin = _instant(FIRST_DAY, time(0, 5), zone)
    end = _instant(end_day, time(0), zone)
    setups = _setups(options, begin, end_day)
    acts = [*setups, *_rests(rng, zone, options.days), *_rounds_at_once(rng, zone, options.days, setups)]
    acts = sorted((act for act in acts if act.at < end - HOUR), key=lambda act: act.at)
    disasters = _disasters(rng, options, setups, acts, end) if options.faults == "all" else ()
    return Script(begin, end, tuple(acts), tuple(disasters))


def _instant(day: date, at: time, zone: str) -> datetime:
    found = first_instant(day, at, zone)
    return found if found is not None else datetime.combine(day, at, UTC)


# --- schedules --------------------------------------------------------------------------------------------------


def _setups(options: SimulationOptions, begin: datetime, end_day: date) -> list[Act]:
    """The schedule, and how it is changed: at most one a month and three in all, then one each half year."""
    lengths = [options.days]
    if options.days >= 30:
        phases = max(3, options.days // 90)
        lengths = [options.days // phases] * phases
    country = country_of(options.zone)
    acts: list[Act] = []
    day = FIRST_DAY
    before: time | None = None
    for number, length in enumerate(lengths):
        last = end_day if number == len(lengths) - 1 else day + length * DAY
        shape = _SHAPES[(number + options.seed - 1) % len(_SHAPES)]
        shape = _across_change(shape, clock_changes(options.zone, day, last))
        at = begin if before is None else _instant(day, _far_from(before, shape.at), options.zone)
        regime = Regime(
            at,
            frozenset(int(n) for n in shape.days.split(",")),
            shape.at,
            options.zone,
            country if number % 2 == 0 else "",
            shape.board,
            None if shape.best == "all" else int(shape.best),
        )
        acts.append(Act(at, "setup", _typed(regime, shape), regime))
        before, day = shape.at, last
    return acts


def _across_change(shape: _Shape, changes: Sequence[ClockChange]) -> _Shape:
    """Where clocks change in this stretch, post every day at the very time that is skipped or comes twice."""
    if not changes:
        return shape
    return _Shape("1,2,3,4,5,6,7", changes[0].wall, shape.window, shape.board, shape.mode, shape.best)


def _far_from(*times: time) -> time:
    """A time of day as far as possible from the given ones: no round may hang on the second of a change."""

    def distance(hour: int) -> int:
        gaps = [abs(hour * 60 + 20 - t.hour * 60 - t.minute) for t in times]
        return min(min(gap, 1440 - gap) for gap in gaps)

    return time(max(range(24), key=distance), 20)


def _typed(regime: Regime, shape: _Shape) -> dict[str, str]:
    return {
        "days": ",".join(WEEKDAYS[n - 1] for n in sorted(regime.weekdays)),
        "time": f"{regime.at:%H:%M}",
        "zone": regime.zone,
        "holidays": regime.country or "none",
        "language": "en+zh",
        "window": shape.window,
        "board": WEEKDAYS[regime.board_day - 1],
        "mode": shape.mode,
        "best": shape.best,
        "topics": "all",
        "kinds": "all",
        "difficulty": "1-5",
    }


# --- pauses, and rounds at once -----------------------------------------------------------------------------------


def _rests(rng: Random, zone: str, days: int) -> list[Act]:
    """A pause until a date, and one that is ended by hand; again every three months."""
    acts = []
    for first in range(18, days - 12, 90):
        day = FIRST_DAY + (first + rng.randrange(4)) * DAY
        last = day + rng.randrange(2, 6) * DAY
        acts.append(Act(_instant(day, time(11, 37), zone), "pause", {"until": last.isoformat()}))
    for first in range(66, days - 12, 90):
        day = FIRST_DAY + (first + rng.randrange(4)) * DAY
        acts.append(Act(_instant(day, time(11, 37), zone), "pause"))
        acts.append(Act(_instant(day + rng.randrange(2, 6) * DAY, time(22, 13), zone), "resume"))
    return acts


def _rounds_at_once(rng: Random, zone: str, days: int, setups: Sequence[Act]) -> list[Act]:
    """Now and then somebody wants today's question at once: on a day without a round, or before its time."""
    acts = []
    for first in range(9, days - 5, 40):
        day = FIRST_DAY + (first + rng.randrange(6)) * DAY
        noon = _instant(day, time(12), zone)
        regime = [act.regime for act in setups if act.regime is not None and act.at <= noon][-1]
        due = first_instant(day, regime.at, zone)
        moment = due - 3 * HOUR if due is not None and regime.at >= time(4) else noon
        if moment != noon or day.isoweekday() not in regime.weekdays:
            acts.append(Act(moment, "now"))
    return acts


# --- disasters ----------------------------------------------------------------------------------------------------


def _disasters(
    rng: Random, options: SimulationOptions, setups: Sequence[Act], acts: Sequence[Act], end: datetime
) -> list[Disaster]:
    """One disaster in each stretch of five days, round the due times; none while the admin is at work."""
    found: list[Disaster] = []
    free_from = setups[0].at + 6 * HOUR
    kinds = [
        "late",
        "clock ahead",
        "missed",
        "lost platform",
        "day off",
        "clock behind",
        "over board",
        "over close",
        "archived",
        "long outage of the platform",
    ]
    for number in range(options.days // 5 + 1):
        day = FIRST_DAY + (2 + 5 * number) * DAY
        regime = [a.regime for a in setups if a.regime is not None and a.at <= _instant(day, time(12), options.zone)][
            -1
        ]
        disaster = _disaster(rng, kinds[(number + options.seed - 1) % len(kinds)], day, regime)
        if disaster is None or disaster.end >= end - 2 * HOUR or disaster.start <= free_from:
            continue
        if any(disaster.start - 3 * HOUR <= act.at <= disaster.end + 3 * HOUR for act in acts):
            continue
        found.append(disaster)
        free_from = disaster.end + 2 * HOUR
    return found


def _disaster(rng: Random, kind: str, day: date, regime: Regime) -> Disaster | None:
    due = first_instant(day, regime.at, regime.zone)
    if due is None:
        return None
    minutes = timedelta(minutes=rng.randrange(1, 40))
    match kind:
        case "late":
            return Disaster(due - minutes, due + timedelta(minutes=rng.randrange(5, 200)), "down")
        case "missed":
            return Disaster(due - minutes, due + 4 * HOUR + minutes, "down")
        case "day off":
            return Disaster(due - HOUR, due + 25 * HOUR, "down")
        case "over board":
            monday = day - (day.isoweekday() - 1) * DAY
            board = first_instant(monday + timedelta(days=6 + regime.board_day), regime.at, regime.zone)
            assert board is not None
            return Disaster(board - 20 * HOUR, board + timedelta(hours=rng.randrange(1, 60)), "down")
        case "over close":
            return Disaster(due + 2 * HOUR, due + 23 * HOUR, "down")
        case "lost platform":
            return Disaster(due - minutes, due + timedelta(minutes=rng.randrange(10, 200)), "unreachable")
        case "long outage of the platform":
            return Disaster(due - minutes, due + timedelta(hours=rng.randrange(5, 9)), "unreachable")
        case "archived":
            return Disaster(due - HOUR, due + timedelta(hours=24 * 5), "archived")
        case "clock ahead":
            # Set right again at times before the true due time, at times after it.
            until = timedelta(minutes=rng.randrange(-55, 120))
            return Disaster(due - 2 * HOUR, due + until, "clock", HOUR)
        case "clock behind":
            return Disaster(due - HOUR, due + minutes, "clock", -HOUR if rng.random() < 0.5 else -HOUR / 6)
    raise AssertionError(f"no disaster is called {kind}")
