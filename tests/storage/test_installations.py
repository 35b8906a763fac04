"""Installations and walks through OAuth as rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session, select

from storage import installations
from storage.database import Database
from storage.installations import Grant
from storage.seal import Keyring, SealFault
from storage.tables import Installation

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
OLD, NEW = Keyring.parse(bytes(range(32)).hex()), bytes(range(50, 82)).hex()
BOTH = Keyring.parse(f"{NEW},{bytes(range(32)).hex()}")
GRANT = Grant("T1", "xoxb-one", "U1", "B1", "Acme", refresh_token="xoxe-one", expires_at=NOW + timedelta(hours=12))


DUE = NOW + timedelta(hours=13)


def save(database: Database, *grants: Grant, ring: Keyring = OLD, now: datetime = NOW) -> None:
    def verb(tx: Session) -> None:
        for grant in grants:
            installations.save(tx, ring, "slack", grant, now)

    database.write(verb).result()


def token(database: Database, workspace: str = "T1", ring: Keyring = OLD) -> str | None:
    found = database.read(lambda tx: installations.held(tx, ring, "slack", workspace, NOW)).result()
    return found and found.grant.token


def rows(database: Database) -> list[Installation]:
    return database.read(lambda tx: list(tx.exec(select(Installation)))).result()


def test_tokens_are_stored_sealed_and_come_back_open(database: Database) -> None:
    """Neither of them stands in any column."""
    save(database, GRANT)
    found = database.read(lambda tx: installations.held(tx, OLD, "slack", "T1", NOW)).result()
    assert found is not None
    assert found.grant == replace(GRANT, name="")
    assert not {"xoxb-one", "xoxe-one"} & {str(value) for value in rows(database)[0].model_dump().values()}
    assert "xoxb" not in repr(found)
    assert "xoxe" not in repr(found)


def test_rows_that_were_swapped_open_for_nobody(database: Database) -> None:
    """Whoever can write the database cannot make one workspace post with another's token."""
    save(database, GRANT, replace(GRANT, workspace="T2", token="xoxb-two"))

    def swap(tx: Session) -> None:
        one, two = tx.exec(select(Installation)).all()
        one.token, two.token = two.token, one.token
        tx.add_all([one, two])

    database.write(swap).result()
    for workspace in ("T1", "T2"):
        with pytest.raises(SealFault):
            token(database, workspace)


def test_revoked_tokens_are_gone_and_an_install_brings_new_ones(database: Database) -> None:
    """Once; the row stays, without anything of the tokens."""
    save(database, GRANT)
    revoke = [database.write(lambda tx: installations.revoke(tx, "slack", "T1", NOW)).result() for _ in range(2)]
    assert revoke == [True, False]
    assert token(database) is None
    (row,) = rows(database)
    assert (row.token, row.refresh_token, row.key_id, row.expires_at) == ("", "", "", None)
    save(database, replace(GRANT, token="xoxb-new"))
    assert token(database) == "xoxb-new"
    assert len(rows(database)) == 1
    assert database.read(lambda tx: installations.live(tx, "slack")).result() == ["T1"]


def test_keys_are_changed_without_losing_a_token(database: Database) -> None:
    """Sealed by the old key, sealed again by the new one, and then the old one is not needed."""
    save(database, GRANT, replace(GRANT, workspace="T2", token="xoxb-two", refresh_token="", expires_at=None))
    only_new = Keyring.parse(NEW)
    with pytest.raises(SealFault):
        database.write(lambda tx: installations.reseal(tx, only_new, NOW)).result()
    assert token(database) == "xoxb-one"
    assert [database.write(lambda tx: installations.reseal(tx, BOTH, NOW)).result() for _ in range(2)] == [2, 0]
    assert [token(database, workspace, only_new) for workspace in ("T1", "T2")] == ["xoxb-one", "xoxb-two"]
    assert rows(database)[0].expires_at == GRANT.expires_at


def test_one_process_at_a_time_trades_a_refresh_token(database: Database) -> None:
    """The second is told so, until the first has ended or its lease is over; what came of it is stored once."""
    save(database, GRANT)

    def begin(now: datetime) -> installations.Held | None:
        return database.write(lambda tx: installations.begin_refresh(tx, OLD, "slack", "T1", now, DUE)).result()

    first = begin(NOW)
    assert first is not None
    assert first.grant.refresh_token == "xoxe-one"
    assert begin(NOW + timedelta(seconds=1)) is None
    second = begin(NOW + installations.REFRESH_LEASE)
    assert second is not None

    def end(held: installations.Held, new: str) -> bool:
        later = NOW + timedelta(hours=24)
        return database.write(
            lambda tx: installations.end_refresh(tx, OLD, "slack", held.grant, new, f"xoxe-{new}", later, NOW)
        ).result()

    assert end(second, "two")
    assert not end(first, "three"), "its refresh token is not the one that stands there any more"
    assert token(database) == "two"
    assert begin(NOW) is None, "the new one is good for a day"
    later = NOW + timedelta(hours=24)
    again = database.write(lambda tx: installations.begin_refresh(tx, OLD, "slack", "T1", later, later)).result()
    assert again is not None, "and then it is free again"


def test_an_install_during_a_refresh_wins(database: Database) -> None:
    """The pair that comes late belongs to the installation before."""
    save(database, GRANT)
    held = database.write(lambda tx: installations.begin_refresh(tx, OLD, "slack", "T1", NOW, DUE)).result()
    assert held is not None
    save(database, replace(GRANT, token="xoxb-new", refresh_token="xoxe-new"))
    late = database.write(
        lambda tx: installations.end_refresh(tx, OLD, "slack", held.grant, "late", "xoxe-late", None, NOW)
    )
    assert not late.result()
    assert token(database) == "xoxb-new"


def begin_walk(database: Database, state: str, browser: str, now: datetime = NOW) -> bool:
    return database.write(lambda tx: installations.begin_walk(tx, state, browser, now)).result()


def end_walk(database: Database, state: str, browser: str, now: datetime = NOW) -> str:
    return database.write(lambda tx: installations.end_walk(tx, state, browser, now)).result()


def test_a_state_is_good_once_in_its_own_browser_for_ten_minutes(database: Database) -> None:
    """Another browser's try does not use it up."""
    assert begin_walk(database, "s1", "b1")
    assert end_walk(database, "s1", "b2") == "browser"
    assert end_walk(database, "s1", "b1") == ""
    assert end_walk(database, "s1", "b1") == "unknown"
    assert begin_walk(database, "s2", "b1")
    assert end_walk(database, "s2", "b1", NOW + installations.STATE_LIFE) == "unknown"
    assert end_walk(database, "'; drop table oauthstate; --", "b1") == "unknown"


def test_neither_state_nor_browser_stands_in_the_database(database: Database) -> None:
    """Who reads the database cannot finish another person's walk."""
    begin_walk(database, "the-state", "the-browser")
    kept = database.read(lambda tx: [row.model_dump() for row in tx.exec(select(installations.OAuthState))]).result()
    assert "the-" not in str(kept)


def test_walks_are_cleared_away_and_have_an_end(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody may begin one: rows do not grow without end, and old ones make room."""
    monkeypatch.setattr(installations, "MOST_STATES", 3)
    assert [begin_walk(database, f"s{n}", "b") for n in range(4)] == [True, True, True, False]
    later = NOW + installations.STATE_LIFE
    assert begin_walk(database, "s9", "b", later)
    count = database.read(lambda tx: len(tx.exec(select(installations.OAuthState)).all())).result()
    assert count == 1
