"""Signed requests that come again: to the same process, after a while, to another process."""

from __future__ import annotations

import json
import time
from urllib.parse import urlencode

import aiohttp

from bot.slack.entrance import SEEN_FOR, Signatures
from storage.tables import Answer
from tests.slack.conftest import StartMany
from tests.slack.many import people, ready, rows
from tests.slack.test_way_in import SECRET, sign
from tests.standins.slack import SlackStandin


def test_only_what_slack_signed_is_remembered_and_not_for_ever() -> None:
    """Forged requests cost no memory; ten minutes after the last that was good nothing older is left."""
    now = 1_800_000_000.0
    signatures = Signatures(SECRET, lambda: now)
    for n in range(1000):
        assert not signatures.accept(b"{}", str(int(now)), f"v0={n:064x}")
    assert len(signatures._seen) == 0
    for n in range(1000):
        body = b"%d" % n
        assert signatures.accept(body, str(int(now)), sign(SECRET, body, int(now)))
    assert len(signatures._seen) == 1000
    now += SEEN_FOR + 1
    assert signatures.accept(b"{}", str(int(now)), sign(SECRET, b"{}", int(now)))
    assert len(signatures._seen) == 1


def test_a_signature_is_remembered_longer_than_it_is_good() -> None:
    """Five minutes early and five minutes late are good: that is ten minutes in which it must not be taken twice."""
    now = 1_800_000_000.0
    signatures = Signatures(SECRET, lambda: now)
    stamp = int(now) + 300
    good = sign(SECRET, b"{}", stamp)
    assert signatures.accept(b"{}", str(stamp), good)
    for later in (1, 299, 600):
        now = 1_800_000_000.0 + later
        signatures.accept(b"x", str(int(now)), sign(SECRET, b"x", int(now)))
        assert not signatures.accept(b"{}", str(stamp), good)


async def test_two_processes_take_a_captured_tap_once_each_and_count_it_once(
    start_many: StartMany, slack: SlackStandin
) -> None:
    """Each process remembers what it took itself; what both take is one answer all the same."""
    first = await start_many()
    second = await start_many(public_url=first.address)
    ada, channel = people(slack, slack.workspace, "ada")
    await first.install(slack.workspace, ada)
    await ready(first, ada, channel)
    await first.after(hours=1)
    (posted,) = slack.messages(channel)
    reply = await slack.tap(ada, posted, "B")
    assert reply.acknowledged
    body = urlencode({"payload": json.dumps(reply.payload)}).encode()
    stamp = int(time.time()) + 2  # not the very request that was delivered above
    headers = {
        "X-Slack-Request-Timestamp": str(stamp),
        "X-Slack-Signature": sign(slack.signing_secret, body, stamp),
        "Content-Type": "application/x-www-form-urlencoded",
    }
    told = []
    async with aiohttp.ClientSession() as session:
        for bot in (first, second, first, second):
            async with session.post(f"{bot.address}/slack/events", data=body, headers=headers) as answer:
                told.append(answer.status)
    assert told == [200, 200, 401, 401]
    assert len(rows(first, Answer)) == 1
