"""Which way imports point, and what is not imported before it is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HEAVY = ("slack_bolt", "slack_sdk", "discord", "sqlalchemy", "sqlmodel", "fastapi", "apscheduler", "aiohttp")

ASK_FOR_HELP = """
import contextlib, io, json, sys
from bot.cli import app
from typer.main import get_command

def commands(command, path):
    yield path
    for name, child in sorted(getattr(command, "commands", {}).items()):
        yield from commands(child, [*path, name])

loaded = {}
for path in commands(get_command(app), []):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        try:
            app([*path, "--help"])
        except SystemExit as stop:
            assert stop.code == 0, path
    assert "Usage" in said.getvalue(), path
    loaded[" ".join(path)] = sorted({name.partition(".")[0] for name in sys.modules} & set(json.loads(sys.argv[1])))
json.dump(loaded, sys.stdout)
"""

IMPORT_ALL = """
import importlib, pkgutil, sys, threading
sys.path.insert(0, sys.argv[1])
for package in ("bot", "content", "storage"):
    for found in pkgutil.walk_packages([f"{sys.argv[1]}/{package}"], f"{package}."):
        if ".migrations." not in found.name and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
assert [thread.name for thread in threading.enumerate()] == ["MainThread"], threading.enumerate()
"""


def run(script: str, *arguments: str, cwd: Path = ROOT, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DRILLS_")} | settings
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=cwd, env=environment, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


def test_the_import_contracts_hold() -> None:
    """The contracts stand in pyproject.toml; the picture in docs/architecture.md."""
    command = Path(sys.executable).with_name("lint-imports")
    if not command.exists():
        pytest.skip("import-linter is not installed beside this interpreter; make setup-dev does that")
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


def test_help_loads_no_platform_and_no_database() -> None:
    """``drills --help`` and every ``drills … --help`` answer without the libraries that are slow to load."""
    done = run(ASK_FOR_HELP, json.dumps(HEAVY))
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)
    assert len(loaded) > 12
    assert {command: names for command, names in loaded.items() if names} == {}


def test_importing_the_product_does_nothing(tmp_path: Path) -> None:
    """No settings are read, no file made, no thread started: settings that would be refused go unnoticed."""
    done = run(IMPORT_ALL, str(ROOT), cwd=tmp_path, DRILLS_HTTP_PORT="wrong", DRILLS_DATABASE_URL="wrong")
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    assert done.stdout == ""
