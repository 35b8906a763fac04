"""What holds for every file of the project."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")

SPEAKS_TO_THE_TERMINAL = {"bot/cli.py", "bot/run.py", "bot/demo/run.py"}
"""Files that people run: they may print."""


@cache
def files() -> tuple[Path, ...]:
    """The project's own files: what git knows, or everything that is not made by tools."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        found = [ROOT / name for name in listed.decode().split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not any(part.startswith(".") for part in path.parts)]
    return tuple(path for path in found if path.is_file())


def texts() -> list[tuple[str, str]]:
    found = []
    for path in files():
        try:
            found.append((path.relative_to(ROOT).as_posix(), path.read_text("utf-8")))
        except UnicodeDecodeError:
            continue  # pictures, fonts and documents of tests
    return found


def modules() -> list[tuple[str, ast.Module]]:
    return [
        (name, ast.parse(text))
        for name, text in texts()
        if name.endswith(".py") and name.split("/")[0] in ("bot", "content", "storage")
    ]


def test_every_module_says_what_it_is_for() -> None:
    assert [name for name, tree in modules() if tree.body and not ast.get_docstring(tree)] == []


def test_only_what_people_run_prints() -> None:
    printing = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    }
    assert printing - SPEAKS_TO_THE_TERMINAL == set()


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(r"(?<![\w.])/(?:work|home|Users|root|tmp|mnt|var/folders)/\w+|\b[A-Z]:\\\\?(?:Users|home)")
    found = [f"{name}: {match[0]}" for name, text in texts() for match in place.finditer(text)]
    assert found == []


def test_the_rules_ask_no_clock_and_draw_no_lots() -> None:
    """Time and randomness are arguments of the rules."""
    asked = re.compile(r"\b(?:datetime\.now|datetime\.utcnow|date\.today|time\.time|random\.\w+|secrets\.\w+)\(")
    found = [
        f"{name}: {match[0]}"
        for name, text in texts()
        if re.match(r"(?:bot/drill/|bot/usecases/|content/(?:question|grading)\.py)", name)
        for match in asked.finditer(text)
    ]
    assert found == []


# --- lock files --------------------------------------------------------------------------------------------------


def locked(name: str) -> dict[str, Requirement]:
    """The requirements of a lock file, by name. Every line is a pin or a hash."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    found: dict[str, Requirement] = {}
    hashes = 0
    for number, line in enumerate([*lines, "end==0"], 1):
        if re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line):
            hashes += 1
            continue
        assert re.match(r"[A-Za-z0-9._-]+(\[[a-z0-9,-]+\])?==\S+", line), f"{name}:{number} is no pin: {line}"
        assert not found or hashes, f"{name}:{number}: the requirement before has no hash"
        assert number > len(lines) or line.endswith(" \\"), f"{name}:{number} has no hash"
        requirement = Requirement(line.removesuffix("\\").strip())
        found[canonicalize_name(requirement.name)] = requirement
        hashes = 0
    del found["end"]
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_lock_files_pin_everything_by_hash_and_name_no_host(name: str) -> None:
    assert len(locked(name)) > 40
    assert not re.search(r"://|www\.|index-url|find-links|trusted-host| @ ", (ROOT / name).read_text("utf-8"))


@pytest.mark.parametrize("name", LOCKS)
def test_lock_files_hold_what_the_project_asks_for(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = list(project["dependencies"])
    if name == "requirements-dev.lock":
        wanted += project["optional-dependencies"]["dev"]
    pins = locked(name)
    for requirement in map(Requirement, wanted):
        pin = pins[canonicalize_name(requirement.name)]
        (version,) = [Version(spec.version) for spec in pin.specifier]
        assert version in requirement.specifier, f"{pin} is not {requirement}: make lock"


def test_both_lock_files_agree() -> None:
    plain, dev = locked(LOCKS[0]), locked(LOCKS[1])
    assert {name: str(pin) for name, pin in plain.items()} == {name: str(dev.get(name)) for name in plain}
