"""The close, the thread, the late answer and the board of the week."""

from __future__ import annotations

from dataclasses import replace

from content.question import Text
from tests.contracts.conftest import Begin
from tests.contracts.stage import ANN, BEN, CAST, KIM, LEA, MAX, ODD, ZHOU, Stage, day, question, set_up
from tests.slack.bank import BLANK, MULTIPLE, SINGLE

DISCUSSED = replace(SINGLE, discussion=Text("What would *GQA* change?", "GQA 会改变什么？"))
FEW = "Under 5 answers the choices are not shown, so that nobody's is given away."


async def answered_by_five(stage: Stage) -> None:
    """Three are right: Ben, the oddly named one and Kim; Zhou and Lea are not."""
    post = await question(stage)
    for person, letter in ((BEN, "B"), (ZHOU, "A"), (ODD, "B"), (KIM, "B"), (LEA, "D")):
        await stage.tap(person, post, letter)


async def test_at_close_the_message_has_one_line_and_its_thread_the_whole_answer(begin: Begin) -> None:
    """Key, who chose what in a picture that is also told in words, each reason, the sources, what to discuss."""
    async with begin(DISCUSSED) as stage:
        await set_up(stage)
        await answered_by_five(stage)
        await stage.at(day(0, 17, 29, 59))
        (open_,) = await stage.channel()
        assert open_.thread == ()
        await stage.at(day(0, 17, 30))
        (closed,) = await stage.channel()
        assert closed.id == open_.id
        assert closed.text.endswith("Closed · 3 of 5 right · answer and reasons in the thread")
        assert closed.buttons == ()
        (result,) = closed.thread
        assert result.text.startswith("Answer: B\n3 of 5 right\n")
        for line in (
            "A 256 MiB Because 256 MiB is wrong.",
            "✓ B 512 MiB Because 512 MiB is right.",
            "The secret explanation.",
            "Discuss What would *GQA* change?",
            "Sources A paper (2023), §3",
        ):
            assert line in result.words
        (alt,) = result.pictures
        for told in ("A: 256 MiB, 20% (1)", "B (right): 512 MiB, 60% (3)", "C: 1 GiB, 0% (0)", "D: 2 GiB, 20% (1)"):
            assert told in alt
        assert result.buttons == ("How did I do?", "Challenge this answer")
        everything = f" {closed.words} {result.words} {alt} "
        assert [person.name for person in CAST if f" {person.name} " in everything] == []
        assert FEW not in result.text


async def test_under_five_answers_nobodys_choice_is_given_away(begin: Begin) -> None:
    """No picture and no distribution, only how many were right."""
    async with begin(MULTIPLE) as stage:
        await set_up(stage)
        await question(stage)
        for person, answer in ((BEN, "A C"), (ZHOU, "A"), (KIM, "B"), (LEA, "D")):
            await stage.command(person, f"answer {answer}")
        await stage.at(day(0, 17, 30))
        (closed,) = await stage.channel()
        assert "1 of 4 right" in closed.text
        (result,) = closed.thread
        assert result.pictures == ()
        assert "%" not in result.text
        assert FEW in result.text
        assert result.head == "Answer: A, C"


async def test_a_round_that_nobody_answered_closes_with_its_answer(begin: Begin) -> None:
    async with begin(BLANK) as stage:
        await set_up(stage)
        await question(stage)
        await stage.at(day(0, 17, 30))
        (closed,) = await stage.channel()
        assert "Closed · nobody answered this time" in closed.text
        assert closed.thread[0].head == "Answer: zyzzyva"


async def test_how_did_i_do_tells_each_person_their_own_verdict(begin: Begin) -> None:
    """In their language, whatever they answered; who did not answer may still do it there."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await answered_by_five(stage)
        await stage.at(day(0, 17, 30))
        (result,) = (await stage.channel())[0].thread
        assert (await stage.tap(BEN, result, "How did I do?")).head == "Right! +15 points"
        assert (await stage.tap(ZHOU, result, "How did I do?")).head == "这次没答对。"
        offered = await stage.tap(MAX, result, "How did I do?")
        assert offered.text == "You did not answer this one. You still can, for your streak:"
        assert offered.buttons == ("A", "B", "C", "D")
        late = await stage.tap(MAX, offered, "B")
        assert late.head == "Right!"
        assert "This round is closed: no points, but your streak goes on." in late.text
        (closed,) = await stage.channel()
        assert "3 of 5 right" in closed.text


async def test_a_late_answer_keeps_the_streak_and_has_no_points(begin: Begin) -> None:
    """For a day after close; after that there is feedback and nothing is stored."""
    async with begin(SINGLE) as stage:
        await set_up(stage, days="mon,wed")
        await question(stage)
        await stage.at(day(0, 18, 0))
        late = await stage.command(BEN, "answer B")
        assert "no points, but your streak goes on" in late.text
        me = await stage.command(BEN, "me")
        assert "Points in all 0" in me.words
        assert "Streak 1 now, 1 longest" in me.words
        await stage.at(day(1, 17, 31))
        later = await stage.command(KIM, "answer B")
        assert "feedback only, nothing was recorded" in later.text
        assert "Streak 0 now, 0 longest" in (await stage.command(KIM, "me")).words


async def test_the_board_of_the_week_has_a_table_and_a_picture_and_pings_nobody(begin: Begin) -> None:
    """It comes by itself on Monday; a name that is made of mentions and markup is only a name."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await answered_by_five(stage)
        for number in range(1, 8):
            await stage.at(day(number, 9, 30))
        everything = await stage.channel()
        (board,) = [message for message in everything if "Board of the week" in message.head]
        assert everything.index(board) == len(everything) - 2, "closed, boarded, asked: in this order"
        assert board.head == "Board of the week · Mon 5 Jan – Sun 11 Jan"
        rows = (
            "# Name Points Answered ±",
            "1 @everyone <!channel> *x* 15 1 new",
            "1 ben 15 1 new",
            "1 kim 15 1 new",
            "4 lea 0 1 new",
            "4 zhou 0 1 new",
            "5 of 5 took part 7 closed rounds",
        )
        assert board.words.endswith(" ".join(rows))
        (alt,) = board.pictures
        assert "1. @everyone <!channel> *x*, 15 points, 1 answered, new." in alt
        assert board.pings == ()
        private = await stage.command(ODD, "board all")
        assert "1 @everyone <!channel> *x* 15 1" in private.words
        assert private.pings == ()


async def test_a_board_is_asked_for_by_one_person_and_shown_to_them(begin: Begin) -> None:
    """The week, the month or all time; until a round is closed it counts on none of them."""
    async with begin(SINGLE) as stage:
        await set_up(stage)
        await answered_by_five(stage)
        assert "Nobody is on this board yet." in (await stage.command(BEN, "board")).text
        await stage.at(day(0, 17, 30))
        shown = await stage.channel()
        for period, title in (("", "Board of the week"), ("month", "Board of the month"), ("all", "Board of all time")):
            board = await stage.command(BEN, f"board {period}".strip())
            assert board.head.startswith(title)
            assert "1 ben 15 1" in board.words
        assert (await stage.command(ZHOU, "board")).head.startswith("周排行榜 · 1月5日周一至1月11日周日")
        assert await stage.channel() == shown
        assert await stage.seen(ANN) != []
        assert not any("Board" in private.text for private in await stage.seen(KIM))
