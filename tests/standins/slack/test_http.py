"""People and a real Bolt app over signed HTTP."""

from __future__ import annotations

import time

import pytest
from slack_sdk.errors import SlackApiError

from tests.standins.slack import CannotDo, MovingClock, SlackStandin
from tests.standins.slack.example_app import MODAL, ExampleApp, drill, over_http
from tests.standins.slack.model import Channel, User


async def posted(slack: SlackStandin, app: ExampleApp) -> tuple[User, Channel, str]:
    ada = slack.add_user("ada")
    channel = slack.add_channel("general", ada)
    answer = await app.client.chat_postMessage(channel=channel.id, text="Drill", blocks=drill("A", "B"))
    return ada, channel, str(answer["ts"])


async def test_a_tap_is_acknowledged_and_answered_to_one_person(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, channel, ts = await posted(slack, app)
        bob = slack.add_user("bob")
        reply = await slack.tap(ada, ts, "B")
        assert (reply.acknowledged, reply.status, reply.attempts) == (True, 200, 1)
        payload = app.got[-1]
        assert payload["actions"][0]["value"] == "B"
        assert payload["container"] == {
            "type": "message",
            "message_ts": ts,
            "channel_id": channel.id,
            "is_ephemeral": False,
        }
        assert payload["message"]["ts"] == ts
        assert "You chose B" in slack.seen_by(ada, channel).text
        assert "You chose B" not in slack.seen_by(bob, channel).text
        assert slack.log[-1].method == "response_url"


async def test_an_ephemeral_is_replaced_through_its_own_button(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, channel, ts = await posted(slack, app)
        await slack.tap(ada, ts, "A")
        await slack.tap(ada, slack.seen_by(ada, channel).ephemerals[0], "again")
        assert "message" not in app.got[-1], "Slack does not send an ephemeral's content back"
        assert app.got[-1]["container"]["is_ephemeral"] is True
        assert [note.text for note in slack.seen_by(ada, channel).ephemerals] == ["Said again"]


async def test_nobody_taps_what_they_cannot_see(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        _, channel, ts = await posted(slack, app)
        channel.is_private = True
        with pytest.raises(CannotDo, match="sees no message"):
            await slack.tap(slack.add_user("eve"), ts, "A")
        with pytest.raises(CannotDo, match="nothing called 'Z'"):
            await slack.tap(channel.members[0], ts, "Z")


async def test_a_form_is_opened_filled_in_and_submitted(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, _, ts = await posted(slack, app)
        await slack.tap(ada, ts, "form")
        assert slack.seen_by(ada).modal
        with pytest.raises(CannotDo, match="must be filled in"):
            await slack.submit(ada, values={"boxes": ["A"]})
        reply = await slack.submit(ada, values={"answer": "KV cache", "boxes": ["A", "C"]})
        assert reply.acknowledged
        assert slack.seen_by(ada).modal is None
        view = app.got[-1]["view"]
        assert view["private_metadata"] == "round-1"
        chosen = [{"text": {"type": "plain_text", "text": x, "emoji": True}, "value": x} for x in "AC"]
        assert view["state"]["values"] == {
            "answer": {"text": {"type": "plain_text_input", "value": "KV cache"}},
            "parts": {"boxes": {"type": "checkboxes", "selected_options": chosen}},
            "when": {"time": {"type": "timepicker", "selected_time": "09:00"}},
        }


async def test_what_the_app_answers_a_submission_happens_to_the_form(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, _, ts = await posted(slack, app)
        await slack.tap(ada, ts, "form")
        app.verdict = {"response_action": "errors", "errors": {"answer": "One number, please."}}
        await slack.submit(ada, values={"answer": "x"})
        modal = slack.seen_by(ada).modal
        assert modal
        assert modal.errors == {"answer": "One number, please."}
        shown = MODAL | {"title": {"type": "plain_text", "text": "Next"}}
        app.verdict = {"response_action": "update", "view": shown}
        await slack.submit(ada)
        assert modal.body["title"]["text"] == "Next"
        assert modal.state["answer", "text"]["value"] == "x", "what was typed stays"
        app.verdict = {"response_action": "push", "view": MODAL}
        await slack.submit(ada)
        assert len(slack.seen_by(ada).modals) == 2
        app.verdict = {"response_action": "clear"}
        await slack.submit(ada, values={"answer": "y"})
        assert slack.seen_by(ada).modals == []


async def test_a_wrong_answer_to_a_submission_is_held_against_the_app(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, _, ts = await posted(slack, app)
        await slack.tap(ada, ts, "form")
        app.verdict = {"response_action": "errors", "errors": {"nowhere": "x"}}
        await slack.submit(ada, values={"answer": "x"})
        modal = slack.seen_by(ada).modal
        assert modal
        assert modal.trouble
        assert "nowhere" in slack.violations.pop().faults[1]


async def test_the_app_hears_of_a_form_that_was_closed(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, _, ts = await posted(slack, app)
        await slack.tap(ada, ts, "form")
        reply = await slack.close(ada)
        assert reply
        assert reply.acknowledged
        assert app.got[-1]["type"] == "view_closed"


async def test_a_command_is_answered_to_the_one_who_typed_it(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, channel, _ = await posted(slack, app)
        reply = await slack.command(ada, channel, "/drill", "answer C")
        assert reply.body == "You typed answer C"
        assert [note.text for note in slack.seen_by(ada, channel).ephemerals] == ["You typed answer C"]
        assert app.got[-1]["channel_name"] == "general"


async def test_a_trigger_opens_one_form_and_only_within_three_seconds() -> None:
    clock = MovingClock(1_700_000_000.0)
    async with SlackStandin(clock=clock) as slack, over_http(slack) as app:
        ada, channel, _ = await posted(slack, app)
        first = (await slack.command(ada, channel, "/drill")).payload["trigger_id"]
        await app.client.views_open(trigger_id=first, view=MODAL)
        second = (await slack.command(ada, channel, "/drill")).payload["trigger_id"]
        clock.advance(3.1)
        for trigger, error in ((first, "exchanged"), (second, "expired"), ("1.2.x", "invalid")):
            with pytest.raises(SlackApiError, match=f"{error}_trigger_id"):
                await app.client.views_open(trigger_id=trigger, view=MODAL)


async def test_a_response_url_serves_five_times_in_thirty_minutes() -> None:
    clock = MovingClock(1_700_000_000.0)
    async with SlackStandin(clock=clock) as slack, over_http(slack) as app:
        ada, channel, _ = await posted(slack, app)
        url = (await slack.command(ada, channel, "/drill")).payload["response_url"]
        stale = (await slack.command(ada, channel, "/drill")).payload["response_url"]
        session = slack._session
        for _ in range(5):
            async with session.post(url, json={"text": "x"}) as answer:
                assert (answer.status, await answer.text()) == (200, "ok")
        async with session.post(url, json={"text": "x"}) as answer:
            assert (answer.status, (await answer.json())["error"]) == (404, "used_url")
        clock.advance(31 * 60)
        async with session.post(stale, json={"text": "x"}) as answer:
            assert (answer.status, (await answer.json())["error"]) == (404, "expired_url")


async def test_a_home_tab_is_published_and_a_stale_hash_conflicts(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada = slack.add_user("ada")
        assert (await slack.open_home(ada)).acknowledged
        assert app.got[-1]["event"]["tab"] == "home"
        home = {"type": "home", "blocks": drill("A")}
        old = (await app.client.views_publish(user_id=ada.id, view=home))["view"]["hash"]
        await app.client.views_publish(user_id=ada.id, view=home, hash=old)
        with pytest.raises(SlackApiError, match="hash_conflict"):
            await app.client.views_publish(user_id=ada.id, view=home, hash=old)
        seen = slack.seen_by(ada).home
        assert seen
        await slack.tap(ada, seen, "form")
        assert app.got[-1]["container"] == {"type": "view", "view_id": seen.id}
        assert "response_url" not in app.got[-1]


async def test_an_event_that_fails_is_redelivered_with_its_number_and_the_same_id(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, _, ts = await posted(slack, app)
        app.broken = True
        reply = await slack.react(ada, ts, "one")
        assert (reply.acknowledged, reply.attempts, reply.problem) == (False, 4, "http_error")
        assert len({body["event_id"] for body in app.got}) == 1
        app.broken = False
        again = await slack.redeliver(reply)
        assert again.acknowledged
        assert app.got[-1] == app.got[0]


async def test_a_late_acknowledgement_is_none_and_a_tap_is_not_redelivered() -> None:
    async with SlackStandin(ack_timeout=0.1) as slack, over_http(slack) as app:
        ada, _, ts = await posted(slack, app)
        app.slow = 0.3
        reply = await slack.tap(ada, ts, "A")
        assert (reply.acknowledged, reply.attempts, reply.problem) == (False, 1, "http_timeout")
        assert len(app.got) == 1


async def test_bolt_refuses_a_signature_of_another_secret_or_time(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, _, ts = await posted(slack, app)
        transport = slack.postman.transport
        transport.now = lambda: time.time() - 400  # type: ignore[union-attr]
        assert (await slack.tap(ada, ts, "A")).status == 401
        transport.now = time.time  # type: ignore[union-attr]
        transport.secret = "another"  # type: ignore[union-attr]
        assert (await slack.tap(ada, ts, "A")).status == 401
        assert app.got == []


async def test_what_the_app_did_not_subscribe_to_is_not_delivered(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, channel, ts = await posted(slack, app)
        slack.subscriptions.discard("reaction_added")
        assert (await slack.react(ada, ts, "one")).problem == "not_subscribed"
        bob = slack.add_user("bob")
        assert (await slack.join_channel(bob, channel)).acknowledged
        assert [body["event"]["type"] for body in app.got] == ["member_joined_channel"]


async def test_removing_the_app_tells_it_so(slack: SlackStandin) -> None:
    async with over_http(slack) as app:
        ada, _, ts = await posted(slack, app)
        await slack.uninstall()
        assert (await slack.tap(ada, ts, "A")).problem == "not_installed"
        assert [body["event"]["type"] for body in app.got] == ["tokens_revoked", "app_uninstalled"]


async def test_the_app_hears_of_what_it_did_itself_as_far_as_bolt_lets_it(slack: SlackStandin) -> None:
    """Slack tells an app of its own reactions and joining; Bolt swallows the former and passes the latter on."""
    async with over_http(slack) as app:
        _, channel, ts = await posted(slack, app)
        await app.client.reactions_add(channel=channel.id, timestamp=ts, name="one")
        await app.client.conversations_join(channel=slack.add_channel("other", bot=False).id)
        await slack.until(lambda: app.got)
        assert [body["event"]["type"] for body in app.got] == ["member_joined_channel"]
        assert app.got[0]["event"]["user"] == slack.bot.id
