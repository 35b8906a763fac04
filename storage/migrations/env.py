"""Alembic's environment: the engine is handed in, never read from a file."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

from storage import tables  # noqa: F401 — the tables register themselves
from storage.database import open_engine

config = context.config
engine = config.attributes.get("engine") or open_engine(config.get_main_option("sqlalchemy.url") or "")

with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=SQLModel.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
