"""The week as it is played: the clock moves, the team comes and goes, visitors are waited for.

Nothing here posts, closes or grades: that is the engine's beat. The show moves the clock to what is due next and
tells what then stands in the chat.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from sqlmodel import Session, col, select

from bot.app import App
from bot.card import Card, Image
from bot.chat import Ask, Command, Event, Place, Reply, Say, Submission, Tap
from bot.clock import HandClock
from bot.demo.narrator import Narrator
from bot.demo.team import Visit, mate_of, response_of, visits
from bot.usecases.show_round import RoundView, show_round
from bot.web.playground import inbound
from bot.web.playground.chat import Person, PlaygroundChat, Write
from bot.web.playground.stage import Stage
from bot.web.playground.views import buttons_of, is_open
from content.question import Response
from storage import deliveries
from storage.tables import Answer, Board, Member, Round

T = TypeVar("T")

FRAME = 0.05
"""Seconds between two moves of the clock."""

LONGEST_WAIT = 60.0
"""Seconds a visitor who does nothing is waited for."""

READING = 6.0
"""Seconds a visitor gets to read a verdict or a result."""

NIGHT = timedelta(hours=16)

DAYS = 6
"""Days with a question in the demo's week."""


class Show:
    """Plays the demo. ``pace``: real seconds a day takes; ``seed`` decides what the team does."""

    def __init__(
        self,
        app: App,
        chat: PlaygroundChat,
        stage: Stage,
        clock: HandClock,
        narrator: Narrator,
        place: Place,
        folder: Path,
        pace: float,
        seed: str = "demo",
    ) -> None:
        self.app = app
        self.chat = chat
        self.stage = stage
        self.clock = clock
        self.narrator = narrator
        self.place = place
        self.folder = folder
        self.pace = pace
        self.seed = seed
        self.rounds = self.answers = 0
        self._visits: list[Visit] = []
        self._told = chat.writes
        self._told_answer = 0

    async def begin(self) -> None:
        """Take up what stands open already, after a restart."""
        self._told_answer = await self._read(_newest_answer)
        for shown in self.chat.seen_by(self.place, ""):
            if is_open(shown.card):
                await self._expect_visits(shown.id)

    # --- the week --------------------------------------------------------------------------------------------

    async def until(self, end: datetime, enough: Callable[[], bool] = lambda: False) -> None:
        """Play until ``end`` of the demo's time, or until it is ``enough``, or the program stops."""
        self.stage.state = "running"
        while self.clock.now() < end and not self.stage.closing and not enough():
            await self._glide(await self._next_moment(end))
            await self._welcome_visits()
            await self.app.ticker.beat()
            await self.tell_news()

    async def serve(self) -> None:
        """Let real time pass until the program stops; *go on* plays until the next question."""
        while not self.stage.closing:
            self.stage.state = "finished"
            if self.stage.take_go_on():
                asked = self.rounds
                await self.until(self.clock.now() + timedelta(days=8), lambda: self.rounds > asked)  # noqa: B023
            await self._let_pass(0.25)
            await self.tell_news()

    async def _next_moment(self, end: datetime) -> datetime:
        now = self.clock.now()
        due = await self._read(lambda tx: deliveries.next_due(tx, now))
        coming = [end, *([due] if due else []), *([self._visits[0].at] if self._visits else [])]
        return max(now, min(coming))

    async def _glide(self, moment: datetime) -> None:
        """Move the clock to ``moment``, as fast as the pace says: hours with an open round slower than nights."""
        opened = any(is_open(shown.card) for shown in self.chat.seen_by(self.place, ""))
        speed = timedelta(hours=8) / (0.5 * self.pace) if opened else NIGHT / (0.12 * self.pace)
        if not opened and moment - self.clock.now() > NIGHT:
            self.clock.move_to(moment - NIGHT)  # a weekend is no longer than a night
        while self.clock.now() < moment and not self.stage.closing:
            began = time.monotonic()
            await asyncio.sleep(FRAME)
            self.clock.move_to(min(moment, self.clock.now() + speed * (time.monotonic() - began)))
            self.narrator.clock(self.clock.now())

    async def _hold(self, seconds: float, round_id: int | None = None) -> None:
        """Stay for ``seconds``; while a visitor is there, until they have answered and read, or say *go on*."""
        began = read_since = time.monotonic()
        waited_for = False
        while not self.stage.closing and not self.stage.take_go_on():
            present = self.stage.present()
            missing = await self._missing(present, round_id) if present and round_id else []
            if missing:
                read_since = time.monotonic()
                if self.stage.idle(began) >= LONGEST_WAIT:
                    break
                if not waited_for:
                    waited_for = True
                    names = ", ".join(person.name for person in missing)
                    self.narrator.event(self.clock.now(), "wait", "dim", names=names)
            elif time.monotonic() - read_since >= (max(seconds, READING) if present else seconds):
                break
            self.stage.state = "waiting" if missing else "running"
            await self._let_pass(0.1)
            await self._tell_answers()
        self.stage.state = "running"

    async def _let_pass(self, seconds: float) -> None:
        """Real time passes for the demo's clock, too: counts are refreshed, pages see it tick."""
        began = time.monotonic()
        await self.stage.rest(seconds)
        self.clock.forward(timedelta(seconds=time.monotonic() - began))
        self.narrator.clock(self.clock.now())

    async def _missing(self, present: list[str], round_id: int) -> list[Person]:
        """Who is looking and has not answered yet."""
        people = [self.chat.people.get((self.place.workspace, member)) for member in present]
        answered = await self._read(lambda tx: _answered_by(tx, round_id))
        return [person for person in people if person is not None and person.id not in answered]

    # --- the team --------------------------------------------------------------------------------------------

    async def _expect_visits(self, message_id: str) -> None:
        found = await self._read(lambda tx: _round_shown_as(tx, message_id))
        if found is None or found.id is None:
            return
        now = self.clock.now()
        for visit in visits(found.id, message_id, max(now, found.posts_at), found.closes_at, self.seed):
            if visit.at >= now:
                heapq.heappush(self._visits, visit)

    async def _welcome_visits(self) -> None:
        while self._visits and self._visits[0].at <= self.clock.now():
            await self._visit(heapq.heappop(self._visits))

    async def _visit(self, visit: Visit) -> None:
        """A teammate reads the message, presses its button, fills in its form; or types, once the buttons are gone."""
        mate, shown = mate_of(visit.member), self.chat.message(self.place, visit.message_id)
        if shown is None:
            return
        now = self.clock.now()
        view = await self._read(lambda tx: show_round(tx, visit.round_id, now))
        response = response_of(mate, view.question, self.seed)
        who = inbound.who(mate.person, self.place.workspace)
        if not is_open(shown.card):
            options = {"response": typed(view, response)}
            await self.hear(mate.person, Command(who, self.place, "answer", options), shown.id)
            return
        wanted = {f"answer:{visit.round_id}:{key}" for key in response.choices} | {f"form:{visit.round_id}"}
        action = next((button.action for button in buttons_of(shown.card) if button.action in wanted), None)
        if action is None:
            return
        reply = await self.hear(mate.person, Tap(who, action, self.place), shown.id)
        if isinstance(reply, Ask):
            values: dict[str, Any] = {"answer": response.choices or response.text}
            await self.hear(mate.person, Submission(who, reply.form.id, values, self.place), shown.id)

    async def hear(self, person: Person, event: Event, about: str) -> Reply:
        """What a teammate does goes the way of everybody's clicks; the private reply stands in their own channel."""
        reply = await self.app.conversation.hear(event)
        if isinstance(reply, Say):
            self.chat.whisper(self.place, person.id, reply.card, about)
        await self._tell_answers()
        return reply

    # --- what is told ----------------------------------------------------------------------------------------

    async def tell_news(self) -> None:
        """Tell what was posted since the last time, and stay with it for a while."""
        await self._tell_answers()
        while self._told < self.chat.writes:
            write = self.chat.log[self._told]
            self._told += 1
            if write.card is None or write.place != self.place:
                continue
            if write.kind == "reply":
                self.narrator.result(write.at, write.card)
                await self._hold(0.15 * self.pace)
            elif write.kind == "post" and is_open(write.card):
                await self._tell_question(write, write.card)
            elif write.kind == "post":
                await self._tell_board(write, write.card)

    async def _tell_question(self, write: Write, card: Card) -> None:
        self.rounds += 1
        self.narrator.question(write.at, card)
        await self._expect_visits(write.id)
        found = await self._read(lambda tx: _round_shown_as(tx, write.id))
        await self._hold(0.15 * self.pace, found.id if found else None)

    async def _tell_board(self, write: Write, card: Card) -> None:
        self.narrator.board(write.at, card)
        image = next((part for part in card.parts if isinstance(part, Image)), None)
        week = await self._read(lambda tx: tx.exec(select(Board.week).where(Board.message_id == write.id)).first())
        if image is not None and week is not None:
            path = self.folder / f"board-{week}.png"
            path.write_bytes(image.png)
            self.narrator.saved_picture(path)

    async def _tell_answers(self) -> None:
        """Who answered, and whether in time: nothing else is even read."""
        for row_id, name, late in await self._read(lambda tx: _answers_after(tx, self._told_answer)):
            self._told_answer = row_id
            self.answers += 1
            self.narrator.event(self.clock.now(), "late" if late else "answered", "dim" if late else "", name=name)

    async def _read(self, verb: Callable[[Session], T]) -> T:
        return await asyncio.wrap_future(self.app.database.read(verb))


def typed(view: RoundView, response: Response) -> str:
    """A response as it is typed after ``/drill answer``: letters as shown, or the words."""
    return ", ".join(view.letters[key] for key in response.choices) or response.text


def _newest_answer(tx: Session) -> int:
    return tx.exec(select(Answer.id).order_by(col(Answer.id).desc()).limit(1)).first() or 0


def _answers_after(tx: Session, answer_id: int) -> list[tuple[int, str, bool]]:
    statement = (
        select(Answer.id, Member.name, Answer.late)
        .join(Member, col(Member.id) == col(Answer.member_id))
        .where(col(Answer.id) > answer_id)
        .order_by(col(Answer.id))
    )
    return [(row[0] or 0, row[1], row[2]) for row in tx.exec(statement)]


def _answered_by(tx: Session, round_id: int) -> set[str]:
    statement = (
        select(Member.external_id)
        .join(Answer, col(Answer.member_id) == col(Member.id))
        .where(Answer.round_id == round_id)
    )
    return set(tx.exec(statement))


def _round_shown_as(tx: Session, message_id: str) -> Round | None:
    return tx.exec(select(Round).where(Round.message_id == message_id)).first()
