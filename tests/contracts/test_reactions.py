"""Keycaps as answers: seeded, public, withdrawn, and made whole from the platform's list at close."""

from __future__ import annotations

from bot.drill.keycaps import KEYCAPS
from tests.contracts.conftest import Begin
from tests.contracts.stage import ANN, BEN, KIM, LEA, MAX, ODD, ZHOU, Shown, Stage, day, question, set_up
from tests.slack.bank import BLANK, SINGLE, TRUE_FALSE

ONE, TWO, THREE, FOUR = KEYCAPS[:4]
"""Of ``SINGLE`` the second option is right."""


async def with_reactions(stage: Stage) -> Shown:
    await set_up(stage, mode="together", reactions="on")
    return await question(stage)


async def closed(stage: Stage) -> Shown:
    await stage.at(day(0, 17, 30))
    await stage.at(day(0, 17, 31))
    return (await stage.channel())[0]


async def count(stage: Stage, minute: int) -> str:
    """What the message says of how many answered, once it was refreshed."""
    await stage.at(day(0, 9, minute))
    (post,) = await stage.channel()
    return post.text[post.text.index("answered") - 2 :].partition(" ")[0]


async def test_the_question_says_that_reactions_are_public_and_shows_numbers(begin: Begin) -> None:
    """Keycaps are left by the bot, one an option, in order; a number stands beside each letter."""
    async with begin(SINGLE) as stage:
        post = await with_reactions(stage)
        assert await stage.left(post) == {ONE: 1, TWO: 1, THREE: 1, FOUR: 1}
        assert "reactions can be seen by everyone" in post.text
        assert "letters are private until then" in post.text
        assert f"A {ONE}" in post.text.replace("  ", " ")
        assert post.text.index(ONE) < post.text.index(TWO) < post.text.index(THREE) < post.text.index(FOUR)
        assert post.buttons == ("A", "B", "C", "D")
        assert "0 answered" in post.text


async def test_a_keycap_is_an_answer_and_taking_it_away_withdraws_it(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        post = await with_reactions(stage)
        await stage.react(BEN, post, TWO)
        await stage.react(KIM, post, ONE)
        assert await count(stage, 31) == "2"
        await stage.react(KIM, post, ONE, there=False)
        assert await count(stage, 32) == "1"
        done = await closed(stage)
        assert "1 of 1 right" in done.text
        assert (await stage.tap(BEN, done.thread[0], "How did I do?")).head == "Right! +15 points"
        assert "You did not answer this one." in (await stage.tap(KIM, done.thread[0], "How did I do?")).text


async def test_the_later_of_two_keycaps_counts_and_the_earlier_one_again_without_it(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        post = await with_reactions(stage)
        for person, first, second in ((BEN, ONE, TWO), (KIM, TWO, ONE), (LEA, TWO, THREE)):
            await stage.at(day(0, 9, 31))
            await stage.react(person, post, first)
            await stage.at(day(0, 9, 32))
            await stage.react(person, post, second)
        await stage.react(LEA, post, THREE, there=False)
        done = await closed(stage)
        assert "2 of 3 right" in done.text
        assert (await stage.tap(KIM, done.thread[0], "How did I do?")).head == "Not this time."


async def test_of_a_keycap_and_a_letter_the_last_one_received_counts(begin: Begin) -> None:
    """The letter is confirmed privately; taking the keycap away then does not withdraw it."""
    async with begin(SINGLE) as stage:
        post = await with_reactions(stage)
        await stage.react(BEN, post, ONE)
        await stage.tap(BEN, post, "B")
        await stage.react(BEN, post, ONE, there=False)
        await stage.tap(KIM, post, "A")
        await stage.react(KIM, post, TWO)
        await stage.react(LEA, post, TWO)
        await stage.tap(LEA, post, "B")
        await stage.react(LEA, post, TWO, there=False)
        assert await count(stage, 31) == "3"
        assert "3 of 3 right" in (await closed(stage)).text


async def test_bots_other_emoji_and_numbers_beyond_the_options_never_count(begin: Begin) -> None:
    async with begin(SINGLE) as stage:
        post = await with_reactions(stage)
        await stage.react_as_bot(post, TWO)
        await stage.react_as_bot(post, THREE, heard=False)
        await stage.react(BEN, post, "🎉")
        await stage.react(BEN, post, KEYCAPS[7])
        assert await count(stage, 31) == "0"
        done = await closed(stage)
        assert "nobody answered this time" in done.text


async def test_what_happened_while_the_bot_was_away_is_read_from_the_list_at_close(begin: Begin) -> None:
    """Left, taken away, and two at once: those have no known order, so they are no answer. A tap stands."""
    async with begin(SINGLE) as stage:
        post = await with_reactions(stage)
        await stage.react(BEN, post, ONE)
        await stage.react(KIM, post, TWO)
        await stage.tap(LEA, post, "B")
        await stage.restart()
        (post,) = await stage.channel()
        await stage.react(BEN, post, ONE, there=False, heard=False)
        await stage.react(KIM, post, ONE, heard=False)
        await stage.react(LEA, post, ONE, heard=False)
        await stage.react(MAX, post, TWO, heard=False)
        await stage.react(ODD, post, TWO, heard=False)
        await stage.react(ODD, post, THREE, heard=False)
        done = await closed(stage)
        assert "2 of 2 right" in done.text  # Lea by her tap, and Max
        for person in (BEN, KIM, ODD):
            assert "You did not answer this one." in (await stage.tap(person, done.thread[0], "How did I do?")).text
        assert (await stage.tap(MAX, done.thread[0], "How did I do?")).head == "Right! +15 points"


async def test_after_close_a_keycap_changes_nothing(begin: Begin) -> None:
    """Neither before the list was read nor after it."""
    async with begin(SINGLE) as stage:
        post = await with_reactions(stage)
        await stage.react(BEN, post, TWO)
        done = await closed(stage)
        await stage.react(BEN, done, TWO, there=False)
        await stage.react(KIM, done, TWO)
        await stage.at(day(0, 18, 0))
        (done,) = await stage.channel()
        assert "1 of 1 right" in done.text
        assert (await stage.tap(BEN, done.thread[0], "How did I do?")).head == "Right! +15 points"
        assert "You did not answer this one." in (await stage.tap(KIM, done.thread[0], "How did I do?")).text


async def test_reactions_go_with_together_and_one_tap_questions_alone(begin: Begin) -> None:
    """Instant mode refuses them with a sentence; a question to be typed has no keycaps."""
    async with begin(BLANK, TRUE_FALSE) as stage:
        refused = await stage.command(ANN, "setup reactions=on")
        assert "Everyone sees reactions" in refused.text
        assert refused.buttons == ()
        await set_up(stage, mode="together", reactions="on", kinds="blank")
        post = await question(stage)
        assert await stage.left(post) == {}
        assert "react" not in post.text
        await set_up(stage, mode="together", reactions="on", kinds="true_false")
        post = await question(stage, 1)
        assert await stage.left(post) == {ONE: 1, TWO: 1}
        await stage.react(ZHOU, post, ONE)
        await stage.at(day(1, 17, 30))
        assert "1 of 1 right" in (await stage.channel())[-1].text
        await set_up(stage, mode="instant", kinds="true_false")
        assert await stage.left(await question(stage, 2)) == {}
