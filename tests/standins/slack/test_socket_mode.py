"""People and a real Bolt app over Socket Mode."""

from __future__ import annotations

import asyncio

import aiohttp

from tests.standins.slack import SlackStandin
from tests.standins.slack.example_app import ExampleApp, drill, over_socket
from tests.standins.slack.model import Channel, User


async def posted(slack: SlackStandin, app: ExampleApp) -> tuple[User, Channel, str]:
    ada = slack.add_user("ada")
    channel = slack.add_channel("general", ada)
    answer = await app.client.chat_postMessage(channel=channel.id, text="Drill", blocks=drill("A", "B"))
    return ada, channel, str(answer["ts"])


async def dial(slack: SlackStandin, http: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
    """A bare Socket Mode client, to see the very frames."""
    head = {"Authorization": f"Bearer {slack.app_token}"}
    async with http.post(f"{slack.base_url}apps.connections.open", headers=head) as answer:
        socket = await http.ws_connect((await answer.json())["url"])
    assert (await socket.receive_json())["type"] == "hello"
    return socket


async def test_a_day_of_taps_forms_commands_and_events_goes_over_the_socket(slack: SlackStandin) -> None:
    async with over_socket(slack) as app:
        ada, channel, ts = await posted(slack, app)
        assert (await slack.tap(ada, ts, "A")).acknowledged
        await slack.until(lambda: "You chose A" in slack.seen_by(ada, channel).text)
        assert (await slack.tap(ada, ts, "form")).acknowledged
        app.verdict = {"response_action": "errors", "errors": {"answer": "No."}}
        await slack.submit(ada, values={"answer": "x"})
        modal = slack.seen_by(ada).modal
        assert modal
        assert modal.errors == {"answer": "No."}
        app.verdict = {}
        assert (await slack.submit(ada)).acknowledged
        assert (await slack.command(ada, channel, "/drill", "me")).body == "You typed me"
        assert (await slack.react(ada, ts, "one")).acknowledged
        assert (await slack.open_home(ada)).acknowledged


async def test_frames_have_slacks_shape(slack: SlackStandin) -> None:
    async with aiohttp.ClientSession() as http:
        socket = await dial(slack, http)
        ada = slack.add_user("ada")
        channel = slack.add_channel("general", ada)
        typing = asyncio.create_task(slack.command(ada, channel, "/drill", "me"))
        frame = await socket.receive_json()
        assert set(frame) == {"envelope_id", "payload", "type", "accepts_response_payload"}
        assert (frame["type"], frame["accepts_response_payload"]) == ("slash_commands", True)
        await socket.send_json({"envelope_id": frame["envelope_id"], "payload": {"text": "Hi"}})
        assert (await typing).body == "Hi"
        opening = asyncio.create_task(slack.open_home(ada))
        frame = await socket.receive_json()
        assert (frame["type"], frame["retry_attempt"], frame["accepts_response_payload"]) == ("events_api", 0, False)
        await socket.send_json({"envelope_id": frame["envelope_id"]})
        assert (await opening).acknowledged
        await socket.send_json({"envelope_id": "nobody's"})
        await slack.until(lambda: slack.violations)
        slack.violations.clear()


async def test_an_event_without_acknowledgement_goes_to_another_connection() -> None:
    async with SlackStandin(ack_timeout=0.1) as slack, aiohttp.ClientSession() as http:
        first, second = await dial(slack, http), await dial(slack, http)
        opening = asyncio.create_task(slack.open_home(slack.add_user("ada")))
        silent = await first.receive_json()
        repeated = await second.receive_json()
        assert repeated["payload"]["event_id"] == silent["payload"]["event_id"]
        assert (repeated["retry_attempt"], repeated["retry_reason"]) == (1, "timeout")
        await second.send_json({"envelope_id": repeated["envelope_id"]})
        reply = await opening
        assert (reply.acknowledged, reply.attempts) == (True, 2)
        await first.send_json({"envelope_id": silent["envelope_id"]})
        await slack.until(lambda: slack.sockets.late)


async def test_a_ticket_opens_one_connection_and_ten_are_the_most(slack: SlackStandin) -> None:
    async with aiohttp.ClientSession() as http:
        kept = [await dial(slack, http) for _ in range(10)]
        head = {"Authorization": f"Bearer {slack.app_token}"}
        async with http.post(f"{slack.base_url}apps.connections.open", headers=head) as answer:
            url = (await answer.json())["url"]
        socket = await http.ws_connect(url)
        assert (await socket.receive_json())["reason"] == "too_many_websockets"
        async with http.get(url) as answer:
            assert answer.status == 404
        assert not any(socket.closed for socket in kept)


async def test_bolt_comes_back_after_a_refresh_a_cut_and_a_silence(slack: SlackStandin) -> None:
    """The real client survives all three, so tests may use them on the product."""
    async with over_socket(slack) as app:
        ada, _, ts = await posted(slack, app)

        async def back_and_working() -> None:
            await slack.until(lambda: any(not c.stalled for c in slack.sockets.connections), within=10)
            slack.sockets.connections[:] = [c for c in slack.sockets.connections if not c.stalled]
            assert (await slack.tap(ada, ts, "A")).acknowledged

        await slack.sockets.refresh(warning=None)
        await back_and_working()
        slack.sockets.cut()
        assert (await slack.tap(ada, ts, "A")).problem == "no_connection"
        await back_and_working()
        slack.sockets.stall()
        await back_and_working()
