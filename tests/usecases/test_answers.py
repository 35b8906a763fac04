"""Answers: what counts, what is told when, and what a forged or odd answer comes to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlmodel import select

from bot.chat import Command, Say
from bot.usecases.meet_member import clean_name
from storage.tables import Answer, Member, Round
from tests.usecases.stage import HERE, SINGLE, Stage, buttons, card, form, said

PRIVACY = "Only you see your answers."


def post(stage: Stage, kind: str, mode: str = "instant") -> int:
    """Post the question of a kind; the round's id."""
    stage.save(f"setup time=09:30 zone=UTC days=daily kinds={kind} mode={mode}")
    stage.local("2026-11-30 09:30")
    return stage.open


def the_round(stage: Stage) -> Round:
    return stage.rounds("posted")[-1]


# --- instant -----------------------------------------------------------------------------------------------------


def test_instant_gives_verdict_key_and_reasons_at_once_to_the_member_alone(drill: Stage) -> None:
    reply = said(drill.wrong("noor"))
    for shown in ("Not this time.", "Because of amber itself.", "Because of cedar itself.", "sum is the product"):
        assert shown in reply
    drill.forward(minutes=1)
    assert "Because" not in "".join(said(m.card) for m in drill.chat.seen_by(HERE, "noor"))


def test_in_instant_mode_the_first_answer_is_final(drill: Stage) -> None:
    drill.wrong("noor")
    again = said(drill.right("noor"))
    assert "Not this time." in again
    assert "Your first answer stands." in again
    assert "amber" in again
    (row,) = drill.answers()
    assert (row.choices, row.points, row.correct, row.changes) == (["a"], 0, False, 0)


def test_points_are_credit_times_five_plus_five_times_difficulty(stage: Stage) -> None:
    """Level 3 is worth 20: two of the three right options are 13.33, kept as hundredths, and a wrong one costs."""
    round_id = post(stage, "multiple")
    for name, ticks, points in (
        ("all", ("a", "b", "d"), 2000),
        ("two", ("b", "d"), 1333),
        ("one", ("a",), 667),
        ("every", ("a", "b", "c", "d"), 0),
        ("wrong", ("c",), 0),
    ):
        assert isinstance(stage.send(name, f"answer:{round_id}", ticks), Say)
        assert stage.answers()[-1].points == points, name
    assert "Partly right. +13.33 points" in said(stage.send("two", f"answer:{round_id}", ("b", "d")))


def test_the_order_and_number_of_ticks_do_not_matter(stage: Stage) -> None:
    round_id = post(stage, "multiple", "together")
    stage.send("noor", f"answer:{round_id}", ("d", "a", "d"))
    assert "Recorded" in said(stage.send("noor", f"answer:{round_id}", ("a", "d")))
    (row,) = stage.answers()
    assert (row.choices, row.changes) == (["a", "d"], 0)


def test_a_case_counts_for_taking_part_without_points(stage: Stage) -> None:
    round_id = post(stage, "case")
    reply = said(stage.send("noor", f"answer:{round_id}", "An automatic rollback when the metric falls."))
    assert "☑ rolls back by itself (2)" in reply
    assert "Automatic rollback on a guarded metric." in reply
    (row,) = stage.answers()
    assert (row.points, row.credit) == (0, 1.0)
    stage.forward(days=1)
    progress = said(stage.typed("noor", "me"))
    assert "1 now, 1 longest" in progress


@pytest.mark.parametrize(
    ("kind", "typed", "credit"),
    [
        ("single", "C", None),
        ("true_false", "false", 1),
        ("true_false", "错误", 1),
        ("true_false", "B", 1),
        ("true_false", "对", 0),
        ("blank", "Cross Entropy", 1),
        ("blank", "交叉熵", 1),
        ("blank", "hinge loss", 0),
        ("numeric", "517 MiB", 1),
        ("numeric", "５１７", 1),
        ("numeric", "0.505 GiB", 1),
        ("numeric", "518.9 MB", 0),
        ("numeric", "999 GiB", 0),
        ("case", "rollback = good", 2 / 3),
        ("multiple", "A, B and D", None),
        ("multiple", "ａｂ、ｄ", None),
    ],
)
def test_everything_a_button_does_can_be_typed(stage: Stage, kind: str, typed: str, credit: float | None) -> None:
    """Letters mean the options as they are shown, not as they stand in the file."""
    post(stage, kind)
    assert "went wrong" not in said(stage.typed("noor", f"answer {typed}"))
    (row,) = stage.answers()
    if credit is None:
        order = the_round(stage).option_order
        typed_letters = {"single": "C", "multiple": "ABD"}[kind]
        assert sorted(row.choices) == sorted(order["ABCD".index(letter)] for letter in typed_letters)
    else:
        assert row.credit == pytest.approx(credit)


@pytest.mark.parametrize(
    "typed", ["loss = -log p(x) zone=UTC", "response time", "response", "day=mon", "“quoted”", "help", "set until 3"]
)
def test_an_answer_is_taken_word_for_word(stage: Stage, typed: str) -> None:
    """It may hold signs and words that mean something in other commands."""
    post(stage, "blank")
    stage.typed("noor", f"answer  {typed} ")
    assert [row.text for row in stage.answers()] == [typed]


# --- together ----------------------------------------------------------------------------------------------------


def test_together_only_records_and_the_last_answer_before_close_counts(together: Stage) -> None:
    round_id = together.open
    assert "Recorded" in said(together.right("noor"))
    assert "Changed" in said(together.wrong("noor"))
    together.clock.move_to(the_round(together).closes_at - timedelta(microseconds=1))
    assert "Changed" in said(together.tap("noor", f"answer:{round_id}:c"))
    (row,) = together.answers()
    assert (row.choices, row.points, row.changes) == (["c"], 1000, 2)
    together.clock.forward(timedelta(microseconds=1))
    late = said(together.tap("noor", f"answer:{round_id}:a"))
    assert "Your answer stands." in late
    assert "Right!" in late
    assert [row.choices for row in together.answers()] == [["c"]]


def test_what_is_said_before_close_does_not_depend_on_being_right(together: Stage) -> None:
    """Every private reply of together mode is the same for right and wrong, but for the letter itself."""
    round_id = together.open
    order = the_round(together).option_order
    told = []
    for name, key in (("noor", "c"), ("mira", "a")):
        letter = "ABCD"[order.index(key)]
        replies = [
            together.tap(name, f"answer:{round_id}:{key}"),
            together.tap(name, f"answer:{round_id}:{key}"),
            together.typed(name, f"answer {letter}"),
            together.send(name, f"answer:{round_id}", (key,)),
            together.tap(name, f"mine:{round_id}"),
            together.tap(name, f"form:{round_id}"),
            together.tap(name, f"read:{round_id}:en"),
            together.tap(name, f"read:{round_id}:zh"),
            together.typed(name, "today"),
            together.typed(name, "me"),
            together.typed(name, "board all"),
        ]
        shown = "\n".join(said(reply) for reply in replies)
        for secret in ("Because", "因为", "product of its parts", "各部分", "Right!", "Not this time", "points\n+"):
            assert secret not in shown
        lines = [said(reply).replace(f": {letter}", ": ?").split("\n") for reply in replies]
        told.append([[line for line in shown if line not in "ABCD"] for shown in lines])
    assert told[0] == told[1]


def test_after_close_how_did_i_do_gives_the_verdict(together: Stage) -> None:
    together.right("noor")
    round_id = together.open
    together.forward(days=1)
    thread = together.chat.thread(HERE, together.rounds("posted")[0].message_id)
    action = next(b.action for b in buttons(thread[0].card) if b.label == "How did I do?")
    assert action == f"mine:{round_id}"
    reply = said(together.tap("noor", action))
    assert "Right! +10 points" in reply
    assert "Because of cedar itself." in reply


# --- the deadline ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["instant", "together"])
def test_the_instant_of_the_deadline_is_late(stage: Stage, mode: str) -> None:
    """One microsecond before it counts."""
    round_id = post(stage, "single", mode)
    stage.clock.move_to(the_round(stage).closes_at - timedelta(microseconds=1))
    stage.tap("noor", f"answer:{round_id}:c")
    stage.clock.forward(timedelta(microseconds=1))
    reply = said(stage.tap("mira", f"answer:{round_id}:c"))
    assert "no points, but your streak goes on" in reply
    assert "Because of cedar itself." in reply
    assert [(row.late, row.points) for row in stage.answers()] == [(False, 1000), (True, 0)]


def test_a_late_answer_keeps_the_streak_and_counts_in_nothing_else(drill: Stage) -> None:
    drill.right("noor")
    drill.forward(days=1)
    missed = drill.open
    drill.forward(days=1, hours=3)
    drill.tap("noor", f"answer:{missed}:c")
    progress = said(drill.typed("noor", "me"))
    assert "2 now, 2 longest" in progress
    assert "1 / 1 (100 %)" in progress
    board = said(drill.typed("noor", "board all"))
    assert "10\n1\n" in board
    result = [w.card.text for w in drill.chat.log if w.kind == "reply" and w.card]
    assert "nobody answered" in result[1]


def test_a_day_after_close_there_is_feedback_and_nothing_is_stored(drill: Stage) -> None:
    round_id = drill.open
    closes = the_round(drill).closes_at
    drill.clock.move_to(closes + timedelta(hours=24) - timedelta(microseconds=1))
    drill.tap("noor", f"answer:{round_id}:c")
    drill.clock.forward(timedelta(microseconds=1))
    reply = said(drill.tap("mira", f"answer:{round_id}:c"))
    assert "feedback only, nothing was recorded" in reply
    assert PRIVACY not in reply
    assert len(drill.answers()) == 1


def test_feedback_on_a_case_does_not_claim_to_have_recorded_it(stage: Stage) -> None:
    round_id = post(stage, "case")
    stage.clock.forward(timedelta(days=3))
    reply = stage.send("noor", f"answer:{round_id}", "rollback")
    assert "Recorded" not in said(reply)
    assert stage.answers() == []


def test_who_did_not_answer_is_offered_the_buttons_of_that_very_round(drill: Stage) -> None:
    """/drill answer would go to the next round, which is open by then."""
    first = drill.open
    drill.forward(days=1, minutes=5)
    offered = buttons(drill.tap("noor", f"mine:{first}"))
    assert {b.action for b in offered} == {f"answer:{first}:{key}" for key in "abcd"}
    drill.tap("noor", offered[0].action)
    assert [(row.round_id, row.late) for row in drill.answers()] == [(first, True)]
    drill.forward(days=1)
    over = drill.tap("mira", f"mine:{first}")
    assert buttons(over) == []
    assert "You did not answer this one." in said(over)


def test_after_close_typing_goes_to_the_newest_round(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=mon kinds=single window=2h")
    stage.local("2026-11-30 12:00")
    assert "streak goes on" in said(stage.typed("noor", "answer C"))


# --- odd and forged answers --------------------------------------------------------------------------------------


FORGED = (
    "answer:999999999999999999:a", "answer:0:a", "answer:-1:a", "answer:1e3:a", "answer:١:a", "answer::a",
    "answer:1 OR 1=1:a", "mine:999", "form:999", "read:999:en", "mine:", "mine:x", "", ":", "answer", "answer:1",
    "answer:1:a:b", "nonsense:1", "saved:1", "__class__:1", "form:1:2", "read:1", "💥", "x" * 5000,
)  # fmt: skip


def test_forged_buttons_belong_to_no_round(drill: Stage) -> None:
    for action in FORGED:
        for language, sentence in (("en", "not known here any more"), ("zh", "已经查不到")):
            assert sentence in said(drill.tap("eve", action, language=language)), action
    assert drill.answers() == []
    assert drill.count(Member) == 1  # the admin: a forger leaves no row


def test_an_option_that_is_not_there_is_refused(drill: Stage) -> None:
    for key in ("zzz", "e", "", "C", "a,b", "true", "a" * 3000, "\u200b"):
        reply = said(drill.tap("eve", f"answer:{drill.open}:{key}"))
        assert "not one of the options. Choose from A, B, C, D." in reply, key
    for ticks in (("a", "c"), ("a", "zzz"), ("zzz",)):
        assert "not one of the options" in said(drill.send("eve", f"answer:{drill.open}", ticks)), ticks
    assert drill.answers() == []


@pytest.mark.parametrize("kind", ["blank", "numeric", "case"])
def test_a_text_that_says_nothing_is_empty(stage: Stage, kind: str) -> None:
    """Invisible characters are no answer, and a first answer must not be wasted on them."""
    round_id = post(stage, kind)
    for text in ("", " ", "\n\t", "\u200b", "\u200b\u2060\ufeff", "\u3000", "\u202e\u2066", "\u00ad"):
        typed = Command(stage.who("noor"), HERE, "answer", {"response": text})
        for reply in (stage.send("noor", f"answer:{round_id}", text), stage.hear(typed)):
            assert "That answer is empty" in said(reply), ascii(text)
    assert "That answer is empty" in said(stage.tap("noor", f"answer:{round_id}:a"))
    assert stage.answers() == []


def test_no_tick_is_empty_and_a_text_to_a_choice_too(stage: Stage) -> None:
    round_id = post(stage, "multiple")
    for value in ((), "", "a", "everything"):
        assert "That answer is empty" in said(stage.send("noor", f"answer:{round_id}", value))
    assert stage.answers() == []


ODD = (
    "x" * 10_000, "🎉", "👩‍👩‍👧‍👦" * 300, "\ud800", "a\x00b", "<!channel> @everyone <@U1>", "'; DROP TABLE answer; --",
    "{0.__class__}", "%s%n", "\u202eedoc", "中" * 4001, "9" * 5000, "1e999999999", "1/0", "∞", "NaN", "(" * 3000,
    "1" + "+1" * 1900, "," * 3000, "一" * 3000, "```" * 1000,
)  # fmt: skip


@pytest.mark.parametrize("kind", ["blank", "numeric", "case"])
def test_whatever_is_typed_is_stored_whole_or_cut_or_asked_for_again(stage: Stage, kind: str) -> None:
    """Nothing that can be typed breaks a reply, makes one too long to show, or earns points."""
    round_id = post(stage, kind)
    kept = 0
    for number, text in enumerate(ODD, 1):
        reply = stage.send(f"m{number}", f"answer:{round_id}", text)
        assert "went wrong" not in said(reply), text[:20]
        if "cannot be read as one answer" in said(reply):
            assert kind != "case"
            continue
        kept += 1
        assert len(said(reply)) < 2000, text[:20]
        assert "went wrong" not in said(stage.tap(f"m{number}", f"mine:{round_id}"))
        row = stage.answers()[-1]
        assert (len(row.text) <= 4000, row.points) == (True, 0), text[:20]
    assert stage.count(Answer) == kept


def test_rounds_of_other_workspaces_are_unknown(drill: Stage) -> None:
    """A button's number is no key to another team's round."""
    round_id = drill.open
    for action in (f"answer:{round_id}:c", f"mine:{round_id}", f"form:{round_id}", f"read:{round_id}:en"):
        assert "not known here any more" in said(drill.tap("eve", action, workspace="other"))
    sent = drill.send("eve", f"answer:{round_id}", ("c",), workspace="other")
    assert "not known here any more" in said(sent)
    assert drill.answers() == []


def test_rounds_that_were_not_posted_are_unknown(stage: Stage) -> None:
    """Planned and missed rounds cannot be answered or read by their number."""
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.clock.move_to(stage.clock.now().replace(hour=20))
    stage.beat()
    for row in stage.rounds("planned", "missed"):
        for action in (f"answer:{row.id}:c", f"mine:{row.id}", f"form:{row.id}", f"read:{row.id}:en"):
            assert "not known here any more" in said(stage.tap("eve", action))
    assert stage.answers() == []


def test_a_double_tap_from_many_threads_is_one_answer(drill: Stage) -> None:
    """Every one of them is answered; one is the first, the others are shown it."""
    round_id = drill.open
    with ThreadPoolExecutor(16) as threads:
        replies = list(threads.map(lambda n: drill.tap("noor", f"answer:{round_id}:{'ac'[n % 2]}"), range(48)))
    (row,) = drill.answers()
    verdicts = {"Right!" in said(reply) for reply in replies}
    assert verdicts == {row.correct}
    assert sum("first answer stands" not in said(reply) for reply in replies) == 1


def test_many_people_at_once_have_one_row_each(together: Stage) -> None:
    round_id = together.open
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda n: together.tap(f"m{n % 20}", f"answer:{round_id}:{'abcd'[n % 4]}"), range(120)))
    assert together.count(Answer) == 20
    assert together.count(Member) == 21


# --- what else a reply holds -------------------------------------------------------------------------------------


def test_the_privacy_line_comes_with_the_first_answer_ever_and_never_again(drill: Stage) -> None:
    assert PRIVACY in said(drill.right("noor"))
    assert PRIVACY not in said(drill.right("noor"))
    assert PRIVACY in said(drill.right("mira"))
    drill.forward(days=1)
    assert PRIVACY not in said(drill.right("noor"))


def test_a_private_reply_speaks_the_members_language_and_a_shared_card_the_channels(drill: Stage) -> None:
    assert "答对了" in said(drill.right("noor", language="zh-CN"))
    assert "雪松" in said(drill.right("noor", language="zh-HK"))
    assert "cedar" in said(drill.right("mira", language="de-DE"))
    drill.forward(days=1)
    assert "琥珀" not in "".join(said(m.card) for m in drill.chat.seen_by(HERE, "noor"))


def test_a_client_that_names_no_language_gets_the_one_it_named_before(drill: Stage) -> None:
    drill.right("noor", language="zh-CN")
    for typed in ("me", "board", "today", "help"):
        assert any("\u4e00" <= c <= "\u9fff" for c in card(drill.typed("noor", typed)).text), typed
    assert "答对了" in said(drill.tap("noor", f"mine:{drill.open}"))


def test_the_button_of_another_language_shows_the_question_in_it(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single language=en+zh")
    stage.local("2026-11-30 09:30")
    (shown,) = stage.chat.seen_by(HERE, "")
    action = next(b.action for b in buttons(shown.card) if b.label == "中文")
    reply = stage.tap("noor", action)
    assert "哪个成立？（single）" in said(reply)
    assert {b.action for b in buttons(reply)} == {f"answer:{stage.open}:{key}" for key in "abcd"}


def test_a_form_asks_what_the_question_asks(stage: Stage) -> None:
    round_id = post(stage, "multiple")
    opened = form(stage.tap("noor", f"form:{round_id}"))
    assert opened.id == f"answer:{round_id}"
    (field,) = opened.fields
    assert sorted(value for value, _ in field.choices) == ["a", "b", "c", "d"]  # type: ignore[union-attr]
    assert [label[0] for _, label in field.choices] == ["A", "B", "C", "D"]  # type: ignore[union-attr]
    stage.send("noor", f"answer:{round_id}", ("a",))
    assert "Your first answer stands" in said(stage.tap("noor", f"form:{round_id}"))


def test_names_are_kept_on_one_line_without_what_could_forge_a_text(drill: Stage) -> None:
    forged = "Eve\n\u202e<!channel>\u200b @everyone" + "x" * 500
    drill.hear(Command(drill.who("eve"), HERE, "today", {}))
    who = drill.who("eve")
    drill.app.conversation.hear_now(
        Command(type(who)(**{**{f: getattr(who, f) for f in who.__slots__}, "name": forged}), HERE, "answer",
                {"response": "A"})
    )  # fmt: skip
    names = drill.read(lambda tx: tx.exec(select(Member.name).where(Member.external_id == "eve")).all())
    (name,) = names
    assert len(name) <= 80
    assert name.startswith("Eve <!channel> @everyone")
    assert "\u202e" not in name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("\u3164", ""),
        ("\u2800 \u115f", ""),
        ("\u0301\u0302", ""),
        ("\u200b\u00ad\u034f", ""),
        ("Z" + "\u0301" * 500 + "oe", "Z" + "\u0301" * 4 + "oe"),
        ("Nguyễn Thị Hồng", "Nguyễn Thị Hồng"),
        ("สมชาย ใจดี", "สมชาย ใจดี"),
        ("王小明 🐼", "王小明 🐼"),
        ("a" * 10_000, "a" * 80),
    ],
)
def test_a_name_can_be_seen_and_stays_on_its_line(name: str, kept: str) -> None:
    """Nobody stands on a board as a blank, and no pile of accents reaches into the lines around."""
    assert clean_name(name) == kept


def test_before_the_first_round_there_is_nothing_to_answer(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    assert "No question is open" in said(stage.typed("noor", "today"))
    assert "No question is open" in said(stage.typed("noor", "answer A"))


def test_the_count_is_shown_without_names(drill: Stage) -> None:
    for name in ("noor", "mira"):
        drill.right(name)
    drill.clock.forward(timedelta(seconds=5))
    drill.beat()
    (shown,) = [m for m in drill.chat.seen_by(HERE, "") if not m.only]
    assert "2 answered" in said(shown.card)
    assert "Noor" not in said(shown.card)
    assert SINGLE.id not in said(shown.card)


# --- what may change while a round is open -----------------------------------------------------------------------


def test_a_change_of_mode_leaves_the_open_round_as_it_was_posted(together: Stage) -> None:
    """Else a switch to instant would tell the key of a round whose answers can still be changed."""
    together.right("noor")
    together.save("setup mode=instant")
    for reply in (
        together.right("mira"),
        together.wrong("noor"),
        together.tap("noor", f"mine:{together.open}"),
        together.tap("noor", f"form:{together.open}"),
        together.typed("noor", "today"),
    ):
        assert "Because" not in said(reply)
        assert "Right!" not in said(reply)
    assert [row.choices for row in together.answers()] == [["a"], ["c"]]
    together.forward(days=1)
    assert "Because" in said(together.right("mira"))


def test_a_change_to_together_does_not_reopen_final_answers(drill: Stage) -> None:
    """Whoever has seen the key could else change to it."""
    drill.wrong("noor")
    drill.save("setup mode=together")
    assert "first answer stands" in said(drill.right("noor"))
    assert [row.choices for row in drill.answers()] == [["a"]]


def test_a_wall_clock_that_is_set_back_does_not_open_a_round_again(drill: Stage) -> None:
    """The key stands in the thread by then: an answer after that earns nothing."""
    round_id = drill.open
    drill.forward(days=1)
    drill.clock.set(drill.clock.now() - timedelta(hours=2))
    reply = said(drill.tap("noor", f"answer:{round_id}:c"))
    assert "no points" in reply
    assert [(row.late, row.points) for row in drill.answers()] == [(True, 0)]
