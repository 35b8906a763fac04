"""Dates out and in, a skipped round, another question, a look ahead: what is promised stays in order."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from bot.chat import Command, Tap, Who
from bot.drill.errors import WrongInput
from bot.talk.typed_days import read_days
from bot.texts import texts
from content.library import Library
from storage import rounds
from storage.tables import AuditRow
from tests.usecases.stage import HERE, SINGLE, TRUE_FALSE, Stage, buttons, said

TUESDAY = date(2026, 12, 1)


@pytest.fixture
def channel(stage: Stage) -> Stage:
    """Daily at 09:30 UTC; it is Monday 30 November, 08:00."""
    stage.save("setup time=09:30 days=daily")
    return stage


def planned(stage: Stage) -> list[str]:
    return [r.local_date.strftime("%m-%d") for r in stage.rounds("planned")]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("2026-12-24", "12-24"),
        ("２０２６年１２月２４日", "12-24"),
        ("12-24", "12-24"),
        ("12月24日", "12-24"),
        ("today", "12-01"),
        ("明天", "12-02"),
        ("后天", "12-03"),
        ("Fri", "12-04"),
        ("周二", "12-01"),
        ("2026-12-24..2026-12-26", "12-24 12-25 12-26"),
        ("2026-12-24 to 12-25", "12-24 12-25"),
        ("12月24日至12月25日，2026/12/30", "12-24 12-25 12-30"),
        ("1-2", "01-02"),
        ("Thu 24 Dec", "12-24"),
        ("24th December 2026", "12-24"),
        ("dec. 24", "12-24"),
        ("Sept 3", "09-03"),
        ("12月24日周四", "12-24"),
        ("星期四 2026年12月24日", "12-24"),
        ("12月24日（周四）", "12-24"),
        ("12/24", "12-24"),
        ("下周一", "12-07"),
        ("本周五", "12-04"),
        ("这个星期一", "11-30"),
        ("24 Dec to 26 Dec", "12-24 12-25 12-26"),
    ],
)
def test_dates_are_read_as_people_type_them(typed: str, expected: str) -> None:
    assert " ".join(day.strftime("%m-%d") for day in read_days(typed, TUESDAY, "date")) == expected


@pytest.mark.parametrize(
    "typed",
    [
        "3/4",
        "24 Foo",
        "Feb 30",
        "32 Dec",
        "next time 5",
        "soon",
        "2026-02-30",
        "13-1",
        "2026-12-26..2026-12-24",
        "2026-01-01..2030-01-01",
        "9999-12-31",
    ],
)
def test_what_is_no_date_gets_a_sentence(typed: str) -> None:
    with pytest.raises(WrongInput, match="2026-12-"):
        read_days(typed, TUESDAY, "date")


def test_a_date_without_a_year_is_the_next_one_such() -> None:
    """On 1 December, 30 November is next year's; 29 February the next leap year's."""
    assert read_days("11-30", TUESDAY, "date") == [date(2027, 11, 30)]
    assert read_days("2-29", TUESDAY, "date") == [date(2028, 2, 29)]


@pytest.mark.parametrize("typed", ["Fri 24 Dec", "12月24日周五"])
def test_a_weekday_that_is_not_the_dates_is_not_guessed_at(typed: str) -> None:
    with pytest.raises(WrongInput, match="names a weekday that 2026-12-24 is not"):
        read_days(typed, TUESDAY, "date")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_dates_are_read_as_the_bot_writes_them(language: str) -> None:
    for day in (TUESDAY + timedelta(days=n) for n in range(360)):
        assert read_days(texts(language).day(day), TUESDAY, "date") == [day]


def test_a_skipped_round_is_not_asked_and_can_be_taken_back(channel: Stage) -> None:
    assert planned(channel) == ["11-30", "12-01", "12-02", "12-03", "12-04"]
    reply = channel.admin("skip 2026-12-02")
    assert "The round of Wed 2 Dec is skipped." in said(reply)
    assert planned(channel) == ["11-30", "12-01", "12-03", "12-04", "12-05"]
    assert "Skipped" in said(channel.admin("holiday"))
    (undo,) = buttons(reply)
    assert "is as the week has it again" in said(channel.hear(Tap(channel.who("boss", admin=True), undo.action, HERE)))
    assert planned(channel) == ["11-30", "12-01", "12-02", "12-03", "12-04"]


def test_a_skipped_extra_date_is_an_extra_date_again(stage: Stage) -> None:
    """What is undone is the skip, not what stood there before it; after a restart too."""
    boss = stage.who("boss", admin=True)
    stage.save("setup time=09:30 days=mon,tue")
    stage.admin("extra 12-05")
    reply = stage.admin("skip 12-05")
    assert "12-05" not in planned(stage)
    stage.hear(Tap(boss, buttons(reply)[0].action, HERE))
    assert "12-05" in planned(stage)


def test_only_what_was_done_is_taken_back(channel: Stage) -> None:
    """A word of another verb stands; of a stretch those dates are taken back that were set."""
    channel.admin("holiday 12-02..12-03")
    assert "2026-12-02 is no extra date" in said(channel.admin("extra 12-02 off"))
    assert "2026-12-02 is not skipped" in said(channel.admin("skip 12-02 off"))
    assert "2026-12-04 不是本频道自己的假期" in said(channel.admin("holiday 12-04 off", language="zh-CN"))
    assert "12-02" not in planned(channel)
    channel.admin("holiday 12-01..12-08 off")
    assert planned(channel) == ["11-30", "12-01", "12-02", "12-03", "12-04"]


def test_a_date_without_a_round_cannot_be_skipped(stage: Stage) -> None:
    stage.save("setup time=09:30 days=weekdays")
    assert "No round is planned for Sat 5 Dec" in said(stage.admin("skip 12-05"))
    stage.admin("holiday 12-04")
    assert "No round is planned for Fri 4 Dec" in said(stage.admin("skip 12-04"))


def test_an_extra_date_in_a_pause_says_that_it_waits(channel: Stage) -> None:
    channel.admin("pause 2026-12-10")
    assert "paused then" in said(channel.admin("extra 2026-12-05"))
    assert "paused then" not in said(channel.admin("extra 2026-12-12"))


def test_skip_without_a_date_means_the_next_round(channel: Stage) -> None:
    channel.admin("skip")
    assert planned(channel)[0] == "12-01"
    channel.admin("跳过")
    assert planned(channel)[0] == "12-02"


def test_holidays_and_extra_dates(stage: Stage) -> None:
    """A weekend is put in, a stretch taken out; of one date the last word counts."""
    stage.save("setup time=09:30 days=weekdays")
    assert "There is a round on Sat 5 Dec." in said(stage.admin("extra 12-05"))
    assert planned(stage) == ["11-30", "12-01", "12-02", "12-03", "12-04"]
    assert "No round on Tue 1 Dec, Wed 2 Dec, Thu 3 Dec." in said(stage.admin("holiday 12-01..12-03"))
    assert planned(stage) == ["11-30", "12-04", "12-05", "12-07", "12-08"]
    listed = said(stage.admin("extra"))
    assert "Sat 5 Dec" in listed
    assert "Tue 1 Dec, Wed 2 Dec, Thu 3 Dec" in listed
    stage.admin("extra 12-02")
    stage.admin("holiday 12-01 off")
    assert planned(stage)[:4] == ["11-30", "12-01", "12-02", "12-04"]


def test_what_is_over_or_begun_cannot_be_changed(channel: Stage) -> None:
    """Nothing is half saved: one such date among several refuses all."""
    channel.forward(days=1, hours=2)
    channel.beat()
    for command in (
        "skip 2026-12-01",
        "holiday 2026-11-30",
        "extra 2026-12-01",
        "swap 2026-12-01",
        "preview 2026-11-30",
    ):
        assert "cannot be changed any more" in said(channel.admin(command)), command
    assert "cannot be changed any more" in said(channel.admin("holiday 2026-12-01..2026-12-03"))
    assert "12-02" in planned(channel)
    assert "Say which date" in said(channel.admin("skip off"))
    assert "No round is planned for Mon 1 Mar" in said(channel.admin("swap 2027-03-01"))


def test_a_swapped_question_stays_whatever_is_planned_anew(channel: Stage) -> None:
    """Another and another walk through what fits; saved, it is asked on that date and on none before."""
    before = {r.local_date: r.question_id for r in channel.rounds("planned")}
    proposal = channel.admin("swap 2026-12-02")
    save, another, cancel = buttons(proposal)
    assert (save.label, another.label, cancel.label) == ("Save", "Another", "Cancel")
    assert {r.local_date: r.question_id for r in channel.rounds("planned")} == before
    chosen = save.action.rpartition(":")[2]
    assert chosen not in before.values()
    boss = channel.who("boss", admin=True)
    assert "asks this now" in said(channel.hear(Tap(boss, save.action, HERE)))
    for change in ("skip 2026-12-01", "extra 2026-12-01", "pause", "resume", "schedule time=10:00"):
        (channel.save if change.startswith("schedule") else channel.admin)(change)
        by_date = {r.local_date: r.question_id for r in channel.rounds("planned")}
        if by_date:
            assert by_date[date(2026, 12, 2)] == chosen, change
            assert list(by_date.values()).count(chosen) == 1, change
    channel.local("2026-12-02 10:05")
    posted = channel.read(lambda tx: rounds.on(tx, 1, date(2026, 12, 2)))
    assert posted is not None
    assert (posted.state, posted.question_id) == ("posted", chosen)


def test_another_walks_through_all_that_fit_and_begins_again(tmp_path: Path) -> None:
    many = Library.of([replace(SINGLE, id=f"q-{n}") for n in range(9)])
    with Stage(tmp_path, library=many) as stage:
        stage.save("setup time=09:30 days=mon")
        shown: list[str] = []
        reply = stage.admin("swap")
        for _ in range(12):
            shown.append(buttons(reply)[0].action.rpartition(":")[2])
            reply = stage.hear(Tap(stage.who("boss", admin=True), buttons(reply)[1].action, HERE))
        assert len(set(shown)) == 4  # nine, of which five are planned
        assert shown == 3 * shown[:4]


def test_a_question_or_topic_can_be_named(channel: Stage) -> None:
    current = {r.question_id for r in channel.rounds("planned")}
    assert f"· {SINGLE.id}" in said(channel.admin(f"swap 2026-12-03 to={SINGLE.id}")) or SINGLE.id in current
    assert "kv-cache" in said(channel.admin("swap 2026-12-03 to=kv-cach"))
    assert "neither a question of the bank nor a topic" in said(channel.admin("swap to=nonsense-of-mine"))


def test_a_question_to_come_or_just_asked_is_not_named_again(channel: Stage) -> None:
    """Neither by its id nor by a proposal that somebody else's was saved before."""
    first, second = channel.rounds("planned")[:2]
    boss = channel.who("boss", admin=True)
    told = said(channel.admin(f"swap {first.local_date} to={second.question_id}"))
    assert f"is promised to {second.local_date} already" in told
    one, other = channel.admin("swap 2026-12-02"), channel.admin("swap 2026-12-03")
    save = buttons(one)[0].action
    assert save.rpartition(":")[2] == buttons(other)[0].action.rpartition(":")[2], "one spare question"
    assert "asks this now" in said(channel.hear(Tap(boss, save, HERE)))
    assert "asks this now" in said(channel.hear(Tap(boss, save, HERE))), "pressed twice"
    assert "is promised to 2026-12-02 already" in said(channel.hear(Tap(boss, buttons(other)[0].action, HERE)))
    assert "Questions chosen by an admin · Wed 2 Dec" in said(channel.admin("status"))
    channel.forward(hours=3)
    channel.beat()
    asked = channel.rounds("posted")[0].question_id
    assert f"{asked} was asked on 2026-11-30" in said(channel.admin(f"swap 12-01 to={asked}"))
    assert "No question about model-families fits" in said(channel.admin("swap 12-01 to=model-families"))


def test_where_nothing_else_fits_it_is_said(tmp_path: Path) -> None:
    with Stage(tmp_path, library=Library.of([SINGLE, TRUE_FALSE])) as stage:
        stage.save("setup time=09:30 days=daily")
        assert "Every other question that fits" in said(stage.admin("swap"))


def test_a_preview_is_what_is_posted_and_shows_it_to_the_admin_alone(channel: Stage) -> None:
    """The same number, options and order; no answering, nothing in the channel, and it does not count as asked."""
    seen = said(channel.admin("preview 2026-12-01"))
    assert "Preview: only you see this. It comes on Tue 1 Dec 09:30." in seen
    assert [w for w in channel.chat.log if w.kind == "post"] == []
    labels = [button.label for button in buttons(channel.admin("preview 2026-12-01"))]
    assert labels == ["Another question", "Skip it"]
    channel.local("2026-12-01 09:31")
    channel.beat()
    posted = next(w.card for w in channel.chat.log if w.kind == "post" and w.card and "#2" in w.card.text)
    assert "Daily drill #2" in seen
    assert posted.text.partition(": ")[2] in seen


@pytest.mark.parametrize(
    "action",
    ["skip:1:2026-12-01", "swap:1:2026-12-01", "preview:1:2026-12-01", "now:1", "swapsave:1:2026-12-01:x", "audit:1"],
)
def test_buttons_of_admins_do_nothing_for_others_or_in_another_workspace(channel: Stage, action: str) -> None:
    """They are checked at use: by the person, and by whose schedule it is."""
    before = planned(channel)
    assert "Only admins" in said(channel.tap("noor", action))
    foreign: Any = channel.who("boss", admin=True, workspace="T-OTHER")
    assert "Daily drill" not in said(channel.hear(Tap(foreign, action, HERE)))
    assert planned(channel) == before


@pytest.mark.parametrize(
    "action", ["skip:1:soon", "skip:x:2026-12-01", "swap:1", "preview:99:2026-12-01", "skip:1:0000-00-00"]
)
def test_a_forged_button_gets_a_sentence(channel: Stage, action: str) -> None:
    told = said(channel.hear(Tap(channel.who("boss", admin=True), action, HERE)))
    assert "went wrong" not in told
    assert told


def test_every_change_leaves_an_audit_row_that_admins_can_read(channel: Stage) -> None:
    for command in ("skip 2026-12-02", "holiday 2026-12-24", "extra 2026-12-26", "pause", "resume", "now"):
        channel.admin(command)
    verbs = channel.read(lambda tx: [row.verb for row in tx.exec(select(AuditRow).order_by(col(AuditRow.id)))])
    assert verbs == ["schedule", "skip", "holiday", "extra", "pause", "resume", "now"]
    page = said(channel.admin("audit"))
    assert "skipped a round 2026-12-02" in page
    assert page.index("posted at once") < page.index("set the schedule")
    assert "There is no more." in said(channel.admin("audit 2"))
    assert "is no page" in said(channel.admin("audit zwei"))


def test_the_audit_is_paged(channel: Stage) -> None:
    for _ in range(15):
        channel.admin("pause")
        channel.admin("resume")
    page = channel.admin("audit")
    assert [button.label for button in buttons(page)] == ["Older"]
    older = channel.hear(Tap(channel.who("boss", admin=True), buttons(page)[0].action, HERE))
    assert "set the schedule" in said(older)
    assert [button.label for button in buttons(older)] == ["Newer"]


def test_the_drills_can_be_delegated_and_the_delegation_cannot(channel: Stage) -> None:
    """A delegate does what admins do, at once and until it is taken back; only workspace admins change the list."""
    channel.save("setup kinds=single")
    channel.forward(hours=2)
    channel.beat()
    channel.tap("noor", f"answer:{channel.open}:a")
    assert "Only admins" in said(channel.typed("noor", "skip"))
    assert "Changed." in said(channel.admin("admins add=Noor"))
    assert "is skipped" in said(channel.typed("noor", "skip"))
    assert "For admins" in said(channel.typed("noor", "help"))
    assert "workspace's own admins" in said(channel.typed("noor", "admins add=kim"))
    assert "Changed." in said(channel.admin("admins remove=noor"))
    assert "Only admins" in said(channel.typed("noor", "skip"))
    assert "is not one person known here" in said(channel.admin("admins add=nobody"))
    assert "is not one person" not in said(channel.admin("admins remove=noor"))


def test_a_board_still_comes_where_the_rest_of_its_week_is_skipped(channel: Stage) -> None:
    channel.forward(hours=2)
    channel.beat()
    channel.tap("noor", f"answer:{channel.open}:a")
    channel.admin("holiday 2026-12-01..2026-12-20")
    channel.forward(days=8)
    channel.beat()
    assert any(w.kind == "post" and w.card and "Board of the week" in w.card.text for w in channel.chat.log)


@pytest.mark.parametrize(
    ("platform", "typed", "shown", "kind"),
    [
        ("slack", "<@U0AB12|noor>", "noor", "person"),
        ("discord", "<@123456789|Noor>", "Noor", "person"),
        ("discord", "<@!123456789>", "123456789", "person"),
        ("discord", "<@&223456789|Drill crew>", "Drill crew", "role"),
    ],
)
def test_delegates_are_named_by_mention(stage: Stage, platform: Any, typed: str, shown: str, kind: str) -> None:
    """People on Slack, people and roles on Discord; whoever holds the role does what admins do."""
    boss = Who(platform, "999999999", "42", "Boss", admin=True)
    listed = said(stage.hear(Command(boss, HERE, "admins", {"add": typed})))
    assert f"{shown}\n{kind}" in listed
    member, roles = ("77", ("223456789",)) if kind == "role" else (typed.strip("<@!>").partition("|")[0], ())
    delegate = Who(platform, "999999999", member, "Noor", roles=roles)
    assert "Only admins" not in said(stage.hear(Command(delegate, HERE, "audit")))
    assert "own admins" in said(stage.hear(Command(delegate, HERE, "admins", {"add": typed})))
    stage.hear(Command(boss, HERE, "admins", {"remove": typed}))
    assert "Only admins" in said(stage.hear(Command(delegate, HERE, "audit")))


def test_everyone_is_no_role_to_delegate_to(stage: Stage) -> None:
    """Discord gives that role the server's own id."""
    boss = Who("discord", "999999999", "42", "Boss", admin=True)
    told = said(stage.hear(Command(boss, HERE, "admins", {"add": "<@&999999999|@everyone>"})))
    assert "is not one person known here" in told
