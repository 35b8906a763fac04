"""The demo from the outside: what its terminal tells, what it leaves behind, how it ends."""

from __future__ import annotations

import io
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from rich.console import Console

from bot.demo import DemoOptions, run_demo
from bot.demo.options import check
from bot.demo.team import TEAM, response_of, visits
from bot.demo.week import KIND_OF_DAY, languages_for, plan_week
from content.grading import grade
from content.library import Library, default_bank_path
from content.loader import load_bank
from content.question import Kind, Option, Question, Text

ROOT = Path(__file__).parents[2]
MONDAY = date(2026, 11, 30)


def play(folder: Path, **changes: object) -> tuple[int, str]:
    """A quick week; the exit code and what was told."""
    told = io.StringIO()
    console = Console(file=told, width=200, highlight=False)
    options = DemoOptions(once=True, port=0, seconds=3, folder=folder / "demo", zone="Europe/Berlin", monday=MONDAY)
    return run_demo(replace(options, **changes), console), told.getvalue()  # type: ignore[arg-type]


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "demo" / "drills.db") as database:
        return database.execute(query).fetchall()


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A week that was played once: its folder and what was told."""
    folder = tmp_path_factory.mktemp("week")
    code, told = play(folder)
    assert code == 0
    return folder, told


def test_a_week_asks_every_kind_and_posts_its_board(week: tuple[Path, str]) -> None:
    """Six days show the six kinds; each is posted, answered, closed with its key, and the board follows on Monday."""
    folder, told = week
    kinds = [row[0] for row in rows(folder, "select json_extract(plain, '$.kind') from questionsnapshot")]
    assert {kind.value for kind in Kind} <= set(kinds)
    assert re.findall(r"● Daily drill #(\d+)", told) == [str(number) for number in range(1, 8)]
    assert told.count("■ ") == 6
    assert "Board of the week · Mon 30 Nov – Sun 6 Dec" in told
    assert rows(folder, "select count(*) from board where posted_at is not null") == [(1,)]
    assert rows(folder, "select count(*) from delivery where state not in ('sent', 'waiting')") == [(0,)]


def test_the_terminal_tells_who_answered_and_never_what(week: tuple[Path, str]) -> None:
    """Before its close a round's telling holds names alone: no choice, no key, no verdict."""
    folder, told = week
    names = {mate.person.name for mate in TEAM}
    lines = [line for line in told.splitlines() if "answered" in line and "Answered" not in line]
    assert len(lines) >= 30
    for line in lines:
        found = re.fullmatch(r"\d\d:\d\d  (.+) answered( late: no points, the streak goes on)?", line.strip())
        assert found, line
        assert found[1] in names
    assert any("late" in line for line in lines)
    assert len(lines) == rows(folder, "select count(*) from answer")[0][0]


def test_the_board_is_a_table_and_a_picture(week: tuple[Path, str]) -> None:
    """The table has the members' points; the picture file is where the terminal says."""
    folder, told = week
    picture = folder / "demo" / "board-2026-W49.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture) in told.replace("\n", "")
    (best,) = rows(
        folder,
        "select m.name from answer a join member m on m.id = a.member_id where a.late = 0 "
        "group by m.id order by sum(a.points) desc, lower(m.name) limit 1",
    )
    table = [line for line in told.splitlines() if line.startswith("│ 1 ")]
    assert str(best[0]) in table[0]


def test_a_second_run_starts_fresh_and_keep_goes_on(tmp_path: Path) -> None:
    """Without --keep the demo's own files are made anew and no other is touched; with it the next week follows."""
    assert play(tmp_path)[0] == 0
    (tmp_path / "demo" / "notes.txt").write_text("mine")
    (tmp_path / "demo" / "board-2020-W01.png").write_text("old")
    code, told = play(tmp_path, keep=True)
    assert code == 0
    assert re.findall(r"● Daily drill #(\d+)", told) == [str(number) for number in range(8, 14)]
    assert "Going on with the database" in told
    assert (tmp_path / "demo" / "board-2026-W50.png").exists()
    assert rows(tmp_path, "select count(*) from round where state = 'posted'") == [(13,)]
    code, told = play(tmp_path)
    assert code == 0
    assert "● Daily drill #1 " in told
    assert rows(tmp_path, "select count(*) from round where state = 'posted'") == [(7,)]
    assert (tmp_path / "demo" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "demo" / "board-2026-W50.png").exists()


def test_the_narration_speaks_chinese(tmp_path: Path) -> None:
    """With --lang zh the terminal and the shared cards are Chinese."""
    code, told = play(tmp_path, language="zh", seconds=2)
    assert code == 0
    assert "已作答" in told
    assert "每日一题 #1 · Daily drill #1" in told
    assert "answered" not in told


def chinese_draft(number: int) -> str:
    return (
        f"- id: exam-{number}\n  kind: single\n  topic: kv-cache\n  difficulty: 2\n  status: draft\n"
        f"  prompt: {{zh: 第 {number} 题：缓存里存的是什么？}}\n"
        "  options:\n"
        "    - {key: a, text: {zh: 键和值}, correct: true}\n"
        "    - {key: b, text: {zh: 查询}}\n"
        "    - {key: c, text: {zh: 权重}}\n"
    )


def test_drafts_in_one_language_are_drilled_in_it(tmp_path: Path) -> None:
    """--bank drills on imported drafts at once, in the language they have."""
    bank = tmp_path / "bank"
    bank.mkdir()
    (bank / "exam.yaml").write_text("".join(chinese_draft(number) for number in range(8)), encoding="utf-8")
    code, told = play(tmp_path, bank=bank, seconds=2)
    assert code == 0
    assert "缓存里存的是什么" in told
    assert ", 8 questions" in told
    assert rows(tmp_path, "select languages from schedule") == [('["zh"]',)]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"language": "fr"}, "--lang en or --lang zh"),
        ({"port": 70000}, "--port"),
        ({"seconds": 0}, "--seconds"),
        ({"bank": Path("no-such-folder")}, "no folder no-such-folder"),
    ],
)
def test_a_wrong_option_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], sentence: str
) -> None:
    """Exit code 2, one line on standard error with the cure, and nothing is made."""
    assert play(tmp_path, **changes)[0] == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert "\n" not in said
    assert not (tmp_path / "demo").exists()


def test_an_empty_or_broken_bank_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A bank without a question that can be asked, or with a fault, stops the demo before anything is made."""
    bank = tmp_path / "bank"
    bank.mkdir()
    assert play(tmp_path, bank=bank)[0] == 2
    assert "there is no question file" in capsys.readouterr().err
    keyless = chinese_draft(1).replace(", correct: true", "")
    (bank / "exam.yaml").write_text(keyless, encoding="utf-8")
    assert play(tmp_path, bank=bank)[0] == 2
    assert "no question" in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()


def test_a_folder_in_the_way_and_a_lost_journal_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file named demo, or a kept database without its journal, gets a sentence."""
    (tmp_path / "demo").write_text("a file")
    assert play(tmp_path)[0] == 2
    assert "cannot be used" in capsys.readouterr().err
    (tmp_path / "demo").unlink()
    assert play(tmp_path, seconds=1)[0] == 0
    (tmp_path / "demo" / "chat.jsonl").unlink()
    assert play(tmp_path, keep=True)[0] == 2
    assert "without --keep" in capsys.readouterr().err
    assert (tmp_path / "demo" / "drills.db").exists()


def test_a_taken_port_is_left_alone(tmp_path: Path) -> None:
    """The page moves to a free port, and the terminal says so."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, told = play(tmp_path, port=port, seconds=1)
    assert code == 0
    assert f"Port {port} is taken" in told


def test_the_week_takes_about_as_long_as_asked() -> None:
    """The options that the command line allows are allowed here."""
    check(DemoOptions(seconds=3600, port=65535))
    check(DemoOptions(seconds=1, port=0))


# --- as a program ----------------------------------------------------------------------------------------------


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DRILLS_")}
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    # Settings of the real bot must not matter: the demo never touches its database.
    environment["DRILLS_DATABASE_URL"] = "sqlite:///not-the-demo.db"
    environment["DRILLS_SLACK_BOT_TOKEN"] = "nonsense"
    command = [sys.executable, "-m", "bot.cli", "demo", "--port", "0", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")


def read_until(process: subprocess.Popen[str], wanted: str) -> str:
    assert process.stdout is not None
    told = ""
    for line in process.stdout:
        told += line
        if wanted in line:
            return told
    raise AssertionError(f"the demo ended without saying {wanted!r}:\n{told}")


def test_the_command_plays_a_week_and_ends(tmp_path: Path) -> None:
    """``drills demo --once`` exits 0, plain where no terminal is, and touches its own folder alone."""
    process = started(tmp_path, "--once", "--seconds", "4")
    told, faults = process.communicate(timeout=100)
    assert process.returncode == 0, faults
    assert faults == ""
    assert "\x1b" not in told
    assert re.search(r"demo.board-\d{4}-W\d\d\.png", told)
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_stop(tmp_path: Path, number: signal.Signals) -> None:
    """After the week the page stays; *Next day* plays one more; a signal ends it without a traceback, with exit 0."""
    process = started(tmp_path, "--seconds", "2")
    try:
        told = read_until(process, "The page stays at")
        url = re.search(r"http://127\.0\.0\.1:\d+", told)
        assert url is not None
        page = httpx.post(f"{url[0]}/join", data={"name": "Robin"}, follow_redirects=True)
        assert "message--new" in page.text
        assert "Board of the week" in page.text
        httpx.post(f"{url[0]}{page.url.path}/go-on")
        assert "■ " in read_until(process, "Daily drill #8")
        process.send_signal(number)
        rest, faults = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 0
    assert faults == ""
    assert "drills demo --keep" in rest


def test_a_signal_in_the_middle_of_the_week_ends_it_at_once(tmp_path: Path) -> None:
    """Stopped on Tuesday, the week goes on later where it was left."""
    process = started(tmp_path, "--seconds", "60")
    try:
        read_until(process, "Daily drill #1")
        process.send_signal(signal.SIGINT)
        _, faults = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, faults) == (0, "")
    process = started(tmp_path, "--once", "--keep", "--seconds", "3")
    told, faults = process.communicate(timeout=100)
    assert (process.returncode, faults) == (0, "")
    assert re.findall(r"● Daily drill #(\d+)", told) == ["2", "3", "4", "5", "6", "7"]
    assert "Board of the week" in told


def test_two_demos_do_not_share_a_folder(tmp_path: Path) -> None:
    """The second says so and leaves the first alone."""
    first = started(tmp_path, "--seconds", "60")
    try:
        read_until(first, "Daily drill #1")
        second = started(tmp_path, "--once")
        _, faults = second.communicate(timeout=60)
        assert second.returncode == 2
        assert "runs in demo already" in faults
        assert first.poll() is None
    finally:
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=20)


def test_the_clock_waits_for_a_visitor(tmp_path: Path) -> None:
    """While a page is connected the clock stays at a question; once its reader has answered the day goes on."""
    process = started(tmp_path, "--seconds", "20")
    try:
        told = read_until(process, "The channel is at")
        url = re.search(r"http://127\.0\.0\.1:\d+", told)
        assert url is not None
        with httpx.Client(base_url=url[0], timeout=30) as client:
            page = client.post("/join", data={"name": "Robin"}, follow_redirects=True)
            member = page.url.path.split("/")[2]
            with client.stream("GET", f"/as/{member}/events") as stream:
                told = read_until(process, "The clock waits for Robin")
                states = (line for line in stream.iter_lines() if '"state": "waiting"' in line)
                assert next(states)
                html = client.get(page.url.path).text
                action = re.findall(r'value="(answer:\d+:\w+)"', html)[-1]
                client.post(f"{page.url.path}/tap", data={"action": action, "from": "m1"})
                told += read_until(process, "■ ")
            assert "Robin answered" in told
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 0


# --- the team and its week --------------------------------------------------------------------------------------


def test_a_skilled_teammate_is_right_more_often() -> None:
    """What each would answer is graded by the real grading; skill shows over the whole bank, and none is perfect."""
    library = load_bank(default_bank_path())
    graded = {
        mate.person.id: sum(float(grade(q, response_of(mate, q, "seed")).credit) for q in library if q.kind != "case")
        for mate in TEAM
    }
    most = sum(1 for question in library if question.kind != "case")
    assert graded["xiaolin"] > graded["sam"]
    assert all(0.2 * most < credit < 0.98 * most for credit in graded.values())


def test_visits_stay_within_the_round_or_come_late() -> None:
    """Nobody comes before the post; who comes after the close is marked late and comes the same day."""
    posted = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
    closes = posted + timedelta(hours=8)
    every = [visit for number in range(60) for visit in visits(number, "m1", posted, closes, "seed")]
    assert any(visit.late for visit in every)
    for visit in every:
        assert posted < visit.at
        assert (visit.at < closes) is not visit.late
        assert visit.at < closes + timedelta(hours=24)


def test_each_day_of_the_week_has_its_kind() -> None:
    """Topics of a day have questions of its kind alone, and no topic serves two days."""
    library, topics = plan_week(load_bank(default_bank_path()), ("en", "zh"))
    assert set(topics) == set(KIND_OF_DAY)
    named = [topic for found in topics.values() for topic in found]
    assert len(named) == len(set(named))
    for day, found in topics.items():
        for topic in found:
            assert {question.kind for question in library.by_topic(topic)} == {KIND_OF_DAY[day]}


def test_a_small_bank_is_asked_as_it_comes() -> None:
    """With few topics no day gets its own, and no question is left out; the language is the one most have."""

    def question(number: int, prompt: Text) -> Question:
        options = (Option("a", prompt, True), Option("b", prompt))
        return Question(f"q-{number}", Kind.SINGLE, f"topic-{number}", 1, prompt, options=options)

    zh = Library.of([question(number, Text("", "题")) for number in range(3)])
    assert plan_week(zh, ("zh",)) == (zh, {})
    assert languages_for(zh, "en") == ("zh",)
    both = Library.of([question(number, Text("q", "题")) for number in range(3)])
    assert languages_for(both, "zh") == ("zh", "en")
    assert languages_for(both, "en") == ("en", "zh")
