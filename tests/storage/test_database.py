"""The writer: one commit for all that wait, each verb's error its own, no success told before it is durable."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError
from sqlmodel import Session, select

import storage.database
from storage import members
from storage.database import Database, DatabaseFault, is_mended, open_engine, sqlite_module, sqlite_path
from storage.tables import Member, QuestionSnapshot, Workspace

DRIVER = sqlite_module()[0]
"""The same SQLite as the product's: two libraries in one process do not see each other's locks."""

NOW = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)


def add(name: str) -> Callable[[Session], str]:
    def verb(tx: Session) -> str:
        tx.add(Workspace(platform="slack", external_id=name, created_at=NOW))
        return name

    return verb


def fails(tx: Session) -> None:
    tx.add(Workspace(platform="slack", external_id="failed", created_at=NOW))
    tx.flush()
    raise ValueError("on purpose")


def names(tx: Session) -> set[str]:
    return set(tx.exec(select(Workspace.external_id)))


def names_in(path: Path) -> set[str]:
    """What another process sees."""
    other = DRIVER.connect(str(path))
    found = {row[0] for row in other.execute("SELECT external_id FROM workspace")}
    other.close()
    return found


class Held:
    """Holds the writer in a verb, so that what is written meanwhile shares the next commit."""

    def __init__(self, database: Database) -> None:
        self._go = threading.Event()
        self._begun = threading.Event()
        self.future = database.write(self._wait)
        assert self._begun.wait(10)

    def _wait(self, tx: Session) -> None:
        self._begun.set()
        assert self._go.wait(10)

    def let_go(self) -> None:
        self._go.set()
        self.future.result(10)


# --- what is shared, and what is not --------------------------------------------------------------------------------


def test_verbs_that_wait_share_a_commit_and_one_error_undoes_one_verb_alone(database: Database) -> None:
    held = Held(database)
    futures = [database.write(verb) for verb in (add("a"), fails, add("b"), add("a"))]
    held.let_go()
    assert futures[0].result(10) == "a"
    assert futures[2].result(10) == "b"
    with pytest.raises(ValueError, match="on purpose"):
        futures[1].result(10)
    with pytest.raises(IntegrityError):
        futures[3].result(10)
    assert database.read(names).result() == {"a", "b"}


def test_success_is_told_only_when_another_process_can_see_the_row(database: Database) -> None:
    assert database.path is not None
    path, seen = database.path, {}
    held = Held(database)
    futures = [database.write(add(name)) for name in ("a", "b")]
    for name, future in zip("ab", futures, strict=True):
        future.add_done_callback(lambda _, name=name: seen.update({name: names_in(path)}))  # type: ignore[misc]
    held.let_go()
    database.close()
    assert seen == {"a": {"a", "b"}, "b": {"a", "b"}}


def test_when_the_shared_commit_fails_everybody_hears_of_it_and_nothing_is_stored(database: Database) -> None:
    def dangling(tx: Session) -> None:
        # A foreign key that is looked at only at the commit.
        tx.connection().execute(text("PRAGMA defer_foreign_keys = ON"))
        tx.connection().execute(text("INSERT INTO memberpause (member_id, starts_at) VALUES (77, '2026-11-30')"))

    held = Held(database)
    futures: list[Future[object]] = [database.write(add("a")), database.write(dangling), database.write(add("b"))]
    held.let_go()
    for future in futures:
        with pytest.raises(IntegrityError):
            future.result(10)
    assert database.read(names).result() == set()
    assert database.write(add("later")).result(10) == "later"


def test_a_reader_sees_what_is_committed_and_nothing_else(database: Database) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(tx: Session) -> None:
        add("slow")(tx)
        tx.flush()
        begun.set()
        assert go.wait(10)

    writing = database.write(slow)
    assert begun.wait(10)
    assert database.read(names).result(10) == set()
    go.set()
    writing.result(10)
    assert database.read(names).result(10) == {"slow"}


# --- a full disk and a busy file ------------------------------------------------------------------------------------


def _fill(tx: Session) -> None:
    """More than the pages that are left hold."""
    tx.add(QuestionSnapshot(fingerprint="f", question_id="q", version=1, plain={"text": "x" * 4_000_000}))
    tx.flush()


@pytest.fixture
def nearly_full(database: Database) -> Database:
    def limit(tx: Session) -> None:
        pages = tx.connection().execute(text("PRAGMA page_count")).scalar_one()
        tx.connection().execute(text(f"PRAGMA max_page_count = {pages + 20}"))

    database.write(limit).result()
    return database


def test_a_full_disk_in_the_midst_of_a_batch_leaves_nobody_told_of_a_row_that_is_not_there(
    nearly_full: Database,
) -> None:
    """SQLite undoes the whole transaction by itself when the disk is full, savepoints and all."""
    held = Held(nearly_full)
    verbs: list[Callable[[Session], object]] = [add("a"), _fill, add("b"), fails, add("c")]
    futures = [nearly_full.write(verb) for verb in verbs]
    held.let_go()
    told = {future.result(10) for future in futures if future.exception(10) is None}
    assert isinstance(futures[1].exception(10), OperationalError)
    assert nearly_full.read(names).result(10) == told == {"a", "b", "c"}
    assert nearly_full.write(add("later")).result(10) == "later"
    assert nearly_full.read(names).result(10) == told | {"later"}


def test_a_file_that_another_process_holds_is_an_error_in_about_a_second_and_no_more_when_it_is_let_go(
    database: Database,
) -> None:
    other = DRIVER.connect(str(database.path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"):
        database.write(add("a")).result(10)
    other.execute("ROLLBACK")
    other.close()
    assert database.write(add("a")).result(10) == "a"


# --- opening and closing --------------------------------------------------------------------------------------------


def test_every_connection_is_set_up_to_keep_what_it_acknowledged(database: Database) -> None:
    def pragmas(tx: Session) -> dict[str, object]:
        found = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "secure_delete")
        return {name: tx.connection().execute(text(f"PRAGMA {name}")).scalar_one() for name in found}

    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 1000, "secure_delete": 1}
    assert database.write(pragmas).result() == wanted
    gate = threading.Barrier(3)

    def together(tx: Session) -> dict[str, object]:
        gate.wait(10)
        return pragmas(tx)

    readers = [database.read(together) for _ in range(3)]
    assert [reader.result(10) for reader in readers] == [wanted] * 3


def test_closing_finishes_what_is_queued_and_refuses_what_comes_later(database: Database) -> None:
    held = Held(database)
    futures = [database.write(add(str(number))) for number in range(50)]
    closing = threading.Thread(target=database.close)
    closing.start()
    held.let_go()
    closing.join(10)
    assert [future.result(0) for future in futures] == [str(number) for number in range(50)]
    with pytest.raises(DatabaseFault, match="stopping, try again"):
        database.write(add("late"))
    assert database.path is not None
    assert len(names_in(database.path)) == 50


def test_closing_while_others_write_leaves_no_future_without_an_end(url: str) -> None:
    database = Database(url)
    futures: list[Future[str]] = []

    def hammer(who: int) -> None:
        for number in range(200):
            try:
                futures.append(database.write(add(f"{who}-{number}")))
            except DatabaseFault:
                return

    threads = [threading.Thread(target=hammer, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    database.close()
    for thread in threads:
        thread.join(10)
    ended = [future.exception(5) for future in futures]
    assert database.path is not None
    assert len(names_in(database.path)) == ended.count(None)
    assert all(fault is None or isinstance(fault, DatabaseFault) for fault in ended)


async def test_a_click_in_the_moment_of_closing_is_refused_and_does_not_wait_for_ever(url: str) -> None:
    database = Database(url)
    clicked = database.write_here(add("a"))
    database.close()
    with pytest.raises(DatabaseFault, match="stopping, try again"):
        await asyncio.wait_for(clicked, 10)


def test_what_is_remembered_of_a_row_goes_with_any_change_of_it(database: Database) -> None:
    """Whoever changes a member, by a statement or through an object: the next click sees them as they are."""

    def known(tx: Session) -> tuple[str, bool]:
        found = members.find(tx, "slack", "T1", "U1")
        assert found is not None
        return found.name, found.left

    def meet(tx: Session) -> int:
        return members.add(tx, members.workspace(tx, "slack", "T1", "", NOW), "U1", "Ann", "", "", NOW)

    def leave(tx: Session) -> None:
        tx.get_one(Member, member).left_at = NOW

    member = database.write(meet).result(10)
    assert database.write(known).result(10) == ("Ann", False)
    database.write(leave).result(10)
    assert database.write(known).result(10) == ("Ann", True)
    database.write(lambda tx: members.note(tx, member, "Anna", "", "")).result(10)
    assert database.write(known).result(10) == ("Anna", False)
    database.write(lambda tx: members.note(tx, member, "Ann", "", "")).result(10)
    assert database.write(known).result(10) == ("Ann", False)


@pytest.fixture
def unmended(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A database on a SQLite that is not safe with several connections."""
    monkeypatch.setattr(storage.database, "sqlite_module", lambda: (sqlite3, False))
    with Database(url) as database:
        yield database


def test_without_a_mended_sqlite_one_connection_does_it_all(unmended: Database) -> None:
    used = set()

    def connection(tx: Session) -> None:
        used.add(id(tx.connection().connection.dbapi_connection))

    unmended.write(add("a")).result()
    for _ in range(5):
        unmended.read(connection).result()
        unmended.write(connection).result()
    assert unmended.read(names).result() == {"a"}
    assert len(used) == 1


@pytest.mark.parametrize("mode", ["database", "unmended"])
def test_what_a_reader_writes_is_never_kept(mode: str, request: pytest.FixtureRequest) -> None:
    database: Database = request.getfixturevalue(mode)
    assert database.read(add("read")).result() == "read"
    assert database.read(names).result() == set()


def test_a_reader_that_fails_in_one_connection_mode_disturbs_no_writer(unmended: Database) -> None:
    held = Held(unmended)
    futures: list[Future[object]] = [unmended.write(add("a")), unmended.read(fails), unmended.write(add("b"))]
    held.let_go()
    assert (futures[0].result(10), futures[2].result(10)) == ("a", "b")
    assert isinstance(futures[1].exception(10), ValueError)
    assert unmended.read(names).result() == {"a", "b"}


@pytest.mark.parametrize(
    ("version", "mended"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 45, 3), False),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 53, 4), True),
        ((4, 0, 0), True),
    ],
)
def test_which_sqlite_is_free_of_the_wal_reset_fault(version: tuple[int, ...], mended: bool) -> None:
    assert is_mended(version) is mended


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("drills.db", "The database address cannot be read: write DRILLS_DATABASE_URL like sqlite:///data/drills.db."),
        ("mysql://host/db", "Databases of the kind 'mysql' are not supported: write DRILLS_DATABASE_URL like"),
        ("", "The database address cannot be read: write DRILLS_DATABASE_URL like"),
    ],
)
def test_an_address_that_cannot_be_used_is_one_sentence(address: str, sentence: str) -> None:
    with pytest.raises(DatabaseFault) as fault:
        sqlite_path(address)
    assert str(fault.value).startswith(sentence)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DatabaseFault, match="choose a writable place in DRILLS_DATABASE_URL"):
        open_engine(f"sqlite:///{tmp_path / 'file' / 'drills.db'}")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    from storage.migrate import upgrade

    path = tmp_path / "drills.db"
    path.write_bytes(b"This is a letter, not a database. " * 100)
    with pytest.raises((DatabaseFault, DatabaseError)) as fault:
        upgrade(f"sqlite:///{path}")
    assert isinstance(fault.value, DatabaseFault)
    assert path.read_bytes().startswith(b"This is a letter")
