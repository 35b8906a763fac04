"""The Web API as the real slack_sdk client finds it."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.standins.slack import MovingClock, SlackStandin, pings

METADATA = {"event_type": "drills_round", "event_payload": {"key": "r1"}}
SECTION = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Daily drill*"}}]


def client(slack: SlackStandin, token: str | None = None) -> AsyncWebClient:
    return AsyncWebClient(token or slack.bot_token, base_url=slack.base_url, retry_handlers=[])


async def refusal(call: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


async def test_a_message_is_posted_found_by_its_metadata_edited_and_deleted(slack: SlackStandin) -> None:
    web, channel = client(slack), slack.add_channel("general")
    posted = await web.chat_postMessage(channel=channel.id, text="Drill", blocks=SECTION, metadata=METADATA)
    assert slack.messages(channel)[0].ts == posted["ts"]
    plain = await web.conversations_history(channel=channel.id)
    assert "metadata" not in plain["messages"][0]
    full = await web.conversations_history(channel=channel.id, include_all_metadata=True, oldest="0", limit=5)
    assert full["messages"][0]["metadata"] == METADATA
    assert full["messages"][0]["bot_id"] == slack.workspace.bot_id
    await web.chat_update(channel=channel.id, ts=posted["ts"], text="Closed")
    message = slack.messages(channel)[0]
    assert message.text == "Closed"
    assert message.blocks, "blocks that are not given are retained"
    assert message.metadata == METADATA
    assert message.edited_ts
    await web.chat_delete(channel=channel.id, ts=posted["ts"])
    assert slack.messages(channel) == []
    assert [entry.method for entry in slack.log] == ["chat.postMessage", "chat.update", "chat.delete"]


async def test_ts_rises_strictly_even_when_the_clock_stands_still() -> None:
    async with SlackStandin(clock=MovingClock(1_700_000_000.0)) as slack:
        channel = slack.add_channel("general")
        stamps = [(await client(slack).chat_postMessage(channel=channel.id, text="x"))["ts"] for _ in range(3)]
    assert stamps == ["1700000000.000000", "1700000000.000001", "1700000000.000002"]


async def test_replies_stand_in_their_thread_and_outlive_the_parent_as_a_tombstone(slack: SlackStandin) -> None:
    web, channel = client(slack), slack.add_channel("general")
    ts = (await web.chat_postMessage(channel=channel.id, text="Drill"))["ts"]
    await web.chat_postMessage(channel=channel.id, text="Result", thread_ts=ts)
    assert [m["text"] for m in (await web.conversations_replies(channel=channel.id, ts=ts))["messages"]] == [
        "Drill",
        "Result",
    ]
    assert (await web.conversations_history(channel=channel.id))["messages"][0]["reply_count"] == 1
    slack.delete_message(channel, ts)
    left = (await web.conversations_history(channel=channel.id))["messages"]
    assert [message["subtype"] for message in left] == ["tombstone"]
    assert await refusal(web.chat_update(channel=channel.id, ts=ts, text="x")) == "message_not_found"
    assert await refusal(web.chat_postMessage(channel=channel.id, text="x", thread_ts="1.000000")) == "thread_not_found"


async def test_history_is_newest_first_paged_and_bounded(slack: SlackStandin) -> None:
    web, channel = client(slack), slack.add_channel("general")
    stamps = [(await web.chat_postMessage(channel=channel.id, text=str(n)))["ts"] for n in range(5)]
    first = await web.conversations_history(channel=channel.id, limit=2)
    assert [m["text"] for m in first["messages"]] == ["4", "3"]
    assert first["has_more"]
    cursor = first["response_metadata"]["next_cursor"]
    second = await web.conversations_history(channel=channel.id, limit=2, cursor=cursor)
    assert [m["text"] for m in second["messages"]] == ["2", "1"]
    later = await web.conversations_history(channel=channel.id, oldest=stamps[2])
    assert [m["text"] for m in later["messages"]] == ["4", "3"]
    closed = await web.conversations_history(channel=channel.id, oldest=stamps[2], inclusive=True)
    assert len(closed["messages"]) == 3


async def test_places_the_bot_cannot_write_to_are_refused_each_in_slacks_word(slack: SlackStandin) -> None:
    web = client(slack)
    outside, old = slack.add_channel("outside", bot=False), slack.add_channel("old", archived=True)
    hidden = slack.add_channel("hidden", bot=False, private=True)
    assert await refusal(web.chat_postMessage(channel="C404", text="x")) == "channel_not_found"
    assert await refusal(web.chat_postMessage(channel=hidden.id, text="x")) == "channel_not_found"
    assert await refusal(web.chat_postMessage(channel=outside.id, text="x")) == "not_in_channel"
    assert await refusal(web.chat_postMessage(channel=old.id, text="x")) == "is_archived"
    assert await refusal(web.conversations_history(channel=outside.id)) == "not_in_channel"
    await web.conversations_join(channel=outside.id)
    assert (await web.chat_postMessage(channel=outside.id, text="x"))["ok"]


async def test_what_is_too_long_or_empty_is_refused_and_held_against_the_app(slack: SlackStandin) -> None:
    web, channel = client(slack), slack.add_channel("general")
    ts = (await web.chat_postMessage(channel=channel.id, text="x" * 40_000))["ts"]
    assert await refusal(web.chat_postMessage(channel=channel.id, text="x" * 40_001)) == "msg_too_long"
    assert await refusal(web.chat_update(channel=channel.id, ts=ts, text="x" * 4001)) == "msg_too_long"
    assert await refusal(web.api_call("chat.postMessage", json={"channel": channel.id, "text": " "})) == "no_text"
    many = [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 2900}}] * 5
    assert await refusal(web.chat_postMessage(channel=channel.id, text="x", blocks=many)) == "msg_blocks_too_long"
    bad = {"event_type": "x"}
    assert await refusal(web.chat_postMessage(channel=channel.id, text="x", metadata=bad)) == "invalid_metadata_format"
    assert len(slack.violations) == 5
    slack.violations.clear()


async def test_wrong_blocks_are_refused_with_the_place_of_every_fault(slack: SlackStandin) -> None:
    channel = slack.add_channel("general")
    wrong: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": ""}},
        {"type": "actions", "elements": []},
    ]
    with pytest.raises(SlackApiError) as caught:
        await client(slack).chat_postMessage(channel=channel.id, text="x", blocks=wrong)
    answer = caught.value.response
    assert answer["error"] == "invalid_blocks"
    assert answer["response_metadata"]["messages"] == [
        "[ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]",
        "[ERROR] no less than 1 items allowed [json-pointer:/blocks/1/elements]",
    ]
    assert slack.messages(channel) == []
    assert slack.violations.pop().where == "chat.postMessage"


@pytest.mark.filterwarnings("ignore:The top-level `text` argument")
async def test_blocks_without_a_fallback_text_are_taken_but_held_against_the_app(slack: SlackStandin) -> None:
    channel = slack.add_channel("general")
    assert (await client(slack).chat_postMessage(channel=channel.id, blocks=SECTION))["ok"]
    assert "text is missing" in slack.violations.pop().faults[0]


async def test_forms_with_json_text_are_read_like_json(slack: SlackStandin) -> None:
    channel = slack.add_channel("general")
    fields = {"channel": channel.id, "text": "x", "blocks": json.dumps(SECTION), "metadata": json.dumps(METADATA)}
    head = {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession(slack.base_url, headers=head) as http:
        async with http.post("chat.postMessage", data=fields) as answer:
            assert (await answer.json())["message"]["metadata"] == METADATA
        async with http.get("conversations.history", params={"channel": channel.id}) as answer:
            assert len((await answer.json())["messages"]) == 1
        async with http.post("chat.postMessage", data=fields | {"blocks": "[{"}) as answer:
            assert (await answer.json())["error"] == "invalid_blocks_format"
        async with http.post("chat.postMessage", data=b"{", headers={"Content-Type": "application/json"}) as answer:
            assert (await answer.json())["error"] == "invalid_json"
    assert len(slack.violations) == 2
    slack.violations.clear()


async def test_tokens_and_scopes_are_checked(slack: SlackStandin) -> None:
    channel = slack.add_channel("general")
    assert await refusal(client(slack, "xoxb-wrong").auth_test()) == "invalid_auth"
    assert await refusal(client(slack).apps_connections_open(app_token=slack.bot_token)) == "not_allowed_token_type"
    async with aiohttp.ClientSession(slack.base_url) as http, http.post("auth.test") as answer:
        assert (await answer.json())["error"] == "not_authed"
    poor = slack.add_workspace("Poor", scopes=["chat:write"])
    answer_to_poor = client(slack, poor.bot_token).users_info(user=poor.bot_user)
    with pytest.raises(SlackApiError) as caught:
        await answer_to_poor
    assert caught.value.response["needed"] == "users:read"
    assert caught.value.response["provided"] == "chat:write"
    await slack.revoke()
    assert await refusal(client(slack).chat_postMessage(channel=channel.id, text="x")) == "token_revoked"
    await slack.uninstall()
    assert await refusal(client(slack).auth_test()) == "account_inactive"
    slack.violations.clear()


async def test_a_reinstall_brings_a_new_token(slack: SlackStandin) -> None:
    old = slack.bot_token
    await slack.uninstall()
    web = AsyncWebClient(base_url=slack.base_url)
    secrets = {"client_id": slack.core.client_id, "client_secret": slack.core.client_secret}
    code = slack.oauth_code(slack.workspace)
    given = await web.oauth_v2_access(code=code, **secrets)
    assert given["access_token"] == slack.bot_token != old
    assert (await client(slack).auth_test())["bot_id"] == slack.workspace.bot_id
    assert await refusal(web.oauth_v2_access(code=code, **secrets)) == "invalid_code"


async def test_people_are_described_with_zone_locale_and_rights(slack: SlackStandin) -> None:
    ada = slack.add_user("ada", tz="Asia/Shanghai", locale="zh-CN", is_admin=True)
    user = (await client(slack).users_info(user=ada.id, include_locale=True))["user"]
    assert (user["tz"], user["tz_offset"], user["locale"], user["is_admin"]) == ("Asia/Shanghai", 28800, "zh-CN", True)
    assert "locale" not in (await client(slack).users_info(user=ada.id))["user"]
    assert await refusal(client(slack).users_info(user="U404")) == "user_not_found"
    first = await client(slack).users_list(limit=1)
    assert first["response_metadata"]["next_cursor"]
    assert [m["id"] async for page in first for m in page["members"]] == [slack.bot.id, ada.id]


async def test_a_direct_message_reaches_one_person_alone(slack: SlackStandin) -> None:
    ada, bob = slack.add_user("ada"), slack.add_user("bob")
    web = client(slack)
    opened = (await web.conversations_open(users=ada.id))["channel"]["id"]
    assert (await web.chat_postMessage(channel=ada.id, text="Hi"))["channel"] == opened
    assert slack.seen_by(ada, opened).text == "Hi"
    assert slack.seen_by(bob, opened).messages == []


async def test_an_ephemeral_is_seen_by_one_and_gone_after_a_reload(slack: SlackStandin) -> None:
    ada, bob = slack.add_user("ada"), slack.add_user("bob")
    channel = slack.add_channel("general", ada)
    web = client(slack)
    sent = await web.chat_postEphemeral(channel=channel.id, user=ada.id, text="Only you")
    assert await refusal(web.chat_postEphemeral(channel=channel.id, user=bob.id, text="x")) == "user_not_in_channel"
    ts = sent["message_ts"]
    assert await refusal(web.chat_update(channel=channel.id, ts=ts, text="x")) == "message_not_found"
    assert slack.seen_by(ada, channel).text == "Only you"
    assert slack.seen_by(bob, channel).ephemerals == []
    slack.reload(ada)
    assert slack.seen_by(ada, channel).ephemerals == []


async def test_a_picture_is_uploaded_unshared_and_shown_once_slack_has_looked_at_it() -> None:
    clock = MovingClock(1_700_000_000.0)
    async with SlackStandin(clock=clock) as slack:
        slack.core.file_delay = 2.0
        web, channel = client(slack), slack.add_channel("general")
        done = await web.files_upload_v2(content=b"\x89PNG....", filename="board.png", title="Board")
        picture: list[dict[str, Any]] = [
            {"type": "image", "slack_file": {"id": done["files"][0]["id"]}, "alt_text": "The board"}
        ]
        post: dict[str, Any] = {"channel": channel.id, "text": "Board", "blocks": picture}
        assert await refusal(web.chat_postMessage(**post)) == "invalid_blocks"
        clock.advance(2)
        assert (await web.chat_postMessage(**post))["ok"]
        info = await web.files_info(file=done["files"][0]["id"])
        assert info["file"]["mimetype"] == "image/png"
        assert slack.violations == [], "trying too early is no fault of the app"
        picture[0]["slack_file"] = {"id": "F404"}
        assert await refusal(web.chat_postMessage(**post)) == "invalid_blocks"
        assert len(slack.violations) == 1


async def test_reactions_are_left_listed_and_taken_back(slack: SlackStandin) -> None:
    ada = slack.add_user("ada")
    web, channel = client(slack), slack.add_channel("general", ada)
    ts = (await web.chat_postMessage(channel=channel.id, text="Drill"))["ts"]
    await web.reactions_add(channel=channel.id, timestamp=ts, name="one")
    await slack.react(ada, ts, "one")
    listed = (await web.reactions_get(channel=channel.id, timestamp=ts))["message"]["reactions"]
    assert listed == [{"name": "one", "users": [slack.bot.id, ada.id], "count": 2}]
    assert await refusal(web.reactions_add(channel=channel.id, timestamp=ts, name="one")) == "already_reacted"
    await web.reactions_remove(channel=channel.id, timestamp=ts, name="one")
    assert slack.messages(channel)[0].reactions == {"one": [ada.id]}


async def test_unknown_methods_and_arguments_are_held_against_the_app(slack: SlackStandin) -> None:
    channel = slack.add_channel("general")
    assert await refusal(client(slack).api_call("chat.shout")) == "unknown_method"
    await client(slack).chat_postMessage(channel=channel.id, text="x", metdata={})
    assert [violation.faults[0] for violation in slack.violations] == ["unknown_method", "unknown argument: metdata"]
    slack.violations.clear()


async def test_mentions_ping_unless_they_are_escaped(slack: SlackStandin) -> None:
    channel = slack.add_channel("general")
    for text in ("<!channel> <@U012AB>", "&lt;!channel&gt; @everyone"):
        await client(slack).chat_postMessage(channel=channel.id, text=text)
    assert [pings(message) for message in slack.messages(channel)] == [["<!channel>", "<@U012AB>"], []]


async def test_workspaces_are_apart(slack: SlackStandin) -> None:
    """A token reaches its own workspace's channels alone."""
    other = slack.add_workspace("Other")
    channel = slack.add_channel("general", workspace=other)
    assert await refusal(client(slack).chat_postMessage(channel=channel.id, text="x")) == "channel_not_found"
    assert (await client(slack, other.bot_token).chat_postMessage(channel=channel.id, text="x"))["ok"]
    assert slack.log[-1].team == other.id
