"""Simulated members: they tap, type, change their minds, tap twice, come late, and remember what they were told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Literal, Protocol

from bot.card import Button, Buttons, Card, ChoiceField, Heading, Note, Paragraph, plain
from bot.cards import number_text
from bot.chat import Ask, Event, Place, Reply, Say, Submission, Tap, Who, Wrong
from bot.simulate.chat import Entry
from bot.texts import texts
from content.question import Kind, Question

PLACE = Place("workspace", "channel")
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


@dataclass(slots=True)
class Own:
    """What a member knows of their own answer to one round, from what they sent and what they were told.

    ``tried_at``: when they sent something and heard nothing. ``first_at``: when their first answer was taken.
    ``points`` are hundredths, ``None`` until told. ``last_at``: when the answer that counts was taken.
    """

    tried_at: list[datetime] = field(default_factory=list)
    first_at: datetime | None = None
    acknowledged: bool = False
    late: bool = False
    points: int | None = None
    right: bool | None = None
    last_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A reply to an answer, as a member reads it."""

    what: Literal["recorded", "verdict", "feedback", "other"]
    points: int = 0
    right: bool = False
    late: bool = False
    again: bool = False
    text: str = ""


class World(Protocol):
    """What members need of the world around them. ``hear`` gives ``None`` where the bot does not answer."""

    def now(self) -> datetime: ...

    def later(self, by: timedelta, what: Callable[[], None]) -> None: ...

    def hear(self, events: list[Event]) -> list[Reply | None]: ...

    def complain(self, fault: str) -> None: ...


class Person:
    """One member. ``skill`` is the chance to know the answer, ``zeal`` the chance to answer at all."""

    def __init__(
        self, number: int, seed: int, world: World, questions: Mapping[str, Question], window: timedelta
    ) -> None:
        self.rng = Random(f"{seed}:member:{number}")  # noqa: S311 — a draw, not a secret
        language = "zh" if number % 3 == 2 else "en"
        self.language = language
        self.name = f"成员 {number:02d}" if language == "zh" else f"Member {number:02d}"
        self.who = Who("playground", PLACE.workspace, f"u{number}", self.name, language=language)
        self.skill = self.rng.uniform(0.3, 0.9)
        self.zeal = self.rng.uniform(0.4, 0.95)
        self.world = world
        self.questions = questions
        self.window = window
        self.own: dict[int, Own] = {}
        self.double_taps = 0

    # --- seeing a message -------------------------------------------------------------------------------------

    def sees(self, entry: Entry, together: bool) -> None:
        """A question appeared in the channel."""
        assert entry.card is not None
        draw = self.rng.random()
        if draw > self.zeal:
            return
        delay = self._delay()
        card = entry.card
        self.world.later(delay, lambda: self._answer(card, tries=0))
        if together and self.rng.random() < 0.25:
            self.world.later(delay + self.rng.uniform(0.1, 2.0) * HOUR, lambda: self._answer(card, tries=0))
        elif self.rng.random() < 0.08:
            self.world.later(delay + self.rng.uniform(0.1, 30.0) * HOUR, lambda: self._answer(card, tries=0))

    def _delay(self) -> timedelta:
        """Most answer within hours, some in the last second, some late, a few too late to be kept."""
        draw = self.rng.random()
        if draw < 0.80:
            return self.rng.uniform(0.02, 5.0) * HOUR
        if draw < 0.86:
            return self.window - timedelta(seconds=self.rng.randrange(1, 5))
        if draw < 0.97:
            return self.window + self.rng.uniform(0.01, 23.0) * HOUR
        return self.window + self.rng.uniform(24.5, 60.0) * HOUR

    # --- answering ----------------------------------------------------------------------------------------------

    def _answer(self, card: Card, tries: int) -> None:
        action = self._button(card)
        round_id = int(action.split(":")[1])
        own = self.own.setdefault(round_id, Own())
        sent_at = self.world.now()
        reply = self._send(Tap(self.who, action, PLACE))
        if isinstance(reply, Ask):
            values: dict[str, str | tuple[str, ...]] = {
                each.id: self._tick(card, each) if isinstance(each, ChoiceField) else self._write(card)
                for each in reply.form.fields
            }
            reply = self._send(Submission(self.who, reply.form.id, values, PLACE))
        if reply is None:
            own.tried_at.append(sent_at)
            self._again_later(lambda: self._answer(card, tries + 1))
            return
        if isinstance(reply, Wrong):  # what was typed could not be read: nothing was kept, so write it otherwise
            self._again_later(lambda: self._answer(card, tries + 1))
            return
        assert isinstance(reply, Say)
        told = read_verdict(reply.card, self.language)
        if told.what == "other":
            if tries > 20:
                self.world.complain(f"{self.name} never got an answer in: {told.text}")
                return
            self._again_later(lambda: self._answer(card, tries + 1))
            return
        self._note(round_id, own, told, sent_at)

    def reads_result(self, round_id: int, card: Card) -> None:
        """The key stands in the thread: who has not answered yet may try now."""
        if round_id not in self.own and self.rng.random() < 0.15:
            self.world.later(self.rng.uniform(0.2, 50.0) * MINUTE, lambda: self._answer(card, tries=0))

    def asks(self, round_id: int) -> None:
        """*How did I do?*, for whoever was only told that it is recorded."""
        own = self.own.get(round_id)
        if own is None or not own.acknowledged or own.points is not None:
            return
        reply = self._send(Tap(self.who, f"mine:{round_id}", PLACE))
        if reply is None:
            self._again_later(lambda: self.asks(round_id))
            return
        assert isinstance(reply, Say)
        told = read_verdict(reply.card, self.language)
        if told.what == "recorded":  # the bot's clock does not see it closed yet
            self._again_later(lambda: self.asks(round_id))
        elif told.what == "verdict":
            self._note(round_id, own, told, self.world.now())
        else:
            self.world.complain(f"{self.name} was told of an answer that is gone: {told.text}")

    def _note(self, round_id: int, own: Own, told: Told, sent_at: datetime) -> None:
        """Remember what was told, and complain where it contradicts what was told before."""
        if told.what == "feedback":
            if own.acknowledged:
                self.world.complain(f"{self.name} lost an answer to round {round_id} that had been acknowledged")
            return
        if own.first_at is None:
            # An earlier try may have been taken although nobody heard of it.
            own.first_at = own.tried_at[0] if told.again and own.tried_at else sent_at
        own.acknowledged = True
        if told.what == "recorded":
            own.last_at = sent_at
            return
        own.last_at = own.last_at or own.first_at
        before = (own.points, own.late, own.right)
        after = (0 if told.late else told.points, told.late, told.right)
        if own.points is not None and before != after:
            self.world.complain(f"{self.name} was told {after} of round {round_id} after {before}")
        own.points, own.late, own.right = after

    def _send(self, event: Event) -> Reply | None:
        """The reply, or ``None`` where nobody answered. Now and then it is sent twice, as hands and platforms do."""
        if self.rng.random() < 0.05:
            self.double_taps += 1
            first, second = self.world.hear([event, event])
            return first if second is None else second
        return self.world.hear([event])[0]

    def _again_later(self, what: Callable[[], None]) -> None:
        self.world.later(self.rng.uniform(2.0, 90.0) * MINUTE, what)

    # --- choosing -----------------------------------------------------------------------------------------------

    def _question(self, card: Card) -> Question:
        return self.questions[card.text.split(": ", 1)[1]]

    def _button(self, card: Card) -> str:
        actions = [button.action for button in buttons(card)]
        options = [action for action in actions if action.startswith("answer:")]
        if not options:
            return next(action for action in actions if action.startswith("form:"))
        question = self._question(card)
        right = [action for action in options if action.split(":")[2] in question.right_keys]
        return self.rng.choice(right if self.rng.random() < self.skill else options)

    def _tick(self, card: Card, choices: ChoiceField) -> tuple[str, ...]:
        keys = [value for value, _ in choices.choices]
        question = self._question(card)
        if self.rng.random() < self.skill:
            return tuple(key for key in keys if key in question.right_keys)
        return tuple(self.rng.sample(keys, self.rng.randrange(1, len(keys) + 1)))

    def _write(self, card: Card) -> str:
        question = self._question(card)
        if self.rng.random() > self.skill:
            return self.rng.choice(("0", "I do not know", "不知道", "softmax", "1 or 2"))
        if question.number is not None:
            return number_text(question.number.value, question.number.unit)
        if question.kind is Kind.BLANK:
            return question.accept.get(self.language, next(iter(question.accept.values())))[0]
        return "Measure first, then change one thing at a time."


def buttons(card: Card) -> list[Button]:
    """The buttons of a card."""
    return [button for part in card.parts if isinstance(part, Buttons) for button in part.buttons]


def round_of(card: Card) -> int:
    """The round a question's buttons speak of."""
    return next(int(b.action.split(":")[1]) for b in buttons(card) if b.action.startswith(("answer:", "form:")))


_POINTS = re.compile(r"\+([\d,]+(?:\.\d+)?)")


def read_verdict(card: Card, language: str) -> Told:
    """What a private card says about an answer, read from its words as a member would."""
    t = texts(language)
    heading = next((plain(part.line) for part in card.parts if isinstance(part, Heading)), "")
    notes = {plain(part.line) for part in card.parts if isinstance(part, Note)}
    text = heading or next((plain(part.line) for part in card.parts if isinstance(part, Paragraph)), card.text)
    if heading.startswith((f"{t('Recorded')}: ", f"{t('Changed')}: ")):
        return Told("recorded", text=text)
    if not any(isinstance(part, Paragraph) and plain(part.line).startswith(t("You answered:")) for part in card.parts):
        return Told("other", text=text)
    if t("This round closed more than a day ago: feedback only, nothing was recorded.") in notes:
        return Told("feedback", text=text)
    found = _POINTS.search(heading)
    points = round(float(found[1].replace(",", "")) * 100) if found else 0
    late_stands = t("Your late answer stands.")
    late = late_stands in notes or t("This round is closed: no points, but your streak goes on.") in notes
    again = any(text in notes for text in (late_stands, t("Your answer stands."), t("Your first answer stands.")))
    return Told("verdict", points, heading.startswith(t("Right!")), late, again, text)
