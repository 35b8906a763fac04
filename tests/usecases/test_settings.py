"""What members set: read in many spellings, told in their language, kept, and obeyed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlmodel import select

from storage.tables import Member, MemberPause
from tests.usecases.stage import Stage, button, buttons, card, faults, form, said


def row(stage: Stage, name: str = "noor") -> Member:
    return stage.read(lambda tx: tx.exec(select(Member).where(Member.external_id == name)).one())


def pauses(stage: Stage) -> list[tuple[datetime, datetime | None]]:
    found = stage.read(lambda tx: tx.exec(select(MemberPause).order_by(MemberPause.id)).all())  # type: ignore[arg-type]
    return [(p.starts_at, p.ends_at) for p in found]


def test_without_options_it_says_what_is_set_and_stores_nothing(stage: Stage) -> None:
    """A stranger has no row because of it."""
    shown = stage.typed("noor", "settings", zone="Europe/Berlin", language="zh-CN")
    assert "你的设置" in said(shown)
    assert "跟随客户端：Europe/Berlin" in said(shown)
    assert stage.count(Member) == 0


@pytest.mark.parametrize(
    ("typed", "column", "value"),
    [
        ("language=zh", "chosen_language", "zh"),
        ("language=English", "chosen_language", "en"),
        ("language=繁體", "chosen_language", "zh-TW"),
        ("zone=berlin", "chosen_zone", "Europe/Berlin"),
        ("zone=ａｓｉａ/shanghai", "chosen_zone", "Asia/Shanghai"),
        ("hide=on", "hidden", True),
        ("hide=开", "hidden", True),
        ("confirm=yes", "confirm", True),
        ("reminders=on", "reminders", True),
    ],
)
def test_one_thing_is_set_in_many_spellings(stage: Stage, typed: str, column: str, value: object) -> None:
    assert said(stage.typed("noor", f"settings {typed}"))
    assert getattr(row(stage), column) == value


def test_several_at_once_and_back(stage: Stage) -> None:
    stage.typed("noor", "settings language=zh zone=Asia/Shanghai hide=on confirm=on reminders=on")
    changed = row(stage)
    assert (changed.chosen_language, changed.chosen_zone, changed.hidden) == ("zh", "Asia/Shanghai", True)
    reply = stage.typed("noor", "settings language=client zone=client hide=off confirm=off reminders=off")
    assert "Saved." in said(reply), "the client speaks English again"
    changed = row(stage)
    assert (changed.chosen_language, changed.chosen_zone) == ("", "")
    assert (changed.hidden, changed.confirm, changed.reminders) == (False, False, False)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("zone=Europe/Berln", "did you mean Europe/Berlin or Europe/Dublin?"),
        ("zone=UTC+8", "offset"),
        ("zone=Mars", "There is no time zone “Mars”"),
        ("language=fr", "“fr” is no language here; choose en, zh, zh-TW or client."),
        ("hide=maybe", "“maybe” is neither on nor off"),
        ("pause=2020-01-01", "2020-01-01 is over already"),
        ("pause=2026-12-24..2026-12-26", "Give one day"),
        ("pause=soon", "soon"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence_and_nothing_is_half_saved(stage: Stage, typed: str, told: str) -> None:
    stage.typed("noor", "settings confirm=on")
    assert told in said(stage.typed("noor", f"settings reminders=on {typed}"))
    assert not row(stage).reminders
    chinese = said(stage.typed("noor", f"settings {typed}", language="zh-CN"))
    assert any("\u4e00" <= character <= "\u9fff" for character in chinese)


def test_the_form_holds_what_is_set_and_sets_what_it_holds(stage: Stage) -> None:
    """An emptied field is the client's; a fault stands at its field."""
    shown = stage.typed("noor", "settings language=zh zone=Asia/Shanghai pause=2026-12-24 hide=on")
    opened = form(stage.tap("noor", button(shown, "settings")))
    assert [getattr(f, "value", None) or getattr(f, "chosen", None) for f in opened.fields] == [
        ("zh",),
        "Asia/Shanghai",
        "2026-12-24",
        ("hide",),
    ]
    sent = stage.submit("noor", opened.id, language=("en",), zone="", pause="", ticks=("confirm",))
    assert "Saved." in said(sent)
    changed = row(stage)
    assert (changed.chosen_language, changed.chosen_zone) == ("en", "")
    assert (changed.hidden, changed.confirm, changed.reminders) == (False, True, False)
    assert pauses(stage) == []
    wrong = stage.submit("noor", opened.id, language=("en",), zone="Atlantis", pause="x", ticks=())
    assert set(faults(wrong)) == {"zone", "pause"}
    assert row(stage).confirm


def test_the_chosen_language_is_spoken_from_then_on(drill: Stage) -> None:
    drill.typed("noor", "settings language=zh", language="en-US")
    assert "答对了" in said(drill.right("noor", language="en-US"))


def test_a_pause_lasts_through_its_day_in_the_members_zone(drill: Stage) -> None:
    drill.typed("noor", "settings zone=Asia/Shanghai pause=2026-12-02")
    assert pauses(drill) == [(drill.clock.now(), datetime(2026, 12, 2, 16, tzinfo=UTC))]
    assert "through Wed 2 Dec" in said(drill.typed("noor", "settings"))
    drill.typed("noor", "settings pause=2026-12-04")
    assert pauses(drill)[0][1] == datetime(2026, 12, 4, 16, tzinfo=UTC), "the same pause, longer"
    drill.forward(hours=5)
    drill.typed("noor", "settings pause=off")
    assert pauses(drill)[0][1] == drill.clock.now()
    drill.typed("noor", "settings pause=off")
    assert len(pauses(drill)) == 1


def test_a_pause_breaks_no_streak_and_spends_no_freeze(drill: Stage) -> None:
    """Not even the round that was open when it began, nor the one it ended in."""
    drill.right("noor")
    drill.local("2026-12-01 12:00")
    drill.typed("noor", "settings pause=open")
    drill.local("2026-12-09 12:00")
    drill.typed("noor", "settings pause=off")
    drill.local("2026-12-10 10:00")
    drill.right("noor")
    drill.local("2026-12-13 12:00")
    progress = said(drill.typed("noor", "me"))
    assert "2 now, 2 longest" in progress
    assert "Freezes\n1" in progress, "the 11th was missed: that is one"


def test_who_hides_stands_on_no_board_and_loses_nothing(drill: Stage) -> None:
    drill.right("noor")
    drill.wrong("bea")
    drill.typed("noor", "settings hide=on")
    drill.local("2026-12-01 12:00")
    board = said(drill.typed("bea", "board"))
    assert "Noor" not in board
    assert "Bea" in board
    assert "Points in all\n10" in said(drill.typed("noor", "me"))
    drill.typed("noor", "settings hide=off")
    assert "Noor" in said(drill.typed("bea", "board"))


def test_a_zone_that_matters_and_is_not_known_is_asked_for(stage: Stage) -> None:
    """With a button to a form of one field; not where the platform tells it, nor where nothing needs it."""
    assert "zone" not in [b.action for b in buttons(stage.typed("noor", "settings hide=on"))]
    told = stage.typed("noor", "settings reminders=on", zone="UTC")
    assert "zone" not in [b.action for b in buttons(told)]
    asked = stage.typed("bea", "settings reminders=on")
    assert "Your time zone is not known yet" in said(asked)
    opened = form(stage.tap("bea", button(asked, "zone")))
    assert [f.id for f in opened.fields] == ["zone"]
    assert "Nowhere" in faults(stage.submit("bea", opened.id, zone="Nowhere"))["zone"]
    done = stage.submit("bea", opened.id, zone="Asia/Tokyo")
    assert "Your time zone is not known yet" not in said(done)
    assert row(stage, "bea").chosen_zone == "Asia/Tokyo"


# --- confirming -----------------------------------------------------------------------------------------


def test_who_confirms_first_is_asked_before_one_tap_is_final(drill: Stage) -> None:
    """Yes stores it, twice is once, and it takes the place of the question."""
    drill.typed("noor", "settings confirm=on")
    asked = drill.wrong("noor")
    assert card(asked).text.startswith("Answer ")
    assert "Because of" not in said(asked), "nothing of the answer is told"
    assert drill.answers() == []
    yes = button(asked, "sure")
    verdict = drill.tap("noor", yes)
    assert "Not this time." in said(verdict)
    assert verdict.replace  # type: ignore[union-attr]
    assert "Your first answer stands." in said(drill.tap("noor", yes))
    assert "Your first answer stands." in said(drill.right("noor")), "what is final is not asked about again"
    assert len(drill.answers()) == 1


def test_no_stores_nothing_and_another_may_be_chosen(drill: Stage) -> None:
    drill.typed("noor", "settings confirm=on")
    no = button(drill.wrong("noor"), "unsure")
    assert "Nothing was recorded." in said(drill.tap("noor", no))
    assert drill.answers() == []
    assert "Right!" in said(drill.tap("noor", button(drill.right("noor"), "sure")))
    assert "Right!" in said(drill.tap("noor", no)), "what is stored by then stands"


def test_confirming_survives_a_pause_of_any_length(drill: Stage) -> None:
    """A Yes that comes after close is a late answer, as every tap is."""
    drill.typed("noor", "settings confirm=on")
    yes = button(drill.right("noor"), "sure")
    drill.local("2026-12-01 10:00")
    assert "This round is closed" in said(drill.tap("noor", yes))
    assert drill.answers()[0].late


def test_what_is_not_final_is_not_asked_about(together: Stage) -> None:
    """In together mode, for a typed answer, and for an option that there is not."""
    together.typed("noor", "settings confirm=on")
    assert "Recorded" in said(together.right("noor"))
    assert "not one of the options" in said(together.tap("noor", f"answer:{together.open}:z"))


# --- nothing recorded -----------------------------------------------------------------------------------


def test_of_who_opts_out_nothing_more_is_recorded(drill: Stage) -> None:
    """A tap, a form and a typed answer are answered with the way back, and never with a verdict."""
    shown = drill.typed("noor", "settings")
    off = drill.tap("noor", button(shown, "recording"))
    assert "Nothing is recorded of you" in said(off)
    for reply in (
        drill.right("noor"),
        drill.tap("noor", f"sure:{drill.open}:c"),
        drill.typed("noor", "answer C"),
        drill.send("noor", f"answer:{drill.open}", ("c",)),
        drill.tap("noor", f"form:{drill.open}"),
    ):
        assert "/drill settings" in said(reply)
        assert "Right!" not in said(reply)
        assert "Because of" not in said(reply)
    assert drill.answers() == []
    drill.right("noor", zone="Asia/Tokyo", language="de")
    assert (row(drill).zone, row(drill).language) == ("", "")
    drill.tap("noor", button(drill.typed("noor", "settings"), "recording"))
    assert "Right!" in said(drill.right("noor"))


def test_opting_out_switches_reminders_off_and_keeps_what_was(drill: Stage) -> None:
    drill.right("noor")
    drill.typed("noor", "settings reminders=on")
    drill.typed("noor", "settings recording=off")
    assert not row(drill).reminders
    assert len(drill.answers()) == 1
    drill.local("2026-12-01 12:00")
    assert "Points in all\n10" in said(drill.typed("noor", "me"))


@pytest.mark.parametrize(
    "action", ["recording:maybe", "remind:", "away:1", "settings:1", "zone:x", "sure:1", "hello:x"]
)
def test_buttons_that_nobody_made_change_nothing(stage: Stage, action: str) -> None:
    assert "not known here" in said(stage.tap("noor", action))
    assert stage.count(Member) == 0
