"""One process at a time on an SQLite file: a lock beside it that the system lets go of when its holder dies."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from storage.database import usable

try:
    import fcntl
except ImportError:  # pragma: no cover — Windows has no flock; there the lock file is held open exclusively
    fcntl = None  # type: ignore[assignment]


class ProcessLock:
    """An exclusive lock for the database at ``path`` (the lock file is ``<path>.lock``).

    The second process does not fail: it stands by and takes over when the first ends, however it ended.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + ".lock")
        self._file: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock if nobody holds it. Raises ``DatabaseFault`` where no file can be made."""
        if self._file is not None:
            return True
        with usable(self.path, "put the database into a folder that can be written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(file)
                return False
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        self._file = file
        return True

    def wait(self, standing_by: Callable[[], None], every: float = 0.5) -> None:
        """Take the lock, waiting as long as it takes; ``standing_by`` is called once if it has to wait."""
        told = False
        while not self.try_acquire():
            if not told:
                standing_by()
                told = True
            time.sleep(every)

    def release(self) -> None:
        """Let the next process in."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> ProcessLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
