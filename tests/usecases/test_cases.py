"""A case is marked by the words it is known by; the member corrects the ticks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.chat import Ask
from content.library import Library
from content.question import RubricPoint, Text
from tests.usecases.stage import CASE, Stage, said
from tests.usecases.test_answers import post


def test_a_member_corrects_the_ticks_of_their_case(stage: Stage) -> None:
    """What they tick is what they made, any number of times; points, time and count stay as they were."""
    round_id = post(stage, "case")
    assert "☑ rolls back by itself (2)" in said(stage.send("noor", f"answer:{round_id}", "An automatic rollback."))
    before = stage.answers()[0]
    form = stage.tap("noor", f"ticks:{round_id}")
    assert isinstance(form, Ask)
    assert form.form.fields[0].chosen == ("1",)  # type: ignore[union-attr]
    reply = said(stage.send("noor", f"ticks:{round_id}", ("2",), field="ticks0"))
    assert "☐ rolls back by itself (2)" in reply
    assert "☑ watches a metric (1)" in reply
    assert "Ticked by yourself: 1 of 3." in reply
    after = stage.answers()[0]
    assert (after.choices, after.text, after.points) == (["self", "2"], before.text, before.points)
    assert (after.credit, after.correct, after.answered_at) == (1 / 3, False, before.answered_at)
    assert "Ticked by yourself: 0 of 3." in said(stage.send("noor", f"ticks:{round_id}", (), field="ticks0"))
    stage.forward(days=2)
    assert "☐ watches a metric (1)" in said(stage.tap("noor", f"mine:{round_id}"))


@pytest.mark.parametrize("ticks", [("3",), ("0", "-1", "x"), ("self",), ("²",)])
def test_ticks_of_points_that_are_not_there_are_nothing(stage: Stage, ticks: tuple[str, ...]) -> None:
    round_id = post(stage, "case")
    stage.send("noor", f"answer:{round_id}", "An automatic rollback.")
    assert "Ticked by yourself: 0 of 3." in said(stage.send("noor", f"ticks:{round_id}", ticks, field="ticks0"))
    assert stage.answers()[0].choices == ["self"]


def test_only_ones_own_revealed_case_can_be_marked(stage: Stage) -> None:
    """Not another kind, not without an answer, not before the rubric may be seen."""
    round_id = post(stage, "single")
    stage.tap("noor", f"answer:{round_id}:c")
    for forged in (f"ticks:{round_id}", "ticks:999"):
        assert "not known here" in said(stage.tap("noor", forged))
        assert "not known here" in said(stage.send("noor", forged, ("1",), field="ticks0"))


def test_before_close_the_rubric_of_a_kept_case_is_not_shown(stage: Stage) -> None:
    round_id = post(stage, "case", "together")
    assert "rolls back" not in said(stage.send("noor", f"answer:{round_id}", "An automatic rollback."))
    assert "not known here" in said(stage.tap("noor", f"ticks:{round_id}"))
    assert "not known here" in said(stage.tap("kim", f"ticks:{round_id}"))
    stage.forward(days=1, hours=1)
    stage.beat()
    assert "☑ rolls back by itself (2)" in said(stage.tap("noor", f"mine:{round_id}"))
    assert isinstance(stage.tap("noor", f"ticks:{round_id}"), Ask)


def test_a_long_rubric_goes_on_in_a_second_field(tmp_path: Path) -> None:
    """Forms hold ten ticks in a field; the points stand in full above them."""
    points = tuple(
        RubricPoint(1, Text(f"Point {n} " + "long " * 30, f"要点{n}"), {"en": (f"p{n}q",)}) for n in range(1, 13)
    )
    with Stage(tmp_path, library=Library.of([replace(CASE, rubric=points)])) as stage:
        round_id = post(stage, "case")
        stage.send("noor", f"answer:{round_id}", "p1q and p12q")
        form = stage.tap("noor", f"ticks:{round_id}")
        assert isinstance(form, Ask)
        assert [(len(f.choices), f.chosen) for f in form.form.fields] == [(10, ("1",)), (2, ("12",))]  # type: ignore[union-attr]
        assert all(len(label) <= 75 for f in form.form.fields for _, label in f.choices)  # type: ignore[union-attr]
