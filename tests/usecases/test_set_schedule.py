"""Making and changing a schedule: looked at first, saved once, and never two rounds for one local date."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from bot.card import Table, TextField
from bot.chat import Ask, Place, Submission, Tap
from bot.drill.calendar import Week
from bot.usecases.set_schedule import OPTIONS
from content.library import Library
from content.taxonomy import default_taxonomy
from storage.tables import Board, Schedule, SetupDraft, Workspace
from tests.usecases.stage import (
    HERE,
    LIBRARY,
    MEMORY,
    MONDAY,
    NUMERIC,
    QUESTIONS,
    SINGLE,
    Stage,
    button,
    buttons,
    card,
    faults,
    form,
    said,
)


def test_a_proposal_shows_five_dates_and_saves_nothing(stage: Stage) -> None:
    """What is proposed is shown with its next dates in the channel's zone; no schedule exists until *Save*."""
    reply = stage.admin("setup time=18:00 zone=Asia/Shanghai days=mon-fri")
    for shown in ("Mon 30 Nov 18:00", "Tue 1 Dec", "Wed 2 Dec", "Thu 3 Dec", "Fri 4 Dec 18:00"):
        assert shown in said(reply)
    assert "Mon 7 Dec" not in said(reply)
    assert [b.action.split(":")[0] for b in buttons(reply)] == ["save", "change", "drop"]
    assert stage.count(Schedule) == 0


def test_saving_posts_at_the_local_time(stage: Stage) -> None:
    """18:00 in Shanghai is 10:00 UTC."""
    stage.save("setup time=18:00 zone=Asia/Shanghai days=mon-fri")
    stage.forward(days=1)
    (posted,) = stage.rounds("posted")
    assert posted.posted_at is not None
    assert posted.posted_at.isoformat() == "2026-11-30T10:00:00+00:00"
    assert posted.closes_at - posted.posts_at == timedelta(hours=24)


def test_a_schedule_that_is_made_again_keeps_its_id_and_what_was_not_named(drill: Stage) -> None:
    before = drill.schedule()
    drill.save("setup time=11:00 difficulty=1-3")
    after = drill.schedule()
    assert (after.id, after.seed, after.kinds, after.zone) == (before.id, before.seed, ["single"], "UTC")
    assert (after.at.hour, after.hardest) == (11, 3)


def test_dropping_a_proposal_changes_nothing_and_its_save_button_then_says_so(stage: Stage) -> None:
    reply = stage.admin("setup time=18:00")
    assert "Nothing was changed" in said(stage.tap("boss", button(reply, "drop"), admin=True))
    assert "too old" in said(stage.tap("boss", button(reply, "save"), admin=True))
    assert (stage.count(Schedule), stage.count(SetupDraft)) == (0, 0)


def test_a_proposal_is_saved_once_and_not_after_two_days(stage: Stage) -> None:
    reply = stage.admin("setup time=18:00")
    stage.tap("boss", button(reply, "save"), admin=True)
    assert "saved or is too old" in said(stage.tap("boss", button(reply, "save"), admin=True))
    late = stage.admin("setup time=19:00")
    stage.forward(days=2, seconds=1)
    assert "too old" in said(stage.tap("boss", button(late, "save"), admin=True))
    assert stage.schedule().at.hour == 18


def test_the_change_button_opens_the_form_with_what_was_proposed(stage: Stage) -> None:
    reply = stage.admin("setup time=18:00 zone=Europe/Berlin topics=kv-cache kinds=single language=zh+en")
    fields = {field.id: field for field in form(stage.tap("boss", button(reply, "change"), admin=True)).fields}
    assert (fields["time"].value, fields["zone"].value) == ("18:00", "Europe/Berlin")  # type: ignore[union-attr]
    assert fields["kinds"].chosen == ("single",)  # type: ignore[union-attr]
    assert fields["language"].chosen == ("zh+en",)  # type: ignore[union-attr]


def test_the_form_names_every_faulty_field_at_once_and_saves_nothing(stage: Stage) -> None:
    opened = form(stage.admin("setup"))
    values = {"days": ("1",), "time": "25:00", "zone": "Mars/Base", "topics": "nonsense-topic", "difficulty": "9"}
    wrong = faults(stage.hear(Submission(stage.who("boss", admin=True), opened.id, dict(values), HERE)))
    assert set(wrong) == {"time", "zone", "topics", "difficulty"}
    assert all(len(sentence) > 10 for sentence in wrong.values())
    chinese = stage.who("boss", admin=True, language="zh-CN")
    assert "时区" in faults(stage.hear(Submission(chinese, opened.id, dict(values), HERE)))["zone"]
    assert stage.count(SetupDraft) == 0


def test_the_form_that_comes_back_is_proposed_with_its_channel(stage: Stage) -> None:
    opened = form(stage.admin("setup"))
    values: dict[str, str | tuple[str, ...]] = {
        "days": ("1", "3"), "time": "18:00", "zone": "UTC", "topics": "", "difficulty": "1-2",
        "kinds": (), "language": ("en+zh",), "mode": ("together",), "holidays": "none",
    }  # fmt: skip
    reply = stage.hear(Submission(stage.who("boss", admin=True), opened.id, values, HERE))
    stage.tap("boss", button(reply, "save"), admin=True)
    saved = stage.schedule()
    assert (saved.channel_id, saved.weekdays, saved.languages, saved.mode, saved.topics, saved.kinds) == (
        "drills", [1, 3], ["en", "zh"], "together", [], [],
    )  # fmt: skip


def test_only_admins_may_propose_save_change_or_drop(stage: Stage) -> None:
    """Also with buttons that were made for an admin, and forged forms."""
    reply = stage.admin("setup time=18:00")
    for name in ("save", "change", "drop"):
        assert "Only admins" in said(stage.tap("noor", button(reply, name)))
    assert "Only admins" in said(stage.typed("noor", "setup time=10:00"))
    assert "Only admins" in said(stage.hear(Submission(stage.who("noor"), "setup:drills:x", {"time": "10:00"}, HERE)))
    assert (stage.count(Schedule), stage.count(SetupDraft)) == (0, 1)


def test_an_admin_of_another_workspace_cannot_touch_a_proposal(stage: Stage) -> None:
    reply = stage.admin("setup time=18:00")
    for name in ("save", "change"):
        assert "too old" in said(stage.tap("eve", button(reply, name), admin=True, workspace="other"))
    stage.tap("eve", button(reply, "drop"), admin=True, workspace="other")
    assert "Saved" in said(stage.tap("boss", button(reply, "save"), admin=True))


def test_a_proposal_that_no_question_fits_is_refused(stage: Stage) -> None:
    assert "No question fits" in said(stage.admin("setup topics=qlora"))
    assert "No question fits" in said(stage.admin("setup kinds=single difficulty=5"))
    assert stage.count(SetupDraft) == 0


def test_a_weekday_that_would_have_no_question_is_refused_too(stage: Stage) -> None:
    """Else each Monday would be missed."""
    stage.save("setup time=18:00 days=daily")
    assert "No question fits" in said(stage.admin("topics qlora day=mon"))


@pytest.mark.parametrize(
    ("typed", "column", "stored"),
    [
        ("days=周一到周五", "weekdays", [1, 2, 3, 4, 5]),
        ("time=上午9:30", "at.hour", 9),
        ("time=０９：３０", "at.minute", 30),
        ("zone=北京", "zone", "Asia/Shanghai"),
        ("difficulty=１－３", "hardest", 3),
        ("kinds=单选题，判断", "kinds", ["single", "true_false"]),
        ("language=双语", "languages", ["en", "zh"]),
        ("mode=统一", "mode", "together"),
        ("window=8小时", "window_minutes", 480),
        ("window=90m", "window_minutes", 90),
        ("board=周五", "board_day", 5),
        ("holidays=中国", "country", "CN"),
        ("best=3", "best_rounds", 3),
        ("topics=kv-cache, loss-functions", "topics", ["kv-cache", "loss-functions"]),
    ],
)
def test_options_are_read_in_both_languages(stage: Stage, typed: str, column: str, stored: object) -> None:
    stage.save(f"setup {typed}")
    value: object = stage.schedule()
    for part in column.split("."):
        value = getattr(value, part)
    assert value == stored


@pytest.mark.parametrize("option", OPTIONS)
def test_a_wrong_option_gets_a_sentence_in_both_languages(stage: Stage, option: str) -> None:
    """Nothing odd is taken for a value, nothing breaks, and no proposal is kept."""
    for typed in ("?!", "火星", "{0}", "%s", "９" * 30, "x" * 400, "\u200b"):
        if typed == "\u200b" and option == "holidays":
            continue  # nothing visible means none
        for language in ("en", "zh"):
            reply = stage.admin(f"setup {option}={typed}", language=language)
            assert not buttons(reply), f"{option}={typed!r} was taken as {said(reply)}"
            assert 10 < len(card(reply).text) < 400
            assert "went wrong" not in said(reply)
            assert "出了点问题" not in said(reply)
    assert stage.count(SetupDraft) == 0


def test_topics_are_known_by_name_and_alias_and_unknown_ones_get_a_suggestion(stage: Stage) -> None:
    stage.save("setup time=18:00")
    assert "kv-cache" in said(stage.admin("topics search kv"))
    assert "kv-cache" in said(stage.admin("topics search KV缓存", language="zh"))
    stage.save("topics KV cache, Loss functions")
    assert stage.schedule().topics == ["kv-cache", "loss-functions"]
    assert "did you mean" in said(stage.admin("topics kv-cahce"))
    assert "kv-cache" in said(stage.admin("topics kv-cahce"))
    assert "是不是" in said(stage.admin("topics kv-cahce", language="zh"))
    assert "No topic is named" in said(stage.admin("topics ，"))
    stage.save("topics all")
    assert stage.schedule().topics == []


def test_a_weekday_can_have_topics_of_its_own(stage: Stage) -> None:
    stage.save("setup time=09:30 days=daily topics=kv-cache")
    stage.save("topics inference-memory day=wed")
    stage.forward(days=4)
    asked = {r.local_date.isoweekday(): r.question_id for r in stage.rounds("posted")}
    assert asked == {1: SINGLE.id, 2: SINGLE.id, 3: NUMERIC.id, 4: SINGLE.id}
    stage.save("topics day=wed")
    assert stage.schedule().weekday_topics == {}
    stage.save("topics day=wed,thu inference-memory, lora")
    assert stage.schedule().weekday_topics == {day: ["inference-memory", "lora"] for day in ("3", "4")}


def test_topics_in_turn_take_the_place_of_those_of_weekdays(stage: Stage) -> None:
    """Who names topics gets them; a form that is sent without a change of its topics changes none."""
    stage.save("setup time=09:30 days=daily topics=kv-cache")
    stage.save("topics inference-memory day=wed")
    listed = said(stage.admin("topics"))
    assert "On these days instead\nWed\ninference-memory" in listed
    stage.save("schedule time=10:00")
    form = {"time": "11:00", "topics": "kv-cache"}
    boss = stage.who("boss", admin=True)
    proposed = stage.hear(Submission(boss, "setup:drills:x", form, HERE))
    stage.tap("boss", button(proposed, "save"), admin=True)
    assert stage.schedule().weekday_topics == {"3": ["inference-memory"]}
    stage.save("topics kv-cache")
    assert stage.schedule().weekday_topics == {}
    assert stage.schedule().topics == ["kv-cache"]


def test_changing_a_proposal_keeps_what_its_form_does_not_hold(stage: Stage) -> None:
    """What was typed stays when the form is opened from its preview, until it is saved."""
    stage.save("setup time=09:30 days=daily topics=kv-cache")
    proposed = stage.admin("schedule window=4h best=3 board=fri time=10:00")
    asked = stage.tap("boss", button(proposed, "change"), admin=True)
    assert isinstance(asked, Ask)
    values = {"time": "10:30", "topics": "kv-cache"}
    again = stage.hear(Submission(stage.who("boss", admin=True), asked.form.id, values, HERE))
    stage.tap("boss", button(again, "save"), admin=True)
    row = stage.schedule()
    assert (row.window_minutes, row.best_rounds, row.board_day, row.at.isoformat()) == (240, 3, 5, "10:30:00")


def test_without_topics_of_its_own_a_channel_has_all_by_area(stage: Stage) -> None:
    stage.save("setup time=09:30 days=daily topics=all")
    shown = said(stage.admin("topics"))
    assert "All topics of the bank (6)" in shown
    assert "kv-cache" in shown
    assert "题库的全部主题（6 个）" in said(stage.admin("topics", language="zh"))


@pytest.mark.parametrize(
    ("typed", "first"),
    [("search KV Cache", "kv-cache"), ("search KV缓存", "kv-cache"), ("search kv-cach", "kv-cache"),
     ("搜索 KV緩存", "kv-cache"), ("search lora", "lora"), ("查找：损失函数", "loss-functions")],
)  # fmt: skip
def test_topics_are_found_by_name_alias_and_near_misses(stage: Stage, typed: str, first: str) -> None:
    """In either language and script, without a schedule too; each with how many questions there are."""
    found = card(stage.admin(f"topics {typed}"))
    rows = next(part.rows for part in found.parts if isinstance(part, Table))
    slugs = [row[0] for row in rows if not str(row[0]).startswith("area:")]
    assert slugs[0] == first
    assert next(row for row in rows if row[0] == first)[2] == "1"


def test_questions_are_counted_that_fit_the_channel(stage: Stage) -> None:
    stage.save("setup time=09:30 kinds=multiple")
    assert "Questions are counted that fit this channel." in said(stage.admin("topics search kv-cache"))
    found = card(stage.admin("topics search kv-cache"))
    rows = dict(row[::2] for part in found.parts if isinstance(part, Table) for row in part.rows)
    assert rows["kv-cache"] == "0"
    assert "No topic has that name." in said(stage.admin("topics search zzzzqqq"))


@pytest.mark.parametrize("typed", ["inference-serving", "area:inference-serving", "推理与服务", "领域：推理与服务"])
def test_a_whole_area_can_be_set_and_topics_without_a_question_are_named(stage: Stage, typed: str) -> None:
    """They stay in the set, for the day the bank has one; where none of a set has, it is refused."""
    assert "area:inference-serving" in said(stage.admin("topics search inference"))
    stage.save("setup time=09:30")
    proposal = said(stage.admin(f"topics {typed}"))
    assert "No question fits these topics yet: " in proposal
    stage.save(f"topics {typed}")
    area = default_taxonomy().area("inference-serving")
    assert stage.schedule().topics == [topic.slug for topic in area.topics]
    assert "area" not in said(stage.admin("topics"))
    assert "No question fits. Widen the topics" in said(stage.admin("topics model-families"))


def test_every_topic_at_once_still_fits_the_form(stage: Stage) -> None:
    every = ", ".join(topic.slug for topic in default_taxonomy().topics)
    stage.save(f"setup time=09:30 topics={every}")
    field = next(f for f in form(stage.admin("setup")).fields if f.id == "topics")
    assert isinstance(field, TextField)
    assert field.value == every
    assert len(every) <= field.max_length <= 3000


def test_how_few_answers_show_a_distribution_is_the_workspaces(stage: Stage) -> None:
    """Saved with a channel's proposal, it holds for every channel; left out, it stays."""
    assert "is no number of answers" in said(stage.admin("setup least=1"))
    assert "应当是 5" in said(stage.admin("setup least=1", language="zh-CN"))
    stage.admin("setup time=09:30 least=3")
    least = select(Workspace.least_shown)
    assert stage.read(lambda tx: tx.exec(least).one()) == 5, "a proposal changes nothing"
    stage.save("setup time=09:30 least=3")
    assert stage.read(lambda tx: tx.exec(least).one()) == 3
    stage.save("setup time=09:45")
    assert stage.read(lambda tx: tx.exec(least).one()) == 3


def test_topics_come_in_turn_and_none_returns_before_all_were_asked(stage: Stage) -> None:
    """Six questions in six days are six different ones; then the oldest returns, and the admin is told once."""
    stage.save("setup time=09:30 days=daily")
    stage.local("2026-12-05 10:00")
    assert sorted(r.question_id for r in stage.rounds("posted")) == sorted(q.id for q in QUESTIONS)
    assert stage.chat.direct("w", "boss") == []
    stage.forward(days=7)
    posted = stage.rounds("posted")
    assert [r.question_id for r in posted[6:12]] == [r.question_id for r in posted[:6]]
    told = stage.chat.direct("w", "boss")
    assert ["oldest now return" in said(message.card) for message in told] == [True]


def test_holidays_have_no_round(stage: Stage) -> None:
    """Christmas and Boxing Day of the country are left out; the dates beside them are not."""
    stage.save("setup time=09:30 days=daily holidays=GB")
    stage.local("2026-12-29 10:00")
    dates = {r.local_date for r in stage.rounds("posted")}
    assert {date(2026, 12, 24), date(2026, 12, 27)} <= dates
    assert not {date(2026, 12, 25), date(2026, 12, 26), date(2026, 12, 28)} & dates  # the 28th in lieu of the 26th


def test_the_window_and_the_next_round_bound_how_long_a_round_is_open(stage: Stage) -> None:
    stage.save("setup time=09:30 days=daily window=8h")
    assert stage.rounds("planned")[0].closes_at.isoformat() == "2026-11-30T17:30:00+00:00"
    stage.save("setup window=3d")
    planned = stage.rounds("planned")
    assert [r.closes_at for r in planned[:-1]] == [r.posts_at for r in planned[1:]]


def test_the_weekly_board_moves_with_its_day(stage: Stage) -> None:
    """A board to come that nobody has begun to send takes the new day and time."""
    stage.save("setup time=09:30 days=daily kinds=single")
    stage.local("2026-12-01 12:00")
    stage.right("noor")
    stage.save("setup board=wed time=15:00")
    board = stage.read(lambda tx: tx.exec(select(Board).where(Board.week == "2026-W49")).one())
    assert board.posts_at.isoformat() == "2026-12-09T15:00:00+00:00"
    stage.local("2026-12-09 15:00")
    boards = [w for w in stage.chat.log if w.kind == "post" and w.card and "Board of the week" in w.card.text]
    assert [w.at.isoformat() for w in boards] == ["2026-12-09T15:00:00+00:00"]


def test_an_empty_week_has_no_board(stage: Stage) -> None:
    """Rounds of one week only: the next Mondays bring no board of nothing."""
    stage.save("setup time=09:30 days=daily kinds=single")
    stage.local("2026-12-02 10:00")
    stage.admin("pause")
    stage.local("2027-01-04 10:00")
    boards = [w for w in stage.chat.log if w.kind == "post" and w.card and "Board of the week" in w.card.text]
    assert len(boards) == 1


def test_two_channels_have_schedules_of_their_own(stage: Stage) -> None:
    other = Place("w", "other")
    stage.chat.open_channel(other, "other")
    stage.save("setup time=09:30 kinds=single")
    stage.save("setup time=10:30 kinds=numeric", place=other)
    stage.local("2026-11-30 11:00")
    assert stage.count(Schedule) == 2
    assert {r.question_id for r in stage.rounds("posted")} == {SINGLE.id, NUMERIC.id}
    assert len(stage.chat.seen_by(other, "")) == 1


def test_the_defaults_are_the_admins_own_zone_and_language(stage: Stage) -> None:
    opened = form(stage.admin("setup", zone="Asia/Shanghai", language="zh-CN"))
    fields = {field.id: field for field in opened.fields}
    assert fields["zone"].value == "Asia/Shanghai"  # type: ignore[union-attr]
    assert fields["language"].chosen == ("zh",)  # type: ignore[union-attr]
    opened = form(stage.admin("setup", zone="Nowhere/Land"))
    assert {field.id: field for field in opened.fields}["zone"].value == "UTC"  # type: ignore[union-attr]


def test_a_zone_change_across_the_date_line_skips_to_the_next_free_date(drill: Stage) -> None:
    """The round of 30 November was posted; in Honolulu the new time still falls on the 30th."""
    drill.save("setup zone=Pacific/Honolulu time=15:00")
    drill.forward(days=2)
    assert [r.local_date.day for r in drill.rounds("posted")] == [30, 1]
    assert drill.rounds("posted")[1].posts_at.isoformat() == "2026-12-02T01:00:00+00:00"


ZONES = ("UTC", "Asia/Shanghai", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York", "Australia/Lord_Howe")
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(ZONES),
        st.integers(0, 23),
        st.sampled_from(["daily", "mon-fri", "mon,thu"]),
        st.integers(1, 60),
        st.sampled_from(["", "", "now", "pause", "resume", "pause 2026-12-04"]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(CHANGES)
def test_no_sequence_of_changes_gives_a_local_date_two_rounds(changes: list[tuple[str, int, str, int, str]]) -> None:
    """Whatever an admin changes, each local date is posted at most once, in order, each question closed before the
    board of its week, and the beat never fails."""
    with TemporaryDirectory(dir=MEMORY) as folder, Stage(Path(folder), library=LIBRARY) as stage:
        stage.save("setup time=09:30 days=daily")
        for zone, hour, days, hours, verb in changes:
            stage.forward(hours=hours)
            assert "Saved" in said(stage.save(f"setup zone={zone} time={hour:02d}:15 days={days}"))
            if verb:
                assert "went wrong" not in said(stage.admin(verb))
                stage.beat()
        stage.forward(days=4)
        posted = stage.rounds("posted")
        dates = [r.local_date for r in posted]
        assert len(dates) == len(set(dates))
        messages = [w for w in stage.chat.log if w.kind == "post" and w.card and "Daily drill #" in w.card.text]
        assert len(messages) == len(posted)
        assert len({w.key for w in messages}) == len(messages)
        numbers = [r.number for r in sorted(posted, key=lambda r: (r.posted_at, r.number))]
        assert numbers == sorted(numbers)  # type: ignore[type-var]
        closed_at = {Week.of(r.local_date): r.closes_at for r in posted if r.closes_at <= stage.clock.now()}
        for board in stage.read(lambda tx: tx.exec(select(Board).where(Board.message_id != "")).all()):
            assert board.posted_at is not None
            assert closed_at[Week.from_label(board.week)] <= board.posted_at


def test_a_week_that_has_its_board_takes_no_more_rounds(tmp_path: Path) -> None:
    """A channel that moves to a zone behind its own lives a date again whose week is ranked: the next date is asked."""
    with Stage(tmp_path, library=LIBRARY) as stage:
        stage.save("setup zone=Pacific/Kiritimati time=00:15 days=mon,sat")
        stage.local("2026-12-07 00:20", "Pacific/Kiritimati")  # in UTC it is Sunday still
        stage.beat()
        assert stage.read(lambda tx: [b.week for b in tx.exec(select(Board).where(Board.message_id != ""))]) == [
            "2026-W49"
        ]
        stage.save("setup zone=UTC time=23:15 days=daily")
        assert "This week has its board already." in said(stage.admin("now"))
        stage.local("2026-12-08 23:20")
        stage.beat()
        assert [r.local_date.isoformat() for r in stage.rounds("posted")][-2:] == ["2026-12-07", "2026-12-08"]
        assert date(2026, 12, 6) not in {r.local_date for r in stage.rounds("posted")}


def test_a_changed_bank_keeps_what_was_posted_and_replans_what_is_gone(tmp_path: Path) -> None:
    """After a restart without the planned question another is asked; the posted one is still graded by its snapshot."""
    with Stage(tmp_path, library=Library.of([SINGLE])) as stage:
        stage.save("setup time=09:30 days=daily kinds=single")
        stage.local("2026-11-30 09:30")
        open_round = stage.open
    spare = Library.of([NUMERIC, *(q for q in QUESTIONS if q.kind == "true_false")])
    with Stage(tmp_path, library=spare, start=MONDAY + timedelta(hours=2)) as stage:
        assert "Right!" in said(stage.tap("noor", f"answer:{open_round}:c"))
        stage.save("setup kinds=numeric")
        stage.local("2026-12-01 10:00")
        assert stage.rounds("posted")[-1].question_id == NUMERIC.id


@pytest.mark.parametrize("form", ["setup:elsewhere:x", "setup::x", "setup", "setup:"])
def test_a_form_sets_the_channel_it_stands_in_and_no_other(stage: Stage, form: str) -> None:
    """Its id went through a client: an admin here is none in the channel that somebody wrote into it."""
    sent = Submission(stage.who("boss", admin=True), form, {"time": "10:00"}, HERE)
    assert "Begin again" in said(stage.hear(sent))
    assert stage.count(SetupDraft) == 0


def test_a_form_that_asks_for_its_channel_sets_the_one_that_was_chosen(stage: Stage) -> None:
    """By the button for a new channel; for one that has drills the form says what stands."""
    boss = stage.who("boss", admin=True)
    asked = stage.hear(Tap(boss, "setup:new"))
    assert isinstance(asked, Ask)
    assert asked.form.asks_place
    chosen = Place("w", "elsewhere")
    values: dict[str, str | tuple[str, ...]] = {"time": "10:00", "zone": "UTC"}
    proposed = stage.hear(Submission(boss, asked.form.id, values, chosen, "Elsewhere"))
    assert "Start daily drills here?" in said(proposed)
    stage.hear(Tap(boss, "save:1", chosen))
    schedule = stage.read(lambda tx: tx.exec(select(Schedule)).one())
    assert (schedule.channel_id, schedule.channel_name) == ("elsewhere", "Elsewhere")
    changing = stage.hear(Tap(boss, f"setup:{schedule.id}"))
    assert isinstance(changing, Ask)
    assert not changing.form.asks_place
    assert "10:00" in str(changing.form)
    assert "Begin again" in said(stage.hear(Submission(boss, asked.form.id, values)))
    assert "Only admins" in said(stage.hear(Tap(stage.who("noor"), "setup:new")))
    assert "no drills yet" in said(stage.hear(Tap(boss, "setup:999")))
