"""From a URL to an open database: the engine, its pragmas, and one writer that shares durable commits.

Writes queue to one thread. All that wait at the same moment share one transaction and one ``fsync``
(``synchronous=FULL``), and none is told of success before that commit. A verb that raises is undone alone, so a
verb may be run a second time: it must do nothing but read and write the session it is given. Reads run beside it
on their own connections.

Between versions 3.7.0 and 3.51.2 SQLite can lose committed pages in WAL mode when several connections write or
checkpoint (the WAL-reset fault). Where no mended SQLite can be found, reads go through the writer's connection too.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

T = TypeVar("T")
Verb = Callable[[Session], T]
_Job = tuple[Callable[[Session], Any], "Future[Any] | asyncio.Future[Any]"]

BUSY_TIMEOUT_MS = 1000
LARGEST_BATCH = 512
READERS = 4


class DatabaseFault(Exception):
    """The database cannot be used as it is; the text says what is wrong and how to mend it."""


def sqlite_module() -> tuple[ModuleType, bool]:
    """The SQLite driver to use, and whether several connections are safe with it."""
    try:
        from pysqlite3 import dbapi2 as bundled
    except ImportError:
        pass
    else:
        if is_mended(bundled.sqlite_version_info):
            return bundled, True
    import sqlite3

    return sqlite3, is_mended(sqlite3.sqlite_version_info)


def is_mended(version: tuple[int, ...]) -> bool:
    """Is this SQLite free of the WAL-reset fault? (Fixed in 3.51.3; carried back to 3.50.7 and 3.44.6.)"""
    if version >= (3, 51, 3):
        return True
    return version[:2] in ((3, 50), (3, 44)) and version[2] >= {50: 7, 44: 6}[version[1]]


def sqlite_path(url: str) -> Path | None:
    """The file of an SQLite URL; ``None`` for a database in memory or another engine."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        raise DatabaseFault(
            "The database address cannot be read: write DRILLS_DATABASE_URL like sqlite:///data/drills.db."
        ) from None
    if parsed.get_backend_name() != "sqlite":
        raise DatabaseFault(
            f"Databases of the kind {parsed.get_backend_name()!r} are not supported: "
            "write DRILLS_DATABASE_URL like sqlite:///data/drills.db."
        )
    if not parsed.database or parsed.database == ":memory:":
        return None
    return Path(parsed.database)


@contextmanager
def usable(path: Path, cure: str) -> Iterator[None]:
    """What the system or SQLite refuses here becomes a ``DatabaseFault``: the path, the reason, and ``cure``."""
    try:
        yield
    except OSError as error:
        raise DatabaseFault(f"{path} cannot be used ({error.strerror or error}): {cure}.") from error
    except (DatabaseError, sqlite_module()[0].Error) as error:
        reason = getattr(error, "orig", error)
        raise DatabaseFault(f"{path} cannot be used as a database ({reason}): {cure}.") from error


def open_engine(url: str, *, readers: int = READERS, pragmas: bool = True) -> Engine:
    """An engine whose connections are set up as decision 8 asks. Makes the folder of the file, never the tables.

    ``pragmas=False`` leaves the file as it is, for looking at a backup.
    """
    path = sqlite_path(url)
    if path is not None and pragmas:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DatabaseFault(
                f"The folder {path.parent} cannot be made ({error.strerror}): "
                "choose a writable place in DRILLS_DATABASE_URL."
            ) from error
    module, _ = sqlite_module()
    if path is None:
        from sqlalchemy.pool import StaticPool

        engine = create_engine(
            url, module=module, poolclass=StaticPool, connect_args={"check_same_thread": False, "isolation_level": None}
        )
    else:
        engine = create_engine(
            url,
            module=module,
            poolclass=QueuePool,
            pool_size=readers + 1,
            max_overflow=2,
            connect_args={"check_same_thread": False, "isolation_level": None},
        )
    if pragmas:
        event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    # The driver is in autocommit mode, because its own BEGIN comes too late: a deferred transaction that reads
    # first and wants to write later fails at once when another has written meanwhile.
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def _set_pragmas(raw: Any, _record: Any) -> None:
    cursor = raw.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA secure_delete = ON")  # what somebody had erased must not linger in the file's free pages
    cursor.close()


class Database:
    """An open database. ``write`` and ``read`` take a verb: a function of one ``Session``."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.path = sqlite_path(url)
        self.engine = open_engine(url)
        self._writes = self.engine.execution_options(begin="BEGIN IMMEDIATE")
        _, several = sqlite_module()
        self._one_connection = self.path is None or not several
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        # What reads of committed rows have found, for the verbs of every click (``Session.info["memory"]``).
        # Touched under the lock of writing alone; whatever is undone takes all of it along, and so does whatever
        # changes rows through the ORM. Statements that change what is remembered clear it themselves.
        self._memory: dict[Any, Any] = {}
        self._turn: list[_Job] = []
        self._door = threading.Lock()
        self._writing = threading.Lock()
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="drills-read")
        self._closed = False
        self._writer = threading.Thread(target=self._write_loop, name="drills-write", daemon=True)
        self._writer.start()

    def write(self, verb: Verb[T]) -> Future[T]:
        """Run ``verb`` in a transaction; the future is done after its commit is durable, or holds its error."""
        future: Future[T] = Future()
        if not self._queue([(verb, future)]):
            raise _closed()
        return future

    def _queue(self, jobs: list[_Job]) -> bool:
        """Hand jobs to the writer; ``False`` where it has been told to end, and would never come to them."""
        with self._door:
            if not self._closed:
                for job in jobs:
                    self._jobs.put(job)
            return not self._closed

    def write_here(self, verb: Verb[T]) -> asyncio.Future[T]:
        """The same for the running event loop, for short verbs: all that its turn brings share one commit.

        They run on the loop's own thread where the writer is idle. Handing a verb of a tenth of a millisecond to
        another thread and back costs more than the verb (docs/decisions/0006), and who waits is waiting for this.
        """
        if self._closed:
            raise _closed()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if not self._turn:
            loop.call_soon(self._run_turn)
        self._turn.append((verb, future))
        return future

    def _run_turn(self) -> None:
        batch, self._turn = self._turn, []
        if self._closed or self._jobs.qsize() or not self._writing.acquire(blocking=False):
            if not self._queue(batch):
                _tell([(future, None, _closed()) for _, future in batch])
            return
        try:
            self._run(batch)
        finally:
            self._writing.release()

    def read(self, verb: Verb[T]) -> Future[T]:
        """Run ``verb`` on a consistent view of what is committed; what it writes is rolled back."""
        if self._one_connection:
            return self.write(lambda tx: _looking(tx, verb))
        return self._readers.submit(self._read, verb)

    def close(self) -> None:
        """Finish what is queued and let go of the file."""
        with self._door:
            if self._closed:
                return
            self._closed = True
            self._jobs.put(None)
        self._writer.join()
        self._readers.shutdown()
        self.engine.dispose()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, verb: Verb[T]) -> T:
        with Session(bind=self.engine, expire_on_commit=False) as session:
            return verb(session)

    def _write_loop(self) -> None:
        while True:
            first = self._jobs.get()
            if first is None:
                return self._refuse_rest()
            batch, stop = [first], False
            while len(batch) < LARGEST_BATCH:
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if job is None:
                    stop = True
                    break
                batch.append(job)
            with self._writing:
                self._run(batch)
            if stop:
                return self._refuse_rest()

    def _refuse_rest(self) -> None:
        """What was queued in the moment of closing is not done, and says so."""
        while not self._jobs.empty():
            job = self._jobs.get()
            if job is not None and _is_wanted(job[1]):
                _tell([(job[1], None, _closed())])

    def _run(self, batch: list[_Job]) -> None:
        live = [job for job in batch if _is_wanted(job[1])]
        try:
            done = self._together([verb for verb, _ in live])
        except BaseException as error:
            # The shared commit failed: nobody's work is durable, so everybody hears of it.
            self._memory.clear()
            _tell([(future, None, error) for _, future in live])
            return
        _tell([(future, result, fault) for (_, future), (result, fault) in zip(live, done, strict=True)])

    def _together(self, verbs: list[Verb[Any]]) -> list[tuple[Any, Exception | None]]:
        """Run verbs in one transaction. Savepoints cost as much as a small verb, so the first try does without;
        when one verb raises, all is undone and done again with a savepoint each, so that it fails alone.

        A full disk or a failing one makes SQLite undo the whole transaction, savepoints and all. Then each verb
        gets a transaction of its own: none may be told of success for what another's failure undid."""
        try:
            with self._writes.connect() as connection, connection.begin():
                shared = {"memory": self._memory, "batch": {}}
                done = [(_plainly(connection, verb, shared), None) for verb in verbs]
                _check_whole(connection)
                return list(done)
        except _Raised as raised:
            self._memory.clear()
            if len(verbs) == 1:
                return [(None, raised.fault)]
        except _Undone as undone:
            self._memory.clear()
            if len(verbs) == 1:
                return [(None, undone)]
        try:
            with self._writes.connect() as connection, connection.begin():
                return [_in_savepoint(connection, verb) for verb in verbs]
        except _Undone:
            return [self._alone(verb) for verb in verbs]

    def _alone(self, verb: Verb[Any]) -> tuple[Any, Exception | None]:
        try:
            return self._together([verb])[0]
        except Exception as fault:
            self._memory.clear()
            return None, fault


def _is_wanted(future: Future[Any] | asyncio.Future[Any]) -> bool:
    return isinstance(future, asyncio.Future) or future.set_running_or_notify_cancel()


def _tell(outcomes: list[tuple[Future[Any] | asyncio.Future[Any], Any, BaseException | None]]) -> None:
    """Give every future its result; an event loop is woken once, however many of them are its own."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any, BaseException | None]]] = {}
    for future, result, fault in outcomes:
        if isinstance(future, asyncio.Future):
            by_loop.setdefault(future.get_loop(), []).append((future, result, fault))
        elif fault is not None:
            future.set_exception(fault)
        else:
            future.set_result(result)
    for loop, told in by_loop.items():
        if loop is _running_loop():
            _tell_here(told)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(_tell_here, told)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _tell_here(outcomes: list[tuple[asyncio.Future[Any], Any, BaseException | None]]) -> None:
    for future, result, fault in outcomes:
        if future.done():  # nobody waits any more
            continue
        if fault is not None:
            future.set_exception(fault)
        else:
            future.set_result(result)


def _closed() -> DatabaseFault:
    return DatabaseFault("The database is closed: the bot is stopping, try again in a moment.")


class _Undone(Exception):
    """SQLite has undone the transaction by itself."""

    def __init__(self) -> None:
        super().__init__("SQLite undid the transaction: the disk may be full.")


def _check_whole(connection: Connection) -> None:
    """Raise ``_Undone`` where the transaction is not the one that was begun: what was done before is gone."""
    raw = connection.connection.dbapi_connection
    if raw is None or not raw.in_transaction:
        raise _Undone


def _looking(tx: Session, verb: Verb[T]) -> T:
    """Run a reader on the writer's connection; what it writes is undone."""
    savepoint = tx.connection().begin_nested()
    try:
        return verb(tx)
    finally:
        tx.expunge_all()
        savepoint.rollback()


class _Raised(Exception):
    """A verb raised ``fault``: what it did is undone with everything else of this try."""

    def __init__(self, fault: Exception) -> None:
        super().__init__(str(fault))
        self.fault = fault


class _Sharing(Session):
    """A session on the writer's memory: rows that it changes are not what was remembered of them."""


@event.listens_for(_Sharing, "before_flush")
def _forget(session: _Sharing, *_: object) -> None:
    if session.dirty or session.deleted:
        session.info["memory"].clear()


def _plainly(connection: Connection, verb: Verb[T], shared: dict[str, Any]) -> T:
    session = _Sharing(bind=connection, expire_on_commit=False, join_transaction_mode="rollback_only", info=shared)
    try:
        result = verb(session)
        session.flush()
    except Exception as fault:
        raise _Raised(fault) from fault
    finally:
        session.close()
    return result


def _in_savepoint(connection: Connection, verb: Verb[T]) -> tuple[T | None, Exception | None]:
    session = Session(bind=connection, expire_on_commit=False, join_transaction_mode="create_savepoint")
    try:
        result = verb(session)
        session.commit()
    except Exception as fault:
        _check_whole(connection)
        session.rollback()
        return None, fault
    finally:
        session.close()
    _check_whole(connection)
    return result, None
