"""Rows of installations, their tokens sealed and opened here and nowhere else, and of walks through OAuth."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import CursorResult, func, or_
from sqlmodel import Session, col, delete, select, update

from storage.seal import NONCE_BYTES, Keyring, Sealed
from storage.tables import Installation, OAuthState

NewNonce = Callable[[], bytes]

REFRESH_LEASE = timedelta(seconds=30)
"""How long one process may take to trade a refresh token; longer than the call's own time-out."""

STATE_LIFE = timedelta(minutes=10)
MOST_STATES = 10_000
"""Walks under way at a time: anybody may begin one, so there is an end to them."""


def new_nonce() -> bytes:
    return secrets.token_bytes(NONCE_BYTES)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a platform gave for one workspace. ``expires_at``: where tokens rotate."""

    workspace: str
    token: str = field(repr=False)
    bot_user: str
    bot_id: str
    name: str = ""
    enterprise: str = ""
    app_id: str = ""
    scopes: str = ""
    installed_by: str = ""
    refresh_token: str = field(default="", repr=False)
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """An installation with its tokens open. ``refreshing``: somebody is at trading its refresh token."""

    grant: Grant
    installed_at: datetime
    refreshing: bool = False


def save(
    tx: Session, keyring: Keyring, platform: str, grant: Grant, now: datetime, nonce: NewNonce = new_nonce
) -> None:
    """Install, or install again: one row a workspace, whatever it held before is written over."""
    row = _row(tx, platform, grant.workspace)
    if row is None:
        row = Installation(
            platform=platform, workspace=grant.workspace, token="", key_id="", installed_at=now, changed_at=now
        )
    row.enterprise, row.app_id, row.scopes = grant.enterprise, grant.app_id, grant.scopes
    row.bot_id, row.bot_user, row.installed_by = grant.bot_id, grant.bot_user, grant.installed_by
    row.installed_at, row.revoked_at, row.refreshing_until = now, None, None
    _seal(row, keyring, grant.token, grant.refresh_token, grant.expires_at, now, nonce)
    tx.add(row)
    tx.flush()


def held(tx: Session, keyring: Keyring, platform: str, workspace: str, now: datetime) -> Held | None:
    """The live installation, its tokens open. Raises ``SealFault``."""
    row = _row(tx, platform, workspace)
    return None if row is None or row.revoked_at is not None else _held(row, keyring, now)


def by_bot(tx: Session, platform: str, bot_id: str) -> str | None:
    """The workspace whose bot that is."""
    statement = select(Installation.workspace).where(
        Installation.platform == platform, Installation.bot_id == bot_id, col(Installation.revoked_at).is_(None)
    )
    return tx.exec(statement).first()


def live(tx: Session, platform: str) -> Sequence[str]:
    """The workspaces in which the app is installed."""
    statement = select(Installation.workspace).where(
        Installation.platform == platform, col(Installation.revoked_at).is_(None)
    )
    return tx.exec(statement.order_by(col(Installation.id))).all()


def revoke(tx: Session, platform: str, workspace: str, now: datetime) -> bool:
    """Delete the tokens. ``False``: there were none."""
    row = _row(tx, platform, workspace)
    if row is None or row.revoked_at is not None:
        return False
    row.token = row.refresh_token = row.key_id = ""
    row.expires_at = row.refreshing_until = None
    row.revoked_at = row.changed_at = now
    tx.add(row)
    tx.flush()
    return True


# --- tokens that rotate ------------------------------------------------------------------------------------------


def begin_refresh(
    tx: Session, keyring: Keyring, platform: str, workspace: str, now: datetime, due: datetime
) -> Held | None:
    """Take the row for trading its refresh token, if its token ends before ``due``.

    ``None``: somebody is at it or has just done it, or there is nothing to trade.
    """
    i = Installation
    here = (col(i.platform) == platform, col(i.workspace) == workspace, col(i.revoked_at).is_(None))
    free = or_(
        col(i.refreshing_until).is_(None),
        col(i.refreshing_until) <= now,
        col(i.refreshing_until) > now + 2 * REFRESH_LEASE,
    )
    taken = _run(
        tx,
        update(i)
        .where(*here, col(i.refresh_token) != "", col(i.expires_at) <= due, free)
        .values(refreshing_until=now + REFRESH_LEASE),
    )
    if taken.rowcount != 1:
        return None
    tx.expire_all()
    row = _row(tx, platform, workspace)
    assert row is not None
    return _held(row, keyring, now)


def end_refresh(
    tx: Session,
    keyring: Keyring,
    platform: str,
    before: Grant,
    token: str,
    refresh_token: str,
    expires_at: datetime | None,
    now: datetime,
    nonce: NewNonce = new_nonce,
) -> bool:
    """Store the new pair. ``False``: the app was installed anew or removed meanwhile, so that pair is the older one."""
    row = _row(tx, platform, before.workspace)
    if (
        row is None
        or row.revoked_at is not None
        or _held(row, keyring, now).grant.refresh_token != before.refresh_token
    ):
        return False
    _seal(row, keyring, token, refresh_token, expires_at, now, nonce)
    row.refreshing_until = None
    tx.add(row)
    tx.flush()
    return True


def leave_refresh(tx: Session, platform: str, workspace: str, expired: datetime | None = None) -> None:
    """It did not work: the next one may try. ``expired``: the platform says that the token is over."""
    row = _row(tx, platform, workspace)
    if row is None or row.revoked_at is not None:
        return
    row.refreshing_until = None
    if expired is not None and row.refresh_token:
        row.expires_at = expired
    tx.add(row)


def reseal(tx: Session, keyring: Keyring, now: datetime, nonce: NewNonce = new_nonce) -> int:
    """Seal with the first key what an older one has sealed; how many rows. Raises ``SealFault``, nothing changed."""
    rows = tx.exec(select(Installation).where(col(Installation.revoked_at).is_(None))).all()
    old = [row for row in rows if row.key_id != keyring.key_id]
    opened = [(row, _held(row, keyring, now).grant) for row in old]
    for row, grant in opened:
        _seal(row, keyring, grant.token, grant.refresh_token, row.expires_at, now, nonce)
        tx.add(row)
    tx.flush()
    return len(opened)


# --- walks through OAuth -----------------------------------------------------------------------------------------


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def begin_walk(tx: Session, state: str, browser: str, now: datetime) -> bool:
    """Note the state and the browser it was given to, both as digests. ``False``: too many are under way."""
    _run(tx, delete(OAuthState).where(col(OAuthState.expires_at) <= now))
    if tx.exec(select(func.count()).select_from(OAuthState)).one() >= MOST_STATES:
        return False
    tx.add(OAuthState(digest=digest(state), browser=digest(browser), expires_at=now + STATE_LIFE))
    tx.flush()
    return True


def end_walk(tx: Session, state: str, browser: str, now: datetime) -> str:
    """Use the state up: ``""``, or why it cannot be: ``unknown`` (used, expired, never given), ``browser``.

    One that another browser brings stays: its own may still come.
    """
    row = tx.get(OAuthState, digest(state))
    if row is None or row.expires_at <= now or row.expires_at > now + 2 * STATE_LIFE:
        return "unknown"
    if not secrets.compare_digest(row.browser, digest(browser)):
        return "browser"
    # The row decides, not the look at it before: two processes cannot both have it.
    gone = _run(tx, delete(OAuthState).where(col(OAuthState.digest) == row.digest))
    return "" if gone.rowcount == 1 else "unknown"


# --- help --------------------------------------------------------------------------------------------------------


def _row(tx: Session, platform: str, workspace: str) -> Installation | None:
    which = (Installation.platform == platform, Installation.workspace == workspace)
    return tx.exec(select(Installation).where(*which)).one_or_none()


def _seal(
    row: Installation,
    keyring: Keyring,
    token: str,
    refresh_token: str,
    expires_at: datetime | None,
    now: datetime,
    nonce: NewNonce,
) -> None:
    sealed = keyring.seal(token, _place(row, "token"), nonce())
    row.token, row.key_id = sealed.text, sealed.key_id
    row.refresh_token = keyring.seal(refresh_token, _place(row, "refresh_token"), nonce()).text if refresh_token else ""
    row.expires_at, row.changed_at = expires_at, now


def _held(row: Installation, keyring: Keyring, now: datetime) -> Held:
    grant = Grant(
        workspace=row.workspace,
        token=keyring.open(Sealed(row.token, row.key_id), _place(row, "token")),
        bot_user=row.bot_user,
        bot_id=row.bot_id,
        enterprise=row.enterprise,
        app_id=row.app_id,
        scopes=row.scopes,
        installed_by=row.installed_by,
        refresh_token=(
            keyring.open(Sealed(row.refresh_token, row.key_id), _place(row, "refresh_token"))
            if row.refresh_token
            else ""
        ),
        expires_at=row.expires_at,
    )
    busy = row.refreshing_until is not None and row.refreshing_until > now
    return Held(grant, row.installed_at, busy)


def _place(row: Installation, column: str) -> tuple[str, str, str]:
    return (row.platform, row.workspace, column)


def _run(tx: Session, statement: Any) -> CursorResult[Any]:
    return cast("CursorResult[Any]", tx.connection().execute(statement))
