"""The simulated months themselves: true time, the bot that lives and dies in it, the admin, and the members.

Time hops to the next thing that happens: an act of somebody, or what the ledger says is due. The bot's wall clock
may be wrong; true time is what the platform's log is stamped with.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from random import Random

from sqlmodel import Session, col, func, select

from bot.app import App, build
from bot.card import Card, plain
from bot.card import Paragraph as Text
from bot.chat import Command, Event, Reply, Say, Tap, Who
from bot.clock import HandClock
from bot.settings import Settings
from bot.simulate.calendar import Regime, Rest, first_instant
from bot.simulate.chat import Entry, SimulatedChat, Weather
from bot.simulate.crashes import Crash, CrashPoints
from bot.simulate.options import SimulationOptions
from bot.simulate.people import PLACE, Person, buttons, round_of
from bot.simulate.script import Act, Disaster, Script
from content.library import Library
from storage import deliveries
from storage.tables import Answer, Notice, Schedule

AFTERMATH = timedelta(days=16)
"""How long what is under way at the end may take: the last round's late period and the last week's board."""

BETWEEN_BEATS = timedelta(hours=8)
"""A running bot beats every second. Beats with nothing due are left out but for one in this time after new answers."""

NEVER = datetime.max.replace(tzinfo=UTC)

ADMIN = Who("playground", PLACE.workspace, "admin", "Admin", "Workspace", "en", "", admin=True)


class World:
    """One replay. ``run`` it once, then count from ``chat.log`` and ``people``."""

    def __init__(self, options: SimulationOptions, script: Script, library: Library, url: str) -> None:
        self.options = options
        self.script = script
        self.library = library
        self.settings = Settings.model_construct(database_url=url)
        self.clock = HandClock(script.begin - timedelta(minutes=5))
        self._off = timedelta(0)
        faulty = options.faults == "all"
        self.weather = Weather(lost=0.04, broken=0.03, limited=0.03) if faulty else Weather()
        self.crashes = CrashPoints(self._draw("crashes"), rate=0.002 if faulty else 0.0)
        self.chat = SimulatedChat(self.now, self.weather, self._draw("weather"), self.crashes)
        self.chat.posted, self.chat.replied = self._posted, self._replied
        questions = {question.prompt.get("en"): question for question in library}
        self.people = [
            Person(n, options.seed, self, questions, timedelta(hours=24)) for n in range(1, options.members + 1)
        ]
        self.regimes: list[Regime] = []
        self.rests: list[Rest] = []
        self.at_once: list[datetime] = []
        self.resumed: list[datetime] = []
        self.complaints: list[str] = []
        self.counts: Counter[str] = Counter()
        self.answers_stored = 0
        self.app: App | None = None
        self._together = False
        self._window = timedelta(hours=24)
        self._down_until: datetime | None = None
        self._due: datetime | None = None
        self._news = False
        self._queue: list[tuple[datetime, int, Callable[[], None]]] = []
        self._order = count()
        self._starts = 0

    def _draw(self, what: str) -> Random:
        return Random(f"{self.options.seed}:{what}")  # noqa: S311 — a draw, not a secret

    # --- time ---------------------------------------------------------------------------------------------------

    def now(self) -> datetime:
        """True time, whatever the bot's clock says."""
        return self.clock.now() - self._off

    def at(self, moment: datetime, what: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (moment, next(self._order), what))

    def later(self, by: timedelta, what: Callable[[], None]) -> None:
        self.at(self.now() + by, what)

    def complain(self, fault: str) -> None:
        """Somebody outside saw something that must not be."""
        self.complaints.append(f"{self.now():%Y-%m-%d %H:%M} {fault}")

    # --- the course of things -------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Replay the script to its end, and until all that was under way has run out."""
        for act in self.script.acts:
            self.at(act.at, self._does(act))
        for disaster in self.script.disasters:
            self.at(disaster.start, self._begins(disaster))
            self.at(disaster.end, self._ends(disaster))
        self.at(self.script.end, self._does(Act(self.script.end, "pause")))
        self.at(self.script.end + timedelta(days=10), self._everybody_asks)
        finish = self.script.end + AFTERMATH
        await self._start()
        try:
            while (moment := self._next_moment()) is not None and moment <= finish:
                self.clock.forward(max(moment - self.now(), timedelta(0)))
                while self._queue and self._queue[0][0] <= self.now():
                    heapq.heappop(self._queue)[2]()
                if self._due is None or self._due <= self.now():
                    await self._beat()
            await self._end()
        finally:
            if self.app is not None:
                self.app.close()

    async def _beat(self) -> None:
        self._due, self._news = None, False
        if self.app is None:
            if self._down_until is None or self.now() < self._down_until:
                return
            await self._start()
        if self.app is None:
            return
        try:
            await self.app.outbox.beat()
        except Crash:
            self._died()

    async def _start(self) -> None:
        """A new process on the same file: what the last one held is void, its leases are looked at."""
        self._down_until = None
        self._starts += 1
        self.app = build(
            self.settings, clock=self.clock, library=self.library, rng=self._draw(f"app:{self._starts}"), pictures=False
        )
        self.app.chats[self.chat.platform] = self.chat
        self.crashes.watch(self.app.database)
        try:
            self.app.outbox.void_leases()
            await self.app.outbox.find_stale()
        except Crash:
            self._died()

    def _died(self) -> None:
        """The process is gone in the midst of a step; its supervisor starts it again within half a minute."""
        self.counts["crashes"] += 1
        self.chat.caller_died()
        self._stop()
        self._down_until = self.now() + timedelta(seconds=self._draw(f"restart:{self._starts}").uniform(1, 30))

    def _stop(self) -> None:
        self._due = None
        if self.app is not None:
            self.app.close()
        self.app = None

    async def _end(self) -> None:
        if self.app is None:
            await self._start()
        assert self.app is not None
        self.answers_stored = self.app.database.read(_count_answers).result()

    def _next_moment(self) -> datetime | None:
        if self._due is None:
            self._due = self._bot_is_due()
        return min(self._due, self._queue[0][0]) if self._queue else self._due

    def _bot_is_due(self) -> datetime:
        """When the bot has to be looked at: when the ledger says so, and now and then for the counts it shows."""
        if self.app is None:
            return self._down_until or NEVER
        now = self.clock.now()
        due = self.app.database.read(lambda tx: _next_due(tx, now)).result()
        shown = self.now() + BETWEEN_BEATS if self._news else NEVER
        return min(due - self._off if due is not None else NEVER, shown)

    # --- disasters ------------------------------------------------------------------------------------------------

    def _begins(self, disaster: Disaster) -> Callable[[], None]:
        def begin() -> None:
            self._due = None
            self.counts[disaster.trouble] += 1
            match disaster.trouble:
                case "down":
                    self._stop()
                    self._down_until = None
                case "unreachable":
                    self.weather.unreachable = True
                case "archived":
                    self.weather.archived = True
                case "clock":
                    self._set_off(disaster.off)

        return begin

    def _ends(self, disaster: Disaster) -> Callable[[], None]:
        def end() -> None:
            self._due = None
            match disaster.trouble:
                case "down":
                    self._down_until = self.now()
                case "unreachable":
                    self.weather.unreachable = False
                case "archived":
                    self.weather.archived = False
                    self.later(timedelta(hours=2), self._does(Act(self.now(), "resume")))
                case "clock":
                    self._set_off(timedelta(0))

        return end

    def _set_off(self, off: timedelta) -> None:
        """Somebody sets the machine's clock wrong, or right again; the monotonic clock goes on."""
        true = self.now()
        self._off = off
        self.clock.set(true + off)

    # --- the admin ------------------------------------------------------------------------------------------------

    def _does(self, act: Act) -> Callable[[], None]:
        return lambda: self._act(act, self.now())

    def _act(self, act: Act, first_try: datetime) -> None:
        """Do it until the bot says that it is done. What a lost first try changed counts from then on."""
        self._due = None
        reply = self._say(Command(ADMIN, PLACE, act.verb, act.options, "drills"))
        if act.verb == "setup" and isinstance(reply, Say):
            save = next((b.action for b in buttons(reply.card) if b.action.startswith("save:")), None)
            reply = self._say(Tap(ADMIN, save, PLACE)) if save is not None else reply
        if not isinstance(reply, Say):
            self.later(timedelta(minutes=1), lambda: self._act(act, first_try))
            return
        text = _words(reply.card)
        match act.verb:
            case "setup":
                assert act.regime is not None
                if not text.startswith("The schedule is saved."):
                    self.complain(f"the schedule could not be saved: {text}")
                self.regimes.append(
                    Regime(
                        self.now(),
                        act.regime.weekdays,
                        act.regime.at,
                        act.regime.zone,
                        act.regime.country,
                        act.regime.board_day,
                        act.regime.best,
                    )
                )
                self._together = act.options["mode"] == "together"
                self._window = timedelta(hours=int(act.options["window"].removesuffix("h")))
            case "pause":
                self.rests.append(Rest(first_try, self._pause_end(act)))
            case "resume":
                self._resumed()
            case "now":
                if not text.startswith("Today's question is on its way."):
                    self.complain(f"today's question was refused: {text}")
                self.at_once.append(self.now())

    def _say(self, event: Event) -> Reply | None:
        return self.hear([event])[0]

    def _pause_end(self, act: Act) -> datetime | None:
        if "until" not in act.options:
            return None
        last = date.fromisoformat(act.options["until"])
        return first_instant(last + timedelta(days=1), time(0), self.options.zone)

    def _resumed(self) -> None:
        self.resumed.append(self.now())
        if self.rests and self.rests[-1].end is None:
            self.rests[-1] = Rest(self.rests[-1].start, self.now())

    # --- members --------------------------------------------------------------------------------------------------

    def hear(self, events: list[Event]) -> list[Reply | None]:
        """What the bot says to each; nothing where it is down, or dies over it."""
        if self.app is None:
            return [None] * len(events)
        replies: list[Reply | None] = []
        if not self._news and self._due is not None:
            self._due, self._news = min(self._due, self.now() + BETWEEN_BEATS), True
        try:
            waiting = [self.app.conversation.begin(event) for event in events]
            for finish in waiting:
                replies.append(finish())
        except Crash:
            self._died()
        return replies + [None] * (len(events) - len(replies))

    def _posted(self, entry: Entry) -> None:
        assert entry.card is not None
        if not any(b.action.startswith(("answer:", "form:")) for b in buttons(entry.card)):
            return
        for person in self.people:
            person.window = self._window
            person.sees(entry, self._together)

    def _replied(self, entry: Entry) -> None:
        """The result stands in the thread: whoever was only told *recorded* asks how they did, some time later."""
        post = next(e for e in self.chat.log if e.verb == "post" and e.message == entry.thread and not e.refused)
        assert post.card is not None
        round_id = round_of(post.card)
        for person in self.people:
            person.reads_result(round_id, post.card)
            wait = person.rng.uniform(0.1, 30.0) * timedelta(hours=1)
            self.later(wait, lambda person=person: person.asks(round_id))  # type: ignore[misc]

    def _everybody_asks(self) -> None:
        for person in self.people:
            for round_id in list(person.own):
                person.asks(round_id)


def _words(card: Card) -> str:
    return card.text or " ".join(plain(part.line) for part in card.parts if isinstance(part, Text))


def _count_answers(tx: Session) -> int:
    return int(tx.exec(select(func.count()).select_from(Answer)).one())


def _next_due(tx: Session, now: datetime) -> datetime | None:
    """When the bot has something to do next, by its own clock."""
    plan_at = tx.connection().execute(select(col(Schedule.plan_at)).order_by(col(Schedule.plan_at))).scalar()
    moments = [deliveries.next_due(tx, now), plan_at if plan_at is not None and plan_at > now else None]
    if tx.connection().execute(select(Notice.id).where(col(Notice.told_at).is_(None), Notice.state == "")).first():
        moments.append(now + timedelta(minutes=10))
    return min((moment for moment in moments if moment is not None), default=None)
