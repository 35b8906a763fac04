"""The manifest: valid by Slack's schema, and no scope or event in it that nothing needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from bot.settings import Settings
from bot.slack.manifest import EVENTS, SCOPES, manifest
from tests.slack.conftest import Start
from tests.standins.slack import SlackStandin

SPEC = Path(__file__).resolve().parents[3] / "shared" / "specs" / "slack-manifest.schema.json"
DOCS = Path(__file__).resolve().parents[2] / "docs" / "slack.md"


@pytest.mark.parametrize(
    "given", [{}, {"public_url": "https://drills.example.org"}, {"public_url": "https://d.example.org", "app": True}]
)
def test_the_manifest_is_one_that_slack_takes(given: dict[str, object]) -> None:
    """With Socket Mode and with a public address."""
    if not SPEC.exists():
        pytest.skip("Slack's schema of manifests is not at hand")
    tokens = {"slack_bot_token": "xoxb-1", "slack_app_token": "xapp-1"} if given.get("app") else {}
    made = manifest(Settings(public_url=str(given.get("public_url", "")), **tokens))  # type: ignore[arg-type]
    faults = Draft7Validator(json.loads(SPEC.read_text())).iter_errors(made)
    assert [fault.message for fault in faults] == []


def test_slack_is_told_where_to_send_only_over_http() -> None:
    """Socket Mode needs no address; HTTP needs it for events, buttons and the command."""
    made = json.dumps(manifest(Settings(public_url="https://drills.example.org")))
    assert made.count("https://drills.example.org/slack/events") == 3
    assert 'socket_mode_enabled": false' in made
    assert "slack/events" not in json.dumps(manifest(Settings()))


async def test_with_these_scopes_and_events_alone_a_round_is_posted_and_closed(
    start: Start, slack: SlackStandin
) -> None:
    """The stand-in refuses what a scope is missing for: nothing is, from setup to the picture."""
    slack.workspace.scopes[:] = list(SCOPES)
    slack.subscriptions = set(EVENTS)
    bot = await start()
    ada = slack.add_user("ada", is_admin=True)
    people = [slack.add_user(f"p{n}") for n in range(5)]
    channel = slack.add_channel("ml", ada, *people, private=True)
    await bot.setup(ada, channel, "kinds=single time=09:00 zone=UTC")
    slack.fail("chat.postMessage", reset="after")
    await bot.after(hours=1)
    for _ in range(4):
        await bot.after(seconds=61)
    (message,) = slack.messages(channel)
    for person in people:
        await slack.tap(person, message, "B")
    await bot.after(hours=24)
    (result,) = slack.messages(channel, message.ts)
    assert "image" in [block["type"] for block in result.blocks]
    channel.is_archived = True
    await bot.after(hours=24)
    assert "is_archived" in [call.outcome for call in slack.calls]
    assert "missing_scope" not in [call.outcome for call in slack.calls]
    slack.violations.clear()  # Posting to an archived channel is how an admin comes to be told.


def test_every_scope_is_explained() -> None:
    """docs/slack.md says of each scope what it is for."""
    text = DOCS.read_text(encoding="utf-8")
    assert [scope for scope in SCOPES if f"`{scope}`" not in text] == []
