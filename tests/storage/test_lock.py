"""One process at a time on a file; the system lets go of the lock however its holder ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from storage.lock import ProcessLock

HOLDER = """
import sys, time
from pathlib import Path
from storage.lock import ProcessLock
lock = ProcessLock(Path(sys.argv[1]))
lock.wait(lambda: print("standing by", flush=True), every=0.02)
print("holding", flush=True)
time.sleep(60)
"""


def holder(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_second_process_stands_by_and_takes_over_when_the_first_is_killed(
    tmp_path: Path, end: signal.Signals
) -> None:
    first = holder(tmp_path / "drills.db")
    assert line(first) == "holding"
    second = holder(tmp_path / "drills.db")
    assert line(second) == "standing by"
    try:
        assert not ProcessLock(tmp_path / "drills.db").try_acquire()
        first.send_signal(end)
        assert line(second) == "holding"
    finally:
        for process in (first, second):
            process.kill()
            process.wait(10)


def test_the_lock_is_beside_the_file_and_names_its_holder(tmp_path: Path) -> None:
    with ProcessLock(tmp_path / "drills.db") as lock:
        assert lock.try_acquire()
        assert lock.try_acquire(), "who holds it holds it"
        assert (tmp_path / "drills.db.lock").read_text() == f"{os.getpid()}\n"
        assert not ProcessLock(tmp_path / "drills.db").try_acquire()
        assert ProcessLock(tmp_path / "other.db").try_acquire()
    assert ProcessLock(tmp_path / "drills.db").try_acquire()


def test_waiting_says_once_that_it_stands_by_and_ends_with_the_lock(tmp_path: Path) -> None:
    first, second = ProcessLock(tmp_path / "drills.db"), ProcessLock(tmp_path / "drills.db")
    assert first.try_acquire()
    told: list[str] = []
    stands = threading.Event()

    def stand_by() -> None:
        told.append("standing by")
        stands.set()

    waiting = threading.Thread(target=second.wait, args=(stand_by, 0.01))
    waiting.start()
    assert stands.wait(10)
    first.release()
    waiting.join(10)
    assert told == ["standing by"]
    assert not first.try_acquire()
    second.release()
