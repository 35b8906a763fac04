"""The conversation as a whole: it answers everything, in the right language, and nothing stops it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from bot.chat import Ask, Command, Event, Place, Reply, Say, Submission, Tap, Who, Wrong
from bot.commands import COMMANDS, parse
from bot.conversation import needs_admin
from bot.drill.errors import DrillError
from storage.tables import Answer, AuditRow, Member, Schedule, SetupDraft
from tests.usecases.stage import HERE, MEMORY, Stage, card, form, said

CHINESE = range(0x4E00, 0x9FFF)


@pytest.fixture
def drill() -> Iterator[Stage]:
    with TemporaryDirectory(dir=MEMORY) as folder, Stage(Path(folder)) as stage:
        stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
        stage.local("2026-11-30 09:30")
        yield stage


def speaks_chinese(text: str) -> bool:
    """Mostly: an English sentence may give 周一到周五 as an example, and topics and commands stay as they are."""
    chinese = sum(ord(c) in CHINESE for c in text)
    return 4 * chinese > sum(c.isascii() and c.isalpha() for c in text)


# --- languages ---------------------------------------------------------------------------------------------------

EVERYTHING = [
    "today", "answer C", "answer", "answer Z", "me", "board", "board year", "help", "setup", "setup time=10:00",
    "setup time=25:00", "schedule", "topics", "topics search kv", "topics lora", "topics zzz", "topics lora day=x",
    "now", "pause 2020-01-01", "pause x", "pause", "pause", "status", "resume", "resume",
]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "chinese"), [("zh-CN", True), ("zh-TW", True), ("zh", True), ("en-US", False), ("fr", False)]
)
def test_every_private_reply_is_in_the_members_language(drill: Stage, language: str, chinese: bool) -> None:
    """Whatever is typed, right or wrong; what stays the same in all languages are topics, zones and names."""
    for typed in EVERYTHING:
        reply = drill.admin(typed, language=language)
        text = form(reply).title if isinstance(reply, Ask) else card(reply).text
        assert speaks_chinese(text) == chinese, f"{typed}: {text}"


# --- who must be an admin ----------------------------------------------------------------------------------------


def test_the_platform_is_asked_for_rights_where_they_matter() -> None:
    """Before a tap or form that saves, and before admins' commands; also before help, which shows them."""
    who = Who("playground", "w", "m", "M")
    for spec in COMMANDS:
        assert needs_admin(Command(who, HERE, spec.name)) == (spec.admin or spec.name == "help")
    assert not needs_admin(Command(who, HERE, "nonsense"))
    for action in ("save:1", "change:1", "drop:1"):
        assert needs_admin(Tap(who, action))
    for action in ("answer:1:a", "form:1", "read:1:en", "mine:1", "", "saved:1"):
        assert not needs_admin(Tap(who, action))
    assert needs_admin(Submission(who, "setup:c:n", {}))
    assert not needs_admin(Submission(who, "answer:1", {}))


def test_members_can_do_none_of_what_admins_can(drill: Stage) -> None:
    rows = drill.count(AuditRow)
    for spec in COMMANDS:
        if spec.admin:
            for options in ({}, {option.name: "x" for option in spec.options}):
                reply = drill.hear(Command(drill.who("noor"), HERE, spec.name, dict(options)))
                assert "Only admins" in said(reply), spec.name
    assert (drill.count(AuditRow), drill.count(SetupDraft)) == (rows, 0)


def test_help_shows_admins_their_commands_and_others_not(drill: Stage) -> None:
    assert "/drill setup" in said(drill.admin("help"))
    assert "/drill setup" not in said(drill.typed("noor", "help"))
    assert "/drill today" in said(drill.typed("noor", "help"))


# --- nothing stops it --------------------------------------------------------------------------------------------

NAMES = [spec.name for spec in COMMANDS] + ["nonsense", "", "__init__", "setup "]
OPTION_NAMES = sorted({option.name for spec in COMMANDS for option in spec.options} | {"zzz", "", "response"})
TEXT = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["", "all", "kv-cache", "mon-fri", "09:30", "UTC", "C", "1-3", "2026-12-31", "\ud800", "\x00", "9" * 400]
    ),
)
PLACES = st.sampled_from([HERE, Place("w", "other"), Place("w", ""), Place("zzz", "drills")])
PEOPLE = st.builds(
    Who,
    platform=st.sampled_from(["playground", "slack", "discord"]),
    workspace=st.sampled_from(["w", "other", ""]),
    member=st.sampled_from(["boss", "noor", "", "x" * 300]),
    name=TEXT,
    language=st.sampled_from(["", "en", "zh-CN", "xx"]),
    zone=st.sampled_from(["", "UTC", "Mars/Base", "../../etc/passwd"]),
    admin=st.booleans(),
)
ACTIONS = st.one_of(
    st.builds(
        lambda *parts: ":".join(parts),
        st.sampled_from(["answer", "form", "read", "mine", "save", "change", "drop", "setup"]),
        st.sampled_from(["1", "2", "3", "0", "999999999999999", "x"]),
        st.sampled_from(["a", "c", "en", "zzz"]),
    ),
    st.builds(
        lambda name, n: f"{name}:{n}",
        st.sampled_from(["form", "mine", "save", "change", "drop", "answer"]),
        st.integers(),
    ),
    TEXT,
)
VALUES = st.dictionaries(
    st.sampled_from([*OPTION_NAMES, "answer"]), st.one_of(TEXT, st.lists(TEXT, max_size=4).map(tuple)), max_size=6
)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Tap, PEOPLE, ACTIONS, st.one_of(st.none(), PLACES)),
    st.builds(Submission, PEOPLE, st.one_of(ACTIONS, st.just("setup:drills:n"), st.just("answer:1")), VALUES, PLACES),
    st.builds(
        Command,
        PEOPLE,
        PLACES,
        st.sampled_from(NAMES),
        st.dictionaries(st.sampled_from(OPTION_NAMES), TEXT, max_size=4),
        TEXT,
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(events=st.lists(EVENTS, min_size=1, max_size=4))
def test_whatever_a_platform_hands_on_is_answered(fuzzed: Stage, events: list[Event]) -> None:
    """With words, without a fault of ours in the log, and the bot still beats."""
    for event in events:
        reply = fuzzed.hear(event)
        check(reply, event)
    fuzzed.beat()


def check(reply: Reply, event: Event) -> None:
    assert isinstance(reply, Say | Ask | Wrong)
    text = said(reply)
    assert text.strip()
    assert "went wrong on our side" not in text, event
    assert "我们这边出了点问题" not in text, event
    if isinstance(reply, Wrong):
        assert isinstance(event, Submission)
        assert reply.faults
        assert all(reply.faults.values())


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[Stage]:
    with TemporaryDirectory(dir=MEMORY) as folder, Stage(Path(folder)) as stage:
        stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
        stage.local("2026-11-30 09:30")
        yield stage


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.one_of(st.text(max_size=4000), st.tuples(st.sampled_from(NAMES), TEXT, TEXT).map(" ".join)))
def test_whatever_is_typed_after_drill_is_answered(fuzzed: Stage, text: str) -> None:
    """A mistake has a sentence in both languages."""
    mistake: DrillError | None = None
    try:
        name, options = parse(text)
    except DrillError as error:
        mistake = error
    if mistake is not None:
        sentences = [fuzzed.app.conversation.cards.sentence(mistake, language) for language in ("en", "zh")]
        assert all(sentence.strip() for sentence in sentences)
    else:
        event = Command(fuzzed.who("noor"), HERE, name, options)
        check(fuzzed.hear(event), event)


def test_half_characters_in_names_and_texts_break_nothing(drill: Stage) -> None:
    """JSON may carry lone surrogates, which no database can store."""
    bad = "a\ud800b"
    who = drill.who("boss", admin=True, workspace_name=bad)
    for event in (
        Command(who, HERE, "setup", {"time": "10:00"}, bad),
        Submission(who, f"setup:drills:{bad}", {"time": "10:00"}, HERE),
        Command(who, HERE, "topics", {"set": bad}, bad),
        Command(who, HERE, "topics", {"search": bad}),
        Command(who, HERE, "answer", {"response": bad}),
        Command(who, HERE, bad, {bad: bad}),
    ):
        check(drill.hear(event), event)
    assert drill.count(SetupDraft) == 2


def test_a_fault_of_ours_is_logged_and_answered_neutrally(drill: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """A table is gone: the member hears a sentence without a word of the fault, and later answers work again."""

    def lose(tx: Session) -> None:
        tx.connection().exec_driver_sql("ALTER TABLE answer RENAME TO lost")

    def find(tx: Session) -> None:
        tx.connection().exec_driver_sql("ALTER TABLE lost RENAME TO answer")

    drill.change(lose)
    with caplog.at_level(logging.ERROR):
        for reply in (drill.right("noor"), drill.typed("noor", "today"), drill.typed("noor", "me")):
            assert "Something went wrong on our side and nothing was saved." in said(reply)
            assert "answer" not in said(reply)
        assert "出了点问题" in said(drill.right("noor", language="zh"))
    assert "no such table" in caplog.text
    drill.change(find)
    assert "Right!" in said(drill.right("noor"))


def test_an_answer_is_not_confirmed_before_it_is_durable(drill: Stage) -> None:
    """What was confirmed is in the file for another connection to read at once."""
    import sqlite3

    assert "Right!" in said(drill.right("noor"))
    with sqlite3.connect(drill.app.database.path) as raw:  # type: ignore[arg-type]
        assert raw.execute("SELECT count(*) FROM answer").fetchone() == (1,)
    raw.close()


def test_after_closing_events_are_answered_neutrally(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A tap that comes while the bot stops is told to come again; nothing is raised into the platform's code."""
    with Stage(tmp_path) as stage:
        stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
        stage.local("2026-11-30 09:30")
        round_id = stage.open
    reply = stage.tap("noor", f"answer:{round_id}:c")
    assert "nothing was saved" in said(reply)
    assert "closed" in caplog.text


def test_a_verb_that_fails_takes_nobody_elses_answer_with_it(drill: Stage) -> None:
    """Writes that wait together share one commit; one that raises is undone alone."""

    def broken(tx: Session) -> None:
        tx.add(Member(workspace_id=1, external_id="ghost", name="Ghost", created_at=drill.clock.now()))
        tx.flush()
        tx.connection().exec_driver_sql("SELECT * FROM nowhere")

    begun = []
    for number in range(30):
        begun.append(drill.app.conversation.begin(Tap(drill.who(f"m{number}"), f"answer:{drill.open}:c", HERE)))
        if number % 3 == 0:
            failed = drill.app.database.write(broken)
    assert all("Right!" in said(finish()) for finish in begun)
    with pytest.raises(OperationalError):
        failed.result()
    assert drill.count(Answer) == 30
    assert drill.count(Member) == 31


async def test_hear_waits_without_holding_the_loop(drill: Stage) -> None:
    """A hundred people at once are heard beside each other on one event loop."""
    conversation = drill.app.conversation
    round_id = drill.open
    taps = [Tap(drill.who(f"m{n}"), f"answer:{round_id}:{'ac'[n % 2]}", HERE) for n in range(100)]
    replies = await asyncio.gather(*(conversation.hear(tap) for tap in taps))
    assert sum("Right!" in said(reply) for reply in replies) == 50
    assert drill.count(Answer) == 100


def test_a_restart_answers_old_buttons(tmp_path: Path) -> None:
    """The state of a button is its id: a new process goes on with questions, forms and proposals of the old one."""
    with Stage(tmp_path) as stage:
        stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
        stage.local("2026-11-30 09:30")
        round_id, now = stage.open, stage.clock.now()
        stage.right("noor")
        proposal = stage.admin("setup time=11:00")
    with Stage(tmp_path, start=now, seed=2) as stage:
        assert "first answer stands" in said(stage.tap("noor", f"answer:{round_id}:a"))
        assert "Right!" in said(stage.tap("mira", f"answer:{round_id}:c"))
        save = next(
            b.action for part in card(proposal).parts for b in getattr(part, "buttons", ()) if "save" in b.action
        )
        stage.tap("boss", save, admin=True)
        assert stage.read(lambda tx: tx.get_one(Schedule, 1)).at.hour == 11
