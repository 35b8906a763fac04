"""The schema: made by migrations alone, equal to the tables, refused with a sentence where it is not ours."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text
from sqlmodel import Session, SQLModel, select

from storage.database import Database, DatabaseFault, open_engine
from storage.migrate import SCRIPTS, _config, newest_revision, revision_of, upgrade
from storage.tables import Round

NOW = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)


@pytest.fixture
def empty(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'drills.db'}"


def at_revision(url: str, revision: str) -> Engine:
    engine = open_engine(url)
    command.upgrade(_config(engine), revision)
    return engine


def test_an_empty_file_becomes_the_newest_schema_and_a_second_upgrade_changes_nothing(empty: str) -> None:
    assert upgrade(empty) is None
    assert upgrade(empty) == newest_revision()
    engine = open_engine(empty)
    assert revision_of(engine) == newest_revision()
    assert set(inspect(engine).get_table_names()) == {*SQLModel.metadata.tables, "alembic_version"}
    engine.dispose()


def test_migrations_and_tables_say_the_same(empty: str) -> None:
    upgrade(empty)
    engine = open_engine(empty)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    engine.dispose()


def test_revisions_follow_one_another_in_one_line() -> None:
    script = ScriptDirectory(str(SCRIPTS))
    assert len(script.get_heads()) == 1
    walked = [revision.revision for revision in script.walk_revisions()]
    assert walked == sorted(walked, reverse=True)


def test_every_revision_upgrades_with_rows_in_it_and_keeps_them(empty: str) -> None:
    """A file as the first version wrote it: its rounds get their schedule's mode, and what was shown stays shut."""
    engine = at_revision(empty, "0001")
    moment = "2026-11-30 09:30:00"
    with engine.begin() as connection:
        connection.execute(text(f"INSERT INTO workspace VALUES (1, 'slack', 'T1', '', '{moment}')"))
        connection.execute(
            text(
                "INSERT INTO schedule (id, workspace_id, channel_id, channel_name, weekdays, at, zone, country, "
                "topics, weekday_topics, kinds, easiest, hardest, languages, mode, window_minutes, board_day, seed, "
                "told_used_up, created_at, changed_at, plan_at) VALUES (1, 1, 'C1', '', '[1]', '09:30:00', 'UTC', '', "
                f"'[]', '{{}}', '[]', 1, 5, '[\"en\"]', 'together', 1440, 1, 7, 0, '{moment}', '{moment}', '{moment}')"
            )
        )
        connection.execute(text("INSERT INTO questionsnapshot VALUES ('f', 'q', 1, '{}')"))
        for number, print_ in ((1, "'f'"), (2, "'f'"), (3, "NULL")):
            connection.execute(
                text(
                    "INSERT INTO round (id, schedule_id, local_date, posts_at, closes_at, state, reason, "
                    "question_id, topic, used_up, fingerprint, option_order, message_id, thread_id, shown_count) "
                    f"VALUES ({number}, 1, '2026-11-{number:02}', '{moment}', '{moment}', 'posted', '', 'q', 't', 0, "
                    f"{print_}, '[]', 'm', '', 0)"
                )
            )
        connection.execute(
            text(
                "INSERT INTO delivery (id, schedule_id, step, rank, subject_id, key, due_at, state, attempt, holder, "
                f"first_sent_at, error) VALUES (1, 1, 'close', 0, 1, 'k', '{moment}', 'sent', 1, '', '{moment}', '')"
            )
        )
    engine.dispose()
    assert upgrade(empty) == "0001"
    with Database(empty) as database:
        rounds = database.read(lambda tx: tx.exec(select(Round)).all()).result()
    assert [(r.mode, r.revealed_at) for r in rounds] == [("together", NOW), ("together", None), ("", None)]


def test_a_newer_version_s_file_is_refused_untouched(empty: str) -> None:
    upgrade(empty)
    engine = open_engine(empty)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseFault) as fault:
        upgrade(empty)
    assert str(fault.value) == (
        "The database is at revision 9999, which this version does not know: "
        "run the newer version of Team Drills that wrote it, or restore a backup."
    )
    assert revision_of(engine) == "9999"
    engine.dispose()


def test_somebody_else_s_tables_are_refused_untouched(empty: str) -> None:
    engine = open_engine(empty)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE invoices (id INTEGER)"))
    with pytest.raises(DatabaseFault, match="tables that are not Team Drills': give DRILLS_DATABASE_URL a file of its"):
        upgrade(empty)
    assert inspect(engine).get_table_names() == ["invoices"]
    engine.dispose()


def test_an_upgrade_that_fails_half_way_leaves_the_file_at_the_revision_it_had(empty: str) -> None:
    engine = at_revision(empty, "0001")
    with engine.begin() as connection:
        # The next revision adds this column too: its second step fails.
        connection.execute(text("ALTER TABLE round ADD COLUMN revealed_at DATETIME"))
    with pytest.raises(Exception, match="duplicate column"):
        upgrade(empty)
    assert revision_of(engine) == "0001"
    assert "mode" not in {column["name"] for column in inspect(engine).get_columns("round")}
    with Session(engine) as tx:
        assert tx.connection().execute(text("SELECT count(*) FROM round")).scalar_one() == 0
    engine.dispose()
