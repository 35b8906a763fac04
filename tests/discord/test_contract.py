"""The checks themselves can fail: a body that Discord would refuse is refused here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.card import Button, Buttons, Card, Paragraph
from bot.discord.outbound import public
from tests.discord.contract import SPEC, check_requests


def post(**changes: Any) -> Any:
    card = Card("t", (Paragraph(("Hello",)), Buttons((Button("A", "answer:1:a"),))))
    body = {"components": public(card).view.to_components(), "flags": 1 << 15, **changes}
    return SimpleNamespace(method="POST", path="/channels/1/messages", json=body)


def test_a_message_of_ours_passes() -> None:
    check_requests([post()])


@pytest.mark.skipif(not SPEC.exists(), reason="Discord's interface description is not beside this checkout")
@pytest.mark.parametrize(
    "changes",
    [{"nonce": "n" * 26}, {"components": [{"type": 10, "content": ""}]}, {"components": [{"type": 17}]}],
)
def test_what_the_schema_does_not_take_fails(changes: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        check_requests([post(**changes)])


@pytest.mark.parametrize(
    "changes",
    [
        {"flags": 0},
        {"allowed_mentions": {"parse": ["everyone"]}},
        {"components": [{"type": 10, "content": "x" * 2001}] * 2},
        {"components": [{"type": 10, "content": "x"}] * 41},
    ],
)
def test_what_the_schema_cannot_say_fails_too(changes: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        check_requests([post(**changes)])
