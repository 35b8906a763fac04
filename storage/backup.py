"""Backups of an SQLite database: made while the bot writes, verified, and put back only when it does not run."""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Engine, func, insert, select, update
from sqlalchemy.exc import DatabaseError
from sqlmodel import SQLModel

from storage.database import DatabaseFault, open_engine, sqlite_module, sqlite_path, usable
from storage.lock import ProcessLock
from storage.migrate import check_revision, look, newest_revision, revision_of, upgrade
from storage.tables import Answer, Round


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A verified backup."""

    path: Path
    size: int
    revision: str
    rounds: int
    answers: int


def backup(url: str, to: Path | None, now: datetime) -> BackupReport:
    """Copy the database to ``to`` (default: beside it, with the time in the name) and verify the copy.

    ``VACUUM INTO`` reads one consistent state and holds nobody up. Raises ``DatabaseFault``.
    """
    source = _existing(url)
    look(url)
    target = to or source.with_name(f"{source.stem}-{now:%Y%m%dT%H%M%SZ}.backup.db")
    with usable(target, "choose another place for the backup"):
        if target.is_dir():
            target = target / f"{source.stem}-{now:%Y%m%dT%H%M%SZ}.backup.db"
        if target.exists():
            raise DatabaseFault(f"{target} exists already: give the backup another name.")
        target.parent.mkdir(parents=True, exist_ok=True)
        report = _copy_verified(url, target)
    return BackupReport(target, report.size, report.revision, report.rounds, report.answers)


def _copy_verified(url: str, target: Path) -> BackupReport:
    """The target has its name only once its content is verified and on the disk."""
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    engine = open_engine(url)
    try:
        with engine.execution_options(begin="").connect() as connection:
            connection.exec_driver_sql("VACUUM INTO ?", (str(partial),))
        report = verify(partial)
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(target)
        return report
    finally:
        engine.dispose()
        partial.unlink(missing_ok=True)


def restore(url: str, source: Path, now: datetime) -> BackupReport:
    """Put a backup in the database's place. The file that was there is kept as ``*.before-restore``.

    The backup is verified first; nothing is touched while a bot holds the database. What the backup does not know
    to be sent, although it was due by ``now``, is looked for on the platform before it is. Raises ``DatabaseFault``.
    """
    verify(source)
    path = sqlite_path(url)
    if path is None:
        raise DatabaseFault("A database in memory cannot be restored: set DRILLS_DATABASE_URL to a file.")
    with ProcessLock(path) as lock:
        if not lock.try_acquire():
            raise DatabaseFault("The bot is running on this database: stop it, then restore.")
        partial = path.with_name(path.name + ".restoring")
        partial.unlink(missing_ok=True)
        try:
            with usable(partial, "nothing is changed; make room or mend the permissions, then restore again"):
                _copy(source, partial)
                _expect_gap(partial, now)
                report = verify(partial)
                with partial.open("rb") as file:
                    os.fsync(file.fileno())
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        for suffix in ("", "-wal", "-shm"):
            old = path.with_name(path.name + suffix)
            if old.exists():
                old.replace(path.with_name(f"{path.name}.before-restore{suffix}"))
        partial.replace(path)
    return BackupReport(path, report.size, report.revision, report.rounds, report.answers)


def _copy(source: Path, target: Path) -> None:
    """The whole database: what a killed bot left in the log beside the file belongs to it."""
    log = source.with_name(source.name + "-wal")
    if not log.exists() or not log.stat().st_size:
        shutil.copyfile(source, target)
        return
    raw = sqlite_module()[0].connect(str(source))
    try:
        raw.execute("VACUUM INTO ?", (str(target),))
    finally:
        raw.close()


def _expect_gap(path: Path, now: datetime) -> None:
    """The platform has seen more than the backup: what may have been sent since is unsure.

    Dates that the backup has not even planned are left to rest, since nothing could tell whether they were posted.
    So is the end of rounds that were posted and closed since: their answers are gone, and the channel has seen it.
    """
    delivery, round_ = SQLModel.metadata.tables["delivery"].c, SQLModel.metadata.tables["round"].c
    ended = select(round_.id, round_.schedule_id, round_.closes_at).where(
        round_.state == "planned", round_.posts_at <= now, round_.closes_at <= now
    )
    engine = open_engine(URL.create("sqlite", database=str(path)).render_as_string(), pragmas=False)
    try:
        with engine.begin() as connection:
            connection.execute(
                update(delivery.id.table)
                .where(delivery.state == "waiting", delivery.due_at <= now, delivery.step != "close")
                .values(state="unsure", first_sent_at=func.coalesce(delivery.first_sent_at, delivery.due_at))
            )
            for round_id, schedule_id, closes_at in connection.execute(ended).all():
                for rank, step in enumerate(("close", "result")):
                    connection.execute(
                        insert(delivery.id.table).values(
                            schedule_id=schedule_id,
                            step=step,
                            rank=rank,
                            subject_id=round_id,
                            key=secrets.token_hex(10),
                            due_at=closes_at,
                            state="dropped",
                            attempt=0,
                            holder="",
                            error="restored",
                        )
                    )
            connection.execute(update(SQLModel.metadata.tables["schedule"]).values(changed_at=now))
    finally:
        engine.dispose()


def verify(path: Path) -> BackupReport:
    """Is the file a whole Team Drills database that this version can read? Raises ``DatabaseFault`` otherwise."""
    with usable(path, "give the path of a backup that can be read"):
        if not path.is_file():
            raise DatabaseFault(f"There is no file {path}: give the path of a backup.")
    query = {"mode": "ro", "immutable": "1", "uri": "true"}
    read_only = URL.create("sqlite", database=f"file:{quote(str(path.resolve()))}", query=query)
    engine = open_engine(read_only.render_as_string(), pragmas=False)
    try:
        with engine.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        if found != ["ok"]:
            raise DatabaseFault(f"{path} is damaged ({found[0]}): use another backup.")
        if revision_of(engine) is None:
            raise DatabaseFault(f"{path} is no Team Drills database: give the path of a backup.")
        revision = check_revision(engine)
        assert revision is not None
        with engine.connect() as connection:
            rounds = connection.execute(select(func.count()).select_from(Round)).scalar_one()
            answers = connection.execute(select(func.count()).select_from(Answer)).scalar_one()
    except DatabaseError as error:
        raise DatabaseFault(f"{path} is no SQLite database: give the path of a backup.") from error
    finally:
        engine.dispose()
    return BackupReport(path, path.stat().st_size, revision, rounds, answers)


def check(url: str) -> list[str]:
    """What is wrong with the database, one sentence each with its cure; empty when it is sound."""
    _existing(url)
    engine = open_engine(url)
    try:
        return _faults(engine)
    finally:
        engine.dispose()


def _faults(engine: Engine) -> list[str]:
    faults = []
    try:
        with engine.connect() as connection:
            damage = [row for row in connection.exec_driver_sql("PRAGMA quick_check").scalars() if row != "ok"]
            orphans = len(connection.exec_driver_sql("PRAGMA foreign_key_check").all())
        revision = check_revision(engine)
    except DatabaseError:
        return ["The file is no SQLite database, or is damaged: restore a backup with `drills db restore`."]
    if damage:
        faults.append(f"The file is damaged ({damage[0]}): restore a backup with `drills db restore`.")
    if orphans:
        faults.append(f"{orphans} rows point to rows that are gone: restore a backup with `drills db restore`.")
    if revision != newest_revision():
        faults.append(
            f"The database is at revision {revision or 'none'}, this version needs {newest_revision()}: "
            "run `drills db upgrade`."
        )
    module, mended = sqlite_module()
    if not mended:
        faults.append(
            f"SQLite {module.sqlite_version} can lose pages when several connections write, so only one is used: "
            "install a Python with SQLite 3.51.3 or newer for more speed."
        )
    return faults


def _existing(url: str) -> Path:
    path = sqlite_path(url)
    if path is None:
        raise DatabaseFault("A database in memory has no file: set DRILLS_DATABASE_URL to one.")
    with usable(path, "check DRILLS_DATABASE_URL and the permissions"):
        there = path.is_file()
    if not there:
        raise DatabaseFault(f"There is no database at {path}: check DRILLS_DATABASE_URL, or run `drills db upgrade`.")
    return path


def upgrade_safely(url: str, now: datetime) -> str:
    """Bring the database to the newest revision, after a backup where there is something to lose; what was done."""
    path = sqlite_path(url)
    before = look(url)
    if path is not None and path.is_file() and path.stat().st_size:
        if before == newest_revision():
            return f"The database is up to date (revision {before})."
        kept = backup(url, None, now).path
        upgrade(url)
        return f"Upgraded from revision {before} to {newest_revision()}; the backup of before is {kept}."
    upgrade(url)
    return f"Made the database at revision {newest_revision()}."
