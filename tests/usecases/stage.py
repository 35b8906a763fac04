"""A whole app on a real SQLite file, a clock moved by hand, a small library and the playground's chat."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy import func
from sqlmodel import Session, SQLModel, select

from bot.app import build
from bot.card import Button, Card, Form
from bot.chat import Ask, Command, Place, Reply, Say, Submission, Tap, Who, Wrong
from bot.clock import HandClock
from bot.commands import parse
from bot.settings import Settings
from bot.web.playground.chat import PlaygroundChat
from content.library import Library
from content.question import Kind, NumericKey, Option, Question, RubricPoint, Source, Status, Text
from storage import deliveries
from storage.tables import Answer, Round, Schedule

T = TypeVar("T")

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where databases of tests lie that lose no power: a disk that must sync each commit is many times slower."""

HERE = Place("w", "drills")
MONDAY = datetime(2026, 11, 30, 8, tzinfo=UTC)
"""A Monday without holidays or clock changes near it; drills begin at 09:30 UTC."""

SOURCES = (Source("A paper on attention", "section 3", 2017, arxiv="1706.03762"),)
KEPT = {"explanation": Text("The sum is the product of its parts.", "和是各部分之积。"), "status": Status.PUBLISHED}


def _question(name: str, kind: Kind, topic: str, **values: Any) -> Question:
    texts = {"prompt": Text(f"Which holds? ({name})", f"哪个成立？（{name}）"), "sources": SOURCES, **KEPT}
    return Question(id=f"q-{name}", kind=kind, topic=topic, **{"difficulty": 1, **texts, **values})


def _options(*right: str) -> tuple[Option, ...]:
    words = {"a": ("amber", "琥珀"), "b": ("birch", "白桦"), "c": ("cedar", "雪松"), "d": ("dahlia", "大丽花")}
    return tuple(
        Option(key, Text(*pair), key in right, Text(f"Because of {pair[0]} itself.", f"因为{pair[1]}本身。"))
        for key, pair in words.items()
    )


SINGLE = _question("single", Kind.SINGLE, "kv-cache", options=_options("c"))
MULTIPLE = _question("multiple", Kind.MULTIPLE, "lora", options=_options("a", "b", "d"), difficulty=3)
TRUE_FALSE = _question("truth", Kind.TRUE_FALSE, "optimizers", answer=False)
BLANK = _question(
    "blank",
    Kind.BLANK,
    "loss-functions",
    accept={"en": ("cross-entropy",), "zh": ("交叉熵",)},
    shown=Text("cross-entropy", "交叉熵"),
)
NUMERIC = _question("numeric", Kind.NUMERIC, "inference-memory", number=NumericKey(517, "MiB", 0.01))
CASE = _question(
    "case",
    Kind.CASE,
    "canary-release",
    rubric=(
        RubricPoint(2, Text("rolls back by itself", "自动回滚"), {"en": ("rollback",), "zh": ("回滚",)}),
        RubricPoint(1, Text("watches a metric", "观察指标"), {"en": ("metric",), "zh": ("指标",)}),
    ),
    model_answer=Text("Automatic rollback on a guarded metric.", "按护栏指标自动回滚。"),
)
QUESTIONS = (SINGLE, MULTIPLE, TRUE_FALSE, BLANK, NUMERIC, CASE)
LIBRARY = Library.of(QUESTIONS)


class Stage:
    """The product with one channel (``HERE``) in the playground. Close it, or use it with ``with``."""

    def __init__(self, path: Path, *, start: datetime = MONDAY, library: Library = LIBRARY, seed: int = 1) -> None:
        self.clock = HandClock(start)
        self.url = f"sqlite:///{path / 'drills.db'}"
        self.chat = PlaygroundChat(self.clock)
        self.chat.open_channel(HERE, "drills")
        self.app = build(
            Settings(database_url=self.url), clock=self.clock, library=library, rng=Random(seed), pictures=False
        )
        self.app.chats["playground"] = self.chat
        self._runner = asyncio.Runner()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()
        self.app.close()

    # --- time ------------------------------------------------------------------------------------------------

    def beat(self) -> int:
        return self._runner.run(self.app.outbox.beat())

    def forward(self, **by: float) -> None:
        """Let time pass, with a beat whenever something is due, and one at the end."""
        self.until(self.clock.now() + timedelta(**by))

    def until(self, moment: datetime) -> None:
        self.beat()
        while (due := self._next_due()) is not None and due <= moment:
            self.clock.move_to(due)
            self.beat()
        self.clock.move_to(moment)
        self.beat()

    def _next_due(self) -> datetime | None:
        """When a beat would next have something to do: a delivery, or rounds to plan."""
        now = self.clock.now()

        def look(tx: Session) -> list[datetime]:
            plans = tx.exec(select(Schedule.plan_at).where(Schedule.plan_at > now)).all()
            due = deliveries.next_due(tx, now)
            return [*plans, due] if due else [*plans]

        return min(self.read(look), default=None)

    def local(self, text: str, zone: str = "UTC") -> None:
        """Let time pass until the clocks of ``zone`` show ``2026-12-01 09:30``."""
        self.until(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC))

    # --- people ----------------------------------------------------------------------------------------------

    def who(self, name: str, **values: Any) -> Who:
        return Who("playground", values.pop("workspace", "w"), name, name.title(), **values)

    def hear(self, event: Tap | Submission | Command) -> Reply:
        return self.app.conversation.hear_now(event)

    def tap(self, name: str, action: str, **who: Any) -> Reply:
        return self.hear(Tap(self.who(name, **who), action, HERE))

    def send(self, name: str, form: str, value: str | tuple[str, ...], field: str = "answer", **who: Any) -> Reply:
        return self.hear(Submission(self.who(name, **who), form, {field: value}, HERE))

    def submit(self, name: str, form: str, /, **values: str | tuple[str, ...]) -> Reply:
        """A form comes back with all its fields."""
        return self.hear(Submission(self.who(name), form, dict(values), HERE))

    def typed(self, name: str, text: str, place: Place = HERE, **who: Any) -> Reply:
        """What ``/drill <text>`` leads to."""
        command, options = parse(text)
        return self.hear(Command(self.who(name, **who), place, command, options, "drills"))

    def admin(self, text: str, place: Place = HERE, **who: Any) -> Reply:
        return self.typed("boss", text, place, admin=True, **who)

    def save(self, text: str, place: Place = HERE, **who: Any) -> Reply:
        """Propose and save: ``setup time=09:30 …``."""
        saved = self.tap("boss", button(self.admin(text, place, **who), "save"), admin=True, **who)
        self.beat()
        return saved

    # --- rows ------------------------------------------------------------------------------------------------

    def read(self, verb: Callable[[Session], T]) -> T:
        return self.app.database.read(verb).result()

    def change(self, verb: Callable[[Session], T]) -> T:
        return self.app.database.write(verb).result()

    def count(self, table: type[SQLModel]) -> int:
        return self.read(lambda tx: int(tx.exec(select(func.count()).select_from(table)).one()))

    def rounds(self, *states: str) -> list[Round]:
        rows = self.read(lambda tx: tx.exec(select(Round).order_by(Round.local_date)).all())  # type: ignore[arg-type]
        return [r for r in rows if r.state in (states or ("planned", "posted", "missed"))]

    def answers(self) -> list[Answer]:
        return list(self.read(lambda tx: tx.exec(select(Answer).order_by(Answer.id)).all()))  # type: ignore[arg-type]

    def schedule(self) -> Schedule:
        return self.read(lambda tx: tx.exec(select(Schedule)).one())

    @property
    def open(self) -> int:
        """The id of the newest posted round."""
        found = self.rounds("posted")[-1].id
        assert found is not None
        return found

    def right(self, name: str, **who: Any) -> Reply:
        """A right answer to the newest round of ``SINGLE``."""
        return self.tap(name, f"answer:{self.open}:c", **who)

    def wrong(self, name: str, **who: Any) -> Reply:
        return self.tap(name, f"answer:{self.open}:a", **who)


# --- what a reply says -------------------------------------------------------------------------------------------


def strings(value: object) -> Iterator[str]:
    """Every string inside a card, form or reply."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list | frozenset):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        yield from strings(tuple(value.values()))
    elif is_dataclass(value):
        for field in fields(value):
            yield from strings(getattr(value, field.name))


def said(value: Reply | Card | Form) -> str:
    """All that a reply or card says, on one text to search in."""
    return "\n".join(strings(value))


def buttons(value: Reply | Card) -> list[Button]:
    card = value.card if isinstance(value, Say) else value
    assert isinstance(card, Card)
    return [button for part in card.parts for button in getattr(part, "buttons", ())]


def button(reply: Reply, name: str) -> str:
    """The action of the button whose action begins with ``name``."""
    found = [b.action for b in buttons(reply) if b.action.split(":")[0] == name]
    assert found, f"no button {name}: {said(reply)}"
    return found[0]


def card(reply: Reply) -> Card:
    assert isinstance(reply, Say), reply
    return reply.card


def form(reply: Reply) -> Form:
    assert isinstance(reply, Ask), reply
    return reply.form


def faults(reply: Reply) -> dict[str, str]:
    assert isinstance(reply, Wrong), reply
    return reply.faults
