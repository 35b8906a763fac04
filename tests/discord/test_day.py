"""The day of a channel on Discord: post, answer every kind, count, close, thread, board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from content.question import Question
from tests.discord.questions import BLANK, CASE, EVERY_KIND, MULTIPLE, NUMERIC, SINGLE, TRUTH
from tests.discord.world import buttons, texts, world


async def test_a_question_stands_in_the_channel_at_its_time_and_not_before(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 29, 58)
        assert w.posts() == []
        await w.at(1, 9, 30)
        (post,) = w.posts()
        assert "Daily drill #1" in texts(post)
        assert "**B**  512 MiB" in texts(post)
        assert "closes <t:1767346200:t>" in texts(post)
        assert buttons(post) == ["A", "B", "C", "D"]


async def test_one_tap_answers_and_only_that_person_sees_the_verdict(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        answered = await w.ben.click(w.posts()[0], label="B")
        assert answered.ephemeral
        assert texts(answered.response).startswith("### Right! +15 points")
        assert len(w.posts()) == 1
        assert w.threads == []


async def test_the_count_is_refreshed_and_stays_in_place(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        post = w.posts()[0]
        await w.ben.click(post, label="A")
        await w.admin.click(post, label="B")
        await w.beat()
        (refreshed,) = w.posts()
        assert refreshed.id == post.id
        assert "2 answered" in texts(refreshed)
        edits = [r for r in w.env.http_requests if r.method == "PATCH"]
        assert len(edits) == 1


async def test_a_double_click_counts_once_and_shows_the_first_answer_again(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        post = w.posts()[0]
        await w.ben.click(post, label="B")
        again = await w.ben.click(post, label="A")
        assert "Your first answer stands." in texts(again.response)
        assert "You answered: **B**" in texts(again.response)
        await w.beat()
        assert "1 answered" in texts(w.posts()[0])


TYPED: list[tuple[Question, dict[str, Any], str]] = [
    (MULTIPLE, {"answer": ["a", "b"]}, "### Right!"),
    (MULTIPLE, {"answer": ["a", "c"]}, "### Not this time."),
    (BLANK, {"answer": " Query "}, "### Right!"),
    (BLANK, {"answer": "查询"}, "### Right!"),
    (NUMERIC, {"answer": "0.5 GiB"}, "### Right!"),
    (NUMERIC, {"answer": "１２"}, "### Not this time."),
    (CASE, {"answer": "Shrink the cache."}, "### Recorded."),
]


@pytest.mark.parametrize(("question", "typed", "verdict"), TYPED)
async def test_other_kinds_open_a_form_with_the_question_in_it(
    tmp_path: Path, question: Question, typed: dict[str, Any], verdict: str
) -> None:
    async with world(tmp_path, [question]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        assert buttons(w.posts()[0]) == ["Answer"]
        form = await w.ben.click(w.posts()[0], label="Answer")
        assert form.modal is not None
        assert form.modal["components"][0]["content"].startswith(question.prompt.en[:14])
        sent = await w.ben.submit_modal(form, typed)
        assert sent.ephemeral
        assert texts(sent.response).startswith(verdict)


async def test_true_or_false_is_one_tap(tmp_path: Path) -> None:
    async with world(tmp_path, [TRUTH]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        assert buttons(w.posts()[0]) == ["A", "B"]
        answered = await w.ben.click(w.posts()[0], label="A")
        assert texts(answered.response).startswith("### Right! +10 points")


async def test_a_chinese_client_is_answered_in_chinese_and_reads_the_question_so(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(language="en+zh")
        await w.at(1, 9, 30)
        zhou, lin = w.person("zhou", "zh-CN"), w.person("lin", "zh-TW")
        read = await zhou.click(w.posts()[0], label="中文")
        assert "`n_layers=32` 的 KV 缓存有多大？" in texts(read.response)
        answered = await zhou.click(read.response, label="B")
        assert texts(answered.response).startswith("### 答对了！")
        wrong = await lin.click(w.posts()[0], label="A")
        assert texts(wrong.response).startswith("### 這次沒答對。")
        assert "How large is" in texts(w.posts()[0])


async def test_at_close_the_message_says_so_and_its_thread_holds_the_answer(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        post = w.posts()[0]
        for number, letter in enumerate("ABBBC"):
            await w.person(f"p{number}").click(post, label=letter)
        await w.at(2, 9, 30)
        closed, following = w.posts()
        assert "**Closed** · 3 of 5 right" in texts(closed)
        assert buttons(closed) == []
        assert "Daily drill #2" in texts(following)
        (thread,) = w.threads
        assert thread.id == post.id
        assert thread.name == "Daily drill #1"
        (result,) = w.posts(thread)
        assert texts(result).startswith("### Answer: B")
        assert "What does GQA change?" in texts(result)
        assert [a.content_type for a in result.attachments] == ["image/png"]
        assert "60" in (result.attachments[0].description or "")
        mine = await w.ben.click(result, label="How did I do?")
        assert "You did not answer this one" in texts(mine.response)


async def test_a_late_answer_from_the_thread_goes_to_the_closed_round(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(days="thu")
        await w.at(1, 9, 30)
        await w.at(2, 9, 30)
        late = await w.ben.slash(w.threads[0], "drill answer", response="b")
        assert "no points, but your streak goes on" in texts(late.response)
        await w.at(3, 9, 31)
        later = await w.person("cat").slash(w.threads[0], "drill answer", response="b")
        assert "feedback only" in texts(later.response)


async def test_together_keeps_the_verdict_until_the_round_is_closed(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup(mode="together", days="thu")
        await w.at(1, 9, 30)
        post = w.posts()[0]
        first = await w.ben.click(post, label="A")
        changed = await w.ben.click(post, label="B")
        assert texts(first.response).startswith("### Recorded: A")
        assert texts(changed.response).startswith("### Changed: B")
        await w.at(2, 9, 30)
        mine = await w.ben.click(w.posts(w.threads[0])[0], label="How did I do?")
        assert texts(mine.response).startswith("### Right! +15 points")


async def test_until_close_nothing_shared_tells_the_answer(tmp_path: Path) -> None:
    async with world(tmp_path, list(EVERY_KIND)) as w:
        await w.setup()
        for day in range(1, 7):
            await w.at(day, 9, 30)
            post = w.posts()[-1]
            await w.ben.click(post, label="A" if "A" in buttons(post) else "Answer")
            await w.beat()
            before = len(w.env.http_requests)
            shared = [str(r.json) for r in w.env.http_requests[:before] if r.path.endswith(f"/{post.id}")]
            open_ones = [*shared, str([c.to_dict() for c in w.posts()[-1].components])]
            for text in open_ones:
                assert "Why" not in text
                assert "Answer:" not in text
                assert "correct" not in text
                assert "section 3.2" not in text


async def test_the_week_has_a_board_with_picture_alt_text_and_plain_names(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        everyone = w.person("@everyone <@123> **b**")
        await everyone.click(w.posts()[-1], label="A")
        await w.ben.click(w.posts()[-1], label="B")
        await w.at(2, 9, 30)
        await w.at(5, 9, 30)
        board = next(p for p in w.posts() if "Board of the week" in texts(p))
        shown = texts(board)
        assert "1  ben" in shown
        assert "@everyone" not in shown
        assert "<@123>" not in shown
        assert board.attachments[0].filename == "board.png"
        assert "1. ben" in (board.attachments[0].description or "")
        assert not board.mentions
        assert not board.mention_everyone


async def test_what_members_ask_for_is_private(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        today = await w.ben.slash(w.channel, "drill today")
        assert "How large is" in texts(today.response)
        typed = await w.ben.slash(w.channel, "drill answer", response="B")
        assert texts(typed.response).startswith("### Right!")
        await w.at(2, 9, 30)
        me = await w.ben.slash(w.channel, "drill me")
        assert "**Points in all**: 15" in texts(me.response)
        board = await w.ben.slash(w.channel, "drill board", period="all")
        assert "1  ben" in texts(board.response)
        help_ = await w.ben.slash(w.channel, "drill help")
        assert "/drill today" in texts(help_.response)
        assert "/drill setup" not in texts(help_.response)
        assert all(r.ephemeral for r in (today, typed, me, board, help_))


async def test_a_thread_belongs_to_its_channel(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        await w.setup()
        await w.at(1, 9, 30)
        await w.at(2, 9, 30)
        today = await w.ben.slash(w.threads[0], "drill today")
        assert "Daily drill #2" in texts(today.response)


async def test_channels_do_not_mix(tmp_path: Path) -> None:
    async with world(tmp_path, [SINGLE]) as w:
        other = w.guild.create_text_channel("other")
        await w.setup()
        await w.setup(other, time="10:00")
        await w.at(1, 9, 30)
        assert (len(w.posts()), len(w.posts(other))) == (1, 0)
        await w.at(1, 10, 0)
        assert (len(w.posts()), len(w.posts(other))) == (1, 1)
