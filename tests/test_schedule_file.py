"""Schedules in git: what is exported is applied unchanged, every fault is said with its line, nothing is half done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from sqlmodel import col, select

from bot.schedule_file import ScheduleFileFault, read_schedules
from content.taxonomy import default_taxonomy
from storage.tables import AuditRow, Round, Schedule, SchedulePause
from tests.test_cli import Shell
from tests.usecases.stage import Stage


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    yield Shell(tmp_path, monkeypatch, capsys)


@pytest.fixture
def team(shell: Shell) -> Stage:
    """A workspace with one channel; the bot runs meanwhile."""
    with Stage(shell.folder) as stage:
        shell.set(DATABASE_URL=stage.app.settings.database_url)
        stage.save("setup time=09:30 days=mon-fri topics=kv-cache,lora zone=Asia/Shanghai")
        stage.admin("holiday 2027-12-24")
        yield stage  # type: ignore[misc]


def test_what_is_exported_is_applied_unchanged(shell: Shell, team: Stage) -> None:
    """Also twice, and while the bot has the database open."""
    assert shell.drills("schedules", "export", "s.yaml").code == 0
    text = (shell.folder / "s.yaml").read_text("utf-8")
    assert "zone: Asia/Shanghai" in text
    assert "2027-12-24" in text
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
    channel |= {"time": "10:15", "topics": "all", "extra": ["2027-12-25"]}
    plain["workspaces"][0]["channels"].append({"id": "C2", "name": "新频道", "days": "周一到周三", "language": "zh"})
    path.write_text(yaml.safe_dump(plain, allow_unicode=True), "utf-8")
    done = shell.drills("schedules", "apply", "s.yaml", "--dry-run")
    assert done.code == 1
    assert "time: 09:30 → 10:15" in done.out
    assert "topics: kv-cache, lora → all" in done.out
    assert "extra:  → 2027-12-25" in done.out
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
    assert "(paused)" in shell.drills("schedules", "apply", "s.yaml", "--yes", "--prune").out
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
