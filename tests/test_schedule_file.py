"""Schedules in git: what is exported is applied unchanged, every fault is said with its line, nothing is half done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from sqlmodel import Session, col, select

from bot.schedule_file import ScheduleFileFault, read_schedules
from content.library import default_bank_path
from content.loader import load_bank
from content.taxonomy import default_taxonomy
from storage import schedules
from storage.database import sqlite_module
from storage.lock import ProcessLock
from storage.tables import AuditRow, Round, Schedule, ScheduleDate, SchedulePause, Workspace
from tests.test_cli import Shell
from tests.usecases.stage import Stage

YEAR = datetime.now(UTC).year + 1
"""The command goes by the machine's own clock, so dates to come are of the year that follows."""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, monkeypatch, capsys)


@pytest.fixture
def team(shell: Shell) -> Iterator[Stage]:
    """A workspace with one channel; the bot runs meanwhile."""
    with Stage(shell.folder, start=datetime.now(UTC)) as stage:
        shell.set(DATABASE_URL=stage.app.settings.database_url)
        stage.save("setup time=09:30 days=mon-fri topics=kv-cache,lora zone=Asia/Shanghai")
        stage.admin(f"holiday {YEAR}-12-24")
        yield stage


def test_what_is_exported_is_applied_unchanged(shell: Shell, team: Stage) -> None:
    """Also twice, and while the bot has the database open."""
    assert shell.drills("schedules", "export", "s.yaml").code == 0
    text = (shell.folder / "s.yaml").read_text("utf-8")
    assert "zone: Asia/Shanghai" in text
    assert f"{YEAR}-12-24" in text
    for _ in range(2):
        done = shell.drills("schedules", "apply", "s.yaml", "--yes")
        assert (done.code, done.out.splitlines()[-1]) == (0, "Nothing to change.")
    assert shell.drills("schedules", "export").out == text
    assert team.count(Schedule) == 1


def test_a_dry_run_shows_the_difference_and_changes_nothing(shell: Shell, team: Stage) -> None:
    shell.drills("schedules", "export", "s.yaml")
    path = shell.folder / "s.yaml"
    plain = yaml.safe_load(path.read_text("utf-8"))
    (channel,) = plain["workspaces"][0]["channels"]
    channel |= {"time": "10:15", "topics": "all", "extra": [f"{YEAR}-12-25"]}
    plain["workspaces"][0]["channels"].append({"id": "C2", "name": "新频道", "days": "周一到周三", "language": "zh"})
    path.write_text(yaml.safe_dump(plain, allow_unicode=True), "utf-8")
    done = shell.drills("schedules", "apply", "s.yaml", "--dry-run")
    assert done.code == 1
    assert "time: 09:30 → 10:15" in done.out
    assert "topics: kv-cache, lora → all" in done.out
    assert f"extra:  → {YEAR}-12-25" in done.out
    assert "+ playground w #新频道" in done.out
    assert team.count(Schedule) == 1
    assert shell.drills("schedules", "apply", "s.yaml", stdin=b"n\n").code == 1
    assert team.count(Schedule) == 1
    assert shell.drills("schedules", "apply", "s.yaml", stdin=b"y\n").code == 0
    rows = team.read(lambda tx: tx.exec(select(Schedule).order_by(col(Schedule.id))).all())
    assert [(row.id, row.at.strftime("%H:%M"), row.weekdays) for row in rows] == [
        (1, "10:15", [1, 2, 3, 4, 5]),
        (2, "09:30", [1, 2, 3]),
    ]
    assert team.read(lambda tx: len(tx.exec(select(Round).where(Round.schedule_id == 2)).all())) == 5
    audit = team.read(lambda tx: tx.exec(select(AuditRow).where(AuditRow.verb == "apply")).all())
    assert [row.member_id for row in audit] == [None, None]
    assert "applied a file" in str(team.admin("audit"))
    assert shell.drills("schedules", "apply", "s.yaml", "--dry-run").code == 0


def test_what_the_file_leaves_out_is_left_alone_or_paused(shell: Shell, team: Stage) -> None:
    shell.drills("schedules", "export", "s.yaml")
    path = shell.folder / "s.yaml"
    path.write_text(path.read_text("utf-8").replace("channels:\n  - {id: c,", "channels:\n  - {id: other,"), "utf-8")
    plain = yaml.safe_load(path.read_text("utf-8"))
    plain["workspaces"][0]["channels"][0]["id"] = "other"
    path.write_text(yaml.safe_dump(plain), "utf-8")
    done = shell.drills("schedules", "apply", "s.yaml", "--yes")
    assert "left alone" in done.out
    assert team.count(SchedulePause) == 0
    assert "(not in the file: paused)" in shell.drills("schedules", "apply", "s.yaml", "--yes", "--prune").out
    assert team.count(SchedulePause) == 1
    again = shell.drills("schedules", "apply", "s.yaml", "--yes", "--prune")
    assert (again.code, again.out.splitlines()[-1]) == (0, "Nothing to change.")
    assert team.count(SchedulePause) == 1


def test_all_faults_are_said_at_once_with_their_lines_and_nothing_is_done(shell: Shell, team: Stage) -> None:
    bad = """\
workspaces:
- platform: teams
  id: w
  channels:
  - id: C2
    time: 25:00
    topics: underwater basket
    colour: blue
  - id: C2
    days: mon
    days_off: [soon]
    paused: perhaps
    mode: instant
    reactions: on
- platform: playground
  channels: [{name: nameless}]
"""
    (shell.folder / "bad.yaml").write_text(bad, "utf-8")
    done = shell.drills("schedules", "apply", "bad.yaml", "--yes")
    assert done.code == 2
    said = done.err.splitlines()
    for line, word in (
        (2, "teams"),
        (6, "25:00"),
        (7, "basket"),
        (8, "colour"),
        (9, "line 5"),
        (11, "soon"),
        (12, "perhaps"),
    ):
        assert any(fault.startswith(f"bad.yaml:{line}:") and word in fault for fault in said), (line, said)
    assert any("reactions" in fault and ":14:" in fault for fault in said)
    assert any(":15:" in fault and "id is missing" in fault for fault in said)
    assert team.count(Schedule) == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "a: [", "workspaces: 3", "&a [*a]", "\x00", "workspaces:\n- platform: slack", "- - - -"]
)
def test_what_is_no_such_file_gets_a_sentence(text: str) -> None:
    with pytest.raises(ScheduleFileFault, match=r"s\.yaml:1|s\.yaml:2"):
        read_schedules(text, "s.yaml", default_taxonomy())


def test_a_workspace_without_the_bot_is_named(shell: Shell, team: Stage) -> None:
    file = "workspaces: [{platform: slack, id: T9, channels: [{id: C1, topics: kv-cache, kinds: case}]}]"
    (shell.folder / "s.yaml").write_text(file, "utf-8")
    done = shell.drills("schedules", "apply", "s.yaml", "--yes")
    assert done.code == 2
    assert "the bot was never in the slack workspace T9" in done.err


def test_without_a_database_the_command_says_what_to_do(shell: Shell) -> None:
    shell.set(DATABASE_URL=f"sqlite:///{shell.folder / 'none.db'}")
    done = shell.drills("schedules", "export")
    assert done.code == 2
    assert "drills db upgrade" in done.err
    assert not (shell.folder / "none.db").exists()


def channel_of(plain: dict[str, Any]) -> dict[str, Any]:
    (channel,) = plain["workspaces"][0]["channels"]
    return cast(dict[str, Any], channel)


@pytest.mark.parametrize(
    ("paused", "ends"),
    [("yes", None), (True, None), (f"until {YEAR}-12-31", f"{YEAR}-12-31T16:00"),
     (f"{YEAR}-12-31", f"{YEAR}-12-31T16:00"), (f"until {YEAR}-12-31T10:00:00+08:00", f"{YEAR}-12-31T02:00")],
)  # fmt: skip
def test_a_pause_of_the_file_stands_as_written_and_ends_as_written(
    shell: Shell, team: Stage, paused: object, ends: str | None
) -> None:
    """Its last day is the channel's own; applied again it is the same, taken out the drills go on."""
    shell.drills("schedules", "export", "s.yaml")
    path = shell.folder / "s.yaml"
    before = path.read_text("utf-8")
    plain = yaml.safe_load(before)
    channel_of(plain)["paused"] = paused
    path.write_text(yaml.safe_dump(plain), "utf-8")
    assert shell.drills("schedules", "apply", "s.yaml", "--yes").code == 0
    (pause,) = team.read(lambda tx: tx.exec(select(SchedulePause)).all())
    assert (pause.ends_at.strftime("%Y-%m-%dT%H:%M") if pause.ends_at else None) == ends
    assert shell.drills("schedules", "apply", "s.yaml", "--dry-run").code == 0
    shell.drills("schedules", "export", "again.yaml")
    assert shell.drills("schedules", "apply", "again.yaml", "--dry-run").code == 0
    path.write_text(before, "utf-8")
    assert "paused: " in shell.drills("schedules", "apply", "s.yaml", "--yes").out
    assert len(team.rounds("planned")) == 5
    assert shell.drills("schedules", "apply", "s.yaml", "--dry-run").code == 0


def test_a_pause_that_the_bot_made_is_not_ended_by_a_file(shell: Shell, team: Stage) -> None:
    """After three failed posts somebody has to look: a nightly apply would only fail again."""
    team.change(lambda tx: tx.add(SchedulePause(schedule_id=1, starts_at=team.clock.now(), reason="failing: x")))
    shell.drills("schedules", "export", "s.yaml")
    assert "paused: 'no'" in (shell.folder / "s.yaml").read_text("utf-8")
    path = shell.folder / "s.yaml"
    path.write_text(path.read_text("utf-8").replace("09:30", "10:30"), "utf-8")
    assert shell.drills("schedules", "apply", "s.yaml", "--yes").code == 0
    (pause,) = team.read(lambda tx: tx.exec(select(SchedulePause)).all())
    assert pause.ends_at is None


def test_a_file_that_has_grown_old_changes_nothing_that_is_over(shell: Shell, team: Stage) -> None:
    """Dates gone by may stay in it; the channel's own past is left as it was."""
    team.change(lambda tx: tx.add(ScheduleDate(schedule_id=1, day=date(2020, 2, 3), kind="extra")))
    shell.drills("schedules", "export", "s.yaml")
    assert "2020" not in (shell.folder / "s.yaml").read_text("utf-8")
    path = shell.folder / "s.yaml"
    plain = yaml.safe_load(path.read_text("utf-8"))
    channel_of(plain).update(days_off=["2020-12-24", f"{YEAR}-12-24"], questions={"2020-12-24": "long-gone"})
    path.write_text(yaml.safe_dump(plain), "utf-8")
    done = shell.drills("schedules", "apply", "s.yaml", "--yes")
    assert (done.code, done.out.splitlines()[-1]) == (0, "Nothing to change.")
    kept = team.read(lambda tx: [row.day for row in tx.exec(select(ScheduleDate)).all()])
    assert sorted(kept) == [date(2020, 2, 3), date(YEAR, 12, 24)]


def test_questions_that_admins_chose_are_kept_in_the_file(shell: Shell, team: Stage) -> None:
    """They come back from it, leave with it, and must be of the bank."""
    shell.drills("schedules", "export", "s.yaml")
    path = shell.folder / "s.yaml"
    before = path.read_text("utf-8")
    plain = yaml.safe_load(before)
    chosen = next(q.id for q in load_bank(default_bank_path()) if q.topic == "lora")
    channel_of(plain)["questions"] = {f"{YEAR}-12-27": chosen}
    path.write_text(yaml.safe_dump(plain), "utf-8")
    assert f"questions:  → {YEAR}-12-27: {chosen}" in shell.drills("schedules", "apply", "s.yaml", "--yes").out
    assert team.read(lambda tx: schedules.pins(tx, 1)) == {date(YEAR, 12, 27): chosen}
    assert f"{YEAR}-12-27: {chosen}" in shell.drills("schedules", "export").out.replace("'", "")
    channel_of(plain)["questions"] = {
        f"{YEAR}-12-27": chosen,
        f"{YEAR}-12-28": chosen,
        f"{YEAR}-12-29": "no-such",
        "soon": "x",
    }
    path.write_text(yaml.safe_dump(plain), "utf-8")
    assert "“soon” is no date" in shell.drills("schedules", "apply", "s.yaml", "--yes").err
    del channel_of(plain)["questions"]["soon"]
    path.write_text(yaml.safe_dump(plain), "utf-8")
    told = shell.drills("schedules", "apply", "s.yaml", "--yes").err
    assert f"{YEAR}-12-28: {chosen} is for {YEAR}-12-27 already" in told
    assert "the bank has no question 'no-such'" in told
    path.write_text(before, "utf-8")
    assert shell.drills("schedules", "apply", "s.yaml", "--yes").code == 0
    assert team.read(lambda tx: schedules.pins(tx, 1)) == {}


def test_the_bot_that_runs_posts_what_was_applied_meanwhile(shell: Shell, team: Stage) -> None:
    shell.drills("schedules", "export", "s.yaml")
    path = shell.folder / "s.yaml"
    path.write_text(path.read_text("utf-8").replace("kv-cache, lora", "optimizers"), "utf-8")
    assert shell.drills("schedules", "apply", "s.yaml", "--yes").code == 0
    team.forward(days=5)
    assert {r.topic for r in team.rounds("posted")} == {"optimizers"}


def test_where_sqlite_bears_one_process_alone_the_bot_must_be_stopped(
    shell: Shell, team: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.database.sqlite_module", lambda: (sqlite_module()[0], False))
    with ProcessLock(Path(str(team.app.database.path))) as lock:
        assert lock.try_acquire()
        told = shell.drills("schedules", "export")
    assert told.code == 2
    assert "Stop `drills run` first" in told.err


def test_aliases_of_aliases_do_not_grow_without_end() -> None:
    lines = [f"{b}: &{b} [*{a},*{a},*{a},*{a}]\n" for a, b in pairwise("abcdefghijklmnopqrstu")]
    with pytest.raises(ScheduleFileFault, match="alias"):
        read_schedules("a: &a [x,x]\n" + "".join(lines), "s.yaml", default_taxonomy())


def test_how_few_answers_show_a_distribution_stands_at_the_workspace(shell: Shell, team: Stage) -> None:
    shell.drills("schedules", "export", "s.yaml")
    path = shell.folder / "s.yaml"
    before = path.read_text("utf-8")
    assert "least: '5'" in before
    path.write_text(before.replace("least: '5'", "least: 3"), "utf-8")
    assert "least: 5 → 3" in shell.drills("schedules", "apply", "s.yaml", "--yes").out
    assert team.read(lambda tx: tx.exec(select(Workspace.least_shown)).one()) == 3
    assert shell.drills("schedules", "apply", "s.yaml", "--dry-run").code == 0
    path.write_text(before.replace("least: '5'", "least: 1"), "utf-8")
    refused = shell.drills("schedules", "apply", "s.yaml", "--yes")
    line = before[: before.index("least")].count("\n") + 1
    assert refused.err.startswith(f"s.yaml:{line}: least: ")


def test_what_was_agreed_to_is_what_is_done(shell: Shell, team: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody changes a schedule in chat while the command waits for its answer."""
    shell.drills("schedules", "export", "s.yaml")
    path = shell.folder / "s.yaml"
    path.write_text(path.read_text("utf-8").replace("time: 09:30", "time: 10:15"), "utf-8")

    def meanwhile(_: str) -> bool:
        team.save("setup time=08:00")
        return True

    with monkeypatch.context() as patch:
        patch.setattr("typer.confirm", meanwhile)
        done = shell.drills("schedules", "apply", "s.yaml")
    assert done.code != 0
    assert "changed since this was shown" in done.err
    assert team.schedule().at.strftime("%H:%M") == "08:00"
    assert shell.drills("schedules", "apply", "s.yaml", "--yes").code == 0
    assert team.schedule().at.strftime("%H:%M") == "10:15"


def test_it_waits_for_a_bot_that_writes(shell: Shell, team: Stage) -> None:
    """A write of the bot holds the database for longer than one wait."""
    shell.drills("schedules", "export", "s.yaml")
    path = shell.folder / "s.yaml"
    path.write_text(path.read_text("utf-8").replace("time: 09:30", "time: 10:15"), "utf-8")
    tried = threading.Event()

    def hold(tx: Session) -> None:
        tx.exec(select(Schedule)).one().told_used_up = False
        tx.flush()
        tried.wait(1.5)  # more than the second that SQLite waits

    held = team.app.database.write(hold)
    done = shell.drills("schedules", "apply", "s.yaml", "--yes")
    held.result()
    assert done.code == 0
    assert team.schedule().at.strftime("%H:%M") == "10:15"


def test_a_lone_surrogate_is_a_fault_of_the_file() -> None:
    with pytest.raises(ScheduleFileFault):
        read_schedules("workspaces: \ud800", "s.yaml", default_taxonomy())
