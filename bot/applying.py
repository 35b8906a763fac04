"""``drills schedules apply``: read the file, show what would change, ask, do it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import typer
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from bot.schedule_file import ScheduleFileFault, read_schedules
from bot.settings import load_settings
from bot.usecases.apply_schedules import (
    Change,
    apply_schedules,
    differences,
    unfit,
    unknown_questions,
    unknown_workspaces,
)
from content.library import default_bank_path
from content.loader import load_bank
from content.taxonomy import default_taxonomy
from storage.database import Database

MOST_TRIES = 20
"""How often it is tried to write while another process does."""

MARKS = {"new": "+", "changed": "~", "same": "=", "missing": "?"}


def apply_file(database: Database, text: str, name: str, *, dry_run: bool, prune: bool, agreed: bool | None) -> int:
    """The exit code: 0 done or nothing to do, 1 where a dry run found changes, or the answer was no.

    Raises ``ScheduleFileFault`` with all that is wrong, before anything is changed.
    """
    library = load_bank(load_settings().bank or default_bank_path())
    wanted = read_schedules(text, name, default_taxonomy())
    unknown = database.read(lambda tx: unknown_workspaces(tx, wanted)).result()
    faults = [
        f"{name}: the bot was never in the {platform} workspace {workspace}; invite it there first."
        for platform, workspace in sorted(unknown)
    ]
    faults += [
        f"{name}: no question fits channel {one.name or one.channel}; widen its topics, kinds, difficulty or language."
        for one in unfit(wanted, library)
    ]
    now = datetime.now(UTC)
    faults += [f"{name}: {fault}" for fault in unknown_questions(wanted, library, now.date() - timedelta(days=1))]
    if faults:
        raise ScheduleFileFault(faults)
    changes = database.read(lambda tx: differences(tx, wanted, now)).result()
    show(changes, prune)
    left_out = prune and any(change.what == "missing" and change.fields for change in changes)
    if not left_out and all(change.what in ("same", "missing") for change in changes):
        typer.echo("Nothing to change.")
        return 0
    if dry_run:
        return 1
    if not (agreed or typer.confirm("Apply this?")):
        typer.echo("Nothing was changed.")
        return 1
    agreed_at = datetime.now(UTC)  # the question may have stood there for hours

    def apply(tx: Session) -> None:
        if differences(tx, wanted, agreed_at) != changes:
            raise ScheduleFileFault([f"{name}: the schedules changed since this was shown; run the command again."])
        apply_schedules(
            tx, wanted, library, agreed_at, lambda: secrets.token_hex(10), lambda: secrets.randbits(31), prune=prune
        )

    _in_its_turn(database, apply, name)
    typer.echo("Applied.")
    return 0


def _in_its_turn(database: Database, verb: Callable[[Session], None], name: str) -> None:
    """Write when the bot, which may be busy, leaves a gap; the database waits a second each time."""
    for _ in range(MOST_TRIES):
        try:
            return database.write(verb).result()
        except OperationalError as error:
            if "locked" not in str(error.orig):
                raise
    raise ScheduleFileFault([f"{name}: the bot was writing all the time, so nothing was changed; try again."])


def show(changes: Sequence[Change], prune: bool) -> None:
    """What would change, a line each."""
    for change in changes:
        platform, workspace, channel = change.place
        left = (
            ""
            if change.what != "missing"
            else " (not in the file: paused)"
            if prune
            else " (not in the file: left alone)"
        )
        typer.echo(f"{MARKS[change.what]} {platform} {workspace} #{change.name or channel}{left}")
        for field, (before, after) in (change.fields if change.what != "missing" else {}).items():
            typer.echo(f"    {field}: {f'{before} → {after}' if change.what == 'changed' else after}")
