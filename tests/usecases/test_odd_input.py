"""Whatever a platform or a person sends, nobody else is kept from anything by it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from bot.chat import Command, Happening, Who
from storage.tables import AuditRow, DrillAdmin, Member
from tests.usecases.stage import HERE, Stage, button, said

NO_ZONES = ("Mars/Olympus", "../../etc/passwd", "/etc/localtime", "\x00", "\ud800", "x" * 10_000, "localtime")
BROKEN = "Something went wrong"


def member(stage: Stage, name: str) -> Member:
    return stage.read(lambda tx: tx.exec(select(Member).where(Member.external_id == name)).one())


@pytest.mark.parametrize("zone", NO_ZONES)
@pytest.mark.parametrize("text", ["settings", "settings pause=2026-12-24", "audit", "setup time=10:00", "today"])
def test_a_clients_zone_that_does_not_exist_is_a_zone_not_known(drill: Stage, zone: str, text: str) -> None:
    for _ in range(2):  # as a stranger, then as somebody known
        assert BROKEN not in said(drill.typed("noor", text, admin=True, zone=zone))
    drill.right("noor", zone=zone)
    assert member(drill, "noor").zone == ""


def test_a_zone_that_was_stored_and_is_gone_from_the_tz_database_stops_nobodys_reminder(drill: Stage) -> None:
    """Each is reminded by their own zone, or the channel's where theirs is not known here."""
    for name in ("noor", "bea"):
        drill.right(name, zone="UTC")
        drill.typed(name, "settings reminders=on", zone="UTC")

    def forget_the_zone(tx: Any) -> None:
        tx.exec(select(Member).where(Member.external_id == "noor")).one().zone = "Atlantis/Poseidonis"

    drill.change(forget_the_zone)
    drill.local("2026-12-01 09:30")
    drill.forward(hours=3)
    assert [len(drill.chat.direct("w", name)) for name in ("noor", "bea")] == [1, 1]
    assert BROKEN not in said(drill.typed("noor", "settings"))


@pytest.mark.parametrize("language", ["\ud800", "en\x00", "x" * 10_000, "中文"])
def test_a_clients_language_that_cannot_be_one_is_not_known(drill: Stage, language: str) -> None:
    event = Command(Who("playground", "w", "noor", "Noor", language=language), HERE, "settings", {"hide": "on"})
    assert BROKEN not in said(drill.hear(event))
    assert member(drill, "noor").language == ""


@pytest.mark.parametrize("day", ["31 Dec 9999", "Dec 31 9999", "9999-12-31", "1 Jan 0001", "0001-01-01"])
@pytest.mark.parametrize("verb", ["settings pause=", "extra ", "holiday ", "skip ", "preview ", "swap ", "pause "])
def test_a_date_where_the_calendar_begins_or_ends_is_refused_in_every_spelling(
    drill: Stage, verb: str, day: str
) -> None:
    reply = said(drill.admin(verb + day))
    assert BROKEN not in reply
    assert "is no date" in reply or "is over already" in reply or "too far away" in reply
    assert drill.admin("status") is not None
    drill.beat()


def test_a_name_chosen_to_read_like_a_date_or_a_channel_blots_out_no_audit_row(drill: Stage) -> None:
    """Whoever is forgotten takes their id with them, not what others did."""
    drill.admin("extra 2026-12-24")
    before = drill.read(lambda tx: [row.detail for row in tx.exec(select(AuditRow)).all()])
    for name in ("2026-12-24", "drills", "q-single"):
        event = Command(Who("playground", "w", "mallory", name), HERE, "settings", {"hide": "on"})
        drill.hear(event)
        drill.tap("mallory", button(drill.typed("mallory", "forget"), "erase"))
    after = drill.read(lambda tx: [row.detail for row in tx.exec(select(AuditRow)).all()])
    assert after[: len(before)] == before


def test_of_whoever_leaves_without_having_done_anything_nothing_is_kept(drill: Stage) -> None:
    """Nor of somebody who was forgotten before; but that a delegate is gone must be known."""
    drill.right("noor")
    drill.tap("noor", button(drill.typed("noor", "forget"), "erase"))
    now = drill.clock.now()
    delegate = DrillAdmin(workspace_id=1, kind="member", external_id="vice", name="Vice", made_at=now)
    drill.change(lambda tx: tx.add(delegate))
    for name in ("noor", "passer-by", "vice", ""):
        happening = Happening("playground", "w", "member_left", member=name)
        assert drill._runner.run(drill.app.conversation.happened(happening))
    kept = drill.read(lambda tx: tx.exec(select(Member.external_id)).all())
    assert sorted(name for name in kept if not name.startswith("forgotten:")) == ["boss", "vice"]


@pytest.mark.parametrize("typed", ["@", "@ "])
def test_nobody_is_meant_by_an_empty_mention(drill: Stage, typed: str) -> None:
    """A delegate whose name is not known is not taken out by it."""
    now = drill.clock.now()
    nameless = DrillAdmin(workspace_id=1, kind="member", external_id="vice", name="", made_at=now)
    drill.change(lambda tx: tx.add(nameless))
    assert "is not one person" in said(
        drill.hear(Command(drill.who("boss", admin=True), HERE, "admins", {"remove": typed}))
    )
    assert drill.count(DrillAdmin) == 1


def test_nobody_is_reminded_of_a_question_in_a_channel_that_cannot_be_used_now(drill: Stage) -> None:
    drill.right("noor", zone="UTC")
    drill.typed("noor", "settings reminders=on", zone="UTC")
    drill.local("2026-12-01 09:30")
    happening = Happening("playground", "w", "channel_archived", channel="drills")
    assert drill._runner.run(drill.app.conversation.happened(happening))
    drill.forward(hours=4)
    assert drill.chat.direct("w", "noor") == []
