"""What can be set, typed or gone wrong stands in the docs, and what stands in the docs exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bot.cards import Cards
from bot.cli import app
from bot.commands import COMMANDS, CommandSpec
from bot.discord.wording import LINE
from bot.drill import errors
from bot.settings import Settings
from content.taxonomy import default_taxonomy

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def read(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


# --- settings ----------------------------------------------------------------------------------------------------


def test_the_settings_and_their_page_name_the_same_variables() -> None:
    documented = re.findall(r"^\| `(DRILLS_[A-Z_]+)` \|", read("settings.md"), re.MULTILINE)
    assert sorted(documented) == sorted(f"DRILLS_{name.upper()}" for name in Settings.model_fields)


def test_the_page_of_settings_gives_the_defaults() -> None:
    rows = dict(re.findall(r"^\| `DRILLS_([A-Z_]+)` \| `([^`]+)` \|", read("settings.md"), re.MULTILINE))
    for name, default in rows.items():
        assert str(Settings.model_fields[name.lower()].default) == default, name


def test_every_variable_named_anywhere_exists() -> None:
    known = {f"DRILLS_{name.upper()}" for name in Settings.model_fields}
    for path in [*pages(), ROOT / "compose.yaml", ROOT / "Dockerfile"]:
        assert set(re.findall(r"DRILLS_[A-Z_]*[A-Z]\b", path.read_text("utf-8"))) <= known | {"DRILLS_SLACK"}, path


# --- commands in chat --------------------------------------------------------------------------------------------


def chat_row(spec: CommandSpec) -> str:
    rows = re.findall(rf"^\| `/drill {spec.name}(?![a-z]).*$", read("commands.md"), re.MULTILINE)
    assert len(rows) == 1, f"/drill {spec.name} needs one row in docs/commands.md"
    return str(rows[0])


@pytest.mark.parametrize("spec", COMMANDS, ids=lambda spec: spec.name)
def test_every_chat_command_and_option_is_documented(spec: CommandSpec) -> None:
    row = chat_row(spec)
    assert ("| admins |" in row) == spec.admin
    (paragraph,) = re.findall(r"^Options of `setup` and `schedule`:.*?\n\n", read("commands.md"), re.M | re.S)
    for option in spec.options:
        if spec.name in ("setup", "schedule"):
            assert f"`{option.name}`" in paragraph, option.name
        elif not option.rest:
            assert f"`{option.name}=" in row, option.name
        for choice in option.choices if option.rest else ():
            assert choice in row, choice


def test_no_chat_command_is_documented_that_does_not_exist() -> None:
    documented = re.findall(r"^\| `/drill ([a-z]+)", read("commands.md"), re.MULTILINE)
    assert documented == [spec.name for spec in sorted(COMMANDS, key=lambda s: documented.index(s.name))]


# --- commands on the machine -------------------------------------------------------------------------------------


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with its words, without groups."""
    children = getattr(command, "commands", None)
    if children is None:
        yield " ".join(path), command
        return
    for name, child in children.items():
        yield from leaves(child, (*path, name))


MACHINE = dict(leaves(get_command(app)))


@pytest.mark.parametrize("words", sorted(MACHINE))
def test_every_command_and_option_of_drills_is_documented(words: str) -> None:
    rows = re.findall(rf"^\| `drills {words}(?![a-z ][a-z]).*?` \|", read("commands.md"), re.MULTILINE)
    assert len(rows) == 1, f"`drills {words}` needs one row in docs/commands.md"
    options = {opt for param in MACHINE[words].params for opt in param.opts if opt.startswith("--")} - {"--help"}
    assert set(re.findall(r"--[a-z][a-z-]*", rows[0])) == options
    for param in MACHINE[words].params:
        if not param.opts[0].startswith("-"):
            assert re.search(r"[A-Z]{2}", rows[0]), f"the argument {param.name} of `drills {words}` is not shown"


def test_no_command_of_drills_is_documented_that_does_not_exist() -> None:
    documented = re.findall(r"^\| `drills ([a-z]+(?: [a-z]+(?:-[a-z]+)*)?)\b", read("commands.md"), re.MULTILINE)
    assert sorted(documented) == sorted(MACHINE)


def test_every_command_named_on_any_page_exists() -> None:
    """Also in the sentences that the program says."""
    chat = {LINE.name, *(spec.name for spec in COMMANDS)}
    groups = {words.split()[0] for words in MACHINE}
    for path in [*pages(), *sorted((ROOT / "bot").rglob("*.py"))]:
        text = path.read_text("utf-8")
        for name in re.findall(r"(?<![\w/])/drill(?:-admin)? (?!commands?\b)([a-z]+)", text):
            assert name in chat, f"{path}: /drill {name}"
        for first, second in re.findall(r"`drills ([a-z]+)(?: ([a-z]+(?:-[a-z]+)*))?", text):
            assert first in groups, f"{path}: drills {first}"
            assert first in MACHINE or not second or f"{first} {second}" in MACHINE, f"{path}: drills {first} {second}"


# --- mistakes ----------------------------------------------------------------------------------------------------

MISTAKES: list[errors.DrillError] = [
    errors.UnknownRound(), errors.NoRoundToday(), errors.EmptyResponse(), errors.UnreadableResponse(),
    errors.UnknownOption("A, B"),
    errors.WrongInput("time", "That is no time; write 09:30.", "这不是时刻，请写 09:30。"), errors.NotAdmin(),
    errors.NoSchedule(), errors.SlotTaken("missed"), errors.SlotTaken("posted"), errors.NoQuestion(),
    errors.NotPaused(), errors.AlreadyPaused(), errors.DraftGone(), errors.UnknownCommand("bord", "board"),
    errors.UnknownCommand("xyz", ""), errors.NotFinalYet(), errors.OptedOut(),
    errors.DateGone(date(2026, 12, 1)), errors.NoRoundThen(date(2026, 12, 1)), errors.NoRoundThen(None),
    errors.NoOtherQuestion(), errors.OnlyWorkspaceAdmins(),
    errors.NotRetried("done"), errors.NotRetried("on-its-way"), errors.NotRetried("late"),
    errors.NoPlaceForDrills("direct"),
]  # fmt: skip


def classes() -> set[type[errors.DrillError]]:
    found = vars(errors).values()
    return {c for c in found if isinstance(c, type) and issubclass(c, errors.DrillError)} - {errors.DrillError}


def test_every_mistake_is_in_the_tree_and_has_its_example_here() -> None:
    tree = errors.__doc__ or ""
    named = set(re.findall(r"[A-Z][A-Za-z]+", "\n".join(line[:40] for line in tree.splitlines() if "── " in line)))
    assert {c.__name__ for c in classes()} <= named
    assert {type(mistake) for mistake in MISTAKES} == classes()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: type(m).__name__)
def test_every_mistake_has_a_sentence_in_both_languages(mistake: errors.DrillError) -> None:
    cards = Cards(default_taxonomy())
    english, chinese = cards.sentence(mistake, "en"), cards.sentence(mistake, "zh")
    assert english[0].isupper()
    assert english[-1] in ".?"
    assert chinese[-1] in "。？"
    assert not re.search(r"[\u4e00-\u9fff]", english)
    assert re.search(r"[\u4e00-\u9fff]{3}", chinese)
    assert max(len(english), len(chinese)) < 200


# --- links -------------------------------------------------------------------------------------------------------


@cache
def pages() -> tuple[Path, ...]:
    return (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md")))


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def without_code(path: Path) -> str:
    return re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    """Relative links name files of the project, and their anchors name headings."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(path)):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        file = path.parent / target if target else path
        if not file.exists():
            broken.append(link)
        elif anchor and file.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", without_code(file), re.MULTILINE)
            if anchor not in map(slug, headings):
                broken.append(link)
    assert broken == []


def test_pages_named_in_the_program_exist() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        if ".venv" not in path.parts:
            for name in re.findall(r"\bdocs/[\w/-]+\.md\b", path.read_text("utf-8")):
                assert (ROOT / name).is_file(), f"{path.relative_to(ROOT)} names {name}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen, queue = set(), [ROOT / "README.md"]
    while queue:
        page = queue.pop()
        if page in seen:
            continue
        seen.add(page)
        if page.is_dir():  # a link to a folder shows its pages
            queue += page.glob("*.md")
        elif page.suffix == ".md" and page.is_file():
            links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", without_code(page))
            queue += [(page.parent / link).resolve() for link in links if not re.match(r"[a-z]+:", link)]
    assert [str(page.relative_to(ROOT)) for page in pages() if page not in seen] == []
