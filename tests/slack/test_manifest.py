"""The manifest: valid by Slack's schema, and no scope or event in it that nothing needs."""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft7Validator
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.manifest import EVENTS, METHODS, SCOPES, Shape, explained, manifest
from tests.slack.conftest import Start
from tests.standins.slack import SlackStandin
from tests.standins.slack.calls import METHODS as KNOWN

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT.parent / "shared" / "specs" / "slack-manifest.schema.json"
DOCS = ROOT / "docs" / "slack.md"
URL = "https://drills.example.org"


@pytest.mark.parametrize(
    "shape", [Shape(), Shape(URL), Shape(URL, socket=False), Shape(URL, socket=False, rotation=True)], ids=str
)
def test_the_manifest_is_one_that_slack_takes(shape: Shape) -> None:
    """With Socket Mode and over HTTP, with and without installing by OAuth."""
    if not SPEC.exists():
        pytest.skip("Slack's schema of manifests is not at hand")
    faults = Draft7Validator(json.loads(SPEC.read_text())).iter_errors(manifest(shape))
    assert [fault.message for fault in faults] == []


def test_slack_is_told_where_to_send_only_over_http() -> None:
    """Socket Mode needs no address; HTTP needs it for events, buttons and the command; OAuth for the way back."""
    made = json.dumps(manifest(Shape(URL, socket=False)))
    assert made.count(f"{URL}/slack/events") == 3
    assert made.count(f"{URL}/slack/oauth_redirect") == 1
    assert 'socket_mode_enabled": false' in made
    assert "slack/events" not in json.dumps(manifest(Shape(URL)))
    assert "https://" not in json.dumps(manifest(Shape()))


def test_a_shape_that_cannot_work_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="--http"):
        Shape(socket=False)
    with pytest.raises(ValueError, match="DRILLS_PUBLIC_URL"):
        Shape(rotation=True)


def test_one_app_serves_one_workspace_at_a_time() -> None:
    """No organisation-wide installation, and tokens that end only where somebody asks for them."""
    settings = manifest(Shape(URL))["settings"]
    assert (settings["org_deploy_enabled"], settings["token_rotation_enabled"]) == (False, False)
    assert manifest(Shape(URL, rotation=True))["settings"]["token_rotation_enabled"] is True


def called() -> set[str]:
    """Every method of the Web API that the code names, as attributes of a client or of its class."""
    methods = {
        name: found[1]
        for name, function in inspect.getmembers(AsyncWebClient, inspect.isfunction)
        if (found := re.search(r'api_call\(\s*"([a-zA-Z0-9.]+)"', inspect.getsource(function)))
    }
    found = set()
    for path in sorted((ROOT / "bot" / "slack").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in methods:
                found.add(methods[node.attr])
            if (
                isinstance(node, ast.Constant)
                and node.value in METHODS
                and path.name not in ("manifest.py", "errors.py")
            ):
                found.add(node.value)
    return found


def test_every_method_that_is_called_has_its_scope() -> None:
    """What the code calls stands in the table, and Slack's stand-in asks for a scope that we have."""
    assert len(called()) > 12
    assert called() - set(METHODS) == set()
    for name, ours in METHODS.items():
        assert set(ours) <= set(SCOPES), name
        if name in KNOWN:
            assert bool(ours) == bool(KNOWN[name].scopes), name
            assert set(ours) <= set(KNOWN[name].scopes), name


def test_no_scope_is_there_for_nothing() -> None:
    """Each lets a method be called that the code calls, an event come that is heard, or the command be typed."""
    needed = {scope for name in called() for scope in METHODS[name]}
    needed |= {scope for needs in EVENTS.values() for scope in needs}
    assert set(SCOPES) == needed | {"commands"}


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
    """docs/slack.md and --explain say of each scope what it is for."""
    text = DOCS.read_text(encoding="utf-8")
    assert [scope for scope in SCOPES if f"| `{scope}` |" not in text] == []
    assert re.findall(r"^\| `([a-z:]+)` \|", text, re.M) == list(SCOPES)
    shown = explained()
    assert [scope for scope, why in SCOPES.items() if f"{scope}: {why}" not in shown] == []
