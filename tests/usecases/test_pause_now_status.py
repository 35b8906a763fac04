"""Pausing, resuming, *now* and *status*."""

from __future__ import annotations

import pytest
from sqlmodel import select

from content.library import Library
from storage.tables import AuditRow
from tests.usecases.stage import SINGLE, TRUE_FALSE, Stage, card, said


def posted_days(stage: Stage) -> list[int]:
    return [r.local_date.day for r in stage.rounds("posted")]


def test_a_pause_without_end_lasts_until_it_is_resumed(drill: Stage) -> None:
    """The open round goes on; nothing is posted; dates that passed stay without a round."""
    assert "until you resume" in said(drill.admin("pause"))
    assert "Right!" in said(drill.right("noor"))
    drill.local("2026-12-05 12:00")
    assert posted_days(drill) == [30]
    assert "Saved" in said(drill.admin("resume"))
    drill.local("2026-12-07 12:00")
    assert posted_days(drill) == [30, 6, 7]
    assert drill.rounds("missed") == []


def test_a_pause_holds_through_its_last_day_in_the_channels_zone(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=Asia/Shanghai days=daily kinds=single")
    assert "Paused through Fri 4 Dec." in said(stage.admin("pause 2026-12-04"))
    assert "Paused through Fri 4 Dec." in said(stage.admin("status"))
    assert "暂停至 12月4日周五（含当天）" in said(stage.admin("status", language="zh"))
    stage.local("2026-12-07 12:00", "Asia/Shanghai")
    assert posted_days(stage) == [5, 6, 7]


@pytest.mark.parametrize("typed", ["2026-12-04", "2026/12/4", "2026.12.04", "2026年12月4日", "２０２６－１２－０４",
                                   "until=2026-12-04", "until 2026-12-04",
                                   "4 Dec", "12月4日", "friday", "周五"])  # fmt: skip
def test_dates_are_read_in_many_spellings(drill: Stage, typed: str) -> None:
    assert "through Fri 4 Dec" in said(drill.admin(f"pause {typed}"))


@pytest.mark.parametrize("typed", ["2026-11-29", "2026-02-30", "someday", "12/04/2026", "9999-12-31", "0000-01-01",
                                   "2026-12-04; drop table", "99999-01-01"])  # fmt: skip
def test_a_date_that_cannot_be_meant_gets_a_sentence_and_pauses_nothing(drill: Stage, typed: str) -> None:
    for language, broken in (("en", "went wrong"), ("zh", "出了点问题")):
        reply = drill.admin(f"pause {typed}", language=language)
        assert broken not in said(reply)
        assert typed[:4] in said(reply)
    drill.forward(days=1)
    assert posted_days(drill) == [30, 1]


def test_a_pause_has_one_last_day(drill: Stage) -> None:
    assert "Give one day" in said(drill.admin("pause 2026-12-04..2026-12-06"))
    assert "not paused" in said(drill.admin("resume"))


def test_a_pause_that_ends_today_is_over_at_midnight_in_the_channels_zone(stage: Stage) -> None:
    stage.save("setup time=23:30 zone=Asia/Shanghai days=daily kinds=single")
    assert "Paused through Mon 30 Nov." in said(stage.admin("pause today"))
    stage.local("2026-12-02 12:00", "Asia/Shanghai")
    assert posted_days(stage) == [1]


def test_pausing_twice_and_resuming_what_is_not_paused_are_mistakes(drill: Stage) -> None:
    assert "not paused" in said(drill.admin("resume"))
    drill.admin("pause")
    assert "paused already" in said(drill.admin("pause 2026-12-24"))
    assert "已經暫停" in said(drill.admin("pause", language="zh-TW"))


def test_status_tells_of_a_pause(drill: Stage) -> None:
    drill.admin("pause 2026-12-04")
    reply = said(drill.admin("status"))
    assert "Paused" in reply
    assert "through Fri 4 Dec" in reply


def test_now_takes_todays_slot_before_its_time_and_the_planned_time_posts_nothing_more(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    assert "on its way" in said(stage.admin("now"))
    stage.beat()
    assert posted_days(stage) == [30]
    assert stage.rounds("posted")[0].closes_at.isoformat() == "2026-12-01T08:00:00+00:00"
    stage.local("2026-12-01 09:00")
    assert posted_days(stage) == [30]
    stage.local("2026-12-01 09:30")
    assert posted_days(stage) == [30, 1]


def test_now_on_a_day_without_a_round_makes_one(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=fri kinds=single")
    stage.admin("now")
    stage.beat()
    assert posted_days(stage) == [30]
    stage.local("2026-12-04 09:30")
    assert posted_days(stage) == [30, 4]


def test_now_says_that_the_slot_is_taken(drill: Stage) -> None:
    assert "slot is taken: its question is posted" in said(drill.admin("now"))
    drill.local("2026-11-30 23:59")
    assert "slot is taken" in said(drill.admin("now"))
    assert "名额已经用了" in said(drill.admin("now", language="zh"))
    drill.local("2026-12-01 00:01")
    assert "on its way" in said(drill.admin("now"))


def test_now_on_a_day_that_was_missed_says_so(stage: Stage) -> None:
    """The bot was down for six hours over the time of a post."""
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.clock.move_to(stage.clock.now().replace(hour=15))
    stage.beat()
    assert [(r.local_date.day, r.reason) for r in stage.rounds("missed")] == [(30, "down")]
    assert "its round was missed" in said(stage.admin("now"))
    assert ["was missed" in said(m.card) for m in stage.chat.direct("w", "boss")] == [True]


def test_now_asked_twice_posts_once(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.admin("now")
    stage.admin("now")
    stage.beat()
    assert posted_days(stage) == [30]
    assert len(stage.chat.seen_by(stage.chat.channels("w")[0], "")) == 1


def test_status_lists_the_next_five_rounds_with_dates_and_questions(drill: Stage) -> None:
    """For admins alone; right after saving, and again after each post."""
    for day in (30, 1):
        shown = said(drill.admin("status"))
        first = 1 if day == 30 else 2
        for ahead in range(first, first + 5):
            assert f"{ahead} Dec" in shown
        assert f" {first + 5} Dec" not in shown
        assert shown.count("Which holds? (single)") == 5
        drill.forward(days=1)
    assert "3 rounds posted · 0 missed" in said(drill.admin("status"))
    assert "Only admins" in said(drill.typed("noor", "status"))


def test_status_speaks_the_asking_admins_language(drill: Stage) -> None:
    shown = said(drill.admin("status", language="zh-CN"))
    assert "接下来的题目" in shown
    assert "哪个成立？（single）" in shown
    assert "12月1日周二" in shown


def test_status_says_where_no_question_fits_any_more(tmp_path_factory: pytest.TempPathFactory) -> None:
    """After a restart without any fitting question."""
    folder = tmp_path_factory.mktemp("bank")
    with Stage(folder, library=Library.of([SINGLE])) as stage:
        stage.save("setup time=09:30 days=daily kinds=single")
    with Stage(folder, library=Library.of([TRUE_FALSE])) as stage:
        assert "no question fits" in said(stage.admin("status"))
        stage.local("2026-11-30 10:00")
        assert [r.reason for r in stage.rounds("missed")] == ["no-question"]
        assert "no question fits" in said(stage.chat.direct("w", "boss")[0].card)


def test_without_a_schedule_each_verb_says_how_to_begin(stage: Stage) -> None:
    for typed in ("schedule", "status", "now", "pause", "resume", "topics", "topics kv-cache day=mon"):
        assert "/drill setup" in card(stage.admin(typed)).text, typed
    for typed in ("today", "me", "board", "answer C"):
        assert "/drill setup" in card(stage.typed("noor", typed)).text, typed


def test_what_admins_do_is_written_down(drill: Stage) -> None:
    drill.admin("pause")
    drill.admin("resume")
    drill.local("2026-12-01 00:01")
    drill.admin("now")
    rows = drill.read(lambda tx: tx.exec(select(AuditRow)).all())
    assert [row.verb for row in rows] == ["schedule", "pause", "resume", "now"]
    assert all(row.member_id for row in rows)


def test_a_slot_that_was_taken_ahead_of_its_time_is_not_announced_again(stage: Stage) -> None:
    """Today's question came at 08:00 by *now*: what is shown before and after saving begins with tomorrow."""
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.admin("now")
    assert "Mon 30 Nov 09:30" not in said(stage.admin("schedule window=8h"))
    stage.beat()
    stage.admin("pause")
    for reply in (stage.admin("schedule window=8h"), stage.save("schedule window=8h"), stage.admin("resume")):
        assert "Mon 30 Nov 09:30" not in said(reply)
    assert "Tue 1 Dec 09:30" in said(stage.save("schedule window=9h"))
    assert "Sat 5 Dec 09:30" in said(stage.save("schedule window=9h"))
