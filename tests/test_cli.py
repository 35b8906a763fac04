"""The ``drills`` command, run as people run it: exit codes, sentences, and nothing changed where it refuses."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.cli import main
from content.library import default_bank_path
from content.loader import load_bank
from content.question import from_plain
from storage.database import sqlite_module
from storage.lock import ProcessLock
from tests.usecases.stage import Stage

SECRET = "s3cr3t-value-9f"


@dataclass(frozen=True, slots=True)
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str


class Shell:
    """Runs ``drills`` in an empty folder without any DRILLS_ setting but those given."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, output: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._patch = patch
        self._output = output
        for name in [name for name in os.environ if name.startswith("DRILLS_")]:
            patch.delenv(name)
        patch.chdir(folder)

    def set(self, **settings: str) -> None:
        for name, value in settings.items():
            self._patch.setenv(f"DRILLS_{name}", value)

    def drills(self, *arguments: str, stdin: bytes = b"") -> Done:
        self._patch.setattr("sys.argv", ["drills", *arguments])
        self._patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self._output.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        sys.stdout.flush()
        said = self._output.readouterr()
        return Done(int(stop.value.code or 0), said.out, said.err)

    def refused(self, *arguments: str, stdin: bytes = b"") -> str:
        """The sentence of a command that must refuse with exit code 2, on standard error alone, and leave no file."""
        before = self.files()
        done = self.drills(*arguments, stdin=stdin)
        assert (done.code, done.out) == (2, ""), done
        assert "Traceback" not in done.err
        assert self.files() == before
        return done.err

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else b"folder"
            for path in sorted(self.folder.rglob("*"))
        }


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Shell:
    folder = tmp_path / "somewhere"
    folder.mkdir()
    return Shell(folder, monkeypatch, capfd)


# --- usage -------------------------------------------------------------------------------------------------------


def test_help_is_given_with_exit_code_0(shell: Shell) -> None:
    done = shell.drills("--help")
    assert done.code == 0
    for command in ("demo", "run", "simulate", "content", "db", "slack", "discord"):
        assert command in done.out


@pytest.mark.parametrize("group", [[], ["content"], ["db"], ["slack"], ["discord"]], ids=" ".join)
def test_the_list_of_commands_says_whole_sentences(shell: Shell, group: list[str]) -> None:
    listed = shell.drills(*group, "--help").out.partition("Commands:\n")[2].strip().splitlines()
    assert listed
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["content", "nonsense"], ["--nonsense"], ["content", "grade"], ["db", "restore"],
     ["discord", "invite"], ["discord", "invite", "x"], ["simulate", "--days", "0"], ["simulate", "--days", "many"],
     ["demo", "--port", "70000"]],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_is_exit_code_2_without_a_traceback(shell: Shell, arguments: list[str]) -> None:
    assert "Error" in shell.refused(*arguments)


# --- settings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLACK_BOT_TOKEN", f"xoxp-{SECRET}"),
        ("SLACK_BOT_TOKEN", f"xoxb-{SECRET}"),
        ("SLACK_APP_TOKEN", SECRET),
        ("SLACK_APP_TOKEN", f"xapp-{SECRET}"),
        ("SLACK_API_URL", SECRET),
        ("HTTP_PORT", SECRET),
        ("HTTP_PORT", "65536"),
        ("PUBLIC_URL", SECRET),
        ("LOG_LEVEL", SECRET),
    ],
)
def test_a_wrong_setting_is_one_sentence_that_names_it_and_not_its_value(shell: Shell, name: str, value: str) -> None:
    shell.set(**{name: value})
    for command in (["run"], ["db", "upgrade"], ["db", "check"], ["slack", "manifest"]):
        said = shell.refused(*command)
        assert said.startswith(f"DRILLS_{name}: ")
        assert said.count("\n") == 1
        assert SECRET not in said


@pytest.mark.parametrize(
    "url",
    [SECRET, "sqlite", "://", f"postgresql://user:{SECRET}@host/db", f"postgresql://user:{SECRET}@host:port/db",
     f"mysql+pymysql://user:{SECRET}@host/db", "sqlite:///folder", "sqlite:///file/drills.db"],
)  # fmt: skip
@pytest.mark.parametrize("command", ["upgrade", "check", "backup"])
def test_a_database_address_that_cannot_be_used_is_refused(shell: Shell, url: str, command: str) -> None:
    (shell.folder / "folder").mkdir()
    (shell.folder / "file").write_text("not a folder")
    shell.set(DATABASE_URL=url)
    said = shell.refused("db", command)
    assert "DRILLS_DATABASE_URL" in said
    assert said.count("\n") == 1
    assert SECRET not in said


def test_run_without_tokens_says_what_to_set_and_makes_nothing(shell: Shell) -> None:
    said = shell.refused("run")
    for named in ("DRILLS_SLACK_BOT_TOKEN", "DRILLS_SLACK_APP_TOKEN", "DRILLS_DISCORD_TOKEN", "drills demo"):
        assert named in said


def test_run_says_which_setting_a_slip_may_have_meant(shell: Shell) -> None:
    shell.set(SLACK_TOKEN=SECRET)
    said = shell.refused("run")
    assert said.startswith("DRILLS_SLACK_TOKEN is no setting")
    assert SECRET not in said


def test_run_on_a_port_that_is_taken_says_so_and_makes_nothing(shell: Shell) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        shell.set(DISCORD_TOKEN=SECRET, HTTP_PORT=str(taken.getsockname()[1]))
        said = shell.refused("run")
    assert said.startswith("DRILLS_HTTP_PORT: ")
    assert SECRET not in said


def test_run_with_a_bank_that_is_not_there_says_so_and_makes_nothing(shell: Shell) -> None:
    shell.set(DISCORD_TOKEN=SECRET, HTTP_PORT="0", BANK="no-such-folder")
    said = shell.refused("run")
    assert "no-such-folder" in said
    assert "Traceback" not in said


# --- database ----------------------------------------------------------------------------------------------------


def test_upgrade_makes_the_default_database_and_says_when_nothing_is_to_do(shell: Shell) -> None:
    assert "Made the database" in shell.drills("db", "upgrade").out
    assert (shell.folder / "data" / "drills.db").is_file()
    assert "up to date" in shell.drills("db", "upgrade").out
    assert list(shell.files()) == ["data", "data/drills.db"]


def test_commands_on_a_database_that_is_not_there_do_not_make_it(shell: Shell) -> None:
    for command in ("check", "backup"):
        assert "There is no database" in shell.refused("db", command)
    assert "There is no file" in shell.refused("db", "restore", "nothing.db")


def test_a_sound_database_is_called_sound(shell: Shell) -> None:
    shell.drills("db", "upgrade")
    done = shell.drills("db", "check")
    if sqlite_module()[1]:
        assert (done.code, done.out) == (0, "The database is sound.\n")
    else:  # a SQLite that can lose pages is a finding
        assert (done.code, "3.51.3" in done.out) == (1, True)


def test_dangling_rows_are_found_with_exit_code_1(shell: Shell, tmp_path: Path) -> None:
    with Stage(tmp_path) as stage:
        stage.save("setup time=09:30")
    raw = sqlite3.connect(tmp_path / "drills.db")
    raw.execute("DELETE FROM workspace")
    raw.commit()
    raw.close()
    shell.set(DATABASE_URL=f"sqlite:///{tmp_path / 'drills.db'}")
    done = shell.drills("db", "check")
    assert done.code == 1
    assert "rows point to rows that are gone" in done.out
    assert "drills db restore" in done.out


@pytest.mark.parametrize("command", ["upgrade", "backup"])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(shell: Shell, command: str) -> None:
    (shell.folder / "notes.db").write_bytes(b"dear diary " * 500)
    shell.set(DATABASE_URL="sqlite:///notes.db", DISCORD_TOKEN="x", HTTP_PORT="0")
    assert "cannot be used as a database" in shell.refused("db", command)
    assert "cannot be used as a database" in shell.refused("run")
    done = shell.drills("db", "check")
    assert (done.code, "no SQLite database" in done.out) == (1, True)


def test_another_programs_database_is_refused_and_left_as_it_is(shell: Shell) -> None:
    raw = sqlite3.connect(shell.folder / "other.db")
    raw.execute("CREATE TABLE song (title)")
    raw.commit()
    raw.close()
    shell.set(DATABASE_URL="sqlite:///other.db", DISCORD_TOKEN="x", HTTP_PORT="0")
    assert "not Team Drills'" in shell.refused("db", "upgrade")
    assert "not Team Drills'" in shell.refused("run")
    assert "no Team Drills database" in shell.refused("db", "restore", "other.db")


def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(shell: Shell) -> None:
    shell.drills("db", "upgrade")
    path = shell.folder / "data" / "drills.db"
    raw = sqlite3.connect(path)
    raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.commit()
    raw.execute("PRAGMA journal_mode = DELETE")
    raw.close()
    shell.set(DISCORD_TOKEN="x", HTTP_PORT="0")
    for command in (["db", "upgrade"], ["db", "backup"], ["run"]):
        said = shell.refused(*command)
        assert "revision 9999" in said
        assert said.count("\n") == 1
    assert "revision 9999" in shell.drills("db", "check").err + shell.drills("db", "check").out


def test_a_backup_is_verified_and_comes_back(shell: Shell, tmp_path: Path) -> None:
    """Also through a folder whose name has signs that mean something in addresses."""
    with Stage(tmp_path) as stage:
        stage.save("setup time=09:30 kinds=single")
        stage.local("2026-11-30 09:30")
        stage.right("noor")
    shell.set(DATABASE_URL=f"sqlite:///{tmp_path / 'drills.db'}")
    kept = shell.folder / "a #b%20?c 备份" / "kept.db"
    done = shell.drills("db", "backup", str(kept))
    assert done.code == 0, done.err
    assert "1 answers, verified." in done.out
    assert "exists already" in shell.refused("db", "backup", str(kept))
    (tmp_path / "drills.db").unlink()
    done = shell.drills("db", "restore", str(kept))
    assert done.code == 0, done.err
    assert "and 1 answers" in done.out
    with Stage(tmp_path) as stage:
        assert len(stage.answers()) == 1


def test_restore_refuses_damage_and_a_running_bot_and_keeps_what_was_there(shell: Shell, tmp_path: Path) -> None:
    shell.drills("db", "upgrade")
    path = shell.folder / "data" / "drills.db"
    shell.drills("db", "backup", "kept.db")
    whole = (shell.folder / "kept.db").read_bytes()
    (shell.folder / "cut.db").write_bytes(whole[: len(whole) // 2])
    said = shell.refused("db", "restore", "cut.db")
    assert "damaged" in said or "no SQLite database" in said
    with ProcessLock(path) as lock:
        assert lock.try_acquire()
        assert "stop it" in shell.refused("db", "restore", "kept.db")
    assert shell.drills("db", "restore", "kept.db").code == 0
    assert path.with_name("drills.db.before-restore").is_file()


def test_an_older_database_with_data_is_backed_up_before_it_is_upgraded(shell: Shell) -> None:
    """There is one revision yet, so the older one is an empty file: nothing to lose, nothing to back up."""
    (shell.folder / "data").mkdir()
    (shell.folder / "data" / "drills.db").touch()
    assert "Made the database" in shell.drills("db", "upgrade").out


# --- content -----------------------------------------------------------------------------------------------------


def test_grade_answers_a_list_with_a_list(shell: Shell) -> None:
    requests = [
        {"kind": "single", "options": 4, "answer": ["B"], "response": "b"},
        {"kind": "multiple", "options": 5, "answer": ["A", "C"], "response": ["A"]},
        {"kind": "blank", "accept": ["交叉熵"], "response": "交 叉 熵"},
        {"kind": "numeric", "value": 512, "unit": "MiB", "tolerance": 0.01, "response": "1/0"},
    ]
    done = shell.drills("content", "grade", "--json", "-", stdin=json.dumps(requests).encode())
    assert done.code == 0
    assert [one["credit"] for one in json.loads(done.out)] == [1.0, 0.5, 1.0, 0.0]
    (shell.folder / "requests.json").write_text("\ufeff[]", encoding="utf-8")
    assert json.loads(shell.drills("content", "grade", "--json", "requests.json").out) == []


@pytest.mark.parametrize(
    "given",
    [b"", b"{", b"{}", b"[1]", b"null", b'[{"kind": "essay"}]', b'[{"kind": "single"}]', b"\xff\xfe[", b"[" * 100_000,
     b'[{"kind": "numeric", "value": "many", "response": "1"}]',
     b'[{"kind": "numeric", "value": NaN, "response": "1"}]',
     b'[{"kind": "multiple", "options": 3, "answer": ["Z"], "response": ["A"]}]',
     b'[{"kind": "single", "options": 1e99, "answer": ["A"], "response": "A"}]'],
)  # fmt: skip
def test_requests_that_cannot_be_understood_are_refused_in_a_sentence(shell: Shell, given: bytes) -> None:
    said = shell.refused("content", "grade", "--json", "-", stdin=given)
    assert 20 < len(said) < 600


def test_a_file_that_cannot_be_read_is_named(shell: Shell) -> None:
    assert "nothing.json cannot be read" in shell.refused("content", "grade", "--json", "nothing.json")


def test_show_prints_a_question_whole_and_suggests_near_ids(shell: Shell) -> None:
    question = load_bank(default_bank_path()).questions[0]
    done = shell.drills("content", "show", question.id)
    assert from_plain(json.loads(done.out)) == question
    said = shell.refused("content", "show", question.id[:-1] + "~")
    assert "did you mean" in said
    assert question.id in said
    assert "no question" in shell.refused("content", "show", "火星")


def test_lint_has_exit_code_1_for_a_flaw_and_0_for_the_shipped_bank(shell: Shell) -> None:
    (shell.folder / "flawed.yaml").write_text("- id: x\n")
    done = shell.drills("content", "lint", "flawed.yaml")
    assert done.code == 1
    assert "flawed.yaml:1:" in done.out
    assert shell.drills("content", "lint").code == 0


def test_a_document_that_is_not_there_or_not_readable_is_refused(shell: Shell) -> None:
    (shell.folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(2000))
    for name in ("nothing.txt", "photo.jpg"):
        assert name in shell.refused("content", "import", name)


def test_a_document_without_a_question_is_exit_code_1(shell: Shell) -> None:
    """What follows it on a command line is not started."""
    (shell.folder / "notes.txt").write_text("Nothing to ask here.", encoding="utf-8")
    done = shell.drills("content", "import", "notes.txt", "--to", "drafts")
    assert done.code == 1
    assert "E-NOQUESTIONS" in done.out
    (shell.folder / "exam.txt").write_text("1. ZeRO shards states. (True)\nAnswer: True", encoding="utf-8")
    assert shell.drills("content", "import", "exam.txt", "--to", "drafts").code == 0


@pytest.mark.parametrize("options", [["--zone", "Mars/Base"], ["--faults", "some"]], ids=" ".join)
def test_a_simulation_that_cannot_be_run_is_refused(shell: Shell, options: list[str]) -> None:
    assert options[1] in shell.refused("simulate", "--days", "1", *options)


@pytest.mark.parametrize("options", [["--lang", "xx"], ["--bank", "no-such-folder"]], ids=" ".join)
def test_a_demo_that_cannot_be_run_is_refused(shell: Shell, options: list[str]) -> None:
    assert options[1] in shell.refused("demo", "--once", "--port", "0", *options)


def test_the_installed_command_is_the_same(shell: Shell) -> None:
    """``drills`` stands beside the interpreter after ``make setup``."""
    command = Path(sys.executable).with_name("drills")
    if not command.exists():
        pytest.skip("the package is not installed beside this interpreter; make setup does that")
    done = subprocess.run([command, "nonsense"], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_output_can_be_cut_off(shell: Shell) -> None:
    """``drills content lint | head -1`` ends without a traceback."""
    if shutil.which("head") is None:
        pytest.skip("there is no head here; it comes with coreutils")
    line = f"{sys.executable} -m bot.cli content lint | head -1"
    done = subprocess.run(line, shell=True, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


# --- keys --------------------------------------------------------------------------------------------------------


def test_keys_are_changed_by_a_command(shell: Shell) -> None:
    """Old key, both keys, `drills slack rotate-keys`, new key; what cannot be is one sentence and changes nothing."""
    from datetime import UTC, datetime

    from storage import installations
    from storage.database import Database
    from storage.installations import Grant
    from storage.migrate import upgrade
    from storage.seal import Keyring

    old, new, now = bytes(range(32)).hex(), bytes(range(60, 92)).hex(), datetime(2026, 11, 30, tzinfo=UTC)
    assert "DRILLS_SECRET_KEY" in shell.refused("slack", "rotate-keys")
    shell.set(SECRET_KEY=f"{new},{old}", DATABASE_URL="sqlite:///drills.db")
    assert "drills db upgrade" in shell.refused("slack", "rotate-keys")
    upgrade("sqlite:///drills.db")
    with Database("sqlite:///drills.db") as database:
        grant = Grant("T1", "xoxb-one", "U1", "B1")
        database.write(lambda tx: installations.save(tx, Keyring.parse(old), "slack", grant, now)).result()
    shell.set(SECRET_KEY=new)
    done = shell.drills("slack", "rotate-keys")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("A token is sealed with the key ")
    shell.set(SECRET_KEY=f"{new},{old}")
    assert "1 workspace sealed" in shell.drills("slack", "rotate-keys").out
    assert shell.drills("slack", "rotate-keys").out.endswith("0 of them anew.\n")
    with Database("sqlite:///drills.db") as database:
        held = database.read(lambda tx: installations.held(tx, Keyring.parse(new), "slack", "T1", now)).result()
    assert held is not None
    assert held.grant.token == "xoxb-one"


def test_the_manifest_is_for_one_way_in(shell: Shell) -> None:
    """Over HTTP the address stands in it; two ways at once, or an address that Slack does not take, is refused."""
    made = json.loads(shell.drills("slack", "manifest", "--http", "https://drills.example.org").out)
    assert made["settings"]["socket_mode_enabled"] is False
    assert made["oauth_config"]["redirect_urls"] == ["https://drills.example.org/slack/oauth_redirect"]
    assert json.loads(shell.drills("slack", "manifest").out)["settings"]["socket_mode_enabled"] is True
    assert "not both" in shell.refused("slack", "manifest", "--socket", "--http", "https://drills.example.org")
    assert "https://" in shell.refused("slack", "manifest", "--http", "http://drills.example.org")
    assert "DRILLS_PUBLIC_URL" in shell.refused("slack", "manifest", "--rotate")
    assert "chat:write" in shell.drills("slack", "manifest", "--explain").out
