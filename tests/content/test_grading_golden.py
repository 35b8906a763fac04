"""The golden tables: typed answers with the credit a fair reader gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from content.grading import grade_requests

GOLDEN = Path(__file__).parent / "golden"
CREDIT = {"right": 1.0, "wrong": 0.0, "unread": 0.0}


def _rows() -> list[tuple[str, dict[str, Any], float, str]]:
    rows = []
    for path in sorted(GOLDEN.glob("*.yaml")):
        for group in yaml.safe_load(path.read_text(encoding="utf-8")):
            for column, credit in CREDIT.items():
                rows += [(path.stem, {**group["key"], "response": r}, credit, column) for r in group.get(column, ())]
            for row in group.get("rows", ()):
                request = {**group["key"], **{name: value for name, value in row.items() if name != "credit"}}
                rows.append((path.stem, request, row["credit"], "rows"))
    return rows


ROWS = _rows()


def _name(row: tuple[str, dict[str, Any], float, str]) -> str:
    stem, request, _, column = row
    key = request.get("value", request.get("accept", request.get("answer", "")))
    return f"{stem}-{column}-{key}-{request['response']}"[:90]


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_each_golden_input_earns_its_credit(row: tuple[str, dict[str, Any], float, str]) -> None:
    """A golden input earns the credit its table gives, and what is no answer is not shown as read."""
    _, request, credit, column = row
    [graded] = grade_requests([request])
    assert graded["credit"] == pytest.approx(credit, abs=1e-9), graded
    if column == "unread":
        assert graded["read_as"] is None
    elif column in ("right", "wrong"):
        assert graded["read_as"]


def test_the_golden_tables_are_large_and_say_nothing_twice() -> None:
    """At least 450 inputs, each once."""
    seen = [repr(sorted(request.items(), key=str)) for _, request, _, _ in ROWS]
    assert len(seen) == len(set(seen)) >= 450
