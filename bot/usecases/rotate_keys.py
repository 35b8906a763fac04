"""Seal what is stored with another key: ``drills slack rotate-keys``."""

from __future__ import annotations

from datetime import datetime

from storage import installations
from storage.database import Database, DatabaseFault
from storage.migrate import look, newest_revision
from storage.seal import Keyring


def rotate_keys(database_url: str, keys: str, now: datetime) -> str:
    """Seal every token with the first of ``keys`` and say so. Raises ``SealFault`` or ``DatabaseFault``; then nothing
    was changed.
    """
    keyring = Keyring.parse(keys)
    if look(database_url) != newest_revision():
        raise DatabaseFault("There is no database of this version yet: run `drills db upgrade` first.")
    with Database(database_url) as database:
        count = database.write(lambda tx: installations.reseal(tx, keyring, now)).result()
        every = len(database.read(lambda tx: installations.live(tx, "slack")).result())
    spaces = "1 workspace" if every == 1 else f"{every} workspaces"
    return f"{spaces} sealed with the key {keyring.key_id}, {count} of them anew."
