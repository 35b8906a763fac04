"""Whatever admins do one after the other: a local date has one round at most, in order, and nothing is broken."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.chat import Tap
from bot.commands import COMMANDS
from content.library import Library
from storage import schedules
from storage.tables import AuditRow, Round
from tests.usecases.stage import HERE, LIBRARY, MEMORY, QUESTIONS, Stage, buttons, said

DATES = st.integers(1, 16).map(lambda day: f"2026-12-{day:02d}")
STEPS = st.one_of(
    st.tuples(st.sampled_from(["skip", "holiday", "extra", "swap", "preview"]), DATES).map(" ".join),
    st.tuples(st.sampled_from(["skip", "holiday", "extra"]), DATES).map(lambda pair: f"{pair[0]} {pair[1]} off"),
    st.tuples(DATES, DATES).map(lambda pair: "holiday {}..{}".format(*sorted(pair))),
    st.sampled_from(["skip", "swap", "now", "pause", "resume", "pause 2026-12-05", "holiday", "status"]),
    st.sampled_from(["time=10:15", "days=mon-fri", "days=sat,sun", "zone=Asia/Shanghai", "zone=Pacific/Pago_Pago"]),
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(STEPS, st.integers(0, 40)), min_size=2, max_size=9))
def test_a_local_date_has_one_round_in_order_whatever_admins_do(steps: list[tuple[str, int]]) -> None:
    """Dates taken out have none; a saved swap is asked on its date; every posted question is closed before the next."""
    with TemporaryDirectory(dir=MEMORY) as folder, Stage(Path(folder), library=LIBRARY) as stage:
        boss = stage.who("boss", admin=True)
        stage.save("setup time=09:30 days=daily")
        for step, hours in steps:
            reply = stage.save(f"schedule {step}") if "=" in step else stage.admin(step)
            saving = [b.action for b in buttons(reply) if b.action.startswith("swapsave:")]
            if saving:
                reply = stage.hear(Tap(boss, saving[0], HERE))
            assert "went wrong" not in said(reply), step
            promises_hold(stage)
            stage.forward(hours=hours)
        stage.forward(days=3)
        promises_hold(stage)


def promises_hold(stage: Stage) -> None:
    schedule = stage.schedule()
    assert schedule.id is not None
    schedule_id = schedule.id
    every = stage.rounds()
    dates = [r.local_date for r in every]
    assert len(dates) == len(set(dates))
    posted = sorted((r for r in every if r.state == "posted"), key=_number)
    assert [r.number for r in posted] == list(range(1, len(posted) + 1))
    assert [r.posted_at for r in posted] == sorted(r.posted_at for r in posted)  # type: ignore[type-var]
    messages = [w for w in stage.chat.log if w.kind == "post" and w.card and "Daily drill #" in w.card.text]
    assert len(messages) == len(posted) == len({w.key for w in messages})
    now = stage.clock.now()
    out = stage.read(lambda tx: {d.day for d in schedules.dates(tx, schedule_id) if d.kind != "extra"})
    coming = sorted((r for r in every if r.state == "planned" and r.posts_at > now), key=lambda r: r.posts_at)
    assert not out & {r.local_date for r in coming}
    for before, after in pairwise(coming):
        assert before.local_date < after.local_date
        assert before.closes_at <= after.posts_at
    pins = stage.read(lambda tx: schedules.pins(tx, schedule_id))
    assert [r.question_id for r in coming if r.local_date in pins] == [
        pins[r.local_date] for r in coming if r.local_date in pins
    ]


def _number(round_: Round) -> int:
    assert round_.number is not None
    return round_.number


LOOKS = {"status", "preview", "audit", "swap", "topics", "setup", "schedule"}
"""Admins' commands that only look, or propose what a button saves."""

DOES = {
    "now": "now",
    "holiday": "holiday 2026-12-24",
    "extra": "extra 2026-12-26",
    "skip": "skip",
    "admins": "admins add=Noor",
    "pause": "pause",
    "resume": "resume",
}


def test_every_command_of_admins_that_changes_something_leaves_an_audit_row(tmp_path: Path) -> None:
    """And those that only look leave none; the table of commands holds no other."""
    with Stage(tmp_path, library=Library.of(QUESTIONS)) as stage:
        stage.save("setup time=09:30 days=daily")
        every = {spec.name for spec in COMMANDS if spec.admin}
        assert every == LOOKS | set(DOES)
        for name in sorted(LOOKS):
            before = stage.count(AuditRow)
            stage.admin(name)
            assert stage.count(AuditRow) == before, name
        for name, typed in DOES.items():
            before = stage.count(AuditRow)
            reply = said(stage.admin(typed))
            assert stage.count(AuditRow) == before + 1, (name, reply)
            if name == "now":
                stage.beat()
                stage.typed("noor", "answer something")


def test_every_button_of_admins_that_changes_something_leaves_an_audit_row(tmp_path: Path) -> None:
    """With who pressed it; a button that is pressed twice leaves one row."""
    with Stage(tmp_path, library=LIBRARY) as stage:
        boss = stage.who("boss", admin=True)
        proposal = stage.admin("setup time=09:30 days=daily")
        (save,) = [b.action for b in buttons(proposal) if b.action.startswith("save:")]
        days = {"skip": 2, "holiday": 3, "extra": 5}
        actions = [save, *(f"{how}-{verb}:1:2026-12-0{day}" for verb, day in days.items() for how in ("put", "undo"))]
        for action in actions:
            before = stage.count(AuditRow)
            reply = said(stage.hear(Tap(boss, action, HERE)))
            assert stage.count(AuditRow) == before + 1, (action, reply)
        (swap,) = [b.action for b in buttons(stage.admin("swap 2026-12-03")) if b.action.startswith("swapsave:")]
        for action in (swap, "now:1"):
            before = stage.count(AuditRow)
            stage.hear(Tap(boss, action, HERE))
            assert stage.count(AuditRow) == before + 1, action
        stage.beat()
        before = stage.count(AuditRow)
        for action in (save, "now:1", "preview:1:2026-12-04", "swap:1:2026-12-04", "audit:1", "leave"):
            stage.hear(Tap(boss, action, HERE))
        assert stage.count(AuditRow) == before
