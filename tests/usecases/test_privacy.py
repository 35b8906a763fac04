"""A member's data: all of it for them alone, or gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select as select_core
from sqlmodel import Session, SQLModel, select

from bot.card import File
from bot.chat import Reply
from storage import audit
from storage.tables import Answer, AuditRow, Challenge, DrillAdmin, Installation, Member, Notice, Workspace
from tests.usecases.stage import HERE, LIBRARY, Stage, button, buttons, card, said


def file_in(reply: Reply) -> dict[str, Any]:
    (file,) = [part for part in card(reply).parts if isinstance(part, File)]
    assert file.media == "application/json"
    assert file.name == "team-drills-2026-12-01.json" or file.name.startswith("team-drills-2026-")
    return json.loads(file.data)  # type: ignore[no-any-return]


def erase(stage: Stage, name: str, **who: Any) -> Reply:
    return stage.tap(name, button(stage.typed(name, "forget", **who), "erase"), **who)


# --- export ---------------------------------------------------------------------------------------------


def test_the_file_holds_what_is_stored(drill: Stage) -> None:
    """Settings, pauses, answers with what they came to, challenges: nothing of anybody else."""
    drill.right("noor", zone="Asia/Tokyo")
    drill.wrong("bea")
    drill.typed("noor", "settings language=zh reminders=on pause=2026-12-24")
    drill.typed("noor", "challenge C cannot be right")
    drill.local("2026-12-01 09:31")
    plain = file_in(drill.typed("noor", "export"))
    assert plain["format"] == "team-drills-member-1"
    assert (plain["member"]["id"], plain["member"]["name"]) == ("noor", "Noor")
    assert (plain["settings"]["language"], plain["settings"]["reminders"]) == ("zh", True)
    assert len(plain["pauses"]) == 1
    (answer,) = plain["answers"]
    assert [option["option"] for option in answer["chosen"]] == ["c"]
    assert answer["chosen"][0]["en"] == "cedar"
    assert (answer["points"], answer["right"], answer["date"]) == (10.0, True, "2026-11-30")
    assert [c["text"] for c in plain["challenges"]] == ["C cannot be right"]
    assert "bea" not in json.dumps(plain).lower()


@pytest.mark.parametrize("stage_name", ["drill", "together"])
def test_before_close_it_tells_nothing_of_the_key(stage_name: str, request: pytest.FixtureRequest) -> None:
    """The member's own choice is theirs; what it comes to is not, whether it was right or wrong."""
    stage: Stage = request.getfixturevalue(stage_name)
    stage.right("noor")
    stage.wrong("bea")
    found = [file_in(stage.typed(name, "export"))["answers"][0] for name in ("noor", "bea")]
    for answer in found:
        assert not {"credit", "points", "right"} & set(answer)
    assert set(found[0]) == set(found[1])
    assert "Because of" not in json.dumps(found)


def test_of_a_stranger_there_is_no_file(stage: Stage) -> None:
    assert said(stage.typed("noor", "export")).startswith("Nothing is stored of you.")
    assert "没有保存" in said(stage.typed("noor", "export", language="zh-CN"))
    assert stage.count(Member) == 0


def test_the_file_says_what_somebody_did_as_an_admin(drill: Stage) -> None:
    plain = file_in(drill.typed("boss", "export"))
    assert [made["channel_id"] for made in plain["administration"]["schedules_made"]] == ["drills"]
    assert plain["administration"]["did"]


# --- forget ---------------------------------------------------------------------------------------------


def everything(stage: Stage) -> str:
    """Every value of every column of every table, as one text."""

    def look(tx: Session) -> str:
        rows = [
            json.dumps([table.name, *map(str, row)], ensure_ascii=False)
            for table in SQLModel.metadata.sorted_tables
            for row in tx.connection().execute(select_core(table))
        ]
        return "\n".join(rows)

    return stage.read(look)


def fill(stage: Stage, who: str, name: str) -> None:
    """Rows with this person's id or name wherever one can stand."""
    call = {"workspace_name": "W"}
    stage.right(who, **call)
    stage.typed(who, "settings language=en zone=Asia/Kathmandu hide=on confirm=on reminders=on pause=2026-12-24")
    stage.typed(who, f"challenge I, {name}, object")

    def more(tx: Session) -> None:
        member = tx.exec(select(Member).where(Member.external_id == who)).one()
        workspace = tx.exec(select(Workspace)).one()
        workspace.inviter = who
        tx.add(workspace)
        assert workspace.id is not None
        now = stage.clock.now()
        tx.add(DrillAdmin(workspace_id=workspace.id, kind="member", external_id=who, name=name, made_at=now))
        tx.add(
            Installation(
                platform="playground", workspace="w", token="t", key_id="k",
                installed_by=who, installed_at=now, changed_at=now,
            )
        )  # fmt: skip
        detail = {"member": who, "name": name, "list": [{"who": who}], "kept": "daily"}
        audit.record(tx, workspace.id, member.id, now, "delegate", detail)
        tx.add(Notice(schedule_id=1, code="missed", subject="x", detail={}, made_at=now, tried=[who, "other"]))

    stage.change(more)


def test_after_it_no_table_holds_their_id_or_name(drill: Stage) -> None:
    """Every column of every table is walked; the file of somebody else is as it was."""
    fill(drill, "u-zephyrine", "U-Zephyrine")
    drill.wrong("bea")
    drill.local("2026-12-02 09:31")
    before = file_in(drill.typed("bea", "export"))
    assert "zephyrine" in everything(drill).lower()
    assert "You are forgotten." in said(erase(drill, "u-zephyrine"))
    left = everything(drill)
    assert "zephyrine" not in left.lower()
    assert "Kathmandu" not in left
    assert said(drill.typed("u-zephyrine", "export")).startswith("Nothing is stored of you.")
    after = file_in(drill.typed("bea", "export"))
    assert {**after, "made_at": 0} == {**before, "made_at": 0}
    (entry,) = drill.read(lambda tx: tx.exec(select(AuditRow).where(AuditRow.verb == "forget")).all())
    assert (entry.member_id, entry.detail) == (None, {})
    kept = drill.read(lambda tx: tx.exec(select(AuditRow).where(AuditRow.verb == "delegate")).one())
    assert kept.detail == {"member": "", "name": "", "list": [{"who": ""}], "kept": "daily"}


def test_it_is_asked_first_and_can_be_left(drill: Stage) -> None:
    """What goes and what stays is said; *Cancel* changes nothing; the button is red."""
    drill.right("noor")
    asked = drill.typed("noor", "forget")
    assert "What goes:" in said(asked)
    assert "What stays:" in said(asked)
    assert [(b.action, b.style) for b in buttons(asked)] == [("erase", "danger"), ("spare", "")]
    before = everything(drill)
    assert "Nothing was changed." in said(drill.tap("noor", "spare"))
    assert everything(drill) == before


def test_past_sums_stay_and_the_board_of_now_does_not_show_them(drill: Stage) -> None:
    for name in ("noor", "bea"):
        drill.right(name)
    drill.local("2026-12-01 10:00")
    assert "Noor" in said(drill.typed("bea", "board"))
    points = [answer.points for answer in drill.answers()]
    erase(drill, "noor")
    assert [answer.points for answer in drill.answers()] == points
    assert "Noor" not in said(drill.typed("bea", "board"))
    assert drill.count(Answer) == 2


def test_an_answer_to_an_open_round_goes_and_the_count_with_it(drill: Stage) -> None:
    """Else the new member they become would count beside their former self."""
    for name in ("noor", "bea"):
        drill.right(name)
    drill.forward(seconds=30)
    shown = drill.chat.message(HERE, drill.rounds("posted")[-1].message_id)
    assert shown is not None
    assert "2 answered" in said(shown.card)
    erase(drill, "noor")
    drill.forward(seconds=30)
    shown = drill.chat.message(HERE, drill.rounds("posted")[-1].message_id)
    assert shown is not None
    assert "1 answered" in said(shown.card)
    assert len(drill.answers()) == 1


def test_who_answers_afterwards_is_a_new_member(drill: Stage) -> None:
    """With the privacy line of a first answer, and nothing of before."""
    drill.right("noor")
    drill.local("2026-12-01 10:00")
    erase(drill, "noor")
    assert "Only you see your answers." in said(drill.right("noor"))
    members = drill.read(lambda tx: tx.exec(select(Member).where(Member.external_id == "noor")).all())
    assert len(members) == 1
    drill.local("2026-12-02 10:00")
    assert "1 now, 1 longest" in said(drill.typed("noor", "me"))


def test_twice_is_once_and_a_stranger_stays_one(drill: Stage) -> None:
    drill.right("noor")
    erase(drill, "noor")
    rows = drill.count(Member)
    assert "Nothing is stored of you." in said(drill.tap("noor", "erase"))
    assert "Nothing is stored of you." in said(drill.typed("noor", "forget"))
    assert drill.count(Member) == rows


def test_a_challenge_stays_without_its_author(drill: Stage) -> None:
    """Its text too, where it does not say who wrote it."""
    drill.right("noor")
    drill.typed("noor", "challenge The option C is not general")
    erase(drill, "noor")
    (kept,) = drill.read(lambda tx: tx.exec(select(Challenge)).all())
    assert kept.text == "The option C is not general"
    member = drill.read(lambda tx: tx.get_one(Member, kept.member_id))
    assert member.name == ""
    assert member.external_id.startswith("forgotten:")


def test_what_was_asked_of_forgetting_is_said_in_chinese(drill: Stage) -> None:
    drill.right("noor")
    assert "要永久忘记你吗？" in said(drill.typed("noor", "forget", language="zh-CN"))
    assert "已忘记你" in said(drill.tap("noor", "erase", language="zh-CN"))


# --- the line of the first answer -----------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["instant", "together"])
@pytest.mark.parametrize("question", LIBRARY, ids=lambda question: question.kind.value)
def test_the_first_answer_says_who_can_see_what(stage: Stage, question: Any, mode: str) -> None:
    """For every kind, in both modes, by tap and by form; the second answer does not say it again."""
    stage.save(f"setup time=09:30 zone=UTC days=daily kinds={question.kind.value} mode={mode}")
    stage.local("2026-11-30 09:30")
    text = {"blank": "cross-entropy", "numeric": "517 MiB", "case": "rollback"}.get(question.kind.value, "")

    def answer() -> str:
        if question.kind.is_one_tap:
            return said(stage.tap("noor", f"answer:{stage.open}:{question.choices[0].key}"))
        value: str | tuple[str, ...] = text or tuple(option.key for option in question.choices[:1])
        return said(stage.send("noor", f"answer:{stage.open}", value))

    line = "Only you see your answers. The channel sees how many answered"
    assert line in answer()
    stage.local("2026-12-01 10:00")
    assert line not in answer()


def test_after_it_not_even_the_bytes_are_left_in_the_file(tmp_path: Path) -> None:
    """SQLite leaves what was deleted in free pages, unless it is told not to."""
    with Stage(tmp_path) as stage:
        stage.save("setup time=09:30 zone=UTC days=daily kinds=blank mode=together")
        stage.local("2026-11-30 09:30")
        for name in ("ann", "zelda", "bea"):
            for number in range(10):
                stage.send(f"{name}{number}", f"answer:{stage.open}", f"It is {name} who says so. " * 12)
        for number in range(10):
            erase(stage, f"zelda{number}")
    found = (tmp_path / "drills.db").read_bytes().lower()
    assert b"it is bea" in found
    assert b"zelda" not in found
