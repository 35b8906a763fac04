"""Counts from the outside: the chat's log, what members and the admin were told, and the simulation's own calendar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from bot.card import Card, Heading, Note, Table, plain
from bot.simulate.calendar import Regime, Rest, Slot, expected_slots
from bot.simulate.chat import Entry
from bot.simulate.options import SimulationOptions
from bot.simulate.people import Own, Person, buttons, round_of
from bot.simulate.world import ADMIN, World

CATCH_UP = timedelta(hours=4)
WRONG_CLOCK = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """``counts`` by name; ``problems`` says in sentences what is wrong, and is empty where all is well."""

    options: SimulationOptions
    counts: dict[str, int]
    problems: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Nothing twice, nothing missed in silence, no answer lost, every board right."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """The counts, what was simulated, and the problems."""
        o = self.options
        asked = {"days": o.days, "members": o.members, "seed": o.seed, "zone": o.zone, "faults": o.faults}
        return {**asked, **self.counts, "clean": self.clean, "problems": list(self.problems)}

    def to_text(self) -> str:
        """The same for people."""
        o = self.options
        lines = [f"{o.days} days in {o.zone}, {o.members} members, seed {o.seed}, faults: {o.faults}", ""]
        width = max(map(len, self.counts))
        lines += [f"  {name.replace('_', ' '):{width}}  {number:>7,}" for name, number in self.counts.items()]
        lines += ["", "All is well." if self.clean else f"{len(self.problems)} problems:"]
        return "\n".join([*lines, *(f"  {problem}" for problem in self.problems)])


def make_report(world: World, engine_errors: Sequence[str]) -> SimulationReport:
    """Count ``world`` when it has run."""
    problems = [*world.complaints, *(f"the engine logged an error: {error}" for error in engine_errors)]
    log = [entry for entry in world.chat.log if not entry.refused and entry.verb != "find"]
    notices = [entry for entry in log if entry.verb == "tell" and entry.member == ADMIN.member]
    rests = [*world.rests, *_failing_rests(world, notices)]
    slots = expected_slots(world.regimes, rests, world.at_once, world.script.end)
    questions = [entry for entry in log if entry.verb == "post" and _is_question(entry.card)]
    posts, duplicates = _attribute(questions, slots, problems)
    rounds = {round_of(_card(entry)): slot for slot, entry in posts.items()}
    missed = _missed(slots, posts, notices, problems)
    results = _results(world.people, log, rounds, problems)
    boards = _Boards(world, log, rounds, notices).count(problems)
    acknowledged = [own for person in world.people for own in person.own.values() if own.acknowledged]
    if len(acknowledged) != world.answers_stored:
        problems.append(f"{len(acknowledged)} answers were acknowledged, {world.answers_stored} are stored")
    twice = duplicates + results["repeated"] + boards["repeated"]
    early = world.chat.counts["calls within a limit"]
    if early:
        problems.append(f"the platform was called {early} times before its retry-after was over")
    counts = {
        "expected_rounds": len(slots),
        "posted": len(posts),
        "posted_late": sum(entry.at - slot.at > MINUTE for slot, entry in posts.items()),
        "missed_reported": missed["reported"],
        "missed_unreported": missed["unreported"],
        "duplicates": twice,
        "results_posted": results["posted"],
        "results_equal_recomputed": results["equal"],
        "answers_acknowledged": len(acknowledged),
        "answers_stored": world.answers_stored,
        "answers_late": sum(own.late for own in acknowledged),
        "double_taps": sum(person.double_taps for person in world.people),
        "boards_expected": boards["expected"],
        "boards_posted": boards["posted"],
        "boards_refused_reported": boards["reported"],
        "boards_equal_recomputed": boards["equal"],
        "crashes": world.counts["crashes"],
        "crash_points": len(world.crashes.died),
        "outages": world.counts["down"],
        "outages_of_the_platform": world.counts["unreachable"],
        "lost_replies": world.chat.counts["lost replies"],
        "server_errors": world.chat.counts["http_500"],
        "rate_limits": world.chat.counts["ratelimited"] - early,
        "refusals": world.chat.counts["is_archived"],
        "clock_jumps": 2 * world.counts["clock"],
        "engine_errors": len(engine_errors),
    }
    return SimulationReport(world.options, counts, tuple(problems))


# --- rounds -----------------------------------------------------------------------------------------------------


def _card(entry: Entry) -> Card:
    assert entry.card is not None
    return entry.card


def _is_question(card: Card | None) -> bool:
    return card is not None and any(b.action.startswith(("answer:", "form:")) for b in buttons(card))


def _failing_rests(world: World, notices: Sequence[Entry]) -> list[Rest]:
    """The channel pauses itself after three refused posts: from the last refusal before the admin was told."""
    rests = []
    for notice in notices:
        if _card(notice).text.startswith("Three posts in a row failed"):
            refused = [e.at for e in world.chat.log if e.refused == "is_archived" and e.at <= notice.at]
            ended = [moment for moment in world.resumed if moment > notice.at]
            rests.append(Rest(refused[-1], ended[0] if ended else None))
    return rests


def _attribute(questions: Sequence[Entry], slots: Sequence[Slot], problems: list[str]) -> tuple[dict[Slot, Entry], int]:
    """Which post fills which date: the last slot due before it, as far as a late post and a wrong clock explain."""
    posts: dict[Slot, Entry] = {}
    duplicates = 0
    for entry in questions:
        due = [slot for slot in slots if slot.at - WRONG_CLOCK <= entry.at <= slot.at + CATCH_UP + WRONG_CLOCK]
        if not due:
            problems.append(f"{entry.at:%Y-%m-%d %H:%M} a question was posted that no date asked for")
            duplicates += 1
        elif due[-1] in posts:
            problems.append(f"{entry.at:%Y-%m-%d %H:%M} the question of {due[-1].day} was posted again")
            duplicates += 1
        else:
            posts[due[-1]] = entry
    return posts, duplicates


_MISSED = re.compile(r"The drills? of (.+) in .* (?:was|were) missed: ")
_DAY = re.compile(r"\w+ (\d+) (\w{3})")


def _missed(
    slots: Sequence[Slot], posts: dict[Slot, Entry], notices: Sequence[Entry], problems: list[str]
) -> Counter[str]:
    sentences = [match[1] for notice in notices if (match := _MISSED.match(_card(notice).text))]
    told = Counter(day.group(1, 2) for sentence in sentences for day in _DAY.finditer(sentence))
    found: Counter[str] = Counter()
    for slot in slots:
        said = told[str(slot.day.day), f"{slot.day:%b}"] > 0
        if slot in posts:
            if said:
                problems.append(f"the round of {slot.day} was posted, and an admin was told that it was missed")
            continue
        found["reported" if said else "unreported"] += 1
        if not said:
            problems.append(f"the round of {slot.day} ({slot.at:%Y-%m-%d %H:%M} UTC) was missed in silence")
    return found


# --- results ----------------------------------------------------------------------------------------------------

_RIGHT = re.compile(r"(\d+) of (\d+) right")
_TOOK_PART = re.compile(r"(\d+) took part")


def _results(
    people: Sequence[Person], log: Sequence[Entry], rounds: dict[int, Slot], problems: list[str]
) -> Counter[str]:
    """Each result in a thread says how many answered in time and how many were right: as the members know it."""
    by_message = {e.message: round_of(_card(e)) for e in log if e.verb == "post" and _is_question(e.card)}
    found: Counter[str] = Counter()
    seen: set[int] = set()
    for entry in log:
        if entry.verb != "reply":
            continue
        round_id = by_message[entry.thread]
        if round_id in seen:
            found["repeated"] += 1
            problems.append(f"the result of the round of {rounds[round_id].day} was posted again")
            continue
        seen.add(round_id)
        found["posted"] += 1
        timely = [own for own in _answers(people, round_id) if not own.late]
        if any(own.last_at is not None and own.last_at > entry.at for own in timely):
            problems.append(f"an answer to the round of {rounds[round_id].day} scored after the key was shown")
        text = _card(entry).text
        if match := _RIGHT.search(text):
            equal = (int(match[1]), int(match[2])) == (sum(bool(own.right) for own in timely), len(timely))
        elif match := _TOOK_PART.search(text):
            equal = int(match[1]) == len(timely)
        else:
            equal = not timely
        found["equal"] += equal
        if not equal:
            right = sum(bool(own.right) for own in timely)
            problems.append(
                f"the result of {rounds[round_id].day} says “{text[-40:]}”; it was {right} of {len(timely)}"
            )
    return found


def _answers(people: Iterable[Person], round_id: int) -> list[Own]:
    return [own for person in people if (own := person.own.get(round_id)) is not None and own.acknowledged]


# --- boards -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Line:
    rank: int
    name: str
    points: int
    answered: int


@dataclass(slots=True)
class _Boards:
    """Boards made again from what members remember, to compare with what was posted."""

    world: World
    log: Sequence[Entry]
    rounds: dict[int, Slot]
    notices: Sequence[Entry]
    found: Counter[str] = field(default_factory=Counter)

    def count(self, problems: list[str]) -> Counter[str]:
        posted: dict[date, Entry] = {}
        for entry in self.log:
            monday = _board_week(entry) if entry.verb == "post" else None
            if monday is None:
                continue
            if monday in posted:
                self.found["repeated"] += 1
                problems.append(f"the board of the week of {monday} was posted again")
                continue
            posted[monday] = entry
        expected = {_monday(slot.day) for slot in self.rounds.values()}
        for monday in sorted(expected - posted.keys()):
            if self._was_refused(monday):
                self.found["reported"] += 1
            else:
                problems.append(f"the board of the week of {monday} never came")
        for monday, entry in sorted(posted.items()):
            equal, fault = self._compare(monday, entry)
            self.found["equal"] += equal
            if not equal:
                problems.append(f"the board of the week of {monday} is wrong: {fault}")
        self.found["expected"] = len(expected)
        self.found["posted"] = len(posted)
        return self.found

    def _was_refused(self, monday: date) -> bool:
        """The platform refused it for good, and an admin was told so."""
        refused = [e.at for e in self.world.chat.log if e.refused == "is_archived" and _board_week(e) == monday]
        told = [n for n in self.notices if _card(n).text.startswith("A message could not be shown")]
        return bool(refused) and any(n.at >= refused[-1] for n in told)

    def _compare(self, monday: date, entry: Entry) -> tuple[bool, str]:
        best = _regime_at(self.world.regimes, entry.at).best
        lines = self._lines(monday, best)
        before = {line.name: line.rank for line in self._lines(monday - timedelta(days=7), best)}
        shown = [line for line in lines if line.rank <= 5]
        wanted = [
            (str(line.rank), line.name, _points(line.points), str(line.answered), _moved(before.get(line.name), line))
            for line in shown
        ]
        rows = [row for part in _card(entry).parts if isinstance(part, Table) for row in part.rows]
        # A tie that is longer than the board is cut somewhere; whom it shows is then the engine's choice.
        same = rows == wanted if len(wanted) <= 10 else len(rows) == 10 and set(rows) <= set(wanted)
        if not same:
            odd = next((pair for pair in zip(rows, wanted, strict=False) if pair[0] != pair[1]), (rows, wanted))
            return False, f"it shows {odd[0]}, and should show {odd[1]}"
        note = self._note(monday, entry, len(lines))
        notes = [plain(part.line) for part in _card(entry).parts if isinstance(part, Note)]
        return notes == [note], f"it says {notes}, and should say “{note}”"

    def _lines(self, monday: date, best: int | None) -> list[_Line]:
        """The week's board from the members' own memory: points of the best rounds, ranks 1, 2, 2, 4."""
        ids = [number for number, slot in self.rounds.items() if _monday(slot.day) == monday]
        sums = []
        for person in self.world.people:
            mine = [person.own[n] for n in ids if n in person.own]
            earned = sorted((own.points or 0 for own in mine if own.acknowledged and not own.late), reverse=True)
            if earned:
                sums.append((person.name, sum(earned[:best]), len(earned)))
        sums.sort(key=lambda line: (-line[1], line[0].casefold()))
        return [
            _Line(1 + sum(other[1] > points for other in sums), name, points, answered)
            for name, points, answered in sums
        ]

    def _note(self, monday: date, entry: Entry, took_part: int) -> str:
        last = monday + timedelta(days=6)
        recent = [n for n, slot in self.rounds.items() if last - timedelta(days=28) < slot.day <= last]
        active = sum(
            any(_was_in(person.own.get(number), entry.at) for number in recent) for person in self.world.people
        )
        closed = sum(_monday(slot.day) == monday for slot in self.rounds.values())
        rounds = "1 closed round" if closed == 1 else f"{closed} closed rounds"
        return f"{took_part} of {max(active, took_part)} took part · {rounds}"


def _was_in(own: Own | None, moment: datetime) -> bool:
    return own is not None and own.acknowledged and own.first_at is not None and own.first_at < moment


def _moved(before: int | None, line: _Line) -> str:
    if before is None:
        return "new"
    gained = before - line.rank
    return "–" if gained == 0 else f"▲{gained}" if gained > 0 else f"▼{-gained}"


def _points(hundredths: int) -> str:
    text = f"{hundredths / 100:,.2f}".rstrip("0").rstrip(".")
    return text or "0"


_BOARD = re.compile(r"Board of the week · \w+ (\d+) (\w{3})")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def _board_week(entry: Entry) -> date | None:
    """The Monday of the week that a posted board speaks of."""
    heading = next((plain(p.line) for p in _card(entry).parts if isinstance(p, Heading)), "") if entry.card else ""
    match = _BOARD.match(heading)
    if match is None:
        return None
    month, day = _MONTHS.index(match[2]) + 1, int(match[1])
    year = entry.at.year if (month, day) <= (entry.at.month, entry.at.day) else entry.at.year - 1
    return date(year, month, day)


def _monday(day: date) -> date:
    return day - timedelta(days=day.isoweekday() - 1)


def _regime_at(regimes: Sequence[Regime], moment: datetime) -> Regime:
    return [regime for regime in regimes if regime.since <= moment][-1]
