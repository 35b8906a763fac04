"""Backups: whole while the bot writes, verified, and put back without losing what they replace."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, select

from storage.backup import backup, check, restore, upgrade_safely, verify
from storage.database import Database, DatabaseFault, open_engine, sqlite_module
from storage.lock import ProcessLock
from storage.migrate import newest_revision
from storage.tables import Workspace

NOW = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)


def add(name: str) -> Callable[[Session], None]:
    return lambda tx: tx.add(Workspace(platform="slack", external_id=name, created_at=NOW))


def names(url: str) -> list[str]:
    with Database(url) as database:
        return list(database.read(lambda tx: tx.exec(select(Workspace.external_id)).all()).result())


@pytest.fixture
def path(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


# --- making ---------------------------------------------------------------------------------------------------------


def test_a_backup_made_while_the_bot_writes_is_one_consistent_state(url: str, tmp_path: Path) -> None:
    """Two rows a transaction, hundreds of transactions: every backup holds whole pairs, and nobody is held up."""
    stop = threading.Event()
    written = 0
    with Database(url) as database:

        def pair(number: int) -> Callable[[Session], None]:
            def verb(tx: Session) -> None:
                add(f"{number}-left")(tx)
                tx.flush()
                add(f"{number}-right")(tx)

            return verb

        def write() -> None:
            nonlocal written
            while not stop.is_set():
                database.write(pair(written)).result()
                written += 1

        writer = threading.Thread(target=write)
        writer.start()
        while written < 20:
            pass
        reports = [backup(url, tmp_path / f"{number}.db", NOW) for number in range(3)]
        stop.set()
        writer.join()
    counts = []
    for report in reports:
        rows = names(f"sqlite:///{report.path}")
        left = {name.split("-")[0] for name in rows if name.endswith("left")}
        assert left == {name.split("-")[0] for name in rows if name.endswith("right")}
        counts.append(len(left))
    assert counts == sorted(counts)
    assert 20 <= counts[0] <= written


def test_a_backup_has_the_time_in_its_name_and_leaves_no_half_file(url: str, path: Path, tmp_path: Path) -> None:
    report = backup(url, None, NOW)
    assert report.path == path.with_name("drills-20261130T093000Z.backup.db")
    assert report.revision == newest_revision()
    folder = tmp_path / "kept"
    folder.mkdir()
    assert backup(url, folder, NOW).path == folder / "drills-20261130T093000Z.backup.db"
    with pytest.raises(DatabaseFault, match="exists already: give the backup another name"):
        backup(url, None, NOW)
    assert not list(tmp_path.rglob("*.partial"))


@pytest.mark.parametrize("address", ["sqlite://", "sqlite:///missing/drills.db"])
def test_what_is_no_file_cannot_be_backed_up(address: str) -> None:
    with pytest.raises(DatabaseFault):
        backup(address, None, NOW)


@pytest.mark.parametrize("place", ["file/copy.db", "file", "nowhere/" + 300 * "x" + ".db"])
def test_a_backup_that_cannot_be_written_is_refused_in_one_sentence(url: str, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DatabaseFault, match=r"choose another place|give the backup another name"):
        backup(url, tmp_path / place, NOW)
    assert (tmp_path / "file").read_text() == "not a folder"
    assert not list(tmp_path.rglob("*.partial"))


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no folder on this machine refuses files to everybody")
@pytest.mark.parametrize("verb", [
    lambda url: upgrade_safely(url, NOW),
    lambda url: ProcessLock(Path(url.removeprefix("sqlite:///"))).try_acquire(),
])  # fmt: skip
def test_a_folder_in_which_nothing_can_be_made_is_said_in_one_sentence(verb: Callable[[str], object]) -> None:
    with pytest.raises(DatabaseFault) as fault:
        verb("sqlite:////proc/self/drills.db")
    assert str(fault.value).startswith("/proc/self/drills.db")
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("verb", [check, lambda url: backup(url, None, NOW), lambda url: upgrade_safely(url, NOW)])
def test_a_path_that_no_file_can_have_is_said_in_one_sentence(verb: Callable[[str], object], tmp_path: Path) -> None:
    with pytest.raises(DatabaseFault, match=r"cannot be used \(File name too long\): "):
        verb(f"sqlite:///{tmp_path}/{300 * 'x'}.db")


# --- putting back ---------------------------------------------------------------------------------------------------


def kept_and_changed(url: str) -> Path:
    with Database(url) as database:
        database.write(add("before")).result()
        kept = backup(url, None, NOW).path
        database.write(add("after")).result()
    return kept


def test_restore_brings_the_backup_back_and_keeps_what_it_replaces(url: str, path: Path) -> None:
    report = restore(url, kept_and_changed(url), NOW)
    assert report.path == path
    assert names(url) == ["before"]
    assert sorted(names(f"sqlite:///{path}.before-restore")) == ["after", "before"]
    assert not path.with_name("drills.db.restoring").exists()
    assert check(url) == []


def test_a_restore_can_be_undone_with_all_that_a_killed_bot_left_in_its_log(url: str, path: Path) -> None:
    """The rows in the ``-wal`` file beside a database are part of it."""
    kept = kept_and_changed(url)
    raw = sqlite_module()[0].connect(str(path), isolation_level=None)
    raw.execute("PRAGMA wal_autocheckpoint = 0")
    raw.execute(f"INSERT INTO workspace (platform, external_id, name, created_at) VALUES ('slack','log','','{NOW}')")
    restore(url, kept, NOW)  # the connection is still open, as if its process had died
    raw.close()
    restore(url, path.with_name("drills.db.before-restore"), NOW)
    assert sorted(names(url)) == ["after", "before", "log"]


def test_restore_is_refused_while_a_bot_holds_the_database(url: str, path: Path) -> None:
    kept = kept_and_changed(url)
    with ProcessLock(path) as bot:
        assert bot.try_acquire()
        with pytest.raises(DatabaseFault, match="The bot is running on this database: stop it, then restore"):
            restore(url, kept, NOW)
    assert sorted(names(url)) == ["after", "before"]


def damaged(kept: Path) -> None:
    content = bytearray(kept.read_bytes())
    content[4096:12288] = b"\xa5" * 8192
    kept.write_bytes(content)


def cut(kept: Path) -> None:
    kept.write_bytes(kept.read_bytes()[:-5000])


def letter(kept: Path) -> None:
    kept.write_text("Dear operator, this is no database. " * 500)


def foreign(kept: Path) -> None:
    kept.unlink()
    raw = sqlite_module()[0].connect(str(kept))
    raw.execute("CREATE TABLE invoices (id INTEGER)")
    raw.close()


def newer(kept: Path) -> None:
    raw = sqlite_module()[0].connect(str(kept), isolation_level=None)
    raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()


@pytest.mark.parametrize("spoil", [damaged, cut, letter, foreign, newer, Path.unlink])
def test_what_is_no_sound_backup_is_refused_in_one_sentence_and_nothing_is_touched(
    url: str, path: Path, spoil: Callable[[Path], None]
) -> None:
    kept = kept_and_changed(url)
    spoil(kept)
    with pytest.raises(DatabaseFault) as fault:
        restore(url, kept, NOW)
    sentence = str(fault.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert sorted(names(url)) == ["after", "before"]
    assert not path.with_name("drills.db.before-restore").exists()
    assert not path.with_name("drills.db.restoring").exists()


def test_a_restore_that_fails_leaves_the_database_where_it_was(
    url: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = kept_and_changed(url)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(DatabaseFault, match=r"No space left on device\): nothing is changed; make room"):
        restore(url, kept, NOW)
    assert sorted(names(url)) == ["after", "before"]


# --- looking --------------------------------------------------------------------------------------------------------


def test_check_says_what_is_wrong_with_its_cure(url: str, path: Path) -> None:
    assert check(url) == []
    raw = sqlite_module()[0].connect(str(path), isolation_level=None)
    raw.execute("INSERT INTO memberpause (member_id, starts_at) VALUES (77, '2026-11-30')")
    raw.close()
    assert check(url) == ["1 rows point to rows that are gone: restore a backup with `drills db restore`."]
    letter(path)
    assert check(url) == ["The file is no SQLite database, or is damaged: restore a backup with `drills db restore`."]


def test_verify_counts_and_writes_nothing(url: str) -> None:
    kept = kept_and_changed(url)
    content = kept.read_bytes()
    report = verify(kept)
    assert (report.rounds, report.answers, report.size) == (0, 0, len(content))
    assert kept.read_bytes() == content
    assert sorted(found.name for found in kept.parent.glob(f"{kept.name}*")) == [kept.name]


def test_an_upgrade_of_a_file_with_data_is_backed_up_first(tmp_path: Path) -> None:
    from alembic import command

    from storage.migrate import _config

    url = f"sqlite:///{tmp_path / 'drills.db'}"
    engine = open_engine(url)
    command.upgrade(_config(engine), "0001")
    engine.dispose()
    said = upgrade_safely(url, NOW)
    assert said.startswith(f"Upgraded from revision 0001 to {newest_revision()}; the backup of before is ")
    assert verify(tmp_path / "drills-20261130T093000Z.backup.db").revision == "0001"
    assert upgrade_safely(url, NOW + timedelta(minutes=1)) == (
        f"The database is up to date (revision {newest_revision()})."
    )
