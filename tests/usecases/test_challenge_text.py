"""What members write about a question is read on a terminal: it is shown as text, and does nothing there."""

from __future__ import annotations

import pytest

from bot.usecases.challenge_answer import dispute_text, dispute_to_plain, list_challenges
from tests.usecases.stage import Stage, said

ATTACKS = (
    "\x1b[2J\x1b]52;c;cm0gLXJm\x07clear",
    "\x9b31mred",
    "\u202egnorw si A\u202c",
    "good\rq-other v1 · forged",
    "a\x00b\x08\x7f",
)


@pytest.mark.parametrize("text", ATTACKS)
def test_a_challenge_obeys_no_terminal(drill: Stage, text: str) -> None:
    """No escape sequence, no turned text, no line that looks like the command's own."""
    drill.wrong("noor")
    assert "Thank you" in said(drill.submit("noor", f"challenge:{drill.open}", text=text))
    (dispute,) = drill.read(list_challenges)
    shown = dispute_text(dispute, names=True)
    assert all(c == "\n" or c.isprintable() for c in shown)
    assert [line for line in shown.split("\n")[3:] if not line.startswith("  > ")] == []
    assert dispute_to_plain(dispute, names=True)["text"] == dispute.text


def test_a_typed_answer_beside_it_obeys_none_either(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=daily kinds=blank")
    stage.local("2026-11-30 09:30")
    stage.send("noor", f"answer:{stage.open}", "soft\x1b[2Jmax")
    stage.submit("noor", f"challenge:{stage.open}", text="two lines\nand an emoji 👩‍🔬")
    (dispute,) = stage.read(list_challenges)
    assert "\x1b" not in dispute_text(dispute, names=False)
    assert dispute.text == "two lines\nand an emoji 👩‍🔬"
