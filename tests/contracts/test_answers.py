"""The question and its answers: posted once, answered in every way, told to one person alone."""

from __future__ import annotations

import pytest

from content.question import Question
from tests.contracts.conftest import Begin
from tests.contracts.stage import ANN, BEN, KIM, LEA, MAX, ZHOU, Person, Shown, Stage, day, moment, question, set_up
from tests.slack.bank import BLANK, CASE, MULTIPLE, NUMERIC, SINGLE, TRUE_FALSE

EVERYBODY_ELSE = (ANN, KIM)


async def unseen(stage: Stage, *who: Person) -> list[list[Shown]]:
    return [await stage.seen(person) for person in who]


async def test_a_question_appears_once_and_at_its_time(begin: Begin) -> None:
    """Not a moment before, and never again however often the beat comes."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await stage.at(day(0, 9, 29, 59))
        assert await stage.channel() == []
        post = await question(stage)
        assert post.head == "Daily drill #1"
        assert "How much memory & time does the <!channel> cache take? See k_v[*]." in post.text
        assert "A 256 MiB B 512 MiB C 1 GiB D 2 GiB" in post.words
        assert post.buttons == ("A", "B", "C", "D")
        closes = moment(day(0, 17, 30))
        note = f"0 answered · closes {closes} · first answer counts · answers are private until then"
        assert post.text.endswith(note)
        assert post.pings == ()
        for second in (2, 3, 30):
            await stage.at(day(0, 9, 30, second))
        assert await stage.channel() == [post]


async def test_one_tap_answers_and_one_person_hears_of_it_in_their_language(begin: Begin) -> None:
    """Nobody else sees anything new; the channel learns the count alone."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        before = await unseen(stage, *EVERYBODY_ELSE)
        right = await stage.tap(BEN, post, "B")
        assert right.head == "Right! +15 points"
        assert "You answered: B" in right.text
        assert "✓ B 512 MiB Because 512 MiB is right." in right.words
        assert "Because 256 MiB is wrong." in right.text
        assert "The secret explanation." in right.text
        assert "Sources: A paper (2023), §3" in right.text
        wrong = await stage.tap(ZHOU, post, "A")
        assert wrong.head == "这次没答对。"
        assert "✗ A 256 兆 理由 256 兆。" in wrong.words
        assert "秘密的解析。" in wrong.text
        assert await unseen(stage, *EVERYBODY_ELSE) == before
        assert await stage.channel() == [post]
        await stage.at(day(0, 9, 31))
        (counted,) = await stage.channel()
        assert counted.id == post.id
        assert counted.text == post.text.replace("0 answered", "2 answered")


async def test_true_or_false_is_one_tap(begin: Begin) -> None:
    async with begin(TRUE_FALSE) as stage:
        await set_up(stage)
        post = await question(stage)
        assert post.buttons == ("A", "B")
        assert (await stage.tap(BEN, post, "A")).head == "Right! +15 points"
        wrong = await stage.tap(ZHOU, post, "B")
        assert "你的答案 错误 ✓ A 正确 ✗ B 错误" in wrong.words


Filled = tuple[Person, str | tuple[str, ...], str]
RIGHT = "Right! +15 points"
FORMS: list[tuple[Question, tuple[Filled, ...]]] = [
    (
        MULTIPLE,
        ((BEN, ("a", "c"), RIGHT), (KIM, ("a", "b"), "Not this time."), (LEA, ("a",), "Partly right. +7.5 points")),
    ),
    (BLANK, ((BEN, " ＺＹＺＺＹＶＡ ", RIGHT), (KIM, "蟋蟀", RIGHT), (LEA, "a cricket", "Not this time."))),
    (NUMERIC, ((BEN, "98.765 kB", RIGHT), (KIM, "９８，７６５", RIGHT), (LEA, "12", "Not this time."))),
    (CASE, ((BEN, "I would measure it first.\nThen shrink it.", "Recorded. Compare it with the model answer."),)),
]


@pytest.mark.parametrize(("asked", "filled"), FORMS)
async def test_other_kinds_are_answered_by_a_form(begin: Begin, asked: Question, filled: tuple[Filled, ...]) -> None:
    """The form holds the question and one field; what comes back is the verdict, for this person alone."""
    async with begin(asked) as stage:
        await set_up(stage)
        post = await question(stage)
        assert post.buttons == ("Answer",)
        for person, answer, verdict in filled:
            form = await stage.tap(person, post, "Answer")
            assert form.fields == ("answer",)
            assert asked.prompt.en in form.text
            assert (await stage.fill(person, answer=answer)).head == verdict
        assert await stage.seen(MAX) == []
        again = await stage.tap(BEN, post, "Answer")
        assert "Your first answer stands." in again.text
        await stage.at(day(0, 9, 31))
        assert f"{len(filled)} answered" in (await stage.channel())[0].text


async def test_an_empty_answer_gets_a_sentence_and_the_form_can_be_sent_again(begin: Begin) -> None:
    """Nothing is stored until something is written."""
    async with begin(BLANK) as stage:
        await set_up(stage)
        post = await question(stage)
        await stage.tap(BEN, post, "Answer")
        wrong = await stage.fill(BEN, answer="   ")
        assert "That answer is empty. Choose or write something." in wrong.text
        await stage.at(day(0, 9, 31))
        assert "0 answered" in (await stage.channel())[0].text
        assert (await stage.fill(BEN, answer="zyzzyva")).head == "Right! +15 points"


async def test_a_second_tap_does_not_change_an_instant_answer(begin: Begin) -> None:
    """The first verdict is shown again, and one answer is counted."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        post = await question(stage)
        await stage.tap(BEN, post, "A")
        again = await stage.tap(BEN, post, "B")
        assert again.head == "Not this time."
        assert "Your first answer stands." in again.text
        assert "You answered: A" in again.text
        typed = await stage.command(BEN, "answer B")
        assert "You answered: A" in typed.text
        await stage.at(day(0, 9, 31))
        assert "1 answered" in (await stage.channel())[0].text


async def test_together_the_last_answer_counts_and_nothing_tells_the_verdict_before_close(begin: Begin) -> None:
    """Each answer is only confirmed; after close *How did I do?* tells what came of the last one."""
    async with begin(SINGLE) as stage:
        await set_up(stage, mode="together")
        post = await question(stage)
        assert "last before close counts" in post.text
        first = await stage.tap(BEN, post, "B")
        changed = await stage.tap(BEN, post, "A")
        last = await stage.command(BEN, "answer B")
        await stage.tap(KIM, post, "C")
        today = await stage.command(BEN, "today")
        assert (first.head, changed.head, last.head) == ("Recorded: B", "Changed: A", "Changed: B")
        assert "You answered: B" in today.text
        for shown in (first, changed, last, today, *await stage.seen(BEN)):
            assert "✓" not in shown.text
            assert "Right" not in shown.text
            assert "+15" not in shown.text
            assert "Because" not in shown.text
        await stage.at(day(0, 9, 31))
        assert "2 answered" in (await stage.channel())[0].text
        await stage.at(day(0, 17, 30))
        (closed,) = await stage.channel()
        assert "1 of 2 right" in closed.text
        (result,) = closed.thread
        assert (await stage.tap(BEN, result, "How did I do?")).head == "Right! +15 points"
        assert (await stage.tap(KIM, result, "How did I do?")).head == "Not this time."


async def test_the_question_is_read_in_the_other_language_by_its_button(begin: Begin) -> None:
    """Privately, with buttons that answer; the shared message stays as it is."""
    async with begin(SINGLE) as stage:
        await set_up(stage, language="en+zh")
        post = await question(stage)
        assert post.buttons == ("A", "B", "C", "D", "中文")
        read = await stage.tap(ZHOU, post, "中文")
        assert "缓存占用多少内存？" in read.text
        assert read.buttons == ("A", "B", "C", "D")
        assert (await stage.tap(ZHOU, read, "B")).head == "答对了！+15 分"
        assert await stage.channel() == [post]


async def test_everything_a_button_does_can_be_typed(begin: Begin) -> None:
    """Letters in any dress, words and numbers; a letter that is not there gets a sentence."""
    async with begin(MULTIPLE) as stage:
        await set_up(stage)
        early = await stage.command(BEN, "answer A")
        assert early.text == "No question is open in this channel right now."
        await question(stage)
        wrong = await stage.command(BEN, "answer E")
        assert wrong.text == "That is not one of the options. Choose from A, B, C, D."
        assert (await stage.command(BEN, "answer ａ，c")).head == "Right! +15 points"
        assert (await stage.command(ZHOU, "answer A和B")).head == "这次没答对。"
