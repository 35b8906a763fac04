"""The daily job in a Slack channel, from the first command to the board, over both ways in."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.slack.conftest import Start
from tests.slack.team import Way, said
from tests.standins.slack import SlackStandin, pings

KEYS = ("512 MiB", "Because", "secret explanation", '"correct"', "zyzzyva", "98765", "quokka")


@pytest.mark.parametrize("way", ["socket", "http"])
async def test_a_channel_has_its_day(start: Start, slack: SlackStandin, way: Way) -> None:
    """Set up by form, look, save; posted at its time; answered privately; closed with a thread; boarded on Monday."""
    bot = await start(way)
    ada = slack.add_user("ada", real_name="Ada Quist", tz="Europe/Berlin", is_admin=True)
    ben = slack.add_user("ben", real_name="Ben Oduya")
    channel = slack.add_channel("ml", ada, ben)

    await slack.command(ada, channel, "/drill", "setup")
    await slack.until(lambda: bot.seen(ada, channel).modal)
    reply = await slack.submit(
        ada, None, {"time": "10:00", "zone": "Europe/Berlin", "kinds": ["single"], "difficulty": "1-3"}
    )
    assert reply.acknowledged
    preview = bot.seen(ada, channel).modal
    assert preview is not None
    assert "10:00" in bot.seen(ada, channel).text
    await slack.tap(ada, preview, "Save")
    await slack.until(lambda: "Saved" in bot.seen(ada, channel).text)
    await slack.close(ada)

    await bot.beat()
    assert slack.messages(channel) == []
    await bot.after(hours=1)  # 09:00 UTC is 10:00 in Berlin
    (posted,) = slack.messages(channel)
    assert "Daily drill #1" in said(posted)
    assert "See k_v[*]." in said(posted)
    assert pings(posted) == []
    assert posted.metadata is not None
    assert set(posted.metadata["event_payload"]) == {"key"}

    reply = await slack.tap(ben, posted, "B")
    assert reply.acknowledged
    verdict = await bot.note(ben, channel, "Right")
    assert "Because 512 MiB is right." in said(verdict)
    assert "Because" not in bot.seen(ada, channel).text
    shared = json.dumps([posted.blocks, posted.text, posted.metadata])
    assert all(key not in shared for key in KEYS[1:])

    await bot.after(seconds=5)
    assert "1 answered" in said(bot.question(channel))

    await slack.tap(ada, posted, "A")
    await bot.note(ada, channel, "Because 256 MiB is wrong.")

    await bot.after(hours=24)
    closed, second = slack.messages(channel)
    assert "Closed" in said(closed)
    assert "1 of 2 right" in said(closed)
    (result,) = slack.messages(channel, closed.ts)
    assert "Answer: B" in said(result)
    assert "Daily drill #2" in said(second) or "Daily drill" in said(second)
    assert "ada" not in said(result)

    for _ in range(6):
        await bot.after(hours=24)
    boards = [m for m in slack.messages(channel) if "Board of the week" in said(m)]
    (board,) = boards
    assert "1  ben" in said(board)
    assert pings(board) == []
    assert [block["type"] for block in board.blocks].count("image") == 1
    assert len(slack.writes("files.completeUploadExternal")) == 1


async def test_the_posted_text_holds_no_key_until_close(start: Start, slack: SlackStandin) -> None:
    """Nothing shared before close, of no kind of question, gives the key away."""
    bot = await start()
    ada = slack.add_user("ada", is_admin=True)
    for kind in ("single", "multiple", "true_false", "blank", "numeric", "case"):
        channel = slack.add_channel(kind.replace("_", "-"), ada)
        await bot.setup(ada, channel, f"kinds={kind} time=09:00 zone=UTC difficulty=1-5")
    await bot.after(hours=1)
    shared = json.dumps([entry.payload for entry in slack.writes("chat.postMessage")], ensure_ascii=False)
    assert len(slack.writes("chat.postMessage")) == 6
    assert [key for key in KEYS[1:] if key in shared] == []
    await bot.after(hours=24)
    shared = json.dumps([entry.payload for entry in slack.writes("chat.postMessage")], ensure_ascii=False)
    assert [key for key in KEYS[1:] if key not in shared and key not in ('"correct"', "98765")] == []
    assert "98,765" in shared or "98765" in shared


async def test_a_week_over_a_clock_that_is_moved_in_one_step_posts_once_a_day(
    start: Start, slack: SlackStandin
) -> None:
    """However seldom the beat comes, no date has two messages."""
    bot = await start()
    ada = slack.add_user("ada", is_admin=True)
    channel = slack.add_channel("ml", ada)
    await bot.setup(ada, channel, "time=09:00 zone=UTC kinds=single,true_false")
    for _ in range(4):
        bot.clock.forward(timedelta(hours=25))
        await bot.beat()
        await bot.beat()
    questions = [m for m in slack.messages(channel) if "Daily drill" in said(m)]
    numbers = [said(m).split("#")[1].split()[0] for m in questions]
    assert len(numbers) == len(set(numbers))
