"""Which answer stands: one that is not one value uses nothing up, and in together mode the last one counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.chat import Say, Wrong
from content.library import Library
from tests.usecases.stage import BLANK, NUMERIC, Stage


@pytest.mark.parametrize("mode", ["instant", "together"])
@pytest.mark.parametrize(("language", "begins"), [("en-GB", "That cannot be read"), ("zh-CN", "这不能读作")])
@pytest.mark.parametrize(
    ("question", "several", "one"), [(NUMERIC, "516 or 517 MiB", "517"), (BLANK, "entropy or cross-entropy", "entropy")]
)
def test_several_values_are_asked_for_again_and_the_next_single_one_counts(
    tmp_path: Path, mode: str, language: str, begins: str, question, several: str, one: str
) -> None:
    with Stage(tmp_path, library=Library.of([question])) as stage:
        stage.save(f"setup days=daily time=09:30 zone=UTC mode={mode}")
        stage.local("2026-11-30 09:31")
        refused = stage.send("mira", f"answer:{stage.open}", several, language=language)
        assert isinstance(refused, Wrong)
        assert refused.faults["answer"].startswith(begins)
        assert stage.answers() == []
        assert isinstance(stage.send("mira", f"answer:{stage.open}", one), Say)
        assert [answer.text for answer in stage.answers()] == [one]


def test_an_answer_that_stands_is_shown_again_and_not_replaced_by_an_unreadable_one(tmp_path: Path) -> None:
    with Stage(tmp_path, library=Library.of([NUMERIC])) as stage:
        stage.save("setup days=daily time=09:30 zone=UTC mode=instant")
        stage.local("2026-11-30 09:31")
        stage.send("mira", f"answer:{stage.open}", "517 MiB")
        again = stage.send("mira", f"answer:{stage.open}", "1 or 2")
        assert isinstance(again, Say)
        assert "Your first answer stands." in str(again.card)
        assert [answer.text for answer in stage.answers()] == ["517 MiB"]


def test_in_together_mode_it_is_not_the_first_answer_that_stands(tmp_path: Path) -> None:
    with Stage(tmp_path, library=Library.of([NUMERIC])) as stage:
        stage.save("setup days=daily time=09:30 zone=UTC mode=together window=8h")
        stage.local("2026-11-30 09:31")
        round_id = stage.open
        for text in ("12 MiB", "517 MiB"):
            stage.send("mira", f"answer:{round_id}", text)
        stage.local("2026-11-30 18:00")
        told = str(stage.tap("mira", f"mine:{round_id}"))
        assert "Your answer stands." in told
        assert "first answer" not in told
        assert "517 MiB" in told
