"""Bring a database to the newest schema with Alembic, or say what is wrong with it."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Engine, inspect

from storage.database import DatabaseFault, open_engine, sqlite_path, usable

SCRIPTS = Path(__file__).parent / "migrations"


def _config(engine: Engine) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["engine"] = engine
    return config


def newest_revision() -> str:
    """The revision this program works with."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    head = ScriptDirectory.from_config(config).get_current_head()
    assert head is not None
    return head


def revision_of(engine: Engine) -> str | None:
    """The revision a database is at; ``None`` for an empty one."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def upgrade(url: str) -> str | None:
    """Bring the database to the newest revision; the revision it had before. Raises ``DatabaseFault``."""
    look(url)
    path = sqlite_path(url) or Path(":memory:")
    engine = open_engine(url)
    try:
        with usable(path, "choose a writable place in DRILLS_DATABASE_URL"):
            before = check_revision(engine)
        if before != newest_revision():
            command.upgrade(_config(engine), "head")
        return before
    finally:
        engine.dispose()


def look(url: str) -> str | None:
    """The revision of a database that may not be there yet; a file that is refused is left as it is."""
    path = sqlite_path(url)
    if path is None:
        return None
    with usable(path, "give DRILLS_DATABASE_URL another file, or restore a backup with `drills db restore`"):
        if not path.exists():
            return None
        if path.is_dir():
            raise DatabaseFault(f"{path} is a folder: name a file in it in DRILLS_DATABASE_URL.")
        engine = open_engine(url, pragmas=False)
        try:
            return check_revision(engine)
        finally:
            engine.dispose()


def check_revision(engine: Engine) -> str | None:
    """The database's revision, if this program knows it. Raises ``DatabaseFault`` otherwise."""
    before = revision_of(engine)
    if before is None:
        if inspect(engine).get_table_names():
            raise DatabaseFault(
                "The database holds tables that are not Team Drills': give DRILLS_DATABASE_URL a file of its own."
            )
        return None
    try:
        ScriptDirectory.from_config(_config(engine)).get_revision(before)
    except CommandError:
        raise DatabaseFault(
            f"The database is at revision {before}, which this version does not know: "
            "run the newer version of Team Drills that wrote it, or restore a backup."
        ) from None
    return before
